//! What goes on with a site, and the buttons that change it.

use std::time::Duration;

use futures_util::StreamExt;
use jiff::Timestamp;
use maud::{Markup, html};
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::scope::is_list_root;
use recrawl_core::url::PageUrl;
use recrawl_reports::CrawlView;

use super::forms::{Weight, act};
use super::layout::with_code;
use crate::address;
use crate::app::App;
use crate::crawl_control::{Activity, NextTry, Progress, SiteState};
use crate::error::WebError;
use crate::visitor::Visitor;
use crate::words::{counted, moment, number};

/// How long a page waits for the first word on how a crawl comes on; the script asks again.
const PATIENCE: Duration = Duration::from_millis(100);

/// What goes on with a site.
pub(super) struct Standing {
    site: SiteId,
    open: Option<CrawlView>,
    /// Nothing where nobody here does anything.
    state: Option<SiteState>,
    progress: Option<Progress>,
    now: Timestamp,
    /// When it is crawled is set here.
    is_set_here: bool,
}

impl Standing {
    /// Asks what goes on with the site with this root, of which `open` is the crawl that is open.
    pub(super) async fn of(
        app: &App,
        site: &SiteId,
        root: Option<&PageUrl>,
        open: Option<CrawlView>,
    ) -> Result<Self, WebError> {
        let mut standing = Self {
            site: site.clone(),
            open,
            state: None,
            progress: None,
            now: (app.clock)(),
            is_set_here: false,
        };
        let Some(crawl_control) = &app.crawl_control else { return Ok(standing) };
        // A list is crawled by whoever has it.
        standing.is_set_here = crawl_control.sets_sites() && !root.is_some_and(is_list_root);
        let state = crawl_control.state(site).await?;
        if matches!(state.activity, Activity::Crawling | Activity::Ending) {
            let first = tokio::time::timeout(PATIENCE, crawl_control.progress(site).next()).await;
            standing.progress = first.ok().flatten();
        }
        standing.state = Some(state);
        Ok(standing)
    }

    /// Returns the site.
    pub(super) const fn site(&self) -> &SiteId {
        &self.site
    }

    /// Returns the crawl that is open.
    pub(super) const fn open(&self) -> Option<&CrawlView> {
        self.open.as_ref()
    }

    /// Returns how far the crawl has come, where that is known.
    pub(super) const fn progress(&self) -> Option<&Progress> {
        self.progress.as_ref()
    }

    /// Returns what is known of schedule and pace, where they are set here.
    pub(super) fn state(&self) -> Option<&SiteState> {
        self.state.as_ref().filter(|_| self.is_set_here)
    }

    /// Returns what goes on.
    pub(super) fn activity(&self) -> Activity {
        match &self.state {
            Some(state) => state.activity,
            None => Activity::seen_from_outside(self.open.is_some()),
        }
    }

    /// Returns when a crawl is tried again that could not go on.
    pub(super) fn next_try(&self) -> Option<&NextTry> {
        self.state.as_ref()?.next_try.as_ref()
    }

    /// Returns what goes on, where anything does; the script keeps it up to date.
    pub(super) fn shown(&self) -> Markup {
        let activity = self.activity();
        if activity == Activity::Idle {
            return html! {};
        }
        // Nothing comes of a crawl that rests.
        let events = (activity != Activity::Paused).then(|| format!("/events/{}", self.site));
        html! {
            div.notice.standing data-events=[events] data-activity=(activity.word()) {
                p {
                    span.state.running { (word(activity)) } " "
                    @if let Some(next) = self.next_try() { (tried_again(next, self.now)) " " }
                    @else {
                        (words(activity))
                        @if let Some(crawl) = self.open.as_ref().map(|open| open.id) {
                            ": " a href=(address::crawl(&self.site, crawl)) { (crawl) }
                        }
                        ". "
                    }
                    @if activity != Activity::Removing {
                        a href={ (address::site(&self.site)) "/crawling" } { "Follow it" }
                    }
                }
                @if activity != Activity::Paused { (self.bar()) }
            }
        }
    }

    /// Returns `content` in a frame that the script makes anew when something else goes on.
    pub(super) fn listening(&self, content: &Markup) -> Markup {
        let activity = self.activity();
        let events = (activity != Activity::Paused).then(|| format!("/events/{}", self.site));
        html! { div data-events=[events] data-activity=(activity.word()) { (content) } }
    }

    fn bar(&self) -> Markup {
        let progress = self.progress.as_ref();
        let done = progress.and_then(|progress| Some((progress.done?, progress.waiting?)));
        html! {
            progress.bar aria-label="Pages done" hidden[done.is_none()]
                max=[done.map(|(done, waiting)| (done + waiting).max(1))]
                value=[done.map(|(done, _)| done)] {}
            p.progress {
                @if let Some(done) = progress.and_then(|progress| progress.done) {
                    (counted(done, "page")) " done"
                    @if let Some(waiting) = progress.and_then(|progress| progress.waiting) {
                        ", " (number(waiting)) " waiting"
                    }
                    "."
                }
                @if let Some(found) = progress.and_then(|progress| progress.found) {
                    " Found so far: " (number(found.new)) " new, " (number(found.changed)) " changed, "
                    (number(found.gone)) " gone, " (number(found.failed)) " failed."
                }
            }
            p.only-read role="status" data-spoken {}
        }
    }

    /// Returns the buttons that make sense now; nothing for those who may not use them.
    pub(super) fn buttons(&self, visitor: &Visitor) -> Markup {
        let button = |verb: &str, label: &str, weight| {
            let label = html! { (label) span.only-read { " " (self.site) } };
            act(visitor, &format!("/sites/{}/{verb}", self.site), &[], &label, weight)
        };
        if self.state.is_none() || !visitor.may_act() {
            return html! {};
        }
        html! {
            @match self.activity() {
                // Elsewhere a crawl is begun by whoever crawls there.
                Activity::Idle => @if self.is_set_here { (button("start", "Crawl now", Weight::Main)) },
                Activity::Waiting => (button("pause", "Do not wait", Weight::Quiet)),
                Activity::TriedLater => {
                    (button("start", "Try now", Weight::Main)) (button("pause", "Do not wait", Weight::Quiet))
                },
                Activity::Crawling => {
                    (button("pause", "Pause", Weight::Main)) (button("stop", "Stop", Weight::Quiet))
                },
                Activity::Paused => {
                    (button("start", "Go on", Weight::Main)) (button("stop", "Stop", Weight::Quiet))
                },
                Activity::Ending | Activity::Removing | Activity::CrawledElsewhere => {},
            }
        }
    }
}

const fn word(activity: Activity) -> &'static str {
    match activity {
        Activity::Idle => "idle",
        Activity::Waiting | Activity::TriedLater => "waiting",
        Activity::Crawling | Activity::CrawledElsewhere => "open",
        Activity::Ending => "ending",
        Activity::Paused => "paused",
        Activity::Removing => "being deleted",
    }
}

const fn words(activity: Activity) -> &'static str {
    match activity {
        Activity::Idle => "No crawl is under way",
        Activity::Waiting => "It is crawled as soon as the crawl of another site has ended",
        Activity::TriedLater => "It could not go on, and is tried again",
        Activity::Crawling | Activity::CrawledElsewhere => "A crawl is under way",
        Activity::Ending => "The crawl ends as soon as the pages in flight are recorded",
        Activity::Removing => "Everything that was read of this site is being deleted",
        Activity::Paused => "A crawl rests until somebody goes on with it or stops it",
    }
}

/// Says why a crawl could not go on, and when it is tried again.
pub(super) fn tried_again(next: &NextTry, now: Timestamp) -> Markup {
    html! { (with_code(&next.why)) ". It is tried again " (moment(next.at, now)) "; no page counts as gone because of it." }
}
