//! Two lines that say what a change is about.

use std::time::{Duration, Instant};

use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;

use super::side::{content_of, facts, size_of, text_of};
use crate::app::Library;
use crate::difference::{Line, Piece, Tag, beginning, first_change};
use crate::error::WebError;
use crate::words::bytes;

/// How long one excerpt may take; a page shows a hundred.
const LONGEST: Duration = Duration::from_millis(10);

/// Returns two lines of what came and went, or of what a page said that came or went as a whole.
pub(super) async fn excerpt_of(
    library: &dyn Library,
    record: &PageRecord,
    title: Option<&str>,
) -> Result<Vec<Line>, WebError> {
    match record.visit.verdict {
        Verdict::New => {
            let text = text_of(library, &record.site, content_of(record)).await?;
            Ok(text.map_or_else(Vec::new, |text| beginning(&text, title, 2)))
        }
        Verdict::Gone => {
            let text = text_of(library, &record.site, record.known.content.as_ref()).await?;
            let lines = text.map_or_else(Vec::new, |text| beginning(&text, title, 2));
            Ok(lines.into_iter().map(|line| Line { tag: Tag::Removed, ..line }).collect())
        }
        Verdict::Changed => changed(library, record).await,
        Verdict::Moved
        | Verdict::Unchanged
        | Verdict::Touched
        | Verdict::Missing
        | Verdict::Failed
        | Verdict::Excluded => Ok(Vec::new()),
    }
}

async fn changed(library: &dyn Library, record: &PageRecord) -> Result<Vec<Line>, WebError> {
    let Some(before) = library.latest_before(&record.site, record.crawl, &record.url).await? else {
        return Ok(Vec::new());
    };
    let older = text_of(library, &record.site, content_of(&before)).await?;
    let newer = text_of(library, &record.site, content_of(record)).await?;
    if let (Some(older), Some(newer)) = (older, newer) {
        return Ok(first_change(&older, &newer, Instant::now() + LONGEST));
    }
    let facts = facts(library, Some(&before), record).await?;
    let Some(fact) = facts.iter().find(|fact| fact.older != fact.newer) else { return Ok(Vec::new()) };
    if ["size", "sha-256"].contains(&&*fact.name) {
        let older = size_of(library, &record.site, content_of(&before)).await?;
        let newer = size_of(library, &record.site, content_of(record)).await?;
        let sizes = older.zip(newer);
        return Ok(sizes.map(|(older, newer)| line(Tag::Same, resized(older, newer))).into_iter().collect());
    }
    let told = |tag, value: &Option<String>| {
        value.as_deref().map(|value| line(tag, format!("{}: {value}", fact.name)))
    };
    Ok([told(Tag::Removed, &fact.older), told(Tag::Added, &fact.newer)].into_iter().flatten().collect())
}

fn line(tag: Tag, text: String) -> Line {
    Line { tag, older: None, newer: None, pieces: vec![Piece { text, emphasised: false }] }
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
