//! What waits to be archived, and `recrawl archive --dry-run`, which shows it.

use std::io::Write;

use jiff::Timestamp;
use recrawl_core::model::archive::Archive;
use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::ArchiveStore;

use crate::exit::ExitStatus;
use crate::output::{self, counted, day_and_time, sanitize_for_terminal};

/// The requests of a store that are not over.
pub(super) struct Waiting {
    /// May be tried at once.
    due: Vec<(PageRecord, Archive)>,
    /// May be tried at this time.
    later: Vec<(PageRecord, Archive, Timestamp)>,
}

impl Waiting {
    pub(super) async fn read(
        store: &dyn ArchiveStore,
        sites: &[SiteId],
        now: Timestamp,
    ) -> anyhow::Result<Self> {
        let mut waiting = Self { due: Vec::new(), later: Vec::new() };
        for site in sites {
            for crawl in store.crawls(site).await?.into_iter().filter(Crawl::is_settled) {
                for record in store.unarchived(site, crawl.id, Timestamp::MAX, usize::MAX).await? {
                    let Some(archive) = record.archive.clone() else { continue };
                    match archive.not_before.filter(|time| *time > now) {
                        Some(time) => waiting.later.push((record, archive, time)),
                        None => waiting.due.push((record, archive)),
                    }
                }
            }
        }
        waiting.later.sort_by_key(|(_, _, time)| *time);
        Ok(waiting)
    }

    /// Says how many wait and until when; nothing where none do.
    pub(super) fn words(&self) -> Option<String> {
        let all = self.due.len() + self.later.len();
        match self.later.first() {
            Some((_, _, time)) if self.due.is_empty() => {
                Some(format!("{all} waiting, the next until {} UTC", day_and_time(*time)))
            }
            Some(_) | None => (all > 0).then(|| format!("{all} waiting")),
        }
    }

    /// Prints everything that waits.
    pub(super) fn show(&self) -> anyhow::Result<ExitStatus> {
        let mut out = output::styled();
        for (record, archive) in &self.due {
            let url = sanitize_for_terminal(record.url.as_str());
            writeln!(out, "due       {url}, seen {} UTC", day_and_time(archive.requested_at))?;
        }
        for (record, archive, time) in &self.later {
            writeln!(out, "{}", later(record.url.as_str(), archive, *time))?;
        }
        let due = counted(self.due.len() as u64, "page");
        writeln!(out, "{due} due, {} later", self.later.len())?;
        out.flush()?;
        output::note("nothing was asked for; without --dry-run the pages that are due are")?;
        Ok(ExitStatus::Success)
    }
}

/// Describes a request that is to be tried at a later time.
pub(super) fn later(url: &str, archive: &Archive, time: Timestamp) -> String {
    let why = archive
        .error
        .as_deref()
        .map_or_else(String::new, |error| format!(" ({})", sanitize_for_terminal(error)));
    format!("waits     {} until {} UTC{why}", sanitize_for_terminal(url), day_and_time(time))
}
