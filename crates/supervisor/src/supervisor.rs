//! The supervisor of `recrawl serve`: jobs are stored before they are queued, so that the next process resumes them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_engine::{StopHandle, StopMode};
use recrawl_stores::EmbeddedStore;
use recrawl_stores::file::is_being_crawled;
use recrawl_web::Clock;
use recrawl_web::crawl_control::CrawlControl;
use tokio::sync::{Mutex, Notify};
use tokio::task::JoinHandle;
use url::Url;

use crate::Say;
use crate::archive::Archiving;
use crate::control::{Looks, ServeControl};
use crate::job_queue::JobQueue;
use crate::schedules;
use crate::sites::Sites;
use crate::stored_job::{JobKind, StoredJob};
use crate::{notify, worker};

/// How long it is believed that another process crawls, or that none does.
const BELIEVED: Duration = Duration::from_secs(2);

/// Crawls the sites of a store, on schedule and on request.
pub struct Supervisor {
    pub(crate) sites: Sites,
    pub(crate) jobs: JobQueue,
    pub(crate) archiving: Archiving,
    pub(crate) clock: Clock,
    /// The address of the web page, for notifications.
    pub(crate) web: Option<Url>,
    stop: StopHandle,
    pub(crate) say: Say,
    /// Wakes the task that sends notifications.
    pub(crate) notify: Notify,
    /// Held by whoever asks servers without crawling: a crawl begins after that.
    pub(crate) looking: Mutex<()>,
    /// Looks at sites that somebody would like to add.
    pub(crate) looks: Looks,
    /// Held while the settings file is changed.
    pub(crate) editing: Mutex<()>,
    /// Held while the queue and what the store knows of it change together.
    changing: Mutex<()>,
    elsewhere: Mutex<Option<(Instant, bool)>>,
}

impl Supervisor {
    /// Makes a supervisor, which does nothing until [`Supervisor::start`], for the sites of a store. `web` is the address of
    /// the web page, `stop` stops the process, and `say` tells the person at the terminal what happens.
    pub fn new(sites: Sites, clock: Clock, web: Option<Url>, stop: StopHandle, say: Say) -> Arc<Self> {
        let archiving = Archiving::begin(sites.store.clone(), say.clone());
        Arc::new(Self {
            sites,
            jobs: JobQueue::default(),
            archiving,
            clock,
            web,
            stop,
            say,
            notify: Notify::new(),
            looking: Mutex::default(),
            looks: Looks::default(),
            editing: Mutex::default(),
            changing: Mutex::default(),
            elsewhere: Mutex::default(),
        })
    }

    /// Resumes what an earlier process left, and begins to work; the tasks that are returned end when the process stops.
    pub async fn start(self: &Arc<Self>) -> anyhow::Result<[JoinHandle<()>; 2]> {
        self.take_up().await?;
        tokio::spawn(worker::keep_schedules(self.clone()));
        Ok([tokio::spawn(worker::work(self.clone())), tokio::spawn(notify::keep_notifying(self.clone()))])
    }

    /// Returns what lets the web page start, pause and stop crawls.
    pub fn control(self: &Arc<Self>) -> Arc<dyn CrawlControl> {
        Arc::new(ServeControl(self.clone()))
    }

    pub(crate) fn store(&self) -> &Arc<dyn EmbeddedStore> {
        &self.sites.store
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    pub(crate) fn say(&self, line: &str) {
        (self.say)(line);
    }

    /// Tells whether the process stops.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.asked().is_some()
    }

    /// Waits until the process stops.
    pub(crate) async fn stopping(&self) {
        self.stop.wait_for(StopMode::Pause).await;
    }

    /// Queues a job: it is stored before anything is done about it.
    pub(crate) async fn queue(&self, site: &SiteId, kind: JobKind) -> anyhow::Result<()> {
        let _alone = self.changing.lock().await;
        self.keep(site, Some(StoredJob { kind, by: None })).await?;
        self.jobs.join(site, kind);
        Ok(())
    }

    /// Notes by which crawl a job is being done, unless another was asked for by now.
    pub(crate) async fn begin(&self, site: &SiteId, crawl: CrawlId) -> anyhow::Result<()> {
        let _alone = self.changing.lock().await;
        let kept = StoredJob::read(&**self.store(), site).await?;
        if kept.is_some_and(|kept| kept.kind == JobKind::Crawl) && !self.jobs.waits(site) {
            self.keep(site, Some(StoredJob { kind: JobKind::Crawl, by: Some(crawl) })).await?;
        }
        Ok(())
    }

    /// Takes a job back.
    pub(crate) async fn forget(&self, site: &SiteId) -> anyhow::Result<()> {
        let _alone = self.changing.lock().await;
        self.jobs.leave(site);
        self.keep(site, None).await
    }

    /// Notes that the job of a site is done, unless it was queued again meanwhile.
    pub(crate) async fn finish(&self, site: &SiteId) -> anyhow::Result<()> {
        let _alone = self.changing.lock().await;
        if !self.jobs.waits(site) {
            self.keep(site, None).await?;
        }
        Ok(())
    }

    /// Resumes the jobs that an earlier process did not finish.
    pub(crate) async fn take_up(&self) -> anyhow::Result<()> {
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

    /// Queues every site whose scheduled time has come; returns what is wrong with the settings of others.
    pub(crate) async fn look_at_schedules(&self) -> anyhow::Result<BTreeSet<String>> {
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
            if schedules::is_site_due(&**self.store(), &site, &timetable.schedule, now).await? {
                self.queue(&site.id, JobKind::Crawl).await?;
                schedules::settle(&**self.store(), &site.id, now).await?;
            }
        }
        Ok(problems)
    }

    /// Tells whether another process crawls into the store.
    ///
    /// What was found out is believed for a moment: looking takes its lock.
    pub(crate) async fn is_crawled_elsewhere(&self) -> anyhow::Result<bool> {
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
    use crate::harness::Harness;
    use crate::job_queue::JobState;

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
        harness.supervisor.queue(&a, JobKind::Crawl).await.unwrap();
        let _handle = harness.supervisor.jobs.take(harness.supervisor.now()).unwrap();
        harness.supervisor.begin(&a, "crawl-2026-11-15".parse().unwrap()).await.unwrap();
        harness.supervisor.jobs.end();
        harness.supervisor.take_up().await.unwrap();
        assert_eq!(harness.supervisor.jobs.state_of(&a), JobState::Out);
    }

    #[tokio::test]
    async fn a_stored_job_is_resumed_and_one_that_was_taken_back_is_not() {
        let harness = Harness::new("", "2026-11-15T12:00:00Z");
        let (a, b, c) = (harness.add("a").await, harness.add("b").await, harness.add("c").await);
        for (site, kind) in [(&a, JobKind::Crawl), (&b, JobKind::Close), (&c, JobKind::Crawl)] {
            harness.supervisor.queue(site, kind).await.unwrap();
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
    async fn a_job_that_is_queued_again_while_it_runs_is_kept() {
        let harness = Harness::new("", "2026-11-15T12:00:00Z");
        let a = harness.add("a").await;
        harness.supervisor.queue(&a, JobKind::Crawl).await.unwrap();
        let _handle =
            harness.supervisor.jobs.take(harness.supervisor.now() + SignedDuration::from_secs(1)).unwrap();
        harness.supervisor.queue(&a, JobKind::Crawl).await.unwrap();
        harness.supervisor.finish(&a).await.unwrap();
        let kept = || StoredJob::read(&**harness.supervisor.store(), &a);
        assert_eq!(kept().await.unwrap().map(|kept| kept.kind), Some(JobKind::Crawl));
        harness.supervisor.jobs.leave(&a);
        harness.supervisor.finish(&a).await.unwrap();
        assert_eq!(kept().await.unwrap(), None);
    }
}
