use super::*;
use crate::model::edit::is_whole;
use crate::model::outline::{Item, MetaKind, NoiseTrace};

fn own() -> OwnMarks {
    OwnMarks::new(&"https://example.org/budget".parse().unwrap(), &[Some("Budget of the city")])
}

/// A page as lines; `n:` stands in the menu, `h:` is a heading.
fn reading(lines: &str) -> Reading {
    let mut outline = Outline::default();
    let mut text = Vec::new();
    for line in lines.split('|').filter(|line| !line.is_empty()) {
        let (mark, line) = match line.split_at_checked(2) {
            Some(("n:", line)) => (Mark::of(Region::Nav), line),
            Some(("h:", line)) => (Mark { is_heading: true, ..Mark::CONTENT }, line),
            _ => (Mark::CONTENT, line),
        };
        outline.push_line(mark);
        text.push(line);
    }
    Reading { text: text.join("\n"), outline: Some(outline) }
}

fn compared(before: &str, after: &str) -> Edits {
    edits(&reading(before), &reading(after), &own(), Aspects::ALL)
}

fn with_links(words: &[(&str, &str)]) -> Reading {
    let item = |(address, words): &(&str, &str)| Item {
        mark: Mark::CONTENT,
        address: (*address).to_owned(),
        words: (*words).to_owned(),
        source: String::new(),
    };
    let outline = Outline { links: words.iter().map(item).collect(), ..Outline::default() };
    Reading { text: String::new(), outline: Some(outline) }
}

#[test]
fn an_edit_says_where_it_stands_and_what_kind_it_is() {
    for (before, after, region, kinds, figures) in [
        ("Costs 5", "Costs 6", Region::Content, vec![Kind::Numbers], true),
        ("Closed until 3 May", "Closed until 4 June", Region::Content, vec![Kind::Dates], true),
        ("A|n:Home", "A|n:Home|n:Jobs", Region::Nav, vec![Kind::Text], false),
        ("h:Old town", "h:New town", Region::Content, vec![Kind::Headings, Kind::Text], false),
        ("The hall is open", "The hall is closed", Region::Content, vec![Kind::Text], false),
    ] {
        let edits = compared(before, after);
        let [edit] = &edits.list[..] else { panic!("{before} -> {after}: {edits:?}") };
        assert_eq!((edit.region, edit.traits.has_figures), (region, figures), "{before} -> {after}");
        assert_eq!(edit.traits.kinds.iter().collect::<Vec<_>>(), kinds, "{before} -> {after}");
    }
}

#[test]
fn the_same_lines_in_another_order_are_no_edit() {
    assert!(compared("One|Two|Three", "Three|One|Two").list.is_empty());
    assert!(compared("One|n:Two", "n:Two|One").list.is_empty());
}

#[test]
fn content_comes_first_and_the_heaviest_first() {
    let edits = compared("n:a|x", "n:a b c d e f g|n:h i j k|One two three four|Five|x");
    let regions: Vec<Region> = edits.list.iter().map(|edit| edit.region).collect();
    assert_eq!(regions[..2], [Region::Content, Region::Content]);
    assert_eq!(edits.list[0].texts.as_ref().unwrap().1, "One two three four");
}

#[test]
fn an_edit_of_the_pages_own_address_is_the_same_on_every_page() {
    let edit_on = |name: &str| {
        let url: crate::url::PageUrl = format!("https://example.org/{name}").parse().unwrap();
        let own = OwnMarks::new(&url, &[]);
        let link = format!("https://example.org/{name}?layer=195");
        let edits = edits(&with_links(&[]), &with_links(&[(&link, "")]), &own, Aspects::ALL);
        edits.list[0].id()
    };
    assert_eq!(edit_on("one-page"), edit_on("another-page"));
}

#[test]
fn a_document_that_leads_elsewhere_under_the_same_words_is_content() {
    let before = with_links(&[("https://example.org/2025.pdf", "The plan"), ("https://example.org/x", "")]);
    let after = with_links(&[("https://example.org/2026.pdf", "The plan"), ("https://example.org/y", "")]);
    let tiers: Vec<Tier> =
        edits(&before, &after, &own(), Aspects::ALL).list.iter().map(Edit::place_tier).collect();
    assert_eq!(tiers, [Tier::Content, Tier::Around, Tier::Around]);
    assert!(edits(&before, &after, &own(), Aspects::TEXT).list.is_empty());
}

#[test]
fn title_and_robots_are_content_and_the_rest_of_the_head_is_not() {
    let head = |kind, text: &str| {
        let outline = Outline { meta: vec![(kind, text.to_owned())], ..Outline::default() };
        Reading { text: String::new(), outline: Some(outline) }
    };
    for (kind, tier) in [
        (MetaKind::Title, Tier::Content),
        (MetaKind::Robots, Tier::Content),
        (MetaKind::Description, Tier::Around),
        (MetaKind::Canonical, Tier::Around),
    ] {
        let edits = edits(&head(kind, "one"), &head(kind, "two"), &own(), Aspects::ALL);
        assert_eq!(edits.list.iter().map(Edit::place_tier).collect::<Vec<_>>(), [tier], "{kind:?}");
    }
}

#[test]
fn what_exceeds_the_limit_is_one_edit_that_is_still_the_same_elsewhere() {
    let many: String = (0..100).map(|line| format!("Line {line} says a word")).collect::<Vec<_>>().join("|");
    let edits = compared("", &many);
    assert_eq!(edits.list.len(), MAX_EDITS + 1);
    let rest = edits.list.last().unwrap();
    assert_eq!((rest.count, rest.texts.is_none()), (36, true));
    assert_eq!(compared("", &many).list.last().unwrap().id(), rest.id());
    let kept = edits.list.iter().filter(|edit| edit.texts.is_some()).count();
    assert_eq!(kept, MAX_TEXTS);
}

#[test]
fn lost_lines_are_those_that_went_without_another_in_their_place() {
    let edits = compared("a one|b two|c three|d four", "a one|b 2 two");
    assert_eq!((edits.lines_before, edits.lines_left), (4, 2));
    assert!(!edits.left_less_than(50) && edits.left_less_than(51));
}

#[test]
fn noise_that_rules_removed_is_counted_where_it_differs() {
    let trace = |rule: &str, fingerprint| NoiseTrace { rule: rule.to_owned(), count: 2, fingerprint };
    let page =
        |noise| Reading { text: String::new(), outline: Some(Outline { noise, ..Outline::default() }) };
    let before = page(vec![trace("years", 1), trace("ids", 1), trace("ads", 1)]);
    let after = page(vec![trace("years", 2), trace("ids", 1), trace("counters", 1)]);
    let counted = edits(&before, &after, &own(), Aspects::ALL).noise;
    let rules: Vec<&str> = counted.iter().map(|(rule, _)| rule.as_str()).collect();
    assert_eq!(rules, ["years", "counters", "ads"]);
}

#[test]
fn what_is_kept_of_long_lines_shows_where_they_differ() {
    let prose = "the ferry leaves from the pier ".repeat(12);
    for (went, came, expected) in [
        (prose.clone(), format!("{prose}and fares rise"), "and fares rise"),
        (format!("{prose}at nine {prose}"), format!("{prose}at noon {prose}"), "at noon"),
        (format!("{prose}at nine"), format!("{prose}at noon"), "at noon"),
    ] {
        let (old, new) = in_short(&went, &came);
        assert!(new.contains(expected) && !old.contains(expected), "{old} {new}");
        assert!(new.chars().count() <= MAX_TEXT, "{new}");
        assert!(!is_whole(&old) && !is_whole(&new), "{old} {new}");
    }
    let (old, new) = in_short(&format!("Open. {prose}"), &format!("Shut. {prose}"));
    assert!(old.starts_with("Open.") && new.starts_with("Shut."), "{old} {new}");
    assert_eq!(in_short("a", "b"), ("a".to_owned(), "b".to_owned()));
    assert!(is_whole("a"));
}
