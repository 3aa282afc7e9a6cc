//! What the service says of itself with each tick, and clocks.

use jiff::{SignedDuration, Timestamp};
use recrawl_core::model::finding::Finding;
use recrawl_core::model::service_report::ServiceReport;
use recrawl_core::words::counted;

/// Ticks come every ten minutes; one may be lost.
const BETWEEN_TICKS: SignedDuration = SignedDuration::from_mins(25);

/// How far two clocks may be apart: times are told to the minute.
const APART: SignedDuration = SignedDuration::from_secs(60);

/// For how long an error is news.
const RECENT: SignedDuration = SignedDuration::from_hours(24);

const TROUBLE: &str = "docs/DEPLOY.md, Trouble, says where to look";

/// A report of the service, and when the database took it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The report.
    pub report: ServiceReport,
    /// When it was written, by the clock of the database.
    pub written_at: Timestamp,
}

/// Judges the last report of the service, `None` where it has never handled a tick. `there` is the time of the database.
pub fn findings(kept: Option<&Kept>, there: Timestamp) -> Vec<Finding> {
    let Some(kept) = kept else {
        let advice = "build the image (docs/DEPLOY.md, The image), say image_built = true in terraform.tfvars, and apply; \
                      then wait ten minutes";
        return vec![Finding::wrong("ticks", "the service has not handled a single tick yet", advice)];
    };
    vec![service(&kept.report), ticks(kept, there), clock_of_service(kept), last_error(&kept.report, there)]
}

/// Judges the clock of this machine by that of the database.
pub fn clock(here: Timestamp, there: Timestamp) -> Finding {
    match apart(here, there) {
        None => Finding::ok("clock", "this machine and the database agree"),
        Some(words) => Finding::wrong(
            "clock",
            format!("this machine is {words} the database"),
            "set this machine's clock: what it says about times is wrong",
        ),
    }
}

fn service(report: &ServiceReport) -> Finding {
    let ServiceReport { version, revision, user_agent, .. } = report;
    let revision = revision.as_ref().map_or_else(String::new, |revision| format!(", revision {revision}"));
    Finding::ok("service", format!("version {version}{revision}, asks for pages as {user_agent}"))
}

fn ticks(kept: &Kept, there: Timestamp) -> Finding {
    let since = there.duration_since(kept.written_at);
    if since <= BETWEEN_TICKS {
        return Finding::ok("ticks", format!("they arrive, the last one {} ago", roughly(since)));
    }
    Finding::wrong(
        "ticks",
        format!("none was handled for {}", roughly(since)),
        format!("is the job tick paused, or does the service fail? {TROUBLE}"),
    )
}

fn clock_of_service(kept: &Kept) -> Finding {
    match apart(kept.report.at, kept.written_at) {
        None => Finding::ok("clock of service", "the service and the database agree"),
        Some(words) => Finding::wrong(
            "clock of service",
            format!("the service is {words} the database"),
            "on Cloud Run that passes by itself; elsewhere, set the clock of its machine",
        ),
    }
}

fn last_error(report: &ServiceReport, there: Timestamp) -> Finding {
    let Some(error) = &report.last_error else {
        return Finding::ok("last error", "the service has logged none");
    };
    let since = there.duration_since(error.at);
    let words = format!("{} ago: {}", roughly(since), error.what);
    if since > RECENT {
        return Finding::ok("last error", format!("none for a day; the last one {words}"));
    }
    Finding::wrong(
        "last error",
        words,
        format!("`terraform output -raw errors_command` shows more; {TROUBLE}"),
    )
}

/// Says how far a clock is ahead of or behind another; nothing where they agree.
fn apart(clock: Timestamp, other: Timestamp) -> Option<String> {
    let difference = clock.duration_since(other);
    let side = if difference.is_negative() { "behind" } else { "ahead of" };
    (difference.abs() > APART).then(|| format!("{} {side}", roughly(difference.abs())))
}

/// Returns a length of time in its largest whole unit.
pub(crate) fn roughly(time: SignedDuration) -> String {
    let seconds = u64::try_from(time.as_secs()).unwrap_or_default();
    match seconds {
        0..60 => counted(seconds, "second"),
        60..3_600 => counted(seconds / 60, "minute"),
        3_600..86_400 => counted(seconds / 3_600, "hour"),
        _ => counted(seconds / 86_400, "day"),
    }
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::service_report::LoggedError;

    use super::*;

    const NOW: &str = "2026-11-16T12:00:00Z";

    fn time(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    fn kept(at: &str, written_at: &str, error: Option<&str>) -> Kept {
        let report = ServiceReport {
            at: time(at),
            started_at: time(at),
            version: "0.1.0".to_owned(),
            revision: Some("crawl-fn-00003-abc".to_owned()),
            user_agent: "recrawl/0.1".to_owned(),
            between_captures_ms: None,
            last_error: error.map(|at| LoggedError { at: time(at), what: "no topic crawl".to_owned() }),
        };
        Kept { report, written_at: time(written_at) }
    }

    fn told(kept: Option<&Kept>) -> Vec<(bool, String)> {
        let line = |finding: Finding| (finding.ok, format!("{}: {}", finding.what, finding.found));
        findings(kept, time(NOW)).into_iter().map(line).collect()
    }

    #[test]
    fn a_service_that_works_is_told_as_such() {
        let kept = kept("2026-11-16T11:56:01Z", "2026-11-16T11:56:00Z", None);
        let told = told(Some(&kept));
        assert!(told.iter().all(|(ok, _)| *ok), "{told:?}");
        assert!(told[0].1.contains("version 0.1.0, revision crawl-fn-00003-abc"), "{told:?}");
        assert_eq!(told[1].1, "ticks: they arrive, the last one 4 minutes ago");
        assert_eq!(told[3].1, "last error: the service has logged none");
    }

    #[test]
    fn silence_is_measured_by_the_clock_of_the_database() {
        assert_eq!(told(None)[0], (false, "ticks: the service has not handled a single tick yet".to_owned()));
        for (written_at, ok, expected) in [
            ("2026-11-16T11:35:00Z", true, "the last one 25 minutes ago"),
            ("2026-11-16T11:34:00Z", false, "none was handled for 26 minutes"),
            ("2026-11-13T12:00:00Z", false, "none was handled for 3 days"),
        ] {
            // What the service takes for the time does not matter.
            let told = told(Some(&kept("2026-11-16T12:00:00Z", written_at, None)));
            assert_eq!(told[1].0, ok, "{told:?}");
            assert!(told[1].1.contains(expected), "{told:?}");
        }
    }

    #[test]
    fn clocks_that_differ_by_more_than_a_minute_are_wrong() {
        for (here, ok, expected) in [
            ("2026-11-16T12:01:00Z", true, "agree"),
            ("2026-11-16T11:59:00Z", true, "agree"),
            ("2026-11-16T12:03:00Z", false, "this machine is 3 minutes ahead of the database"),
            ("2026-11-16T10:00:00Z", false, "this machine is 2 hours behind the database"),
        ] {
            let finding = clock(time(here), time(NOW));
            assert_eq!(finding.ok, ok, "{here}");
            assert!(finding.found.contains(expected), "{finding:?}");
        }
        let told = told(Some(&kept("2026-11-16T11:50:00Z", "2026-11-16T11:58:00Z", None)));
        assert_eq!(
            told[2],
            (false, "clock of service: the service is 8 minutes behind the database".to_owned())
        );
    }

    #[test]
    fn an_error_of_today_is_news_and_one_of_last_week_is_not() {
        let at = "2026-11-16T11:58:00Z";
        let recent = told(Some(&kept(at, at, Some("2026-11-16T09:00:00Z"))));
        assert_eq!(recent[3], (false, "last error: 3 hours ago: no topic crawl".to_owned()));
        let old = told(Some(&kept(at, at, Some("2026-11-12T09:00:00Z"))));
        assert!(old[3].0);
        assert!(old[3].1.contains("none for a day; the last one 4 days ago: no topic crawl"), "{old:?}");
    }
}
