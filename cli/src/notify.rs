//! `recrawl notify`, and telling people after a crawl.

mod telling;

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_notify::{Delivery, Digest, Outcome, RetryLimits, Setup, Target, TargetName, deliver, targets};
use recrawl_stores::{Access, EmbeddedStore, open_file};
use url::Url;

pub(crate) use self::telling::Telling;
use crate::exit::{ExitStatus, usage};
use crate::output;
use crate::read::source::StoreArguments;
use crate::settings::{self, SettingsFile};

/// Tell the targets in recrawl.toml what the latest crawl found and what waits to be told, or that they can be reached
///
/// Every target is told once a crawl; `recrawl crawl` and `recrawl serve` do so by themselves when a crawl ends. What
/// could not be told waits in the store: they try again for a week, and this command at once.
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

    /// Settings file [default: recrawl.toml, if it is here]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Send every target a made-up digest that says that it is a test
    #[arg(long, conflicts_with_all = ["site", "crawl"])]
    test: bool,
}

impl NotifyArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let file = settings::read_file(self.config.as_deref())?;
        let targets = known(&file)?;
        if targets.is_empty() {
            return Err(usage("there is nobody to tell: recrawl.toml has no table [notify.NAME]"));
        }
        let runtime = tokio::runtime::Runtime::new()?;
        runtime.block_on(async {
            if self.test {
                let made_up = Digest::made_up(Timestamp::now());
                return report(&deliver(&targets, &made_up, &MemoryStore::default()).await);
            }
            let store = open_file(self.store.store.existing_file()?, Access::Write)?;
            let telling = Telling { targets: &targets, store: &*store };
            let meant = self.meant(&*store).await?;
            let meant = meant.as_ref().map(|(site, crawl)| (site, *crawl));
            if let Some((site, crawl)) = meant {
                telling.note(site, crawl).await?;
            }
            telling.tell_all(self.site.as_ref(), meant).await
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

/// Returns the targets of a settings file; what is wrong with any of them is an error of usage.
pub(crate) fn known(file: &SettingsFile) -> anyhow::Result<Vec<Target>> {
    known_with(file, None)
}

/// Returns the targets as [`known`] does, to be told with links to the web page at `web`.
pub(crate) fn known_with(file: &SettingsFile, web: Option<Url>) -> anyhow::Result<Vec<Target>> {
    let setup = Setup {
        environment: &|name| std::env::var(name).ok(),
        web,
        user_agent: concat!("recrawl/", env!("CARGO_PKG_VERSION")),
        patience: RetryLimits::default(),
    };
    targets(settings::notify(file)?, &setup).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        usage(errors.join("\n"))
    })
}

/// Returns the names of the targets of a settings file, whether or not they can be told now.
pub(crate) fn names(file: &SettingsFile) -> anyhow::Result<Vec<TargetName>> {
    Ok(settings::notify(file)?.keys().filter_map(|name| name.parse().ok()).collect())
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
