//! The comparison as a person reads it on a terminal: what is the page's own in full, the rest folded with its counts.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use recrawl_core::model::edit::{Edit, EditId};
use recrawl_core::model::region::Region;
use recrawl_core::model::shared_change::SharedChange;
use recrawl_reports::changes::LineEdits;
use recrawl_reports::text_diff::{Context, Line, Tag, compare};

use super::unified::style;
use crate::output::{counted, has_colours, sanitize_for_terminal};
use recrawl_reports::told::region as region_name;

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 3;

/// How long words are looked for in lines that were replaced.
const PATIENCE: Duration = Duration::from_secs(2);

/// How many lines of a page that is gone or new are shown.
const BEGINNING: usize = 20;

/// A row of the comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    /// A line.
    Line(Line),
    /// So many lines that did not change.
    Unchanged(usize),
    /// Edits that are not the page's own.
    Folded { is_noise: bool, region: Region, edits: Vec<EditId>, pages: u64, text: String },
}

/// Compares two texts and folds what is not the page's own; nothing where `all` is asked for.
pub(super) fn items(
    older: &str,
    newer: &str,
    edits: &LineEdits,
    shared: &[SharedChange],
    all: bool,
) -> Vec<Item> {
    let difference = compare(older, newer, Context::All, Instant::now() + PATIENCE);
    let lines: Vec<Line> = difference.hunks.into_iter().flat_map(|hunk| hunk.lines).collect();
    if all {
        return lines.into_iter().map(Item::Line).collect();
    }
    let foreign =
        |line: &Line| edit_of(line, edits).filter(|edit| edit.state.is_noise() || edit.state.is_shared());
    let is_own: Vec<bool> =
        lines.iter().map(|line| line.tag != Tag::Same && foreign(line).is_none()).collect();
    let mut items: Vec<Item> = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let near = place.saturating_sub(CONTEXT)..(place + CONTEXT + 1).min(lines.len());
        if is_own[place] || line.tag == Tag::Same && is_own[near].contains(&true) {
            items.push(Item::Line(line.clone()));
        } else if let Some(edit) = foreign(line) {
            fold(&mut items, edit, shared);
        } else if let Some(Item::Unchanged(count)) = items.last_mut() {
            *count += 1;
        } else {
            items.push(Item::Unchanged(1));
        }
    }
    items
}

fn edit_of<'e>(line: &Line, edits: &'e LineEdits) -> Option<&'e Edit> {
    let text: String = line.pieces.iter().map(|piece| piece.text.as_str()).collect();
    match line.tag {
        Tag::Same => None,
        Tag::Removed => edits.went.get(&text),
        Tag::Added => edits.came.get(&text),
    }
}

fn fold(items: &mut Vec<Item>, edit: &Edit, shared: &[SharedChange]) {
    let id = edit.id();
    let is_noise = edit.state.is_noise();
    if let Some(Item::Folded { is_noise: other, region, edits, .. }) = items.last_mut()
        && (*other, *region) == (is_noise, edit.region)
    {
        if !edits.contains(&id) {
            edits.push(id);
        }
        return;
    }
    let found = shared
        .iter()
        .find(|change| change.id == id || change.also.contains(&id) || change.id == edit.shape());
    let (went, came) = edit.texts.clone().unwrap_or_default();
    let text = match (went.is_empty(), came.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!("+ {came}"),
        (false, true) => format!("- {went}"),
        (false, false) => {
            recrawl_reports::marks::written(&recrawl_reports::marks::marks(Some(&went), Some(&came), 60))
        }
    };
    items.push(Item::Folded {
        is_noise,
        region: edit.region,
        edits: vec![id],
        pages: found.map_or(0, |change| change.pages),
        text,
    });
}

/// Says what was folded: `1 shared line in the menu, the same on 1,182 pages: + Jobs`.
fn folded(is_noise: bool, region: Region, edits: usize, pages: u64, text: &str) -> String {
    let place = region_name(region);
    let told = if edits == 1 && !text.is_empty() {
        format!(": {}", sanitize_for_terminal(text))
    } else {
        String::new()
    };
    if is_noise {
        return format!("{} of noise in the {place}{told}", counted(edits as u64, "line"));
    }
    let same = if pages > 1 { format!(", the same on {}", counted(pages, "page")) } else { String::new() };
    format!("{} in the {place}{same}{told}", counted(edits as u64, "shared line"))
}

/// Says of how many lines each that are not the page's own it consists, and nothing else.
pub(super) fn only_folded(items: &[Item]) -> Option<String> {
    let mut told = Vec::new();
    for item in items {
        match item {
            Item::Line(line) if line.tag != Tag::Same => return None,
            Item::Line(_) | Item::Unchanged(_) => {}
            Item::Folded { is_noise, region, edits, pages, text } => {
                told.push(folded(*is_noise, *region, edits.len(), *pages, text));
            }
        }
    }
    Some(told.join("; "))
}

/// Writes the rows.
pub(super) fn write(out: &mut dyn Write, items: &[Item]) -> io::Result<()> {
    let with_colours = has_colours();
    for item in items {
        match item {
            Item::Line(line) => write_line(out, line, with_colours)?,
            Item::Unchanged(count) => {
                let dim = Style::new().dimmed();
                writeln!(out, "          {dim}{}{dim:#}", counted(*count as u64, "unchanged line"))?;
            }
            Item::Folded { is_noise, region, edits, pages, text } => {
                let dim = Style::new().dimmed();
                let told = folded(*is_noise, *region, edits.len(), *pages, text);
                writeln!(out, "          {dim}{told}{dim:#}")?;
            }
        }
    }
    Ok(())
}

fn write_line(out: &mut dyn Write, line: &Line, with_colours: bool) -> io::Result<()> {
    let number = |number: Option<usize>| number.map(|number| number.to_string()).unwrap_or_default();
    let colour = style(line.tag);
    write!(
        out,
        "{:>4}{:>4}  {colour}{}{colour:#} ",
        number(line.older),
        number(line.newer),
        line.tag.mark()
    )?;
    for piece in &line.pieces {
        let text = sanitize_for_terminal(&piece.text);
        match (piece.emphasised, line.tag) {
            (true, Tag::Removed) if with_colours => {
                let gone = AnsiColor::Red.on_default().strikethrough();
                write!(out, "{gone}{text}{gone:#}")?;
            }
            (true, Tag::Removed) => write!(out, "[-{text}-]")?,
            (true, Tag::Added) if !with_colours => write!(out, "{{+{text}+}}")?,
            (_, Tag::Added | Tag::Removed | Tag::Same) => write!(out, "{colour}{text}{colour:#}")?,
        }
    }
    writeln!(out)
}

/// Writes what a page that is gone said, or what a new one says.
pub(super) fn write_text(out: &mut dyn Write, text: &str, tag: Tag, all: bool) -> io::Result<()> {
    let lines: Vec<&str> = text.lines().collect();
    let shown = if all { lines.len() } else { BEGINNING.min(lines.len()) };
    let colour = style(tag);
    for (number, line) in (1..).zip(&lines[..shown]) {
        let (older, newer) = match tag {
            Tag::Added => (String::new(), number.to_string()),
            Tag::Removed | Tag::Same => (number.to_string(), String::new()),
        };
        let line = sanitize_for_terminal(line);
        writeln!(out, "{older:>4}{newer:>4}  {colour}{} {line}{colour:#}", tag.mark())?;
    }
    if shown < lines.len() {
        writeln!(out, "          {}: --all", counted((lines.len() - shown) as u64, "more line"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::aspect::Aspect;
    use recrawl_core::model::edit::{EditSide, EditState, EditTraits, LineId};

    use super::*;

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

    fn shown(items: &[Item]) -> String {
        let mut out = anstream::StripStream::new(Vec::new());
        write(&mut out, items).unwrap();
        String::from_utf8(out.into_inner()).unwrap()
    }

    #[test]
    fn what_is_not_the_pages_own_is_folded_with_its_count_and_never_dropped() {
        let older = "Home\nNews\n1\n2\n3\n4\n5\nConsultants 95,000\nTotal\nBuilt 3";
        let newer = "Home\nNews\nJobs\n1\n2\n3\n4\n5\nConsultants 195,000\nTotal\nBuilt 4";
        let jobs = edit(Region::Nav, EditState::Template, "Jobs");
        let built = edit(Region::Footer, EditState::Learnt, "Built 4");
        let edits = LineEdits {
            went: [("Built 3".to_owned(), built.clone())].into(),
            came: [("Jobs".to_owned(), jobs), ("Built 4".to_owned(), built)].into(),
        };
        let folded = items(older, newer, &edits, &[], false);
        insta::assert_snapshot!(shown(&folded), @r"
                  2 unchanged lines
                  1 shared line in the menu: + Jobs
                  2 unchanged lines
           5   6    3
           6   7    4
           7   8    5
           8      - Consultants [-95,000-]
               9  + Consultants {+195,000+}
           9  10    Total
                  1 line of noise in the footer: + Built 4
        ");
        assert_eq!(only_folded(&folded), None);
        let whole = shown(&items(older, newer, &edits, &[], true));
        assert!(
            whole.contains("+ Jobs") && whole.contains("- Built") && !whole.contains("unchanged"),
            "{whole}"
        );
        let only = items("Home", "Home\nJobs", &edits, &[], false);
        assert_eq!(only_folded(&only).unwrap(), "1 shared line in the menu: + Jobs");
    }
}
