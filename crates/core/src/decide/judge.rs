//! The verdict: what a visit says, beside what was known.

use jiff::Timestamp;

use crate::model::aspect::Aspects;
use crate::model::record::{ContentRef, Headers, PageRecord, PageState, Presence};
use crate::model::verdict::Verdict;
use crate::plan::change_rate::Rate;
use crate::url::{PageUrl, UrlRules, resolve};

/// What a visit saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observation {
    /// A body.
    Content {
        /// What it is.
        reference: ContentRef,
        /// What differs from the previous content by the rules of `reference`, of what one wants compared;
        /// `None` where the two cannot be compared.
        difference: Option<Aspects>,
        /// Bytes received for it.
        transfer_bytes: u64,
    },
    /// A 304 to a conditional request, or headers that are what they were.
    NotModified,
    /// Nobody asked, because the page is believed to be what it was.
    Presumed,
    /// A redirect; [`Headers::location`] says where.
    Redirect,
    /// A 404, or a 410 if it is for good.
    Absent {
        /// The page will not come back.
        for_good: bool,
    },
    /// Nothing that tells anything about the page.
    NoEvidence,
    /// The page was passed over, by rule.
    PassedOver,
}

impl Observation {
    /// Tells whether something was learnt of the page.
    pub const fn is_evidence(&self) -> bool {
        match self {
            Self::Content { .. } | Self::NotModified | Self::Redirect | Self::Absent { .. } => true,
            Self::Presumed | Self::NoEvidence | Self::PassedOver => false,
        }
    }
}

/// The verdict, and what is known after it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// What differs, where the verdict comes of comparing contents.
    pub aspects: Aspects,
    /// What is known after it.
    pub known: PageState,
}

/// Compares what a visit at `now` saw with what was known of the page.
///
/// A server in trouble never makes a page look changed or gone: without evidence, what is known
/// stays as it was.
pub fn judge(
    url: &PageUrl,
    previous: Option<&PageState>,
    seen: &Observation,
    headers: &Headers,
    now: Timestamp,
) -> Judgement {
    let before = previous.cloned().unwrap_or_else(|| unknown(now));
    let verdict = verdict(url, &before, seen, headers);
    let aspects = match (verdict, seen) {
        (Verdict::Changed, Observation::Content { difference, .. }) => difference.unwrap_or_default(),
        _ => Aspects::NONE,
    };
    let known = match seen {
        Observation::NoEvidence | Observation::PassedOver | Observation::Presumed => before,
        Observation::Content { reference, transfer_bytes, .. } => PageState {
            presence: Presence::Present,
            headers: headers.clone(),
            content: Some(reference.clone()),
            transfer_bytes: *transfer_bytes,
            ..counted(before, verdict, now)
        },
        Observation::NotModified => {
            let mut known = counted(before, verdict, now);
            known.headers.update(headers);
            known
        }
        Observation::Redirect => PageState {
            presence: Presence::Redirect,
            headers: headers.clone(),
            ..counted(before, verdict, now)
        },
        Observation::Absent { for_good } => PageState {
            presence: match (for_good, before.presence) {
                (_, Presence::Unknown) => Presence::Unknown,
                (true, _) => Presence::GoneForGood,
                (false, _) => Presence::Gone,
            },
            // A validator of what has gone must not make the return of the page look unchanged.
            headers: Headers::default(),
            ..counted(before, verdict, now)
        },
    };
    Judgement { verdict, aspects, known }
}

/// Says what a visit at `now` comes to that found a page as `unusual` has it, the record of an unusual crawl: the same
/// once more, beside what is believed of the page.
pub fn repeat(
    previous: Option<&PageState>,
    unusual: &PageRecord,
    headers: &Headers,
    now: Timestamp,
) -> Judgement {
    let before = previous.cloned().unwrap_or_else(|| unknown(now));
    let PageRecord { visit, known: seen, .. } = unusual;
    let mut known = PageState {
        presence: seen.presence,
        headers: seen.headers.clone(),
        content: seen.content.clone(),
        transfer_bytes: seen.transfer_bytes,
        memory: seen.memory.clone(),
        ..counted(before, visit.verdict, now)
    };
    known.headers.update(headers);
    Judgement { verdict: visit.verdict, aspects: visit.aspects, known }
}

/// Returns where a redirect from `url` leads, if it says so.
pub fn redirect_target(url: &PageUrl, headers: &Headers, rules: &UrlRules) -> Option<PageUrl> {
    let location = headers.location.as_deref()?;
    rules.normalise(resolve(location, Some(&url.to_url())).ok()?).ok()
}

fn verdict(url: &PageUrl, before: &PageState, seen: &Observation, headers: &Headers) -> Verdict {
    let was = before.presence;
    match seen {
        Observation::NoEvidence => Verdict::Failed,
        Observation::PassedOver => Verdict::Excluded,
        Observation::NotModified | Observation::Presumed => Verdict::Unchanged,
        Observation::Absent { .. } if was.is_live() => Verdict::Gone,
        Observation::Absent { .. } => Verdict::Missing,
        Observation::Redirect | Observation::Content { .. } if !was.is_live() => Verdict::New,
        Observation::Redirect => {
            let rules = UrlRules::keep_all_parameters();
            let same = redirect_target(url, &before.headers, &rules) == redirect_target(url, headers, &rules);
            if was == Presence::Redirect && same { Verdict::Unchanged } else { Verdict::Moved }
        }
        Observation::Content { .. } if was == Presence::Redirect => Verdict::Changed,
        Observation::Content { reference, difference, .. } => match &before.content {
            Some(content) if content.hash == reference.hash => Verdict::Unchanged,
            // Hashes by different rules tell nothing: the page is rebased without a report.
            Some(_) if difference.is_none_or(Aspects::is_empty) => Verdict::Touched,
            Some(_) | None => Verdict::Changed,
        },
    }
}

fn unknown(now: Timestamp) -> PageState {
    PageState {
        memory: None,
        presence: Presence::Unknown,
        headers: Headers::default(),
        content: None,
        transfer_bytes: 0,
        first_seen: now,
        last_changed: None,
        last_seen: now,
        fresh_until: None,
        changes_detected: 0,
        observations: 0,
        mean_interval: Rate::prior().mean_interval,
        change_frequency: Rate::prior().changes_a_day,
    }
}

fn counted(before: PageState, verdict: Verdict, now: Timestamp) -> PageState {
    if before.presence == Presence::Unknown {
        return PageState { first_seen: now, last_seen: now, ..before };
    }
    let changed = verdict.change().is_some();
    let rate = Rate { changes_a_day: before.change_frequency, mean_interval: before.mean_interval };
    let rate = rate.after(before.last_seen, now, changed);
    PageState {
        last_seen: now,
        last_changed: if changed { Some(now) } else { before.last_changed },
        changes_detected: before.changes_detected + u32::from(changed),
        observations: before.observations + 1,
        mean_interval: rate.mean_interval,
        change_frequency: rate.changes_a_day,
        ..before
    }
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;
    use crate::model::aspect::Aspect;
    use crate::model::ids::{ContentHash, RulesVersion, SemanticHash};

    const DAY: i64 = 24;

    fn url() -> PageUrl {
        "https://example.org/a".parse().unwrap()
    }

    fn day(number: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + (number * DAY).hours()
    }

    fn content(bytes: &str, meaning: &str) -> ContentRef {
        ContentRef {
            hash: ContentHash::of(bytes.as_bytes()),
            semantic: SemanticHash::of(meaning.as_bytes()),
            rules: RulesVersion("1".to_owned()),
            signatures: None,
        }
    }

    fn body(bytes: &str, meaning: &str, before: &str) -> Observation {
        Observation::Content {
            reference: content(bytes, meaning),
            difference: Some(if meaning == before { Aspects::NONE } else { Aspects::TEXT }),
            transfer_bytes: 10,
        }
    }

    fn to(location: &str) -> Headers {
        Headers { location: Some(location.to_owned()), ..Headers::default() }
    }

    fn known_after(seen: &[(Observation, Headers)]) -> Option<PageState> {
        let mut known = None;
        for (number, (observation, headers)) in (0..).zip(seen) {
            known = Some(judge(&url(), known.as_ref(), observation, headers, day(number)).known);
        }
        known
    }

    #[test]
    fn the_table_of_answers_holds() {
        let none = Headers::default;
        let present = || vec![(body("a", "A", ""), none())];
        let redirect = || vec![(Observation::Redirect, to("/b"))];
        let gone = || [present(), vec![(Observation::Absent { for_good: false }, none())]].concat();
        let failed = || vec![(Observation::NoEvidence, none())];
        let absent = Observation::Absent { for_good: false };
        let for_good = Observation::Absent { for_good: true };
        let cases = [
            ("unknown page with a body", vec![], body("a", "A", ""), none(), Verdict::New),
            ("same bytes", present(), body("a", "A", "A"), none(), Verdict::Unchanged),
            ("same meaning", present(), body("b", "A", "A"), none(), Verdict::Touched),
            ("other meaning", present(), body("b", "B", "A"), none(), Verdict::Changed),
            ("believed to be the same", present(), Observation::Presumed, none(), Verdict::Unchanged),
            ("304", present(), Observation::NotModified, none(), Verdict::Unchanged),
            ("unknown page that redirects", vec![], Observation::Redirect, to("/b"), Verdict::New),
            ("page that redirects now", present(), Observation::Redirect, to("/b"), Verdict::Moved),
            (
                "redirect to the same target",
                redirect(),
                Observation::Redirect,
                to("https://example.org/b"),
                Verdict::Unchanged,
            ),
            ("redirect to another target", redirect(), Observation::Redirect, to("/c"), Verdict::Moved),
            ("redirect that lost its target", redirect(), Observation::Redirect, none(), Verdict::Moved),
            ("redirect that became a page", redirect(), body("a", "A", ""), none(), Verdict::Changed),
            ("404 on a known page", present(), absent.clone(), none(), Verdict::Gone),
            ("410 on a known page", present(), for_good.clone(), none(), Verdict::Gone),
            ("404 on a known redirect", redirect(), absent.clone(), none(), Verdict::Gone),
            ("404 on a page that had gone", gone(), absent.clone(), none(), Verdict::Missing),
            ("page that is back", gone(), body("a", "A", "A"), none(), Verdict::New),
            ("404 on an unknown page", vec![], absent.clone(), none(), Verdict::Missing),
            ("server in trouble", present(), Observation::NoEvidence, none(), Verdict::Failed),
            ("first evidence after a failure", failed(), body("a", "A", ""), none(), Verdict::New),
            (
                "same bytes after a failure",
                [present(), failed()].concat(),
                body("a", "A", "A"),
                none(),
                Verdict::Unchanged,
            ),
            ("404 after a failure", [present(), failed()].concat(), absent, none(), Verdict::Gone),
            ("page under a new rule", present(), Observation::PassedOver, none(), Verdict::Excluded),
        ];
        for (case, before, seen, headers, expected) in cases {
            let judgement = judge(&url(), known_after(&before).as_ref(), &seen, &headers, day(9));
            assert_eq!(judgement.verdict, expected, "{case}");
        }
    }

    #[test]
    fn a_change_of_rules_is_not_a_change_of_the_site() {
        let before = known_after(&[(body("a", "A", ""), Headers::default())]);
        let seen = Observation::Content {
            reference: ContentRef { rules: RulesVersion("2".to_owned()), ..content("b", "B") },
            difference: None,
            transfer_bytes: 10,
        };
        let judgement = judge(&url(), before.as_ref(), &seen, &Headers::default(), day(1));
        assert_eq!(judgement.verdict, Verdict::Touched);
        assert_eq!(judgement.known.content.unwrap().rules, RulesVersion("2".to_owned()));
    }

    #[test]
    fn a_change_names_the_sides_from_which_it_came() {
        let before = known_after(&[(body("a", "A", ""), Headers::default())]);
        let links = [Aspect::Links].into_iter().collect();
        let seen = Observation::Content {
            reference: content("b", "A"),
            difference: Some(links),
            transfer_bytes: 10,
        };
        let judgement = judge(&url(), before.as_ref(), &seen, &Headers::default(), day(1));
        assert_eq!((judgement.verdict, judgement.aspects), (Verdict::Changed, links));
        let first = judge(&url(), None, &seen, &Headers::default(), day(1));
        assert_eq!((first.verdict, first.aspects), (Verdict::New, Aspects::NONE));
    }

    #[test]
    fn a_failure_changes_nothing_that_is_known() {
        let before = known_after(&[(body("a", "A", ""), Headers::default())]);
        for seen in [Observation::NoEvidence, Observation::PassedOver, Observation::Presumed] {
            let judgement = judge(&url(), before.as_ref(), &seen, &to("/x"), day(1));
            assert_eq!(Some(judgement.known), before);
        }
    }

    #[test]
    fn a_page_that_has_gone_forgets_its_validators() {
        let headers = Headers { etag: Some("\"1\"".to_owned()), ..Headers::default() };
        let seen =
            [(body("a", "A", ""), headers), (Observation::Absent { for_good: true }, Headers::default())];
        let known = known_after(&seen).unwrap();
        assert_eq!(known.headers.validators(), None);
        assert_eq!(known.presence, Presence::GoneForGood);
    }

    #[test]
    fn changes_are_counted_and_dated() {
        let known = known_after(&[
            (body("a", "A", ""), Headers::default()),
            (body("b", "B", "A"), Headers::default()),
            (Observation::NotModified, Headers::default()),
        ]);
        let known = known.unwrap();
        assert_eq!((known.first_seen, known.last_changed, known.last_seen), (day(0), Some(day(1)), day(2)));
        assert_eq!((known.changes_detected, known.observations), (1, 2));
        assert!(known.change_frequency > 0.0 && known.change_frequency < 0.3);
    }
}
