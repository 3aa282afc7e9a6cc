//! The port that does things: crawls, sites, rules, archiving.

mod stored;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::Stream;
use jiff::Timestamp;
use recrawl_core::changes::noise::Said;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use recrawl_extract::HtmlExtractor;
use recrawl_reports::SiteStateView;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use utoipa::ToSchema;

pub use self::stored::stored_progress;

/// Why something was not done.
#[derive(Debug, Error)]
pub enum ControlError {
    /// It cannot be done, for this reason, which may be shown.
    #[error("{0}")]
    Refused(String),
    /// The store failed.
    #[error("the store did not do it")]
    Store(#[from] StoreError),
}

/// The progress of a crawl, as it comes.
pub type ProgressStream = Pin<Box<dyn Stream<Item = Progress> + Send>>;

/// Does what people ask for on the pages. The caller has checked that they may.
///
/// # Contract
/// Nothing waits for a crawl: a wish is taken, and its progress is told by [`CrawlControl::progress`]. A wish
/// that is fulfilled already is no error. What is refused changes nothing.
#[async_trait]
pub trait CrawlControl: Send + Sync {
    /// Tells whether sites, schedules and rules are set here. Otherwise a service crawls, which is told elsewhere what to
    /// crawl and when: nothing but its open crawls and what was found is decided about here, and everything else is refused.
    fn sets_sites(&self) -> bool {
        true
    }

    /// Returns what goes on with a site here.
    async fn state(&self, site: &SiteId) -> Result<SiteState, ControlError>;

    /// Begins a crawl, or goes on with the open one, as soon as no other crawl is under way here.
    async fn start(&self, site: &SiteId) -> Result<(), ControlError>;

    /// Lets the open crawl rest after the pages in flight; [`CrawlControl::start`] goes on with it.
    async fn pause(&self, site: &SiteId) -> Result<(), ControlError>;

    /// Closes the open crawl as partial, after the pages in flight.
    async fn stop(&self, site: &SiteId) -> Result<(), ControlError>;

    /// Looks at a root without crawling: its name, what robots.txt says, and pages that it admits. The first call begins,
    /// and returns at once; each returns what is known by then, until nothing is looked for any more.
    async fn first_look(&self, wish: &NewSite) -> Result<SitePreview, ControlError>;

    /// Adds a site. It is crawled when somebody says so, or by its schedule. Nobody has to wait for a look at it.
    async fn add_site(&self, wish: &NewSite) -> Result<Site, ControlError>;

    /// Gives a site another name, in the store and in the settings. Refused while a crawl of it is open, or where the name
    /// is taken.
    async fn rename_site(&self, site: &SiteId, name: &str) -> Result<SiteId, ControlError>;

    /// Forgets a site, with all that was read of it, and takes it out of the settings. Refused while a crawl of it is open.
    async fn remove_site(&self, site: &SiteId) -> Result<(), ControlError>;

    /// Notes what somebody says of a shape that was learnt as noise, or takes that back.
    async fn judge_noise(&self, site: &SiteId, shape: &str, said: Option<Said>) -> Result<(), ControlError>;

    /// Replaces the schedule of a site; `None` takes it away.
    async fn save_schedule(&self, site: &SiteId, schedule: Option<&Schedule>) -> Result<(), ControlError>;

    /// Returns the ignore rules of a site, as they stand in its settings.
    async fn rules(&self, site: &SiteId) -> Result<IgnoreRules, ControlError>;

    /// Reads the two versions of a page's last difference by these rules.
    async fn preview_rules(
        &self,
        site: &SiteId,
        url: &PageUrl,
        rules: &IgnoreRules,
    ) -> Result<RulesReading, ControlError>;

    /// Replaces the ignore rules of a site. The next crawl reads pages by them.
    async fn save_rules(&self, site: &SiteId, rules: &IgnoreRules) -> Result<(), ControlError>;

    /// Asks the Wayback Machine for a capture of a page.
    async fn archive(&self, site: &SiteId, url: &PageUrl) -> Result<(), ControlError>;

    /// Accepts the findings of an unusual crawl.
    async fn accept(&self, site: &SiteId, crawl: CrawlId) -> Result<(), ControlError>;

    /// Says that a line stands in for the content of pages: the unusual crawl is judged again without them, and accepted if
    /// nothing else in it is doubted.
    async fn outage(&self, site: &SiteId, crawl: CrawlId, line: &str) -> Result<JudgedAgain, ControlError>;

    /// Returns what reads the pages of a site by each of these rules, in place of those in its settings.
    async fn readers(
        &self,
        site: &SiteId,
        rules: &[IgnoreRules],
    ) -> Result<Vec<Arc<HtmlExtractor>>, ControlError>;

    /// Returns the names of those who are told of changes.
    async fn targets(&self) -> Result<Vec<String>, ControlError>;

    /// Returns what the people who run this should know, a sentence each without its full stop; often nothing.
    async fn notices(&self) -> Result<Vec<String>, ControlError>;

    /// Tells how the crawl of a site comes on, until it is closed or rests; at once nothing where none is
    /// under way.
    fn progress(&self, site: &SiteId) -> ProgressStream;
}

/// What goes on with a site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SiteState {
    /// What is being done.
    pub activity: Activity,
    /// When it is crawled by itself.
    pub schedule: Option<Schedule>,
    /// When that is the case next.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub next_crawl: Option<Timestamp>,
    /// How fast it is crawled, in words; empty where that is not known.
    pub pace: String,
    /// Who is told of its changes, by the names of their tables in the settings.
    pub told: Vec<String>,
    /// When a crawl that could not go on is tried again; nothing where none waits for that.
    pub next_try: Option<NextTry>,
}

/// When a crawl that could not go on is tried again, and why it could not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct NextTry {
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// What happened, without a capital letter and a full stop.
    pub why: String,
}

/// What is being done with a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Activity {
    /// Nothing: no crawl is open.
    Idle,
    /// A crawl begins as soon as the one of another site has ended.
    Waiting,
    /// A crawl could not go on, and is tried again later: [`SiteState::next_try`].
    TriedLater,
    /// It is being crawled.
    Crawling,
    /// It will rest or be closed as soon as the pages in flight are recorded.
    Ending,
    /// A crawl is open, and nobody goes on with it.
    Paused,
    /// It is being forgotten.
    Removing,
    /// Another program crawls it.
    CrawledElsewhere,
}

impl Activity {
    /// Returns what can be said where nobody here does anything: whether a crawl is open.
    pub(crate) const fn seen_from_outside(is_open: bool) -> Self {
        if is_open { Self::CrawledElsewhere } else { Self::Idle }
    }

    /// Returns its word, as it is also serialised.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Waiting => "waiting",
            Self::TriedLater => "tried-later",
            Self::Crawling => "crawling",
            Self::Ending => "ending",
            Self::Paused => "paused",
            Self::Removing => "removing",
            Self::CrawledElsewhere => "crawled-elsewhere",
        }
    }
}

/// When a site is crawled by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Schedule {
    /// Five fields: minute, hour, day of the month, month, day of the week.
    #[schema(example = "0 3 * * 0")]
    pub cron: String,
    /// The time zone in which the cron expression is read.
    #[schema(example = "America/Los_Angeles")]
    pub time_zone: String,
}

/// How far a crawl has come.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Progress {
    /// The crawl.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// Pages recorded, where they are counted.
    pub done: Option<u64>,
    /// Pages that wait, where they are counted.
    pub waiting: Option<u64>,
    /// What was found so far, where it is counted.
    pub found: Option<FoundSoFar>,
    /// When the last visit took place.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_visit: Option<Timestamp>,
    /// The pace of this run, where it is watched.
    pub pace: Option<Pace>,
    /// The last pages that were read, the newest first, where they are watched.
    pub latest: Vec<LatestPage>,
    /// What is waited for, in words, where the crawl stands still for the sake of a host.
    pub waits: Option<String>,
    /// It is over.
    pub closed: bool,
}

/// How fast a run is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
pub struct Pace {
    /// When the run began.
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
    /// Pages that it read.
    pub read: u64,
    /// Pages a second, over the last minute.
    pub pages_a_second: Option<f64>,
    /// About how many seconds are left at that pace; the pages that wait may lead to more.
    pub seconds_left: Option<u64>,
}

/// A page that was read a moment ago.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct LatestPage {
    /// The page.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// The HTTP status, as it was sent; nothing where there was no answer.
    pub status: Option<u16>,
    /// What was found, as far as it is known before the crawl is settled.
    #[schema(value_type = String)]
    pub kind: Verdict,
    /// How long it took.
    pub fetch_ms: u32,
}

/// What an open crawl found so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct FoundSoFar {
    /// Pages that were not there before.
    pub new: u64,
    /// Pages whose meaning changed.
    pub changed: u64,
    /// Pages that are no longer there; most are known only at the end.
    pub gone: u64,
    /// Pages that could not be had.
    pub failed: u64,
    /// Pages that were not fetched again: the server said that they did not change (304).
    pub not_modified: u64,
}

/// A site that somebody would like to add.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSite {
    /// Where crawls begin, as people type it.
    #[schema(example = "https://www.portland.gov/transportation")]
    pub root: String,
    /// Its name; made from the root unless given.
    #[serde(default)]
    pub name: Option<String>,
    /// Globs of which a page must match one; none admits every page.
    #[serde(default)]
    pub include: Vec<String>,
    /// Globs of pages that are never visited.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// When it is crawled by itself.
    #[serde(default)]
    pub schedule: Option<Schedule>,
}

/// What a root would admit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SitePreview {
    /// The name that the site would have.
    #[schema(value_type = String)]
    pub site: SiteId,
    /// Where crawls would begin.
    #[schema(value_type = String, format = "uri")]
    pub root: PageUrl,
    /// What robots.txt says, in words.
    pub robots: String,
    /// Seconds between two requests, robots.txt heeded.
    pub delay_seconds: u64,
    /// What was found in each sitemap, in words.
    pub sitemaps: Vec<String>,
    /// How many pages are known already that would be visited: of sitemaps and the root page.
    pub known: usize,
    /// Some pages that would be visited.
    #[schema(value_type = Vec<String>)]
    pub admitted: Vec<PageUrl>,
    /// Some pages that would not.
    pub refused: Vec<RefusedPage>,
    /// What stands in the way, in words: robots.txt forbids the root, the host does not answer and the like.
    pub trouble: Option<String>,
    /// Why the site cannot be read, if that is so.
    pub state: Option<SiteStateView>,
    /// The first page, where it could be read.
    pub first_page: Option<FirstPage>,
    /// An address that answers, where the one that was given does not show the site.
    #[schema(value_type = Option<String>, format = "uri")]
    pub instead: Option<PageUrl>,
    /// Nothing is looked for any more.
    pub done: bool,
}

/// The first page of a site that somebody would like to add.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FirstPage {
    /// How long its answer took.
    pub took_ms: u64,
    /// Its title.
    pub title: Option<String>,
    /// The words of its text.
    pub words: usize,
    /// Its links.
    pub links: usize,
}

/// A page that would not be visited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RefusedPage {
    /// The page.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// Why not.
    pub reason: String,
}

/// What rules make of the last two versions of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesReading {
    /// The text of the older version.
    pub older: String,
    /// The text of the newer version.
    pub newer: String,
    /// How long reading both took.
    pub took: Duration,
    /// That the crawl that found the newer version is unusual and why, where no change of it was sent yet.
    pub unusual: Option<String>,
}

/// What came of saying that a line stands in for content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct JudgedAgain {
    /// How many pages of the crawl show the line, and tell nothing any more.
    pub pages: u64,
    /// Why the crawl is still unusual without them; null where it is believed now.
    pub doubt: Option<String>,
}

/// What is left out of pages before they are compared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IgnoreRules {
    /// CSS selectors of elements.
    #[serde(default)]
    pub selectors: Vec<String>,
    /// Regular expressions of text.
    #[serde(default)]
    pub patterns: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_events_call_an_activity_by_the_same_word() {
        for activity in [
            Activity::Idle,
            Activity::Waiting,
            Activity::TriedLater,
            Activity::Crawling,
            Activity::Ending,
            Activity::Paused,
            Activity::Removing,
            Activity::CrawledElsewhere,
        ] {
            assert_eq!(serde_json::to_value(activity).unwrap(), activity.word());
        }
    }
}
