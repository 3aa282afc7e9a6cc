//! Makes a report of the records of a crawl.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use recrawl_core::model::crawl::{Closed, Crawl, Site};
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::plan::change_rate::Shown;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::url::PageUrl;

use super::rows::{AGES, Figure, FirstRows, Freshness, SiteReport, StatusRow};
use crate::faults::{BrokenLinks, Duplicates, Group, Orphans, Redirects};
use crate::scan::{Leads, for_each_record};
use crate::section::section_of;

/// How many pages are named among the slowest and most changing.
const FIRST: usize = 10;

/// How many rows a list has at most: what can be read, and is small enough to be remembered.
const MOST: usize = 50;

/// What has been read so far.
#[derive(Default)]
pub(super) struct Gathering {
    statuses: HashMap<String, u64>,
    freshness: BTreeMap<String, [u64; 5]>,
    slowest: Vec<Figure>,
    most_changing: Vec<Figure>,
    broken: BrokenLinks,
    orphans: Orphans,
    redirects: Redirects,
    duplicates: Duplicates,
}

impl Gathering {
    /// Reads every record of a crawl, then where each page leads.
    pub(super) async fn gather(
        history: &dyn History,
        site: &Site,
        crawl: &Crawl,
        first: &Crawl,
    ) -> Result<SiteReport, StoreError> {
        let end = |crawl: &Crawl| crawl.closed.as_ref().map_or(crawl.opened_at, |closed| closed.at);
        let (ended, begun) = (end(crawl), end(first));
        let (mut gathering, mut leads) = (Self::default(), Leads::default());
        for_each_record(history, crawl, |record| {
            gathering.take_in(site, record, begun, ended);
            leads.take_in(record);
        })
        .await?;
        let referred = |page: &PageUrl, links: &[PageUrl]| {
            gathering.broken.refer(page, links);
            gathering.orphans.refer(page, links);
        };
        leads.follow(history, &site.id, referred).await?;
        Ok(gathering.finish(crawl))
    }

    fn take_in(&mut self, site: &Site, record: &PageRecord, begun: Timestamp, ended: Timestamp) {
        *self.statuses.entry(answer_of(record)).or_default() += 1;
        if record.visit.requests > 0 && record.visit.verdict != Verdict::Failed {
            keep_largest(&mut self.slowest, &record.url, f64::from(record.visit.fetch_ms));
        }
        let known = &record.known;
        let changes_a_day = Shown::from(known).changes_a_day.filter(|_| known.changes_detected > 0);
        if let Some(changes_a_day) = changes_a_day.filter(|_| known.presence.is_live()) {
            keep_largest(&mut self.most_changing, &record.url, changes_a_day);
        }
        if known.presence == Presence::Present {
            let section = section_of(&site.root, &record.url);
            // What came after the first crawl is as old as that; of what was there before, nobody knows.
            let came = Some(known.first_seen).filter(|seen| *seen > begun);
            let changed = known.last_changed.or(came);
            self.freshness.entry(section).or_default()[age_of(changed, ended)] += 1;
        }
        self.broken.take_in(record);
        self.orphans.take_in(record);
        self.redirects.take_in(record);
        self.duplicates.take_in(record);
    }

    fn finish(self, crawl: &Crawl) -> SiteReport {
        let statuses = self.statuses.into_iter().map(|(answer, pages)| StatusRow { answer, pages });
        let mut statuses: Vec<StatusRow> = statuses.collect();
        statuses.sort_by(|one, other| (other.pages, &one.answer).cmp(&(one.pages, &other.answer)));
        let mut freshness: Vec<Freshness> = Vec::new();
        for (section, by_age) in self.freshness {
            freshness.push(Freshness { section, pages: by_age.iter().sum(), by_age });
        }
        freshness.sort_by(|one, other| (other.pages, &one.section).cmp(&(one.pages, &other.section)));
        freshness.truncate(MOST);
        let orphans = self.orphans.finish().into_iter().map(|record| record.url.to_string());
        let groups = self.duplicates.finish().into_iter();
        let addresses = |group: Group| -> Vec<String> {
            group.pages.into_iter().flatten().map(String::from).take(MOST).collect()
        };
        SiteReport {
            crawl: crawl.id,
            is_whole: crawl.closed.as_ref().is_some_and(Closed::is_whole),
            statuses,
            freshness,
            slowest: self.slowest,
            most_changing: self.most_changing,
            broken: first(self.broken.finish().into_iter().map(Into::into)),
            orphans: first(orphans),
            redirects: first(self.redirects.finish().into_iter()),
            duplicates: first(groups.map(addresses)),
        }
    }
}

fn first<T>(rows: impl Iterator<Item = T>) -> FirstRows<T> {
    let mut rows: Vec<T> = rows.collect();
    let total = rows.len();
    rows.truncate(MOST);
    FirstRows { total, rows }
}

fn keep_largest(figures: &mut Vec<Figure>, url: &PageUrl, figure: f64) {
    let place = figures.partition_point(|other| other.figure >= figure);
    if place < FIRST {
        figures.insert(place, Figure { url: url.clone(), figure });
        figures.truncate(FIRST);
    }
}

fn answer_of(record: &PageRecord) -> String {
    match (record.visit.status, record.visit.verdict) {
        (Some(status), _) => status.to_string(),
        (None, Verdict::Excluded) => "not asked".to_owned(),
        (None, _) if record.visit.requests == 0 => "not asked".to_owned(),
        (None, _) => "no answer".to_owned(),
    }
}

fn age_of(last_changed: Option<Timestamp>, ended: Timestamp) -> usize {
    let oldest = AGES.len() - 1;
    let Some(changed) = last_changed else { return oldest };
    let days = ended.duration_since(changed).as_hours() / 24;
    AGES.iter().position(|(most, _)| days <= *most).unwrap_or(oldest)
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;

    #[test]
    fn ages_fall_into_rows() {
        let ended: Timestamp = "2026-11-16T00:00:00Z".parse().unwrap();
        for (days, expected) in
            [(0, 0), (7, 0), (8, 1), (31, 1), (32, 2), (92, 2), (93, 3), (366, 3), (367, 4)]
        {
            assert_eq!(age_of(Some(ended - (24 * days).hours()), ended), expected, "{days}");
        }
        assert_eq!(age_of(None, ended), 4);
    }

    #[test]
    fn the_ten_largest_are_kept_in_order() {
        let mut figures = Vec::new();
        for number in 0..20 {
            let url = format!("https://example.org/{number}").parse().unwrap();
            keep_largest(&mut figures, &url, f64::from(number * 7 % 20));
        }
        let kept: Vec<f64> = figures.iter().map(|figure| figure.figure).collect();
        assert_eq!(kept, [19.0, 18.0, 17.0, 16.0, 15.0, 14.0, 13.0, 12.0, 11.0, 10.0]);
    }
}
