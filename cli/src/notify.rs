//! `recrawl notify`: sends the notifications that wait, or a test.

use std::io;
use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_notify::{Delivery, Digest, Outcome, deliver};
use recrawl_stores::{Access, EmbeddedStore, open_file};
use recrawl_supervisor::notify::{Notified, Notifier, targets};

use crate::exit::{ExitStatus, usage};
use crate::output;
use crate::read::source::StoreArguments;
use crate::settings;

/// Send pending notifications, and those of the latest crawl, to the targets in recrawl.toml
///
/// Each target gets one notification a crawl; `recrawl crawl` and `recrawl serve` send them when a crawl
/// ends. A target with a schedule gets everything as one digest at its time; this command sends it at once. What could not be sent waits in the store: they try again for a week, and this command at once.
#[derive(Debug, Args)]
pub(crate) struct NotifyArguments {
    #[command(flatten)]
    store: StoreArguments,

    /// The site, where the store holds several
    #[arg(long, value_name = "NAME")]
    site: Option<SiteId>,

    /// The crawl [default: the latest that has ended]
    #[arg(long, value_name = "ID")]
    crawl: Option<CrawlId>,

    /// Settings file [default: recrawl.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Send every target a made-up digest that says it is a test
    #[arg(long, conflicts_with_all = ["site", "crawl"])]
    test: bool,

    /// Show what each target would be told, and send nothing
    #[arg(long, conflicts_with = "test")]
    dry_run: bool,
}

impl NotifyArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let file = settings::read_file(self.config.as_deref())?;
        let targets = targets(&file, None)?;
        if targets.is_empty() {
            return Err(usage("there is nobody to tell: recrawl.toml has no table [notify.NAME]"));
        }
        let runtime = tokio::runtime::Runtime::new()?;
        runtime.block_on(async {
            if self.test {
                let made_up = Digest::made_up(Timestamp::now());
                return report(&deliver(&targets, &made_up, &MemoryStore::default()).await);
            }
            let access = if self.dry_run { Access::Read } else { Access::Write };
            let store = open_file(self.store.store.existing_file()?, access)?;
            let notifier = Notifier { targets: &targets, store: &*store };
            let meant = self.meant(&*store).await?;
            let meant = meant.as_ref().map(|(site, crawl)| (site, *crawl));
            if self.dry_run {
                for preview in notifier.preview(self.site.as_ref(), meant).await? {
                    output::print_text(format!("{preview}\n").as_bytes())?;
                }
                return Ok(ExitStatus::Success);
            }
            if let Some((site, crawl)) = meant {
                notifier.note(site, crawl).await?;
            }
            Ok(print(&notifier.send_all(self.site.as_ref(), meant).await?)?)
        })
    }

    /// Returns the crawl that is meant; nothing where none was named, the store holds several sites, and something waits.
    async fn meant(&self, store: &dyn EmbeddedStore) -> anyhow::Result<Option<(SiteId, CrawlId)>> {
        let sites = store.sites().await?;
        let names = || sites.iter().map(|site| site.id.as_str()).collect::<Vec<_>>().join(", ");
        let site = match &self.site {
            Some(name) => sites.iter().find(|site| site.id == *name),
            None if sites.len() > 1 => {
                if self.crawl.is_none() && !recrawl_notify::pending(store).await?.is_empty() {
                    return Ok(None);
                }
                return Err(usage(format!(
                    "nothing waits to be told, and several sites are possible, name one with --site: {}",
                    names()
                )));
            }
            None => sites.first(),
        };
        let site = site.ok_or_else(|| usage(format!("the store has no such site: it holds {}", names())))?;
        let crawls = store.crawls(&site.id).await?;
        let is_meant = |id: CrawlId| self.crawl.is_none_or(|wanted| wanted == id);
        let crawl = crawls.iter().rev().find(|crawl| !crawl.is_open() && is_meant(crawl.id));
        let crawl =
            crawl.ok_or_else(|| usage(format!("site {} has no such crawl that has ended", site.id)))?;
        Ok(Some((site.id.clone(), crawl.id)))
    }
}

/// Prints what became of notifications.
pub(crate) fn print(notified: &Notified) -> io::Result<ExitStatus> {
    notified.lines.iter().try_for_each(|line| output::note(line))?;
    Ok(if notified.has_failed { ExitStatus::SomeFailed } else { ExitStatus::Success })
}

fn report(deliveries: &[Delivery]) -> anyhow::Result<ExitStatus> {
    let mut done = ExitStatus::Success;
    for delivery in deliveries {
        output::note(&format!("notify {delivery}"))?;
        if matches!(delivery.outcome, Outcome::Failed(_)) {
            done = ExitStatus::SomeFailed;
        }
    }
    Ok(done)
}
