//! Server-sent events: how an open crawl comes on.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::stream::{self, Stream, StreamExt};
use recrawl_core::model::ids::SiteId;
use serde::Serialize;

use crate::app::App;
use crate::crawl_control::{Activity, Progress, ProgressStream, stored_progress};
use crate::error::WebError;
use recrawl_reports::sites::found_site;

/// How long nobody is left without a word on what goes on.
const SILENCE: Duration = Duration::from_secs(10);

/// What a listener hears.
#[derive(Serialize)]
struct Told {
    /// What goes on at this moment; nothing where that cannot be found out.
    activity: Option<Activity>,
    #[serde(flatten)]
    progress: Option<Progress>,
}

/// `GET /events/{site}`: an event named `activity` at once, and whenever there was nothing else to say for a
/// while; events named `progress`, the last of them `closed` where the crawl is; and at the end one named
/// `rest`. Each says what goes on at its moment, so that a page knows whether it still shows that.
pub(crate) async fn events(
    State(app): State<App>,
    Path(site): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, WebError> {
    let site: SiteId = site.parse()?;
    found_site(&*app.library, &site).await?;
    let progress = match &app.crawl_control {
        Some(crawl_control) => crawl_control.progress(&site),
        None => stored_progress(app.library.clone(), site.clone()),
    };
    let listener = Listener { app, site, progress, turn: Next::First };
    let events = stream::unfold(listener, |mut listener| async move {
        let event = listener.hear().await?;
        Some((Ok(event), listener))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// Somebody who listens.
struct Listener {
    app: App,
    site: SiteId,
    progress: ProgressStream,
    turn: Next,
}

/// What a [`Listener`] hears next.
enum Next {
    First,
    Later,
    Over,
}

impl Listener {
    async fn hear(&mut self) -> Option<Event> {
        let (name, progress) = match self.turn {
            Next::First => {
                self.turn = Next::Later;
                ("activity", None)
            }
            Next::Later => match tokio::time::timeout(SILENCE, self.progress.next()).await {
                Ok(Some(progress)) if progress.closed => ("closed", Some(progress)),
                Ok(Some(progress)) => ("progress", Some(progress)),
                Ok(None) => {
                    // Without a last word, browsers would come back at once, and again.
                    self.turn = Next::Over;
                    ("rest", None)
                }
                Err(_) => ("activity", None),
            },
            Next::Over => return None,
        };
        let told = Told { activity: activity(&self.app, &self.site, progress.as_ref()).await, progress };
        Some(Event::default().event(name).json_data(&told).unwrap_or_default())
    }
}

/// Returns what goes on with a site, as its pages show it.
async fn activity(app: &App, site: &SiteId, progress: Option<&Progress>) -> Option<Activity> {
    if let Some(crawl_control) = &app.crawl_control {
        return crawl_control.state(site).await.ok().map(|state| state.activity);
    }
    let is_open = match progress {
        Some(progress) => !progress.closed,
        None => app.library.crawl_under_way(site).await.ok()?.is_some(),
    };
    Some(Activity::seen_from_outside(is_open))
}
