//! A crawl, in figures: as the API and pages have it, and summed up as the command has it.

mod summary;

use jiff::Timestamp;
use recrawl_core::model::crawl::{Crawl, Ending, Mode};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::History;
use serde::Serialize;
use utoipa::ToSchema;

pub use self::summary::CrawlSummary;
use crate::error::ReportError;

/// A crawl, in figures.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct CrawlView {
    /// Its site.
    #[schema(value_type = String)]
    pub site: SiteId,
    /// Its name, unique within the site.
    #[schema(value_type = String)]
    pub id: CrawlId,
    /// Whether it is over, and believed.
    pub state: CrawlState,
    /// Why it is partial or suspect, in words.
    pub note: Option<String>,
    /// How known pages were asked for.
    #[schema(value_type = String)]
    pub mode: Mode,
    /// When it was opened.
    #[schema(value_type = String, format = DateTime)]
    pub opened_at: Timestamp,
    /// When it was closed.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub closed_at: Option<Timestamp>,
    /// How long it took.
    pub seconds: Option<i64>,
    /// What it found; nothing while it is open.
    pub counts: Option<Counts>,
}

/// Whether a crawl is over, and believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CrawlState {
    /// It still visits pages.
    Open,
    /// It saw the whole site.
    Complete,
    /// It ended early.
    Partial,
    /// Its findings are doubted until somebody accepts them.
    Suspect,
    /// Its findings were doubted, and somebody accepted them.
    Accepted,
}

impl CrawlState {
    /// Returns the word that is shown.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Complete => "complete",
            Self::Partial => "partial",
            Self::Suspect => "suspect",
            Self::Accepted => "accepted",
        }
    }
}

/// What a crawl found: pages by verdict, and what it took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, ToSchema)]
pub struct Counts {
    /// Pages recorded.
    pub total: u64,
    /// Pages that were new.
    pub new: u64,
    /// Pages that say something else.
    pub changed: u64,
    /// Redirects that appeared or lead elsewhere.
    pub moved: u64,
    /// Pages that have gone.
    pub gone: u64,
    /// Pages with other bytes and the same meaning.
    pub touched: u64,
    /// Pages that are what they were.
    pub unchanged: u64,
    /// Broken links.
    pub missing: u64,
    /// Visits without evidence.
    pub failed: u64,
    /// Pages not fetched, by rule.
    pub excluded: u64,
    /// Visits answered 304.
    pub not_modified: u64,
    /// Pages of which a HEAD request showed the same ETag or Last-Modified.
    pub same_by_head: u64,
    /// Requests made, retries included.
    pub requests: u64,
    /// Bytes received.
    pub received_bytes: u64,
    /// Bytes saved by 304s and HEAD requests.
    pub saved_bytes: u64,
    /// The mean change frequency of the pages, in changes a day; null while no visit could have seen a change.
    pub mean_change_frequency: Option<f64>,
}

impl Counts {
    /// Returns how many pages have `verdict`.
    pub const fn of(&self, verdict: Verdict) -> u64 {
        match verdict {
            Verdict::New => self.new,
            Verdict::Changed => self.changed,
            Verdict::Unchanged => self.unchanged,
            Verdict::Touched => self.touched,
            Verdict::Gone => self.gone,
            Verdict::Moved => self.moved,
            Verdict::Missing => self.missing,
            Verdict::Failed => self.failed,
            Verdict::Excluded => self.excluded,
        }
    }

    /// Returns how many changes are worth telling.
    pub const fn changes(&self) -> u64 {
        self.new + self.changed + self.moved + self.gone
    }
}

impl From<&Statistics> for Counts {
    fn from(statistics: &Statistics) -> Self {
        Self {
            total: statistics.total,
            new: statistics.new,
            changed: statistics.changed,
            moved: statistics.moved,
            gone: statistics.gone,
            touched: statistics.touched,
            unchanged: statistics.unchanged,
            missing: statistics.missing,
            failed: statistics.failed,
            excluded: statistics.excluded,
            not_modified: statistics.not_modified,
            same_by_head: statistics.same_by_head,
            requests: statistics.requests,
            received_bytes: statistics.received_bytes,
            saved_bytes: statistics.saved_bytes,
            mean_change_frequency: statistics.mean_change_frequency(),
        }
    }
}

impl From<&Crawl> for CrawlView {
    fn from(crawl: &Crawl) -> Self {
        let closed = crawl.closed.as_ref();
        let suspicion = closed.and_then(|closed| closed.suspicion.as_ref());
        let partial = closed.and_then(|closed| match &closed.ending {
            Ending::Complete => None,
            Ending::Partial(reason) => Some(reason.clone()),
        });
        let state = match (closed, suspicion) {
            (None, _) => CrawlState::Open,
            (Some(_), Some(suspicion)) if suspicion.accepted_at.is_none() => CrawlState::Suspect,
            (Some(_), _) if partial.is_some() => CrawlState::Partial,
            (Some(_), Some(_)) => CrawlState::Accepted,
            (Some(_), None) => CrawlState::Complete,
        };
        Self {
            site: crawl.site.clone(),
            id: crawl.id,
            state,
            note: suspicion.map(|suspicion| suspicion.reason.clone()).or(partial),
            mode: crawl.mode,
            opened_at: crawl.opened_at,
            closed_at: closed.map(|closed| closed.at),
            seconds: closed.map(|closed| closed.at.duration_since(crawl.opened_at).as_secs()),
            counts: closed.map(|closed| Counts::from(&closed.statistics)),
        }
    }
}

/// Returns the crawls of a site, oldest first, and the one of this name.
pub async fn crawl(
    history: &dyn History,
    site: &SiteId,
    id: CrawlId,
) -> Result<(Vec<Crawl>, Crawl), ReportError> {
    let crawls = history.crawls(site).await?;
    let found = crawls.iter().find(|crawl| crawl.id == id).cloned();
    let found = found.ok_or_else(|| ReportError::Absent(format!("site {site} has no {id}")))?;
    Ok((crawls, found))
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::crawl::{Closed, CrawlKind, Suspicion};

    use super::*;

    #[test]
    fn the_state_says_what_a_reader_must_know_first() {
        let doubt = |accepted| Some(Suspicion { reason: "half is gone".to_owned(), accepted_at: accepted });
        let partial = || Ending::Partial("stopped".to_owned());
        let now = Timestamp::UNIX_EPOCH;
        for (closed, state, note) in [
            (None, CrawlState::Open, None),
            (Some((Ending::Complete, None)), CrawlState::Complete, None),
            (Some((partial(), None)), CrawlState::Partial, Some("stopped")),
            (Some((Ending::Complete, doubt(None))), CrawlState::Suspect, Some("half is gone")),
            (Some((partial(), doubt(None))), CrawlState::Suspect, Some("half is gone")),
            (Some((Ending::Complete, doubt(Some(now)))), CrawlState::Accepted, Some("half is gone")),
            (Some((partial(), doubt(Some(now)))), CrawlState::Partial, Some("half is gone")),
        ] {
            let closed = closed.map(|(ending, suspicion)| Closed {
                at: now,
                ending,
                suspicion,
                statistics: Statistics::default(),
            });
            let crawl = Crawl {
                site: "example".parse().unwrap(),
                id: "crawl-2026-11-16".parse().unwrap(),
                opened_at: now,
                mode: Mode::Incremental,
                kind: CrawlKind::Full,
                opened_by: None,
                closed,
            };
            let view = CrawlView::from(&crawl);
            assert_eq!((view.state, view.note.as_deref()), (state, note));
        }
    }
}
