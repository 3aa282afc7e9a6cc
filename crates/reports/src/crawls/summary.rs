//! A crawl summed up, closed or not, with words of caution.

use jiff::Timestamp;
use recrawl_core::decide::DoubtWord;
use recrawl_core::model::crawl::{Crawl, Ending, Mode, Suspicion};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::words::{counted, grouped};
use serde::Serialize;

use super::SiteStateView;
use crate::scan::for_each_record;
use crate::words::day_and_time;

/// Everything that is known of a crawl as a whole; its JSON form is stable.
#[derive(Debug, Clone, Serialize)]
pub struct CrawlSummary {
    /// The site.
    pub site: SiteId,
    /// The crawl.
    pub crawl: CrawlId,
    /// `open`, `complete` or `partial`; whether its findings are doubted is said in `suspicion`.
    pub state: &'static str,
    /// Why it is partial.
    pub reason: Option<String>,
    /// Why its findings are doubted, and when somebody accepted them all the same.
    pub suspicion: Option<Suspicion>,
    /// Why the site could not be read, or not all of it.
    pub site_state: Option<SiteStateView>,
    /// How known pages were asked for.
    pub mode: Mode,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    /// From opening to closing, or to the last visit of an open crawl.
    pub duration_seconds: u64,
    /// What it found and took.
    #[serde(flatten)]
    pub statistics: Statistics,
    /// 304s among the pages that were asked for, from 0 to 1.
    pub not_modified_share: f64,
    /// Bytes saved among those a full crawl would have received, from 0 to 1.
    pub saved_share: f64,
    /// Changes a day and page; nothing while no visit could have seen one.
    pub mean_change_frequency: Option<f64>,
}

impl CrawlSummary {
    /// Sums a crawl up; the figures of an open one are added up from its records.
    pub async fn of(history: &dyn History, crawl: &Crawl) -> Result<Self, StoreError> {
        if let Some(closed) = &crawl.closed {
            return Ok(Self::new(crawl, closed.statistics.clone()));
        }
        let mut statistics = Statistics::default();
        for_each_record(history, crawl, |record| statistics.add(record)).await?;
        Ok(Self::new(crawl, statistics))
    }

    /// Sums a crawl up without reading its records: of an open one, only its pages, their verdicts and its last visit are
    /// counted, and the other figures are 0.
    pub async fn in_brief(history: &dyn History, crawl: &Crawl) -> Result<Self, StoreError> {
        if let Some(closed) = &crawl.closed {
            return Ok(Self::new(crawl, closed.statistics.clone()));
        }
        let counts = history.verdict_counts(&crawl.site, crawl.id).await?;
        let last_visit = history.last_visit(&crawl.site, crawl.id).await?;
        let total = counts.of(|_| true);
        Ok(Self::new(crawl, Statistics { total, counts, last_visit, ..Statistics::default() }))
    }

    fn new(crawl: &Crawl, statistics: Statistics) -> Self {
        let (state, reason) = match crawl.closed.as_ref().map(|closed| &closed.ending) {
            None => ("open", None),
            Some(Ending::Complete) => ("complete", None),
            Some(Ending::Partial(reason)) => ("partial", Some(reason.clone())),
        };
        let closed_at = crawl.closed.as_ref().map(|closed| closed.at);
        let until = closed_at.or(statistics.last_visit).unwrap_or(crawl.opened_at);
        let duration = until.duration_since(crawl.opened_at).as_secs();
        Self {
            site: crawl.site.clone(),
            crawl: crawl.id,
            state,
            reason,
            suspicion: crawl.closed.as_ref().and_then(|closed| closed.suspicion.clone()),
            site_state: crawl
                .closed
                .as_ref()
                .and_then(|closed| closed.state.as_ref())
                .map(SiteStateView::from),
            mode: crawl.mode,
            opened_at: crawl.opened_at,
            closed_at,
            duration_seconds: u64::try_from(duration).unwrap_or(0),
            not_modified_share: share(
                statistics.not_modified,
                statistics.total - statistics.counts[Verdict::Excluded],
            ),
            saved_share: share(statistics.saved_bytes, statistics.saved_bytes + statistics.received_bytes),
            mean_change_frequency: statistics.mean_change_frequency(),
            statistics,
        }
    }

    /// Returns `complete`, `open`, or `partial: why`, and whether it is unusual.
    pub fn state_and_reason(&self) -> String {
        let state = match (&self.site_state, &self.reason) {
            (Some(state), _) => state.line.clone(),
            (None, Some(reason)) => format!("{}: {reason}", self.state),
            (None, None) => self.state.to_owned(),
        };
        let word = DoubtWord::of(&self.statistics).word();
        match &self.suspicion {
            None => state,
            Some(Suspicion { reason, confirmed_by: Some(by), .. }) => {
                format!("{state}; {word}, confirmed by {by}: {reason}")
            }
            Some(Suspicion { reason, accepted_at: None, .. }) => format!("{state}; {word}: {reason}"),
            Some(Suspicion { reason, accepted_at, .. }) if *accepted_at == self.closed_at => {
                format!("{state}; {word}, told all the same: {reason}")
            }
            Some(Suspicion { reason, accepted_at: Some(at), .. }) => {
                format!("{state}; {word}, accepted {}: {reason}", day_and_time(*at))
            }
        }
    }

    /// Tells whether it is unusual and nobody has decided about it.
    pub fn is_suspect(&self) -> bool {
        let is_open =
            |suspicion: &Suspicion| suspicion.accepted_at.is_none() && suspicion.confirmed_by.is_none();
        self.suspicion.as_ref().is_some_and(is_open)
    }

    /// Returns the command that accepts the crawl; `flag` names the store.
    pub fn accepting(&self, flag: &str) -> String {
        format!("recrawl accept{flag} --site {} --crawl {}", self.site, self.crawl)
    }

    /// Returns a warning where the crawl did not see the whole site, or cannot be believed; `flag` names the store.
    pub fn caution(&self, flag: &str) -> Option<String> {
        if let Some(suspicion) = self.suspicion.as_ref().filter(|_| self.is_suspect()) {
            return Some(format!(
                "{} {}: {}. No change was sent yet. If the site is right, `{}` accepts it; if the next whole \
                 crawl finds the same, it is accepted by itself.",
                self.crawl,
                DoubtWord::of(&self.statistics).predicate(),
                suspicion.reason,
                self.accepting(flag)
            ));
        }
        if let Some(state) = &self.site_state {
            return Some(format!("{}: {}. {}", self.crawl, state.line, state.advice));
        }
        match (self.closed_at, &self.reason) {
            (None, _) => {
                let pages = counted(self.statistics.total, "page");
                Some(format!("{} is still open: {pages} so far", self.crawl))
            }
            (Some(_), Some(reason)) => {
                Some(format!("{} is partial ({reason}): pages it did not visit are not listed", self.crawl))
            }
            (Some(_), None) => None,
        }
    }

    /// Writes the counts of these verdicts: `2 new, 1 gone`; empty if all are 0.
    pub fn counts(&self, verdicts: &[Verdict]) -> String {
        let counted = verdicts.iter().map(|verdict| (verdict, self.statistics.counts[*verdict]));
        let counts = counted.filter(|(_, count)| *count > 0);
        counts.map(|(verdict, count)| format!("{} {verdict}", grouped(count))).collect::<Vec<_>>().join(", ")
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share is shown with few digits")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::counts::Counts;
    use recrawl_core::model::crawl::Closed;

    use super::*;

    fn summary(ending: Option<Ending>, statistics: Statistics) -> CrawlSummary {
        let at = "2026-11-16T04:00:00Z".parse().unwrap();
        let closed = ending.map(|ending| Closed {
            at,
            ending,
            suspicion: None,
            state: None,
            statistics: statistics.clone(),
        });
        let (site, id) = ("example".parse().unwrap(), "crawl-2026-11-16".parse().unwrap());
        let opened = Crawl::new(site, id, "2026-11-16T03:00:00Z".parse().unwrap());
        CrawlSummary::new(&Crawl { closed, ..opened }, statistics)
    }

    #[test]
    fn shares_are_of_what_could_have_been() {
        let statistics = Statistics {
            total: 10,
            counts: Counts::from([(Verdict::Excluded, 2)]),
            not_modified: 6,
            received_bytes: 25,
            saved_bytes: 75,
            ..Statistics::default()
        };
        let summary = summary(Some(Ending::Complete), statistics);
        assert!((summary.not_modified_share - 0.75).abs() < 1e-9);
        assert!((summary.saved_share - 0.75).abs() < 1e-9);
        assert_eq!(summary.duration_seconds, 3600);
    }

    #[test]
    fn a_crawl_without_pages_has_no_shares() {
        let summary = summary(None, Statistics::default());
        assert!(summary.not_modified_share.abs() < 1e-9 && summary.saved_share.abs() < 1e-9);
        assert_eq!((summary.duration_seconds, summary.state), (0, "open"));
    }

    #[test]
    fn only_a_whole_crawl_needs_no_caution() {
        let caution = |ending| summary(ending, Statistics::default()).caution("");
        assert_eq!(caution(Some(Ending::Complete)), None);
        assert!(caution(None).unwrap().contains("still open"));
        assert!(caution(Some(Ending::Partial("stopped".to_owned()))).unwrap().contains("partial (stopped)"));
    }

    #[test]
    fn a_suspect_crawl_says_how_to_accept_it_until_somebody_does() {
        let mut summary = summary(Some(Ending::Complete), Statistics::default());
        summary.suspicion = Some(Suspicion::new("much is gone".to_owned()));
        let caution = summary.caution(" --store a.db").unwrap();
        assert!(
            caution.contains("`recrawl accept --store a.db --site example --crawl crawl-2026-11-16`"),
            "{caution}"
        );
        assert_eq!(summary.state_and_reason(), "complete; unusual: much is gone");
        let accepted_at = Some("2026-11-17T08:00:00Z".parse().unwrap());
        summary.suspicion = Some(Suspicion { accepted_at, ..Suspicion::new("much is gone".to_owned()) });
        assert_eq!(summary.caution(""), None);
        let mut told = summary.clone();
        told.suspicion.as_mut().unwrap().accepted_at = told.closed_at;
        assert_eq!(told.state_and_reason(), "complete; unusual, told all the same: much is gone");
        let mut confirmed = summary.clone();
        let by = Some("crawl-2026-11-23".parse().unwrap());
        confirmed.suspicion =
            Some(Suspicion { confirmed_by: by, ..Suspicion::new("much is gone".to_owned()) });
        assert_eq!(
            confirmed.state_and_reason(),
            "complete; unusual, confirmed by crawl-2026-11-23: much is gone"
        );
        assert!(!told.is_suspect() && !confirmed.is_suspect());
        let state = summary.state_and_reason();
        assert_eq!(state, "complete; unusual, accepted 2026-11-17 08:00: much is gone");
    }

    #[test]
    fn counts_leave_out_what_is_not_there() {
        let counts = Counts::from([(Verdict::New, 1200), (Verdict::Gone, 1), (Verdict::Failed, 3)]);
        let summary = summary(None, Statistics { counts, ..Statistics::default() });
        assert_eq!(summary.counts(&[Verdict::New, Verdict::Changed, Verdict::Gone]), "1,200 new, 1 gone");
        assert_eq!(summary.counts(&[Verdict::Moved]), "");
    }
}
