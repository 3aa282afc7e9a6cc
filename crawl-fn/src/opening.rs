//! A message that names no crawl: it joins the open one, or opens one.

use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::decide::Opening;
use recrawl_core::model::crawl::CrawlKind;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use recrawl_engine::step::StepError;
use recrawl_engine::{CrawlCommand, queue_root};

use crate::answer::{Answer, Done, chain};
use crate::halting::obey;
use crate::parts::Parts;
use crate::session::Session;
use crate::sessions::NoSession;
use crate::site_parts::SiteParts;

/// Opens a crawl of `site` because the time `due` of its schedule has come, or joins the open one.
pub(crate) async fn open_on_time(parts: &Parts, site: &Arc<SiteParts>, due: Timestamp) -> Result<(), Answer> {
    open(parts, site, Some(&format!("schedule {due}")), None).await.map(drop)
}

/// Returns the session of the open crawl of `site`, which the `message` that names `url` opens if there is none.
///
/// Whoever opens a crawl queues what comes first in it. If the message names another page than the root, the root is queued before it is acknowledged, however often it is
/// delivered: whoever visits the root searches the sitemaps.
pub(crate) async fn open(
    parts: &Parts,
    site: &Arc<SiteParts>,
    message: Option<&str>,
    url: Option<&PageUrl>,
) -> Result<Arc<Session>, Answer> {
    let root = site.root();
    let opening = open_or_join(parts, site, message).await?;
    let (crawl, is_new) = match opening {
        Opening::Open(crawl) => (crawl, true),
        Opening::Join(crawl) if crawl.kind == CrawlKind::Due => {
            // A page is not a whole crawl, and a whole crawl has other pages: it opens one of its own then.
            let reason = format!("{} visits pages that are due; this waits until it is closed", crawl.id);
            return Err(Answer::not_now(reason, parts.config.hold));
        }
        Opening::Join(crawl) => {
            let is_opener = message.is_some() && crawl.opened_by.as_deref() == message;
            (crawl, is_opener)
        }
        Opening::Done(crawl) => {
            return Err(Answer::Done(Done::Passed(format!("{} was opened by it, and has ended", crawl.id))));
        }
    };
    if is_new {
        tracing::info!(crawl.id = %crawl.id, "a crawl is open");
    }
    parts.sessions.opened(&(site.id().clone(), crawl.id));
    let session = parts.sessions.of(parts, site, crawl.id).await.map_err(|error| no_session(parts, error))?;
    if is_new {
        let unavailable = |error: StepError| Answer::unavailable(chain(&error), parts.config.hold);
        session.begin(parts).await.map_err(unavailable)?;
        if url != Some(root) {
            queue_root(&session.step, root).await.map_err(|error| unavailable(error.into()))?;
        }
    }
    Ok(session)
}

/// Opens the next crawl of a site, or joins the open one. One that somebody stopped is closed first; while one is paused,
/// there is no other.
async fn open_or_join(
    parts: &Parts,
    site: &Arc<SiteParts>,
    message: Option<&str>,
) -> Result<Opening, Answer> {
    let (store, mode) = (&*parts.deps.store, site.config.crawl.mode);
    let unavailable = |error| not_now(parts, &error);
    loop {
        let now = Timestamp::now();
        let opening = recrawl_engine::open(store, site.id(), CrawlKind::Full, mode, message, now).await;
        let opening = opening.map_err(unavailable)?;
        let Opening::Join(crawl) = &opening else { return Ok(opening) };
        match obey(parts).await.map_err(unavailable)?.of(site.id(), crawl.id) {
            Some(CrawlCommand::Pause) => {
                tracing::warn!(crawl.id = %crawl.id, "a crawl is paused: nothing begins before it is resumed or stopped");
                return Err(Answer::Done(Done::Passed(format!("{} is paused", crawl.id))));
            }
            Some(CrawlCommand::Stop) => {
                let closing = site.maintenance.close_if_stopped(&site.site, crawl, now);
                closing.await.map_err(|error| Answer::unavailable(chain(&error), parts.config.hold))?;
            }
            Some(CrawlCommand::Resume) | None => return Ok(opening),
        }
    }
}

/// Says what the lack of a session comes to.
pub(crate) fn no_session(parts: &Parts, error: NoSession) -> Answer {
    match error {
        NoSession::NotOpen => {
            Answer::Done(Done::Passed("the crawl is closed, stopped or paused, or there is none".to_owned()))
        }
        NoSession::Store(error) => not_now(parts, &error),
    }
}

fn not_now(parts: &Parts, error: &StoreError) -> Answer {
    match error {
        StoreError::Unavailable(_) => Answer::unavailable(chain(error), parts.config.hold),
        StoreError::Corrupt(_) | StoreError::Absent(_) => Answer::broken(chain(error)),
    }
}
