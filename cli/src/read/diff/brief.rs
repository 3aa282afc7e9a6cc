//! The difference for people: what a page said, says, or what of it changed.

use std::io::Write;

use jiff::Timestamp;
use recrawl_core::model::kind::WordCount;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::History;
use recrawl_core::versions::Version;
use recrawl_reports::changes::LineEdits;
use recrawl_reports::difference::{Fold, only_folded};
use recrawl_reports::text_diff::Tag;

use super::terminal;
use crate::output::{self, counted, day, grouped, sanitize_for_terminal};
use crate::read::changes::below;
use crate::read::page::Page;

/// A page whose difference is told.
#[derive(Clone, Copy)]
pub(super) struct Brief<'a> {
    pub(super) history: &'a dyn History,
    pub(super) page: &'a Page,
    /// What names the store in another command.
    pub(super) flag: &'a str,
    /// Nothing is folded.
    pub(super) all: bool,
    pub(super) now: Timestamp,
}

impl Brief<'_> {
    /// Writes what a page said that is gone, what a new one says, or that one has not changed. Returns false where two
    /// versions are to be compared.
    pub(super) async fn tell_one(
        &self,
        version: &Version<'_>,
        visits: &[PageRecord],
    ) -> anyhow::Result<bool> {
        let Self { history, page, now, .. } = *self;
        let mut out = output::styled();
        let text = async || match &version.last.known.content {
            Some(content) => Ok(history.text(&page.site.id, &content.semantic).await?.unwrap_or_default()),
            None => anyhow::Ok(String::new()),
        };
        let last = visits.last().map_or(version.last, |visit| visit);
        if let Some(gone) = version.gone {
            writeln!(out, "{}", self.heading(version.last).await?)?;
            let status = gone.visit.status.map_or_else(String::new, |status| format!(" ({status})"));
            let (since, on) = (day(gone.visit.fetched_at, now), day(version.last_seen(), now));
            writeln!(out, "Gone since {since}{status}. On {on} it said:\n")?;
            terminal::write_text(&mut out, &text().await?, Tag::Removed, self.all)?;
        } else if version.first.visit.verdict == Verdict::New && version.last.crawl == version.first.crawl {
            writeln!(out, "{}", self.heading(version.last).await?)?;
            writeln!(out, "New since {}. It says:\n", day(version.first_seen(), now))?;
            terminal::write_text(&mut out, &text().await?, Tag::Added, self.all)?;
        } else if matches!(last.visit.verdict, Verdict::Shared | Verdict::Touched) && !self.all {
            let edits = LineEdits::read(history, last).await?;
            let shared = history.shared_changes(&page.site.id, last.crawl).await?;
            let older = previous_text(history, last).await?;
            let newer = text().await?;
            let rows = terminal::rows(&older, &newer, &edits, &shared, false);
            let folded = only_folded(&rows).filter(|folds| !folds.is_empty());
            writeln!(out, "{}", self.heading(last).await?)?;
            let since = last.known.last_changed.unwrap_or(last.known.first_seen);
            let folded = folded.map_or_else(String::new, |folds| {
                let told: Vec<String> = folds.into_iter().map(Fold::told).collect();
                format!(" Now it has {}", sanitize_for_terminal(&told.join("; ")))
            });
            writeln!(out, "Has not changed since {}.{folded}", day(since, now))?;
        } else {
            return Ok(false);
        }
        out.flush()?;
        Ok(true)
    }

    /// Writes two versions for people. Returns false where they have no text.
    pub(super) async fn compare(&self, older: &Version<'_>, newer: &Version<'_>) -> anyhow::Result<bool> {
        let Self { history, page, flag, now, .. } = *self;
        let (before, after) = (older.last, newer.first);
        let contents = before.known.content.as_ref().zip(after.known.content.as_ref());
        let Some((old, new)) = contents else { return Ok(false) };
        let texts = (
            history.text(&page.site.id, &old.semantic).await?,
            history.text(&page.site.id, &new.semantic).await?,
        );
        let (Some(old), Some(new)) = texts else { return Ok(false) };
        let is_next = newer.number == older.number + 1;
        let edits = if is_next { LineEdits::read(history, after).await? } else { LineEdits::default() };
        let shared = history.shared_changes(&page.site.id, after.crawl).await?;
        let rows = terminal::rows(&old, &new, &edits, &shared, self.all);
        if only_folded(&rows).is_some_and(|folds| folds.is_empty()) {
            return Ok(false);
        }
        let mut out = output::styled();
        writeln!(out, "{}", self.heading(after).await?)?;
        let moment = |record: &PageRecord| {
            let time = record.visit.fetched_at;
            format!("{}, {}", day(time, now), time.strftime("%H:%M"))
        };
        let words = match after.visit.words {
            WordCount { changed, of } if is_next && changed > 0 => {
                format!(": {} of {}", grouped(u64::from(changed)), counted(u64::from(of), "word"))
            }
            WordCount { .. } => String::new(),
        };
        writeln!(out, "{} to {}{words}\n", moment(before), moment(after))?;
        terminal::write(&mut out, &rows)?;
        let address = sanitize_for_terminal(below(&page.site.root, &page.url)).into_owned();
        let archived = newer.first.archive.as_ref().and_then(|archive| archive.wayback_url.as_ref());
        let archived = archived.map_or_else(String::new, |url| format!("Archived: {url}. "));
        let whole = if self.all { "" } else { "Whole page: --all. " };
        writeln!(out, "\n{archived}{whole}Older versions: recrawl history{flag} {address}")?;
        out.flush()?;
        Ok(true)
    }

    /// Returns the title of the page and its address.
    async fn heading(&self, record: &PageRecord) -> anyhow::Result<String> {
        let Self { history, page, .. } = *self;
        let hash = record.content_hash();
        let title = history.titles(&page.site.id, hash.as_slice()).await?.into_values().next();
        let address = page.url.as_str().split_once("://").map_or(page.url.as_str(), |(_, address)| address);
        let address = sanitize_for_terminal(address);
        Ok(match title {
            Some(title) => format!("{}   {address}", sanitize_for_terminal(&title)),
            None => address.into_owned(),
        })
    }
}

/// Returns what a page said before a visit.
async fn previous_text(history: &dyn History, record: &PageRecord) -> anyhow::Result<String> {
    let before = history.latest_before(&record.site, record.crawl, &record.url).await?;
    let Some(content) = before.and_then(|before| before.known.content) else { return Ok(String::new()) };
    Ok(history.text(&record.site, &content.semantic).await?.unwrap_or_default())
}
