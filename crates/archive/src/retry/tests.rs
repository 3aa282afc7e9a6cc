use super::*;

const NOON: &str = "2026-11-16T12:00:00Z";

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn refusal(remedy: Remedy) -> Refusal {
    Refusal { remedy, words: "why".to_owned() }
}

fn after(attempts: u32) -> Archive {
    let job_id = Some("job".to_owned());
    Archive { attempts, job_id, state: ArchiveState::Submitted, ..Archive::queued(time(NOON)) }
}

#[test]
fn a_capture_since_the_change_will_do_and_no_older_one() {
    let cases =
        [("2026-11-16T12:00:00Z", 60), ("2026-11-16T11:00:00Z", 60), ("2026-11-17T12:00:00Z", 86_400)];
    for (now, seconds) in cases {
        assert_eq!(window(time(NOON), time(now)), seconds, "{now}");
    }
}

#[test]
fn a_day_ends_a_little_after_midnight() {
    for now in [NOON, "2026-11-16T00:00:00Z", "2026-11-16T23:59:59.9Z"] {
        assert_eq!(tomorrow(time(now)), time("2026-11-17T00:10:00Z"), "{now}");
    }
}

#[test]
fn every_refusal_has_its_consequence() {
    let (now, pause_ends) = (time(NOON), time("2026-11-16T12:02:00Z"));
    let queued = |attempts, until: &str| (ArchiveState::Queued, attempts, Some(time(until)));
    let cases = [
        (Remedy::Retry, 0, queued(1, "2026-11-16T12:01:00Z")),
        (Remedy::Retry, 2, queued(3, "2026-11-16T12:25:00Z")),
        (Remedy::Retry, 4, (ArchiveState::Failed, 5, None)),
        (Remedy::Tomorrow, 0, queued(1, "2026-11-17T00:10:00Z")),
        (Remedy::Tomorrow, 4, (ArchiveState::Failed, 5, None)),
        (Remedy::AllTomorrow, 4, queued(4, "2026-11-17T00:10:00Z")),
        (Remedy::Pause, 4, queued(4, "2026-11-16T12:02:00Z")),
        (Remedy::Never, 0, (ArchiveState::Failed, 0, None)),
    ];
    for (remedy, attempts, expected) in cases {
        let next = refused(&after(attempts), &refusal(remedy), pause_ends, now);
        assert_eq!((next.state, next.attempts, next.not_before), expected, "{remedy:?} after {attempts}");
        assert!(next.error.unwrap().contains("why"));
        assert_eq!(next.job_id.is_none(), next.state == ArchiveState::Queued);
    }
}

#[test]
fn a_slow_job_is_looked_at_again_and_then_taken_for_lost() {
    let mut archive = after(0);
    let mut now = time(NOON);
    for _ in 1..LOOKS {
        archive = unfinished(&archive, now);
        assert_eq!((archive.state, archive.job_id.as_deref()), (ArchiveState::Submitted, Some("job")));
        assert!(!archive.is_due(now));
        now = archive.not_before.unwrap();
    }
    archive = unfinished(&archive, now);
    assert_eq!((archive.state, &archive.job_id), (ArchiveState::Queued, &None));
    let archive = lost(&submitted(&archive, "other".to_owned()), now);
    assert_eq!((archive.state, archive.attempts), (ArchiveState::Queued, LOOKS + 1));
    let archive = lost(&submitted(&archive, "third".to_owned()), now);
    assert_eq!(archive.state, ArchiveState::Failed, "in the end it is given up");
}

#[test]
fn a_job_about_which_nothing_can_be_read_is_given_up_after_a_day() {
    let (mut archive, mut now) = (after(0), time(NOON));
    while archive.state == ArchiveState::Submitted {
        archive = unreadable(&archive, "an answer that is not JSON", now);
        now = archive.not_before.unwrap_or(now);
    }
    assert_eq!((archive.state, now), (ArchiveState::Failed, time("2026-11-17T12:10:00Z")));
    assert_eq!(archive.error.unwrap(), "given up after a day: an answer that is not JSON");
}

#[test]
fn trouble_of_the_service_costs_time_and_no_attempt() {
    let cases = [
        ("2026-11-16T12:00:00Z", "2026-11-16T12:10:00Z"),
        ("2026-11-16T14:00:00Z", "2026-11-16T15:00:00Z"),
        ("2026-12-16T12:00:00Z", "2026-12-17T12:00:00Z"),
    ];
    for (now, until) in cases {
        let next = troubled(&Archive::queued(time(NOON)), "HTTP 500", time(now));
        assert_eq!((next.attempts, next.not_before), (0, Some(time(until))), "{now}");
    }
}

#[test]
fn a_capture_is_found_by_its_address() {
    let page: PageUrl = "https://example.org/a?b=c".parse().unwrap();
    let at = Some(time("2026-11-16T11:59:58Z"));
    let next = captured(&after(2), &page, at, None, time(NOON));
    let address = "https://web.archive.org/web/20261116115958/https://example.org/a?b=c";
    assert_eq!((next.state, next.wayback_url.as_deref()), (ArchiveState::Captured, Some(address)));
    assert_eq!((next.captured_at, next.error), (at, None));
    let moved = captured(&after(0), &page, None, Some("https://example.org/new"), time(NOON));
    let address = "https://web.archive.org/web/20261116120000/https://example.org/new";
    assert_eq!((moved.wayback_url.as_deref(), moved.captured_at), (Some(address), None));
}
