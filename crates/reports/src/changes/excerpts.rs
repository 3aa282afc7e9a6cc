//! What is read of a change beside its record: two lines that say what it is about, and what the page was before.

use std::time::{Duration, Instant};

use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::words::bytes;

use super::Detail;
use crate::difference::{facts, size_of, text_of};
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
        let needs_previous = match detail {
            Detail::Titles => return Ok(Self::default()),
            Detail::Excerpts => verdict == Verdict::Changed,
            Detail::All => verdict != Verdict::New,
        };
        let previous = if needs_previous {
            history.latest_before(&record.site, record.crawl, &record.url).await?
        } else {
            None
        };
        let excerpt = match verdict {
            Verdict::New => {
                let text = text_of(history, &record.site, record.offered_content()).await?;
                text.map_or_else(Vec::new, |text| beginning(&text, title, 2))
            }
            Verdict::Gone => {
                let text = text_of(history, &record.site, record.known.content.as_ref()).await?;
                let lines = text.map_or_else(Vec::new, |text| beginning(&text, title, 2));
                lines.into_iter().map(|line| Line { tag: Tag::Removed, ..line }).collect()
            }
            Verdict::Changed => match &previous {
                Some(previous) => changed(history, previous, record).await?,
                None => Vec::new(),
            },
            Verdict::Moved
            | Verdict::Unchanged
            | Verdict::Touched
            | Verdict::Missing
            | Verdict::Failed
            | Verdict::Excluded => Vec::new(),
        };
        Ok(Self { excerpt, previous_status: previous.and_then(|previous| previous.visit.status) })
    }
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
