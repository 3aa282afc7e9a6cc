//! Presentations (pptx): slides in their order, each with its notes.

use quick_xml::events::Event;
use recrawl_core::model::document::{LineKind, UnreadDocument};

use super::Reading;
use super::package::{GO_ON, Package, STOP};
use super::relationships::Relationships;
use super::word::{end_cell, end_row, full};
use super::xml::{attribute, prefixed_attribute, push_text};

/// Slides that are read.
const MAX_SLIDES: usize = 5_000;

pub(super) fn read(package: &mut Package<'_>, reading: &mut Reading) -> Result<(), UnreadDocument> {
    const MAIN: &str = "ppt/presentation.xml";
    let relationships = Relationships::of(package, MAIN, &mut reading.links)?;
    let mut slides = Vec::new();
    let found = package.read(MAIN, |event| {
        if let Event::Start(element) | Event::Empty(element) = event
            && element.local_name().as_ref() == "sldId"
            && let Some(id) = prefixed_attribute(element, "r", "id")
        {
            slides.push(id);
        }
        if slides.len() > MAX_SLIDES { STOP } else { GO_ON }
    })?;
    if !found {
        return Err(UnreadDocument::Damaged);
    }
    reading.parts = u32::try_from(slides.len()).ok();
    for id in slides.iter().take(MAX_SLIDES) {
        let Some(path) = relationships.path(id) else { continue };
        let path = path.to_owned();
        let of_slide = Relationships::of(package, &path, &mut reading.links)?;
        read_slide(package, &path, reading)?;
        if let Some(notes) = of_slide.of_kind("notesSlide") {
            read_slide(package, notes, reading)?;
        }
        if reading.lines.is_full() {
            break;
        }
    }
    Ok(())
}

/// Reads a slide: a line for each paragraph, and for each row of a table.
fn read_slide(package: &mut Package<'_>, path: &str, reading: &mut Reading) -> Result<(), UnreadDocument> {
    let mut line = String::new();
    let (mut text, mut rows, mut skipped) = (0_u32, 0_u32, 0_u32);
    let mut is_title = false;
    package.read(path, |event| {
        match event {
            Event::Start(element) | Event::Empty(element) => {
                let is_start = matches!(event, Event::Start(_));
                match element.local_name().as_ref() {
                    "t" if is_start => text += 1,
                    "tr" if is_start => rows += 1,
                    "br" | "tab" => line.push(' '),
                    "sp" => is_title = false,
                    "ph" => {
                        let kind = attribute(element, "type");
                        is_title = matches!(kind.as_deref(), Some("title" | "ctrTitle"));
                    }
                    // Numbers of slides and dates change by themselves.
                    "fld" | "Fallback" if is_start => skipped += 1,
                    _ => {}
                }
            }
            Event::End(element) => match element.local_name().as_ref() {
                "t" => text = text.saturating_sub(1),
                "fld" | "Fallback" => skipped = skipped.saturating_sub(1),
                "p" if rows == 0 => {
                    let kind = if is_title { LineKind::Heading } else { LineKind::Text };
                    reading.lines.push(kind, &line);
                    line.clear();
                }
                "p" => line.push(' '),
                "tc" => end_cell(&mut line),
                "tr" => {
                    rows = rows.saturating_sub(1);
                    end_row(&mut line);
                    reading.lines.push(LineKind::Text, &line);
                    line.clear();
                }
                _ => {}
            },
            other if text > 0 && skipped == 0 => push_text(other, &mut line),
            _ => {}
        }
        full(&line)
    })?;
    Ok(())
}
