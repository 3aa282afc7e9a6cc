//! What is remembered between runs beside records: caches and decisions, every key of which is in this file.

use std::fmt::Display;

use async_trait::async_trait;
use jiff::Timestamp;

use super::StoreError;
use crate::model::ids::{CrawlId, SiteId};
use crate::url::{HostKey, PageUrl};

/// What is remembered under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateEntry {
    /// When it was saved.
    pub saved_at: Timestamp,
    /// What its owner made of it.
    pub value: String,
}

/// Remembers small things from one run to the next, by key.
///
/// # Contract
/// As of [`Store`](super::Store): what was saved is seen by every later read. A cache ([`StateKind::Cache`]) that is too
/// large for the store may be dropped without an error, with what was saved before it; a decision
/// ([`StateKind::Decision`]) is saved or refused.
#[async_trait]
pub trait StateStore: Send + Sync {
    /// Returns what was last saved under `key`.
    async fn state(&self, key: &StateKey) -> Result<Option<StateEntry>, StoreError>;

    /// Saves `entry` under `key`, replacing what was there.
    async fn save_state(&self, key: &StateKey, entry: &StateEntry) -> Result<(), StoreError>;

    /// Saves `entry` under `key` if what is there is `before`, as it was read, or nothing; tells whether it did.
    ///
    /// Atomic, over all processes: of several concurrent calls with one `before` and different entries, exactly one saves
    /// its own.
    async fn replace_state(
        &self,
        key: &StateKey,
        before: Option<&StateEntry>,
        entry: &StateEntry,
    ) -> Result<bool, StoreError>;

    /// Forgets what was saved under `key`, if anything was.
    async fn delete_state(&self, key: &StateKey) -> Result<(), StoreError>;

    /// Returns what was saved under the keys of a group, by key.
    async fn states(&self, group: &StateGroup) -> Result<Vec<StateEntry>, StoreError>;

    /// Forgets what was saved under the keys of a group.
    async fn delete_states(&self, group: &StateGroup) -> Result<(), StoreError>;
}

/// What the loss of an entry means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateKind {
    /// It is fetched or computed again: a loss costs time.
    Cache,
    /// Nobody can tell it again: a loss is a bug.
    Decision,
}

/// The name of an entry. There are no others than the functions below make; what they write is stored, and stays.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StateKey {
    is_cache: bool,
    text: String,
}

/// Several keys that begin alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateGroup(String);

/// Caches.
impl StateKey {
    /// What was read from a robots.txt or a sitemap, and its validators.
    pub fn document(url: &PageUrl) -> Self {
        Self::cache(format!("document {url}"))
    }

    /// That no sitemap was found on the host of `root`.
    pub fn no_sitemap(root: &PageUrl) -> Self {
        Self::cache(format!("no sitemap at {}", root.host_key()))
    }

    /// How a host answers for a page that it does not have (the soft-404 probe).
    pub fn soft_error_probe(host: &HostKey) -> Self {
        Self::cache(format!("absence {host}"))
    }

    /// How often the dates in the sitemaps of a host were right.
    pub fn sitemap_reliability(host: &HostKey) -> Self {
        Self::cache(format!("sitemap reliability {host}"))
    }

    /// The report of a site after a crawl, as this version of the program makes it.
    pub fn site_report(version: u32, site: &SiteId, crawl: CrawlId) -> Self {
        Self::cache(format!("web-report-{version}-{site}-{crawl}"))
    }

    /// The last day on which retention found nothing to delete.
    pub fn nothing_to_delete(site: &SiteId) -> Self {
        Self::cache(format!("old crawls of {site}"))
    }

    fn cache(text: String) -> Self {
        Self { is_cache: true, text }
    }
}

/// Decisions.
impl StateKey {
    /// That a page was absent, or had lost its content, once in the open crawl.
    pub fn first_doubt(site: &SiteId, page: &PageUrl) -> Self {
        Self::decision(format!("{}{page}", StateGroup::first_doubts(site).0))
    }

    /// In how many runs of the open crawl a page was asked for in vain.
    pub fn postponed(site: &SiteId, page: &PageUrl) -> Self {
        Self::decision(format!("{}{page}", StateGroup::postponed(site).0))
    }

    /// Some of the pages that sitemaps list in the open crawl.
    pub fn listed_pages(site: &SiteId, part: usize) -> Self {
        Self::decision(format!("{}{part}", StateGroup::listed_pages(site).0))
    }

    /// Until when a host wants to be left alone (Retry-After, back-off).
    pub fn left_alone(host: &HostKey) -> Self {
        Self::decision(format!("left alone {host}"))
    }

    /// The certificate by which a capsule is known.
    pub fn pinned_certificate(host: &HostKey) -> Self {
        Self::decision(format!("certificate {host}"))
    }

    /// What the last audit of the open crawl found missing.
    pub fn last_audit(site: &SiteId) -> Self {
        Self::decision(format!("last audit of {site}"))
    }

    /// What somebody decided about open crawls of any site: to stop one, to let it rest, to go on with it.
    pub fn crawl_commands() -> Self {
        Self::decision("commands to crawls".to_owned())
    }

    /// Suspect crawls whose findings wait for somebody to accept them.
    pub fn pending_acceptance(site: &SiteId) -> Self {
        Self::decision(format!("suspect crawls of {site}"))
    }

    /// Noise that was learnt from the pages of a site, and what people said of it.
    pub fn learnt_noise(site: &SiteId) -> Self {
        Self::decision(format!("learnt noise of {site}"))
    }

    /// Shared changes of the last crawls of a site, which are not told again.
    pub fn told_shared_changes(site: &SiteId) -> Self {
        Self::decision(format!("shared changes of {site}"))
    }

    /// Crawls whose archive requests may not all be over.
    pub fn unarchived_crawls(site: &SiteId) -> Self {
        Self::decision(format!("unarchived crawls of {site}"))
    }

    /// How much was deleted today over all sites: what may be is limited.
    pub fn deletes_of_the_day() -> Self {
        Self::decision("deletes".to_owned())
    }

    /// When the scheduler last started a crawl of the site with this root.
    pub fn last_start(root: &PageUrl) -> Self {
        Self::decision(format!("last start of {root}"))
    }

    /// What `recrawl serve` is to do with a site.
    pub fn job(site: &SiteId) -> Self {
        Self::decision(format!("wish {site}"))
    }

    /// Up to when the schedule of a site is honoured.
    pub fn schedule_settled(site: &SiteId) -> Self {
        Self::decision(format!("schedule settled {site}"))
    }

    /// That a target is to be told of a crawl on an occasion.
    pub fn pending_notification(site: &SiteId, crawl: CrawlId, target: impl Display, occasion: &str) -> Self {
        Self::decision(format!("{}{site} {crawl} {target} {occasion}", StateGroup::pending_notifications().0))
    }

    /// What people did with the changes of a crawl. It is forgotten with the crawl.
    pub fn review(site: &SiteId, crawl: CrawlId) -> Self {
        Self::decision(format!("review {site} {crawl}"))
    }

    /// What the service of a deployment said of itself with its last tick.
    pub fn service_report() -> Self {
        Self::decision("service".to_owned())
    }

    /// When somebody last looked at what changed.
    pub fn last_look() -> Self {
        Self::decision("last look".to_owned())
    }

    /// Which site is meant by a name that was given up: addresses that people kept go on to lead there.
    pub fn former_name(name: &SiteId) -> Self {
        Self::decision(format!("former name {name}"))
    }

    /// What a target was told of a crawl.
    pub fn notified(target: impl Display, site: &SiteId, crawl: CrawlId) -> Self {
        Self::decision(format!("notified {target} {site} {crawl}"))
    }

    /// Which crawls the digest of a target tells that is being sent: it is sent again with the same ones.
    pub fn digest_under_way(target: impl Display) -> Self {
        Self::decision(format!("digest of {target}"))
    }

    fn decision(text: String) -> Self {
        Self { is_cache: false, text }
    }
}

impl StateKey {
    /// Returns what belongs to a site by its name as long as it is there, in this order: whoever renames it takes it along.
    pub fn of_site(site: &SiteId) -> [Self; 5] {
        [
            Self::learnt_noise(site),
            Self::told_shared_changes(site),
            Self::pending_acceptance(site),
            Self::unarchived_crawls(site),
            Self::schedule_settled(site),
        ]
    }

    /// Returns what is remembered of a site from one crawl to the next, which is worth nothing under another name.
    pub fn of_crawling(site: &SiteId) -> [Self; 3] {
        [Self::nothing_to_delete(site), Self::last_audit(site), Self::job(site)]
    }

    /// Returns what the loss of the entry means.
    pub const fn kind(&self) -> StateKind {
        if self.is_cache { StateKind::Cache } else { StateKind::Decision }
    }

    /// Returns the key as it is stored.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl StateGroup {
    /// Every [`StateKey::first_doubt`] of a site.
    pub fn first_doubts(site: &SiteId) -> Self {
        Self(format!("absent {site} "))
    }

    /// Every [`StateKey::postponed`] of a site.
    pub fn postponed(site: &SiteId) -> Self {
        Self(format!("postponed {site} "))
    }

    /// Every [`StateKey::listed_pages`] of a site.
    pub fn listed_pages(site: &SiteId) -> Self {
        Self(format!("listed {site} "))
    }

    /// Every [`StateKey::pending_notification`].
    pub fn pending_notifications() -> Self {
        Self("to tell ".to_owned())
    }

    /// Returns what the keys of the group begin with.
    pub fn prefix(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_as_they_were_ever_stored() {
        let site: SiteId = "example".parse().unwrap();
        let crawl: CrawlId = "crawl-2026-11-16".parse().unwrap();
        let page: PageUrl = "https://example.org:8443/a".parse().unwrap();
        let host = page.host_key();
        for (key, expected) in [
            (StateKey::document(&page), "document https://example.org:8443/a"),
            (StateKey::no_sitemap(&page), "no sitemap at example.org:8443"),
            (StateKey::soft_error_probe(&host), "absence example.org:8443"),
            (StateKey::sitemap_reliability(&host), "sitemap reliability example.org:8443"),
            (StateKey::site_report(3, &site, crawl), "web-report-3-example-crawl-2026-11-16"),
            (StateKey::nothing_to_delete(&site), "old crawls of example"),
            (StateKey::first_doubt(&site, &page), "absent example https://example.org:8443/a"),
            (StateKey::postponed(&site, &page), "postponed example https://example.org:8443/a"),
            (StateKey::listed_pages(&site, 2), "listed example 2"),
            (StateKey::left_alone(&host), "left alone example.org:8443"),
            (StateKey::pinned_certificate(&host), "certificate example.org:8443"),
            (StateKey::last_audit(&site), "last audit of example"),
            (StateKey::crawl_commands(), "commands to crawls"),
            (StateKey::pending_acceptance(&site), "suspect crawls of example"),
            (StateKey::unarchived_crawls(&site), "unarchived crawls of example"),
            (StateKey::deletes_of_the_day(), "deletes"),
            (StateKey::last_start(&page), "last start of https://example.org:8443/a"),
            (StateKey::job(&site), "wish example"),
            (StateKey::schedule_settled(&site), "schedule settled example"),
            (
                StateKey::pending_notification(&site, crawl, "team", "closed"),
                "to tell example crawl-2026-11-16 team closed",
            ),
            (StateKey::review(&site, crawl), "review example crawl-2026-11-16"),
            (StateKey::service_report(), "service"),
            (StateKey::last_look(), "last look"),
            (StateKey::former_name(&site), "former name example"),
            (StateKey::notified("team", &site, crawl), "notified team example crawl-2026-11-16"),
            (StateKey::digest_under_way("team"), "digest of team"),
        ] {
            assert_eq!(key.as_str(), expected);
        }
    }

    #[test]
    fn a_group_is_what_its_keys_begin_with() {
        let (site, other): (SiteId, SiteId) = ("a".parse().unwrap(), "a2".parse().unwrap());
        let page: PageUrl = "https://example.org/".parse().unwrap();
        for (group, key, of_another_site) in [
            (
                StateGroup::first_doubts(&site),
                StateKey::first_doubt(&site, &page),
                StateKey::first_doubt(&other, &page),
            ),
            (
                StateGroup::postponed(&site),
                StateKey::postponed(&site, &page),
                StateKey::postponed(&other, &page),
            ),
            (
                StateGroup::listed_pages(&site),
                StateKey::listed_pages(&site, 0),
                StateKey::listed_pages(&other, 0),
            ),
        ] {
            assert!(key.as_str().starts_with(group.prefix()));
            assert!(!of_another_site.as_str().starts_with(group.prefix()));
        }
    }
}
