//! What is read of a change beside its record: two lines that say what it is about, and what the page was before.

use std::time::{Duration, Instant};

use recrawl_core::model::content::Reading;
use recrawl_core::model::record::{ContentRef, PageRecord};
use recrawl_core::model::region::Region;
use recrawl_core::model::verdict::{Change, Verdict};
use recrawl_core::ports::{History, StoreError};
use recrawl_core::words::bytes;

use super::Detail;
use super::texts::heaviest;
use super::tiers::edits_of;
use crate::difference::{facts, has_text, size_of, text_of};
use crate::text_diff::{Line, LinePiece, Tag, beginning, first_change};

/// How long one excerpt may take; a page shows a hundred.
const LONGEST: Duration = Duration::from_millis(10);

/// What is read of a change beside its record.
#[derive(Debug, Clone, Default)]
pub(crate) struct Details {
    /// Two lines of what came and went.
    pub(super) excerpt: Vec<Line>,
    /// What the page answered before.
    pub(super) previous_status: Option<u16>,
    /// What went in its heaviest edit, in short.
    pub(super) went: Option<String>,
    /// What came in it.
    pub(super) came: Option<String>,
}

/// Returns what went and what came in the heaviest own edit of a visit, in short.
pub(crate) async fn excerpt_of(
    history: &dyn History,
    record: &PageRecord,
) -> Result<(Option<String>, Option<String>), StoreError> {
    let details = Details::read(history, record, None, Detail::Excerpts).await?;
    Ok((details.went, details.came))
}

impl Details {
    /// Reads as much as `detail` asks for.
    pub(crate) async fn read(
        history: &dyn History,
        record: &PageRecord,
        title: Option<&str>,
        detail: Detail,
    ) -> Result<Self, StoreError> {
        let verdict = record.visit.verdict;
        if detail == Detail::Titles {
            return Ok(Self::default());
        }
        let heaviest = heaviest(history, record).await?;
        // What differs on other pages, too, is no excerpt of this one.
        let is_only_shared = heaviest.is_none() && !edits_of(record).is_empty();
        let needs_previous = match detail {
            Detail::Titles | Detail::Excerpts => {
                verdict == Verdict::Changed && heaviest.is_none() && !is_only_shared
            }
            Detail::All => verdict != Verdict::New,
        };
        let previous = if needs_previous {
            history.latest_before(&record.site, record.crawl, &record.url).await?
        } else {
            None
        };
        let excerpt = match (&heaviest, verdict.change()) {
            (Some((went, came)), _) => first_change(went, came, Instant::now() + LONGEST),
            (None, Some(Change::Add)) => {
                let text = content_of(history, record, record.offered_content()).await?;
                text.map_or_else(Vec::new, |text| beginning(&text, title, 2))
            }
            (None, Some(Change::Delete)) => {
                let text = content_of(history, record, record.known.content.as_ref()).await?;
                let lines = text.map_or_else(Vec::new, |text| beginning(&text, title, 2));
                lines.into_iter().map(|line| Line { tag: Tag::Removed, ..line }).collect()
            }
            (None, Some(Change::Change)) if !is_only_shared => match &previous {
                Some(previous) => changed(history, previous, record).await?,
                None => Vec::new(),
            },
            (None, Some(Change::Change | Change::Move) | None) => Vec::new(),
        };
        let told = |tag: Tag| {
            let line = excerpt.iter().find(|line| line.tag == tag)?;
            Some(line.pieces.iter().map(|piece| piece.text.as_str()).collect::<String>())
        };
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let (went, came) = match &heaviest {
            Some((went, came)) => (some(went), some(came)),
            None => (told(Tag::Removed), told(Tag::Added)),
        };
        let previous_status = previous.and_then(|previous| previous.visit.status);
        Ok(Self { excerpt, previous_status, went, came })
    }
}

/// Returns what a page says beside menus and the like; all of it where nothing else is known.
pub(crate) async fn content_of(
    history: &dyn History,
    record: &PageRecord,
    content: Option<&ContentRef>,
) -> Result<Option<String>, StoreError> {
    let Some(content) = content.filter(|content| has_text(content)) else { return Ok(None) };
    let readings = history.readings(&record.site, std::slice::from_ref(content)).await?;
    let Some(Reading { text, outline }) = readings.into_iter().flatten().next() else { return Ok(None) };
    let Some(outline) = outline else { return Ok(Some(text)) };
    let marked = text.lines().zip(outline.marks());
    let lines: Vec<&str> =
        marked.filter(|(_, mark)| mark.region == Region::Content).map(|(line, _)| line).collect();
    Ok(Some(if lines.is_empty() { text } else { lines.join("\n") }))
}

async fn changed(
    history: &dyn History,
    before: &PageRecord,
    record: &PageRecord,
) -> Result<Vec<Line>, StoreError> {
    let older = text_of(history, &record.site, before.offered_content()).await?;
    let newer = text_of(history, &record.site, record.offered_content()).await?;
    if let (Some(older), Some(newer)) = (older, newer) {
        return Ok(first_change(&older, &newer, Instant::now() + LONGEST));
    }
    let facts = facts(history, Some(before), record).await?;
    let Some(fact) = facts.iter().find(|fact| fact.older != fact.newer) else { return Ok(Vec::new()) };
    if ["size", "sha-256"].contains(&&*fact.name) {
        let older = size_of(history, &record.site, before.offered_content()).await?;
        let newer = size_of(history, &record.site, record.offered_content()).await?;
        let sizes = older.zip(newer);
        return Ok(sizes.map(|(older, newer)| line(Tag::Same, resized(older, newer))).into_iter().collect());
    }
    let told = |tag, value: &Option<String>| {
        value.as_deref().map(|value| line(tag, format!("{}: {value}", fact.name)))
    };
    Ok([told(Tag::Removed, &fact.older), told(Tag::Added, &fact.newer)].into_iter().flatten().collect())
}

fn line(tag: Tag, text: String) -> Line {
    Line { tag, older: None, newer: None, pieces: vec![LinePiece { text, emphasised: false }] }
}

/// Returns in words what became of the size of a file.
fn resized(older: u64, newer: u64) -> String {
    match (bytes(older), bytes(newer)) {
        (older, newer) if older == newer => format!("Other bytes, {newer} as before"),
        (older, newer) => format!("{newer}, was {older}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_read_alike_are_not_told_twice() {
        for (older, newer, expected) in [
            (22_000, 24_400, "24.4 kB, was 22.0 kB"),
            (24_010, 24_000, "Other bytes, 24.0 kB as before"),
            (0, 1_500_000, "1.5 MB, was 0 B"),
        ] {
            assert_eq!(resized(older, newer), expected);
        }
    }
}
