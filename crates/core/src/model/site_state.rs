//! Why a site could not be read, or not all of it: what happened and what to do, in words.

use serde::{Deserialize, Serialize};

use crate::words::grouped;

/// The state of a site that a crawl could not read, or not all of. A site without one can be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteState {
    /// What stands in the way.
    #[serde(flatten)]
    pub obstacle: Obstacle,
    /// How many pages could be read all the same.
    #[serde(default)]
    pub read: u64,
}

/// What keeps Recrawl from reading a site. The first page is the root, or where it leads within the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "kebab-case")]
pub enum Obstacle {
    /// The first page asks for a password.
    NeedsPassword {
        /// The HTTP status.
        status: u16,
    },
    /// The first page is forbidden to Recrawl.
    Forbidden {
        /// The HTTP status.
        status: u16,
        /// Pages that were forbidden, or block pages.
        pages: u64,
        /// Pages that were asked for.
        of: u64,
    },
    /// The first page leads to a form to sign in.
    Login {
        /// Where.
        at: String,
    },
    /// The first page redirects to itself, at once or by way of others.
    CookieWall,
    /// There is no first page.
    RootMissing {
        /// The HTTP status.
        status: u16,
    },
    /// The first page is on another site.
    RootElsewhere {
        /// Where it is.
        location: String,
    },
    /// A firewall answers in place of the first page.
    BlockPage {
        /// What it sends, in words.
        what: String,
        /// Pages that were forbidden, or block pages.
        pages: u64,
        /// Pages that were asked for.
        of: u64,
    },
    /// The text of pages is made by JavaScript.
    NeedsScripts {
        /// How many pages.
        pages: u64,
        /// Of how many that answered.
        of: u64,
    },
    /// The host does not answer.
    Unreachable {
        /// The host.
        host: String,
        /// What happened, in words.
        reason: String,
    },
    /// The capsule shows another certificate than the one that is pinned.
    CertificateChanged {
        /// What happened, in words.
        reason: String,
    },
    /// robots.txt forbids the first page.
    ForbiddenByRobots {
        /// By this rule.
        rule: String,
    },
    /// The first page could not be read for another reason.
    Unreadable {
        /// What happened, in words.
        reason: String,
    },
}

impl Obstacle {
    /// Returns the word used in stores, in JSON and as a mark.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::NeedsPassword { .. } => "needs-password",
            Self::Forbidden { .. } => "forbidden",
            Self::Login { .. } => "login",
            Self::CookieWall => "cookie-wall",
            Self::RootMissing { .. } => "root-missing",
            Self::RootElsewhere { .. } => "root-elsewhere",
            Self::BlockPage { .. } => "block-page",
            Self::NeedsScripts { .. } => "needs-scripts",
            Self::Unreachable { .. } => "unreachable",
            Self::CertificateChanged { .. } => "certificate-changed",
            Self::ForbiddenByRobots { .. } => "forbidden-by-robots",
            Self::Unreadable { .. } => "unreadable",
        }
    }

    /// Tells whether it is likely that the address of the site is wrong, where nothing of it was ever read.
    pub const fn suggests_typing_error(&self) -> bool {
        matches!(self, Self::RootMissing { .. } | Self::Unreachable { .. })
    }
}

impl SiteState {
    /// Returns the word used in stores and in JSON.
    pub const fn word(&self) -> &'static str {
        self.obstacle.word()
    }

    /// Tells whether nothing of the site could be read.
    pub const fn is_unread(&self) -> bool {
        self.read == 0
    }

    /// Tells whether a crawl that met it is never whole: all but a site some of whose pages have no text.
    pub const fn is_never_whole(&self) -> bool {
        self.is_unread() || !matches!(self.obstacle, Obstacle::NeedsScripts { .. })
    }

    /// Tells whether what a crawl that met it found says little of the site. Of a known site whose first page leads
    /// elsewhere, the other pages were read.
    pub const fn hides_site(&self) -> bool {
        self.is_unread() || self.is_never_whole() && !matches!(self.obstacle, Obstacle::RootElsewhere { .. })
    }

    /// Returns the mark that people see.
    pub const fn mark(&self) -> &'static str {
        match &self.obstacle {
            Obstacle::RootElsewhere { .. } if !self.is_unread() => "leads elsewhere",
            Obstacle::Unreachable { .. } => "no answer",
            Obstacle::NeedsScripts { .. } => "cannot read",
            Obstacle::BlockPage { .. } => "blocked",
            Obstacle::Forbidden { .. } | Obstacle::ForbiddenByRobots { .. } => "forbidden",
            Obstacle::NeedsPassword { .. }
            | Obstacle::Login { .. }
            | Obstacle::CookieWall
            | Obstacle::RootMissing { .. }
            | Obstacle::RootElsewhere { .. }
            | Obstacle::CertificateChanged { .. }
            | Obstacle::Unreadable { .. } => "failed",
        }
    }

    /// Says what happened, without a capital letter and a full stop.
    pub fn sentence(&self) -> String {
        let of_pages = |pages: u64, of: u64| format!("{} of {} pages", grouped(pages), grouped(of));
        match &self.obstacle {
            Obstacle::NeedsPassword { status } => format!("the first page asks for a password ({status})"),
            Obstacle::Forbidden { status, pages, of } if *pages > 1 => {
                format!("{} are forbidden to Recrawl ({status})", of_pages(*pages, *of))
            }
            Obstacle::Forbidden { status, .. } => {
                format!("the first page is forbidden to Recrawl ({status})")
            }
            Obstacle::Login { at } => format!("the first page leads to a sign-in form ({at})"),
            Obstacle::CookieWall => {
                "the first page redirects to itself, which usually means that it wants a cookie".to_owned()
            }
            Obstacle::RootMissing { status } => {
                format!("the first page is not there ({status}), check the address")
            }
            Obstacle::RootElsewhere { location } => {
                format!("the first page leads to {location}, outside the site")
            }
            Obstacle::BlockPage { what, pages, of } if *pages > 1 => {
                format!("{} ask whether you are a robot ({what})", of_pages(*pages, *of))
            }
            Obstacle::BlockPage { what, .. } => {
                format!("the first page asks whether you are a robot ({what})")
            }
            Obstacle::NeedsScripts { pages, of } => {
                let have = if *of == 1 {
                    "the first page has".to_owned()
                } else {
                    format!("{} have", of_pages(*pages, *of))
                };
                format!("{have} next to no text without JavaScript, which Recrawl does not run")
            }
            Obstacle::Unreachable { host, reason } => format!("{host} does not answer ({reason})"),
            Obstacle::CertificateChanged { reason } => reason.clone(),
            Obstacle::ForbiddenByRobots { rule } => {
                format!("robots.txt forbids the first page to Recrawl ({rule})")
            }
            Obstacle::Unreadable { reason } => format!("the first page could not be read ({reason})"),
        }
    }

    /// Says what to do, in whole sentences.
    pub const fn advice(&self) -> &'static str {
        match &self.obstacle {
            Obstacle::NeedsPassword { .. } | Obstacle::Login { .. } => {
                "Recrawl cannot sign in. Watch a public page of the site instead."
            }
            Obstacle::Forbidden { .. } | Obstacle::BlockPage { .. } => {
                "Slow down and set a contact, so that its owner can let you in: --rate 0.2 --contact URL. No page counts \
                 as changed or gone because of it."
            }
            Obstacle::CookieWall => {
                "Recrawl keeps no cookies. Look for a page or a feed of the site that needs none, and watch that."
            }
            Obstacle::RootMissing { .. } => {
                "Open the address in a browser, and watch the one that shows the site."
            }
            Obstacle::RootElsewhere { .. } => {
                "Watch that address instead, or name its host with --extra-host."
            }
            Obstacle::NeedsScripts { .. } => {
                "Their changes will not be noticed. Look for a feed or a plain version of the site, and watch that."
            }
            Obstacle::Unreachable { .. } => {
                "Check the address, if it never answered. The next crawl tries again. No page counts as gone because of it."
            }
            Obstacle::CertificateChanged { .. } => {
                "This may be another server, so nothing was asked of it. If its owner says that the new certificate is right, forget \
                 the old one: recrawl certificate CAPSULE --forget."
            }
            Obstacle::ForbiddenByRobots { .. } => {
                "Ask its owner to allow Recrawl in robots.txt. `recrawl explain URL` shows the rule."
            }
            Obstacle::Unreadable { .. } => {
                "The next crawl tries again. No page counts as gone because of it."
            }
        }
    }

    /// Says what happened as the line of a list: `failed, the first page asks for a password (401)`.
    pub fn line(&self) -> String {
        let is_told_by_itself = matches!(
            self.obstacle,
            Obstacle::RootMissing { .. } | Obstacle::RootElsewhere { .. } | Obstacle::NeedsScripts { .. }
        );
        let failed = if self.is_unread() && !is_told_by_itself { "failed, " } else { "" };
        format!("{failed}{}", self.sentence())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Obstacle> {
        let text = || "x".to_owned();
        vec![
            Obstacle::NeedsPassword { status: 401 },
            Obstacle::Forbidden { status: 403, pages: 40, of: 41 },
            Obstacle::Login { at: text() },
            Obstacle::CookieWall,
            Obstacle::RootMissing { status: 410 },
            Obstacle::RootElsewhere { location: text() },
            Obstacle::BlockPage { what: text(), pages: 1, of: 1 },
            Obstacle::NeedsScripts { pages: 12, of: 14 },
            Obstacle::Unreachable { host: text(), reason: text() },
            Obstacle::CertificateChanged { reason: text() },
            Obstacle::ForbiddenByRobots { rule: text() },
            Obstacle::Unreadable { reason: text() },
        ]
    }

    #[test]
    fn a_state_says_what_happened_and_what_to_do() {
        for (obstacle, read, expected) in [
            (Obstacle::NeedsPassword { status: 401 }, 0, "failed, the first page asks for a password (401)"),
            (
                Obstacle::Forbidden { status: 403, pages: 1_200, of: 1_201 },
                1,
                "1,200 of 1,201 pages are forbidden to Recrawl (403)",
            ),
            (
                Obstacle::RootMissing { status: 404 },
                0,
                "the first page is not there (404), check the address",
            ),
            (
                Obstacle::NeedsScripts { pages: 12, of: 14 },
                2,
                "12 of 14 pages have next to no text without JavaScript, which Recrawl does not run",
            ),
            (
                Obstacle::NeedsScripts { pages: 1, of: 1 },
                0,
                "the first page has next to no text without JavaScript, which Recrawl does not run",
            ),
        ] {
            assert_eq!(SiteState { obstacle, read }.line(), expected);
        }
        for obstacle in all() {
            let state = SiteState { obstacle, read: 0 };
            assert!(!state.sentence().ends_with('.') && state.advice().ends_with('.'), "{state:?}");
        }
    }
}
