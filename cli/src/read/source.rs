//! Where a command reads from: a store, and a site in it.

use std::io;
use std::sync::Arc;

use recrawl_core::decide::{DoubtWord, left_out};
use recrawl_core::model::crawl::{Closed, Crawl, Site};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{History, PullFrontier, StateStore, Stumbles};
use recrawl_stores::{Access, StoreAddress, open};

use crate::exit::usage;
use crate::output;

/// The options that name a store.
#[derive(Debug, clap::Args)]
pub(crate) struct StoreArguments {
    /// The store to read: sqlite:PATH (or just a path), or firestore:PROJECT
    #[arg(long, value_name = "STORE", env = "RECRAWL_STORE", default_value = USUAL)]
    pub(crate) store: StoreAddress,
}

/// Where commands look if nobody says otherwise.
const USUAL: &str = "sqlite:recrawl.db";

/// Returns what names `store` in another command: nothing where that looks there by itself.
pub(crate) fn store_flag(store: &StoreAddress) -> String {
    let said = std::env::var("RECRAWL_STORE").ok().filter(|said| !said.is_empty());
    let by_itself = said.as_deref().unwrap_or(USUAL).parse::<StoreAddress>();
    if by_itself.as_ref() == Ok(store) { String::new() } else { format!(" --store {store}") }
}

/// The options that name a store and a site in it.
#[derive(Debug, clap::Args)]
pub(crate) struct SourceArguments {
    #[command(flatten)]
    store: StoreArguments,

    /// The site, where the store holds several (`recrawl crawls` lists them)
    #[arg(long, value_name = "NAME")]
    site: Option<SiteId>,
}

/// A store that is open for reading.
#[derive(Clone)]
pub(crate) struct Source {
    /// What is stored.
    pub(crate) history: Arc<dyn History>,
    /// What waits, where the store knows.
    pub(crate) pull_frontier: Option<Arc<dyn PullFrontier>>,
    /// Small things that crawls remember.
    pub(crate) state_store: Arc<dyn StateStore>,
    /// Pages that the program itself could not read.
    pub(crate) stumbles: Arc<dyn Stumbles>,
    address: StoreAddress,
    site: Option<SiteId>,
}

impl SourceArguments {
    /// Returns the store that was named.
    pub(crate) fn address(&self) -> &StoreAddress {
        &self.store.store
    }

    /// Returns the site that was named, if one was.
    pub(crate) fn named_site(&self) -> Option<&SiteId> {
        self.site.as_ref()
    }

    /// Opens the store for reading.
    pub(crate) async fn open(&self) -> anyhow::Result<Source> {
        self.store.store.expect_existing()?;
        let store = open(&self.store.store, Access::Read).await?;
        let ports = store.ports();
        Ok(Source {
            history: ports.clone(),
            pull_frontier: store.embedded().cloned().map(|store| store as Arc<dyn PullFrontier>),
            state_store: ports.clone(),
            stumbles: ports,
            address: self.store.store.clone(),
            site: self.site.clone(),
        })
    }
}

impl Source {
    /// Returns what names the store in another command.
    pub(crate) fn flag(&self) -> String {
        store_flag(&self.address)
    }

    /// Returns the sites to look at: the one that was named, or all. At least one is returned.
    pub(crate) async fn sites(&self) -> anyhow::Result<Vec<Site>> {
        let sites = self.history.sites().await?;
        if sites.is_empty() {
            let begin = self.address.crawling("URL");
            return Err(usage(format!("the store holds no site yet: crawl one with `{begin}`")));
        }
        let Some(wanted) = &self.site else {
            return Ok(sites);
        };
        match sites.iter().find(|site| site.id == *wanted) {
            Some(site) => Ok(vec![site.clone()]),
            None => Err(usage(format!("the store has no site {wanted}: it holds {}", names(&sites)))),
        }
    }

    /// Returns the site that was named, or the only one.
    pub(crate) async fn site(&self) -> anyhow::Result<Site> {
        only(self.sites().await?)
    }

    /// Returns this crawl of a site, or the latest that saw all of it and is believed, or else its latest. Says so where a
    /// later one is left out because it is unusual.
    pub(crate) async fn whole_crawl(&self, site: &Site, wanted: Option<CrawlId>) -> anyhow::Result<Crawl> {
        if wanted.is_none() {
            let is_whole = |crawl: &Crawl| crawl.closed.as_ref().is_some_and(Closed::is_whole);
            let crawls = self.history.crawls(&site.id).await?;
            if let Some(crawl) = crawls.iter().rev().find(|crawl| is_whole(crawl)) {
                note_left_out(&site.id, &crawls, &self.flag())?;
                return Ok(crawl.clone());
            }
        }
        self.crawl(site, wanted).await
    }

    /// Returns this crawl of a site, or its latest.
    pub(crate) async fn crawl(&self, site: &Site, wanted: Option<CrawlId>) -> anyhow::Result<Crawl> {
        let mut crawls = self.history.crawls(&site.id).await?;
        let Some(wanted) = wanted else {
            let latest = crawls.pop();
            return latest.ok_or_else(|| usage(format!("{} has not been crawled yet", site.root)));
        };
        if let Some(crawl) = crawls.iter().find(|crawl| crawl.id == wanted) {
            return Ok(crawl.clone());
        }
        let latest = crawls.last().map_or_else(String::new, |crawl| format!("; the latest is {}", crawl.id));
        Err(usage(format!("site {} has no {wanted}{latest} (see `recrawl crawls`)", site.id)))
    }
}

/// Says, beside what is printed, that the newest crawl of a site is not believed, where that is so; `flag` names the store.
pub(super) fn note_left_out(site: &SiteId, crawls: &[Crawl], flag: &str) -> io::Result<()> {
    let Some(crawl) = left_out(crawls) else { return Ok(()) };
    let closed = crawl.closed.as_ref();
    let doubt = closed.map_or(DoubtWord::Unusual, |closed| DoubtWord::of(&closed.statistics));
    let suspicion = closed.and_then(|closed| closed.suspicion.as_ref());
    let reason = suspicion.map_or_else(String::new, |suspicion| format!(" ({})", suspicion.reason));
    let accepting = format!("recrawl accept{flag} --site {site} --crawl {}", crawl.id);
    output::note(&format!(
        "{} is left out because it {}{reason}; if the site is right, `{accepting}` accepts it.",
        crawl.id,
        doubt.predicate()
    ))
}

/// Returns the only one of several sites, or asks to name one. Lists of pages stand back where there are sites.
pub(super) fn only(mut sites: Vec<Site>) -> anyhow::Result<Site> {
    let names = names(&sites);
    if !sites.iter().all(|site| site.scope.list) {
        sites.retain(|site| !site.scope.list);
    }
    match (sites.pop(), sites.is_empty()) {
        (Some(site), true) => Ok(site),
        (_, _) => Err(usage(format!("several sites are possible, name one with --site: {names}"))),
    }
}

fn names(sites: &[Site]) -> String {
    let names: Vec<&str> = sites.iter().map(|site| site.id.as_str()).collect();
    names.join(", ")
}
