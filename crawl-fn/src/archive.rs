//! A push of topic `archive`: a reminder that pages wait to be archived.
//!
//! The records are the queue. One push at a time works it off, at the pace of Save Page Now, for most of the time that Pub/Sub
//! gives it; the others are acknowledged at once. One whose time is over asks for the next. So the pace is kept by a single
//! request, pages of a crawl take no place from pages to visit, and a process that dies leaves a message that is delivered
//! again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use recrawl_archive::{ArchiveError, ArchiveWorker, DrainOptions, Drained};
use recrawl_core::ports::StoreError;
use recrawl_queue_pubsub::message::{ArchiveMessage, Delivery};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tracing::{Span, field};

use crate::answer::{Answer, Done, chain};
use crate::parts::Parts;
use crate::tick;

/// Who archives, and whether somebody came meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Archiving {
    at_work: Mutex<()>,
    is_reminded: AtomicBool,
}

impl Archiving {
    fn remind(&self) {
        self.is_reminded.store(true, Ordering::SeqCst);
    }

    /// Tells whether somebody came since this was asked.
    fn take_reminder(&self) -> bool {
        self.is_reminded.swap(false, Ordering::SeqCst)
    }
}

/// Archives what waits, unless another push does.
pub(crate) async fn archive(parts: &Arc<Parts>, delivery: &Delivery) -> Answer {
    let request = match ArchiveMessage::parse(delivery) {
        Ok(request) => request,
        Err(poison) => return poison.into(),
    };
    Span::current().record("page.url", field::display(&request.page));
    Span::current().record("crawl.id", field::display(request.crawl));
    let archives = parts.sites.watched().iter().any(|site| site.archives());
    let Some(archive_worker) = parts.deps.archive_worker.as_ref().filter(|_| archives) else {
        return Answer::Done(Done::Passed("nothing is archived".to_owned()));
    };
    // The last quarter is for requests that are under way, and for clocks that are not exact.
    let deadline = Instant::now() + parts.config.process.ack_deadline * 3 / 4;
    parts.archiving.remind();
    let mut total = Drained::default();
    while parts.archiving.is_reminded.load(Ordering::SeqCst) {
        let Ok(alone) = parts.archiving.at_work.try_lock() else {
            return Answer::Done(Done::Archived("left to the push that is at work".to_owned()));
        };
        while parts.archiving.take_reminder() {
            match drain(parts, archive_worker, deadline).await {
                Ok(drained) => add(&mut total, drained),
                Err(answer) => return answer,
            }
        }
        // Whoever comes after the last look finds nobody at work, or is seen by the next one.
        drop(alone);
        if total.is_cut_short {
            break;
        }
    }
    if parts.work.is_stopping() {
        return Answer::not_now("we are about to stop", Duration::from_secs(1));
    }
    if total.is_cut_short
        && let Err(error) = parts.deps.archive_queue.request(std::slice::from_ref(&request)).await
    {
        return Answer::unavailable(chain(&error), parts.config.hold);
    }
    Answer::Done(Done::Archived(words(&total)))
}

async fn drain(parts: &Parts, archive_worker: &ArchiveWorker, deadline: Instant) -> Result<Drained, Answer> {
    let own = parts.sites.own();
    let mut sites = own.maintenance.archivable().await.map_err(|error| tick::failed(&error, parts))?;
    sites.retain(|(site, _)| parts.sites.named(site).unwrap_or_else(|| own.clone()).archives());
    let work = DrainOptions { sites, limit: usize::MAX, deadline: Some(deadline) };
    match archive_worker.drain(&work, Timestamp::now, &|_, _| {}).await {
        Ok(drained) => Ok(drained),
        Err(ArchiveError::Store(error @ StoreError::Unavailable(_))) => {
            Err(Answer::unavailable(chain(&error), parts.config.hold))
        }
        // Another delivery would find the same; the next tick asks again.
        Err(error) => {
            tracing::error!(error = chain(&error), "nothing can be archived");
            Err(Answer::Done(Done::Archived(format!("nothing can be: {}", chain(&error)))))
        }
    }
}

fn add(total: &mut Drained, drained: Drained) {
    total.taken += drained.taken;
    total.captured += drained.captured;
    total.failed += drained.failed;
    total.trouble = drained.trouble;
    total.is_cut_short = drained.is_cut_short;
}

fn words(drained: &Drained) -> String {
    let Drained { captured, failed, trouble, is_cut_short, .. } = drained;
    let more = if *is_cut_short { ", more waits" } else { "" };
    let trouble = trouble.as_ref().map_or_else(String::new, |trouble| format!("; {trouble}"));
    format!("{captured} captured, {failed} failed{more}{trouble}")
}
