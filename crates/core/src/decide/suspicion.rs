//! Whether a crawl is unusual (anomaly detection): a site in trouble must not look like a site that changed. What was
//! lost is doubted, not what changed: a menu that changed on every page is no reason to doubt anything.

use crate::model::crawl::{Ending, Suspicion};
use crate::model::statistics::Statistics;
use crate::model::verdict::Verdict;
use crate::words::grouped;

/// More of the known pages gone, failed or without most of their text than this is doubted.
const LOST: f64 = 0.30;

/// More of the known pages with other content of their own than this is doubted.
const CHANGED: f64 = 0.60;

/// Fewer pages than this may do what they like: on a very small site every loss is a large share.
const FEWEST: u64 = 5;

/// On a site with fewer known pages than this, all of them may change at once.
const FEWEST_KNOWN: u64 = 20;

/// Why a crawl is unusual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// Too much is gone, failed or has lost most of its text.
    Lost,
    /// The same, and most of it failed: the site is in trouble, or does not want to be read.
    Failed,
    /// Too many pages have other content of their own.
    Changed,
}

impl Doubt {
    /// Returns why a crawl that ended so and saw this is unusual, if it is.
    ///
    /// A crawl that ended early chose pages that change often, so many changes are no surprise there.
    #[expect(clippy::cast_precision_loss, reason = "a crawl has fewer than 2^52 pages")]
    pub fn of(ending: &Ending, statistics: &Statistics) -> Option<Self> {
        let known = statistics.known();
        let exceeds = |pages: u64, share: f64| pages as f64 > share * known as f64;
        let lost = lost(statistics);
        if lost >= FEWEST && exceeds(lost, LOST) {
            let has_mostly_failed = 2 * statistics.failed_known > lost;
            return Some(if has_mostly_failed { Self::Failed } else { Self::Lost });
        }
        let can_be_sure = *ending == Ending::Complete && known >= FEWEST_KNOWN;
        (can_be_sure && exceeds(statistics.own_content, CHANGED)).then_some(Self::Changed)
    }
}

/// What people read of a crawl whose findings are doubted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoubtWord {
    /// It is unusual.
    Unusual,
    /// Most of the doubted pages failed.
    Failed,
    /// Most of the doubted pages failed, because the site does not want to be read.
    Blocked,
}

impl DoubtWord {
    /// Returns what people read of a crawl that is doubted and saw this.
    pub fn of(statistics: &Statistics) -> Self {
        // Only changes are another matter in a crawl that ended early.
        match Doubt::of(&Ending::Complete, statistics) {
            Some(Doubt::Failed) if 2 * statistics.kept_out > statistics.counts[Verdict::Failed] => {
                Self::Blocked
            }
            Some(Doubt::Failed) => Self::Failed,
            Some(Doubt::Lost | Doubt::Changed) | None => Self::Unusual,
        }
    }

    /// Returns the word: `unusual`, `failed` or `blocked`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unusual => "unusual",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
        }
    }

    /// Returns what is said of the crawl: that it `is unusual`, `failed` or `was blocked`.
    pub const fn predicate(self) -> &'static str {
        match self {
            Self::Unusual => "is unusual",
            Self::Failed => "failed",
            Self::Blocked => "was blocked",
        }
    }

    /// Returns the same of a crawl that is over: that it `was unusual`, `failed` or `was blocked`.
    pub const fn predicate_then(self) -> &'static str {
        match self {
            Self::Unusual => "was unusual",
            Self::Failed | Self::Blocked => self.predicate(),
        }
    }
}

/// Returns why the findings of a crawl are to be doubted, if they are.
pub fn suspicion(ending: &Ending, statistics: &Statistics) -> Option<Suspicion> {
    let doubt = Doubt::of(ending, statistics)?;
    let known = grouped(statistics.known());
    let reason = match doubt {
        Doubt::Changed => format!("{} of {known} pages changed at once", grouped(statistics.own_content)),
        Doubt::Lost | Doubt::Failed => {
            let some = |pages: u64, one, more| (pages, if pages == 1 { one } else { more });
            let mut parts = [
                some(statistics.failed_known, "failed or was refused", "failed or were refused"),
                some(statistics.counts[Verdict::Gone], "is gone", "are gone"),
                some(statistics.lost_content, "lost most of its text", "lost most of their text"),
            ];
            parts.sort_by_key(|(pages, _)| std::cmp::Reverse(*pages));
            let [(pages, what), rest @ ..] = parts;
            let rest: Vec<String> = rest
                .iter()
                .filter(|(pages, _)| *pages > 0)
                .map(|(pages, what)| format!("{} {what}", grouped(*pages)))
                .collect();
            let said = format!("{} {what}", grouped(pages));
            if rest.is_empty() {
                format!("{} of {known} pages {what}", grouped(pages))
            } else if doubt == Doubt::Failed {
                format!("{} of {known} pages {what}, and {}", grouped(pages), rest.join(", "))
            } else {
                let lost = grouped(lost(statistics));
                format!("{lost} of {known} pages are lost: {said}, {}", rest.join(", "))
            }
        }
    };
    Some(Suspicion::new(reason))
}

fn lost(statistics: &Statistics) -> u64 {
    statistics.counts[Verdict::Gone] + statistics.failed_known + statistics.lost_content
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::counts::Counts;

    /// Makes figures of gone, failed and collapsed pages, those with other content of their own (the collapsed ones among
    /// them) and those that are what they were.
    fn statistics(gone: u64, failed: u64, collapsed: u64, own: u64, unchanged: u64) -> Statistics {
        Statistics {
            counts: Counts::from([
                (Verdict::Gone, gone),
                (Verdict::Changed, own.max(collapsed)),
                (Verdict::Unchanged, unchanged),
                // Neither is known from before.
                (Verdict::New, 1_000),
                (Verdict::Failed, 1_000),
            ]),
            failed_known: failed,
            lost_content: collapsed,
            own_content: own,
            ..Statistics::default()
        }
    }

    #[test]
    fn what_is_lost_is_doubted_and_not_what_changed() {
        for (case, statistics, expected) in [
            ("nothing happened", statistics(0, 0, 0, 0, 100), None),
            ("nothing is known", statistics(0, 0, 0, 0, 0), None),
            ("30 % gone", statistics(30, 0, 0, 0, 70), None),
            ("more gone", statistics(31, 0, 0, 0, 69), Some(Doubt::Lost)),
            ("half failed", statistics(0, 50, 0, 0, 50), Some(Doubt::Failed)),
            ("more failed than gone", statistics(15, 16, 0, 0, 69), Some(Doubt::Failed)),
            ("as many gone as failed", statistics(16, 16, 0, 0, 68), Some(Doubt::Lost)),
            ("30 % lost their text", statistics(0, 0, 30, 30, 70), None),
            ("more lost it", statistics(0, 0, 31, 31, 69), Some(Doubt::Lost)),
            ("of all a little", statistics(11, 10, 10, 10, 69), Some(Doubt::Lost)),
            ("too few to tell", statistics(2, 1, 1, 1, 0), None),
            ("five are enough", statistics(3, 1, 1, 1, 0), Some(Doubt::Lost)),
            ("60 % edited", statistics(0, 0, 0, 60, 40), None),
            ("more edited", statistics(0, 0, 0, 61, 39), Some(Doubt::Changed)),
            ("a small site edited", statistics(0, 0, 0, 19, 0), None),
            ("not quite as small", statistics(0, 0, 0, 20, 0), Some(Doubt::Changed)),
            ("a menu on all pages", Statistics { own_content: 0, ..statistics(0, 0, 0, 900, 0) }, None),
        ] {
            assert_eq!(Doubt::of(&Ending::Complete, &statistics), expected, "{case}");
            assert_eq!(suspicion(&Ending::Complete, &statistics).is_some(), expected.is_some(), "{case}");
            let early = Ending::Partial("stopped".to_owned());
            let expected = expected.filter(|doubt| *doubt != Doubt::Changed);
            assert_eq!(Doubt::of(&early, &statistics), expected, "{case}, ended early");
        }
    }

    #[test]
    fn the_reason_says_what_was_lost() {
        for (statistics, expected) in [
            (statistics(0, 0, 151, 151, 261), "151 of 412 pages lost most of their text"),
            (statistics(0, 0, 0, 120, 60), "120 of 180 pages changed at once"),
            (statistics(40, 0, 0, 0, 80), "40 of 120 pages are gone"),
            (statistics(0, 1_100, 0, 0, 86), "1,100 of 1,186 pages failed or were refused"),
            (statistics(4, 3, 0, 0, 3), "7 of 10 pages are lost: 4 are gone, 3 failed or were refused"),
            (
                statistics(1, 9, 2, 2, 0),
                "9 of 12 pages failed or were refused, and 2 lost most of their text, 1 is gone",
            ),
        ] {
            assert_eq!(suspicion(&Ending::Complete, &statistics).unwrap().reason, expected);
        }
    }
    #[test]
    fn where_most_of_the_doubted_pages_failed_the_crawl_failed_or_was_blocked() {
        let kept_out = |pages| Statistics { kept_out: pages, ..statistics(0, 40, 0, 0, 60) };
        for (statistics, word, predicate) in [
            (statistics(40, 0, 0, 0, 60), "unusual", "is unusual"),
            (statistics(0, 0, 0, 70, 30), "unusual", "is unusual"),
            (statistics(0, 0, 0, 0, 100), "unusual", "is unusual"),
            (kept_out(0), "failed", "failed"),
            (kept_out(500), "failed", "failed"),
            (kept_out(501), "blocked", "was blocked"),
        ] {
            let said = DoubtWord::of(&statistics);
            assert_eq!((said.word(), said.predicate()), (word, predicate), "{statistics:?}");
        }
    }
}
