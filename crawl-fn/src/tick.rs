//! A push of topic `tick`: looks after the crawls.

use jiff::{SignedDuration, Timestamp};
use recrawl_core::model::crawl::{Operations, Site};
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{QueueError, StoreError};
use recrawl_engine::{
    ClosingError, CrawlCommand, Maintenance, MaintenanceError, TickReport, remember_reliability,
};

use crate::answer::{Answer, Done, chain};
use crate::halting::obey;
use crate::parts::Parts;
use crate::scheduling::Honoured;
use crate::sessions::CrawlKey;
use crate::{service_report, site_figures};

/// How often what is used between two crawls is saved.
const BETWEEN_CRAWLS: SignedDuration = SignedDuration::from_hours(1);

/// What was saved of the operations that this process used.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    saved: Operations,
    saved_at: Option<Timestamp>,
    honoured: Honoured,
    /// The crawls that are charged: the newest, also for the ticks after them.
    crawls: Vec<CrawlKey>,
}

impl Ledger {
    /// Saves what was used since the last time for the crawls that were worked on, to equal parts: what a process uses is
    /// counted, and not for which of its sites; for the newest one, and not with every tick, where there is none.
    async fn save(&mut self, parts: &Parts, worked_on: &[CrawlKey], now: Timestamp) {
        let is_due = self.saved_at.is_none_or(|at| now.duration_since(at) >= BETWEEN_CRAWLS);
        if !worked_on.is_empty() {
            self.crawls = worked_on.to_vec();
        } else if !is_due {
            return;
        } else if self.crawls.is_empty() {
            self.saved_at = Some(now);
            self.crawls.extend(newest(parts).await);
        }
        let meter = &parts.deps.meter;
        let busy_ms = u64::try_from(parts.work.busy().as_millis()).unwrap_or(u64::MAX);
        let counted = Operations { busy_ms, ..meter.counted() };
        let used = counted.since(self.saved);
        if used == Operations::default() {
            return;
        }
        let count = self.crawls.len();
        for (place, (site, crawl)) in self.crawls.iter().enumerate() {
            let share = share(used, place, count);
            match meter.save(site, *crawl, &parts.config.instance, share).await {
                Ok(()) => (self.saved, self.saved_at) = (self.saved + share, Some(now)),
                // The next tick saves this and more.
                Err(error) => tracing::warn!(error = chain(&error), "what was used could not be saved"),
            }
        }
    }
}

/// Returns the part of what was used that is charged to one of `count` crawls: all parts together are the whole.
fn share(used: Operations, place: usize, count: usize) -> Operations {
    let (place, count) = (place as u64, count.max(1) as u64);
    let part = |whole: u64| whole / count + u64::from(place < whole % count);
    Operations {
        reads: part(used.reads),
        writes: part(used.writes),
        deletes: part(used.deletes),
        messages: part(used.messages),
        stored_bytes: part(used.stored_bytes),
        busy_ms: part(used.busy_ms),
    }
}

/// Returns the newest crawl of the site that the environment names.
async fn newest(parts: &Parts) -> Option<CrawlKey> {
    let own = parts.sites.own();
    let site = own.id();
    let crawls = parts.deps.store.crawls(site).await.unwrap_or_default();
    Some((site.clone(), crawls.last()?.id))
}

/// Looks after the crawls; one tick at a time.
pub(crate) async fn tick(parts: &Parts) -> Answer {
    // Before all else: whoever stops a crawl does not wait for the end of an audit.
    let commands = match obey(parts).await {
        Ok(commands) => commands,
        Err(error) => return Answer::unavailable(chain(&error), parts.config.hold),
    };
    let Ok(mut ledger) = parts.ledger.try_lock() else {
        return Answer::Done(Done::Passed("the tick before is not over".to_owned()));
    };
    service_report::save(parts, Timestamp::now()).await;
    if let Err(error) = parts.sites.reload().await {
        return Answer::unavailable(chain(&error), parts.config.hold);
    }
    ledger.honoured.open_due(parts, Timestamp::now()).await;
    let taken_up = parts.sessions.keys();
    let published = refill(parts, &taken_up).await;
    let asked_again = ask_again(parts, &taken_up).await;
    let under_way = |site: &SiteId, crawl| {
        let key = (site.clone(), crawl);
        // Whoever resumes it meanwhile is obeyed by the next tick: this process would still turn its pages away.
        let rests = commands.of(site, crawl) == Some(CrawlCommand::Pause);
        rests || parts.in_flight.is_busy(&key) || published.contains(&key) || asked_again.contains(&key)
    };
    let sites = parts.sites.looked_after();
    let all: Vec<(&Maintenance, &Site)> =
        sites.iter().map(|(parts, site)| (&parts.maintenance, site)).collect();
    let report = match Maintenance::look_after_all(&all, &under_way, Timestamp::now()).await {
        Ok(report) => report,
        Err(error) => {
            // One site that fails keeps nobody from hearing of the others.
            tell(parts).await;
            return failed(&error, parts);
        }
    };
    for crawl in taken_up.iter().filter(|crawl| !is_open(crawl, &report)) {
        if let Some(session) = parts.sessions.in_memory(crawl) {
            remember_reliability(&*parts.deps.store, session.step.planner(), Timestamp::now()).await;
        }
        parts.sessions.drop_closed(crawl);
    }
    for closed in &report.closed {
        parts.windows.forget(&(closed.site.clone(), closed.crawl));
    }
    site_figures::save(parts, &report, Timestamp::now()).await;
    // A crawl that this tick closed is charged for its audit and its figures, too.
    let worked_on = if report.open.is_empty() { &taken_up } else { &report.open };
    ledger.save(parts, worked_on, Timestamp::now()).await;
    // Last: whoever is slow to be told keeps nothing waiting.
    tell(parts).await;
    Answer::Done(Done::Ticked(report.to_string()))
}

/// Tells people of crawls that have ended.
async fn tell(parts: &Parts) {
    if let Err(error) = parts.telling.tell().await {
        tracing::warn!(error = chain(&error), "nobody could be told of crawls");
    }
}

/// Publishes what is kept of crawls and has its turn; returns those of which it was anything and no page is worked on.
async fn refill(parts: &Parts, crawls: &[CrawlKey]) -> Vec<CrawlKey> {
    let mut published = Vec::new();
    for crawl in crawls {
        if parts.in_flight.is_busy(crawl) {
            parts.windows.refill(crawl).await;
            continue;
        }
        if let Some(session) = parts.sessions.in_memory(crawl)
            && let Err(error) = session.ask_for_images(parts).await
        {
            tracing::warn!(crawl.id = %crawl.1, error = chain(&error), "images could not be queued");
        }
        if parts.windows.tend(crawl, parts.config.process.quiet).await {
            published.push(crawl.clone());
        }
    }
    published
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
