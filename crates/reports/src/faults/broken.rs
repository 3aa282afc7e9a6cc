//! Links that lead nowhere, with the pages they stand on.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use recrawl_core::model::record::{FoundBy, PageRecord, Presence};
use recrawl_core::model::verdict::{Sight, Verdict};
use recrawl_core::url::PageUrl;

/// What is wrong with the target of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fault {
    /// There is no page: 404 or 410.
    Absent,
    /// The page could not be read this time; it may be there.
    Failed,
}

/// A target that cannot be reached, and who leads there; its JSON form is stable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrokenTarget {
    /// The page that was asked for.
    pub url: PageUrl,
    /// What is wrong with it.
    pub fault: Fault,
    /// The status it answered, if it did.
    pub status: Option<u16>,
    /// Why it failed, in words.
    pub reason: Option<String>,
    /// How it was found.
    pub found_by: FoundBy,
    /// Every page that links or redirects to it, by address.
    pub referrers: Vec<PageUrl>,
}

impl BrokenTarget {
    /// The fields in the order of columns.
    pub const FIELDS: [&str; 6] = ["url", "fault", "status", "reason", "found_by", "referrers"];
}

/// Gathers broken links: first [`BrokenLinks::take_in`] every record, then [`BrokenLinks::refer`] for every
/// page that leads somewhere.
#[derive(Debug, Default)]
pub struct BrokenLinks {
    targets: BTreeMap<PageUrl, (BrokenTarget, BTreeSet<PageUrl>)>,
}

impl BrokenLinks {
    /// Notes a page that cannot be reached.
    pub fn take_in(&mut self, record: &PageRecord) {
        let Some(fault) = fault_of(record) else { return };
        let for_good = record.known.presence == Presence::GoneForGood;
        let target = BrokenTarget {
            url: record.url.clone(),
            fault,
            // A page that is gone for good is rarely asked again.
            status: record.visit.status.or(for_good.then_some(410)),
            reason: record.visit.reason.clone().filter(|_| fault == Fault::Failed),
            found_by: record.found.by,
            referrers: Vec::new(),
        };
        // What led here is known also where links are not stored.
        let referrers = record.found.referrer.iter().cloned().collect();
        self.targets.insert(record.url.clone(), (target, referrers));
    }

    /// Notes that `referrer` leads to `links`.
    pub fn refer<'a>(&mut self, referrer: &PageUrl, links: impl IntoIterator<Item = &'a PageUrl>) {
        for link in links {
            if let Some((_, referrers)) = self.targets.get_mut(link) {
                referrers.insert(referrer.clone());
            }
        }
    }

    /// Returns the broken targets: those that are absent first, each kind by address.
    ///
    /// What nobody leads to is no broken link; a sitemap leads to its pages, and a person to seeds.
    pub fn finish(self) -> Vec<BrokenTarget> {
        let mut broken: Vec<BrokenTarget> = Vec::new();
        for (target, referrers) in self.targets.into_values() {
            let is_led_to = match target.found_by {
                FoundBy::Seed | FoundBy::Sitemap => true,
                FoundBy::Link | FoundBy::Redirect | FoundBy::Memory | FoundBy::Image => !referrers.is_empty(),
            };
            if is_led_to {
                broken.push(BrokenTarget { referrers: referrers.into_iter().collect(), ..target });
            }
        }
        broken.sort_by(|one, other| (one.fault, &one.url).cmp(&(other.fault, &other.url)));
        broken
    }
}

fn fault_of(record: &PageRecord) -> Option<Fault> {
    match record.visit.verdict.sight() {
        Sight::There => None,
        Sight::Absent => Some(Fault::Absent),
        Sight::Nothing if record.visit.verdict == Verdict::Failed => Some(Fault::Failed),
        Sight::Nothing => (record.known.presence == Presence::GoneForGood).then_some(Fault::Absent),
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::{page, record};
    use super::*;

    /// One letter a page: what its visit found, as the stage reads it.
    fn broken(pages: &[(&str, char)], links: &[(&str, &str)]) -> Vec<String> {
        let mut report = BrokenLinks::default();
        for (path, letter) in pages {
            report.take_in(&record(path, *letter));
        }
        for (from, to) in links {
            report.refer(&page(from), [&page(to)]);
        }
        let path = |url: &PageUrl| url.path().to_owned();
        let shown = |target: BrokenTarget| {
            let referrers: Vec<String> = target.referrers.iter().map(path).collect();
            format!("{:?} {} < {}", target.fault, path(&target.url), referrers.join(" "))
        };
        report.finish().into_iter().map(shown).collect()
    }

    #[test]
    fn a_broken_link_names_every_page_that_it_stands_on() {
        let pages = [("/", 'A'), ("/a", 'A'), ("/gone", '0'), ("/shut", '!'), ("/private", 'x')];
        let links = [
            ("/", "/gone"),
            ("/a", "/gone"),
            ("/a", "/gone"),
            ("/a", "/shut"),
            ("/", "/a"),
            ("/", "/private"),
        ];
        assert_eq!(broken(&pages, &links), ["Absent /gone < / /a", "Failed /shut < /a"]);
    }

    #[test]
    fn what_nobody_leads_to_is_no_broken_link() {
        assert_eq!(broken(&[("/gone", 'm')], &[]), Vec::<String>::new());
        assert_eq!(broken(&[("/gone", 'm')], &[("/a", "/gone")]), ["Absent /gone < /a"]);
        assert_eq!(broken(&[("/listed", 's')], &[]), ["Absent /listed < "]);
    }

    #[test]
    fn a_page_that_is_gone_for_good_is_absent_although_nobody_asked() {
        let mut report = BrokenLinks::default();
        report.take_in(&record("/past", '1'));
        report.refer(&page("/"), [&page("/past")]);
        let broken = report.finish();
        assert_eq!((broken[0].fault, broken[0].status), (Fault::Absent, Some(410)));
        assert_eq!(broken[0].reason, None);
    }
}
