//! Two lines that say what a change is about.

use std::time::{Duration, Instant};

use recrawl_core::record::PageRecord;
use recrawl_core::verdict::Verdict;

use super::side::{Fact, content_of, facts, text_of};
use crate::app::Library;
use crate::difference::{Context, Line, Piece, Tag, beginning, compare, excerpt};
use crate::error::WebError;

/// How long one excerpt may take; a page shows a hundred.
const LONGEST: Duration = Duration::from_millis(20);

/// Returns two lines of what came and went, or of what a page said that came or went as a whole.
pub(super) async fn excerpt_of(
    library: &dyn Library,
    record: &PageRecord,
    title: Option<&str>,
) -> Result<Vec<Line>, WebError> {
    match record.visit.verdict {
        Verdict::New => {
            let text = text_of(library, content_of(record)).await?;
            Ok(text.map_or_else(Vec::new, |text| beginning(&text, title, 2)))
        }
        Verdict::Gone => {
            let text = text_of(library, record.known.content.as_ref()).await?;
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
    let older = text_of(library, content_of(&before)).await?;
    let newer = text_of(library, content_of(record)).await?;
    if let (Some(older), Some(newer)) = (older, newer) {
        return Ok(excerpt(&compare(&older, &newer, Context::Lines(0), Instant::now() + LONGEST)));
    }
    let facts = facts(library, Some(&before), record).await?;
    let differs = |fact: &&Fact| fact.older != fact.newer;
    let told = |fact: &Fact| {
        let line = |tag, value: &Option<String>| {
            let text = format!("{}: {}", fact.name, value.as_deref()?);
            Some(Line { tag, older: None, newer: None, pieces: vec![Piece { text, emphasised: false }] })
        };
        [line(Tag::Removed, &fact.older), line(Tag::Added, &fact.newer)]
    };
    Ok(facts.iter().find(differs).map_or_else(Vec::new, |fact| told(fact).into_iter().flatten().collect()))
}
