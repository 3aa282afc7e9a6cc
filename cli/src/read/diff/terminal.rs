//! The comparison as a person reads it on a terminal: what is the page's own in full, the rest folded with its counts.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use recrawl_core::model::shared_change::SharedChange;
use recrawl_reports::changes::LineEdits;
use recrawl_reports::difference::{self, DiffRow};
use recrawl_reports::text_diff::{Context, Line, Tag, compare};

use super::unified::style;
use crate::output::{counted, has_colours, sanitize_for_terminal};

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 3;

/// How long words are looked for in lines that were replaced.
const PATIENCE: Duration = Duration::from_secs(2);

/// How many lines of a page that is gone or new are shown.
const BEGINNING: usize = 20;

/// Compares two texts and folds what is not the page's own; nothing where `all` is asked for.
pub(super) fn rows(
    older: &str,
    newer: &str,
    edits: &LineEdits,
    shared: &[SharedChange],
    all: bool,
) -> Vec<DiffRow> {
    let difference = compare(older, newer, Context::All, Instant::now() + PATIENCE);
    if all {
        return difference::rows(difference, &LineEdits::default(), &[], usize::MAX);
    }
    difference::rows(difference, edits, shared, CONTEXT)
}

/// Writes the rows.
pub(super) fn write(out: &mut dyn Write, rows: &[DiffRow]) -> io::Result<()> {
    let with_colours = has_colours();
    let dim = Style::new().dimmed();
    for row in rows {
        match row {
            DiffRow::Same(line) => write_line(out, line, with_colours)?,
            DiffRow::Edit(went, came) => {
                for line in [went, came].into_iter().flatten() {
                    write_line(out, line, with_colours)?;
                }
            }
            DiffRow::Unchanged(count, _) => {
                writeln!(out, "          {dim}{}{dim:#}", counted(*count as u64, "unchanged line"))?;
            }
            DiffRow::Around(lines) => {
                writeln!(
                    out,
                    "          {dim}{} around its content{dim:#}",
                    counted(lines.len() as u64, "line")
                )?;
            }
            DiffRow::Folded(fold) => {
                writeln!(out, "          {dim}{}{dim:#}", sanitize_for_terminal(&fold.told()))?;
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
    use recrawl_core::model::edit::{Edit, EditSide, EditState, EditTraits, LineId};
    use recrawl_core::model::region::Region;

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

    fn shown(rows: &[DiffRow]) -> String {
        let mut out = anstream::StripStream::new(Vec::new());
        write(&mut out, rows).unwrap();
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
        let folded = rows(older, newer, &edits, &[], false);
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
        let whole = shown(&rows(older, newer, &edits, &[], true));
        assert!(
            whole.contains("+ Jobs") && whole.contains("- Built") && !whole.contains("unchanged"),
            "{whole}"
        );
    }
}
