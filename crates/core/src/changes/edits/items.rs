//! Edits of what stands beside the text: links, images, facts of the head, known noise.

use std::collections::HashSet;

use super::{OwnMarks, edit_of};
use crate::model::aspect::{Aspect, Aspects};
use crate::model::edit::Edit;
use crate::model::kind::{Kind, Kinds};
use crate::model::outline::{Item, MetaKind, NoiseTrace, Outline};
use crate::model::region::{Mark, Region};

/// Adds the edits of links, images and the head.
pub(super) fn edits(
    (old, new): (&Outline, &Outline),
    own: &OwnMarks,
    compare: Aspects,
    list: &mut Vec<Edit>,
) {
    // What was cut off did not go.
    let is_cut = old.is_cut || new.is_cut;
    if compare.contains(Aspect::Links) && !is_cut {
        item_edits(Aspect::Links, (&old.links, &new.links), own, list);
    }
    if compare.contains(Aspect::Media) && !is_cut {
        item_edits(Aspect::Media, (&old.media, &new.media), own, list);
    }
    if compare.contains(Aspect::Meta) {
        meta_edits(old, new, own, list);
    }
}

fn item_edits(aspect: Aspect, (old, new): (&[Item], &[Item]), own: &OwnMarks, list: &mut Vec<Edit>) {
    let known: HashSet<&str> = old.iter().map(|item| item.address.as_str()).collect();
    let now: HashSet<&str> = new.iter().map(|item| item.address.as_str()).collect();
    let mut went: Vec<&Item> = old.iter().filter(|item| !now.contains(item.address.as_str())).collect();
    for item in new.iter().filter(|item| !known.contains(item.address.as_str())) {
        // A document that leads elsewhere under the same words was replaced.
        let replaced = went.iter().position(|old| !old.words.is_empty() && old.words == item.words);
        let old = replaced.map(|place| went.swap_remove(place));
        let mut edit =
            edit_of(aspect, item.mark, old.map(|old| old.address.as_str()), Some(&item.address), own);
        edit.traits.is_document = old.is_some() && item.mark.region == Region::Content;
        if old.is_some() {
            edit.traits.kinds = edit.traits.kinds.with(Kind::Document);
        }
        list.push(edit);
    }
    list.extend(went.into_iter().map(|item| edit_of(aspect, item.mark, Some(&item.address), None, own)));
}

fn meta_edits(old: &Outline, new: &Outline, own: &OwnMarks, list: &mut Vec<Edit>) {
    for kind in MetaKind::ALL {
        let of = |outline: &Outline| -> Option<String> {
            let mut facts = outline.meta.iter().filter(|(known, _)| *known == kind);
            facts.next().map(|(_, fact)| fact.clone())
        };
        let (went, came) = (of(old), of(new));
        if went == came {
            continue;
        }
        // The title is masked in lines of the text, where it stands for the page; here it is what changed.
        let nothing = OwnMarks::default();
        let own = if kind == MetaKind::Title { &nothing } else { own };
        let mut edit = edit_of(Aspect::Meta, Mark::CONTENT, went.as_deref(), came.as_deref(), own);
        edit.traits.kinds = Kinds::default().with(match kind {
            MetaKind::Title => Kind::Title,
            MetaKind::Description => Kind::Description,
            MetaKind::Canonical => Kind::Canonical,
            MetaKind::Robots => Kind::Robots,
        });
        list.push(edit);
    }
}

/// Returns what the noise rules removed differently than before: how many pieces each.
pub(super) fn noise((old, new): (&Outline, &Outline)) -> Vec<(String, u32)> {
    let mut counts = Vec::new();
    for NoiseTrace { rule, count, fingerprint } in &new.noise {
        let before = old.noise.iter().find(|trace| trace.rule == *rule);
        if before.is_none_or(|before| before.fingerprint != *fingerprint) {
            counts.push((rule.clone(), (*count).max(1)));
        }
    }
    let went = old.noise.iter().filter(|trace| new.noise.iter().all(|other| other.rule != trace.rule));
    counts.extend(went.map(|trace| (trace.rule.clone(), trace.count.max(1))));
    counts
}
