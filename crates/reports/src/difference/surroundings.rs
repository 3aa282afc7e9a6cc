//! What a page leads to and shows, beside what it says.

use std::collections::BTreeSet;

use recrawl_core::model::aspect::Signatures;
use recrawl_core::model::ids::{CrawlId, RulesVersion};
use recrawl_core::model::outline::{Item, Outline};
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::{History, StoreError};
use recrawl_extract::HtmlExtractor;
use serde::Serialize;
use utoipa::ToSchema;

use super::side::has_text;

/// Addresses that came and went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Beside {
    /// What they are: `links`, or `images, sounds and films`.
    pub what: String,
    /// Those that went.
    pub went: Vec<String>,
    /// Those that came.
    pub came: Vec<String>,
}

/// What a version of a page leads to and shows.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    crawl: Option<CrawlId>,
    /// With the rules by which they were made.
    signatures: Option<(RulesVersion, Signatures)>,
    /// The links that were stored.
    links: Option<BTreeSet<String>>,
    /// Links and media as they count: from the outline, or from the body where that is kept.
    counted: Option<Counted>,
    /// Why the body could not be read again, in words.
    unreadable: Option<String>,
}

#[derive(Debug, Clone)]
struct Counted {
    links: BTreeSet<String>,
    media: BTreeSet<String>,
}

impl Counted {
    /// Takes them from what stands beside the text; not if some had no room there.
    fn of(outline: &Outline) -> Option<Self> {
        let addresses = |items: &[Item]| items.iter().map(|item| item.address.clone()).collect();
        let is_whole = !outline.is_cut;
        is_whole.then(|| Self { links: addresses(&outline.links), media: addresses(&outline.media) })
    }
}

impl Surroundings {
    /// Reads what a version leads to and shows; nothing if it is no HTML page.
    pub async fn of(
        history: &dyn History,
        extractor: &HtmlExtractor,
        record: &PageRecord,
    ) -> Result<Self, StoreError> {
        let known = &record.known;
        let Some(reference) = record.offered_content().filter(|content| has_text(content)) else {
            return Ok(Self::default());
        };
        let signatures = reference.signatures.map(|signatures| (reference.rules.clone(), signatures));
        let readings = history.readings(&record.site, std::slice::from_ref(reference)).await?;
        let outline = readings.into_iter().flatten().next().and_then(|reading| reading.outline);
        if let Some(counted) = outline.as_ref().and_then(Counted::of) {
            let (crawl, counted) = (Some(record.crawl), Some(counted));
            return Ok(Self { crawl, signatures, counted, ..Self::default() });
        }
        let stored = history.content(&record.site, &reference.hash).await?;
        let links =
            stored.as_ref().map(|content| content.extracted.links.iter().map(ToString::to_string).collect());
        let body = stored.and_then(|content| content.body);
        let content_type = known.headers.content_type.as_deref();
        let explained = body.map(|body| extractor.explain(&record.url, content_type, &body)).transpose();
        let unreadable = explained.as_ref().err().map(ToString::to_string);
        let explained = explained.ok().flatten().flatten();
        Ok(Self {
            unreadable,
            crawl: Some(record.crawl),
            signatures,
            links,
            counted: explained.map(|page| Counted {
                links: page.targets.into_iter().collect(),
                media: page.media.into_iter().collect(),
            }),
        })
    }
}

/// Returns the links and media that came and went, and what cannot be told.
pub fn compare_beside(older: &Surroundings, newer: &Surroundings) -> (Vec<Beside>, Vec<String>) {
    let (Some(_), Some(_)) = (older.crawl, newer.crawl) else {
        return (Vec::new(), Vec::new());
    };
    let signatures = older.signatures.as_ref().zip(newer.signatures.as_ref());
    let (links_are_same, media_are_same) = match signatures {
        Some(((rules, one), (others, two))) if rules == others => {
            (Some(one.links == two.links), Some(one.media == two.media))
        }
        Some(_) | None => (None, None),
    };
    let mut notes = Vec::new();
    let counted = older.counted.as_ref().zip(newer.counted.as_ref());
    let stored = older.links.as_ref().zip(newer.links.as_ref());
    let links = counted.map(|(one, two)| (&one.links, &two.links)).or(stored);
    let mut found = Vec::new();
    if links_are_same != Some(true) {
        found.extend(links.and_then(|(one, two)| came_and_went("links", one, two)));
        if found.is_empty() && links_are_same == Some(false) {
            notes.push("Links differ that are not followed, and so are not stored.".to_owned());
        }
    }
    match (counted, media_are_same) {
        (_, Some(true)) => {}
        (Some((one, two)), _) => {
            found.extend(came_and_went("images, sounds and films", &one.media, &two.media));
        }
        (None, differ) => notes.extend(not_kept(older, newer, differ == Some(false))),
    }
    (found, notes)
}

fn came_and_went(what: &str, older: &BTreeSet<String>, newer: &BTreeSet<String>) -> Option<Beside> {
    let went: Vec<String> = older.difference(newer).cloned().collect();
    let came: Vec<String> = newer.difference(older).cloned().collect();
    let differ = !went.is_empty() || !came.is_empty();
    differ.then(|| Beside { what: what.to_owned(), went, came })
}

fn not_kept(older: &Surroundings, newer: &Surroundings, differ: bool) -> Option<String> {
    let missing = [older, newer].into_iter().find(|side| side.counted.is_none())?;
    let body = match &missing.unreadable {
        Some(reason) => format!("the body of {} cannot be read: {reason}", missing.crawl?),
        None => format!("the body of {} was not kept", missing.crawl?),
    };
    Some(if differ {
        format!("Images, sounds or films differ; which ones is not known: {body}.")
    } else {
        format!("Images, sounds and films are not compared: {body}.")
    })
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::aspect::Signature;

    use super::*;

    fn set(words: &str) -> BTreeSet<String> {
        words.split_whitespace().map(str::to_owned).collect()
    }

    fn page(signatures: Option<(u64, u64)>, stored: &str, counted: Option<(&str, &str)>) -> Surroundings {
        Surroundings {
            crawl: Some("crawl-2026-11-16".parse().unwrap()),
            signatures: signatures.map(|(links, media)| {
                let signatures = Signatures { links: Signature(links), media: Signature(media), meta: None };
                (RulesVersion("1".to_owned()), signatures)
            }),
            links: Some(set(stored)),
            counted: counted.map(|(links, media)| Counted { links: set(links), media: set(media) }),
            unreadable: None,
        }
    }

    /// A page of which no body was kept, and what stands beside its text.
    fn outlined(signatures: (u64, u64), links: &[&str], media: &[&str]) -> Surroundings {
        let item = |address: &&str| Item {
            mark: recrawl_core::model::region::Mark::CONTENT,
            address: (*address).to_owned(),
            words: String::new(),
            source: String::new(),
        };
        let items = |addresses: &[&str]| addresses.iter().map(item).collect();
        let outline = Outline { links: items(links), media: items(media), ..Outline::default() };
        let counted = Counted::of(&outline);
        Surroundings { links: None, counted, ..page(Some(signatures), "", None) }
    }

    #[test]
    fn of_an_outline_that_was_cut_nobody_knows_what_is_missing() {
        assert!(Counted::of(&Outline::default()).is_some());
        assert!(Counted::of(&Outline { is_cut: true, ..Outline::default() }).is_none());
    }

    fn shown(older: &Surroundings, newer: &Surroundings) -> String {
        let (found, notes) = compare_beside(older, newer);
        let mut shown: Vec<String> = Vec::new();
        for Beside { what, went, came } in found {
            shown.push(what);
            shown.extend(went.iter().map(|address| format!("-{address}")));
            shown.extend(came.iter().map(|address| format!("+{address}")));
        }
        shown.extend(notes);
        shown.join("; ")
    }

    #[test]
    fn what_came_and_went_is_told_as_far_as_it_is_known() {
        let cases = [
            (page(Some((1, 1)), "a", None), page(Some((1, 1)), "a", None), ""),
            (page(Some((1, 1)), "a b", None), page(Some((2, 1)), "b c", None), "links; -a; +c"),
            (
                page(Some((1, 1)), "a", Some(("a", "x"))),
                page(Some((1, 2)), "a", Some(("a", "y"))),
                "images, sounds and films; -x; +y",
            ),
            (
                page(Some((1, 1)), "a", None),
                page(Some((1, 2)), "a", None),
                "Images, sounds or films differ; which ones is not known: the body of crawl-2026-11-16 was not kept.",
            ),
            (
                page(None, "a", None),
                page(Some((1, 2)), "a", None),
                "Images, sounds and films are not compared: the body of crawl-2026-11-16 was not kept.",
            ),
            (
                page(Some((1, 1)), "a", None),
                page(Some((2, 1)), "a", None),
                "Links differ that are not followed, and so are not stored.",
            ),
            (
                page(Some((1, 1)), "a", Some(("a m", ""))),
                page(Some((2, 1)), "a", Some(("a", ""))),
                "links; -m",
            ),
            (page(None, "a", None), Surroundings::default(), ""),
            (
                outlined((1, 1), &["https://a.example/"], &["/hall.png \"the hall\""]),
                outlined((1, 2), &["https://a.example/"], &["/barn.png \"the hall\""]),
                "images, sounds and films; -/hall.png \"the hall\"; +/barn.png \"the hall\"",
            ),
        ];
        for (older, newer, expected) in cases {
            assert_eq!(shown(&older, &newer), expected);
        }
    }
}
