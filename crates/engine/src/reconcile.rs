//! The tick: what is to be done about every site, every few minutes.

mod accepting;
mod alarms;
mod archiving;
mod forgetting;
mod reconciling;
mod remembered;
mod report;

use std::sync::Arc;
use std::time::Duration;

use crate::session::{Archiving, AuditError, ClosingError, GatheredAudits};
use jiff::Timestamp;
use recrawl_core::changes::settle::SharingRules;
use recrawl_core::decide::traps::PageLimit;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::scope::ScopeError;
use recrawl_core::ports::{
    Announcer, ArchiveQueue, ArchiveStore, Frontier, History, Notices, QueueError, Retention, SitePlans,
    StateStore, StoreError, Summaries,
};
use recrawl_core::url::UrlRules;
use recrawl_settings::{CrawlSettings, ProcessSettings};
use thiserror::Error;

pub use self::report::{Accepted, ClosedCrawl, TickReport};

/// A store that can be looked after.
pub trait CloudStore: ArchiveStore + History + StateStore + Retention + SitePlans {}

impl<S: ArchiveStore + History + StateStore + Retention + SitePlans + ?Sized> CloudStore for S {}

/// What a [`Maintenance`] goes by.
#[derive(Debug, Clone)]
pub struct MaintenanceSettings {
    /// How long nothing is visited before a crawl is audited.
    pub quiet: Duration,
    /// How many of the newest crawls of a site are kept, and with them whatever the next one is compared with; all
    /// where this is `None`.
    pub keep_crawls: Option<usize>,
    /// How many records and contents are deleted a day, over all sites.
    pub deletes_a_day: u64,
    /// How long pages may resist being visited before a crawl is closed without them.
    pub give_up_after: Duration,
    /// How long a crawl may be open before the log says so.
    pub overlong: Duration,
    /// How long a site may be without a new crawl before the log says so.
    pub overdue: Duration,
    /// How many requests for pages a crawl may make; any number where this is `None`.
    pub budget: Option<u64>,
    /// How many pages a crawl asks for.
    pub max_pages: PageLimit,
    /// The normal form of addresses.
    pub url_rules: UrlRules,
    /// When the same edit on several pages is one change.
    pub sharing: SharingRules,
}

impl Default for MaintenanceSettings {
    fn default() -> Self {
        Self {
            quiet: Duration::from_mins(10),
            keep_crawls: None,
            deletes_a_day: 15_000,
            give_up_after: Duration::from_hours(24),
            overlong: Duration::from_hours(24),
            overdue: Duration::from_hours(8 * 24),
            budget: None,
            max_pages: PageLimit::Usual,
            url_rules: UrlRules::default(),
            sharing: SharingRules::default(),
        }
    }
}

impl MaintenanceSettings {
    /// Takes from the settings what maintenance goes by.
    pub fn new(crawl: &CrawlSettings, process: &ProcessSettings) -> Self {
        Self {
            quiet: process.quiet,
            keep_crawls: process.keep_crawls,
            overlong: process.overlong,
            overdue: process.overdue,
            budget: crawl.budget,
            max_pages: crawl.max_pages,
            url_rules: crawl.url_rules(),
            sharing: crawl.sharing(),
            ..Self::default()
        }
    }
}

/// Why a tick broke off. The next one takes up where it stopped.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each variant is the error of its port")]
pub enum MaintenanceError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error(transparent)]
    Audit(#[from] AuditError),
    #[error(transparent)]
    Closing(#[from] ClosingError),
    /// A crawl cannot be accepted, for this reason.
    #[error("{0}")]
    NotAccepted(String),
    #[error("the scope of site {site} cannot be read")]
    Scope { site: SiteId, source: ScopeError },
}

/// Tells whether this process is at work on pages of a crawl.
type UnderWay<'a> = &'a (dyn Fn(&SiteId, CrawlId) -> bool + Send + Sync);

/// Looks after the sites of a store.
///
/// What it does derives from what is stored, so a tick that dies half-way is finished by the next, and two
/// at once do what one does.
#[expect(missing_docs, reason = "each field is named after its type")]
pub struct Maintenance {
    pub store: Arc<dyn CloudStore>,
    pub frontier: Arc<dyn Frontier>,
    pub announcer: Arc<dyn Announcer>,
    pub archive_queue: Arc<dyn ArchiveQueue>,
    pub summaries: Arc<dyn Summaries>,
    pub notices: Arc<dyn Notices>,
    pub audits: GatheredAudits,
    pub settings: MaintenanceSettings,
}

impl Maintenance {
    /// Looks after every site: audits an open crawl that is quiet, and announces and closes it, or queues what
    /// it lacks; announces unusual crawls that were accepted; reminds of archive requests that are due;
    /// deletes crawls past the retention setting.
    ///
    /// `under_way` tells of a crawl that this process is at work on, which is left alone. A site that fails
    /// does not keep the others waiting; the first failure is returned at the end.
    pub async fn tick(
        &self,
        under_way: &(dyn Fn(&SiteId, CrawlId) -> bool + Send + Sync),
        now: Timestamp,
    ) -> Result<TickReport, MaintenanceError> {
        let sites = self.store.sites().await?;
        let all: Vec<(&Self, &Site)> = sites.iter().map(|site| (self, site)).collect();
        Self::look_after_all(&all, under_way, now).await
    }

    /// Does the same for sites each of which is looked after by its own settings.
    pub async fn look_after_all(
        sites: &[(&Self, &Site)],
        under_way: &(dyn Fn(&SiteId, CrawlId) -> bool + Send + Sync),
        now: Timestamp,
    ) -> Result<TickReport, MaintenanceError> {
        let mut report = TickReport::default();
        let mut first_failure = None;
        for (maintenance, site) in sites {
            let Err(error) = maintenance.look_after(site, under_way, now, &mut report).await else {
                continue;
            };
            if first_failure.is_none() {
                first_failure = Some(error);
            } else {
                tracing::error!(error = &error as &dyn std::error::Error, site = %site.id, "a site failed, too");
            }
        }
        match first_failure {
            None => Ok(report),
            Some(error) => Err(error),
        }
    }

    fn archiving(&self) -> Archiving<'_> {
        Archiving { store: &*self.store, queue: &*self.archive_queue }
    }

    async fn look_after(
        &self,
        site: &Site,
        under_way: UnderWay<'_>,
        now: Timestamp,
        report: &mut TickReport,
    ) -> Result<(), MaintenanceError> {
        let crawl = self.store.crawl_under_way(&site.id).await?;
        let open = crawl.as_ref();
        report.open.extend(open.map(|crawl| (site.id.clone(), crawl.id)));
        let unarchived = self.unarchived(&site.id, open, now).await?;
        self.release(&site.id, now, report).await?;
        let just_closed = match open {
            Some(crawl) => self.reconcile_crawl(site, crawl, under_way, now, report).await?,
            None => false,
        };
        self.remind_of_archiving(&site.id, unarchived, just_closed, now, report).await?;
        match open {
            Some(crawl) if !just_closed => self.warn_if_overlong(site, crawl, now),
            Some(_) | None => self.forget(site, just_closed, now, report).await?,
        }
        Ok(())
    }
}
