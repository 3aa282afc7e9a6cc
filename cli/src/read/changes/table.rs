//! The list of changes for people: a row each, with what changed most.

use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::kind::Kind;
use recrawl_core::model::region::Region;
use recrawl_core::model::shared_change::SharedBy;
use recrawl_core::model::verdict::{Sight, Verdict};
use recrawl_core::url::PageUrl;
use recrawl_reports::marks::{Mark, marks};
use recrawl_reports::{ChangeEntry, ChangeRow, SharedEntry};

use super::below;
use crate::output::{
    Cell, Column, Sheet, counted, grouped, has_colours, is_terminal, marked, style_of, terminal_width,
};

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

/// Says where a shared change stands.
pub(crate) fn place(entry: &SharedEntry) -> String {
    let region = region(entry.region);
    if entry.noise { format!("{region} (noise)") } else { region.to_owned() }
}

/// Returns the name of a part of a page.
pub(crate) const fn region(region: Region) -> &'static str {
    match region {
        Region::Content => "content",
        Region::Nav => "menu",
        Region::Header => "header",
        Region::Footer => "footer",
        Region::Aside => "aside",
        Region::Other => "frame",
    }
}

/// Says how large a change is; `is_bare` without the noun where it is words.
pub(crate) fn size(row: &ChangeRow, is_bare: bool) -> String {
    let words =
        |number: u32| if is_bare { grouped(u64::from(number)) } else { counted(u64::from(number), "word") };
    match row {
        ChangeRow::Shared(entry) => counted(entry.pages, "page"),
        ChangeRow::Folder(entry) => counted(entry.pages, "page"),
        ChangeRow::Page(entry) => match entry.kind {
            Verdict::Moved if entry.same_text => "same text".to_owned(),
            Verdict::New | Verdict::Gone if entry.words.of > 0 => words(entry.words.of),
            Verdict::New | Verdict::Gone | Verdict::Moved => String::new(),
            Verdict::Changed | Verdict::Shared | Verdict::Touched if entry.words.changed > 0 => {
                format!("{} of {}", grouped(u64::from(entry.words.changed)), words(entry.words.of))
            }
            Verdict::Changed | Verdict::Shared | Verdict::Touched => kinds(entry),
            Verdict::Unchanged | Verdict::Missing | Verdict::Failed | Verdict::Excluded => {
                entry.status.map(|status| format!("status {status}")).unwrap_or_default()
            }
        },
    }
}

fn kinds(entry: &ChangeEntry) -> String {
    if entry.kinds.is_empty() {
        return if entry.aspects == Aspects::TEXT { String::new() } else { entry.aspects.to_string() };
    }
    entry.kinds.iter().map(Kind::word).collect::<Vec<_>>().join(", ")
}

fn what(row: &ChangeRow, most: usize, with_colours: bool) -> Cell {
    marked(&shown(row, most), with_colours)
}

/// Returns what is most worth knowing of a change beside its address and size.
pub(crate) fn shown(row: &ChangeRow, most: usize) -> Vec<Mark> {
    let plain = |text: String| vec![Mark::Same(text)];
    match row {
        ChangeRow::Folder(entry) => {
            let samples = entry.samples.iter().take(3).map(PageUrl::path).collect::<Vec<_>>().join(", ");
            plain(samples)
        }
        ChangeRow::Shared(entry) => match entry.by {
            SharedBy::Rule => plain(rule(entry.came.as_deref().unwrap_or_default()).to_owned()),
            SharedBy::Shift => plain("a list moved on".to_owned()),
            SharedBy::Loss => {
                let mut marks = marks(None, entry.came.as_deref(), most.saturating_sub(19));
                marks.insert(0, Mark::Same("lost their text: ".to_owned()));
                marks
            }
            SharedBy::Edit | SharedBy::Shape => marks(entry.went.as_deref(), entry.came.as_deref(), most),
        },
        ChangeRow::Page(entry) => {
            let more = more(entry);
            let mut shown = of_page(entry, most.saturating_sub(more.len()));
            if !more.is_empty() {
                shown.push(Mark::Same(more));
            }
            shown
        }
    }
}

fn more(entry: &ChangeEntry) -> String {
    match (entry.changed_back, entry.more) {
        (true, _) => " changed and changed back".to_owned(),
        (false, 0) => String::new(),
        (false, more) => format!(" and {} more", grouped(more as u64)),
    }
}

fn of_page(entry: &ChangeEntry, most: usize) -> Vec<Mark> {
    let plain = |text: String| vec![Mark::Same(text)];
    let linked = || entry.referrer.as_ref().map(|referrer| format!("linked from {referrer}"));
    match entry.kind {
        Verdict::Moved => {
            let target = entry.target.as_ref().filter(|target| target.authority() == entry.url.authority());
            let target = target.map(|target| target.path_and_query().to_owned());
            plain(
                target
                    .or_else(|| entry.location.clone())
                    .map_or_else(String::new, |to| format!("now at {to}")),
            )
        }
        Verdict::Missing => plain(linked().unwrap_or_default()),
        kind if kind.sight() == Sight::Nothing => plain(entry.reason.clone().unwrap_or_default()),
        _ if entry.went.is_some() || entry.came.is_some() => {
            marks(entry.went.as_deref(), entry.came.as_deref(), most)
        }
        _ => plain(entry.title.clone().unwrap_or_default()),
    }
}

/// Returns what a noise rule is about, in words; rules that have none go by their names.
pub(crate) fn rule(name: &str) -> &str {
    match name {
        "years" => "copyright year",
        "ids" => "ids",
        "versions" => "version numbers",
        "dates" => "dates",
        "times" => "times",
        "order" => "the order of lines",
        other => other,
    }
}
