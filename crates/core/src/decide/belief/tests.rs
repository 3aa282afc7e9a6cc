use super::*;
use crate::decide::retention::tests::crawls;
use crate::model::counts::Counts;
use crate::model::edit::Edits;
use crate::versions::tests::visited;

fn statistics(gone: u64) -> Statistics {
    Statistics {
        counts: Counts::from([(Verdict::Gone, gone), (Verdict::Unchanged, 100 - gone)]),
        ..Statistics::default()
    }
}

#[test]
fn the_next_whole_crawl_is_told_in_any_case() {
    let at = Timestamp::UNIX_EPOCH;
    let early = || Ending::Partial("stopped".to_owned());
    let of_ten = |as_then| Some(Confirmation { answered: 10, as_then });
    let silence = Some(Confirmation::default());
    // What is told has no suspicion, or one that is accepted.
    for (case, ending, gone, confirmation, unusual, told, confirms) in [
        ("an ordinary week", Ending::Complete, 0, None, false, true, false),
        ("an unusual week", Ending::Complete, 40, None, true, false, false),
        ("confirmed", Ending::Complete, 40, of_ten(8), false, true, true),
        ("confirmed within the bounds", Ending::Complete, 29, of_ten(10), false, true, true),
        ("back to normal", Ending::Complete, 0, of_ten(0), false, true, false),
        ("otherwise unusual", Ending::Complete, 40, of_ten(7), true, true, false),
        ("none of them answers", Ending::Complete, 40, silence, true, true, false),
        ("none was to be asked", Ending::Complete, 0, silence, false, true, false),
        ("ended early, the same", early(), 40, of_ten(10), true, true, false),
    ] {
        let belief = belief(&ending, &statistics(gone), confirmation, at);
        let is_told = belief.suspicion.as_ref().is_none_or(|suspicion| suspicion.accepted_at == Some(at));
        assert_eq!(
            (belief.suspicion.is_some(), is_told, belief.confirms),
            (unusual, told, confirms),
            "{case}"
        );
    }
}

#[test]
fn a_whole_crawl_has_the_last_word_of_the_unusual_ones_since_a_whole_one_was_believed() {
    let early = Ending::Partial("stopped".to_owned());
    let day = |found: Option<&Crawl>| found.map(|crawl| crawl.id.day().day());
    // `S` is unusual and ended early.
    for (kinds, after_whole, after_early) in [
        ("", None, None),
        ("c", None, None),
        ("cs", Some(2), None),
        ("cS", Some(2), Some(2)),
        ("csp", Some(2), None),
        ("csc", None, None),
        ("cssc", None, None),
        ("csS", Some(3), Some(3)),
        ("s", Some(1), None),
    ] {
        let mut crawls = crawls(&kinds.to_lowercase());
        for (crawl, kind) in crawls.iter_mut().zip(kinds.chars()) {
            if kind == 'S' {
                crawl.closed.as_mut().unwrap().ending = early.clone();
            }
        }
        let next = "crawl-1970-02-01".parse().unwrap();
        assert_eq!(day(unusual_before(&crawls, next, &Ending::Complete)), after_whole, "{kinds}");
        assert_eq!(day(unusual_before(&crawls, next, &early)), after_early, "{kinds}, ended early");
    }
}

#[test]
fn a_confirmed_crawl_is_decided_about_for_all_but_the_one_that_confirms_it() {
    let mut crawls = crawls("cs");
    let (next, other) = ("crawl-1970-02-01".parse().unwrap(), "crawl-1970-02-02".parse().unwrap());
    crawls[1].closed.as_mut().unwrap().suspicion.as_mut().unwrap().confirmed_by = Some(next);
    assert!(
        unusual_before(&crawls, next, &Ending::Complete).is_some(),
        "it is closed once more after a death"
    );
    assert!(unusual_before(&crawls, other, &Ending::Complete).is_none());
    assert!(!crawls[1].is_trusted() && !crawls[1].is_unusual(None));
}

#[test]
fn what_unusual_crawls_fetched_counts_until_one_is_believed() {
    for (kinds, expected) in [
        ("", vec![]),
        ("c", vec![]),
        ("cs", vec![2]),
        ("css", vec![3, 2]),
        ("csc", vec![]),
        ("csp", vec![]),
        ("ss", vec![2, 1]),
    ] {
        let since = unusual_since_believed(&crawls(kinds), "crawl-1970-02-01".parse().unwrap());
        assert_eq!(since.iter().map(|id| id.day().day()).collect::<Vec<_>>(), expected, "{kinds}");
    }
}

/// Returns the last of these visits, see [`visited`].
fn last(letters: &str) -> PageRecord {
    let mut record = visited(letters).pop().unwrap();
    record.visit.requests = 1;
    record
}

#[test]
fn what_is_doubted_of_an_unusual_crawl_follows_from_its_records() {
    let with = |tier, lines_left| {
        let mut record = last("AB");
        record.visit.tier = Some(tier);
        record.visit.edits = Some(Box::new(Edits { lines_before: 10, lines_left, ..Edits::default() }));
        record
    };
    for (case, record, lost, changed) in [
        ("unchanged", last("AA"), false, false),
        ("gone", last("A0"), true, false),
        ("failed", last("A!"), false, false),
        ("edited", with(Tier::Content, 9), false, true),
        ("edited around", with(Tier::Around, 10), false, false),
        ("without most of its text", with(Tier::Content, 4), true, true),
        ("with half of it", with(Tier::Content, 5), false, true),
    ] {
        assert_eq!(Answered::doubted(Doubt::Lost, &record).is_some(), lost, "{case}");
        assert_eq!(Answered::doubted(Doubt::Failed, &record).is_some(), lost, "{case}");
        assert_eq!(Answered::doubted(Doubt::Changed, &record).is_some(), changed, "{case}");
    }
}

#[test]
fn only_an_answer_confirms_or_refutes() {
    let mut presumed = last("AB");
    presumed.visit.requests = 0;
    for (then, now, expected) in [
        (last("AB"), last("AB"), (1, 1)),
        (last("AB"), last("ABA"), (1, 0)),
        (last("AB"), last("AB="), (1, 1)),
        (last("AB"), last("A0"), (1, 0)),
        (last("A0"), last("A0"), (1, 1)),
        (last("A0"), last("A00"), (1, 1)),
        (last("A0"), last("AA"), (1, 0)),
        (last("A0"), last("A>"), (1, 0)),
        (last("A0"), last("A!"), (0, 0)),
        (last("AB"), last("ABx"), (0, 0)),
        (last("AB"), presumed, (0, 0)),
    ] {
        let mut confirmation = Confirmation::default();
        confirmation.add(Answered::of(&then).unwrap(), Answered::of(&now));
        assert_eq!((confirmation.answered, confirmation.as_then), expected, "{then:?} {now:?}");
    }
}
