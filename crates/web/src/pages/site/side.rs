//! What stands beside a site: how it is, and when it is crawled.

use jiff::Timestamp;
use maud::{Markup, html};
use recrawl_reports::CrawlState;
use recrawl_reports::archiving::ArchiveBacklog;
use recrawl_reports::sites::SiteView;

use crate::address;
use crate::pages::sites::state;
use crate::pages::standing::Standing;
use crate::pages::states::state_pill;
use crate::schedule_form;
use crate::visitor::Visitor;
use crate::words::{counted, date, duration, time};

/// Returns the state and the schedule of a site.
pub(super) fn side(
    view: &SiteView,
    archiving: Option<&ArchiveBacklog>,
    standing: &Standing,
    visitor: &Visitor,
    now: Timestamp,
) -> Markup {
    let last = view.crawls.iter().find(|crawl| crawl.state != CrawlState::Open);
    let trouble = view.crawls.iter().find_map(|crawl| Some((crawl, crawl.site_state.as_ref()?)));
    let fact = |name: &str, value: &Markup| html! { div { dt { (name) } dd { (value) } } };
    html! {
        div.card {
            header {
                @match (&view.state, last) {
                    (Some(unread), _) => (state_pill(unread)),
                    (None, Some(last)) => (state(last)),
                    (None, None) => span.state.quiet { "not crawled yet" },
                }
            }
            dl.facts {
                @if let Some(last) = last {
                    (fact("Last crawl", &html! {
                        a href=(address::crawl(&view.id, last.id)) { (time(last.opened_at)) }
                        @if let Some(seconds) = last.seconds { br; span.soft { "took " (duration(seconds)) } }
                    }))
                }
                @if let Some(known) = standing.state() {
                    (fact("Next crawl", &html! {
                        @match known.next_crawl {
                            Some(next) => (time(next)),
                            None => "by hand only",
                        }
                    }))
                    (fact("Schedule", &html! {
                        @match &known.schedule {
                            Some(schedule) => (schedule_form::words(schedule)),
                            None => "none",
                        }
                        @if visitor.may_act() { br; a href=(address::schedule(&view.id)) { "Change the schedule" } }
                    }))
                    @if !known.pace.is_empty() { (fact("Pace", &html! { (known.pace) })) }
                    (fact("Told", &html! {
                        @if known.told.is_empty() { span.soft { "nobody but the feed" } }
                        @else { (known.told.join(", ")) }
                    }))
                }
                @if let Some(archiving) = archiving {
                    (fact("Archiving", &html! {
                        (counted(archiving.waiting, "page")) " to be captured by the Wayback Machine"
                        @if let Some(seconds) = archiving.seconds {
                            br; span.soft { (duration(i64::try_from(seconds).unwrap_or(i64::MAX))) " at its pace" }
                        }
                    }))
                }
                (fact("Since", &html! { (date(view.created_at, now)) }))
                @if let Some((crawl, trouble)) = trouble.filter(|_| view.state.is_none()) {
                    (fact("Last trouble", &html! {
                        (date(crawl.opened_at, now)) ": " (trouble.sentence)
                    }))
                }
            }
        }
    }
}
