//! Crawls one site: joins its open crawl, or opens the next, and runs it as far as it goes.

use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::decide::{Opening, is_first_crawl, opened_before, opening, unusual_since_believed};
use recrawl_core::model::crawl::{Crawl, CrawlKind, Site};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::ports::{Pace, Store};
use recrawl_engine::{Ended, Event, Observer, StopHandle};
use recrawl_stores::EmbeddedStore;

use super::assembly::{Assembly, RunPlan};
use super::list::ListInput;
use crate::settings::Settings;
use crate::usage;

/// How a crawl of one site went.
pub struct Crawled {
    /// The site.
    pub site: Site,
    /// Its crawl, as it was opened.
    pub crawl: Crawl,
    /// How the run ended.
    pub ended: Ended,
}

/// How a crawl is carried out.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunOptions {
    /// The next crawl visits only pages that are due.
    pub due: bool,
    /// This process has asked servers before, maybe the same ones.
    pub follows_another: bool,
    /// A crawl to which the site answers nothing at all is closed, because nobody here tries again by themselves.
    pub closes_silent: bool,
}

/// Crawls one site: joins its open crawl, or opens the next.
pub async fn crawl(
    settings: &Settings,
    options: RunOptions,
    store: Arc<dyn EmbeddedStore>,
    stop_handle: StopHandle,
    observer: Arc<dyn Observer>,
) -> anyhow::Result<Crawled> {
    let opened = open(settings, options, &*store).await?;
    run(settings, opened, options, store, stop_handle, observer).await
}

/// The crawl of a site that is open now.
pub struct Opened {
    /// The site.
    pub site: Site,
    /// The crawl.
    pub crawl: Crawl,
    /// It was begun by an earlier run.
    pub resumed: bool,
    /// It visits the pages that were asked for now.
    is_as_wished: bool,
    /// It is a first crawl, to which most pages are new.
    is_first_crawl: bool,
    /// The unusual crawls since the believed one, newest first.
    unusual: Vec<CrawlId>,
}

/// Joins the open crawl of a site, or opens the next.
pub async fn open(settings: &Settings, options: RunOptions, store: &dyn Store) -> anyhow::Result<Opened> {
    if settings.scope.list {
        return Err(usage(format!("{} is a list of pages: give the list to crawl it", settings.site)));
    }
    open_next(settings, options, store).await
}

pub(super) async fn open_next(
    settings: &Settings,
    options: RunOptions,
    store: &dyn Store,
) -> anyhow::Result<Opened> {
    let site = site(settings, store).await?;
    let crawls = store.crawls(&site.id).await?;
    let (now, mode) = (Timestamp::now(), settings.crawl.mode);
    // Of a site that was never crawled, no page can be due.
    let kind = match options {
        _ if settings.scope.list => CrawlKind::List,
        RunOptions { due: true, .. } if !crawls.is_empty() => CrawlKind::Due,
        RunOptions { .. } => CrawlKind::Full,
    };
    let (crawl, resumed) = match opening(&crawls, &site.id, kind, mode, None, now) {
        Opening::Join(crawl) | Opening::Done(crawl) => (crawl, true),
        Opening::Open(crawl) => {
            store.save_site(&site).await?;
            store.open_crawl(&crawl).await?;
            (crawl, false)
        }
    };
    let is_first_crawl = is_first_crawl(&crawls, crawl.id);
    let unusual = unusual_since_believed(&crawls, crawl.id);
    let is_unknown = opened_before(&crawls, crawl.id).is_empty();
    let is_as_wished = (crawl.kind == CrawlKind::Due) == (options.due && !is_unknown);
    Ok(Opened { site, crawl, resumed, is_as_wished, is_first_crawl, unusual })
}

/// Runs an open crawl as far as it goes.
pub async fn run(
    settings: &Settings,
    opened: Opened,
    options: RunOptions,
    store: Arc<dyn EmbeddedStore>,
    stop_handle: StopHandle,
    observer: Arc<dyn Observer>,
) -> anyhow::Result<Crawled> {
    run_with(settings, opened, options, store, stop_handle, observer, None).await
}

/// Runs an open crawl as far as it goes: of a list, where there is one.
pub(super) async fn run_with(
    settings: &Settings,
    opened: Opened,
    options: RunOptions,
    store: Arc<dyn EmbeddedStore>,
    stop_handle: StopHandle,
    observer: Arc<dyn Observer>,
    list: Option<ListInput>,
) -> anyhow::Result<Crawled> {
    let Opened { site, crawl, resumed, is_as_wished, is_first_crawl, unusual } = opened;
    if resumed && crawl.mode != settings.crawl.mode {
        observer.on(Event::Warning(format!("{} was opened in another mode, and goes on in that", crawl.id)));
    }
    if !is_as_wished {
        let as_opened = match crawl.kind {
            CrawlKind::Due => "for pages that are due",
            CrawlKind::Full => "for all pages",
            CrawlKind::List => "for the pages of a list",
        };
        observer.on(Event::Warning(format!("{} was opened {as_opened}, and goes on so", crawl.id)));
    }
    let assembly = Assembly::new(settings, store.clone(), stop_handle, Some(observer.clone()))?;
    assembly.remember_in(store);
    if list.is_some() && (resumed || options.follows_another) {
        assembly.fetcher.hold_all_first_turns();
    }
    let host = settings.root.host_key();
    if let Some(until) = assembly.fetcher.recall(&host).await
        && assembly.fetcher.left_alone_until(&host).is_none()
    {
        observer.on(Event::Warning(format!("{host} is left alone until {until}; the crawl goes on then")));
    }
    let waits_first = resumed || options.follows_another;
    let run_plan =
        RunPlan { resumed, waits_first, closes_silent: options.closes_silent, is_first_crawl, unusual };
    let ended = assembly.run(settings, site.clone(), crawl.clone(), run_plan, observer, list).await?;
    Ok(Crawled { site, crawl, ended })
}

async fn site(settings: &Settings, store: &dyn Store) -> anyhow::Result<Site> {
    let known = store.site(&settings.site).await?;
    if let Some(other) = known.as_ref().filter(|site| site.root != settings.root) {
        return Err(usage(format!(
            "the store has a site {} with the root {}; give this one another name with --site-name",
            other.id, other.root
        )));
    }
    let created_at = known.map_or_else(Timestamp::now, |site| site.created_at);
    Ok(Site {
        id: settings.site.clone(),
        root: settings.root.clone(),
        scope: settings.scope.clone(),
        created_at,
    })
}
