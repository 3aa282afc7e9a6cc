//! `recrawl accept`: accepts a suspect crawl.

use jiff::Timestamp;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::CrawlId;
use recrawl_notify::{Target, TargetName};
use recrawl_stores::{Access, OpenStore, open};
use recrawl_supervisor::accept::{Acceptance, accept, acceptance};
use recrawl_supervisor::notify::{Notifier, targets};

use crate::exit::{ExitStatus, usage};
use crate::notify;
use crate::output::{self, counted, day_and_time};
use crate::read::source::SourceArguments;
use crate::read::wait_for;
use crate::settings;

/// Accept a suspect crawl: announce what it found, and compare later crawls with it
///
/// A crawl is suspect if more pages are gone, failed or changed at once than a site usually changes. If the
/// site really changed that much, accept the crawl; otherwise crawl again, and the next clean crawl takes its
/// place.
#[derive(Debug, clap::Args)]
pub(crate) struct AcceptArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// The crawl, such as crawl-2026-11-16 [default: the latest]
    #[arg(long, value_name = "CRAWL")]
    crawl: Option<CrawlId>,
}

impl AcceptArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let targets = targets(&settings::read_file(None)?, None)?;
        wait_for(async {
            let source = self.source.open().await?;
            let site = source.site().await?;
            let crawl = source.crawl(&site, self.crawl).await?;
            match acceptance(&crawl, &source.history.crawls(&site.id).await?) {
                Acceptance::Refused(reason) => return Err(usage(reason)),
                Acceptance::Already(at) => {
                    output::note(&format!(
                        "{} was accepted {} (UTC); nothing to do.",
                        crawl.id,
                        day_and_time(at)
                    ))?;
                }
                Acceptance::Due => {
                    drop(source);
                    output::note(&self.accept(&site, &crawl, &targets).await?)?;
                }
            }
            Ok(ExitStatus::Success)
        })
    }

    async fn accept(&self, site: &Site, crawl: &Crawl, targets: &[Target]) -> anyhow::Result<String> {
        let now = Timestamp::now();
        // A crawl that begins meanwhile would not know what to compare with.
        match open(self.source.address(), Access::Crawl).await? {
            OpenStore::Embedded(store) => {
                let names: Vec<TargetName> = targets.iter().map(|target| target.name().clone()).collect();
                let told = accept(&*store, &site.id, crawl.id, &names, now).await?;
                notify::print(&Notifier { targets, store: &*store }.send_after(&site.id, crawl.id).await?)?;
                Ok(match told {
                    Some(told) => format!(
                        "{} is accepted: {} announced, and later crawls are compared with it.",
                        crawl.id,
                        counted(told, "change")
                    ),
                    None => format!("{} was accepted meanwhile; nothing to do.", crawl.id),
                })
            }
            OpenStore::Remote(store) => {
                store.accept_crawl(&site.id, crawl.id, now).await?;
                Ok(format!(
                    "{} is accepted: the next tick of the service announces its changes, and later crawls are compared \
                     with it.",
                    crawl.id
                ))
            }
        }
    }
}
