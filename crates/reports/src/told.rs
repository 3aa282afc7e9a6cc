//! A change in words: how large it is, what is most worth knowing of it, and what it is called, wherever it is told.

mod headline;

use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::kind::Kind;
use recrawl_core::model::region::Region;
use recrawl_core::model::shared_change::SharedBy;
use recrawl_core::model::verdict::{Sight, Verdict};
use recrawl_core::url::PageUrl;
use recrawl_core::words::{counted, grouped};

pub use self::headline::{headline, leads_to, name, of_shared};
use crate::changes::{ChangeEntry, ChangeRow, SharedEntry};
use crate::marks::{Mark, marks};

/// Says where a shared change stands.
pub fn place(entry: &SharedEntry) -> String {
    let region = region(entry.region);
    if entry.noise { format!("{region} (noise)") } else { region.to_owned() }
}

/// Returns the name of a part of a page.
pub const fn region(region: Region) -> &'static str {
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
pub fn size(row: &ChangeRow, is_bare: bool) -> String {
    match row {
        ChangeRow::Shared(entry) => counted(entry.pages, "page"),
        ChangeRow::Folder(entry) => counted(entry.pages, "page"),
        ChangeRow::Page(entry) => size_of_page(entry, is_bare),
    }
}

/// Says how large the change of a page is, as [`size`] does.
pub fn size_of_page(entry: &ChangeEntry, is_bare: bool) -> String {
    let words =
        |number: u32| if is_bare { grouped(u64::from(number)) } else { counted(u64::from(number), "word") };
    if let Some(shared) = &entry.shared {
        return counted(shared.pages, "page");
    }
    match entry.kind {
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
    }
}

fn kinds(entry: &ChangeEntry) -> String {
    if entry.kinds.is_empty() {
        return if entry.aspects == Aspects::TEXT { String::new() } else { entry.aspects.to_string() };
    }
    entry.kinds.iter().map(Kind::word).collect::<Vec<_>>().join(", ")
}

/// Returns what is most worth knowing of a change beside its address and size.
pub fn shown(row: &ChangeRow, most: usize) -> Vec<Mark> {
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
            SharedBy::Return => {
                let mut marks = marks(entry.went.as_deref(), None, most.saturating_sub(16));
                marks.insert(0, Mark::Same("back to normal: ".to_owned()));
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
        _ => {
            let said = [entry.title.as_deref(), entry.document.as_deref()];
            plain(said.into_iter().flatten().collect::<Vec<_>>().join(" \u{b7} "))
        }
    }
}

/// Returns what a noise rule is about, in words; rules that have none go by their names.
pub fn rule(name: &str) -> &str {
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
