//! Work that takes a processor for long: beside the threads that answer everybody else.

use std::sync::Arc;

use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::StoreError;
use recrawl_reports::search::{self, SearchHistoryView};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::app::Served;
use crate::error::WebError;

/// How many look through all stored texts at a time; others wait.
const AT_ONCE: usize = 2;

/// Lets work begin.
#[derive(Clone)]
pub(crate) struct Turns(Arc<Semaphore>);

impl Default for Turns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

/// Looks for what pages said, also before: every stored text is read.
pub(crate) async fn search_history(
    served: &Served,
    site: Option<SiteId>,
    query: &str,
    limit: usize,
) -> Result<SearchHistoryView, WebError> {
    // Held by the work itself: it goes on where nobody waits for it any more.
    let turn = Arc::clone(&served.turns.0).acquire_owned().await.map_err(fault)?;
    let (search, query, runtime) = (served.app.search.clone(), query.to_owned(), Handle::current());
    let found = spawn_blocking(move || {
        let _turn = turn;
        runtime.block_on(search::search_history(search.as_deref(), site.as_ref(), &query, limit))
    });
    Ok(found.await.map_err(fault)??)
}

fn fault(error: impl std::error::Error + Send + Sync + 'static) -> WebError {
    StoreError::Unavailable(error.into()).into()
}
