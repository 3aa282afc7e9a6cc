//! `recrawl prune`: forgets what nobody wants to keep, and gives the space back.

use jiff::Timestamp;
use recrawl_core::decide::Keep;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::SiteId;
use recrawl_stores::prune::Plan;
use recrawl_stores::{Access, AnyStore, open};

use crate::exit::{ExitStatus, usage};
use crate::output::{self, bytes, counted};
use crate::read::source::StoreArguments;
use crate::read::wait_for;

/// Delete old crawls and versions, and free the space
///
/// Each --keep option says what to keep. This deletes what none of them keeps: visits, and contents that no
/// remaining visit needs. It always keeps the newest complete crawl and all after it, because the next one is
/// compared with them.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("keep").required(true).multiple(true).args(["keep_crawls", "keep_days", "keep_versions"]))]
pub(crate) struct PruneArguments {
    #[command(flatten)]
    store: StoreArguments,

    /// The site [default: all]
    #[arg(long, value_name = "NAME")]
    site: Option<SiteId>,

    /// Keep the newest N crawls
    #[arg(long, value_name = "N")]
    keep_crawls: Option<usize>,

    /// Keep crawls of the last D days
    #[arg(long, value_name = "D")]
    keep_days: Option<u32>,

    /// Keep the newest V versions of every page: the visits that began and ended each
    #[arg(long, value_name = "V")]
    keep_versions: Option<usize>,

    /// Say what would be deleted, and change nothing
    #[arg(long)]
    dry_run: bool,
}

impl PruneArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        wait_for(async {
            self.store.store.expect_existing()?;
            // A crawl that goes on meanwhile is compared with what would be forgotten.
            let store = open(&self.store.store, Access::Crawl).await?.ports();
            let keep = Keep { crawls: self.keep_crawls, days: self.keep_days, versions: self.keep_versions };
            let before = store.size().await?;
            let mut total = Forgotten::default();
            for site in self.sites(&*store).await? {
                let plan = Plan::make(&*store, &site.id, &keep, Timestamp::now()).await?;
                total.add(&plan);
                if !self.dry_run {
                    plan.carry_out(&*store, &site.id).await?;
                }
            }
            if self.dry_run {
                output::note(&format!("would forget {}; nothing was changed", total.in_words()))?;
                return Ok(ExitStatus::Success);
            }
            if total.visits > 0 {
                store.reclaim().await?;
            }
            let freed = before.zip(store.size().await?).map(|(before, after)| before.saturating_sub(after));
            let space = freed.map_or_else(String::new, |freed| format!("; {} freed", bytes(freed)));
            output::note(&format!("forgot {}{space}", total.in_words()))?;
            Ok(ExitStatus::Success)
        })
    }

    async fn sites(&self, store: &dyn AnyStore) -> anyhow::Result<Vec<Site>> {
        let mut sites = store.sites().await?;
        if let Some(wanted) = &self.site {
            sites.retain(|site| site.id == *wanted);
            if sites.is_empty() {
                return Err(usage(format!("the store has no site {wanted}")));
            }
        }
        Ok(sites)
    }
}

/// How much is forgotten.
#[derive(Debug, Default)]
struct Forgotten {
    crawls: u64,
    visits: u64,
}

impl Forgotten {
    fn add(&mut self, plan: &Plan) {
        self.crawls += plan.crawls();
        self.visits += plan.visits();
    }

    fn in_words(&self) -> String {
        if self.visits == 0 && self.crawls == 0 {
            return "nothing".to_owned();
        }
        format!("{} of {}", counted(self.visits, "visit"), counted(self.crawls, "crawl"))
    }
}
