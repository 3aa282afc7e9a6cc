//! A push of topic `tick`: looks after the crawls.

use jiff::Timestamp;
use recrawl_core::model::crawl::Operations;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{QueueError, StoreError};
use recrawl_engine::{ClosingError, MaintenanceError, TickReport, remember_reliability};

use crate::answer::{Answer, Done, chain};
use crate::halting::obey;
use crate::parts::Parts;
use crate::sessions::CrawlKey;

/// What was saved of the operations that this process used.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Operations);

impl Ledger {
    /// Saves what was used since the last time for `crawl`.
    async fn save(&mut self, parts: &Parts, (site, crawl): &CrawlKey) {
        let meter = &parts.deps.meter;
        let counted = meter.counted();
        let used = since(counted, self.0);
        if used == Operations::default() {
            return;
        }
        match meter.save(site, *crawl, &parts.config.instance, used).await {
            Ok(()) => self.0 = counted,
            // The next tick saves this and more.
            Err(error) => tracing::warn!(error = chain(&error), "what was used could not be saved"),
        }
    }
}

fn since(counted: Operations, booked: Operations) -> Operations {
    Operations {
        reads: counted.reads.saturating_sub(booked.reads),
        writes: counted.writes.saturating_sub(booked.writes),
        deletes: counted.deletes.saturating_sub(booked.deletes),
        messages: counted.messages.saturating_sub(booked.messages),
    }
}

/// Looks after the crawls; one tick at a time.
pub(crate) async fn tick(parts: &Parts) -> Answer {
    // Before all else: whoever stops a crawl does not wait for the end of an audit.
    if let Err(error) = obey(parts).await {
        return Answer::unavailable(chain(&error), parts.config.hold);
    }
    let Ok(mut ledger) = parts.ledger.try_lock() else {
        return Answer::Done(Done::Passed("the tick before is not over".to_owned()));
    };
    let taken_up = parts.sessions.keys();
    let asked_again = ask_again(parts, &taken_up).await;
    let under_way = |site: &SiteId, crawl| {
        let key = (site.clone(), crawl);
        parts.in_flight.is_busy(&key) || asked_again.contains(&key)
    };
    let report = match parts.sites.own().maintenance.tick(&under_way, Timestamp::now()).await {
        Ok(report) => report,
        Err(error) => return failed(&error, parts),
    };
    for crawl in taken_up.iter().filter(|crawl| !is_open(crawl, &report)) {
        if let Some(session) = parts.sessions.in_memory(crawl) {
            remember_reliability(&*parts.deps.store, session.step.planner(), Timestamp::now()).await;
        }
        parts.sessions.drop_closed(crawl);
    }
    // A crawl that this tick closed is charged for its audit, too.
    let own = parts.sites.own().id();
    let ours = report.open.iter().find(|(site, _)| site == own);
    if let Some(crawl) = ours.or(taken_up.first()) {
        ledger.save(parts, crawl).await;
    }
    Answer::Done(Done::Ticked(report.to_string()))
}

/// Asks again for pages that changed by a few words; returns the crawls that wait for some.
async fn ask_again(parts: &Parts, crawls: &[CrawlKey]) -> Vec<CrawlKey> {
    let mut awaiting = Vec::new();
    for crawl in crawls.iter().filter(|crawl| !parts.in_flight.is_busy(crawl)) {
        if let Some(session) = parts.sessions.in_memory(crawl)
            && (session.asked_again.are_awaited() || session.ask_again(parts).await)
        {
            awaiting.push(crawl.clone());
        }
    }
    awaiting
}

fn is_open(crawl: &CrawlKey, report: &TickReport) -> bool {
    let (site, id) = crawl;
    let is_closed = report.closed.iter().any(|closed| closed.site == *site && closed.crawl == *id);
    report.open.contains(crawl) && !is_closed
}

pub(crate) fn failed(error: &MaintenanceError, parts: &Parts) -> Answer {
    let passes = match error {
        MaintenanceError::Store(StoreError::Unavailable(_))
        | MaintenanceError::Queue(QueueError::Unavailable(_))
        | MaintenanceError::Closing(
            ClosingError::Store(StoreError::Unavailable(_)) | ClosingError::Queue(QueueError::Unavailable(_)),
        )
        | MaintenanceError::Audit(_) => true,
        MaintenanceError::Store(StoreError::Corrupt(_) | StoreError::Absent(_))
        | MaintenanceError::Queue(QueueError::Refused(_))
        | MaintenanceError::Closing(
            ClosingError::Store(StoreError::Corrupt(_) | StoreError::Absent(_))
            | ClosingError::Queue(QueueError::Refused(_)),
        )
        | MaintenanceError::NotAccepted(_)
        | MaintenanceError::Scope { .. } => false,
    };
    if passes { Answer::unavailable(chain(error), parts.config.hold) } else { Answer::broken(chain(error)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_used_since_the_last_time_is_saved() {
        let counted = |reads, messages| Operations { reads, messages, ..Operations::default() };
        assert_eq!(since(counted(15, 3), counted(10, 3)), counted(5, 0));
        assert_eq!(since(counted(15, 3), counted(15, 3)), Operations::default());
    }
}
