//! Retries and backoff of archive requests: what follows from each thing that happens to one.
//!
//! Ours and not `backon`: how often and when a page was tried is stored with its record, so that a later process goes on
//! where this one ended.

use jiff::{SignedDuration, Timestamp, ToSpan};
use recrawl_core::model::archive::{Archive, ArchiveState};
use recrawl_core::url::PageUrl;

use crate::answer::{Refusal, write_time};
use crate::codes::Remedy;

/// How often a page is tried before it is given up.
pub const ATTEMPTS: u32 = 5;

/// How often a job is found unfinished before it is taken for lost.
const LOOKS: u32 = 3;

/// How long to wait after each look at a job whose answer cannot be read: a day in all.
const UNREADABLE: [SignedDuration; 4] = [
    SignedDuration::from_mins(10),
    SignedDuration::from_hours(1),
    SignedDuration::from_hours(6),
    SignedDuration::from_hours(17),
];

/// What counts as "since the change was seen" at least: clocks differ, and a crashed submission must be found.
const SHORTEST_WINDOW: SignedDuration = SignedDuration::from_mins(1);

/// How long after the start of a day its limits are certainly new.
const AFTER_MIDNIGHT: SignedDuration = SignedDuration::from_mins(10);

/// Returns how old a capture may be that serves for a change seen at `requested_at`, in seconds.
///
/// As old as the change: then a request that is submitted again, because nobody knows what became of the
/// first submission, finds the capture that this one led to, and no capture of the old page is taken for one
/// of the new.
pub fn window(requested_at: Timestamp, now: Timestamp) -> i64 {
    now.duration_since(requested_at).max(SHORTEST_WINDOW).as_secs()
}

/// Returns when the limits of the day at `now` have ended.
pub fn tomorrow(now: Timestamp) -> Timestamp {
    let midnight = now.as_second().div_euclid(86_400) + 1;
    let midnight = Timestamp::from_second(midnight * 86_400).unwrap_or(Timestamp::MAX);
    midnight.saturating_add(AFTER_MIDNIGHT).unwrap_or(Timestamp::MAX)
}

/// Notes that the service works on it as this job.
pub fn submitted(archive: &Archive, job: String) -> Archive {
    Archive {
        state: ArchiveState::Submitted,
        job_id: Some(job),
        error: None,
        not_before: None,
        ..archive.clone()
    }
}

/// Notes that there is a capture, made at `at` where that is known.
pub fn captured(
    archive: &Archive,
    page: &PageUrl,
    at: Option<Timestamp>,
    original_url: Option<&str>,
    now: Timestamp,
) -> Archive {
    // The Wayback Machine leads to the capture nearest to the time in the address.
    let time = write_time(at.unwrap_or(now));
    let url = original_url.unwrap_or(page.as_str());
    Archive {
        state: ArchiveState::Captured,
        captured_at: at,
        wayback_url: Some(format!("https://web.archive.org/web/{time}/{url}")),
        error: None,
        not_before: None,
        ..archive.clone()
    }
}

/// Notes that the service declined at `now`; where it wants a pause, until `pause_ends`.
pub fn refused(archive: &Archive, refusal: &Refusal, pause_ends: Timestamp, now: Timestamp) -> Archive {
    let waits_until = |time| queued_again(archive, &refusal.words, time);
    match refusal.remedy {
        Remedy::Retry => tried(archive, &refusal.words, back_off(archive.attempts, now)),
        Remedy::Tomorrow => tried(archive, &refusal.words, tomorrow(now)),
        // No page is to blame for these.
        Remedy::Pause => waits_until(pause_ends),
        Remedy::AllTomorrow => waits_until(tomorrow(now)),
        Remedy::Never => failed(archive, &refusal.words),
    }
}

/// Notes that its job was not finished when nobody wanted to wait any longer.
///
/// A job is looked at again later. One that never ends is taken for lost.
pub fn unfinished(archive: &Archive, now: Timestamp) -> Archive {
    let words = "the capture takes long";
    if archive.attempts + 1 >= LOOKS {
        return tried(archive, words, back_off(archive.attempts, now));
    }
    Archive {
        attempts: archive.attempts + 1,
        error: Some(words.to_owned()),
        not_before: Some(back_off(archive.attempts, now)),
        ..archive.clone()
    }
}

/// Notes that the service says nothing about its job that could be read.
///
/// The capture may be made, so it is looked at again, for a day in all.
pub fn unreadable(archive: &Archive, words: &str, now: Timestamp) -> Archive {
    let wait = usize::try_from(archive.attempts).ok().and_then(|attempts| UNREADABLE.get(attempts));
    let Some(wait) = wait else {
        return failed(archive, &format!("given up after a day: {words}"));
    };
    Archive {
        attempts: archive.attempts + 1,
        error: Some(words.to_owned()),
        not_before: Some(now.saturating_add(*wait).unwrap_or(Timestamp::MAX)),
        ..archive.clone()
    }
}

/// Notes that the service does not know its job.
pub fn lost(archive: &Archive, now: Timestamp) -> Archive {
    tried(archive, "the service has forgotten the job", now)
}

/// Notes that the service was in trouble when this page was submitted.
///
/// That is not counted, because it may be so for every page. Should it be this page that troubles the
/// service, it is tried after longer and longer times: half its age.
pub fn troubled(archive: &Archive, words: &str, now: Timestamp) -> Archive {
    let age = now.duration_since(archive.requested_at);
    let rest = (age / 2).clamp(SignedDuration::from_mins(10), SignedDuration::from_hours(24));
    let until = now.saturating_add(rest).unwrap_or(Timestamp::MAX);
    Archive { error: Some(words.to_owned()), not_before: Some(until), ..archive.clone() }
}

/// Counts an attempt, after which it waits until `time` or is given up.
fn tried(archive: &Archive, words: &str, time: Timestamp) -> Archive {
    let attempts = archive.attempts + 1;
    let counted = Archive { attempts, ..archive.clone() };
    if attempts < ATTEMPTS {
        return queued_again(&counted, words, time);
    }
    failed(&counted, &format!("given up after {attempts} attempts: {words}"))
}

fn queued_again(archive: &Archive, words: &str, time: Timestamp) -> Archive {
    Archive {
        state: ArchiveState::Queued,
        job_id: None,
        error: Some(words.to_owned()),
        not_before: Some(time),
        ..archive.clone()
    }
}

fn failed(archive: &Archive, words: &str) -> Archive {
    Archive {
        state: ArchiveState::Failed,
        error: Some(words.to_owned()),
        not_before: None,
        ..archive.clone()
    }
}

/// Returns when to try again after this many attempts before: 1, 5, 25, 125 minutes later.
fn back_off(attempts: u32, now: Timestamp) -> Timestamp {
    let minutes = 5_i64.pow(attempts.min(ATTEMPTS));
    now.checked_add(minutes.minutes()).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
