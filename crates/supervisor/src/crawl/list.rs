//! Crawls a list: exactly these pages, on any number of hosts, each at its own pace, with new links left alone.
//!
//! A list is a site of its own in the store ([`ScopeSettings::list`](recrawl_core::model::scope::ScopeSettings::list)):
//! [`settings::of_list`](crate::settings::of_list) makes its settings. Who gives the same list again after a process was
//! killed, or was stopped, goes on where it ended.

use std::sync::Arc;

use recrawl_core::ports::Store;
use recrawl_core::url::PageUrl;
use recrawl_engine::{Choice, Choose, ListItem, ListedPage, Observer, StopHandle};
use recrawl_stores::EmbeddedStore;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::one_site::{Crawled, Opened, RunOptions, open_next, run_with};
use crate::settings::Settings;
use crate::usage;

/// What a crawl of a list is given.
pub struct ListInput {
    /// Pages, and hosts whose sitemaps are searched, as they come. The crawl ends when nobody can send more.
    pub items: UnboundedReceiver<ListItem>,
    /// Chooses among the pages that sitemaps list.
    pub choose: Arc<dyn Choose>,
}

impl ListInput {
    /// Gives these pages, and no more.
    pub fn of(pages: Vec<PageUrl>) -> Self {
        let (sender, items) = unbounded_channel();
        // The other end is at hand.
        let _ = sender.send(ListItem::Pages(pages));
        Self { items, choose: Arc::new(All) }
    }
}

/// Chooses every page that a sitemap lists.
pub struct All;

impl Choose for All {
    fn choose(&self, _: &ListedPage, _: &PageUrl) -> Choice {
        Choice::First
    }
}

/// Crawls a list: joins its open crawl, or opens the next.
pub async fn crawl_list(
    settings: &Settings,
    options: RunOptions,
    store: Arc<dyn EmbeddedStore>,
    stop_handle: StopHandle,
    observer: Arc<dyn Observer>,
    list: ListInput,
) -> anyhow::Result<Crawled> {
    let opened = open_list(settings, options, &*store).await?;
    run_list(settings, opened, options, store, stop_handle, observer, list).await
}

/// Joins the open crawl of a list, or opens the next.
pub async fn open_list(
    settings: &Settings,
    options: RunOptions,
    store: &dyn Store,
) -> anyhow::Result<Opened> {
    let known = store.site(&settings.site).await?;
    if !settings.scope.list || known.is_some_and(|site| !site.scope.list) {
        return Err(usage(format!(
            "{} is a site and not a list of pages; give the list another name",
            settings.site
        )));
    }
    open_next(settings, options, store).await
}

/// Runs an open crawl of a list as far as it goes.
pub async fn run_list(
    settings: &Settings,
    opened: Opened,
    options: RunOptions,
    store: Arc<dyn EmbeddedStore>,
    stop_handle: StopHandle,
    observer: Arc<dyn Observer>,
    list: ListInput,
) -> anyhow::Result<Crawled> {
    run_with(settings, opened, options, store, stop_handle, observer, Some(list)).await
}
