//! Opens the crawls that are due by the schedules of sites.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{StateEntry, StateKey, StoreError};
use recrawl_schedule::Schedule;

use crate::answer::{Answer, Done};
use crate::opening::open_on_time;
use crate::parts::Parts;
use crate::site_parts::SiteParts;

/// Up to when the schedule of each site is honoured, as far as this process knows, and of which settings it knows that.
#[derive(Debug, Default)]
pub(crate) struct Honoured(HashMap<SiteId, (Timestamp, Timestamp)>);

impl Honoured {
    /// Opens the crawl of every site that is due at `now`, whatever becomes of the others.
    ///
    /// Times that were missed are made up for by one crawl. A tick that dies between opening and noting that opens nothing
    /// further: the crawl knows by which time it was opened.
    pub(crate) async fn open_due(&mut self, parts: &Parts, now: Timestamp) {
        for site in parts.sites.watched() {
            let Some(timetable) = site.config.crawl.timetable() else { continue };
            match self.open_if_due(parts, &site, &timetable.schedule, now).await {
                Ok(()) => {}
                Err(Answer::Done(done)) => {
                    let reason = if let Done::Passed(reason) = &done { reason.as_str() } else { "" };
                    tracing::info!(site = %site.id(), reason, "no crawl is opened on time");
                }
                Err(answer) => {
                    tracing::warn!(site = %site.id(), outcome = answer.outcome(), "no crawl could be opened on time");
                }
            }
        }
    }

    async fn open_if_due(
        &mut self,
        parts: &Parts,
        site: &Arc<SiteParts>,
        schedule: &Schedule,
        now: Timestamp,
    ) -> Result<(), Answer> {
        let unavailable = |error: StoreError| Answer::unavailable(error.to_string(), parts.config.hold);
        let honoured = self.of(parts, site, now).await.map_err(unavailable)?;
        let Some(due) = schedule.next_run(honoured).filter(|due| *due <= now) else { return Ok(()) };
        let opened = open_on_time(parts, site, due).await;
        if !matches!(opened, Ok(()) | Err(Answer::Done(_))) {
            return opened;
        }
        let entry = StateEntry { saved_at: now, value: String::new() };
        let key = StateKey::schedule_settled(site.id());
        parts.deps.store.save_state(&key, &entry).await.map_err(unavailable)?;
        self.0.insert(site.id().clone(), (site.made_at, now));
        opened
    }

    /// Returns up to when the schedule of a site is honoured; from now on, where nobody ever said. What lies ahead of `now` was
    /// written while a clock was wrong.
    async fn of(&mut self, parts: &Parts, site: &SiteParts, now: Timestamp) -> Result<Timestamp, StoreError> {
        if let Some((made_at, honoured)) = self.0.get(site.id())
            && *made_at == site.made_at
        {
            return Ok(*honoured);
        }
        let (store, key) = (&parts.deps.store, StateKey::schedule_settled(site.id()));
        let entry = store.state(&key).await?.filter(|entry| entry.saved_at <= now);
        if entry.is_none() {
            store.save_state(&key, &StateEntry { saved_at: now, value: String::new() }).await?;
        }
        let honoured = entry.map_or(now, |entry| entry.saved_at);
        self.0.insert(site.id().clone(), (site.made_at, honoured));
        Ok(honoured)
    }
}
