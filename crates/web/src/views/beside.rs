//! What a page leads to and shows, beside what it says.

use std::collections::BTreeSet;

use recrawl_core::aspect::Signatures;
use recrawl_core::ids::RulesVersion;
use recrawl_core::record::PageRecord;
use recrawl_extract::HtmlExtractor;
use serde::Serialize;
use utoipa::ToSchema;

use super::side::content_of;
use crate::app::Library;
use crate::error::WebError;

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

/// What a version leads to and shows.
#[derive(Debug, Clone, Default)]
pub(super) struct Surroundings {
    signatures: Option<(RulesVersion, Signatures)>,
    links: Option<BTreeSet<String>>,
    /// As counted, where the body is kept.
    media: Option<BTreeSet<String>>,
    is_html: bool,
}

impl Surroundings {
    /// Reads what a version leads to and shows; nothing if it is no HTML page.
    pub(super) async fn of(
        library: &dyn Library,
        reader: &HtmlExtractor,
        record: &PageRecord,
    ) -> Result<Self, WebError> {
        let Some(content) = content_of(record).filter(|content| content.rules != RulesVersion::bytes())
        else {
            return Ok(Self::default());
        };
        let stored = library.content(&content.hash).await?;
        let links =
            stored.as_ref().map(|stored| stored.extracted.links.iter().map(ToString::to_string).collect());
        let content_type = record.known.headers.content_type.as_deref();
        let explained = stored
            .and_then(|stored| stored.body)
            .and_then(|body| reader.explain(&record.url, content_type, &body));
        Ok(Self {
            signatures: content.signatures.map(|signatures| (content.rules.clone(), signatures)),
            links,
            media: explained.map(|page| page.media.into_iter().collect()),
            is_html: true,
        })
    }
}

/// Returns the links and media that came and went, and what cannot be told.
pub(super) fn compare_beside(older: &Surroundings, newer: &Surroundings) -> (Vec<Beside>, Vec<String>) {
    let (mut found, mut notes) = (Vec::new(), Vec::new());
    if !(older.is_html && newer.is_html) {
        return (found, notes);
    }
    let signatures = older.signatures.as_ref().zip(newer.signatures.as_ref());
    let same = signatures.filter(|((rules, _), (others, _))| rules == others);
    let links_differ = same.map(|((_, one), (_, two))| one.links != two.links);
    let media_differ = same.map(|((_, one), (_, two))| one.media != two.media);
    if let Some((one, two)) = older.links.as_ref().zip(newer.links.as_ref()) {
        found.extend(came_and_went("links", one, two));
    }
    if found.is_empty() && links_differ == Some(true) {
        notes.push("Links differ that are not followed, and so are not stored.".to_owned());
    }
    match (older.media.as_ref().zip(newer.media.as_ref()), media_differ) {
        (_, Some(false)) | (None, None) => {}
        (Some((one, two)), _) => found.extend(came_and_went("images, sounds and films", one, two)),
        (None, Some(true)) => notes.push(
            "Images, sounds or films differ; which ones is not known, because a body was not kept."
                .to_owned(),
        ),
    }
    (found, notes)
}

fn came_and_went(what: &str, older: &BTreeSet<String>, newer: &BTreeSet<String>) -> Option<Beside> {
    let went: Vec<String> = older.difference(newer).cloned().collect();
    let came: Vec<String> = newer.difference(older).cloned().collect();
    let differ = !went.is_empty() || !came.is_empty();
    differ.then(|| Beside { what: what.to_owned(), went, came })
}

#[cfg(test)]
mod tests {
    use recrawl_core::aspect::Signature;

    use super::*;

    fn page(signatures: (u64, u64), links: &str, media: Option<&str>) -> Surroundings {
        let set = |words: &str| words.split_whitespace().map(str::to_owned).collect();
        let signatures = Signatures { links: Signature(signatures.0), media: Signature(signatures.1) };
        Surroundings {
            signatures: Some((RulesVersion("1".to_owned()), signatures)),
            links: Some(set(links)),
            media: media.map(set),
            is_html: true,
        }
    }

    #[test]
    fn what_came_and_went_is_told_as_far_as_it_is_known() {
        for (older, newer, expected) in [
            (page((1, 1), "a", None), page((1, 1), "a", None), ""),
            (page((1, 1), "a b", None), page((2, 1), "b c", None), "links -a +c"),
            (page((1, 1), "", Some("x")), page((1, 2), "", Some("y")), "images, sounds and films -x +y"),
            (page((1, 1), "", Some("x")), page((1, 1), "", Some("y")), ""),
            (page((1, 1), "", None), page((1, 2), "", Some("y")), "Images, sounds or films differ"),
            (page((1, 1), "a", None), page((2, 1), "a", None), "Links differ that are not followed"),
            (page((1, 1), "a", None), Surroundings::default(), ""),
        ] {
            let (found, notes) = compare_beside(&older, &newer);
            let told = |one: &Beside| format!("{} -{} +{}", one.what, one.went.concat(), one.came.concat());
            let told: Vec<String> = found.iter().map(told).chain(notes).collect();
            let told = told.join("; ");
            assert!(told.starts_with(expected) && told.is_empty() == expected.is_empty(), "{told}");
        }
    }
}
