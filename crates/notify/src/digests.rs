//! Digests: what waits for a target is told together, on its schedule.
//!
//! There is no clock of its own to keep: what waits is due when a time of the schedule has come since its crawl ended. So
//! a server that was down then tells at its next start, and nothing is told twice, whoever tells.

mod composing;

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;
use recrawl_core::decide::Order;
use recrawl_core::model::crawl::Closed;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{History, StateEntry, StateKey, StoreError};
use recrawl_reports::{Digest, ReportCache, Reports};
use recrawl_schedule::Schedule;
use serde::{Deserialize, Serialize};

use self::composing::Ingredients;
pub(crate) use self::composing::together;
use crate::delivery::{Outcome, remember, was_notified};
use crate::notification::{Look, Stage};
use crate::outbox::{Fate, Report, Round, Which, report};
use crate::pending::{Occasion, Pending};
use crate::retry::RetryLimits;
use crate::target::{Target, Timing};

/// What a digest tells that is being sent: it stays as it is until it was taken, so that it has one id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct UnderWay {
    at: Timestamp,
    crawls: Vec<(SiteId, CrawlId, Occasion)>,
}

/// A delivery that can be made, and since when.
pub(crate) struct Ready {
    pub(crate) pending: Pending,
    pub(crate) since: Timestamp,
}

/// Tells whether a time of the schedule has come since something was ready.
///
/// What lies ahead of `now` was written while a clock was wrong, and waits for nothing.
pub(crate) fn has_come(schedule: &Schedule, since: Timestamp, now: Timestamp) -> bool {
    since > now || schedule.next_run(since).is_some_and(|time| time <= now)
}

/// Returns since when a delivery can be made.
pub(crate) fn ready_since(pending: &Pending, closed: &Closed) -> Timestamp {
    match pending.occasion {
        Occasion::Closed => closed.at,
        Occasion::Accepted => pending.noted_at.max(closed.at),
    }
}

impl Round<'_> {
    /// Tells a target what waits for it, if it is time.
    pub(crate) async fn tell_together(
        &self,
        target: &Target,
        timing: &Timing,
        pending: Vec<Pending>,
    ) -> Result<Vec<Report>, StoreError> {
        let (mut ready, mut reports) = (Vec::new(), Vec::new());
        for one in pending {
            let crawls = self.history.crawls(&one.site).await?;
            let Some(meant) = crawls.into_iter().find(|crawl| crawl.id == one.crawl) else {
                self.index.delete_state(&one.key()).await?;
                reports.push(report(one, Fate::CrawlDeleted));
                continue;
            };
            let Some(closed) = meant.closed else { continue };
            if self.is_tellable(&one, &closed).await? {
                ready.push(Ready { since: ready_since(&one, &closed), pending: one });
            }
        }
        let now = (self.clock)();
        let key = StateKey::digest_under_way(&target.name);
        let under_way = self.under_way(&key, &mut ready).await?;
        let is_due = match (self.which, &under_way) {
            (Which::All, _) | (Which::Waiting, Some(_)) => true,
            (Which::Due, Some(_)) => ready.iter().any(|one| one.pending.is_due(now)),
            (Which::Due | Which::Waiting, None) => {
                ready.iter().any(|one| has_come(&timing.schedule, one.since, now))
            }
        };
        if ready.is_empty() || !is_due {
            return Ok(reports);
        }
        let at = under_way.as_ref().map_or(now, |under_way| under_way.at);
        if under_way.is_none() {
            let crawls = ready.iter().map(|one| named(&one.pending)).collect();
            self.begin(&key, &UnderWay { at, crawls }).await?;
        }
        let outcome = self.send_together(target, timing, &ready, at).await?;
        if !matches!(outcome, Outcome::Failed(_)) {
            self.index.delete_state(&key).await?;
        }
        let mut given_up = None;
        for one in &ready {
            given_up = self.settle(&one.pending, &outcome).await?.or(given_up);
        }
        let more = ready.len() - 1;
        let fate = given_up.map_or(Fate::Tried(outcome), |one| Fate::GivenUp(Box::new(one)));
        if let Some(first) = ready.into_iter().next() {
            reports.push(Report { more, ..report(first.pending, fate) });
        }
        Ok(reports)
    }

    /// Returns what is being sent already, and leaves only that in `ready`.
    async fn under_way(
        &self,
        key: &StateKey,
        ready: &mut Vec<Ready>,
    ) -> Result<Option<UnderWay>, StoreError> {
        let Some(memo) = self.index.state(key).await? else { return Ok(None) };
        let Ok(under_way) = serde_json::from_str::<UnderWay>(&memo.value) else { return Ok(None) };
        let is_meant = |one: &Ready| under_way.crawls.contains(&named(&one.pending));
        if !ready.iter().any(is_meant) {
            return Ok(None);
        }
        ready.retain(is_meant);
        Ok(Some(under_way))
    }

    async fn begin(&self, key: &StateKey, under_way: &UnderWay) -> Result<(), StoreError> {
        let value = serde_json::to_string(under_way).map_err(|error| StoreError::Corrupt(error.into()))?;
        self.index.save_state(key, &StateEntry { saved_at: under_way.at, value }).await
    }

    async fn send_together(
        &self,
        target: &Target,
        timing: &Timing,
        ready: &[Ready],
        at: Timestamp,
    ) -> Result<Outcome, StoreError> {
        let ingredients = self.ingredients(target, ready, at).await?;
        let made = match together(target, timing, &ingredients) {
            Ok(made) => made,
            Err(silence) => return Ok(Outcome::Silent(silence)),
        };
        let attempts = if self.which == Which::Due { 1 } else { target.patience.attempts };
        let patience = RetryLimits { attempts, ..target.patience };
        let attempts = match target.channel.send(&made.notification, &target.name, &patience).await {
            Ok(attempts) => attempts,
            Err(error) => return Ok(Outcome::Failed(error)),
        };
        for (site, crawl, stage) in made.told {
            let key = StateKey::notified(&target.name, &site, crawl);
            if let Err(error) = remember(self.index, &key, stage).await {
                return Ok(Outcome::Unremembered(error));
            }
        }
        Ok(Outcome::Told { attempts })
    }

    /// Reads what a digest is made of.
    pub(crate) async fn ingredients(
        &self,
        target: &Target,
        ready: &[Ready],
        at: Timestamp,
    ) -> Result<Ingredients, StoreError> {
        let mut by_site: BTreeMap<&SiteId, Vec<CrawlId>> = BTreeMap::new();
        for one in ready {
            let crawls = by_site.entry(&one.pending.site).or_default();
            if !crawls.contains(&one.pending.crawl) {
                crawls.push(one.pending.crawl);
            }
        }
        let (mut sites, mut told_before) = (Vec::new(), HashSet::new());
        for (site, mut crawls) in by_site {
            let order = Order::of(&self.history.crawls(site).await?);
            crawls.sort_by_key(|crawl| std::cmp::Reverse(order.place(*crawl)));
            let mut digests = Vec::with_capacity(crawls.len());
            for crawl in crawls {
                let key = StateKey::notified(&target.name, site, crawl);
                if was_notified(self.index, &key, Stage::Findings).await? {
                    told_before.insert((site.clone(), crawl));
                }
                digests.push(Digest::read(self.history, site, crawl, target.selection.detail()).await?);
            }
            sites.push(digests);
        }
        let mut crawls: Vec<(SiteId, CrawlId)> =
            ready.iter().map(|one| (one.pending.site.clone(), one.pending.crawl)).collect();
        crawls.dedup();
        let (looks, watched) = looks(self.history, target, self.site, at).await?;
        Ok(Ingredients { at, sites, crawls, told_before, looks, watched })
    }
}

fn named(pending: &Pending) -> (SiteId, CrawlId, Occasion) {
    (pending.site.clone(), pending.crawl, pending.occasion)
}

/// Returns the sites of a target that need somebody to look at them, and how many sites it has.
async fn looks(
    history: &dyn History,
    target: &Target,
    only: Option<&SiteId>,
    now: Timestamp,
) -> Result<(Vec<Look>, usize), StoreError> {
    let cache = ReportCache::default();
    let reports = Reports { history, reviews: None, cache: &cache, now };
    let mut sites = history.sites().await?;
    sites.retain(|site| target.selection.is_for(&site.id) && only.is_none_or(|only| *only == site.id));
    let watched = sites.len();
    let lines = reports.site_lines(&sites).await?.into_iter().filter(|line| line.state.needs_a_look());
    let look = |line: recrawl_reports::sites::SiteLine| Look {
        is_failed: line.has_failed,
        site: line.site,
        mark: line.word,
        sentence: line.sentence,
    };
    let looks: Vec<Look> = lines.map(look).collect();
    Ok((
        looks.into_iter().filter(|look| look.is_failed || target.selection.hears_of_unusual()).collect(),
        watched,
    ))
}
