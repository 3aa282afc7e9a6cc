//! Visiting one page within the time that a push has.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use recrawl_core::model::crawl::CrawlKind;
use recrawl_core::model::record::FoundBy;
use recrawl_core::ports::{FetchError, QueueError, QueuedPage, RobotsError, StoreError};
use recrawl_core::url::HostKey;
use recrawl_engine::step::{Outcome, StepError};
use tokio::time::Instant;

use crate::answer::{Answer, Done, Dropped, Visited, chain};
use crate::in_flight::Admission;
use crate::parts::Parts;
use crate::session::{PageSlot, Session};
use crate::window::within;

/// The share of the deadline in which all pages of a host that wait have their turn, as things go.
const WAITING: f64 = 0.8;

/// The share of the deadline in which a page begins. Otherwise it is kept, and its message comes again: it never happens
/// that a visit is cut.
const BEGINNING: f64 = 0.7;

/// The share of the deadline in which those have their turn that have begun, and how many these are at most: the fewer,
/// the earlier the next good page comes.
const BEGUN: (f64, usize) = (0.1, 16);

/// Visits `page`, unless somebody stops or pauses its crawl before that is done.
///
/// A visit that is broken off is as one of a process that died: what it recorded stays, and the rest did not happen.
pub(crate) async fn visit(parts: &Arc<Parts>, session: &Arc<Session>, page: QueuedPage) -> Answer {
    tokio::select! {
        biased;
        () = session.halted.cancelled() => Answer::Done(Done::Passed("the crawl was stopped or paused".to_owned())),
        answer = visit_or_share(parts, session, page) => answer,
    }
}

/// Visits `page`, or shares the visit that is under way, or sends the push away.
async fn visit_or_share(parts: &Arc<Parts>, session: &Arc<Session>, page: QueuedPage) -> Answer {
    let seen = session.step.seen();
    let is_asked_again = session.asked_again.awaits(&page.url);
    if seen.is_finished(&page.url) && !is_asked_again {
        return duplicate(parts, session, &page).await;
    }
    if session.absences.wait_with(&page.url) {
        return Answer::Done(Done::Unconfirmed);
    }
    if let Some(answer) = over_budget(session) {
        return answer;
    }
    let (host, ack_deadline) = (page.url.host_key(), parts.config.process.ack_deadline);
    let begin_by = Instant::now() + ack_deadline.mul_f64(BEGINNING);
    let interval = || session.site.fetcher.interval(&host);
    let capacity = || within(ack_deadline, interval(), WAITING).min(parts.in_flight.fair_share(&host));
    let is_kept = is_found_again(session, &page);
    let hold = if is_kept { Duration::ZERO } else { parts.config.hold };
    match parts.in_flight.admit(&session.key(), &page.url, capacity, hold).await {
        // One line tells of the visit: that of the push that made it.
        Admission::Completed(Answer::Done(Done::Visited(_))) => duplicate(parts, session, &page).await,
        Admission::Completed(answer) => answer,
        Admission::Full if is_kept => Answer::Done(Done::Kept),
        Admission::Full => Answer::not_now(format!("enough pages of {host} wait"), hold),
        Admission::Leader(leader) if is_asked_again => {
            let answer = recheck(parts, session, &page).await;
            leader.complete(answer.clone());
            answer
        }
        Admission::Leader(leader) => {
            // Pages that link here need not queue it any more.
            seen.not_yet_queued([&page.url], |_| true);
            let (fetcher, key, crawl) = (session.site.fetcher.clone(), host.clone(), session.key());
            let at_once = move || within(ack_deadline, fetcher.interval(&key), BEGUN.0).clamp(2, BEGUN.1);
            let turn = tokio::select! {
                biased;
                () = parts.work.stopped() => None,
                turn = parts.turns.take(&host, &crawl, page.priority, Arc::new(at_once), begin_by) => turn,
            };
            let answer = match turn {
                Some(_turn) => begin(parts, session, &page, &host).await,
                None if is_kept && !parts.work.is_stopping() => Answer::Done(Done::Kept),
                None => Answer::not_now("the page had no turn", hold),
            };
            leader.complete(answer.clone());
            answer
        }
    }
}

/// Visits a page whose turn it is, unless as many were asked for as may be.
async fn begin(parts: &Parts, session: &Session, page: &QueuedPage, host: &HostKey) -> Answer {
    if let Some(answer) = over_budget(session) {
        return answer;
    }
    match session.page_quota.take() {
        Some(place) => Box::pin(fly(parts, session, page, host, &place)).await,
        None => {
            over_budget(session).unwrap_or_else(|| Answer::not_now("no place is free", parts.config.hold))
        }
    }
}

/// Tells whether a page is found again if its message is acknowledged and this process dies: by the audit, or because it
/// stays due.
fn is_found_again(session: &Session, page: &QueuedPage) -> bool {
    match page.found.by {
        FoundBy::Seed => session.crawl.kind == CrawlKind::Due || page.url == *session.site.root(),
        // Images are asked for again when the crawl is taken up.
        FoundBy::Link | FoundBy::Redirect | FoundBy::Sitemap | FoundBy::Memory | FoundBy::Image => true,
    }
}

/// Asks for a page again that changed by a few words. Until there is an answer, its record says what was seen first.
async fn recheck(parts: &Parts, session: &Session, page: &QueuedPage) -> Answer {
    if !session.asked_again.take(&page.url) {
        return duplicate(parts, session, page).await;
    }
    match Box::pin(session.step.recheck(page, Timestamp::now())).await {
        Ok(Some(rechecked)) => Answer::Done(Done::Visited(Visited::from(&rechecked.after))),
        Ok(None) => Answer::Done(Done::Duplicate),
        Err(error) => {
            session.asked_again.put_back(&page.url);
            failed(parts, session, error).await
        }
    }
}

/// Takes in the way by which a recorded page comes once more.
async fn duplicate(parts: &Parts, session: &Session, page: &QueuedPage) -> Answer {
    match session.step.note_way(page).await {
        Ok(()) => Answer::Done(Done::Duplicate),
        Err(error) => failed(parts, session, error.into()).await,
    }
}

/// Visits a page, as often as the server needs and the time permits.
async fn fly(
    parts: &Parts,
    session: &Session,
    page: &QueuedPage,
    host: &HostKey,
    place: &PageSlot<'_>,
) -> Answer {
    let deadline = Instant::now() + parts.config.process.ack_deadline.mul_f64(0.9);
    // Before the root is recorded: once it is, what the sitemaps list is queued.
    if page.url == *session.site.root()
        && let Err(error) = session.search_sitemaps(parts).await
    {
        return failed(parts, session, error).await;
    }
    loop {
        let attempt = session.attempt(&page.url);
        let outcome = session.step.visit(page, attempt, Timestamp::now()).await;
        match outcome {
            Ok(Outcome::Retry { reason, next }) => {
                session.remember(&page.url, next);
                let wait = wait_for(parts, session, host);
                if Instant::now() + wait > deadline {
                    let reason = format!("attempt {} failed: {reason}", next.number);
                    return Answer::unavailable(reason, wait.min(Duration::from_mins(10)));
                }
                tracing::info!(attempt = next.number, reason, "a page is asked for again");
            }
            Ok(outcome) => return recorded(session, page, place, &outcome),
            Err(StepError::Store(StoreError::Corrupt(source))) => {
                let reason = format!("what is stored of the page cannot be read: {source}");
                return give_up(parts, session, page, place, reason).await;
            }
            Err(error) => return failed(parts, session, error).await,
        }
    }
}

/// Says what a page comes to that is not asked for any more: it waits for the next crawl.
fn over_budget(session: &Session) -> Option<Answer> {
    session.spent().map(|reason| Answer::Done(Done::Passed(reason)))
}

fn recorded(session: &Session, page: &QueuedPage, place: &PageSlot<'_>, outcome: &Outcome) -> Answer {
    session.forget(&page.url);
    match outcome {
        Outcome::Recorded(record) => {
            if record.visit.requests > 0 {
                place.keep();
            }
            session.asked_again.note(record);
            session.tell_of_traps(record);
            Answer::Done(Done::Visited(Visited::from(&**record)))
        }
        Outcome::Duplicate => Answer::Done(Done::Duplicate),
        Outcome::Unconfirmed { .. } => {
            session.absences.note(&page.url);
            Answer::Done(Done::Unconfirmed)
        }
        Outcome::Retry { reason, .. } => Answer::unavailable(reason.clone(), Duration::from_secs(1)),
    }
}

/// Records that nothing can be learnt of a page, so that the crawl does not wait for it.
async fn give_up(
    parts: &Parts,
    session: &Session,
    page: &QueuedPage,
    place: &PageSlot<'_>,
    reason: String,
) -> Answer {
    tracing::error!(reason, "a page is given up");
    let requests = session.attempt(&page.url).number;
    match session.step.give_up(page, requests, reason, Timestamp::now()).await {
        Ok(outcome) => recorded(session, page, place, &outcome),
        Err(StepError::Store(error @ StoreError::Corrupt(_))) => Answer::Done(Done::Passed(chain(&error))),
        Err(error) => failed(parts, session, error).await,
    }
}

/// Returns how long the next turn of a host is away.
fn wait_for(parts: &Parts, session: &Session, host: &HostKey) -> Duration {
    let waiting = u32::try_from(parts.turns.begun(host)).unwrap_or(u32::MAX);
    let fetcher = &session.site.fetcher;
    let queue = fetcher.interval(host).saturating_mul(waiting);
    let pause = fetcher.paused_until(host).map(until_then).unwrap_or_default();
    queue.saturating_add(pause)
}

fn until_then(until: Timestamp) -> Duration {
    Duration::try_from(until.duration_since(Timestamp::now())).unwrap_or_default()
}

/// Decides what an error of the step comes to. Everything that another delivery can cure is held a little, so
/// that it does not come back at once.
async fn failed(parts: &Parts, session: &Session, error: StepError) -> Answer {
    let words = chain(&error);
    let hold = parts.config.hold;
    let answer = match error {
        StepError::Store(StoreError::Absent(_) | StoreError::Corrupt(_)) => {
            return Answer::Done(Done::Passed(words));
        }
        StepError::NotBegun(FetchError::Stopped) => {
            let stopping = || Answer::not_now("we are about to stop", hold);
            return over_budget(session).unwrap_or_else(stopping);
        }
        StepError::NotBegun(FetchError::Paused { until, .. })
        | StepError::Robots(RobotsError::Paused { until, .. }) => {
            Answer::unavailable(words, until_then(until).min(Duration::from_mins(10)))
        }
        StepError::Store(StoreError::Unavailable(_))
        | StepError::Queue(QueueError::Unavailable(_))
        | StepError::Robots(RobotsError::Unreachable { .. })
        | StepError::NotBegun(FetchError::Refused(_) | FetchError::NoAnswer { .. }) => {
            Answer::unavailable(words, hold)
        }
        // Another delivery would come to the same, for ever.
        StepError::Stumbled(_) => {
            tracing::error!(reason = words, "a page is given up that cannot even be recorded");
            return Answer::Poison(Dropped { kind: Answer::STUMBLED, reason: words });
        }
        // A topic that is not there is made by a person; until then the page is not given up.
        StepError::Queue(QueueError::Refused(_)) => Answer::broken(words),
    };
    parts.work.pause(hold).await;
    answer
}
