//! A comparison as people read it: what is the page's own line by line, the rest folded with its counts.

use recrawl_core::model::edit::{Edit, EditId};
use recrawl_core::model::region::{Mark, Region};
use recrawl_core::model::shared_change::SharedChange;
use recrawl_core::words::counted;

use super::pairing::paired;
use crate::changes::LineEdits;
use crate::marks::{marks, written};
use crate::text_diff::{Difference, Line, Tag};
use crate::told;

/// The most characters of an edit that is named in a fold.
const LONGEST: usize = 60;

/// A row of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffRow {
    /// A line that did not change.
    Same(Line),
    /// A line that went, a line that came, or a line as it was and as it is.
    Edit(Option<Line>, Option<Line>),
    /// Lines that did not change: how many, and they themselves where they are at hand.
    Unchanged(usize, Vec<Line>),
    /// Edits that are not the page's own.
    Folded(Fold),
    /// Lines of a page that came or went as a whole, which stand around its content.
    Around(Vec<Line>),
}

/// Edits of one sort in one part of a page that are not the page's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// They happen by themselves; otherwise other pages have them, too.
    pub is_noise: bool,
    /// Where they stand.
    pub region: Region,
    /// Their ids.
    pub edits: Vec<EditId>,
    /// How many pages have the first of them; 0 where nobody knows.
    pub pages: u64,
    /// The first of them in short.
    pub text: String,
    /// Their lines.
    pub rows: Vec<DiffRow>,
}

impl Fold {
    /// Says how many lines it has, and of which sort: `1 shared line`.
    pub fn count(&self) -> String {
        let lines = self.edits.len() as u64;
        if self.is_noise {
            format!("{} of noise", counted(lines, "line"))
        } else {
            counted(lines, "shared line")
        }
    }

    /// Says where they stand, and on how many pages: `in the menu, the same on 1,182 pages`.
    pub fn place(&self) -> String {
        let place = format!("in the {}", told::region(self.region));
        if self.is_noise || self.pages <= 1 {
            return place;
        }
        format!("{place}, the same on {}", counted(self.pages, "page"))
    }

    /// Returns the only edit in short; nothing where there are several.
    pub fn only_edit(&self) -> Option<&str> {
        Some(self.text.as_str()).filter(|text| self.edits.len() == 1 && !text.is_empty())
    }

    /// Says what was folded: `1 shared line in the menu, the same on 1,182 pages: + Jobs`.
    pub fn told(&self) -> String {
        let text = self.only_edit().map_or_else(String::new, |text| format!(": {text}"));
        format!("{} {}{text}", self.count(), self.place())
    }
}

/// Folds what is not the page's own, and what is more than `around` lines away from what is.
pub fn rows(
    difference: Difference,
    edits: &LineEdits,
    shared: &[SharedChange],
    around: usize,
) -> Vec<DiffRow> {
    let mut gathered = Gathered { shared, rows: Vec::new(), went: Vec::new(), came: Vec::new() };
    for hunk in difference.hunks {
        gathered.unchanged(hunk.skipped_before, Vec::new());
        let states: Vec<Option<&Edit>> = hunk.lines.iter().map(|line| foreign(line, edits)).collect();
        let is_own: Vec<bool> = (hunk.lines.iter().zip(&states))
            .map(|(line, foreign)| line.tag != Tag::Same && foreign.is_none())
            .collect();
        for (place, (line, foreign)) in hunk.lines.into_iter().zip(states).enumerate() {
            let near = place.saturating_sub(around)
                ..place.saturating_add(around).saturating_add(1).min(is_own.len());
            match (line.tag, foreign) {
                (_, Some(edit)) => gathered.fold(line, edit),
                (Tag::Removed, None) if gathered.came.is_empty() => gathered.went.push(line),
                (Tag::Removed, None) => {
                    gathered.end_place();
                    gathered.went.push(line);
                }
                (Tag::Added, None) => gathered.came.push(line),
                (Tag::Same, None) if is_own[near].contains(&true) => gathered.same(line),
                (Tag::Same, None) => gathered.unchanged(1, vec![line]),
            }
        }
        gathered.end_place();
    }
    gathered.unchanged(difference.skipped_after, Vec::new());
    gathered.rows
}

/// Returns the edit that a line is part of, if that is not the page's own.
fn foreign<'e>(line: &Line, edits: &'e LineEdits) -> Option<&'e Edit> {
    let edit = match line.tag {
        Tag::Same => None,
        Tag::Removed => edits.went.get(&line.text()),
        Tag::Added => edits.came.get(&line.text()),
    };
    edit.filter(|edit| edit.state.is_noise() || edit.state.is_shared())
}

/// Rows as they come together.
struct Gathered<'a> {
    shared: &'a [SharedChange],
    rows: Vec<DiffRow>,
    /// Lines of the present place that went, and that came, and are not in rows yet.
    went: Vec<Line>,
    came: Vec<Line>,
}

impl Gathered<'_> {
    fn end_place(&mut self) {
        if !self.went.is_empty() || !self.came.is_empty() {
            let (went, came) = (std::mem::take(&mut self.went), std::mem::take(&mut self.came));
            self.rows.extend(paired(went, came));
        }
    }

    fn same(&mut self, line: Line) {
        self.end_place();
        self.rows.push(DiffRow::Same(line));
    }

    fn unchanged(&mut self, count: usize, lines: Vec<Line>) {
        if count == 0 {
            return;
        }
        self.end_place();
        if let Some(DiffRow::Unchanged(before, earlier)) = self.rows.last_mut() {
            // Lines that are not at hand make those beside them of no use.
            let are_whole = earlier.len() == *before && lines.len() == count;
            *before += count;
            earlier.extend(lines);
            earlier.truncate(if are_whole { usize::MAX } else { 0 });
        } else {
            self.rows.push(DiffRow::Unchanged(count, lines));
        }
    }

    fn fold(&mut self, line: Line, edit: &Edit) {
        self.end_place();
        let id = edit.id();
        let is_noise = edit.state.is_noise();
        if let Some(DiffRow::Folded(fold)) = self.rows.last_mut()
            && (fold.is_noise, fold.region) == (is_noise, edit.region)
        {
            if !fold.edits.contains(&id) {
                fold.edits.push(id);
            }
            fold.push(line);
            return;
        }
        let is_of = |change: &&SharedChange| {
            change.id == id || change.also.contains(&id) || change.id == edit.shape()
        };
        let mut fold = Fold {
            is_noise,
            region: edit.region,
            edits: vec![id],
            pages: self.shared.iter().find(is_of).map_or(0, |change| change.pages),
            text: Some(in_short(edit)).filter(|text| !text.is_empty()).unwrap_or_else(|| alone(&line)),
            rows: Vec::new(),
        };
        fold.push(line);
        self.rows.push(DiffRow::Folded(fold));
    }
}

impl Fold {
    /// Adds a line; one that came stands beside the last that went and has nothing beside it.
    fn push(&mut self, line: Line) {
        let waits = |row: &&mut DiffRow| matches!(row, DiffRow::Edit(Some(_), None));
        match (line.tag, self.rows.iter_mut().find(waits)) {
            (Tag::Added, Some(DiffRow::Edit(went, came))) => {
                if let Some(DiffRow::Edit(old, new)) =
                    went.take().and_then(|went| paired(vec![went], vec![line]).pop())
                {
                    (*went, *came) = (old, new);
                }
            }
            (Tag::Added, _) => self.rows.push(DiffRow::Edit(None, Some(line))),
            (Tag::Removed | Tag::Same, _) => self.rows.push(DiffRow::Edit(Some(line), None)),
        }
    }
}

/// Returns a line in short whose edit was recorded without its words.
fn alone(line: &Line) -> String {
    let (went, came) = match line.tag {
        Tag::Removed => (Some(line.text()), None),
        Tag::Added | Tag::Same => (None, Some(line.text())),
    };
    let text = written(&marks(went.as_deref(), came.as_deref(), LONGEST));
    format!("{} {text}", if line.tag == Tag::Removed { "-" } else { "+" })
}

fn in_short(edit: &Edit) -> String {
    let (went, came) = edit.texts.clone().unwrap_or_default();
    match (went.is_empty(), came.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!("+ {came}"),
        (false, true) => format!("- {went}"),
        (false, false) => written(&marks(Some(&went), Some(&came), LONGEST)),
    }
}

/// Folds what stands around the content of a page that came or went as a whole: what it is about is read first. `marks` has
/// one for each line of its text.
pub fn fold_frame(rows: Vec<DiffRow>, marks: &[Mark]) -> Vec<DiffRow> {
    let is_frame = |line: &Line| {
        let number = line.older.or(line.newer).and_then(|number| number.checked_sub(1));
        number.and_then(|place| marks.get(place)).is_some_and(|mark| mark.region != Region::Content)
    };
    let is_of_frame = |row: &DiffRow| match row {
        DiffRow::Edit(Some(line), None) | DiffRow::Edit(None, Some(line)) => is_frame(line),
        DiffRow::Edit(..)
        | DiffRow::Same(_)
        | DiffRow::Unchanged(..)
        | DiffRow::Folded(_)
        | DiffRow::Around(_) => false,
    };
    // Where nothing else is known to be its content, all of it is.
    if rows.iter().all(is_of_frame) {
        return rows;
    }
    let mut folded: Vec<DiffRow> = Vec::with_capacity(rows.len());
    for row in rows {
        match (row, folded.last_mut()) {
            (
                DiffRow::Edit(Some(line), None) | DiffRow::Edit(None, Some(line)),
                Some(DiffRow::Around(lines)),
            ) if is_frame(&line) => {
                lines.push(line);
            }
            (DiffRow::Edit(Some(line), None) | DiffRow::Edit(None, Some(line)), _) if is_frame(&line) => {
                folded.push(DiffRow::Around(vec![line]));
            }
            (row, _) => folded.push(row),
        }
    }
    folded
}

/// Returns the folds of a comparison in which nothing is the page's own.
pub fn only_folded(rows: &[DiffRow]) -> Option<Vec<&Fold>> {
    let mut folds = Vec::new();
    for row in rows {
        match row {
            DiffRow::Edit(..) => return None,
            DiffRow::Same(_) | DiffRow::Unchanged(..) | DiffRow::Around(_) => {}
            DiffRow::Folded(fold) => folds.push(fold),
        }
    }
    Some(folds)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use recrawl_core::model::aspect::Aspect;
    use recrawl_core::model::edit::{EditSide, EditState, EditTraits, LineId};

    use super::*;
    use crate::text_diff::{Context, compare};

    fn edit(region: Region, state: EditState, came: &str) -> Edit {
        Edit {
            aspect: Aspect::Text,
            region,
            went: None,
            came: Some(EditSide { line: LineId(came.len() as u64), shape: LineId(7), words: 1 }),
            traits: EditTraits::default(),
            texts: Some((String::new(), came.to_owned())),
            count: 1,
            state,
        }
    }

    fn compared(older: &str, newer: &str, edits: &LineEdits, context: Context, around: usize) -> String {
        let later = Instant::now() + Duration::from_mins(1);
        let rows = rows(compare(older, newer, context, later), edits, &[], around);
        rows.iter().map(shown).collect::<Vec<_>>().join("\n")
    }

    fn shown(row: &DiffRow) -> String {
        let text = |line: &Option<Line>| line.as_ref().map_or_else(String::new, Line::text);
        match row {
            DiffRow::Same(line) => line.text(),
            DiffRow::Edit(went, came) => format!("{} > {}", text(went), text(came)),
            DiffRow::Unchanged(count, lines) => format!("({count}, {} at hand)", lines.len()),
            DiffRow::Folded(fold) => {
                let inside: Vec<String> = fold.rows.iter().map(shown).collect();
                format!("({}; {})", fold.told(), inside.join("; "))
            }
            DiffRow::Around(lines) => format!("({} around)", lines.len()),
        }
    }

    fn edits() -> LineEdits {
        let jobs = edit(Region::Nav, EditState::Template, "Jobs");
        let built = edit(Region::Footer, EditState::Learnt, "Built 4");
        LineEdits {
            went: [("Built 3".to_owned(), built.clone())].into(),
            came: [("Jobs".to_owned(), jobs), ("Built 4".to_owned(), built)].into(),
        }
    }

    const OLDER: &str = "Home\nNews\n1\n2\n3\n4\n5\nConsultants 95,000\nTotal\nBuilt 3";
    const NEWER: &str = "Home\nNews\nJobs\n1\n2\n3\n4\n5\nConsultants 195,000\nTotal\nBuilt 4";

    #[test]
    fn what_is_not_the_pages_own_is_folded_with_its_count_and_its_lines() {
        let expected = "(2, 2 at hand)\n(1 shared line in the menu: + Jobs;  > Jobs)\n(3, 3 at hand)\n4\n5\n\
             Consultants 95,000 > Consultants 195,000\nTotal\n(1 line of noise in the footer: + Built 4; Built 3 > Built 4)";
        assert_eq!(compared(OLDER, NEWER, &edits(), Context::All, 2), expected);
        let nearby = compared(OLDER, NEWER, &edits(), Context::Lines(1), 1);
        assert!(nearby.starts_with("(2, 0 at hand)\n(1 shared line"), "{nearby}");
        assert!(nearby.contains("(4, 0 at hand)\n5\nConsultants"), "{nearby}");
    }

    #[test]
    fn of_a_page_that_is_gone_or_new_the_frame_is_folded_and_the_content_read_first() {
        let later = Instant::now() + Duration::from_mins(1);
        let folded = |older: &str, newer: &str, regions: &[Region]| {
            let marks: Vec<Mark> = regions.iter().copied().map(Mark::of).collect();
            let rows = rows(compare(older, newer, Context::All, later), &LineEdits::default(), &[], 3);
            fold_frame(rows, &marks).iter().map(shown).collect::<Vec<_>>().join("\n")
        };
        let page = "Home\nNews\nRents\nSix months.\nImprint";
        let regions = [Region::Nav, Region::Nav, Region::Content, Region::Content, Region::Footer];
        assert_eq!(folded(page, "", &regions), "(2 around)\nRents > \nSix months. > \n(1 around)");
        assert_eq!(folded("", page, &regions), "(2 around)\n > Rents\n > Six months.\n(1 around)");
        let all = folded(page, "", &[Region::Nav; 5]);
        assert!(!all.contains("around"), "where there is nothing else, the frame is the page: {all}");
        assert!(!folded(page, "", &[]).contains("around"));
    }

    #[test]
    fn a_comparison_in_which_nothing_is_the_pages_own_says_so() {
        let later = Instant::now() + Duration::from_mins(1);
        let of =
            |older: &str, newer: &str| rows(compare(older, newer, Context::All, later), &edits(), &[], 3);
        assert_eq!(only_folded(&of(OLDER, NEWER)), None);
        let rows = of("Home", "Home\nJobs");
        let told: Vec<String> = only_folded(&rows).unwrap().into_iter().map(Fold::told).collect();
        assert_eq!(told, ["1 shared line in the menu: + Jobs"]);
    }
}
