//! What one must know before believing a crawl.

use maud::{Markup, html};
use recrawl_core::decide::DoubtWord;
use recrawl_reports::{CrawlState, CrawlView, SiteStateView};

use crate::address;
use crate::pages::forms::{Weight, act};
use crate::pages::layout::with_code;
use crate::pages::sites::state;
use crate::pages::states::spelt;
use crate::visitor::Visitor;

/// Returns why a site could not be read, and what to do.
fn site_state(state: &SiteStateView) -> Markup {
    html! {
        div.notice.fault {
            p { span.state.failed data-state=(state.word) { (state.mark) } " " (spelt(&state.sentence)) "." }
            p { (with_code(state.advice)) }
        }
    }
}

/// Returns what one must know before believing a crawl.
pub(super) fn doubts(visitor: &Visitor, crawl: &CrawlView) -> Markup {
    let doubt = crawl.statistics.as_ref().map_or(DoubtWord::Unusual, DoubtWord::of);
    let note = crawl.note.as_deref().unwrap_or_default();
    let accept = format!("{}/accept", address::crawl(&crawl.site, crawl.id));
    html! {
        @if let Some(state) = &crawl.site_state { (site_state(state)) }
        @match crawl.state {
            CrawlState::Open => p.notice { (state(crawl)) " This crawl is under way; more may come." },
            CrawlState::Complete => {},
            // Why nothing was read says that it ended early, too.
            CrawlState::Partial if crawl.site_state.as_ref().is_some_and(|state| state.read == 0) => {},
            CrawlState::Partial => p.notice.doubt {
                (state(crawl)) " This crawl ended early: " (note) ". "
                "Pages that it did not see are not shown as gone."
            },
            CrawlState::Suspect => div.notice.doubt {
                @if let Some(by) = crawl.confirmed_by {
                    p { (state(crawl)) " " (note) ". " (by) " found the same and told it." }
                } @else {
                    p {
                        (state(crawl)) " " (note) ". No change was sent yet. "
                        "If the next whole crawl finds the same, it is accepted by itself."
                    }
                    (act(visitor, &accept, &[], &html! { "Accept these findings" }, Weight::Main))
                }
            },
            CrawlState::Accepted => p.notice.doubt {
                @if crawl.is_told {
                    (state(crawl)) " The crawl " (doubt.predicate_then()) ": " (note) ". "
                    "Its changes were sent all the same, because the crawl before was unusual, too."
                } @else {
                    (state(crawl)) " It " (doubt.predicate_then()) " (" (note) "), and somebody accepted it."
                }
            },
        }
    }
}
