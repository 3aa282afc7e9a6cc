//! What the people who run this should know, above what everybody sees.

use maud::{Markup, html};

use super::capitalised;
use crate::app::App;
use crate::crawl_control::ControlError;
use crate::error::WebError;
use crate::visitor::Visitor;
use crate::words::{counted, shortened};

/// How many are shown.
const SHOWN: usize = 10;

/// The most characters of one.
const LONGEST: usize = 500;

/// Returns what whoever may do things here should know.
pub(super) async fn notices(app: &App, visitor: &Visitor) -> Result<Markup, WebError> {
    let Some(crawl_control) = app.crawl_control.as_ref().filter(|_| visitor.may_act()) else {
        return Ok(html! {});
    };
    let notices = match crawl_control.notices().await {
        Ok(notices) => notices,
        // That it cannot be told is worth knowing, and no reason to show nothing else.
        Err(ControlError::Refused(reason)) => vec![reason],
        Err(error @ ControlError::Store(_)) => return Err(error.into()),
    };
    let more = notices.len().saturating_sub(SHOWN);
    Ok(html! {
        @for notice in notices.iter().take(SHOWN) {
            p.notice.doubt { (capitalised(&shortened(notice, LONGEST, 0))) "." }
        }
        @if more > 0 { p.muted { "And " (counted(more as u64, "more notice")) "." } }
    })
}
