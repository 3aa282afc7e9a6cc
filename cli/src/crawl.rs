//! `recrawl crawl`: crawls sites to the end, and says what changed.

mod dry_run;
mod list;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::model::site_state::SiteState;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_engine::{Ended, StopHandle};
use recrawl_notify::Target;
use recrawl_stores::{Access, EmbeddedStore, StoreAddress, open_file};
use recrawl_supervisor::archive::save_page_now;
use recrawl_supervisor::crawl::{
    Crawled, ListInput, RunOptions, check_host_resolves, open, open_list, run, run_list,
};
use recrawl_supervisor::notify::{Notifier, targets};

use self::list::GivenList;
use crate::archive::ArchiveRun;
use crate::exit::{ExitStatus, is_usage, usage};
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
    /// What to crawl: URLs, or names of sites in recrawl.toml [default: all sites of recrawl.toml]
    #[arg(value_name = "URL")]
    targets: Vec<String>,
    /// Crawl exactly the pages of this list, on any number of hosts: a file with an address a line, a CSV, a sitemap, a feed or
    /// OPML; - for standard input. Their links are not followed
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["targets", "due"])]
    url_list: Option<PathBuf>,
    /// The column of a CSV with the addresses, by its heading or number [default: url]
    #[arg(long, value_name = "NAME|N", requires = "url_list")]
    url_column: Option<String>,
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
        if let Some(path) = &self.url_list {
            let list = GivenList::read(path, self.url_column.as_deref(), &self.settings, &file)?;
            return self.crawl_list(&list, &targets(&file, None)?);
        }
        let mut sites = Vec::new();
        let all: Vec<String> = file.names().map(str::to_owned).collect();
        let named = if self.targets.is_empty() { &all } else { &self.targets };
        if named.is_empty() {
            return Err(usage("name what to crawl: a URL, or sites in recrawl.toml"));
        }
        for target in named {
            let settings = settings::resolve(target, self.settings.command_line(), &file)?.settings;
            // What is wrong shall be known before anything is written.
            settings::scope(&settings)?;
            sites.push((store_of(&settings)?, settings));
        }
        let targets = targets(&file, None)?;
        let archives = self.settings.archives_after_the_crawl();
        if archives && let Some((_, settings)) = sites.iter().find(|(_, settings)| settings.root.is_gemini())
        {
            output::note(&format!(
                "{}: the Wayback Machine keeps no capsules, so it is not asked",
                settings.root
            ))?;
        }
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

    fn crawl_list(&self, list: &GivenList, targets: &[Target]) -> anyhow::Result<ExitStatus> {
        let GivenList { settings, pages } = list;
        let path = store_of(settings)?;
        if self.dry_run {
            list.show(&path)?;
            return Ok(ExitStatus::Success);
        }
        let sites = [(path, settings.clone())];
        tokio::runtime::Runtime::new()?.block_on(async {
            let stop = stop_on_interrupt();
            let done = self.crawl_one(&sites, 0, targets, &stop, None, Some(pages.clone())).await?;
            if self.settings.archives_after_the_crawl() {
                return Ok(done.and(archive_all(&sites, &stop).await?));
            }
            Ok(done)
        })
    }

    async fn crawl_all(
        self,
        sites: Vec<(PathBuf, Settings)>,
        targets: &[Target],
    ) -> anyhow::Result<ExitStatus> {
        let stop = stop_on_interrupt();
        let mut done = ExitStatus::Success;
        let names = sites.iter().map(|(_, settings)| settings.site.as_str().len());
        let width = names.max().filter(|_| sites.len() > 1);
        let mut need_a_look = 0;
        for (number, (path, settings)) in sites.iter().enumerate() {
            if self.dry_run {
                dry_run::show(settings, path).await?;
                continue;
            }
            if is_stopping(&stop) {
                return Ok(ExitStatus::BrokenOff);
            }
            let status = match self.crawl_one(&sites, number, targets, &stop, width, None).await {
                // The other sites are crawled all the same.
                Err(error) if width.is_some() && !is_usage(&error) => {
                    let told = sanitize_for_terminal(&format!("{error:#}")).into_owned();
                    let mut out = output::styled();
                    writeln!(out, "{}", summary::line_of(&settings.site, &format!("failed, {told}"), width))?;
                    out.flush()?;
                    ExitStatus::BrokenOff
                }
                status => status?,
            };
            need_a_look += u64::from(status >= ExitStatus::Unusual);
            done = done.and(status);
        }
        if width.is_some() && !self.dry_run {
            let need = match need_a_look {
                0 => String::new(),
                1 => "1 site needs a look: recrawl sites. ".to_owned(),
                some => format!("{some} sites need a look: recrawl sites. "),
            };
            output::note(&format!("\n  {need}All changes: recrawl changes --since 7d"))?;
        }
        if self.settings.archives_after_the_crawl() && !self.dry_run {
            done = done.and(archive_all(&sites, &stop).await?);
        }
        Ok(done)
    }

    /// Crawls one of several sites, or a list of pages, and says how it went.
    async fn crawl_one(
        &self,
        sites: &[(PathBuf, Settings)],
        number: usize,
        targets: &[Target],
        stop: &StopHandle,
        width: Option<usize>,
        list: Option<Vec<PageUrl>>,
    ) -> anyhow::Result<ExitStatus> {
        let (path, settings) = &sites[number];
        if list.is_none() {
            check_host_resolves(settings).await?;
        }
        let store = open_file(path, Access::Crawl)?;
        let progress = Arc::new(Progress::new(self.quiet));
        if settings.lacks_contact() {
            progress
                .say("note: the site's owner cannot reach you; name a page or an address with --contact URL");
        }
        let notifier = Notifier { targets, store: &*store };
        if sites.iter().position(|(other, _)| other == path) == Some(number) {
            // What goes wrong is no reason not to crawl.
            match notifier.send_due().await {
                Ok(sent) => notify::print(&sent).map(drop)?,
                Err(error) => output::note(&format!("notify: what waits could not be sent: {error:#}"))?,
            }
        }
        let options = RunOptions { due: self.due, follows_another: number > 0, closes_silent: true };
        let opened = match list {
            Some(_) => open_list(settings, options, &*store).await?,
            None => open(settings, options, &*store).await?,
        };
        notifier.note(&opened.site.id, opened.crawl.id).await?;
        let (kept, stop) = (store.clone(), stop.clone());
        let crawled = match list {
            Some(pages) => {
                run_list(settings, opened, options, kept, stop, progress.clone(), ListInput::of(pages)).await
            }
            None => run(settings, opened, options, kept, stop, progress.clone()).await,
        };
        progress.finish();
        let crawled = crawled?;
        let status = report(settings, &crawled, &*store, width).await?;
        notifier.given_up().await?.iter().try_for_each(|line| output::note(line))?;
        if let (Ended::Closed(_), Crawled { site, crawl, .. }) = (&crawled.ended, &crawled) {
            // The crawl is saved and went well, whatever becomes of the notifications.
            notify::print(&notifier.send_after(&site.id, crawl.id).await?)?;
        }
        if forget_typing_error(&crawled, &*store).await? {
            output::note("No crawl was kept.")?;
        }
        Ok(status)
    }
}

/// Archives what waits of these sites: after all crawls, and without the right to crawl, so that it holds
/// nobody up.
async fn archive_all(sites: &[(PathBuf, Settings)], stop: &StopHandle) -> anyhow::Result<ExitStatus> {
    let mut done = ExitStatus::Success;
    for (path, settings) in sites
        .iter()
        .filter(|(_, settings)| settings.crawl.archive != ArchivePolicy::Never && !settings.root.is_gemini())
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

/// Forgets a site that was never read and whose address is likely to be wrong; tells whether it was one.
async fn forget_typing_error(crawled: &Crawled, store: &dyn EmbeddedStore) -> anyhow::Result<bool> {
    let Crawled { site, crawl, ended } = crawled;
    let Ended::Closed(closed) = ended else { return Ok(false) };
    let is_wrong = |state: &SiteState| state.is_unread() && state.obstacle.suggests_typing_error();
    if !closed.state.as_ref().is_some_and(is_wrong) || store.crawls(&site.id).await?.len() > 1 {
        return Ok(false);
    }
    while !store.delete_crawl(&site.id, crawl.id, u64::MAX).await?.finished {}
    store.forget_site(&site.id).await?;
    Ok(true)
}

fn store_of(settings: &Settings) -> anyhow::Result<PathBuf> {
    let address: StoreAddress =
        settings.crawl.store.parse().map_err(|error: String| usage(format!("store: {error}")))?;
    Ok(address.file_for_crawling(&settings.root)?.to_path_buf())
}

/// Says how it went: on one line, with the name so wide, where there are several sites.
async fn report(
    settings: &Settings,
    crawled: &Crawled,
    store: &dyn EmbeddedStore,
    width: Option<usize>,
) -> anyhow::Result<ExitStatus> {
    let Crawled { site, crawl, ended } = crawled;
    match ended {
        Ended::Closed(closed) => {
            let mut out = output::styled();
            if let Some(width) = width {
                summary::write_line(&mut out, site, crawl, closed, store, width).await?;
            } else {
                let look_in = Some(&*settings.crawl.store);
                summary::write(&mut out, site, crawl, closed, store, look_in).await?;
            }
            out.flush()?;
            Ok(match (&closed.state, &closed.suspicion) {
                (Some(state), _) if state.is_unread() => ExitStatus::BrokenOff,
                (_, Some(_)) => ExitStatus::Unusual,
                (Some(_), None) => ExitStatus::SomeFailed,
                (None, None) if closed.statistics.counts[Verdict::Failed] > 0 => ExitStatus::SomeFailed,
                (None, None) => ExitStatus::Success,
            })
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
