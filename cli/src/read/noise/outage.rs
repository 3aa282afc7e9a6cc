//! `recrawl noise --stand-in`: a line stands in for the content of pages, and an unusual crawl that waits is judged again.

use jiff::Timestamp;
use recrawl_core::decide::{Acceptance, acceptance, newest_unusual};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::ports::Store;
use recrawl_engine::{announce_once_accepted, judge_again, save_stand_in};
use recrawl_notify::TargetName;
use recrawl_stores::{Access, OpenStore, StoreAddress, open};
use recrawl_supervisor::accept::{Outage, outage};
use recrawl_supervisor::notify::{Notifier, targets};

use crate::output::{self, counted};
use crate::{notify, settings};

/// Remembers the line, and says what became of the crawl.
pub(super) async fn tell(
    address: &StoreAddress,
    site: &Site,
    line: &str,
    now: Timestamp,
) -> anyhow::Result<()> {
    let file = settings::read_file(None)?;
    let sharing = recrawl_supervisor::settings::of_site(site, &file)?.crawl.sharing();
    let targets = targets(&file, None)?;
    // A crawl that ends meanwhile would write what it learnt over what was said.
    let outage = match open(address, Access::Crawl).await? {
        OpenStore::Embedded(store) => {
            save_stand_in(&*store, &site.id, line, now).await?;
            let mut told = None;
            if let Some(crawl) = waiting(&*store, site).await? {
                let names: Vec<TargetName> = targets.iter().map(|target| target.name().clone()).collect();
                let outage = outage(&*store, (&site.id, crawl.id), line, sharing, &names, now).await?;
                let notifier = Notifier { targets: &targets, store: &*store };
                notify::print(&notifier.send_after(&site.id, crawl.id).await?)?;
                told = Some((crawl.id, outage));
            }
            told
        }
        OpenStore::Remote(store) => {
            let noise = save_stand_in(&*store, &site.id, line, now).await?;
            let mut told = None;
            if let Some(crawl) = waiting(&*store, site).await? {
                let judged = judge_again(&*store, &*store, sharing, &crawl, &noise.in_force()).await?;
                let outcome = if let Some(doubt) = judged.doubt {
                    Err(doubt)
                } else {
                    // The next tick of the service tells them.
                    store.accept_crawl(&site.id, crawl.id, now).await?;
                    announce_once_accepted(&*store, &site.id, crawl.id, now).await?;
                    let crawls = store.crawls(&site.id).await?;
                    let again = crawls.iter().find(|again| again.id == crawl.id);
                    let closed = again.and_then(|again| again.closed.as_ref());
                    Ok(closed.map_or(0, |closed| closed.statistics.changes()))
                };
                told = Some((crawl.id, Outage { pages: judged.pages, told: outcome }));
            }
            told
        }
    };
    output::note(&format!("Pages that lost their content and show {line:?} count as failed from now on."))?;
    match outage {
        None => Ok(()),
        Some((crawl, Outage { pages, told: Ok(told) })) => output::note(&format!(
            "{} of {crawl} count as unchanged. The rest of it is believed: {} told.",
            counted(pages, "page"),
            counted(told, "change")
        )),
        Some((crawl, Outage { pages, told: Err(doubt) })) => output::note(&format!(
            "{} of {crawl} count as unchanged. It is still unusual: {doubt}. Nothing was sent yet.",
            counted(pages, "page")
        )),
    }?;
    Ok(())
}

/// Returns the unusual crawl of a site that waits for somebody to decide.
async fn waiting<S: Store + ?Sized>(store: &S, site: &Site) -> anyhow::Result<Option<Crawl>> {
    let crawls = store.crawls(&site.id).await?;
    let unusual = newest_unusual(&crawls).filter(|crawl| acceptance(crawl, &crawls) == Acceptance::Due);
    Ok(unusual.cloned())
}
