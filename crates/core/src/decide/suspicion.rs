//! Whether a crawl is suspect (anomaly detection): a site in trouble must not look like a site that changed.

use crate::model::crawl::{Ending, Suspicion};
use crate::model::statistics::Statistics;

/// More of the known pages gone or failed than this is doubted.
const LOST: f64 = 0.30;

/// More of the known pages changed than this is doubted.
const CHANGED: f64 = 0.60;

/// Fewer pages than this may do what they like: on a very small site every change is a large share.
const FEWEST: u64 = 5;

/// Returns why the findings of a crawl are to be doubted, if they are.
///
/// A crawl that ended early chose pages that change often, so many changes are no surprise there.
#[expect(clippy::cast_precision_loss, reason = "a crawl has fewer than 2^52 pages")]
pub fn suspicion(ending: &Ending, statistics: &Statistics) -> Option<Suspicion> {
    let known = statistics.known();
    let lost = statistics.gone + statistics.failed_known;
    let exceeds = |pages: u64, share: f64| pages >= FEWEST && pages as f64 > share * known as f64;
    let percent = |pages: u64| 100.0 * pages as f64 / known as f64;
    let changed = statistics.changed;
    let reason = if exceeds(lost, LOST) {
        let (gone, failed) = (statistics.gone, statistics.failed_known);
        let percent = percent(lost);
        format!(
            "{lost} of {known} known pages are gone or could not be read ({percent:.0} %: {gone} gone, {failed} failed)"
        )
    } else if exceeds(changed, CHANGED) && *ending == Ending::Complete {
        format!("{changed} of {known} known pages changed at once ({:.0} %)", percent(changed))
    } else {
        return None;
    };
    Some(Suspicion { reason, accepted_at: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn much_that_is_lost_or_changed_at_once_is_doubted() {
        let statistics = |changed, gone, failed_known, unchanged| Statistics {
            changed,
            gone,
            failed_known,
            unchanged,
            new: 1_000,
            failed: 1_000,
            ..Statistics::default()
        };
        for (changed, gone, failed, unchanged, doubted) in [
            (0, 0, 0, 100, false),
            (0, 30, 0, 70, false),
            (0, 31, 0, 69, true),
            (0, 15, 16, 69, true),
            (0, 0, 50, 50, true),
            (60, 0, 0, 40, false),
            (61, 0, 0, 39, true),
            (4, 0, 0, 0, false),
            (0, 2, 2, 0, false),
            (5, 0, 0, 0, true),
            (0, 0, 0, 0, false),
        ] {
            let statistics = statistics(changed, gone, failed, unchanged);
            let found = suspicion(&Ending::Complete, &statistics);
            assert_eq!(found.is_some(), doubted, "{changed} {gone} {failed} {unchanged}: {found:?}");
            let partial = suspicion(&Ending::Partial("stopped".to_owned()), &statistics);
            assert_eq!(partial.is_some(), doubted && changed == 0, "ended early: {changed} {gone} {failed}");
        }
    }
}
