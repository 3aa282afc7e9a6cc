//! Pages that Recrawl itself could not read, and their bodies for a report.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use recrawl_core::ports::Stumbles;
use recrawl_reports::faults::StumbleEntry;

use super::Subject;
use crate::output::{self, Cell, Column, Format, Sheet, bytes, counted, day_and_time};

/// What says where each body came from.
const INDEX: &str = "stumbles.json";

pub(super) async fn report(
    subject: &Subject<'_>,
    stumbles: &dyn Stumbles,
    folder: Option<&Path>,
) -> anyhow::Result<()> {
    let kept = stumbles.stumbles(&subject.site.id, subject.crawl.id).await?;
    let has_bodies = kept.iter().any(|kept| kept.body.is_kept());
    let mut rows: Vec<StumbleEntry> = kept.into_iter().map(StumbleEntry::from).collect();
    if let Some(folder) = folder {
        save(subject, stumbles, &mut rows, folder).await?;
    }
    let found = match rows.len() {
        0 => "Recrawl stumbled over no page".to_owned(),
        pages => format!("Recrawl stumbled over {}", counted(pages as u64, "page")),
    };
    subject.print(&rows, &StumbleEntry::FIELDS, &found, sheet)?;
    if has_bodies && folder.is_none() && subject.format == Format::Table {
        output::note("`recrawl report stumbles --save DIR` saves what these pages sent, for a report.")?;
    }
    Ok(())
}

/// Writes the bodies that are kept into a folder, and beside them what they are. Nothing there is replaced.
async fn save(
    subject: &Subject<'_>,
    stumbles: &dyn Stumbles,
    rows: &mut [StumbleEntry],
    folder: &Path,
) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut saved = 0;
    for row in rows.iter_mut() {
        let body = stumbles.stumbled_body(&subject.site.id, subject.crawl.id, &row.url).await?;
        let Some(body) = body else { continue };
        saved += 1;
        let name = format!("{saved}.{}", extension(row.content_type.as_deref()));
        write_new(&folder.join(&name), &body)?;
        row.file = Some(name);
    }
    let mut index = Vec::new();
    output::write_json(&mut index, &rows)?;
    write_new(&folder.join(INDEX), &index)?;
    output::note(&format!(
        "What {} sent is saved in {}; {INDEX} says where each file came from. Look at them before you pass them on.",
        counted(saved, "page"),
        folder.display()
    ))?;
    Ok(())
}

fn write_new(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let written = file.and_then(|mut file| file.write_all(bytes));
    written.with_context(|| format!("cannot write {}", path.display()))
}

fn extension(content_type: Option<&str>) -> &'static str {
    let is_html = content_type.is_none_or(|text| text.to_ascii_lowercase().contains("html"));
    if is_html { "html" } else { "bin" }
}

fn sheet(rows: &[StumbleEntry]) -> Sheet {
    let mut sheet = Sheet::new([
        Column::flexible("page"),
        Column::flexible("what happened"),
        Column::flexible("where"),
        Column::number("size"),
        Column::new("body"),
        Column::new("when (UTC)"),
    ]);
    for row in rows {
        let cells: [Cell; 6] = [
            row.url.as_str().into(),
            row.message.as_str().into(),
            row.place.as_deref().unwrap_or("-").into(),
            row.bytes.map_or_else(|| "-".to_owned(), bytes).into(),
            row.body.into(),
            day_and_time(row.at).into(),
        ];
        sheet.push(cells);
    }
    sheet
}
