//! `recrawl crawl`: crawls sites to the end, and says what changed.

mod assembly;
mod dry_run;
mod interrupt;
#[cfg(debug_assertions)]
mod on_purpose;
mod one_site;
mod preview;
mod selection;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::ports::Store;
use recrawl_crawler::Ended;
use recrawl_fetch::GuardError;
use recrawl_notify::Target;
use recrawl_store_sqlite::{Options, SqliteStore};

pub(crate) use self::assembly::Assembly;
pub(crate) use self::interrupt::Stop;
pub(crate) use self::one_site::{Crawled, RunOptions, crawl, open, run};
pub(crate) use self::preview::{PreviewedSite, Previewer};
use crate::archive::{self, ArchiveRun};
use crate::exit::{ExitStatus, usage};
use crate::notify::{self, Telling};
use crate::output::{self, sanitize_for_terminal};
use crate::progress::Progress;
use crate::read::source::{StoreAddress, not_opened};
use crate::settings::{self, Settings, SettingsArguments};
use crate::summary;

/// Crawl sites to the end, and say what changed
///
/// An unfinished crawl is taken up where it was left; otherwise the next one is opened. Ctrl-C finishes
/// the request in flight and saves; a second one leaves at once. The same command goes on later.
#[derive(Debug, Args)]
pub(crate) struct CrawlArguments {
    /// What to crawl: URLs, or names of sites in recrawl.toml
    #[arg(value_name = "URL", required = true)]
    targets: Vec<String>,
    /// Settings file [default: recrawl.toml, if it is here]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Say what would be crawled, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Visit only the root, pages that are due by how often they change, and new ones; with --budget the best of
    /// them. The crawl is partial: it makes no page gone
    #[arg(long)]
    due: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    settings: SettingsArguments,
}

impl CrawlArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let file = settings::read_file(self.config.as_deref())?;
        let mut sites = Vec::new();
        for target in &self.targets {
            let settings = settings::resolve(target, &self.settings, &file)?.settings;
            // What is wrong shall be known before anything is written.
            settings::scope(&settings)?;
            sites.push((store_of(&settings)?, settings));
        }
        let told = notify::known(&file)?;
        let archives = self.settings.archives_after_the_crawl();
        if let Some((_, settings)) = sites.first().filter(|_| archives) {
            archive::service(settings.crawl.user_agent())?;
        }
        if sites.iter().any(|(path, _)| !path.exists()) {
            // Many pages are going to be read. While the store is made; nobody waits for its end.
            std::thread::spawn(recrawl_extract::noise::warm_up);
        }
        let runtime = tokio::runtime::Runtime::new()?;
        runtime.block_on(self.crawl_all(sites, &told))
    }

    async fn crawl_all(self, sites: Vec<(PathBuf, Settings)>, told: &[Target]) -> anyhow::Result<ExitStatus> {
        let stop = Stop::on_interrupt();
        let mut done = ExitStatus::Success;
        for (number, (path, settings)) in sites.iter().enumerate() {
            if self.dry_run {
                dry_run::show(settings, path).await?;
                continue;
            }
            if stop.is_set() {
                return Ok(ExitStatus::BrokenOff);
            }
            check_host_resolves(settings).await?;
            let store = Arc::new(SqliteStore::open(path, &Options::default()).map_err(not_opened)?);
            store.lock_for_crawling().map_err(not_opened)?;
            let progress = Arc::new(Progress::new(self.quiet));
            if settings.lacks_contact() {
                progress.say(
                    "note: the site's owner cannot reach you; name a page or an address with --contact URL",
                );
            }
            let telling = Telling { targets: told, store: &store, path };
            if sites.iter().position(|(other, _)| other == path) == Some(number) {
                telling.take_up_or_say().await?;
            }
            let options = RunOptions { due: self.due, follows_another: number > 0 };
            let opened = open(settings, &*store).await?;
            telling.note(&opened.site.id, opened.crawl.id).await?;
            let crawled =
                run(settings, opened, options, store.clone(), stop.stop_handle(), progress.clone()).await;
            progress.finish();
            let crawled = crawled?;
            match report(settings, &crawled, &*store).await? {
                ExitStatus::Success => {}
                worse => done = worse,
            }
            telling.warn().await?;
            if let (Ended::Closed(_), Crawled { site, crawl, .. }) = (&crawled.ended, &crawled) {
                // The crawl is saved and said to be well, whatever becomes of telling others.
                telling.tell(&site.id, crawl.id).await?;
            }
        }
        if self.settings.archives_after_the_crawl() && !self.dry_run {
            done = done.and(archive_all(&sites, &stop).await?);
        }
        Ok(done)
    }
}

/// Archives what waits of these sites: after all crawls, and without the right to crawl, so that it holds
/// nobody up.
async fn archive_all(sites: &[(PathBuf, Settings)], stop: &Stop) -> anyhow::Result<ExitStatus> {
    let mut done = ExitStatus::Success;
    for (path, settings) in
        sites.iter().filter(|(_, settings)| settings.crawl.archive != ArchivePolicy::Never)
    {
        if stop.is_set() {
            return Ok(ExitStatus::BrokenOff);
        }
        let service = archive::service(settings.crawl.user_agent())?;
        let archive_run = ArchiveRun { path: path.clone(), limit: usize::MAX, stop: stop.clone() };
        done = done.and(archive_run.carry_out(Some(&settings.site), service).await?);
    }
    Ok(done)
}

fn store_of(settings: &Settings) -> anyhow::Result<PathBuf> {
    let address: StoreAddress =
        settings.crawl.store.parse().map_err(|error: String| usage(format!("store: {error}")))?;
    match address {
        StoreAddress::Sqlite(path) => Ok(path),
        // The pace of a host is kept by one process, and there that is the service.
        StoreAddress::Firestore(project) => Err(usage(format!(
            "a crawl into firestore:{project} is run by crawl-fn: start one with `gcloud pubsub topics publish crawl \
             --message={} --project={project}`",
            settings.root
        ))),
    }
}

/// Finds a misspelt host, or one that leads to a place that nobody meant, before anything is written, and without the
/// patience that a known site deserves.
pub(crate) async fn check_host_resolves(settings: &Settings) -> anyhow::Result<()> {
    match assembly::guard(settings).check(&settings.root).await {
        Ok(()) => Ok(()),
        Err(GuardError::Forbidden(forbidden)) => Err(forbidden.into()),
        Err(GuardError::Lookup(error)) => Err(error).with_context(|| {
            let host = settings.root.host();
            format!("the host {host} cannot be found: a typing error, or no network")
        }),
    }
}

/// Says how it went.
async fn report(settings: &Settings, crawled: &Crawled, store: &dyn Store) -> anyhow::Result<ExitStatus> {
    let Crawled { site, crawl, ended } = crawled;
    match ended {
        Ended::Closed(closed) => {
            let mut out = output::styled();
            summary::write(&mut out, site, crawl, closed, store, Some(&settings.crawl.store)).await?;
            out.flush()?;
            let is_well = closed.statistics.failed == 0 && closed.is_trusted();
            Ok(if is_well { ExitStatus::Success } else { ExitStatus::SomeFailed })
        }
        Ended::Stopped => {
            output::note(&format!("{} was stopped and saved; the same command goes on with it", crawl.id))?;
            Ok(ExitStatus::BrokenOff)
        }
        Ended::Waiting(waiting) => {
            let reasons: Vec<_> =
                waiting.reasons.iter().map(|reason| sanitize_for_terminal(reason)).collect();
            let then = match waiting.until {
                Some(_) => "The crawl stays open; run the same command after that",
                None => "What was found is saved; the same command goes on with it",
            };
            output::note(&format!("{} is not finished: {}. {then}", crawl.id, reasons.join("; ")))?;
            Ok(ExitStatus::BrokenOff)
        }
    }
}
