use super::*;
use crate::changes::edits::{OwnMarks, edits};
use crate::changes::noise::{LearntNoise, Said};
use crate::model::aspect::Aspects;
use crate::model::content::Reading;

/// Visits a page that says these texts in turn, lines between bars; returns the states of the edits of each visit.
fn states(texts: &[&str], noise: &LearntNoise) -> Vec<Vec<EditState>> {
    let noise = noise.in_force();
    let reading = |text: &str| Reading { text: text.replace('|', "\n"), outline: None };
    let mut memory = None;
    let mut states = Vec::new();
    for pair in texts.windows(2) {
        let own = OwnMarks::default();
        let mut edits = edits(&reading(pair[0]), &reading(pair[1]), &own, Aspects::ALL);
        memory = Some(recognise(memory.as_ref(), &noise, &mut edits));
        states.push(edits.list.iter().map(|edit| edit.state).collect());
    }
    states
}

fn of_page(texts: &[&str]) -> Vec<Vec<EditState>> {
    states(texts, &LearntNoise::default())
}

#[test]
fn a_line_that_comes_back_is_news_once_and_then_rotates() {
    use EditState::{Own, Rotating};
    let [a, b] = ["Text|Visit the tulip garden today", "Text|Our harbour tour starts soon"];
    assert_eq!(of_page(&[a, b, a, b, a]), [vec![Own], vec![Own], vec![Rotating], vec![Rotating]]);
}

#[test]
fn ids_that_differ_every_time_are_noise_from_the_third_time_on() {
    use EditState::{Learnt, Own};
    let page = |id: &str| format!("Text|Served by node {id}");
    let pages = ["4fd1c0a2e9", "91b2e7730c", "e04ac1d815", "0a9b8c7d6e"].map(page);
    let texts: Vec<&str> = pages.iter().map(String::as_str).collect();
    assert_eq!(of_page(&texts), [vec![Own], vec![Own], vec![Learnt]]);
}

#[test]
fn prices_that_differ_every_time_stay_news() {
    let page = |price: u32| format!("Text|A ticket is ${price}");
    let pages = [5, 6, 7, 8, 9].map(page);
    let texts: Vec<&str> = pages.iter().map(String::as_str).collect();
    assert!(of_page(&texts).into_iter().flatten().all(|state| state == EditState::Own));
}

#[test]
fn a_place_where_everything_is_replaced_at_every_visit_is_lively() {
    use EditState::{Lively, Own};
    let page = |week: usize| {
        format!("Text|News of week number {}", ["one", "two", "three", "four", "five", "six"][week])
    };
    let pages: Vec<String> = (0..6).map(page).collect();
    let mut texts: Vec<&str> = pages.iter().map(String::as_str).collect();
    // The first replaced a line that had stood there before anybody looked; the next three make it lively.
    assert_eq!(of_page(&texts), [vec![Own], vec![Own], vec![Own], vec![Lively], vec![Lively]]);
    let edited = pages[5].replace("Text", "Another text");
    texts[5] = &edited;
    assert!(of_page(&texts)[4].iter().all(|state| *state == Own), "a line that had stood there is news");
}

#[test]
fn pure_additions_are_never_lively() {
    let pages: Vec<String> = (1..7)
        .map(|lines| {
            (0..lines)
                .map(|line| format!("Entry of day {}", "x".repeat(line + 1)))
                .collect::<Vec<_>>()
                .join("|")
        })
        .collect();
    let texts: Vec<&str> = pages.iter().map(String::as_str).collect();
    assert!(of_page(&texts).into_iter().flatten().all(|state| state == EditState::Own));
}

#[test]
fn what_people_say_of_a_shape_wins() {
    let texts = ["Open now, closes at 17:00", "Open now, closes at 18:00"];
    let mut noise = LearntNoise::default();
    noise.say("Open now, closes at #", Said::Noise);
    assert_eq!(states(&texts, &noise), [[EditState::Learnt]]);
    noise.say("Open now, closes at 12:00", Said::NoNoise);
    assert_eq!(states(&texts, &noise), [[EditState::Own]]);
}

#[test]
fn a_memory_has_a_limit() {
    let page =
        |week: usize| (0..200).map(|line| format!("Week {week} line {line}")).collect::<Vec<_>>().join("\n");
    let reading = |week| Reading { text: page(week), outline: None };
    let mut memory = None;
    for week in 0..6 {
        let mut edits = edits(&reading(week), &reading(week + 1), &OwnMarks::default(), Aspects::ALL);
        memory = Some(recognise(memory.as_ref(), &LearntNoise::default().in_force(), &mut edits));
    }
    let memory = memory.unwrap();
    let lines: usize = memory.versions.iter().map(|version| version.went.len() + version.came.len()).sum();
    let shapes: usize = memory.shapes.iter().map(Vec::len).sum();
    assert!(lines + shapes <= MAX_NUMBERS, "{lines} lines, {shapes} shapes");
}
