//! The outbox: deliveries that are still to be made, kept in the store: noted before a crawl can end, gone when they are made.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use jiff::Timestamp;
use recrawl_core::decide::Order;
use recrawl_core::model::crawl::Closed;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{History, StateEntry, StateGroup, StateStore, StoreError};

use crate::channel::SendError;
use crate::delivery::{Delivery, Outcome, deliver_to};
use crate::digests::{has_come, ready_since};
use crate::figures::counted;
use crate::pending::{Occasion, Pending};
use crate::target::{Target, TargetName, Timing};
use recrawl_reports::{Digest, DigestDetail};

/// Notes that `targets` are to be told of a crawl.
///
/// Before the crawl is closed, or its findings are accepted: so whatever ends the process afterwards, a later one knows
/// whom to tell. What is noted already stays as it is.
pub async fn note(
    index: &dyn StateStore,
    targets: &[TargetName],
    (site, crawl): (&SiteId, CrawlId),
    occasion: Occasion,
    now: Timestamp,
) -> Result<(), StoreError> {
    for target in targets {
        let (target, site) = (target.clone(), site.clone());
        let pending = Pending { target, site, crawl, occasion, noted_at: now, failure: None };
        if index.state(&pending.key()).await?.is_none() {
            save(index, &pending, now).await?;
        }
    }
    Ok(())
}

/// Returns every delivery that is still to be made or was given up lately, by site, crawl and target.
pub async fn pending(index: &dyn StateStore) -> Result<Vec<Pending>, StoreError> {
    let state_store = index.states(&StateGroup::pending_notifications()).await?;
    let read = |memo: &StateEntry| serde_json::from_str(&memo.value).ok();
    let mut pending: Vec<Pending> = state_store.iter().filter_map(read).collect();
    pending.sort_by(|one, other| {
        let name = |crawl: CrawlId| (crawl.day(), crawl.ordinal());
        (&one.site, name(one.crawl), &one.target).cmp(&(&other.site, name(other.crawl), &other.target))
    });
    Ok(pending)
}

/// Lets deliveries of a site go on under its new name, or forgets them where there is none.
pub async fn follow(
    index: &dyn StateStore,
    site: &SiteId,
    to: Option<&SiteId>,
    now: Timestamp,
) -> Result<(), StoreError> {
    for one in pending(index).await?.into_iter().filter(|one| one.site == *site) {
        if let Some(to) = to {
            let target = one.target.following(site, to);
            save(index, &Pending { site: to.clone(), target, ..one.clone() }, now).await?;
        }
        index.delete_state(&one.key()).await?;
    }
    Ok(())
}

/// Tells whether something is to be told at `now`, given which targets have a schedule of their own.
pub async fn is_anything_due(
    history: &dyn History,
    index: &dyn StateStore,
    timings: &BTreeMap<TargetName, Timing>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    for one in pending(index).await?.into_iter().filter(|one| one.is_due(now)) {
        let crawls = history.crawls(&one.site).await?;
        let closed = match crawls.into_iter().find(|crawl| crawl.id == one.crawl) {
            None => return Ok(true),
            Some(crawl) => crawl.closed,
        };
        let has_come = |closed: &Closed| {
            // One that failed comes again by itself.
            let timing = timings.get(&one.target).filter(|_| one.failure.is_none());
            timing.is_none_or(|timing| has_come(&timing.schedule, ready_since(&one, closed), now))
        };
        if closed.as_ref().is_some_and(has_come) {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn save(index: &dyn StateStore, pending: &Pending, now: Timestamp) -> Result<(), StoreError> {
    let value = serde_json::to_string(pending).map_err(|error| StoreError::Corrupt(error.into()))?;
    index.save_state(&pending.key(), &StateEntry { saved_at: now, value }).await
}

/// Which deliveries a round makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those whose time has come, with one attempt each: somebody comes back to them.
    Due,
    /// All that wait, with the patience of their targets.
    Waiting,
    /// Those, too, that were given up.
    All,
}

/// Makes deliveries that wait. One round at a time for a store: its caller sees to that.
pub struct Round<'a> {
    /// What is told of.
    pub history: &'a dyn History,
    /// Where deliveries are kept.
    pub index: &'a dyn StateStore,
    /// Who can be told. Without any, nothing is done at all: somebody else tells.
    pub targets: &'a [Target],
    /// Who cannot be told now, because something is wrong with what is set about them: what they are to be told waits.
    pub unreachable: &'a [TargetName],
    /// Which deliveries are made.
    pub which: Which,
    /// Only those of this site.
    pub site: Option<&'a SiteId>,
    /// Tells the time.
    pub clock: &'a (dyn Fn() -> Timestamp + Send + Sync),
}

/// What became of a delivery that waited.
#[derive(Debug)]
pub struct Report {
    /// The site.
    pub site: SiteId,
    /// The crawl.
    pub crawl: CrawlId,
    /// The target.
    pub target: TargetName,
    /// How many more crawls were told together with it.
    pub more: usize,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a delivery that waited.
#[derive(Debug)]
pub enum Fate {
    /// It was tried.
    Tried(Outcome),
    /// It was tried for the last time; what was noted says why.
    GivenUp(Box<Pending>),
    /// Its target is in the settings no more.
    TargetRemoved,
    /// Its crawl is in the store no more.
    CrawlDeleted,
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { site, crawl, target, more, fate } = self;
        match fate {
            Fate::Tried(outcome) => {
                Delivery::write(formatter, target, outcome)?;
                match more {
                    0 => Ok(()),
                    more => write!(formatter, ", with {}", counted(*more as u64, "more crawl")),
                }
            }
            Fate::GivenUp(pending) => pending.fmt(formatter),
            Fate::TargetRemoved => write!(
                formatter,
                "{target}: not told of {crawl} of {site}, because the settings do not name it any more"
            ),
            Fate::CrawlDeleted => {
                write!(formatter, "{target}: not told of {crawl} of {site}, because that crawl was deleted")
            }
        }
    }
}

impl Round<'_> {
    /// Makes the deliveries, those of the oldest crawls first; returns what became of them.
    ///
    /// A target that cannot be reached is not tried for further crawls in the same round. A process that dies between
    /// telling and noting that tells again, under the same id.
    pub async fn make(&self) -> Result<Vec<Report>, StoreError> {
        let mut reports = Vec::new();
        if self.targets.is_empty() {
            return Ok(reports);
        }
        let mut unreachable = HashSet::new();
        for target in self.targets {
            if let Some(timing) = &target.timing {
                let waiting = self.wanted().await?.into_iter().filter(|one| one.target == target.name);
                reports.extend(self.tell_together(target, timing, waiting.collect()).await?);
            }
        }
        for ((site, crawl), pending) in self.by_crawl().await? {
            self.tell(&site, crawl, pending, &mut unreachable, &mut reports).await?;
        }
        Ok(reports)
    }

    /// Returns what is to be told, by and by; forgets what was given up long ago.
    async fn wanted(&self) -> Result<Vec<Pending>, StoreError> {
        let (now, mut wanted) = ((self.clock)(), Vec::new());
        for one in pending(self.index).await? {
            if one.is_past(now) {
                self.index.delete_state(&one.key()).await?;
                continue;
            }
            let is_wanted = self.which == Which::All || !one.is_given_up();
            if is_wanted && self.site.is_none_or(|site| *site == one.site) {
                wanted.push(one);
            }
        }
        Ok(wanted)
    }

    /// Returns what is to be tried crawl by crawl, in order of their opening.
    async fn by_crawl(&self) -> Result<Vec<((SiteId, CrawlId), Vec<Pending>)>, StoreError> {
        let now = (self.clock)();
        let has_schedule = |name: &TargetName| {
            self.targets.iter().any(|target| target.name == *name && target.timing.is_some())
        };
        let mut orders: HashMap<SiteId, Order> = HashMap::new();
        let mut by_crawl: BTreeMap<_, ((SiteId, CrawlId), Vec<Pending>)> = BTreeMap::new();
        for one in self.wanted().await? {
            if has_schedule(&one.target) || self.which == Which::Due && !one.is_due(now) {
                continue;
            }
            if !orders.contains_key(&one.site) {
                orders.insert(one.site.clone(), Order::of(&self.history.crawls(&one.site).await?));
            }
            let place = orders.get(&one.site).map(|order| order.place(one.crawl));
            // Crawls that are not there any more may stand in one place.
            let name = (one.crawl.day(), one.crawl.ordinal());
            let of_crawl = by_crawl.entry((one.site.clone(), place, name));
            let (_, pending) = of_crawl.or_insert_with(|| ((one.site.clone(), one.crawl), Vec::new()));
            pending.push(one);
        }
        Ok(by_crawl.into_values().collect())
    }

    async fn tell(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        pending: Vec<Pending>,
        unreachable: &mut HashSet<TargetName>,
        reports: &mut Vec<Report>,
    ) -> Result<(), StoreError> {
        let crawls = self.history.crawls(site).await?;
        let Some(meant) = crawls.into_iter().find(|meant| meant.id == crawl) else {
            for one in pending {
                self.index.delete_state(&one.key()).await?;
                reports.push(report(one, Fate::CrawlDeleted));
            }
            return Ok(());
        };
        let Some(closed) = meant.closed else { return Ok(()) };
        let mut tellable: Vec<Pending> = Vec::new();
        for one in pending {
            if self.unreachable.contains(&one.target) {
                continue;
            }
            if !self.targets.iter().any(|target| target.name == one.target) {
                self.index.delete_state(&one.key()).await?;
                reports.push(report(one, Fate::TargetRemoved));
            } else if self.is_tellable(&one, &closed).await? && !unreachable.contains(&one.target) {
                tellable.push(one);
            }
        }
        let is_named = |target: &&Target| tellable.iter().any(|one| one.target == target.name);
        let targets: Vec<&Target> = self.targets.iter().filter(is_named).collect();
        if targets.is_empty() {
            return Ok(());
        }
        let detail = targets.iter().map(|target| target.selection.detail()).fold(
            DigestDetail::default(),
            |all, one| DigestDetail {
                tier: all.tier.max(one.tier),
                has_words: all.has_words || one.has_words,
            },
        );
        let digest = Digest::read(self.history, site, crawl, detail).await?;
        let attempts = (self.which == Which::Due).then_some(1);
        for Delivery { target, outcome } in deliver_to(&targets, &digest, self.index, attempts).await {
            if let Outcome::Failed(SendError::Trouble { .. }) = &outcome {
                unreachable.insert(target.clone());
            }
            // There may be two of a target, where somebody accepted the crawl before it was told.
            let mut given_up = None;
            for one in tellable.iter().filter(|one| one.target == target) {
                given_up = self.settle(one, &outcome).await?.or(given_up);
            }
            let fate = given_up.map_or(Fate::Tried(outcome), |one| Fate::GivenUp(Box::new(one)));
            reports.push(Report { site: site.clone(), crawl, target, more: 0, fate });
        }
        Ok(())
    }

    /// Tells whether what a delivery is about has happened; forgets one that waits for it in vain.
    pub(crate) async fn is_tellable(&self, one: &Pending, closed: &Closed) -> Result<bool, StoreError> {
        if one.occasion == Occasion::Closed || closed.is_trusted() {
            return Ok(true);
        }
        // Noted by a process that died before the crawl was accepted, or is about to accept it.
        if one.is_stale((self.clock)()) {
            self.index.delete_state(&one.key()).await?;
        }
        Ok(false)
    }

    /// Notes what became of a delivery; returns it if it is given up by that.
    pub(crate) async fn settle(
        &self,
        one: &Pending,
        outcome: &Outcome,
    ) -> Result<Option<Pending>, StoreError> {
        let now = (self.clock)();
        match outcome {
            Outcome::Told { .. } | Outcome::Already | Outcome::Silent(_) | Outcome::Unremembered(_) => {
                self.index.delete_state(&one.key()).await?;
                Ok(None)
            }
            // Nothing was tried, and the store is in trouble.
            Outcome::Failed(SendError::Memory(_)) => Ok(None),
            Outcome::Failed(error @ (SendError::Refused(_) | SendError::Trouble { .. })) => {
                let failed = one.clone().failed(error, now);
                save(self.index, &failed, now).await?;
                Ok(Some(failed).filter(Pending::is_given_up))
            }
        }
    }
}

pub(crate) fn report(pending: Pending, fate: Fate) -> Report {
    Report { site: pending.site, crawl: pending.crawl, target: pending.target, more: 0, fate }
}
