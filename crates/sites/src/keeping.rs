//! Writing what somebody wants to be watched.

use jiff::Timestamp;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::model::site_plan::{PlannedSite, SitePlan, WrittenBy};
use recrawl_core::ports::{SitePlans, StateEntry, StateKey, StateStore, Store, StoreError};
use recrawl_core::url::PageUrl;
use thiserror::Error;

/// What is needed of a store to write about sites.
pub trait SiteStore: Store + SitePlans + StateStore {}

impl<S: Store + SitePlans + StateStore + ?Sized> SiteStore for S {}

/// Why a site was not written.
#[derive(Debug, Error)]
pub enum SiteError {
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It cannot be, for this reason.
    #[error("{0}")]
    Refused(String),
}

/// A site that is watched from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// Its name.
    pub id: SiteId,
    /// Whether the store has a history of it, which its next crawl goes on with.
    pub has_history: bool,
}

/// Returns the stored site with this root: names may differ from store to store.
pub fn of_root<'a>(sites: &'a [PlannedSite], root: &PageUrl) -> Option<&'a PlannedSite> {
    sites.iter().find(|stored| stored.site.root == *root)
}

/// Writes that the site at `root` is watched. One that the store has, with a history that was copied into it, is recognised
/// by its root; another gets the `name`, or one that follows from its root.
pub async fn add(
    store: &(impl SiteStore + ?Sized),
    name: Option<&SiteId>,
    root: &PageUrl,
    plan: &SitePlan,
    now: Timestamp,
) -> Result<Added, SiteError> {
    let there = store.planned_sites().await?;
    let refused = |why: String| Err(SiteError::Refused(why));
    if let Some(PlannedSite { site, plan: before }) = of_root(&there, root) {
        if let Some(name) = name.filter(|name| **name != site.id) {
            return refused(format!(
                "{root} is site {} already, and not {name}: `recrawl sites rename` gives it another name",
                site.id
            ));
        }
        if before.is_some() {
            return refused(format!(
                "{} is watched already: `recrawl sites set` changes its settings",
                site.id
            ));
        }
        begin_schedule(store, &site.id, None, plan, now).await?;
        store.save_plan(&site.id, Some(plan)).await?;
        return Ok(Added { id: site.id.clone(), has_history: !store.crawls(&site.id).await?.is_empty() });
    }
    let is_taken = |id: &SiteId| there.iter().any(|stored| stored.site.id == *id);
    let id = match name {
        Some(name) if is_taken(name) => return refused(format!("there is a site {name} with another root")),
        Some(name) => name.clone(),
        None => free_name(root, is_taken),
    };
    store.save_site(&site_of(&id, root, now)).await?;
    begin_schedule(store, &id, None, plan, now).await?;
    store.save_plan(&id, Some(plan)).await?;
    Ok(Added { id, has_history: false })
}

/// Writes another plan of a site that is watched, or that is no more.
pub async fn change(
    store: &(impl SiteStore + ?Sized),
    stored: &PlannedSite,
    plan: Option<&SitePlan>,
    now: Timestamp,
) -> Result<(), SiteError> {
    let id = &stored.site.id;
    let before = stored.plan.as_ref();
    if before.is_some_and(|before| before.written_by == WrittenBy::Environment) {
        return Err(SiteError::Refused(format!(
            "what is set about {id} stands in the environment of the service (RECRAWL_SITES, which Terraform writes as \
             `sites`): change it there"
        )));
    }
    if let Some(plan) = plan {
        begin_schedule(store, id, before, plan, now).await?;
    }
    Ok(store.save_plan(id, plan).await?)
}

/// Lets a schedule that is new, or another one, count from now on: what it named before was nobody's wish.
pub(crate) async fn begin_schedule(
    store: &(impl SiteStore + ?Sized),
    site: &SiteId,
    before: Option<&SitePlan>,
    plan: &SitePlan,
    now: Timestamp,
) -> Result<(), StoreError> {
    let said = |plan: &SitePlan| ["schedule", "time-zone"].map(|name| plan.settings.get(name).cloned());
    if before.map(said) == Some(said(plan)) {
        return Ok(());
    }
    let entry = StateEntry { saved_at: now, value: String::new() };
    store.save_state(&StateKey::schedule_settled(site), &entry).await
}

/// Returns a site as it is before its settings are known.
pub(crate) fn site_of(id: &SiteId, root: &PageUrl, created_at: Timestamp) -> Site {
    Site { id: id.clone(), root: root.clone(), scope: ScopeSettings::default(), created_at }
}

/// Returns a name that follows from a root and that no other site has.
fn free_name(root: &PageUrl, is_taken: impl Fn(&SiteId) -> bool) -> SiteId {
    let usual = SiteId::from_root(root);
    let numbered = |number: u32| format!("{}-{number}", usual.as_str()).parse().ok();
    let others = (2..1_000).filter_map(numbered);
    std::iter::once(usual.clone()).chain(others).find(|id| !is_taken(id)).unwrap_or(usual)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use recrawl_core::memory::MemoryStore;
    use recrawl_core::model::crawl::Crawl;

    use super::*;

    fn page(text: &str) -> PageUrl {
        text.parse().unwrap()
    }

    fn id(text: &str) -> SiteId {
        text.parse().unwrap()
    }

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn scheduled(cron: &str) -> SitePlan {
        let settings = BTreeMap::from([("schedule".to_owned(), vec![cron.to_owned()])]);
        SitePlan { settings, ..SitePlan::default() }
    }

    async fn settled(store: &MemoryStore, site: &str) -> Option<Timestamp> {
        let entry = store.state(&StateKey::schedule_settled(&id(site))).await.unwrap();
        entry.map(|entry| entry.saved_at)
    }

    #[tokio::test]
    async fn a_site_is_named_after_its_root_or_as_somebody_says() {
        let (store, now, plan) = (MemoryStore::default(), time("2026-11-16T03:00:00Z"), SitePlan::default());
        let added = add(&store, None, &page("https://port.example/"), &plan, now).await.unwrap();
        assert_eq!(added, Added { id: id("port.example"), has_history: false });
        let added = add(&store, Some(&id("fair")), &page("https://fair.example/"), &plan, now).await.unwrap();
        assert_eq!(added.id, id("fair"));
        // Two roots may come to one name.
        let added = add(&store, None, &page("http://port.example/"), &plan, now).await.unwrap();
        assert_eq!(added.id, id("port.example-2"));
        for (name, root, expected) in [
            (None, "https://fair.example/", "fair is watched already"),
            (Some("other"), "https://fair.example/", "is site fair already, and not other"),
            (Some("fair"), "https://new.example/", "there is a site fair with another root"),
        ] {
            let name = name.map(id);
            let error = add(&store, name.as_ref(), &page(root), &plan, now).await.unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
        assert_eq!(store.planned_sites().await.unwrap().len(), 3);
    }

    #[tokio::test]
    async fn a_history_that_was_copied_is_recognised_by_its_root() {
        let (store, now) = (MemoryStore::default(), time("2026-11-16T03:00:00Z"));
        let root = page("https://port.example/");
        store.save_site(&site_of(&id("www.port"), &root, now)).await.unwrap();
        let crawl = "crawl-2026-11-09".parse().unwrap();
        store.open_crawl(&Crawl::new(id("www.port"), crawl, now)).await.unwrap();
        let added = add(&store, None, &root, &SitePlan::default(), now).await.unwrap();
        assert_eq!(added, Added { id: id("www.port"), has_history: true });
    }

    #[tokio::test]
    async fn a_schedule_counts_from_when_it_was_said() {
        let (store, root) = (MemoryStore::default(), page("https://port.example/"));
        let (first, later) = (time("2026-11-16T03:00:00Z"), time("2026-11-20T03:00:00Z"));
        add(&store, Some(&id("port")), &root, &scheduled("0 3 * * 1"), first).await.unwrap();
        assert_eq!(settled(&store, "port").await, Some(first));
        for (plan, expected) in
            [(scheduled("0 3 * * 1"), first), (scheduled("0 3 * * *"), later), (SitePlan::default(), later)]
        {
            let stored = store.planned_sites().await.unwrap().remove(0);
            change(&store, &stored, Some(&plan), later).await.unwrap();
            assert_eq!(settled(&store, "port").await, Some(expected), "{plan:?}");
        }
    }

    #[tokio::test]
    async fn what_the_environment_says_is_changed_there() {
        let (store, now) = (MemoryStore::default(), time("2026-11-16T03:00:00Z"));
        let plan = SitePlan { written_by: WrittenBy::Environment, ..SitePlan::default() };
        add(&store, None, &page("https://port.example/"), &plan, now).await.unwrap();
        let stored = store.planned_sites().await.unwrap().remove(0);
        for wish in [Some(&SitePlan::default()), None] {
            let error = change(&store, &stored, wish, now).await.unwrap_err();
            assert!(error.to_string().contains("change it there"), "{error}");
        }
    }
}
