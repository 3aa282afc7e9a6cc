//! Excerpts: the part of a text that matches a query, with the matches marked.

use std::ops::Range;

use super::query::{Phrase, Query};
use super::words::for_each_word;

/// How many bytes of a text an excerpt shows, roughly.
const LENGTH: usize = 240;

/// How many of them come before the first thing that was found.
const BEFORE: usize = 60;

/// More that is near to each other is not looked at: a text of one word, again and again, would take long.
const MOST_NEAR: usize = 64;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it says.
    pub text: String,
    /// It is what was looked for.
    pub is_match: bool,
}

/// What was found in a text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) phrase: usize,
    pub(super) range: Range<usize>,
}

/// Returns a short part of `text`, on one line, that has as much as possible of what is wanted; its beginning, if it
/// has nothing of that. What was left out is marked by `…`.
pub fn excerpt(text: &str, query: &Query) -> Vec<Piece> {
    let text = text.trim();
    let window = window(text, &places(query.wanted(), text));
    let mut pieces = Vec::new();
    if window.start > 0 {
        push(&mut pieces, "… ", false);
    }
    for piece in marked(&text[window.clone()], query) {
        push(&mut pieces, &on_one_line(&piece.text), piece.is_match);
    }
    if window.end < text.len() {
        push(&mut pieces, " …", false);
    }
    pieces
}

/// Returns `text` in pieces: what is wanted, and what is between.
pub fn marked(text: &str, query: &Query) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut done = 0;
    for Match { range, .. } in places(query.wanted(), text) {
        // Two phrases may share words.
        if range.start < done {
            continue;
        }
        push(&mut pieces, &text[done..range.start], false);
        push(&mut pieces, &text[range.clone()], true);
        done = range.end;
    }
    push(&mut pieces, &text[done..], false);
    pieces
}

/// Returns where in a text the phrases are, in order.
pub(super) fn places(phrases: &[Phrase], text: &str) -> Vec<Match> {
    let mut found = Vec::new();
    // Phrases that have begun: which, how many of its words were there, and where the first was.
    let (mut begun, mut going_on) = (Vec::new(), Vec::new());
    for_each_word(text, |range, word| {
        let beginnings = (0..phrases.len()).map(|phrase| (phrase, 0, range.start));
        for (phrase, count, start) in begun.drain(..).chain(beginnings) {
            if !phrases[phrase].admits(count, word) {
                continue;
            }
            if count + 1 == phrases[phrase].words().len() {
                found.push(Match { phrase, range: start..range.end });
            } else {
                going_on.push((phrase, count + 1, start));
            }
        }
        std::mem::swap(&mut begun, &mut going_on);
    });
    found.sort_by_key(|place| (place.range.start, std::cmp::Reverse(place.range.end)));
    found
}

/// Returns the part of a text that has the most different things that were found.
fn window(text: &str, places: &[Match]) -> Range<usize> {
    let reach = LENGTH - BEFORE;
    let mut best: Option<(usize, usize)> = None;
    for (index, first) in places.iter().enumerate() {
        let near = places[index..].iter().take_while(|place| place.range.end <= first.range.start + reach);
        let mut different: Vec<usize> = near.take(MOST_NEAR).map(|place| place.phrase).collect();
        different.sort_unstable();
        different.dedup();
        if best.is_none_or(|(count, _)| different.len() > count) {
            best = Some((different.len(), first.range.start));
        }
    }
    let found = best.map_or(0, |(_, start)| start);
    let start = begin_of_word(text, found.saturating_sub(BEFORE), found);
    start..end_of_word(text, start + LENGTH)
}

/// Returns the first place from `at` where a word begins, and no later than `latest`.
fn begin_of_word(text: &str, at: usize, latest: usize) -> usize {
    if at == 0 {
        return 0;
    }
    let at = text.ceil_char_boundary(at);
    let mut before = text[at..latest].char_indices();
    let blank = before.find(|(_, sign)| sign.is_whitespace());
    blank.map_or(latest, |(place, sign)| at + place + sign.len_utf8())
}

/// Returns the last place up to `at` where a word ends; in the middle of one if it is very long.
fn end_of_word(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    let at = text.floor_char_boundary(at);
    let earliest = text.floor_char_boundary(at.saturating_sub(BEFORE));
    text[earliest..at].rfind(char::is_whitespace).map_or(at, |blank| earliest + blank)
}

fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for sign in text.chars() {
        let sign = if sign.is_whitespace() { ' ' } else { sign };
        if sign != ' ' || !line.ends_with(' ') {
            line.push(sign);
        }
    }
    line
}

fn push(pieces: &mut Vec<Piece>, text: &str, is_match: bool) {
    match pieces.last_mut() {
        Some(last) if !last.is_match && !is_match => last.text.push_str(text),
        _ if text.is_empty() => {}
        _ => pieces.push(Piece { text: text.to_owned(), is_match }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Writes pieces with brackets around what was found.
    fn bracketed(pieces: &[Piece]) -> String {
        let show =
            |piece: &Piece| if piece.is_match { format!("[{}]", piece.text) } else { piece.text.clone() };
        pieces.iter().map(show).collect()
    }

    #[test]
    fn what_was_looked_for_is_set_apart() {
        for (query, text, expected) in [
            ("bridge", "A bridge, the Bridges of the city.", "A [bridge], the [Bridges] of the city."),
            ("\"the bridge\"", "the the bridge\nand bridge", "the [the bridge]\nand bridge"),
            ("new bridge-", "A newer new bridge", "A newer [new] [bridge]"),
            ("\"a b\" \"b c\"", "a b c", "[a b] c"),
            ("\"a b c\" a", "a b c", "[a b c]"),
            ("ecole", "L’École", "L’[École]"),
            ("東京", "大東京都", "大[東京]都"),
            ("-bridge", "bridge", "bridge"),
            ("", "bridge", "bridge"),
            ("x", "", ""),
        ] {
            assert_eq!(bracketed(&marked(text, &Query::read(query))), expected, "{query}");
        }
    }

    #[test]
    fn an_excerpt_is_the_part_that_has_the_most_of_it() {
        let filler = "word ".repeat(100);
        let text = format!("The tram.\n{filler}\nThe old  bridge and\n\n a tram. {filler}");
        let shown = bracketed(&excerpt(&text, &Query::read("bridge tram")));
        assert!(shown.starts_with("… word ") && shown.ends_with(" word …"), "{shown}");
        assert!(shown.contains(" The old [bridge] and a [tram]. word "), "{shown}");
        assert!(shown.len() < LENGTH + 20, "{shown}");
    }

    #[test]
    fn a_text_that_does_not_have_it_is_shown_from_its_beginning() {
        let text = format!("The beginning. {}", "word ".repeat(100));
        let shown = bracketed(&excerpt(&text, &Query::read("tram")));
        assert!(shown.starts_with("The beginning. word") && shown.ends_with("word …"), "{shown}");
        assert_eq!(bracketed(&excerpt(" short ", &Query::read("tram"))), "short");
        assert_eq!(excerpt("", &Query::read("tram")), []);
    }

    proptest! {
        #[test]
        fn pieces_are_the_text(text in "[a-c é東\n\"]{0,400}", query in "[a-c é東\"*-]{0,12}") {
            let query = Query::read(&query);
            let pieces = marked(&text, &query);
            prop_assert_eq!(pieces.iter().map(|piece| piece.text.as_str()).collect::<String>(), text.as_str());
            excerpt(&text, &query);
        }

        #[test]
        fn any_text_has_an_excerpt(text in any::<String>(), query in any::<String>()) {
            excerpt(&text.repeat(20), &Query::read(&query));
        }
    }
}
