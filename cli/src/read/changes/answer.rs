//! What is said below a list of changes.

use std::fmt::Write as _;

use jiff::Timestamp;
use recrawl_core::decide::DoubtWord;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::kind::Tier;
use recrawl_core::model::verdict::Verdict;
use recrawl_reports::ChangesFilter;
use recrawl_reports::changes::{
    Bounds, ChangeCounts, ChangesFigures, ReviewFilter, Row, Since, Until, Window,
};
use recrawl_reports::sites::{SiteLine, SiteStanding};
use recrawl_reports::told::rule;

use crate::output::{counted, day, grouped};

/// What is said below the list.
pub(super) struct Told<'a> {
    pub(super) figures: &'a ChangesFigures,
    /// How many there are of each sort, where that is known.
    pub(super) counts: Option<&'a ChangeCounts>,
    pub(super) filter: &'a ChangesFilter,
    /// How many rows there are.
    pub(super) all: usize,
    /// How many of them are shown.
    pub(super) shown: usize,
}

impl Told<'_> {
    pub(super) fn of_crawl(&self, site: &Site, crawl: &Crawl, pages: u64, now: Timestamp) -> String {
        let on = day(crawl.opened_at, now);
        let is_quiet = self.all == 0 && !self.filter.is_narrow();
        let state = crawl.closed.as_ref().and_then(|closed| closed.state.as_ref());
        let whole = if let Some(state) = state.filter(|_| self.all == 0) {
            format!("{}, {on}: {}.", site.id, state.line())
        } else if is_quiet {
            format!("{}, {on}: nothing changed in {}.", site.id, counted(pages, "page"))
        } else {
            format!("{}, {on}: {}.", site.id, self.counts(""))
        };
        self.with_rest(whole)
    }

    pub(super) fn of_window(
        &self,
        window: &Window,
        bounds: Bounds,
        looked: Option<Timestamp>,
        now: Timestamp,
    ) -> String {
        let changes = window.changes.rows.iter().filter(|row| !matches!(row, Row::Shared(_)));
        let mut sites: Vec<_> = changes.map(Row::site).collect();
        sites.sort();
        sites.dedup();
        let on = if sites.len() > 1 {
            format!(" on {}", counted(sites.len() as u64, "site"))
        } else {
            String::new()
        };
        let since = match (looked, bounds.since) {
            (Some(looked), _) => format!("Since you last looked, on {}", day(looked, now)),
            (None, Since::Time(time)) => format!("Since {}", day(time, now)),
            (None, Since::Crawl(crawl)) => format!("Since {crawl}"),
        };
        let until = match bounds.until {
            None => String::new(),
            Some(Until::Time(time)) => format!(" until {}", day(time, now)),
            Some(Until::Crawl(crawl)) => format!(" until {crawl}"),
        };
        self.with_rest(format!("{since}{until}: {}.", self.counts(&on)))
    }

    fn counts(&self, on: &str) -> String {
        let ChangesFigures { changes, of, shared, .. } = self.figures;
        if self
            .filter
            .verdicts
            .iter()
            .any(|verdict| verdict.change().is_none() && *verdict != Verdict::Shared)
        {
            let rows = counted(*changes as u64, "page");
            let words: Vec<&str> = self.filter.verdicts.iter().map(|verdict| verdict.said()).collect();
            return format!("{rows}{on}: {}", words.join(", "));
        }
        let by_review = ChangesFilter { review: ReviewFilter::default(), ..self.filter.clone() };
        if self.filter.review != ReviewFilter::default() && !by_review.has_conditions() {
            let is = match self.filter.review {
                ReviewFilter { unseen: true, starred: false } => "unseen",
                ReviewFilter { unseen: true, starred: true } => "unseen and starred",
                ReviewFilter { unseen: false, .. } => "starred",
            };
            let of = self.counts.map_or(*of, |counts| counts.all);
            let shared =
                if *shared > 0 { format!(", {} shared", grouped(*shared as u64)) } else { String::new() };
            let of = counted(of as u64, "change");
            let are = if *changes == 1 { "is" } else { "are" };
            return format!("{} of {of} {are} {is}{shared}", grouped(*changes as u64));
        }
        if self.filter.has_conditions() {
            let matches = if *changes == 1 { "matches" } else { "match" };
            let rows =
                if *shared > 0 { format!(", {} shared", grouped(*shared as u64)) } else { String::new() };
            return format!(
                "{} of {} {matches}{rows}",
                grouped(*changes as u64),
                counted(*of as u64, "change")
            );
        }
        let changes = format!("{}{on}", counted(*changes as u64, "change"));
        if *shared == 0 { changes } else { format!("{changes}, {} shared", grouped(*shared as u64)) }
    }

    fn with_rest(&self, mut told: String) -> String {
        let tier = self.filter.most_tier();
        let around = (tier < Tier::Around && self.figures.around > 0)
            .then(|| format!("{} around their content", counted(self.figures.around as u64, "page")));
        let is_listed = tier == Tier::Noise || self.filter.verdicts.contains(&Verdict::Touched);
        let noise = (!is_listed && self.figures.noise > 0).then(|| match &around {
            Some(_) => format!("{} only noise", grouped(self.figures.noise)),
            None => format!("{} with only noise", counted(self.figures.noise, "page")),
        });
        let also: Vec<String> = around.into_iter().chain(noise).collect();
        if !also.is_empty() {
            let _ = write!(told, " Also {}.", also.join(", "));
        }
        let rules: Vec<String> = self
            .figures
            .rules
            .iter()
            .map(|figure| format!("{} on {}", rule(&figure.rule), counted(figure.pages, "page")))
            .collect();
        if !rules.is_empty() {
            let _ = write!(told, "\nKnown noise: {}.", rules.join(", "));
        }
        if self.shown < self.all {
            let _ = write!(told, "\nAnd {} more: --limit.", grouped((self.all - self.shown) as u64));
        }
        if self.figures.unsearched > 0 {
            let pages = counted(self.figures.unsearched as u64, "page");
            let _ = write!(told, "\n{pages} could not be searched in time: narrow the list with --path.");
        }
        told
    }
}

/// Says which sites of a window need somebody, and which were crawled for the first time: a line each.
pub(super) fn needs(window: &Window, lines: &[SiteLine], now: Timestamp) -> String {
    let mut told: Vec<String> = Vec::new();
    for (crawl, waiting) in &window.waiting {
        let on = day(crawl.opened_at, now);
        let waiting = counted(*waiting as u64, "change");
        let word =
            crawl.closed.as_ref().map_or(DoubtWord::Unusual, |closed| DoubtWord::of(&closed.statistics));
        told.push(format!("{}: {} on {on}, {waiting} wait for you", crawl.site, word.word()));
    }
    for line in lines.iter().filter(|line| line.state == SiteStanding::Failed) {
        let since = line.failed_since.map_or_else(String::new, |since| format!(" since {}", day(since, now)));
        told.push(format!("{}: {}{since}, {}", line.site, line.word, line.what));
    }
    for crawl in &window.first {
        let new = crawl.closed.as_ref().map_or(0, |closed| closed.statistics.counts[Verdict::New]);
        let on = day(crawl.opened_at, now);
        told.push(format!("{}: first crawl on {on}, {}", crawl.site, counted(new, "page")));
    }
    if told.is_empty() { String::new() } else { format!("\n\n  {}", told.join("\n  ")) }
}
