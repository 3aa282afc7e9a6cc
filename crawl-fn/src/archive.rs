//! A push of topic `archive`.

use std::sync::Arc;

use jiff::Timestamp;
use recrawl_archive::{ArchiveError, ArchiveOutcome, ArchiveWorker};
use recrawl_core::ports::{ArchiveRequest, StoreError};
use recrawl_queue_pubsub::message::{ArchiveMessage, Delivery};
use tracing::{Span, field};

use crate::answer::{Answer, Done, chain};
use crate::parts::Parts;

/// How many requests are under way: as many as have a turn at Save Page Now within two minutes. Others are
/// asked for again by the tick, so that they take no place from pages.
pub(crate) const AT_ONCE: usize = 24;

/// Carries out a request for archiving.
pub(crate) async fn archive(parts: &Arc<Parts>, delivery: &Delivery) -> Answer {
    let request = match ArchiveMessage::parse(delivery) {
        Ok(request) => request,
        Err(poison) => return poison.into(),
    };
    Span::current().record("page.url", field::display(&request.page));
    Span::current().record("crawl.id", field::display(request.crawl));
    let Some(archive_worker) = &parts.deps.archive_worker else {
        return Answer::Done(Done::Passed("nothing is archived".to_owned()));
    };
    let Ok(_place) = parts.archiving.try_acquire() else {
        return Answer::Done(Done::Archived("left to the tick".to_owned()));
    };
    match carry_out(parts, archive_worker, &request).await {
        Ok(ArchiveOutcome::Done(archive)) => Answer::Done(Done::Archived(archive.state.word().to_owned())),
        // What is stored says when it is due, and the tick asks again.
        Ok(ArchiveOutcome::Deferred(_, until)) => {
            Answer::Done(Done::Archived(format!("deferred until {until}")))
        }
        Ok(ArchiveOutcome::NotRecorded) => Answer::not_now("the page is not recorded yet", parts.config.hold),
        Err(ArchiveError::Store(StoreError::Corrupt(source))) => {
            Answer::Done(Done::Passed(format!("what is stored of the page cannot be read: {source}")))
        }
        Err(ArchiveError::Store(error @ StoreError::Absent(_))) => Answer::Done(Done::Passed(chain(&error))),
        Err(error @ ArchiveError::Store(StoreError::Unavailable(_))) => {
            Answer::unavailable(chain(&error), parts.config.hold)
        }
        Err(error @ ArchiveError::Service(_)) => Answer::unavailable(chain(&error), parts.config.hold),
    }
}

/// Carries out a request; one that came before the record of its page waits a little for it.
async fn carry_out(
    parts: &Parts,
    archive_worker: &ArchiveWorker,
    request: &ArchiveRequest,
) -> Result<ArchiveOutcome, ArchiveError> {
    match archive_worker.carry_out(request, Timestamp::now()).await? {
        ArchiveOutcome::NotRecorded => {
            parts.work.pause(parts.config.hold).await;
            archive_worker.carry_out(request, Timestamp::now()).await
        }
        outcome @ (ArchiveOutcome::Done(_) | ArchiveOutcome::Deferred(..)) => Ok(outcome),
    }
}
