//! Server-sent events: how an open crawl comes on.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::stream::{self, Stream, StreamExt};
use recrawl_core::ids::SiteId;
use recrawl_core::ports::StoreError;

use crate::app::{App, Library};
use crate::controls::{Progress, ProgressStream};
use crate::error::WebError;
use crate::views::found_site;

/// How often the store is asked: rarely enough to cost nothing.
const PAUSE: Duration = Duration::from_secs(5);

/// `GET /events/{site}`: events named `progress`, and one named `closed` at the end
pub(crate) async fn events(
    State(app): State<App>,
    Path(site): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, WebError> {
    let site: SiteId = site.parse()?;
    found_site(&*app.library, &site).await?;
    let progress = match &app.controls {
        Some(controls) => controls.progress(&site),
        None => stored_progress(app, site),
    };
    let events = progress.map(|progress| {
        let name = if progress.closed { "closed" } else { "progress" };
        Ok(Event::default().event(name).json_data(&progress).unwrap_or_default())
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// What a watcher remembers between two looks at the store.
struct Watch {
    app: App,
    site: SiteId,
    last: Option<Progress>,
}

/// Looks at the store from time to time, until the crawl that was open is closed.
fn stored_progress(app: App, site: SiteId) -> ProgressStream {
    let watch = Watch { app, site, last: None };
    Box::pin(stream::unfold(watch, |mut watch| async move {
        if watch.last.as_ref().is_some_and(|last| last.closed) {
            return None;
        }
        if watch.last.is_some() {
            tokio::time::sleep(PAUSE).await;
        }
        let progress = look(&*watch.app.library, &watch.site, watch.last.as_ref()).await;
        // A store in trouble ends the stream; browsers come back by themselves.
        let progress = progress.ok().flatten()?;
        watch.last = Some(progress.clone());
        Some((progress, watch))
    }))
}

/// Returns how the open crawl comes on, or that the one which was open is closed; nothing where none was.
async fn look(
    library: &dyn Library,
    site: &SiteId,
    last: Option<&Progress>,
) -> Result<Option<Progress>, StoreError> {
    let open = library.crawl_under_way(site).await?;
    let open = open.filter(|open| last.is_none_or(|last| last.crawl == open.id));
    let Some(crawl) = open.as_ref().map(|open| open.id).or(last.map(|last| last.crawl)) else {
        return Ok(None);
    };
    let last_visit = library.last_visit(site, crawl).await?;
    Ok(Some(Progress { crawl, done: None, waiting: None, found: None, last_visit, closed: open.is_none() }))
}
