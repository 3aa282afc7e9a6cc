//! Excerpts of whole pages: what makes one page differ from the others, and not what all of them show.

use std::collections::HashMap;

use super::excerpt::{Piece, excerpt};
use super::query::Query;
use crate::model::outline::Outline;
use crate::model::region::Region;

/// On fewer pages a line is no shared one.
const FEWEST_PAGES: usize = 3;

/// A page that was found, as it is shown.
#[derive(Debug, Clone, Copy)]
pub struct PageText<'a> {
    /// Its text.
    pub text: &'a str,
    /// Where its lines stand, if that is known.
    pub outline: Option<&'a Outline>,
}

impl<'a> PageText<'a> {
    /// Returns the lines of the content.
    fn content(self) -> impl Iterator<Item = &'a str> {
        let marks = self.outline.map(Outline::marks).into_iter().flatten().map(|mark| mark.region);
        let regions = marks.chain(std::iter::repeat(Region::Content));
        self.text.lines().zip(regions).filter(|(_, region)| *region == Region::Content).map(|(line, _)| line)
    }
}

/// Returns an excerpt of each page: of its content, without lines that most of these pages share. Where nothing of that
/// says what was asked for, but the page does, the line that does is shown, whatever it is.
pub fn excerpts(pages: &[PageText<'_>], query: &Query) -> Vec<Vec<Piece>> {
    let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
    for (number, page) in pages.iter().enumerate() {
        for line in page.content().map(str::trim) {
            let (count, last) = counts.entry(line).or_insert((0, usize::MAX));
            *count += usize::from(*last != number);
            *last = number;
        }
    }
    let is_shared = |line: &str| {
        let count = counts.get(line.trim()).map_or(0, |(count, _)| *count);
        count >= FEWEST_PAGES && count * 2 > pages.len()
    };
    let of_page = |page: &PageText<'_>| {
        let own = joined(page.content().filter(|line| !is_shared(line)));
        let content = joined(page.content());
        let says_it = |text: &&str| query.wanted().iter().any(|phrase| phrase.count_in(text) > 0);
        let shown = [own.as_str(), &content, page.text].into_iter().find(says_it);
        let unmarked = || [own.as_str(), &content].into_iter().find(|text| !text.trim().is_empty());
        excerpt(shown.or_else(unmarked).unwrap_or(page.text), query)
    };
    pages.iter().map(of_page).collect()
}

fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::region::Mark;

    /// A page whose first line is its menu.
    fn outline() -> Outline {
        let mut outline = Outline::default();
        outline.push_line(Mark::of(Region::Nav));
        outline
    }

    fn shown(texts: &[&str], query: &str) -> Vec<String> {
        let outline = outline();
        let pages: Vec<PageText<'_>> =
            texts.iter().map(|text| PageText { text, outline: Some(&outline) }).collect();
        let excerpts = excerpts(&pages, &Query::read(query));
        excerpts.iter().map(|pieces| pieces.iter().map(|piece| piece.text.as_str()).collect()).collect()
    }

    #[test]
    fn an_excerpt_is_of_the_content_and_of_what_only_this_page_says() {
        let menu = "Home Bridge Trams";
        for (texts, query, expected) in [
            (vec!["Home Bridge\nThe bridge is closed."], "bridge", vec!["The bridge is closed."]),
            (vec!["Home Bridge\nThe tram is late."], "bridge", vec!["Home Bridge The tram is late."]),
            (vec!["Home Bridge\nThe tram is late."], "zeppelin", vec!["The tram is late."]),
            (vec!["Home Bridge"], "zeppelin", vec!["Home Bridge"]),
            (
                vec![
                    "Home\nThe bridge\nOne bridge.",
                    "Home\nThe bridge\nTwo bridges.",
                    "Home\nThe bridge\nTrams.",
                ],
                "bridge",
                vec!["One bridge.", "Two bridges.", "The bridge Trams."],
            ),
            (vec![menu, menu, menu], "tram", vec![menu, menu, menu]),
            (vec!["", ""], "tram", vec!["", ""]),
        ] {
            assert_eq!(shown(&texts, query), expected, "{query}: {texts:?}");
        }
    }

    #[test]
    fn a_line_that_stands_twice_on_a_page_is_not_shared_for_that() {
        let texts = ["Home\nWe are open.\nWe are open.\nWe are open.\nWe are open.", "Home\nTrams are open."];
        assert_eq!(shown(&texts, "open")[0], "We are open. We are open. We are open. We are open.");
    }
}
