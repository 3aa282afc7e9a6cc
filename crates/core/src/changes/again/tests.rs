use super::*;
use crate::changes::edits::{OwnMarks, edits};
use crate::changes::memory::recognise;
use crate::changes::noise::{LearntNoise, Said};
use crate::changes::settle::tests::{reading, record};
use crate::changes::weight::ChangeWeights;
use crate::model::aspect::Aspects;
use crate::model::ids::ContentHash;
use crate::model::kind::Tier;

const PAGE: &str = "The council|Meets every week in the hall|Bring the papers|Ring the bell twice|The end";

fn page(line: &str) -> String {
    format!("{PAGE}|{line}")
}

/// A record of a page that changed so, as it is after its visit.
fn seen(before: &str, after: &str) -> PageRecord {
    let mut record = record("a", before, after);
    record.known.observations = 1;
    (record.visit.not_modified, record.visit.requests) = (false, 1);
    Grouped::default().settle(&mut record);
    record
}

/// What differs between the first and the second answer.
fn between(record: &PageRecord, first: &str, second: &str) -> Edits {
    let own = OwnMarks::new(&record.url, &[]);
    edits(&reading(first), &reading(second), &own, Aspects::ALL)
}

/// What was known of the page before, with another content than the record has.
fn known_before(record: &PageRecord) -> PageState {
    let mut before = record.known.clone();
    before.headers.etag = Some("\"before\"".to_owned());
    if let Some(content) = &mut before.content {
        content.hash = ContentHash::of(b"before");
    }
    before
}

#[test]
fn small_changes_of_pages_that_are_hardly_known_are_doubted() {
    let long = "Every line of it has ten words, all the same ones|".repeat(40);
    let twenty = "One two three four five six seven eight nine ten eleven twelve thirteen";
    for (case, before, after, observations, is_doubted_then) in [
        ("a word", page("Open 5"), page("Open 6"), 1, true),
        ("a word, third visit", page("Open 5"), page("Open 6"), 2, true),
        ("a word, fourth visit", page("Open 5"), page("Open 6"), 3, false),
        ("thirteen words of a few", page("Open"), page(twenty), 1, false),
        ("thirteen words of four hundred", format!("{long}Open"), format!("{long}{twenty}"), 1, true),
        ("the menu", format!("{PAGE}|n:Home"), format!("{PAGE}|n:Jobs"), 1, false),
    ] {
        let mut record = seen(&before, &after);
        record.known.observations = observations;
        assert_eq!(is_doubted(&record), is_doubted_then, "{case}: {:?}", record.visit.words);
        record.visit.not_modified = true;
        assert!(!is_doubted(&record), "{case}: another crawl fetched it");
    }
}

#[test]
fn what_differs_between_two_answers_is_noise_and_the_rest_stays_a_change() {
    let change = |text: &str, number: u32| page(&format!("{text} on most days|Seen by {number} people"));
    for (case, before, first, second, verdict, own) in [
        ("the same", change("Open", 1), change("Closed", 2), change("Closed", 2), Verdict::Changed, 2),
        ("a number", change("Open", 1), change("Open", 2), change("Open", 3), Verdict::Touched, 0),
        (
            "a number and a change",
            change("Open", 1),
            change("Shut", 2),
            change("Shut", 3),
            Verdict::Changed,
            1,
        ),
        ("a stale cache", change("Open", 1), change("Shut", 2), change("Open", 3), Verdict::Touched, 0),
        ("a line that went", page("Open"), PAGE.to_owned(), page("Open"), Verdict::Touched, 0),
        ("a line that came", PAGE.to_owned(), page("Sale"), page("Offer"), Verdict::Touched, 0),
        ("another page", change("Open", 1), change("Shut", 2), "Sorry".to_owned(), Verdict::Changed, 2),
    ] {
        let mut record = seen(&before, &first);
        let known = known_before(&record);
        let between = between(&record, &first, &second);
        let differs = reconsider(
            &mut record,
            Some(&known),
            &between,
            &NoiseInForce::default(),
            ChangeWeights::default(),
        );
        assert_eq!(record.visit.verdict, verdict, "{case}");
        let own_edits = |record: &PageRecord| {
            let edits = &record.visit.edits.as_ref().unwrap().list;
            edits.iter().filter(|edit| edit.state == EditState::Own).count()
        };
        assert_eq!(own_edits(&record), own, "{case}");
        assert_eq!(differs, own < 2, "{case}");
        // Nothing is lost where the second answer was an old one: the next visit compares with what was known.
        let is_as_before = record.known.content == known.content && record.known.headers == known.headers;
        assert_eq!(is_as_before, verdict == Verdict::Touched, "{case}");
        assert_eq!(record.visit.tier, Some(if own > 0 { Tier::Content } else { Tier::Noise }), "{case}");
        if verdict == Verdict::Touched {
            assert_eq!((record.archive.is_none(), record.visit.aspects), (true, Aspects::NONE), "{case}");
        }
    }
}

#[test]
fn a_shape_of_noise_is_known_the_next_time_unless_it_is_a_figure_that_people_watch() {
    for (case, line, next_state) in [
        ("a counter", "Seen by # people", EditState::Learnt),
        ("a fee", "The fee is # pounds", EditState::Own),
    ] {
        let with = |number: &str| page(&line.replace('#', number));
        let mut record = seen(&with("1"), &with("2"));
        let between = between(&record, &with("2"), &with("3"));
        assert!(
            reconsider(&mut record, None, &between, &NoiseInForce::default(), ChangeWeights::default()),
            "{case}"
        );
        assert_eq!(record.visit.verdict, Verdict::Touched, "{case}");
        let own = OwnMarks::new(&record.url, &[]);
        let mut next = edits(&reading(&with("3")), &reading(&with("4")), &own, Aspects::ALL);
        let memory = recognise(record.known.memory.as_deref(), &NoiseInForce::default(), &mut next);
        assert_eq!(next.list[0].state, next_state, "{case}");
        assert_eq!(memory.noise.is_empty(), next_state == EditState::Own, "{case}: it is not forgotten");
    }
}

#[test]
fn what_somebody_called_no_noise_stays_a_change() {
    let with = |number: u32| page(&format!("Seen by {number} people"));
    let mut record = seen(&with(1), &with(2));
    let between = between(&record, &with(2), &with(3));
    let mut said = LearntNoise::default();
    said.say("Seen by 1 people", Said::NoNoise);
    assert!(!reconsider(&mut record, None, &between, &said.in_force(), ChangeWeights::default()));
    assert_eq!(record.visit.verdict, Verdict::Changed);
}

fn chosen(rechecks: &mut Rechecks) -> Vec<String> {
    rechecks.choose().into_iter().map(|page| page.url.path().to_owned()).collect()
}

fn changed(name: &str, line: &str) -> PageRecord {
    let mut record = seen(&page("Open"), &page(line));
    record.url = format!("https://example.org/{name}").parse().unwrap();
    record
}

#[test]
fn one_page_in_a_hundred_and_at_least_five_are_asked_again_and_none_where_nobody_wants_it() {
    for (share, unchanged, expected) in [(0.01, 0, 5), (0.01, 990, 10), (0.1, 90, 10), (0.0, 990, 0)] {
        let mut rechecks = Rechecks::new(share);
        let calm = record("calm", PAGE, PAGE);
        (0..unchanged).for_each(|_| rechecks.note(&calm));
        for number in 0..10 {
            rechecks.note(&changed(&format!("p{number}"), &format!("Word {}", "x".repeat(number + 1))));
        }
        assert_eq!(rechecks.choose().len(), expected, "{share} of {unchanged}");
        assert!(rechecks.choose().is_empty(), "once");
    }
}

#[test]
fn what_many_pages_have_is_not_asked_for_and_what_few_have_comes_first() {
    let mut rechecks = Rechecks::new(0.01);
    for number in 0..6 {
        rechecks.note(&changed(&format!("a{number}"), "The same everywhere"));
        rechecks.note(&changed(&format!("b{number}"), &format!("Built {number} times")));
    }
    rechecks.note(&changed("z", "Only here"));
    let mut twice = changed("asked", "Only there");
    twice.visit.requests = 2;
    rechecks.resume(&twice);
    assert_eq!(chosen(&mut rechecks), ["/z", "/b0", "/b1", "/b2", "/b3"]);
}
