//! `recrawl archive`: asks the Wayback Machine for what waits to be archived.

mod report;
mod waiting;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use jiff::Timestamp;
use recrawl_archive::{ArchiveWorker, DrainOptions, SavePageNow};
use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::History;
use recrawl_engine::{StopHandle, StopMode};
use recrawl_stores::file::ArchiveLock;
use recrawl_stores::{Access, open_file};
use recrawl_supervisor::archive::save_page_now;

use self::report::Report;
use self::waiting::Waiting;
use crate::exit::{ExitStatus, usage};
use crate::interrupt::{is_stopping, stop_on_interrupt};
use crate::output;
use crate::read::source::StoreArguments;
use crate::settings;

/// Ask the Wayback Machine to archive the pending changes
///
/// `recrawl crawl` notes changes (setting `archive`). This keeps to the pace of Save Page Now: 12 pages a
/// minute with the keys of an account in `RECRAWL_ARCHIVE_KEYS`, 4 without. It captures each change once,
/// however often you run or interrupt it. You can crawl at the same time.
#[derive(Debug, Args)]
pub(crate) struct ArchiveArguments {
    #[command(flatten)]
    store: StoreArguments,
    /// Only the changes of this site
    #[arg(long, value_name = "NAME")]
    site: Option<SiteId>,
    /// Ask for at most this many pages
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// List what is pending, and ask for nothing
    #[arg(long)]
    dry_run: bool,
    /// Where you can be reached; part of the user agent
    #[arg(long, value_name = "URL", env = "RECRAWL_CONTACT")]
    contact: Option<String>,
}

impl ArchiveArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let path = self.store.store.existing_file()?.to_path_buf();
        let runtime = tokio::runtime::Runtime::new()?;
        if self.dry_run {
            let store = open_file(&path, Access::Read)?;
            return runtime.block_on(async {
                let sites = sites(&*store, self.site.as_ref()).await?;
                Waiting::read(&*store, &sites, Timestamp::now()).await?.show()
            });
        }
        let service = save_page_now(settings::user_agent(self.contact.as_deref())?)?;
        runtime.block_on(async {
            let archive_run =
                ArchiveRun { path, limit: self.limit.unwrap_or(usize::MAX), stop: stop_on_interrupt() };
            archive_run.carry_out(self.site.as_ref(), service).await
        })
    }
}

/// What waits in one store, and how much of it is to be done.
pub(crate) struct ArchiveRun {
    pub(crate) path: PathBuf,
    pub(crate) limit: usize,
    pub(crate) stop: StopHandle,
}

impl ArchiveRun {
    /// Archives what waits, of one site or of all, and says what came of it.
    pub(crate) async fn carry_out(
        &self,
        site: Option<&SiteId>,
        service: SavePageNow,
    ) -> anyhow::Result<ExitStatus> {
        // Not the right to crawl: archiving takes hours, and keeps nobody from crawling.
        let _lock = ArchiveLock::take(&self.path)?;
        let store = open_file(&self.path, Access::Write)?;
        let sites = sites(&*store, site).await?;
        let archive_worker = Arc::new(ArchiveWorker::new(store.clone(), service).remember_in(store.clone()));
        let (stopping, asked) = (archive_worker.clone(), self.stop.clone());
        let watch = tokio::spawn(async move {
            asked.wait_for(StopMode::Pause).await;
            stopping.stop();
        });
        let report = Report::new(archive_worker.clone());
        let mut waiting = Vec::new();
        for site in &sites {
            let crawls = store.crawls(site).await?.into_iter().filter(Crawl::is_settled);
            waiting.push((site.clone(), crawls.map(|crawl| crawl.id).collect()));
        }
        let work = DrainOptions { sites: waiting, limit: self.limit, deadline: None };
        let drained = archive_worker
            .drain(&work, Timestamp::now, &|request, outcome| report.line(request, outcome))
            .await;
        let total = drained.context("archiving was broken off")?;
        watch.abort();
        report.end(&total, &Waiting::read(&*store, &sites, Timestamp::now()).await?)?;
        if let Some(trouble) = &total.trouble {
            output::note(&format!("{trouble}. What waits stays queued; the same command goes on with it"))?;
            return Ok(ExitStatus::BrokenOff);
        }
        if is_stopping(&self.stop) {
            output::note("archiving was stopped; the same command goes on with it")?;
            return Ok(ExitStatus::BrokenOff);
        }
        Ok(if total.failed > 0 { ExitStatus::SomeFailed } else { ExitStatus::Success })
    }
}

async fn sites(store: &dyn History, wanted: Option<&SiteId>) -> anyhow::Result<Vec<SiteId>> {
    let sites: Vec<SiteId> = store.sites().await?.into_iter().map(|site| site.id).collect();
    match wanted {
        None => Ok(sites),
        Some(wanted) if sites.contains(wanted) => Ok(vec![wanted.clone()]),
        Some(wanted) => Err(usage(format!("the store has no site {wanted} (see `recrawl crawls`)"))),
    }
}
