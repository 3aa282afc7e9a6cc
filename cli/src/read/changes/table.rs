//! The list of changes for people: a row each, with what changed most.

use recrawl_core::url::PageUrl;
use recrawl_reports::ChangeRow;
use recrawl_reports::told::{place, shown, size};

use super::below;
use crate::output::{Cell, Column, Sheet, has_colours, is_terminal, marked, style_of, terminal_width};

/// How wide an edit is where nothing limits a line.
const UNLIMITED: usize = 100;

/// No edit is made narrower than this: the address gives way.
const NARROWEST: usize = 28;

/// What the rows of a list are shown with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout<'a> {
    /// The root of the only site, or none where there are several.
    pub(crate) root: Option<&'a PageUrl>,
}

impl Layout<'_> {
    /// Returns the rows as a table.
    pub(crate) fn sheet(self, rows: &[ChangeRow], for_terminal: bool) -> Sheet {
        let has_sites = self.root.is_none();
        let mut columns = Vec::new();
        columns.extend(has_sites.then(|| Column::new("site")));
        columns.extend([
            Column::new("kind"),
            Column::flexible("page"),
            Column::number(if has_sites { "words" } else { "size" }),
            Column::new("what changed most"),
        ]);
        let cells: Vec<Vec<Cell>> = rows.iter().map(|row| self.cells(row)).collect();
        let most = if for_terminal { room(&cells) } else { UNLIMITED };
        let with_colours = for_terminal && is_terminal() && has_colours();
        let mut sheet = Sheet::new(columns);
        for (mut cells, row) in cells.into_iter().zip(rows) {
            cells.push(what(row, most, with_colours));
            sheet.push(cells);
        }
        sheet
    }

    fn cells(self, row: &ChangeRow) -> Vec<Cell> {
        let address = |url: &PageUrl| match self.root {
            Some(root) => below(root, url).to_owned(),
            None => url.path_and_query().to_owned(),
        };
        let (site, kind, page) = match row {
            ChangeRow::Page(entry) => (entry.site.clone(), entry.kind, address(&entry.url)),
            ChangeRow::Folder(entry) => (Some(entry.site.clone()), entry.kind, entry.folder.clone()),
            ChangeRow::Shared(entry) => (Some(entry.site.clone()), entry.kind, place(entry)),
        };
        let site = site.map(|site| site.to_string()).unwrap_or_default();
        let mut cells: Vec<Cell> = Vec::new();
        cells.extend(self.root.is_none().then(|| site.into()));
        cells.extend([
            Cell::styled(kind.word(), style_of(kind)),
            page.into(),
            size(row, self.root.is_none()).into(),
        ]);
        cells
    }
}

/// Returns how much room the other columns leave for what changed.
fn room(rows: &[Vec<Cell>]) -> usize {
    let Some(width) = terminal_width() else { return UNLIMITED };
    let columns = rows.first().map_or(0, Vec::len);
    let widest = |place: usize| rows.iter().map(|row| row[place].width()).max().unwrap_or(0);
    let taken: usize = (0..columns).map(|place| widest(place) + 2).sum();
    width.saturating_sub(taken).max(NARROWEST)
}

fn what(row: &ChangeRow, most: usize, with_colours: bool) -> Cell {
    marked(&shown(row, most), with_colours)
}
