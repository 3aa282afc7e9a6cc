//! What the parts of `recrawl serve` that do things share.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_stores::EmbeddedStore;
use recrawl_stores::file::is_being_crawled;
use recrawl_web::Clock;
use tokio::sync::{Mutex, Notify};
use url::Url;

use super::archiving::Archiving;
use super::due;
use super::jobs::JobQueue;
use super::sites::Sites;
use super::stored_job::{JobKind, StoredJob};
use crate::crawl::Stop;

/// How long it is believed that another process crawls, or that none does.
const BELIEVED: Duration = Duration::from_secs(2);

/// What the parts that do things share.
pub(super) struct Supervisor {
    pub(super) sites: Sites,
    pub(super) jobs: JobQueue,
    pub(super) archiving: Archiving,
    pub(super) clock: Clock,
    /// The address of the web page, for those who are told.
    pub(super) web: Option<Url>,
    pub(super) stop: Stop,
    /// Wakes whoever tells others what crawls found.
    pub(super) telling: Notify,
    /// Held by whoever asks servers without crawling: a crawl begins after that.
    pub(super) looking: Mutex<()>,
    /// Held while the settings file is changed.
    pub(super) editing: Mutex<()>,
    /// Held while the queue and what the store knows of it change together.
    changing: Mutex<()>,
    elsewhere: Mutex<Option<(Instant, bool)>>,
}

impl Supervisor {
    pub(super) fn new(sites: Sites, clock: Clock, web: Option<Url>, stop: Stop) -> Arc<Self> {
        let archiving = Archiving::begin(sites.store.clone());
        Arc::new(Self {
            sites,
            jobs: JobQueue::default(),
            archiving,
            clock,
            web,
            stop,
            telling: Notify::new(),
            looking: Mutex::default(),
            editing: Mutex::default(),
            changing: Mutex::default(),
            elsewhere: Mutex::default(),
        })
    }

    pub(super) fn store(&self) -> &Arc<dyn EmbeddedStore> {
        &self.sites.store
    }

    pub(super) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Queues a job: it is stored before anything is done about it.
    pub(super) async fn kind(&self, site: &SiteId, kind: JobKind) -> anyhow::Result<()> {
        let _alone = self.changing.lock().await;
        self.keep(site, Some(StoredJob { kind, by: None })).await?;
        self.jobs.join(site, kind);
        Ok(())
    }

    /// Notes by which crawl a job is being done, unless another was asked for by now.
    pub(super) async fn begin(&self, site: &SiteId, crawl: CrawlId) -> anyhow::Result<()> {
        let _alone = self.changing.lock().await;
        let kept = StoredJob::read(&**self.store(), site).await?;
        if kept.is_some_and(|kept| kept.kind == JobKind::Crawl) && !self.jobs.waits(site) {
            self.keep(site, Some(StoredJob { kind: JobKind::Crawl, by: Some(crawl) })).await?;
        }
        Ok(())
    }

    /// Takes a job back.
    pub(super) async fn forget(&self, site: &SiteId) -> anyhow::Result<()> {
        let _alone = self.changing.lock().await;
        self.jobs.leave(site);
        self.keep(site, None).await
    }

    /// Notes that what was wished for a site is done, unless it was wished for again meanwhile.
    pub(super) async fn fulfil(&self, site: &SiteId) -> anyhow::Result<()> {
        let _alone = self.changing.lock().await;
        if !self.jobs.waits(site) {
            self.keep(site, None).await?;
        }
        Ok(())
    }

    /// Takes up what an earlier process was asked to do and did not finish.
    pub(super) async fn take_up(&self) -> anyhow::Result<()> {
        for site in self.store().sites().await? {
            let Some(kept) = StoredJob::read(&**self.store(), &site.id).await? else { continue };
            let open = self.store().crawl_under_way(&site.id).await?.map(|crawl| crawl.id);
            // Somebody else may have finished it meanwhile.
            if kept.by.is_none() || kept.by == open {
                self.jobs.join(&site.id, kept.kind);
            } else {
                self.keep(&site.id, None).await?;
            }
        }
        Ok(())
    }

    async fn keep(&self, site: &SiteId, kept: Option<StoredJob>) -> anyhow::Result<()> {
        Ok(StoredJob::save(kept, &**self.store(), site, self.now()).await?)
    }

    /// Wishes for a crawl of every site whose time has come; returns what is wrong with the settings of others.
    pub(super) async fn look_at_schedules(&self) -> anyhow::Result<BTreeSet<String>> {
        let mut problems = self.sites.register(self.now()).await?;
        for site in self.store().sites().await? {
            let settings = match self.sites.settings(&site) {
                Ok(settings) => settings,
                Err(error) => {
                    problems.insert(format!("{} is not crawled by itself: {error:#}", site.id));
                    continue;
                }
            };
            let Some(timetable) = settings.crawl.timetable() else { continue };
            let now = self.now();
            if due::is_site_due(&**self.store(), &site, &timetable.schedule, now).await? {
                self.kind(&site.id, JobKind::Crawl).await?;
                due::settle(&**self.store(), &site.id, now).await?;
            }
        }
        Ok(problems)
    }

    /// Tells whether another process crawls into the store.
    ///
    /// What was found out is believed for a moment: looking takes its lock.
    pub(super) async fn is_crawled_elsewhere(&self) -> anyhow::Result<bool> {
        if self.jobs.is_busy() {
            return Ok(false);
        }
        let mut known = self.elsewhere.lock().await;
        if let Some((_, elsewhere)) = known.filter(|(at, _)| at.elapsed() < BELIEVED) {
            return Ok(elsewhere);
        }
        // The worker may have begun meanwhile.
        let elsewhere = is_being_crawled(&self.sites.path)? && !self.jobs.is_busy();
        *known = Some((Instant::now(), elsewhere));
        Ok(elsewhere)
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::serve::harness::Harness;
    use crate::serve::jobs::JobState;

    const WEEKLY: &str = "[site.a]\nroot = \"https://a.example/\"\nschedule = \"0 3 * * 1\"\ntime-zone = \"America/Los_Angeles\"\n";

    #[tokio::test]
    async fn a_schedule_fires_once_at_its_time_in_its_zone() {
        let harness = Harness::new(WEEKLY, "2026-11-15T12:00:00Z");
        let (a, b) = (harness.add("a").await, harness.add("b").await);
        harness.at("2026-11-16T10:59:59Z").await;
        assert_eq!(harness.supervisor.jobs.state_of(&a), JobState::Out);
        harness.at("2026-11-16T11:00:00Z").await;
        assert_eq!(harness.supervisor.jobs.state_of(&a), JobState::Waiting(JobKind::Crawl));
        assert_eq!(harness.supervisor.jobs.state_of(&b), JobState::Out, "b has no schedule");
        // Somebody pauses it: it does not begin again before its next time.
        harness.supervisor.forget(&a).await.unwrap();
        harness.at("2026-11-16T12:00:00Z").await;
        assert_eq!(harness.supervisor.jobs.state_of(&a), JobState::Out);
        // The machine was off for two weeks.
        harness.at("2026-12-02T00:00:00Z").await;
        assert_eq!(harness.supervisor.jobs.state_of(&a), JobState::Waiting(JobKind::Crawl));
    }

    #[tokio::test]
    async fn a_bad_setting_of_one_site_keeps_no_other_from_its_schedule() {
        let harness = Harness::new(WEEKLY, "2026-11-15T12:00:00Z");
        let (a, other) = (harness.add("a").await, harness.add("aa").await);
        let site = harness.supervisor.store().site(&other).await.unwrap().unwrap();
        let scope = recrawl_core::model::scope::ScopeSettings {
            exclude: vec!["[z-a".to_owned()],
            ..site.scope.clone()
        };
        let bad = recrawl_core::model::crawl::Site { scope, ..site };
        harness.supervisor.store().save_site(&bad).await.unwrap();
        let problems = harness.at("2026-11-16T11:00:00Z").await;
        assert!(problems.len() == 1 && problems.first().unwrap().starts_with("aa is not"), "{problems:?}");
        assert_eq!(harness.supervisor.jobs.state_of(&a), JobState::Waiting(JobKind::Crawl));
    }

    #[tokio::test]
    async fn a_crawl_that_somebody_else_finished_is_not_begun_again() {
        let harness = Harness::new("", "2026-11-15T12:00:00Z");
        let a = harness.add("a").await;
        harness.supervisor.kind(&a, JobKind::Crawl).await.unwrap();
        let _handle = harness.supervisor.jobs.take(harness.supervisor.now()).unwrap();
        harness.supervisor.begin(&a, "crawl-2026-11-15".parse().unwrap()).await.unwrap();
        harness.supervisor.jobs.end();
        harness.supervisor.take_up().await.unwrap();
        assert_eq!(harness.supervisor.jobs.state_of(&a), JobState::Out);
    }

    #[tokio::test]
    async fn what_was_wished_is_taken_up_again_and_what_was_taken_back_is_not() {
        let harness = Harness::new("", "2026-11-15T12:00:00Z");
        let (a, b, c) = (harness.add("a").await, harness.add("b").await, harness.add("c").await);
        for (site, kind) in [(&a, JobKind::Crawl), (&b, JobKind::Close), (&c, JobKind::Crawl)] {
            harness.supervisor.kind(site, kind).await.unwrap();
        }
        harness.supervisor.forget(&c).await.unwrap();
        for site in [&a, &b] {
            harness.supervisor.jobs.leave(site);
        }
        harness.supervisor.take_up().await.unwrap();
        let places = [&a, &b, &c].map(|site| harness.supervisor.jobs.state_of(site));
        assert_eq!(
            places,
            [JobState::Waiting(JobKind::Crawl), JobState::Waiting(JobKind::Close), JobState::Out]
        );
    }

    #[tokio::test]
    async fn a_wish_that_is_repeated_while_it_is_carried_out_is_kept() {
        let harness = Harness::new("", "2026-11-15T12:00:00Z");
        let a = harness.add("a").await;
        harness.supervisor.kind(&a, JobKind::Crawl).await.unwrap();
        let _handle =
            harness.supervisor.jobs.take(harness.supervisor.now() + SignedDuration::from_secs(1)).unwrap();
        harness.supervisor.kind(&a, JobKind::Crawl).await.unwrap();
        harness.supervisor.fulfil(&a).await.unwrap();
        let kept = || StoredJob::read(&**harness.supervisor.store(), &a);
        assert_eq!(kept().await.unwrap().map(|kept| kept.kind), Some(JobKind::Crawl));
        harness.supervisor.jobs.leave(&a);
        harness.supervisor.fulfil(&a).await.unwrap();
        assert_eq!(kept().await.unwrap(), None);
    }
}
