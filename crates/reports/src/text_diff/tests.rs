use std::fmt::Write as _;
use std::time::Duration;

use super::*;

fn later() -> Instant {
    Instant::now() + Duration::from_secs(5)
}

fn shown(difference: &Difference) -> String {
    let mut shown = String::new();
    for hunk in &difference.hunks {
        if hunk.skipped_before > 0 {
            writeln!(shown, "({} lines)", hunk.skipped_before).unwrap();
        }
        shown.push_str(&lines_shown(&hunk.lines));
    }
    if difference.skipped_after > 0 {
        writeln!(shown, "({} lines)", difference.skipped_after).unwrap();
    }
    shown
}

fn lines_shown(lines: &[Line]) -> String {
    let mut shown = String::new();
    for line in lines {
        shown.push_str(line.tag.mark());
        for piece in &line.pieces {
            let marked = if piece.emphasised { format!("[{}]", piece.text) } else { piece.text.clone() };
            shown.push_str(&marked);
        }
        shown.push('\n');
    }
    shown
}

fn compared(older: &str, newer: &str) -> Difference {
    compare(older, newer, Context::Lines(1), later())
}

#[test]
fn lines_are_compared_and_words_within_them() {
    for (older, newer, expected) in [
        ("", "", ""),
        ("a\nb", "a\nb\n", ""),
        ("", "a", "+a\n"),
        ("a", "", "-a\n"),
        ("open from 9 to 17", "open from 9 to 18", "-open from 9 to [17]\n+open from 9 to [18]\n"),
        ("a\nb\nc\nd\ne", "a\nb\nC is new\nd\ne", "(1 lines)\n b\n-c\n+C is new\n d\n(1 lines)\n"),
        ("x\n1\n2\n3\n4\ny", "X\n1\n2\n3\n4\nY", "-x\n+X\n 1\n(2 lines)\n 4\n-y\n+Y\n"),
    ] {
        assert_eq!(shown(&compared(older, newer)), expected, "{older:?} {newer:?}");
    }
}

#[test]
fn everything_can_be_shown() {
    let difference = compare("1\n2\n3\nx", "1\n2\n3\ny", Context::All, later());
    assert_eq!(shown(&difference), " 1\n 2\n 3\n-x\n+y\n");
    assert_eq!(compare("a", "a", Context::All, later()), Difference::default());
}

#[test]
fn lines_are_numbered_and_counted() {
    let difference = compared("a\nb\nc", "a\nc\nd\ne");
    let numbers: Vec<_> = difference.hunks[0].lines.iter().map(|line| (line.older, line.newer)).collect();
    assert_eq!(
        numbers,
        [(Some(1), Some(1)), (Some(2), None), (Some(3), Some(2)), (None, Some(3)), (None, Some(4))]
    );
    assert_eq!((difference.removed, difference.added), (1, 2));
}

#[test]
fn replaced_lines_stand_side_by_side() {
    let difference = compared("a\nb\nc\nz", "a\nB\nz\nnew");
    let rows: Vec<String> = side_by_side(&difference.hunks[0].lines)
        .into_iter()
        .map(|pair| {
            let text = |line: Option<&Line>| line.map_or("·".to_owned(), |line| line.pieces[0].text.clone());
            format!("{}|{}", text(pair.older), text(pair.newer))
        })
        .collect();
    assert_eq!(rows, ["a|a", "b|B", "c|·", "z|z", "·|new"]);
}

#[test]
fn an_excerpt_begins_near_what_differs() {
    let long = "word ".repeat(100);
    let difference = compared(&format!("{long}old end"), &format!("{long}new end"));
    let shown = lines_shown(&excerpt(&difference));
    assert!(shown.starts_with("-…"), "{shown}");
    assert!(shown.contains("[old] end") && shown.contains("[new] end"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 163), "{shown}");
    assert_eq!(excerpt(&Difference::default()), Vec::new());
}

#[test]
fn the_first_change_is_the_excerpt_of_the_difference() {
    for (older, newer) in [
        ("a\nb", "a\nb"),
        ("a\nopen 9 to 17\nz\nlast", "a\nopen 9 to 18\nz\nother"),
        ("a\nz", "a\n \nz\nmore"),
    ] {
        let expected = excerpt(&compare(older, newer, Context::Lines(0), later()));
        assert_eq!(first_change(older, newer, later()), expected, "{older:?} {newer:?}");
    }
}

#[test]
fn a_text_begins_with_its_first_lines_that_say_more_than_its_title() {
    assert_eq!(lines_shown(&beginning("\n  \ntitle\n one\ntwo\nthree", Some("title"), 2)), "+one\n+two\n");
    let cut = lines_shown(&beginning(&"é".repeat(500), None, 2));
    assert_eq!(cut.chars().filter(|character| *character == 'é').count(), 160);
    assert!(cut.ends_with("…\n"));
}

#[test]
fn what_passes_the_deadline_is_coarse_and_still_right() {
    let lines = |line: &dyn Fn(usize) -> String| (0..3000).map(line).collect::<Vec<_>>().concat();
    let older = lines(&|number| format!("line {number} of the old text\n"));
    let newer = lines(&|number| format!("row {} in the new one\n", number * 7));
    let difference = compare(&older, &newer, Context::Lines(3), Instant::now());
    let read = |wanted: Tag| -> String {
        let lines = difference.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.tag == wanted);
        lines.map(|line| line.pieces.iter().map(|piece| &*piece.text).collect::<String>() + "\n").collect()
    };
    assert_eq!(read(Tag::Removed), older);
    assert_eq!(read(Tag::Added), newer);
}

#[test]
fn long_texts_are_compared_word_by_word() {
    let paragraph = |number: usize, word: &str| {
        format!(
            "Paragraph {number} of a long page says {word} things about its town, its bridges and its trams.\n"
        )
    };
    let text = |every: usize, word: &str| -> String {
        (0..2500).map(|number| paragraph(number, if number % every == 0 { word } else { "many" })).collect()
    };
    let (older, newer) = (text(10, "old"), text(7, "new"));
    assert!(older.len() > 200_000);
    let difference = compare(&older, &newer, Context::Lines(3), later());
    assert!(difference.removed > 500, "{}", difference.removed);
    let words = difference.hunks.iter().flat_map(|hunk| &hunk.lines).flat_map(|line| &line.pieces);
    assert!(
        words.filter(|piece| piece.emphasised).all(|piece| ["old", "new", "many"].contains(&&*piece.text))
    );
}

/// Returns lines, one a number, made by `line`.
fn many(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|number| line(number) + "\n").collect()
}

#[test]
fn no_more_is_shown_than_the_limit_and_the_rest_is_counted() {
    let (older, newer) =
        (many(8_000, |number| format!("old {number}")), many(9_000, |number| format!("new {number}")));
    let limit = Limit { changed: 100, ..Limit::PAGE };
    let difference = compare_within(&older, &newer, Context::Lines(3), later(), limit);
    assert_eq!((difference.removed, difference.added, difference.omitted_lines), (8_000, 9_000, 16_900));
    let lines = &difference.hunks[0].lines;
    let of = |tag: Tag| lines.iter().filter(|line| line.tag == tag).count();
    assert_eq!((of(Tag::Removed), of(Tag::Added), difference.skipped_after), (50, 50, 0));
    let whole = compare(&older, &newer, Context::Lines(3), later());
    assert_eq!((whole.hunks[0].lines.len(), whole.omitted_lines), (17_000, 0));
}

#[test]
fn hunks_after_the_limit_are_left_out_and_what_is_before_them_is_as_ever() {
    let text = |word: &str| {
        many(100, |number| if number % 10 == 5 { format!("{word} {number}") } else { number.to_string() })
    };
    let (older, newer) = (text("old"), text("new"));
    let whole = compare(&older, &newer, Context::Lines(1), later());
    let limit = Limit { changed: 6, ..Limit::PAGE };
    let cut = compare_within(&older, &newer, Context::Lines(1), later(), limit);
    assert_eq!(cut.hunks[..2], whole.hunks[..2]);
    assert_eq!(
        (cut.hunks[2].lines[..3].to_vec(), cut.omitted_lines),
        (whole.hunks[2].lines[..3].to_vec(), 14)
    );
    assert_eq!(compare_within(&older, &newer, Context::Lines(1), later(), Limit::PAGE), whole);
    let few = Limit { lines: 30, ..Limit::PAGE };
    let all =
        compare_within("x\n", &(many(50, |number| number.to_string()) + "x\n"), Context::All, later(), few);
    assert_eq!((all.hunks[0].lines.len(), all.omitted_lines), (30, 20));
}

#[test]
fn a_line_without_an_end_is_shown_in_part() {
    let (older, newer) = ("a<".repeat(5_000_000), "b<".repeat(5_000_000));
    let difference = compare_within(&older, &newer, Context::Lines(3), later(), Limit::PAGE);
    let lines = &difference.hunks[0].lines;
    let length = |line: &Line| line.pieces.iter().map(|piece| piece.text.len()).sum::<usize>();
    assert_eq!((lines.len(), difference.cut_lines, difference.omitted_lines), (2, 2, 0));
    assert!(lines.iter().all(|line| length(line) < 100_000 && length(line) > 20_000));
}

#[test]
fn texts_with_too_many_lines_are_compared_as_blocks_soon_and_rightly() {
    let body = |word: &str| many(150_000, |number| format!("{word} {}", number % 7));
    let older = format!("1\n2\n3\n{}8\n9\n", body("old"));
    let newer = format!("1\n2\n3\n{}8\n9\n", body("new"));
    let begun = Instant::now();
    let difference = compare_within(&older, &newer, Context::Lines(2), later(), Limit::PAGE);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert!(difference.coarse);
    assert_eq!((difference.removed, difference.added, difference.omitted_lines), (150_000, 150_000, 295_000));
    let first = &difference.hunks[0];
    assert_eq!((first.skipped_before, first.lines.len(), difference.skipped_after), (1, 5_002, 2));
    assert_eq!(
        (first.lines[2].older, first.lines[2].newer, first.lines[2].tag),
        (Some(4), None, Tag::Removed)
    );
    let whole = compare(&older, &newer, Context::Lines(1), later());
    assert_eq!((whole.hunks[0].lines.len(), whole.omitted_lines, whole.skipped_after), (300_002, 0, 1));
    assert_eq!(compare(&older, &older, Context::All, later()), Difference::default());
    let excerpt = lines_shown(&first_change(&older, &newer, later()));
    assert_eq!(excerpt, "-old 0\n+new 0\n");
}

#[test]
fn what_is_late_and_large_says_that_it_is_coarse() {
    let lines = |word: &str| many(3_000, |number| format!("{word} {}", number * 7));
    assert!(compare(&lines("a"), &lines("b"), Context::Lines(3), Instant::now()).coarse);
    assert!(!compare("a\nb", "a\nc", Context::Lines(3), Instant::now()).coarse);
}
