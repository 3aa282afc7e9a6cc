//! Accepting a suspect crawl: whether it can be, and doing it.

use jiff::Timestamp;
use recrawl_core::decide;
use recrawl_core::model::crawl::{Crawl, Suspicion};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_notify::{Occasion, TargetName};
use recrawl_stores::EmbeddedStore;

use crate::usage;

/// What accepting a crawl comes to.
#[derive(Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// It is to be accepted, for all its suspicion.
    Due,
    /// Somebody accepted it before.
    Already(Timestamp),
    /// It cannot be accepted, for this reason.
    Refused(String),
}

/// Accepts a crawl of an embedded store, which is open for crawling, and returns how many changes were announced; nothing
/// where somebody accepted it before. That `targets` are to be told is noted; the caller tells them.
pub async fn accept(
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
            let told = recrawl_engine::announce(store, store, site, crawl, false).await?;
            // Before it is accepted: a process that dies in between leaves word.
            recrawl_notify::note(store, targets, (site, crawl), Occasion::Accepted, now).await?;
            store.accept_crawl(site, crawl, now).await?;
            Ok(Some(told))
        }
    }
}

/// Decides what accepting `crawl` comes to, given all crawls of its site.
pub fn acceptance(crawl: &Crawl, crawls: &[Crawl]) -> Acceptance {
    let id = crawl.id;
    let Some(closed) = &crawl.closed else {
        return Acceptance::Refused(format!(
            "{id} is still open: whether it is suspect is known when it ends"
        ));
    };
    match &closed.suspicion {
        None => Acceptance::Refused(format!("{id} is not suspect: there is nothing to accept")),
        Some(Suspicion { accepted_at: Some(at), .. }) => Acceptance::Already(*at),
        Some(Suspicion { accepted_at: None, .. }) => match decide::opened_after(crawls, id).last() {
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
    use recrawl_core::model::crawl::{Closed, CrawlKind, Ending, Mode};
    use recrawl_core::model::statistics::Statistics;

    use super::*;

    fn crawl(id: &str, suspicion: Option<Suspicion>) -> Crawl {
        let at = Timestamp::UNIX_EPOCH;
        Crawl {
            site: "example".parse().unwrap(),
            id: id.parse().unwrap(),
            opened_at: at,
            mode: Mode::Incremental,
            kind: CrawlKind::Full,
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
