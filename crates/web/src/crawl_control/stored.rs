//! How a crawl comes on that another process runs, as far as the store tells.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::StoreError;

use super::{Progress, ProgressStream};
use crate::app::Library;

/// How often the store is asked: rarely enough to cost nothing.
const PAUSE: Duration = Duration::from_secs(5);

/// What a watcher remembers between two looks at the store.
struct Watch {
    library: Arc<dyn Library>,
    site: SiteId,
    last: Option<Progress>,
}

/// Looks at the store from time to time, until the crawl that was open is closed.
pub fn stored_progress(library: Arc<dyn Library>, site: SiteId) -> ProgressStream {
    let watch = Watch { library, site, last: None };
    Box::pin(stream::unfold(watch, |mut watch| async move {
        if watch.last.as_ref().is_some_and(|last| last.closed) {
            return None;
        }
        if watch.last.is_some() {
            tokio::time::sleep(PAUSE).await;
        }
        let progress = look(&*watch.library, &watch.site, watch.last.as_ref()).await;
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
    Ok(Some(Progress {
        crawl,
        done: None,
        waiting: None,
        found: None,
        last_visit,
        pace: None,
        latest: Vec::new(),
        waits: None,
        closed: open.is_none(),
    }))
}
