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

/// How much of it goes on at a time; the rest waits.
const AT_ONCE: usize = 2;

/// Lets work begin.
#[derive(Clone)]
pub(crate) struct Turns(Arc<Semaphore>);

impl Default for Turns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl Turns {
    /// Does something beside the threads that answer everybody else. It is done also where nobody waits for it any more.
    pub(crate) async fn beside<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, WebError> {
        let turn = Arc::clone(&self.0).acquire_owned().await.map_err(fault)?;
        let runtime = Handle::current();
        let done = spawn_blocking(move || {
            let _turn = turn;
            runtime.block_on(work)
        });
        done.await.map_err(fault)
    }
}

/// Looks for what pages said, also before: every stored text is read.
pub(crate) async fn search_history(
    served: &Served,
    site: Option<SiteId>,
    query: &str,
    limit: usize,
) -> Result<SearchHistoryView, WebError> {
    let (search, query) = (served.app.search.clone(), query.to_owned());
    let found = served
        .turns
        .beside(async move { search::search_history(search.as_deref(), site.as_ref(), &query, limit).await });
    Ok(found.await??)
}

fn fault(error: impl std::error::Error + Send + Sync + 'static) -> WebError {
    StoreError::Unavailable(error.into()).into()
}
