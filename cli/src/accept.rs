//! `recrawl accept`: accepts an unusual crawl.

use jiff::Timestamp;
use recrawl_core::changes::settle::SharingRules;
use recrawl_core::decide::{Acceptance, acceptance, newest_unusual};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::CrawlId;
use recrawl_engine::announce_once_accepted;
use recrawl_notify::{Target, TargetName};
use recrawl_stores::{Access, OpenStore, open};
use recrawl_supervisor::accept::accept;
use recrawl_supervisor::notify::{Notifier, targets};

use crate::exit::{ExitStatus, usage};
use crate::notify;
use crate::output::{self, counted, day_and_time};
use crate::read::source::SourceArguments;
use crate::read::wait_for;
use crate::settings;

/// Accept an unusual crawl: announce what it found, and compare later crawls with it
///
/// A crawl is unusual if much is gone, failed or has lost most of its text, or if most pages have other content. If the
/// site really changed that much, accept the crawl. Otherwise do nothing: the next whole crawl is told in any case.
#[derive(Debug, clap::Args)]
pub(crate) struct AcceptArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// The crawl, such as crawl-2026-11-16 [default: the latest that is unusual]
    #[arg(long, value_name = "CRAWL")]
    crawl: Option<CrawlId>,

    /// Accept it even if a later crawl saw the site otherwise
    #[arg(long)]
    force: bool,
}

impl AcceptArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let file = settings::read_file(None)?;
        let targets = targets(&file, None)?;
        wait_for(async {
            let source = self.source.open().await?;
            let site = source.site().await?;
            let crawls = source.history.crawls(&site.id).await?;
            let unusual = newest_unusual(&crawls).map(|crawl| crawl.id);
            let crawl = source.crawl(&site, self.crawl.or(unusual)).await?;
            match acceptance(&crawl, &crawls) {
                Acceptance::Refused(reason) => return Err(usage(reason)),
                Acceptance::Outdated(reason) if !self.force => {
                    return Err(usage(format!("{reason} (--force accepts it all the same)")));
                }
                Acceptance::Confirmed(by) => {
                    output::note(&format!(
                        "{by} found the same as {} and told it; nothing to do.",
                        crawl.id
                    ))?;
                }
                Acceptance::Already(at) => {
                    output::note(&format!(
                        "{} was accepted {} (UTC); nothing to do.",
                        crawl.id,
                        day_and_time(at)
                    ))?;
                }
                Acceptance::Due | Acceptance::Outdated(_) => {
                    drop(source);
                    let sharing = recrawl_supervisor::settings::of_site(&site, &file)?.crawl.sharing();
                    output::note(&self.accept(&site, &crawl, sharing, &targets).await?)?;
                }
            }
            Ok(ExitStatus::Success)
        })
    }

    async fn accept(
        &self,
        site: &Site,
        crawl: &Crawl,
        sharing: SharingRules,
        targets: &[Target],
    ) -> anyhow::Result<String> {
        let now = Timestamp::now();
        // A crawl that begins meanwhile would not know what to compare with.
        match open(self.source.address(), Access::Crawl).await? {
            OpenStore::Embedded(store) => {
                let names: Vec<TargetName> = targets.iter().map(|target| target.name().clone()).collect();
                let told = accept(&*store, (&site.id, crawl.id), self.force, sharing, &names, now).await?;
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
                announce_once_accepted(&*store, &site.id, crawl.id, now).await?;
                Ok(format!(
                    "{} is accepted: the next tick of the service announces its changes, and later crawls are compared \
                     with it.",
                    crawl.id
                ))
            }
        }
    }
}
