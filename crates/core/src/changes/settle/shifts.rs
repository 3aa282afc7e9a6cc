//! Lists that moved on: the same line goes from one page and comes to another.

use std::collections::{HashMap, HashSet};

use crate::model::edit::{Edit, LineId};

/// A list stands on so many pages at least.
const FEWEST_PAGES: usize = 3;

/// Lines that went from or came to pages without another in their place.
#[derive(Debug, Default)]
pub(super) struct Shifts {
    lines: Vec<(LineId, u32, bool)>,
}

impl Shifts {
    /// Takes in an edit of a page.
    pub(super) fn add(&mut self, page: u32, edit: &Edit) {
        match (&edit.went, &edit.came) {
            (Some(side), None) => self.lines.push((side.line, page, false)),
            (None, Some(side)) if edit.count == 1 => self.lines.push((side.line, page, true)),
            _ => {}
        }
    }

    /// Returns the lines that moved on between at least three pages.
    pub(super) fn lines(mut self) -> HashSet<LineId> {
        self.lines.sort_unstable();
        self.lines.dedup();
        let mut moved: Vec<(LineId, Vec<u32>)> = Vec::new();
        for run in self.lines.chunk_by(|one, two| one.0 == two.0) {
            let is = |came: bool| run.iter().any(|(_, _, way)| *way == came);
            let pages: HashSet<u32> = run.iter().map(|(_, page, _)| *page).collect();
            if is(true) && is(false) && pages.len() > 1 {
                moved.push((run[0].0, pages.into_iter().collect()));
            }
        }
        let mut groups = Groups::default();
        for (_, pages) in &moved {
            for page in pages {
                groups.join(pages[0], *page);
            }
        }
        let mut sizes: HashMap<u32, usize> = HashMap::new();
        for page in groups.members() {
            *sizes.entry(groups.head(page)).or_default() += 1;
        }
        let is_list =
            |pages: &[u32]| sizes.get(&groups.head(pages[0])).is_some_and(|size| *size >= FEWEST_PAGES);
        moved.iter().filter(|(_, pages)| is_list(pages)).map(|(line, _)| *line).collect()
    }
}

/// Pages that belong together.
#[derive(Debug, Default)]
struct Groups {
    parents: HashMap<u32, u32>,
}

impl Groups {
    fn head(&self, page: u32) -> u32 {
        let mut page = page;
        while let Some(parent) = self.parents.get(&page).filter(|parent| **parent != page) {
            page = *parent;
        }
        page
    }

    fn join(&mut self, one: u32, two: u32) {
        let (one, two) = (self.head(one), self.head(two));
        self.parents.insert(one, one.min(two));
        self.parents.insert(two, one.min(two));
    }

    fn members(&self) -> Vec<u32> {
        self.parents.keys().copied().collect()
    }
}
