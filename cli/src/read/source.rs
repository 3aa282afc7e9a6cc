//! Where a command reads from: a store, and a site in it.

use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::Context;
use recrawl_core::lifecycle::left_out;
use recrawl_core::model::crawl::{Closed, Crawl, Site};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{History, PullFrontier, StateStore, StoreError, Stumbles};
use recrawl_store_firestore::{FirestoreSettings, FirestoreStore};
use recrawl_store_sqlite::{OpenError, SqliteStore};

use crate::exit::usage;
use crate::{output, settings};

/// Names a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StoreAddress {
    /// One SQLite file.
    Sqlite(PathBuf),
    /// A Google Cloud project.
    Firestore(String),
}

impl StoreAddress {
    /// Returns the path of the SQLite file; other stores are an error of usage.
    pub(crate) fn sqlite_path(&self) -> anyhow::Result<&Path> {
        match self {
            Self::Sqlite(path) => Ok(path),
            Self::Firestore(project) => Err(usage(format!(
                "firestore:{project} is not one file: this command works on sqlite:PATH, and `recrawl copy --from \
                 firestore:{project} --to sqlite:PATH` makes one"
            ))),
        }
    }

    /// Returns the path of an SQLite file that is there; nothing is created.
    pub(crate) fn existing_path(&self) -> anyhow::Result<&Path> {
        let path = self.sqlite_path()?;
        if path.is_file() {
            return Ok(path);
        }
        let shown = path.display();
        Err(usage(if path.exists() {
            format!("{shown} is not a file, so it is no store")
        } else {
            format!(
                "there is no store at {shown}: name one with --store sqlite:PATH, or make one with `recrawl crawl URL`"
            )
        }))
    }
}

impl FromStr for StoreAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (scheme, rest) = match text.split_once(':') {
            // One letter is a drive.
            Some((scheme, rest))
                if scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) =>
            {
                (scheme, rest)
            }
            Some(_) | None => ("sqlite", text),
        };
        match scheme {
            "sqlite" if rest.is_empty() => Err("the path of the file is missing: sqlite:PATH".to_owned()),
            "sqlite" => Ok(Self::Sqlite(rest.into())),
            "firestore" if rest.is_empty() => Err("the project is missing: firestore:PROJECT".to_owned()),
            "firestore" => Ok(Self::Firestore(rest.to_owned())),
            other => Err(format!("{other}: is no kind of store: use sqlite:PATH or firestore:PROJECT")),
        }
    }
}

/// The options that name a store.
#[derive(Debug, clap::Args)]
pub(crate) struct StoreArguments {
    /// The store to read: sqlite:PATH (or just a path), or firestore:PROJECT
    #[arg(long, value_name = "STORE", env = "RECRAWL_STORE", default_value = "sqlite:recrawl.db")]
    pub(crate) store: StoreAddress,
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
    pub(crate) memos: Arc<dyn StateStore>,
    /// Pages that the program itself could not read.
    pub(crate) stumbles: Arc<dyn Stumbles>,
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
        let site = self.site.clone();
        match &self.store.store {
            address @ StoreAddress::Sqlite(_) => {
                let path = address.existing_path()?;
                let store = Arc::new(SqliteStore::open_read_only(path).map_err(not_opened)?);
                let pull_frontier: Option<Arc<dyn PullFrontier>> = Some(store.clone());
                Ok(Source {
                    history: store.clone(),
                    pull_frontier,
                    memos: store.clone(),
                    stumbles: store,
                    site,
                })
            }
            StoreAddress::Firestore(project) => {
                let store = Arc::new(connect(project).await?);
                Ok(Source {
                    history: store.clone(),
                    pull_frontier: None,
                    memos: store.clone(),
                    stumbles: store,
                    site,
                })
            }
        }
    }
}

/// Connects to the Firestore database of a project, or to the emulator that the environment names.
pub(crate) async fn connect(project: &str) -> anyhow::Result<FirestoreStore> {
    let mut settings = FirestoreSettings::from_environment(project);
    if let Some(bucket) = settings::of_this_process().bodies_bucket {
        settings =
            settings.with_bucket(&bucket).with_context(|| format!("cannot use the bucket {bucket}"))?;
    }
    FirestoreStore::connect(settings).await.map_err(|error| {
        anyhow::anyhow!(
            "cannot open firestore:{project}: {} (log in with `gcloud auth application-default login`, or name an \
             emulator in FIRESTORE_EMULATOR_HOST)",
            reason(&error)
        )
    })
}

/// Returns why a connection failed: the last thing quoted in the many words of the client, if there is one.
fn reason(error: &StoreError) -> String {
    let text = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    text.rsplit('"').nth(1).map_or_else(|| text.clone(), str::to_owned)
}

impl Source {
    /// Returns the sites to look at: the one that was named, or all. At least one is returned.
    pub(crate) async fn sites(&self) -> anyhow::Result<Vec<Site>> {
        let sites = self.history.sites().await?;
        if sites.is_empty() {
            return Err(usage("the store holds no site yet: crawl one with `recrawl crawl URL`"));
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
    /// later one is left out because it is suspect.
    pub(crate) async fn whole_crawl(&self, site: &Site, wanted: Option<CrawlId>) -> anyhow::Result<Crawl> {
        if wanted.is_none() {
            let is_whole = |crawl: &Crawl| crawl.closed.as_ref().is_some_and(Closed::is_whole);
            let crawls = self.history.crawls(&site.id).await?;
            if let Some(crawl) = crawls.iter().rev().find(|crawl| is_whole(crawl)) {
                note_left_out(&site.id, &crawls)?;
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

/// Says, beside what is printed, that the newest crawl of a site is not believed, where that is so.
pub(super) fn note_left_out(site: &SiteId, crawls: &[Crawl]) -> io::Result<()> {
    let Some(crawl) = left_out(crawls) else { return Ok(()) };
    let suspicion = crawl.closed.as_ref().and_then(|closed| closed.suspicion.as_ref());
    let reason = suspicion.map_or_else(String::new, |suspicion| format!(" ({})", suspicion.reason));
    let accepting = format!("recrawl accept --site {site} --crawl {}", crawl.id);
    output::note(&format!(
        "{} is left out because it is suspect{reason}; if the site is right, `{accepting}` accepts it.",
        crawl.id
    ))
}

/// Tells a wrong file from one that could not be opened.
pub(crate) fn not_opened(error: OpenError) -> anyhow::Error {
    match error {
        OpenError::Missing(_) | OpenError::Foreign(_) | OpenError::Newer { .. } | OpenError::Older { .. } => {
            usage(error.to_string())
        }
        OpenError::Crawling { .. }
        | OpenError::Damaged(_)
        | OpenError::Unfolded(_)
        | OpenError::Failed { .. } => error.into(),
    }
}

/// Returns the only one of several sites, or asks to name one.
pub(super) fn only(mut sites: Vec<Site>) -> anyhow::Result<Site> {
    let names = names(&sites);
    match (sites.pop(), sites.is_empty()) {
        (Some(site), true) => Ok(site),
        (_, _) => Err(usage(format!("several sites are possible, name one with --site: {names}"))),
    }
}

fn names(sites: &[Site]) -> String {
    let names: Vec<&str> = sites.iter().map(|site| site.id.as_str()).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_named_by_scheme_or_path() {
        let sqlite = |path: &str| Ok(StoreAddress::Sqlite(path.into()));
        for (text, expected) in [
            ("sqlite:recrawl.db", sqlite("recrawl.db")),
            ("sqlite:/a/b:c.db", sqlite("/a/b:c.db")),
            ("recrawl.db", sqlite("recrawl.db")),
            ("./a/b:c.db", sqlite("./a/b:c.db")),
            ("C:\\a.db", sqlite("C:\\a.db")),
            ("firestore:project", Ok(StoreAddress::Firestore("project".to_owned()))),
        ] {
            assert_eq!(text.parse(), expected, "{text}");
        }
        for text in ["", "sqlite:", "firestore:", "postgres://a"] {
            assert!(text.parse::<StoreAddress>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_needs_a_file_says_how_to_get_one_from_firestore() {
        let address = StoreAddress::Firestore("p".to_owned());
        let message = address.existing_path().unwrap_err().to_string();
        assert!(message.contains("recrawl copy --from firestore:p --to sqlite:PATH"), "{message}");
    }
}
