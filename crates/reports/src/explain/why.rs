//! The rule by which a visit got its verdict, in words.

use recrawl_core::decide::FIRST_SEEN;
use recrawl_core::model::aspect::Aspect;
use recrawl_core::model::edit::EditState;
use recrawl_core::model::record::{Check, ContentRef, PageRecord, PageState, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::words::counted;

use crate::marks::{marks, written};

/// How many lines of noise are named, and how long each is.
const NAMED: usize = 3;
const LONGEST: usize = 120;

/// Says in words why a visit got its verdict, given the record that it was compared with.
pub(super) fn why(record: &PageRecord, previous: Option<&PageRecord>) -> String {
    let visit = &record.visit;
    let reason = || visit.reason.as_deref().unwrap_or("no reason is known").to_owned();
    let before = previous.map(|previous| &previous.known);
    match visit.verdict {
        Verdict::New => new(record, before),
        Verdict::Changed => changed(record, previous),
        Verdict::Shared => {
            "What differs here is the same on other pages: the frame of the site changed, not this page."
                .to_owned()
        }
        Verdict::Unchanged => unchanged(record),
        Verdict::Touched => touched(record, before),
        Verdict::Gone => {
            let status = visit.status.unwrap_or(404);
            format!(
                "The page was there before and answered {status} twice in this crawl: first in its turn, then at the end."
            )
        }
        Verdict::Moved => moved(record, previous),
        Verdict::Missing => {
            let status = visit.status.unwrap_or(404);
            format!("The page answered {status}, and there was no page here before: a link to it is broken.")
        }
        Verdict::Failed => {
            let kept = if record.known.presence == Presence::Unknown {
                "Nothing is known of the page."
            } else {
                "So what was known of the page stays as it was."
            };
            format!("The visit says nothing about the page: {}. {kept}", reason())
        }
        Verdict::Excluded => format!("The page was not asked for, by rule: {}.", reason()),
    }
}

fn new(record: &PageRecord, before: Option<&PageState>) -> String {
    let what = if record.known.presence == Presence::Redirect { "redirects" } else { "has content" };
    match before.map(|before| before.presence) {
        None => format!("No earlier crawl that is believed has visited the page, and it {what}."),
        Some(Presence::Unknown) => format!("The page was asked for before and never seen; now it {what}."),
        Some(Presence::Gone | Presence::GoneForGood) => format!("The page had gone and is back: it {what}."),
        Some(Presence::Present | Presence::Redirect) => format!("The page {what}."),
    }
}

fn changed(record: &PageRecord, previous: Option<&PageRecord>) -> String {
    let since = previous.map_or_else(String::new, |previous| format!(" from what {} saw", previous.crawl));
    if previous.is_some_and(|previous| previous.known.presence == Presence::Redirect) {
        return "The page redirected before and has content now.".to_owned();
    }
    let aspects = record.visit.aspects;
    let what = match aspects.iter().map(Aspect::word).collect::<Vec<_>>().as_slice() {
        [] => "What it is differs".to_owned(),
        ["text"] => "Its text differs".to_owned(),
        [one] => format!("Its {one} differ"),
        [others @ .., last] => format!("Its {} and {last} differ", others.join(", ")),
    };
    let lie = match record.visit.check {
        Check::False304 => {
            " The server had answered 304 (not modified); an unconditional request showed that this was not true."
        }
        Check::None | Check::Confirmed => "",
    };
    format!("{what}{since}.{lie}")
}

fn unchanged(record: &PageRecord) -> String {
    let visit = &record.visit;
    if visit.requests == 0 {
        let reason = visit.reason.as_deref().unwrap_or("no reason is known");
        let reason = reason.strip_prefix("not asked: ").unwrap_or(reason);
        return format!("The page is believed to be what it was, and nobody asked: {reason}.");
    }
    if visit.not_modified {
        let checked = match visit.check {
            Check::None => "",
            Check::Confirmed => " An unconditional request showed that this was true.",
            Check::False304 => " An unconditional request showed that this was not true.",
        };
        return format!("The server answered 304: nothing changed, whatever hash is stored.{checked}");
    }
    if visit.is_same_by_head() {
        let reason = visit.reason.as_deref().unwrap_or_default();
        let checked = match visit.check {
            Check::None => "the page itself was not fetched",
            Check::Confirmed | Check::False304 => {
                "an unconditional request showed that the page was what it was"
            }
        };
        return format!("The page is what it was: {reason}, and {checked}.");
    }
    if record.known.presence == Presence::Redirect {
        let target = record.location().unwrap_or_else(|| "nowhere".to_owned());
        return format!("It redirects to {target}, as before.");
    }
    if visit.reason.as_deref() == Some(FIRST_SEEN) {
        return format!("It is {FIRST_SEEN}: there is nothing to compare it with.");
    }
    "The bytes are the same, so nothing else was compared.".to_owned()
}

/// Says what the noise of a page is: what rules removed, what was learnt, what goes and comes back.
fn noise(record: &PageRecord) -> Option<String> {
    let edits = record.visit.edits.as_ref()?;
    let mut told: Vec<String> = edits
        .noise
        .iter()
        .map(|(rule, count)| {
            format!("the rule {rule} removed {} otherwise than before", counted(u64::from(*count), "piece"))
        })
        .collect();
    for edit in edits.list.iter().filter(|edit| edit.state.is_noise()).take(NAMED) {
        let why = match edit.state {
            EditState::Rotating => "goes and comes back",
            EditState::Lively => "stands where everything is replaced at every visit",
            _ => "was learnt as noise",
        };
        let (went, came) = edit.texts.clone().unwrap_or_default();
        let line = written(&marks(Some(&went), Some(&came), LONGEST));
        let line = if line.is_empty() { "a line".to_owned() } else { line };
        told.push(format!("{line} in the {} {why}", edit.region));
    }
    (!told.is_empty()).then(|| format!("Only noise changed: {}.", told.join("; ")))
}

fn touched(record: &PageRecord, before: Option<&PageState>) -> String {
    let contents = before.and_then(|before| before.content.as_ref()).zip(record.known.content.as_ref());
    let noise = noise(record);
    let has_known_lines = record.visit.edits.as_ref().is_some_and(|edits| !edits.list.is_empty());
    if let Some(noise) = noise.as_ref().filter(|_| has_known_lines) {
        // What differs beside the bytes is known as noise: there is nothing else to say of it.
        return noise.clone();
    }
    let told = differing(contents);
    noise.map_or_else(|| told.clone(), |noise| format!("{told} {noise}"))
}

fn differing(contents: Option<(&ContentRef, &ContentRef)>) -> String {
    match contents {
        Some((before, now)) if before.rules != now.rules => rebased(before, now),
        Some((before, now)) => {
            let ignored = before.differences(now);
            if ignored.is_empty() {
                "The bytes differ and the text does not: what differs is noise, or does not count.".to_owned()
            } else {
                format!("The bytes differ, and the {ignored}, which this site does not want compared.")
            }
        }
        None => "The bytes differ and the text does not.".to_owned(),
    }
}

fn rebased(before: &ContentRef, now: &ContentRef) -> String {
    format!(
        "The rules of reading changed from {} to {}, so the hashes cannot be compared. The earlier body, where it was \
         kept, was read again by the new rules and says the same; where it was not, the page was rebased without a report.",
        before.rules.0, now.rules.0
    )
}

fn moved(record: &PageRecord, previous: Option<&PageRecord>) -> String {
    let target = record.location().unwrap_or_else(|| "nowhere".to_owned());
    match previous.and_then(PageRecord::location) {
        Some(before) => format!("It redirects to {target}, and redirected to {before} before."),
        None => format!("It had content before and redirects to {target} now."),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use recrawl_core::decide::judge::{Observation, judge};
    use recrawl_core::model::aspect::Aspects;
    use recrawl_core::model::ids::{ContentHash, RulesVersion, SemanticHash};
    use recrawl_core::model::kind::{Kinds, WordCount};
    use recrawl_core::model::record::{Found, FoundBy, Headers, Visit};

    use super::*;

    /// Returns a record that followed `previous` and saw `seen`.
    fn record(previous: Option<&PageRecord>, seen: &Observation, location: Option<&str>) -> PageRecord {
        let url = "https://example.org/a".parse().unwrap();
        let headers = Headers { location: location.map(str::to_owned), ..Headers::default() };
        let known = previous.map(|previous| &previous.known);
        let judgement = judge(&url, known, seen, &headers, Timestamp::UNIX_EPOCH);
        PageRecord {
            site: "example".parse().unwrap(),
            crawl: if previous.is_some() { "crawl-2026-11-16" } else { "crawl-2026-11-09" }.parse().unwrap(),
            url,
            found: Found { by: FoundBy::Seed, depth: 0, referrer: None },
            visit: Visit {
                verdict: judgement.verdict,
                aspects: judgement.aspects,
                tier: None,
                weight: 0,
                words: WordCount::default(),
                kinds: Kinds::default(),
                edits: None,
                status: None,
                not_modified: *seen == Observation::NotModified,
                check: Check::None,
                reason: Some("timed out".to_owned()),
                fetched_at: Timestamp::UNIX_EPOCH,
                fetch_ms: 0,
                requests: u32::from(*seen != Observation::Presumed),
                received_bytes: 0,
                saved_bytes: 0,
                truncated: false,
            },
            known: judgement.known,
            archive: None,
        }
    }

    fn page(bytes: &str, meaning: &str, rules: &str, difference: Option<Aspects>) -> Observation {
        let reference = ContentRef {
            hash: ContentHash::of(bytes.as_bytes()),
            semantic: SemanticHash::of(meaning.as_bytes()),
            rules: RulesVersion(rules.to_owned()),
            signatures: None,
        };
        Observation::Content { reference, difference, transfer_bytes: 1 }
    }

    #[test]
    fn each_verdict_is_explained_by_its_rule() {
        let first = record(None, &page("a", "A", "1", None), None);
        let redirect = record(None, &Observation::Redirect, Some("/x"));
        let gone = record(Some(&first), &Observation::Absent { for_good: false }, None);
        let none = Some(Aspects::NONE);
        for (previous, seen, location, expected) in [
            (None, page("a", "A", "1", None), None, "No earlier crawl"),
            (Some(&gone), page("a", "A", "1", none), None, "had gone and is back"),
            (
                Some(&first),
                page("b", "B", "1", Some(Aspects::TEXT)),
                None,
                "Its text differs from what crawl-2026-11-09 saw.",
            ),
            (
                Some(&first),
                page("b", "B", "1", Some(Aspects::ALL)),
                None,
                "Its text, links, media and meta differ from",
            ),
            (Some(&first), page("a", "A", "1", none), None, "The bytes are the same"),
            (Some(&first), page("b", "A", "1", none), None, "the text does not"),
            (Some(&first), page("b", "A", "2", none), None, "The rules of reading changed from 1 to 2"),
            (Some(&first), Observation::NotModified, None, "answered 304"),
            (Some(&first), Observation::Presumed, None, "nobody asked: timed out"),
            (
                Some(&first),
                Observation::Redirect,
                Some("/x"),
                "had content before and redirects to https://example.org/x",
            ),
            (
                Some(&redirect),
                Observation::Redirect,
                Some("/y"),
                "and redirected to https://example.org/x before",
            ),
            (Some(&redirect), Observation::Redirect, Some("/x"), "as before"),
            (Some(&redirect), page("a", "A", "1", None), None, "redirected before and has content now"),
            (Some(&first), Observation::Absent { for_good: false }, None, "answered 404 twice"),
            (None, Observation::Absent { for_good: false }, None, "a link to it is broken"),
            (
                Some(&first),
                Observation::NoEvidence,
                None,
                "says nothing about the page: timed out. So what was known",
            ),
            (None, Observation::NoEvidence, None, "Nothing is known"),
            (None, Observation::PassedOver, None, "not asked for, by rule: timed out"),
        ] {
            let why = why(&record(previous, &seen, location), previous);
            assert!(why.contains(expected), "{why}\nshould say: {expected}");
        }
    }

    #[test]
    fn a_lie_of_the_server_is_told() {
        let first = record(None, &page("a", "A", "1", None), None);
        let mut second = record(Some(&first), &page("b", "B", "1", Some(Aspects::TEXT)), None);
        second.visit.check = Check::False304;
        assert!(why(&second, Some(&first)).contains("not true"));
    }
}
