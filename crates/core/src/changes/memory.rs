//! What a page's last visits say of its edits: lines that come and go, and places where everything is replaced.

use super::noise::NoiseInForce;
use crate::model::edit::{Edit, EditSide, EditState, Edits};
use crate::model::kind::{Kind, Tier};
use crate::model::page_memory::{CRAWLS, LinesOfVersion, MAX_NOISE, MAX_NUMBERS, PageMemory, VERSIONS};
use crate::model::region::Region;

/// Out of its last four visits, a lively place replaced everything in this many.
const LIVELY: u32 = 3;

/// In so many of the last crawls the page had an edit of the same shape: it is noise from then on.
const LEARNT: usize = 2;

/// Says of each edit whether the page's memory or the site's learnt noise knows it as noise, and returns what is
/// remembered after this visit.
pub fn recognise(memory: Option<&PageMemory>, noise: &NoiseInForce, edits: &mut Edits) -> PageMemory {
    let none = PageMemory::default();
    let memory = memory.unwrap_or(&none);
    let lively = lively_regions(memory, &edits.list);
    for edit in &mut edits.list {
        edit.traits.is_return = is_return(memory, edit);
        edit.state = if noise.is_denied(edit) {
            EditState::Own
        } else if noise.knows(edit) || is_learnt_by_page(memory, edit) || is_unsteady(memory, edit) {
            EditState::Learnt
        } else if is_rotating(memory, edit) {
            EditState::Rotating
        } else if !is_written(edit)
            && lively.iter().any(|(region, bits)| *region == edit.region && is_lively(*bits))
        {
            EditState::Lively
        } else {
            EditState::Own
        };
    }
    remembered(memory, lively, &edits.list)
}

/// Returns what is remembered once these edits were seen between two answers of the same hour. Figures that watchers came
/// for are news all the same the next time.
pub(super) fn remember_noise<'edit>(
    memory: Option<&PageMemory>,
    edits: impl Iterator<Item = &'edit Edit>,
) -> PageMemory {
    let mut memory = memory.cloned().unwrap_or_default();
    for edit in edits.filter(|edit| edit.count == 1 && edit.is_of_one_shape() && !edit.traits.is_protected) {
        let shape = half(edit.shape().0);
        memory.noise.retain(|known| *known != shape);
        memory.noise.insert(0, shape);
    }
    memory.noise.truncate(MAX_NOISE);
    memory
}

/// Tells whether an edit of this shape was seen between two answers of the same hour.
fn is_unsteady(memory: &PageMemory, edit: &Edit) -> bool {
    edit.is_of_one_shape() && !edit.traits.is_protected && memory.noise.contains(&half(edit.shape().0))
}

/// Tells whether the edit is one that people make in the content: a sentence, a figure, a line of fees and deadlines. A
/// page on which these change every week is news every week; teasers and dates of the day are not.
fn is_written(edit: &Edit) -> bool {
    let traits = &edit.traits;
    let is_figure = edit.is_of_one_shape() && traits.kinds.contains(Kind::Numbers);
    edit.place_tier() == Tier::Content
        && !traits.is_links
        && (traits.is_sentence || traits.is_protected || is_figure)
}

/// Half a fingerprint is enough within one page.
#[expect(clippy::cast_possible_truncation, reason = "half of it is what is wanted")]
const fn half(number: u64) -> u32 {
    number as u32
}

fn line(side: Option<&EditSide>) -> Option<u32> {
    side.map(|side| half(side.line.0))
}

/// Tells whether a page alone teaches that the edit is noise: nothing but ids, times of day, durations or sizes differ,
/// and they did so lately.
fn is_learnt_by_page(memory: &PageMemory, edit: &Edit) -> bool {
    let shape = half(edit.shape().0);
    let seen = memory.shapes.iter().filter(|shapes| shapes.contains(&shape)).count();
    edit.is_of_one_shape() && edit.traits.is_drawn && seen >= LEARNT
}

/// Tells whether every line of the edit went and came before: the first return is news, the next is not.
fn is_rotating(memory: &PageMemory, edit: &Edit) -> bool {
    let knows = |line: u32| {
        memory.versions.iter().any(|version| version.went.contains(&line))
            && memory.versions.iter().any(|version| version.came.contains(&line))
    };
    let mut lines = line(edit.went.as_ref()).into_iter().chain(line(edit.came.as_ref())).peekable();
    lines.peek().is_some() && lines.all(knows)
}

/// Tells whether a line is back that had gone with one of the last versions, or one is gone that had come with one.
fn is_return(memory: &PageMemory, edit: &Edit) -> bool {
    let went = |line: u32| memory.versions.iter().any(|version| version.went.contains(&line));
    let came = |line: u32| memory.versions.iter().any(|version| version.came.contains(&line));
    match line(edit.came.as_ref()) {
        Some(line) => went(line),
        None => line(edit.went.as_ref()).is_some_and(came),
    }
}

/// Returns in which visits each region replaced nothing but what the visit before had brought; the newest lowest.
fn lively_regions(memory: &PageMemory, edits: &[Edit]) -> Vec<(Region, u8)> {
    let fresh = memory.versions.first().map(|version| version.came.as_slice()).unwrap_or_default();
    let mut regions = memory.lively.clone();
    for region in Region::ALL {
        let of_region = || edits.iter().filter(|edit| edit.region == region && edit.count == 1);
        let mut went = of_region().filter_map(|edit| line(edit.went.as_ref())).peekable();
        if went.peek().is_none() {
            continue;
        }
        let is_replaced = went.all(|line| fresh.contains(&line)) && edits.iter().all(|edit| edit.count == 1);
        match regions.iter_mut().find(|(known, _)| *known == region) {
            Some((_, bits)) => *bits = *bits << 1 | u8::from(is_replaced),
            None => regions.push((region, u8::from(is_replaced))),
        }
    }
    regions.retain(|(_, bits)| *bits != 0);
    regions
}

/// This visit replaced all of it, and so did most before.
const fn is_lively(bits: u8) -> bool {
    bits & 1 != 0 && (bits & 0b1111).count_ones() >= LIVELY
}

fn remembered(memory: &PageMemory, lively: Vec<(Region, u8)>, edits: &[Edit]) -> PageMemory {
    let single = || edits.iter().filter(|edit| edit.count == 1);
    let newest = LinesOfVersion {
        went: single().filter_map(|edit| line(edit.went.as_ref())).collect(),
        came: single().filter_map(|edit| line(edit.came.as_ref())).collect(),
    };
    let shapes = single().filter(|edit| edit.is_of_one_shape()).map(|edit| half(edit.shape().0)).collect();
    let mut versions = vec![newest];
    versions.extend(memory.versions.iter().take(VERSIONS - 1).cloned());
    let mut by_crawl: Vec<Vec<u32>> = vec![shapes];
    by_crawl.extend(memory.shapes.iter().take(CRAWLS - 1).cloned());
    let mut left = MAX_NUMBERS - memory.noise.len().min(MAX_NOISE);
    for version in &mut versions {
        for lines in [&mut version.went, &mut version.came] {
            lines.truncate(left / 2);
            left -= lines.len();
        }
    }
    for shapes in &mut by_crawl {
        shapes.truncate(left / 2);
        left -= shapes.len();
    }
    PageMemory {
        versions,
        shapes: by_crawl,
        lively,
        noise: memory.noise.clone(),
        needs_scripts: memory.needs_scripts,
        document: memory.document.clone(),
    }
}

#[cfg(test)]
mod tests;
