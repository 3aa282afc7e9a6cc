//! `recrawl crawl`: crawls sites to the end, and says what changed.

mod dry_run;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::ports::Store;
use recrawl_engine::{Ended, StopHandle};
use recrawl_notify::Target;
use recrawl_stores::{Access, StoreAddress, open_file};
use recrawl_supervisor::archive::save_page_now;
use recrawl_supervisor::crawl::{Crawled, RunOptions, check_host_resolves, open, run};
use recrawl_supervisor::notify::{Notifier, targets};

use crate::archive::ArchiveRun;
use crate::exit::{ExitStatus, usage};
use crate::interrupt::{is_stopping, stop_on_interrupt};
use crate::output::{self, sanitize_for_terminal};
use crate::progress::Progress;
use crate::settings::{self, Settings, SettingsArguments};
use crate::{notify, summary};

/// Crawl sites to the end, and say what changed
///
/// An unfinished crawl is resumed; otherwise this opens the next one. Ctrl-C finishes the request in flight
/// and saves; a second Ctrl-C exits at once. Run the same command to go on.
#[derive(Debug, Args)]
pub(crate) struct CrawlArguments {
    /// What to crawl: URLs, or names of sites in recrawl.toml
    #[arg(value_name = "URL", required = true)]
    targets: Vec<String>,
    /// Settings file [default: recrawl.toml, if it exists]
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
            let settings = settings::resolve(target, self.settings.command_line(), &file)?.settings;
            // What is wrong shall be known before anything is written.
            settings::scope(&settings)?;
            sites.push((store_of(&settings)?, settings));
        }
        let targets = targets(&file, None)?;
        let archives = self.settings.archives_after_the_crawl();
        if let Some((_, settings)) = sites.first().filter(|_| archives) {
            save_page_now(settings.crawl.user_agent())?;
        }
        if sites.iter().any(|(path, _)| !path.exists()) {
            // Many pages are going to be read. While the store is made; nobody waits for its end.
            std::thread::spawn(recrawl_extract::noise::warm_up);
        }
        let runtime = tokio::runtime::Runtime::new()?;
        runtime.block_on(self.crawl_all(sites, &targets))
    }

    async fn crawl_all(
        self,
        sites: Vec<(PathBuf, Settings)>,
        targets: &[Target],
    ) -> anyhow::Result<ExitStatus> {
        let stop = stop_on_interrupt();
        let mut done = ExitStatus::Success;
        for (number, (path, settings)) in sites.iter().enumerate() {
            if self.dry_run {
                dry_run::show(settings, path).await?;
                continue;
            }
            if is_stopping(&stop) {
                return Ok(ExitStatus::BrokenOff);
            }
            check_host_resolves(settings).await?;
            let store = open_file(path, Access::Crawl)?;
            let progress = Arc::new(Progress::new(self.quiet));
            if settings.lacks_contact() {
                progress.say(
                    "note: the site's owner cannot reach you; name a page or an address with --contact URL",
                );
            }
            let notifier = Notifier { targets, store: &*store };
            if sites.iter().position(|(other, _)| other == path) == Some(number) {
                // What goes wrong is no reason not to crawl.
                match notifier.send_due().await {
                    Ok(sent) => notify::print(&sent).map(drop)?,
                    Err(error) => output::note(&format!("notify: what waits could not be sent: {error:#}"))?,
                }
            }
            let options = RunOptions { due: self.due, follows_another: number > 0 };
            let opened = open(settings, options, &*store).await?;
            notifier.note(&opened.site.id, opened.crawl.id).await?;
            let crawled = run(settings, opened, options, store.clone(), stop.clone(), progress.clone()).await;
            progress.finish();
            let crawled = crawled?;
            match report(settings, &crawled, &*store).await? {
                ExitStatus::Success => {}
                worse => done = worse,
            }
            notifier.given_up().await?.iter().try_for_each(|line| output::note(line))?;
            if let (Ended::Closed(_), Crawled { site, crawl, .. }) = (&crawled.ended, &crawled) {
                // The crawl is saved and went well, whatever becomes of the notifications.
                notify::print(&notifier.send_after(&site.id, crawl.id).await?)?;
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
async fn archive_all(sites: &[(PathBuf, Settings)], stop: &StopHandle) -> anyhow::Result<ExitStatus> {
    let mut done = ExitStatus::Success;
    for (path, settings) in
        sites.iter().filter(|(_, settings)| settings.crawl.archive != ArchivePolicy::Never)
    {
        if is_stopping(stop) {
            return Ok(ExitStatus::BrokenOff);
        }
        let service = save_page_now(settings.crawl.user_agent())?;
        let archive_run = ArchiveRun { path: path.clone(), limit: usize::MAX, stop: stop.clone() };
        done = done.and(archive_run.carry_out(Some(&settings.site), service).await?);
    }
    Ok(done)
}

fn store_of(settings: &Settings) -> anyhow::Result<PathBuf> {
    let address: StoreAddress =
        settings.crawl.store.parse().map_err(|error: String| usage(format!("store: {error}")))?;
    Ok(address.file_for_crawling(&settings.root)?.to_path_buf())
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
