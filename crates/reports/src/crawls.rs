//! A crawl, in figures: as the API and pages have it, and summed up as the command has it.

mod counts;
mod site_state;
mod summary;

use jiff::Timestamp;
use recrawl_core::decide::DoubtWord;
use recrawl_core::model::crawl::{Crawl, Ending, Mode};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::ports::History;
use serde::Serialize;
use utoipa::ToSchema;

pub use self::site_state::SiteStateView;
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
    /// The same as people read it: `open`, `complete`, `partial`, `accepted`, `unusual`, or, where most of what is
    /// doubted failed, `failed` or `blocked`.
    pub word: &'static str,
    /// Why it is partial or unusual, in words.
    pub note: Option<String>,
    /// Why the site could not be read, or not all of it.
    pub site_state: Option<SiteStateView>,
    /// It is unusual, and its changes were told all the same, because the crawl before was unusual, too.
    pub is_told: bool,
    /// The crawl that found the same as this unusual one, and told it.
    #[schema(value_type = Option<String>)]
    pub confirmed_by: Option<CrawlId>,
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
    #[serde(rename = "counts", serialize_with = "counts::serialize")]
    #[schema(value_type = Option<counts::Shown>)]
    pub statistics: Option<Statistics>,
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
    /// It is unusual, and its changes wait.
    Suspect,
    /// It was unusual, and was accepted.
    Accepted,
}

impl CrawlState {
    /// Returns the word that is shown of a crawl with these figures.
    fn word(self, statistics: Option<&Statistics>) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Complete => "complete",
            Self::Partial => "partial",
            Self::Suspect => statistics.map_or(DoubtWord::Unusual, DoubtWord::of).word(),
            Self::Accepted => "accepted",
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
            word: state.word(closed.map(|closed| &closed.statistics)),
            note: suspicion.map(|suspicion| suspicion.reason.clone()).or(partial),
            is_told: closed.is_some_and(|closed| closed.told_as_unusual().is_some()),
            confirmed_by: suspicion.and_then(|suspicion| suspicion.confirmed_by),
            site_state: closed.and_then(|closed| closed.state.as_ref()).map(SiteStateView::from),
            mode: crawl.mode,
            opened_at: crawl.opened_at,
            closed_at: closed.map(|closed| closed.at),
            seconds: closed.map(|closed| closed.at.duration_since(crawl.opened_at).as_secs()),
            statistics: closed.map(|closed| closed.statistics.clone()),
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
    use recrawl_core::model::crawl::{Closed, Suspicion};

    use super::*;

    #[test]
    fn the_state_says_what_a_reader_must_know_first() {
        let doubt =
            |accepted| Some(Suspicion { accepted_at: accepted, ..Suspicion::new("half is gone".to_owned()) });
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
                state: None,
                statistics: Statistics::default(),
            });
            let opened = Crawl::new("example".parse().unwrap(), "crawl-2026-11-16".parse().unwrap(), now);
            let view = CrawlView::from(&Crawl { closed, ..opened });
            assert_eq!((view.state, view.note.as_deref()), (state, note));
        }
    }
}
