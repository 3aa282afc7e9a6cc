//! The furniture of pages: numbers of pages, and lines that stand at the edge of several pages.
//!
//! A line is furniture if the same line, but for its numbers, stands at the edge of other pages, at the same height, and
//! its numbers are the same or count pages. What it says beside the number of the page is told once for all pages:
//! a new date in every footer is one change.

use std::collections::HashMap;

use super::line::Line;

/// At most so many lines at the top and at the bottom of a page are its edge.
const EDGE: usize = 3;

/// The edge of a page and its text are apart by more than so many times the size of letters.
const GAP: f64 = 1.6;

/// A longer line is text.
const MAX_LINE: usize = 200;

/// What a line of a page is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    /// Text of the page.
    Body,
    /// The first of several lines at the edges of pages: this is what they say.
    Margin(String),
    /// A number of a page, or a line that stands for another one's text.
    Furniture,
}

/// Lines at the edges of pages that are the same but for their numbers.
#[derive(Default)]
struct Group {
    members: Vec<Member>,
}

struct Member {
    page: usize,
    line: usize,
    baseline: f64,
    numbers: Vec<u64>,
}

/// Returns what each line of each page is.
pub(super) fn roles(pages: &[Vec<Line>]) -> Vec<Vec<Role>> {
    let mut roles: Vec<Vec<Role>> = pages.iter().map(|lines| vec![Role::Body; lines.len()]).collect();
    let mut groups: HashMap<String, Group> = HashMap::new();
    for (page, lines) in pages.iter().enumerate() {
        for line in edges(lines) {
            let text = &lines[line].text;
            if text.len() > MAX_LINE {
                continue;
            }
            let (shape, numbers) = shape(text);
            let baseline = lines[line].baseline;
            groups.entry(shape).or_default().members.push(Member { page, line, baseline, numbers });
        }
    }
    for (shape, group) in groups {
        let Some(varying) = group.page_numbers(pages.len()) else { continue };
        let (Some(first), rest) = (group.members.first(), group.members.iter().skip(1)) else { continue };
        rest.for_each(|member| roles[member.page][member.line] = Role::Furniture);
        let says = without_numbers(&shape, &first.numbers, &varying);
        let is_bare =
            varying.contains(&true) && says.split_whitespace().filter(|word| is_word(word)).count() < 3;
        roles[first.page][first.line] =
            if is_bare || says.is_empty() { Role::Furniture } else { Role::Margin(says) };
    }
    for (lines, roles) in pages.iter().zip(&mut roles) {
        for line in edges(lines) {
            let is_only_page = pages.len() == 1 && is_number_of_only_page(&lines[line].text);
            if is_only_page || is_roman(&lines[line].text) {
                roles[line] = Role::Furniture;
            }
        }
    }
    roles
}

impl Group {
    /// Returns which numbers of the lines count pages; `None` where the lines are no furniture.
    fn page_numbers(&self, pages: usize) -> Option<Vec<bool>> {
        let mut seen: Vec<usize> = self.members.iter().map(|member| member.page).collect();
        seen.dedup();
        let first = self.members.first()?;
        let mut counting = Vec::with_capacity(first.numbers.len());
        for place in 0..first.numbers.len() {
            let values = || self.members.iter().filter_map(|member| member.numbers.get(place).copied());
            if values().all(|value| value == first.numbers[place]) {
                counting.push(false);
                continue;
            }
            let offsets = self.members.iter().filter_map(|member| {
                let value = i64::try_from(*member.numbers.get(place)?).ok()?;
                Some(value - i64::try_from(member.page).ok()?)
            });
            if !is_mostly_one(offsets) {
                return None;
            }
            counting.push(true);
        }
        let is_counting = counting.contains(&true);
        if seen.len() < if is_counting { 2 } else { 3 } || !self.stands_at_one_height() {
            return None;
        }
        if is_counting {
            // "Page 3 of 40": the number of all pages is that of a page, too.
            for (place, counts) in counting.iter_mut().enumerate() {
                *counts |= first.numbers.get(place).is_some_and(|number| *number == pages as u64);
            }
        }
        Some(counting)
    }

    fn stands_at_one_height(&self) -> bool {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a height in points; a float beyond all is one height, too"
        )]
        let heights = self.members.iter().map(|member| (member.baseline / 4.0).round() as i64);
        is_mostly_one(heights)
    }
}

/// Tells whether three of four values are the same.
fn is_mostly_one(values: impl Iterator<Item = i64>) -> bool {
    let mut counts: HashMap<i64, usize> = HashMap::new();
    let mut all = 0;
    for value in values {
        *counts.entry(value).or_default() += 1;
        all += 1;
    }
    counts.values().max().is_some_and(|most| most * 4 >= all * 3)
}

/// Returns the lines at the top and at the bottom of a page, which a gap parts from the others.
fn edges(lines: &[Line]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lines.len()).filter(|line| lines[*line].is_horizontal()).collect();
    order.sort_by(|one, other| lines[*other].baseline.total_cmp(&lines[*one].baseline));
    let mut edges = before_gap(lines, &mut order.iter().copied());
    for line in before_gap(lines, &mut order.iter().rev().copied()) {
        if !edges.contains(&line) {
            edges.push(line);
        }
    }
    edges
}

/// Returns the lines before the first gap; none where that comes late: text begins at once.
fn before_gap(lines: &[Line], order: &mut dyn Iterator<Item = usize>) -> Vec<usize> {
    let mut taken: Vec<usize> = Vec::new();
    let mut heights = 1;
    for line in order {
        if let Some(before) = taken.last().and_then(|before| lines.get(*before)) {
            let here = &lines[line];
            let drop = (here.baseline - before.baseline).abs();
            if drop > GAP * here.size.max(before.size) {
                return taken;
            }
            // Lines at one height count once.
            heights += usize::from(drop >= 1.0);
            if heights > EDGE {
                return Vec::new();
            }
        }
        taken.push(line);
    }
    taken
}

/// Returns a line with a mark in place of each number, and the numbers.
fn shape(text: &str) -> (String, Vec<u64>) {
    let mut shape = String::with_capacity(text.len());
    let mut numbers = Vec::new();
    let mut number = None;
    for character in text.chars() {
        if let Some(digit) = character.to_digit(10) {
            let before: u64 = number.unwrap_or(0);
            number = Some(before.wrapping_mul(10).wrapping_add(digit.into()));
            continue;
        }
        if let Some(number) = number.take() {
            numbers.push(number);
            shape.push('\0');
        }
        shape.push(character);
    }
    if let Some(number) = number {
        numbers.push(number);
        shape.push('\0');
    }
    (shape, numbers)
}

/// Returns a line with those numbers that count no pages.
fn without_numbers(shape: &str, numbers: &[u64], counting: &[bool]) -> String {
    let mut text = String::new();
    let mut numbers = numbers.iter().zip(counting);
    for character in shape.chars() {
        match character {
            '\0' => {
                if let Some((number, false)) = numbers.next() {
                    text.push_str(&number.to_string());
                }
            }
            _ => text.push(character),
        }
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

fn is_word(word: &str) -> bool {
    word.chars().any(char::is_alphabetic)
}

/// Tells whether a line is the number of a page that is the only one: "1", "Page 1 of 1".
fn is_number_of_only_page(text: &str) -> bool {
    let (_, numbers) = shape(text);
    !numbers.is_empty()
        && numbers.iter().all(|number| *number == 1)
        && text.len() < 30
        && text.split_whitespace().filter(|word| is_word(word)).count() < 3
}

/// Tells whether a line is nothing but a Roman number, as pages of a preface have it.
fn is_roman(text: &str) -> bool {
    let text = text.trim();
    (1..=8).contains(&text.len()) && text.bytes().all(|byte| b"ivxlc".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, baseline: f64) -> Line {
        let direction = (1.0, 0.0);
        Line { text: text.to_owned(), left: 50.0, right: 300.0, baseline, size: 10.0, direction, cells: 1 }
    }

    fn page(header: &str, body: &[&str], footer: &str) -> Vec<Line> {
        let mut lines = vec![line(header, 800.0)];
        let mut baseline = 780.0;
        for text in body {
            lines.push(line(text, baseline));
            baseline -= 12.0;
        }
        lines.push(line(footer, 40.0));
        lines
    }

    #[test]
    fn numbers_of_pages_are_furniture_and_what_stands_beside_them_is_told_once() {
        let body: Vec<String> = (0..30).map(|number| format!("Text {}", "x".repeat(number))).collect();
        let body: Vec<&str> = body.iter().map(String::as_str).collect();
        let pages: Vec<Vec<Line>> = (0..5)
            .map(|number| {
                page("Town budget 2026", &body[number * 6..][..6], &format!("Page {} of 5", number + 7))
            })
            .collect();
        let roles = roles(&pages);
        assert_eq!(roles[0][0], Role::Margin("Town budget 2026".to_owned()));
        assert_eq!(roles[1][0], Role::Furniture);
        assert!(roles.iter().all(|lines| lines.last() == Some(&Role::Furniture)));
        assert!(roles.iter().all(|lines| lines[1..lines.len() - 1].iter().all(|role| *role == Role::Body)));
    }

    #[test]
    fn figures_at_the_end_of_pages_are_text() {
        let pages: Vec<Vec<Line>> =
            [410, 1_250, 77].map(|total| page("A", &["text"], &format!("Total {total}"))).into();
        assert!(roles(&pages).iter().all(|lines| lines.last() == Some(&Role::Body)));
    }

    #[test]
    fn a_line_on_two_pages_without_a_number_is_text() {
        let pages = vec![page("Fees", &["one", "more", "words"], "1"), page("Fees", &["two"], "2")];
        let roles = roles(&pages);
        assert_eq!((&roles[0][0], roles[0].last()), (&Role::Body, Some(&Role::Furniture)));
    }

    #[test]
    fn the_number_of_an_only_page_is_furniture() {
        for (footer, expected) in
            [("Page 1 of 1", Role::Furniture), ("- 1 -", Role::Furniture), ("Room 11", Role::Body)]
        {
            let roles = roles(&[page("Fees", &["one", "more", "words", "and", "others"], footer)]);
            assert_eq!(roles[0].last(), Some(&expected), "{footer}");
        }
    }

    #[test]
    fn roman_numbers_at_the_edge_are_furniture() {
        let roles = roles(&[page("Preface", &["mix", "of", "words", "and", "more", "words"], "iv")]);
        assert_eq!(roles[0].last(), Some(&Role::Furniture));
        assert_eq!(roles[0][3], Role::Body);
    }
}
