//! Lines of pages joined to paragraphs: a word more in a sentence moves the ends of all lines behind it, and is one change.

use std::collections::{BTreeMap, HashMap};

use recrawl_core::model::document::LineKind;

use super::furniture::{Role, roles};
use super::line::Line;
use super::stretch::is_parallel;
use crate::lines::Lines;

/// Returns the paragraphs of a document, in reading order.
pub(super) fn paragraphs(pages: &[Vec<Line>]) -> Lines {
    let roles = roles(pages);
    let body_size = most_common_size(pages);
    let reaches = reaches(pages);
    let mut writer = Writer { body_size, written: Lines::default(), open: None };
    for (lines, roles) in pages.iter().zip(&roles) {
        let column = Columns::of(lines, &reaches);
        let mut is_first = true;
        for (line, role) in lines.iter().zip(roles) {
            match role {
                // Before the paragraph that is open: it may go on on the next page.
                Role::Margin(text) => writer.written.push(LineKind::Margin, text),
                Role::Furniture => writer.written.push(LineKind::Furniture, &line.text),
                Role::Body => {
                    writer.add(line, &column, is_first);
                    is_first = false;
                }
            }
        }
    }
    writer.finish()
}

/// A paragraph that may go on.
struct Open {
    text: String,
    last: Line,
    /// Where its lines begin; of its first line alone, that may be indented.
    left: Option<f64>,
    /// How far the column reaches in which its last line stands.
    right_of_column: f64,
    /// How far its lines are apart.
    leading: Option<f64>,
    is_heading: bool,
}

struct Writer {
    body_size: f64,
    written: Lines,
    open: Option<Open>,
}

impl Writer {
    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            let kind = if open.is_heading { LineKind::Heading } else { LineKind::Text };
            self.written.push(kind, &open.text);
        }
    }

    fn add(&mut self, line: &Line, columns: &Columns<'_>, is_first: bool) {
        let right_of_column = columns.right(line);
        if let Some(open) = &mut self.open
            && open.goes_on_with(line, columns, is_first)
        {
            open.join(line, right_of_column, is_first);
            return;
        }
        self.close();
        self.open = Some(Open {
            text: line.text.clone(),
            last: line.clone(),
            left: None,
            right_of_column,
            leading: None,
            is_heading: line.size > 1.15 * self.body_size && line.text.len() < 200,
        });
    }

    fn finish(mut self) -> Lines {
        self.close();
        self.written
    }
}

impl Open {
    fn goes_on_with(&self, line: &Line, columns: &Columns<'_>, is_on_next_page: bool) -> bool {
        let last = &self.last;
        let size = last.size;
        let is_divided = is_divided(&self.text, &line.text);
        if (last.cells > 1 || line.cells > 1) && !is_divided
            || !is_parallel(last.direction, line.direction)
            || (line.size - size).abs() > 0.1 * size
            || has_leader(&last.text)
            || has_leader(&line.text)
            || begins_item(&line.text) && (is_bullet(&line.text) || ends_sentence(&self.text))
        {
            return false;
        }
        // The first word of the line would have had room before it.
        let has_room = last.right + 0.2 * size + line.first_word_width() < self.right_of_column - 0.3 * size;
        if has_room && !is_divided {
            return false;
        }
        if is_on_next_page {
            return is_unfinished(&last.text, &line.text);
        }
        let drop = last.baseline - line.baseline;
        let leading = self.leading.unwrap_or_else(|| columns.leading(size));
        if drop < 0.7 * size || drop > 1.15 * leading {
            // At the top of the next column.
            return drop < 0.0 && line.left > last.left && is_unfinished(&last.text, &line.text);
        }
        let shift = line.left - self.left.unwrap_or(last.left);
        match self.left {
            Some(_) => shift.abs() < 0.5 * size,
            // The first line of a paragraph is indented, or that of an item stands out.
            None if begins_item(&self.text) => shift.abs() < 4.0 * size,
            None => shift > -4.0 * size && shift < 0.3 * size,
        }
    }

    fn join(&mut self, line: &Line, right_of_column: f64, is_on_next_page: bool) {
        if is_divided(&self.text, &line.text) {
            self.text.pop();
        } else {
            self.text.push(' ');
        }
        self.text.push_str(&line.text);
        if !is_on_next_page && line.baseline < self.last.baseline {
            self.leading = Some(self.last.baseline - line.baseline);
        }
        self.left = Some(line.left);
        self.right_of_column = right_of_column;
        self.last = line.clone();
    }
}

/// The columns of a page.
struct Columns<'a> {
    lines: &'a [Line],
    reaches: &'a HashMap<i64, f64>,
    /// How far lines are apart most often, by their size.
    leadings: Vec<(f64, f64)>,
}

impl<'a> Columns<'a> {
    fn of(lines: &'a [Line], reaches: &'a HashMap<i64, f64>) -> Self {
        let mut drops: Vec<(i64, i64, usize)> = Vec::new();
        for pair in lines.windows(2) {
            let [one, other] = pair else { continue };
            let drop = one.baseline - other.baseline;
            if drop > 0.7 * one.size
                && drop < 2.5 * one.size
                && (one.size - other.size).abs() < 0.1 * one.size
            {
                let (size, drop) = (halves(one.size), halves(drop));
                let known = drops.iter_mut().find(|(known, height, _)| (*known, *height) == (size, drop));
                if let Some((_, _, count)) = known {
                    *count += 1;
                } else if drops.len() < 200 {
                    drops.push((size, drop, 1));
                }
            }
        }
        // The most frequent comes first, and of two as frequent ones the closer.
        drops.sort_by_key(|(_, drop, count)| (usize::MAX - count, *drop));
        #[expect(clippy::cast_precision_loss, reason = "half points of a page")]
        let leadings = drops.iter().map(|(size, drop, _)| (*size as f64 / 2.0, *drop as f64 / 2.0)).collect();
        Self { lines, reaches, leadings }
    }

    /// Returns how far lines of a size are apart on the page.
    fn leading(&self, size: f64) -> f64 {
        let found = self.leadings.iter().find(|(known, _)| (known - size).abs() < 0.6);
        found.map_or(1.3 * size, |(_, leading)| leading.min(1.8 * size))
    }

    /// Returns how far the column reaches in which a line stands: on its page, or where that has little of it, on all.
    fn right(&self, line: &Line) -> f64 {
        let beside = |other: &&Line| (other.left - line.left).abs() < 3.0 * line.size && other.cells == 1;
        let on_page: Vec<f64> = self.lines.iter().filter(beside).map(|other| other.right).collect();
        let few = on_page.len() < FEW;
        let here = reached(on_page).unwrap_or(line.right);
        let on_all = self.reaches.get(&place(line.left)).copied().filter(|_| few);
        on_all.map_or(here, |everywhere| everywhere.max(here))
    }
}

/// A column with fewer lines does not show how wide it is.
const FEW: usize = 6;

/// Returns how far columns reach over all pages, by where they begin.
fn reaches(pages: &[Vec<Line>]) -> HashMap<i64, f64> {
    let mut rights: HashMap<i64, Vec<f64>> = HashMap::new();
    for line in pages.iter().flatten().filter(|line| line.cells == 1) {
        rights.entry(place(line.left)).or_default().push(line.right);
    }
    rights.into_iter().filter_map(|(place, rights)| Some((place, reached(rights)?))).collect()
}

/// Returns what one line in twenty reaches: a few may stand out.
fn reached(mut rights: Vec<f64>) -> Option<f64> {
    rights.sort_by(|one, other| other.total_cmp(one));
    rights.get(rights.len() / 20).copied()
}

/// Rounds where a line begins to a third of an inch.
fn place(left: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "a place on a page; a float beyond all is one place")]
    let place = (left / 24.0).round() as i64;
    place
}

/// Rounds a length to half points.
fn halves(length: f64) -> i64 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a length in points; a float beyond all is the greatest"
    )]
    let halves = (2.0 * length).round() as i64;
    halves
}

fn most_common_size(pages: &[Vec<Line>]) -> f64 {
    let mut sizes: BTreeMap<i64, usize> = BTreeMap::new();
    for line in pages.iter().flatten() {
        *sizes.entry(halves(line.size)).or_default() += line.text.len();
    }
    let most = sizes.iter().max_by_key(|(_, letters)| **letters);
    #[expect(clippy::cast_precision_loss, reason = "half points of a page")]
    most.map_or(0.0, |(size, _)| *size as f64 / 2.0)
}

/// Tells whether a word is divided between two lines.
fn is_divided(text: &str, next: &str) -> bool {
    text.ends_with(['-', '\u{ad}', '\u{2010}'])
        && text.chars().rev().nth(1).is_some_and(char::is_alphabetic)
        && next.starts_with(char::is_lowercase)
}

/// Tells whether a sentence that ends so goes on with this, across a page.
fn is_unfinished(text: &str, next: &str) -> bool {
    next.starts_with(char::is_lowercase) || !ends_sentence(text) && next.starts_with(char::is_alphanumeric)
}

fn ends_sentence(text: &str) -> bool {
    let end = text.trim_end_matches(['"', '\u{201d}', '\u{2019}', ')', ' ']);
    end.ends_with(['.', '!', '?', ':', ';', '\u{2026}'])
}

/// Tells whether dots lead from one end of a line to the other, as in a table of contents.
fn has_leader(text: &str) -> bool {
    text.contains("....") || text.contains(". . . ") || text.contains("____")
}

/// Tells whether a line begins like an item of a list.
fn begins_item(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let body = first.trim_start_matches('(');
    let name = body.trim_end_matches([')', '.']);
    let is_number = !name.is_empty()
        && name.len() <= 3
        && (name.bytes().all(|byte| byte.is_ascii_digit()) || name.len() == 1 && name.is_ascii());
    is_bullet(text) || body.ends_with([')', '.']) && is_number && words.next().is_some()
}

fn is_bullet(text: &str) -> bool {
    const BULLETS: [&str; 12] = [
        "\u{2022}", "\u{2023}", "\u{25aa}", "\u{25a0}", "\u{25cf}", "\u{25e6}", "\u{2013}", "\u{2014}", "-",
        "*", "\u{b7}", "o",
    ];
    text.split_whitespace().next().is_some_and(|first| BULLETS.contains(&first))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column of lines, each as wide as its letters.
    fn column(texts: &[&str]) -> Vec<Line> {
        let mut baseline = 700.0;
        texts
            .iter()
            .map(|text| {
                baseline -= 12.0;
                let left = 50.0 + if text.starts_with("  ") { 15.0 } else { 0.0 };
                let text = text.trim_start().to_owned();
                #[expect(clippy::cast_precision_loss, reason = "a short line")]
                let right = left + 5.0 * text.len() as f64;
                Line { text, left, right, baseline, size: 10.0, direction: (1.0, 0.0), cells: 1 }
            })
            .collect()
    }

    fn texts(pages: &[Vec<Line>]) -> Vec<String> {
        paragraphs(pages).into_lines().into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn the_lines_of_a_paragraph_are_one() {
        let page = column(&[
            "The bridge is closed for repairs until the end of the month, and traf-",
            "fic is led over the ford. Please use the road along the river, or come",
            "by train.",
            "The council meets on Monday at seven in the evening in the town hall,",
            "as always.",
        ]);
        assert_eq!(
            texts(&[page]),
            [
                "The bridge is closed for repairs until the end of the month, and traffic is led over the ford. \
                 Please use the road along the river, or come by train.",
                "The council meets on Monday at seven in the evening in the town hall, as always.",
            ]
        );
    }

    #[test]
    fn a_paragraph_goes_on_on_the_next_page() {
        let first = column(&[
            "The bridge is closed for repairs and all the traffic is led",
            "over the ford, which can be crossed by anybody who has a",
        ]);
        let second = column(&["car. Others take the train.", "Fees"]);
        let texts = texts(&[first, second]);
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[0].ends_with("who has a car. Others take the train."), "{texts:?}");
    }

    #[test]
    fn lists_and_short_lines_stay_apart() {
        let page = column(&[
            "Fees",
            "Dog 120",
            "1. A boat that is longer than anything else in the harbour of",
            "the town 30",
            "2. A cat",
            "Main Street 1",
            "Willow Bend",
        ]);
        assert_eq!(texts(&[page]).len(), 6);
    }

    #[test]
    fn a_line_of_contents_stays_alone() {
        let page = column(&[
            "Introduction ........................................ 5",
            "Fees ................................................ 7",
        ]);
        assert_eq!(texts(&[page]).len(), 2);
    }

    #[test]
    fn what_begins_an_item_is_known() {
        for (text, expected) in [
            ("\u{2022} a boat", true),
            ("1. a boat", true),
            ("(a) a boat", true),
            ("a) boat", true),
            ("2026. That was it", false),
            ("A boat", false),
            ("I. The boat", true),
            ("- a boat", true),
            ("km) and", false),
            ("231.", false),
        ] {
            assert_eq!(begins_item(text), expected, "{text}");
        }
    }
}
