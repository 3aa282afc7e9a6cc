//! `recrawl accept`: believes a suspect crawl.

use jiff::Timestamp;
use recrawl_core::lifecycle;
use recrawl_core::model::crawl::{Crawl, Site, Suspicion};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_notify::{Occasion, Target, TargetName};
use recrawl_stores::{Access, EmbeddedStore, OpenStore, open};

use crate::exit::{ExitStatus, usage};
use crate::notify::{self, Telling};
use crate::output::{self, counted, day_and_time};
use crate::read::source::SourceArguments;
use crate::read::wait_for;
use crate::settings;

/// Accept a suspect crawl: announce what it found, and compare later crawls with it
///
/// A crawl is suspect where more pages are gone, failed or changed at once than a site usually changes. If the site is
/// right and not in trouble, accept it; otherwise crawl again, and the next clean crawl takes its place.
#[derive(Debug, clap::Args)]
pub(crate) struct AcceptArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// The crawl, such as crawl-2026-11-16 [default: the latest]
    #[arg(long, value_name = "CRAWL")]
    crawl: Option<CrawlId>,
}

/// What accepting a crawl comes to.
#[derive(Debug, PartialEq, Eq)]
enum Acceptance {
    /// It is to be accepted, for all its suspicion.
    Due,
    /// Somebody accepted it before.
    Already(Timestamp),
    /// It cannot be accepted, for this reason.
    Refused(String),
}

impl AcceptArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let targets = notify::known(&settings::read_file(None)?)?;
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
                Telling { targets, store: &*store }.tell(&site.id, crawl.id).await?;
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

/// Accepts a crawl of an embedded store, which is open for crawling, and returns how many changes were announced; nothing
/// where somebody accepted it before. That `targets` are to be told is noted; the caller tells them.
pub(crate) async fn accept(
    store: &dyn EmbeddedStore,
    site: &SiteId,
    crawl: CrawlId,
    targets: &[TargetName],
    now: Timestamp,
) -> anyhow::Result<Option<u64>> {
    let crawls = store.crawls(site).await?;
    let meant = crawls.iter().find(|stored| stored.id == crawl);
    let meant = meant.ok_or_else(|| usage(format!("site {site} has no {crawl}")))?;
    match acceptance(meant, &crawls) {
        Acceptance::Refused(reason) => Err(usage(reason)),
        Acceptance::Already(_) => Ok(None),
        Acceptance::Due => {
            let told = lifecycle::announce(store, store, site, crawl, false).await?;
            // Before it is accepted: a process that dies in between leaves word.
            recrawl_notify::note(store, targets, (site, crawl), Occasion::Accepted, now).await?;
            store.accept_crawl(site, crawl, now).await?;
            Ok(Some(told))
        }
    }
}

/// Decides what accepting `crawl` comes to, given all crawls of its site.
fn acceptance(crawl: &Crawl, crawls: &[Crawl]) -> Acceptance {
    let id = crawl.id;
    let Some(closed) = &crawl.closed else {
        return Acceptance::Refused(format!(
            "{id} is still open: whether it is suspect is known when it ends"
        ));
    };
    match &closed.suspicion {
        None => Acceptance::Refused(format!("{id} is not suspect: there is nothing to accept")),
        Some(Suspicion { accepted_at: Some(at), .. }) => Acceptance::Already(*at),
        Some(Suspicion { accepted_at: None, .. }) => match lifecycle::opened_after(crawls, id).last() {
            Some(later) => Acceptance::Refused(format!(
                "{id} is superseded by {}, which compared with the crawls before it: accepting it now would be \
                     telling the past twice",
                later.id
            )),
            None => Acceptance::Due,
        },
    }
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::crawl::{Closed, Ending, Mode};
    use recrawl_core::model::statistics::Statistics;

    use super::*;

    fn crawl(id: &str, suspicion: Option<Suspicion>) -> Crawl {
        let at = Timestamp::UNIX_EPOCH;
        Crawl {
            site: "example".parse().unwrap(),
            id: id.parse().unwrap(),
            opened_at: at,
            mode: Mode::Incremental,
            opened_by: None,
            closed: Some(Closed {
                at,
                ending: Ending::Complete,
                suspicion,
                statistics: Statistics::default(),
            }),
        }
    }

    #[test]
    fn only_the_latest_crawl_can_be_accepted_and_only_if_it_is_suspect() {
        let doubt = |accepted_at| Some(Suspicion { reason: "much is gone".to_owned(), accepted_at });
        let doubted = crawl("crawl-2026-11-09", doubt(None));
        let accepted = crawl("crawl-2026-11-09", doubt(Some(Timestamp::UNIX_EPOCH)));
        let clean = crawl("crawl-2026-11-09", None);
        let open = Crawl { closed: None, ..clean.clone() };
        let earlier = crawl("crawl-2026-11-02", None);
        let later = Crawl { closed: None, ..crawl("crawl-2026-11-16", None) };
        for (crawl, all, expected) in [
            (&doubted, vec![&earlier, &doubted], "due"),
            (&doubted, vec![&earlier, &doubted, &later], "superseded by crawl-2026-11-16"),
            (&accepted, vec![&accepted, &later], "already"),
            (&clean, vec![&clean], "not suspect"),
            (&open, vec![&open], "still open"),
        ] {
            let crawls: Vec<Crawl> = all.into_iter().cloned().collect();
            let found = match acceptance(crawl, &crawls) {
                Acceptance::Due => "due".to_owned(),
                Acceptance::Already(_) => "already".to_owned(),
                Acceptance::Refused(reason) => reason,
            };
            assert!(found.contains(expected), "{found}: {expected}");
        }
    }
}
