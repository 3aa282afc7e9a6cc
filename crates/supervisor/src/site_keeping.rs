//! Renaming a site, and forgetting it with all that was read of it. Works on both homes.

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{Recorded, StateEntry, StateGroup, StateKey, StoreError};
use recrawl_stores::AnyStore;

use crate::usage;

/// How many records and contents are forgotten at once, so that nobody waits for long.
const BATCH: u64 = 1_000;

/// Gives a site another name, and lets everything that goes by its name follow. Its addresses on the web page lead to the
/// new ones from then on.
pub async fn rename(store: &dyn AnyStore, site: &SiteId, to: &SiteId, now: Timestamp) -> anyhow::Result<()> {
    if site == to {
        return Err(usage(format!("the site is called {site} already")));
    }
    refuse_while_crawled(store, site, "renamed").await?;
    if store.site(to).await?.is_some() {
        return Err(taken(to));
    }
    // Copied before and deleted after: whatever ends the process, it is there under the name that the site has then.
    let crawls: Vec<CrawlId> = store.crawls(site).await?.into_iter().map(|crawl| crawl.id).collect();
    let reviews =
        |name: &SiteId| crawls.iter().map(|crawl| StateKey::review(name, *crawl)).collect::<Vec<_>>();
    let (old_reviews, new_reviews) = (reviews(site), reviews(to));
    let (old, new) = (StateKey::of_site(site), StateKey::of_site(to));
    for (from, to) in old.iter().chain(&old_reviews).zip(new.iter().chain(&new_reviews)) {
        match store.state(from).await? {
            Some(entry) => store.save_state(to, &entry).await?,
            None => store.delete_state(to).await?,
        }
    }
    if store.rename_site(site, to).await? == Recorded::Already {
        return Err(taken(to));
    }
    store.delete_state(&StateKey::former_name(to)).await?;
    let entry = StateEntry { saved_at: now, value: to.to_string() };
    store.save_state(&StateKey::former_name(site), &entry).await?;
    recrawl_notify::follow(store, site, Some(to), now).await?;
    for key in &old_reviews {
        store.delete_state(key).await?;
    }
    forget_states(store, site).await?;
    Ok(())
}

/// Forgets a site: its crawls, the oldest first, then itself. A call that dies half-way leaves a site with fewer crawls, and
/// the next one goes on.
///
/// Nobody may crawl into the store meanwhile.
pub async fn remove(store: &dyn AnyStore, site: &SiteId) -> anyhow::Result<()> {
    refuse_while_crawled(store, site, "removed").await?;
    for crawl in store.crawls(site).await? {
        while !store.delete_crawl(site, crawl.id, BATCH).await?.finished {}
    }
    recrawl_notify::follow(store, site, None, Timestamp::UNIX_EPOCH).await?;
    forget_states(store, site).await?;
    Ok(store.forget_site(site).await?)
}

/// Refuses what cannot be done beside a crawl of the site.
pub async fn refuse_while_crawled(store: &dyn AnyStore, site: &SiteId, done: &str) -> anyhow::Result<()> {
    if store.site(site).await?.is_none() {
        return Err(usage(format!("there is no site {site}")));
    }
    match store.crawl_under_way(site).await? {
        Some(crawl) => Err(usage(format!(
            "{} of {site} is not closed: let it end, or stop it, before the site is {done}",
            crawl.id
        ))),
        None => Ok(()),
    }
}

fn taken(name: &SiteId) -> anyhow::Error {
    usage(format!("there is a site {name} already; choose another name"))
}

async fn forget_states(store: &dyn AnyStore, site: &SiteId) -> Result<(), StoreError> {
    for key in StateKey::of_site(site).iter().chain(&StateKey::of_crawling(site)) {
        store.delete_state(key).await?;
    }
    store.delete_states(&StateGroup::first_doubts(site)).await?;
    store.delete_states(&StateGroup::postponed(site)).await
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::counts::Counts;
    use recrawl_core::model::crawl::{Closed, Crawl, Ending};
    use recrawl_core::model::statistics::Statistics;
    use recrawl_core::model::verdict::Verdict;
    use recrawl_reports::Extent;

    use super::*;
    use crate::Usage;
    use crate::harness::Harness;

    const NOW: &str = "2026-11-15T12:00:00Z";

    fn statistics() -> Statistics {
        let counts = Counts::from([(Verdict::New, 2), (Verdict::Changed, 3), (Verdict::Unchanged, 40)]);
        Statistics { total: 45, counts, ..Statistics::default() }
    }

    async fn crawled(harness: &Harness, site: &SiteId, is_open: bool) {
        let store = harness.supervisor.store();
        let id = "crawl-2026-11-09".parse().unwrap();
        let at = harness.supervisor.now();
        store.open_crawl(&Crawl::new(site.clone(), id, at)).await.unwrap();
        if !is_open {
            let closed = Closed {
                at,
                ending: Ending::Complete,
                suspicion: None,
                state: None,
                statistics: statistics(),
            };
            store.close_crawl(site, id, &closed).await.unwrap();
        }
    }

    #[tokio::test]
    async fn what_was_learnt_and_what_is_to_be_told_follow_a_new_name() {
        let harness = Harness::new("", NOW);
        let (old, new) = (harness.add("old").await, "new".parse::<SiteId>().unwrap());
        crawled(&harness, &old, false).await;
        let (store, now) = (harness.supervisor.store(), harness.supervisor.now());
        let entry = |value: &str| StateEntry { saved_at: now, value: value.to_owned() };
        store.save_state(&StateKey::learnt_noise(&old), &entry("{}")).await.unwrap();
        let crawl = "crawl-2026-11-09".parse().unwrap();
        store.save_state(&StateKey::review(&old, crawl), &entry("starred")).await.unwrap();
        store.save_state(&StateKey::told_shared_changes(&new), &entry("of one long gone")).await.unwrap();
        let target = "team".parse().unwrap();
        let occasion = recrawl_notify::Occasion::Closed;
        recrawl_notify::note(&**store, &[target], (&old, crawl), occasion, now).await.unwrap();
        rename(&**store, &old, &new, now).await.unwrap();
        assert_eq!(store.state(&StateKey::learnt_noise(&new)).await.unwrap(), Some(entry("{}")));
        assert_eq!(store.state(&StateKey::learnt_noise(&old)).await.unwrap(), None);
        assert_eq!(store.state(&StateKey::review(&new, crawl)).await.unwrap(), Some(entry("starred")));
        assert_eq!(store.state(&StateKey::review(&old, crawl)).await.unwrap(), None);
        assert_eq!(store.state(&StateKey::told_shared_changes(&new)).await.unwrap(), None);
        assert_eq!(store.state(&StateKey::former_name(&old)).await.unwrap(), Some(entry("new")));
        let pending = recrawl_notify::pending(&**store).await.unwrap();
        assert_eq!(pending.iter().map(|one| one.site.as_str()).collect::<Vec<_>>(), ["new"]);
        // And back: no name leads in a circle.
        rename(&**store, &new, &old, now).await.unwrap();
        assert_eq!(store.state(&StateKey::former_name(&old)).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_removed_site_leaves_nothing_behind_and_can_be_measured_before() {
        let harness = Harness::new("", NOW);
        let (gone, stays) = (harness.add("gone").await, harness.add("stays").await);
        crawled(&harness, &gone, false).await;
        crawled(&harness, &stays, false).await;
        let store = harness.supervisor.store();
        let extent = Extent::of(&**store, &gone).await.unwrap();
        assert_eq!(extent.in_words(), "45 pages, 1 crawl and 5 versions");
        remove(&**store, &gone).await.unwrap();
        let left: Vec<SiteId> = store.sites().await.unwrap().into_iter().map(|site| site.id).collect();
        assert_eq!(left, [stays]);
        assert_eq!(store.crawls(&gone).await.unwrap(), []);
    }

    #[tokio::test]
    async fn a_site_is_left_alone_while_it_is_crawled_and_a_name_that_is_taken_too() {
        let harness = Harness::new("", NOW);
        let (open, closed) = (harness.add("open").await, harness.add("closed").await);
        crawled(&harness, &open, true).await;
        crawled(&harness, &closed, false).await;
        let (store, now) = (harness.supervisor.store(), harness.supervisor.now());
        let nobody: SiteId = "nobody".parse().unwrap();
        for (refused, expected) in [
            (rename(&**store, &open, &nobody, now).await, "crawl-2026-11-09 of open is not closed"),
            (remove(&**store, &open).await, "crawl-2026-11-09 of open is not closed"),
            (rename(&**store, &closed, &open, now).await, "there is a site open already"),
            (rename(&**store, &closed, &closed, now).await, "is called closed already"),
            (rename(&**store, &nobody, &"x".parse().unwrap(), now).await, "there is no site nobody"),
            (remove(&**store, &nobody).await, "there is no site nobody"),
        ] {
            let error = refused.unwrap_err();
            assert!(error.is::<Usage>() && error.to_string().contains(expected), "{error}");
        }
        assert_eq!(store.sites().await.unwrap().len(), 2);
    }
}
