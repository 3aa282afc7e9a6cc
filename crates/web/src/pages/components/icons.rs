//! Pictures of one line, drawn once a page and used by name.

use maud::{Markup, PreEscaped, html};

/// A picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pages) enum Icon {
    /// A star.
    Star,
    /// A tick: seen, or as it should be.
    Check,
    /// A ring: not seen yet.
    Ring,
    /// A cross: not as it should be.
    Cross,
    /// A clock: not known yet.
    Wait,
    /// Back.
    Left,
    /// On.
    Right,
    /// A feed.
    Feed,
    /// A file to save.
    Down,
    /// Away from these pages.
    Out,
}

impl Icon {
    const ALL: [Self; 10] = [
        Self::Star,
        Self::Check,
        Self::Ring,
        Self::Cross,
        Self::Wait,
        Self::Left,
        Self::Right,
        Self::Feed,
        Self::Down,
        Self::Out,
    ];

    const fn id(self) -> &'static str {
        match self {
            Self::Star => "i-star",
            Self::Check => "i-check",
            Self::Ring => "i-ring",
            Self::Cross => "i-cross",
            Self::Wait => "i-wait",
            Self::Left => "i-left",
            Self::Right => "i-right",
            Self::Feed => "i-feed",
            Self::Down => "i-down",
            Self::Out => "i-out",
        }
    }

    const fn drawing(self) -> &'static str {
        match self {
            Self::Star => {
                r#"<path d="M8 1.9l1.8 3.8 4.2.5-3.1 2.9.8 4.1L8 11.2l-3.7 2 .8-4.1L2 6.2l4.2-.5z"/>"#
            }
            Self::Check => r#"<path d="M3 8.5l3.2 3.2L13 4.8"/>"#,
            Self::Ring => r#"<circle cx="8" cy="8" r="5"/>"#,
            Self::Cross => r#"<path d="M4 4l8 8M12 4l-8 8"/>"#,
            Self::Wait => r#"<circle cx="8" cy="8" r="5.5"/><path d="M8 5v3.2l2 1.3"/>"#,
            Self::Left => r#"<path d="M10 3.5L5.5 8l4.5 4.5"/>"#,
            Self::Right => r#"<path d="M6 3.5L10.5 8 6 12.5"/>"#,
            Self::Feed => {
                r#"<path d="M3 3a10 10 0 0 1 10 10M3 7.5a5.5 5.5 0 0 1 5.5 5.5"/><circle cx="3.9" cy="12.1" r=".8"/>"#
            }
            Self::Down => r#"<path d="M8 2.5v8M4.5 7.2L8 10.7l3.5-3.5M3 13.5h10"/>"#,
            Self::Out => r#"<path d="M6.5 3.5h-3v9h9v-3M9 2.8h4.200V7M13 3L7.500 8.5"/>"#,
        }
    }
}

/// Returns all pictures, unseen, for [`icon`] to use.
pub(in crate::pages) fn sprite() -> Markup {
    html! {
        svg width="0" height="0" hidden aria-hidden="true" {
            @for icon in Icon::ALL {
                symbol id=(icon.id()) viewBox="0 0 16 16" { (PreEscaped(icon.drawing())) }
            }
        }
    }
}

/// Returns a picture. It says nothing to those who do not see it: the words stand beside it.
pub(in crate::pages) fn icon(icon: Icon) -> Markup {
    html! { svg.i aria-hidden="true" { use href={ "#" (icon.id()) } {} } }
}
