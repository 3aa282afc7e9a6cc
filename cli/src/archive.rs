//! `recrawl archive`: asks the Wayback Machine for what waits to be archived.

mod report;
mod right;
mod waiting;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use jiff::Timestamp;
use recrawl_archive::{ArchiveWorker, BadKeys, DrainOptions, Drained, SavePageNow, SavePageNowSettings};
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{History, Store};
use recrawl_store_sqlite::{Options, SqliteStore};

use self::report::Report;
pub(crate) use self::right::RightToArchive;
use self::waiting::Waiting;
use crate::crawl::Stop;
use crate::exit::{ExitStatus, usage};
use crate::output;
use crate::read::source::{StoreArguments, not_opened};
use crate::settings;

/// Ask the Wayback Machine to archive the changes that wait
///
/// Changes are noted by `recrawl crawl` (setting `archive`). The pace is that of Save Page Now: 12 pages a
/// minute with the keys of an account in `RECRAWL_ARCHIVE_KEYS`, 4 without. Each change is captured once,
/// however often this is run or interrupted. Sites can be crawled meanwhile.
#[derive(Debug, Args)]
pub(crate) struct ArchiveArguments {
    #[command(flatten)]
    store: StoreArguments,
    /// Only the changes of this site
    #[arg(long, value_name = "NAME")]
    site: Option<SiteId>,
    /// Ask for this many pages at most
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Say what waits, and ask for nothing
    #[arg(long)]
    dry_run: bool,
    /// Where you can be reached; part of the user agent
    #[arg(long, value_name = "URL", env = "RECRAWL_CONTACT")]
    contact: Option<String>,
}

impl ArchiveArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let path = self.store.store.existing_path()?.to_path_buf();
        let runtime = tokio::runtime::Runtime::new()?;
        if self.dry_run {
            let store = SqliteStore::open_read_only(&path).map_err(not_opened)?;
            return runtime.block_on(async {
                let sites = sites(&store, self.site.as_ref()).await?;
                Waiting::read(&store, &sites, Timestamp::now()).await?.show()
            });
        }
        let user_agent = settings::user_agent(self.contact.as_deref())?;
        let service = service(user_agent)?;
        runtime.block_on(async {
            let archive_run =
                ArchiveRun { path, limit: self.limit.unwrap_or(usize::MAX), stop: Stop::on_interrupt() };
            archive_run.carry_out(self.site.as_ref(), service).await
        })
    }
}

/// What waits in one store, and how much of it is to be done.
pub(crate) struct ArchiveRun {
    pub(crate) path: PathBuf,
    pub(crate) limit: usize,
    pub(crate) stop: Stop,
}

impl ArchiveRun {
    /// Archives what waits, of one site or of all, and says what came of it.
    pub(crate) async fn carry_out(
        &self,
        site: Option<&SiteId>,
        service: SavePageNow,
    ) -> anyhow::Result<ExitStatus> {
        // Not the right to crawl: archiving takes hours, and keeps nobody from crawling.
        let _right = RightToArchive::take(&self.path)?;
        let store = Arc::new(SqliteStore::open(&self.path, &Options::default()).map_err(not_opened)?);
        let sites = sites(&store, site).await?;
        let archive_worker = Arc::new(ArchiveWorker::new(store.clone(), service));
        let (stopping, asked) = (archive_worker.clone(), self.stop.clone());
        let watch = tokio::spawn(async move {
            asked.wait().await;
            stopping.stop();
        });
        let report = Report::new(archive_worker.clone());
        let mut total = Drained::default();
        for site in &sites {
            let crawls = store.crawls(site).await?.into_iter().map(|crawl| crawl.id).collect();
            let work = DrainOptions { site: site.clone(), crawls, limit: self.limit - total.taken };
            let drained = archive_worker
                .drain(&work, Timestamp::now, &|request, outcome| report.line(request, outcome))
                .await;
            let drained = drained.context("archiving was broken off")?;
            total.taken += drained.taken;
            total.captured += drained.captured;
            total.failed += drained.failed;
            total.trouble = drained.trouble;
            if total.trouble.is_some() || self.stop.is_set() || total.taken >= self.limit {
                break;
            }
        }
        watch.abort();
        report.end(&total, &Waiting::read(&*store, &sites, Timestamp::now()).await?)?;
        if let Some(trouble) = &total.trouble {
            output::note(&format!("{trouble}. What waits stays queued; the same command goes on with it"))?;
            return Ok(ExitStatus::BrokenOff);
        }
        if self.stop.is_set() {
            output::note("archiving was stopped; the same command goes on with it")?;
            return Ok(ExitStatus::BrokenOff);
        }
        Ok(if total.failed > 0 { ExitStatus::SomeFailed } else { ExitStatus::Success })
    }
}

async fn sites(store: &SqliteStore, wanted: Option<&SiteId>) -> anyhow::Result<Vec<SiteId>> {
    let sites: Vec<SiteId> = store.sites().await?.into_iter().map(|site| site.id).collect();
    match wanted {
        None => Ok(sites),
        Some(wanted) if sites.contains(wanted) => Ok(vec![wanted.clone()]),
        Some(wanted) => Err(usage(format!("the store has no site {wanted} (see `recrawl crawls`)"))),
    }
}

/// Makes the client of Save Page Now that the environment asks for.
///
/// Keys come from the environment only: flags are seen by everybody on the machine, and a settings file is
/// shared.
pub(crate) fn service(user_agent: String) -> anyhow::Result<SavePageNow> {
    let process = settings::of_this_process();
    let keys = process.archive_keys.map(|keys| keys.expose().parse()).transpose();
    let keys = keys.map_err(|error: BadKeys| usage(format!("RECRAWL_ARCHIVE_KEYS: {error}")))?;
    let usual = SavePageNowSettings::new(user_agent);
    let base = process.save_page_now.unwrap_or_else(|| usual.base.clone());
    SavePageNow::new(SavePageNowSettings { base, keys, ..usual })
        .map_err(|error| usage(format!("RECRAWL_SAVE_PAGE_NOW: {error}")))
}
