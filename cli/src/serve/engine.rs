//! What the parts of `recrawl serve` that do things share.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use recrawl_core::ids::{CrawlId, SiteId};
use recrawl_core::ports::{History, Store};
use recrawl_store_sqlite::{OpenError, SqliteStore};
use recrawl_web::Clock;
use tokio::sync::{Mutex, Notify};
use url::Url;

use super::archiving::Archiving;
use super::due;
use super::line::Line;
use super::sites::Sites;
use super::wishes::{KeptWish, Wish};
use crate::crawl::Stop;
use crate::read::source::not_opened;

/// How long it is believed that another process crawls, or that none does.
const BELIEVED: Duration = Duration::from_secs(2);

/// What the parts that do things share.
pub(super) struct Engine {
    pub(super) sites: Sites,
    pub(super) line: Line,
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
    /// Held while the line and what the store knows of it change together.
    wishing: Mutex<()>,
    elsewhere: Mutex<Option<(Instant, bool)>>,
}

impl Engine {
    pub(super) fn new(sites: Sites, clock: Clock, web: Option<Url>, stop: Stop) -> Arc<Self> {
        let archiving = Archiving::begin(sites.store.clone(), sites.path.clone());
        Arc::new(Self {
            sites,
            line: Line::default(),
            archiving,
            clock,
            web,
            stop,
            telling: Notify::new(),
            looking: Mutex::default(),
            editing: Mutex::default(),
            wishing: Mutex::default(),
            elsewhere: Mutex::default(),
        })
    }

    pub(super) fn store(&self) -> &Arc<SqliteStore> {
        &self.sites.store
    }

    pub(super) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Takes a wish: it is kept before anything is done about it.
    pub(super) async fn wish(&self, site: &SiteId, wish: Wish) -> anyhow::Result<()> {
        let _alone = self.wishing.lock().await;
        self.keep(site, Some(KeptWish { wish, by: None })).await?;
        self.line.join(site, wish);
        Ok(())
    }

    /// Notes by which crawl a wish is being fulfilled, unless something else is wished for by now.
    pub(super) async fn begin(&self, site: &SiteId, crawl: CrawlId) -> anyhow::Result<()> {
        let _alone = self.wishing.lock().await;
        let kept = KeptWish::read(&**self.store(), site).await?;
        if kept.is_some_and(|kept| kept.wish == Wish::Crawl) && !self.line.waits(site) {
            self.keep(site, Some(KeptWish { wish: Wish::Crawl, by: Some(crawl) })).await?;
        }
        Ok(())
    }

    /// Takes a wish back.
    pub(super) async fn forget(&self, site: &SiteId) -> anyhow::Result<()> {
        let _alone = self.wishing.lock().await;
        self.line.leave(site);
        self.keep(site, None).await
    }

    /// Notes that what was wished for a site is done, unless it was wished for again meanwhile.
    pub(super) async fn fulfil(&self, site: &SiteId) -> anyhow::Result<()> {
        let _alone = self.wishing.lock().await;
        if !self.line.waits(site) {
            self.keep(site, None).await?;
        }
        Ok(())
    }

    /// Takes up what an earlier process was asked to do and did not finish.
    pub(super) async fn take_up(&self) -> anyhow::Result<()> {
        for site in self.store().sites().await? {
            let Some(kept) = KeptWish::read(&**self.store(), &site.id).await? else { continue };
            let open = self.store().crawl_under_way(&site.id).await?.map(|crawl| crawl.id);
            // Somebody else may have finished it meanwhile.
            if kept.by.is_none() || kept.by == open {
                self.line.join(&site.id, kept.wish);
            } else {
                self.keep(&site.id, None).await?;
            }
        }
        Ok(())
    }

    async fn keep(&self, site: &SiteId, kept: Option<KeptWish>) -> anyhow::Result<()> {
        Ok(KeptWish::save(kept, &**self.store(), site, self.now()).await?)
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
            if due::is_site_due(self.store(), &site, &timetable.schedule, now).await? {
                self.wish(&site.id, Wish::Crawl).await?;
                due::settle(&**self.store(), &site.id, now).await?;
            }
        }
        Ok(problems)
    }

    /// Tells whether another process crawls into the store.
    ///
    /// Its right to do so can be found out only by trying to take it, so that is done rarely.
    pub(super) async fn is_crawled_elsewhere(&self) -> anyhow::Result<bool> {
        if self.line.is_busy() {
            return Ok(false);
        }
        let mut known = self.elsewhere.lock().await;
        if let Some((_, elsewhere)) = known.filter(|(at, _)| at.elapsed() < BELIEVED) {
            return Ok(elsewhere);
        }
        let probe = SqliteStore::open_read_only(&self.sites.path).map_err(not_opened)?;
        let elsewhere = match probe.lock_for_crawling() {
            Ok(()) => false,
            // The worker may have taken the right meanwhile.
            Err(OpenError::Crawling { .. }) => !self.line.is_busy(),
            Err(error) => return Err(not_opened(error)),
        };
        *known = Some((Instant::now(), elsewhere));
        Ok(elsewhere)
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::serve::line::Place;
    use crate::serve::world::World;

    const WEEKLY: &str = "[site.a]\nroot = \"https://a.example/\"\nschedule = \"0 3 * * 1\"\ntime-zone = \"America/Los_Angeles\"\n";

    #[tokio::test]
    async fn a_schedule_fires_once_at_its_time_in_its_zone() {
        let world = World::new(WEEKLY, "2026-11-15T12:00:00Z");
        let (a, b) = (world.add("a").await, world.add("b").await);
        world.at("2026-11-16T10:59:59Z").await;
        assert_eq!(world.engine.line.place(&a), Place::Out);
        world.at("2026-11-16T11:00:00Z").await;
        assert_eq!(world.engine.line.place(&a), Place::Waiting(Wish::Crawl));
        assert_eq!(world.engine.line.place(&b), Place::Out, "b has no schedule");
        // Somebody pauses it: it does not begin again before its next time.
        world.engine.forget(&a).await.unwrap();
        world.at("2026-11-16T12:00:00Z").await;
        assert_eq!(world.engine.line.place(&a), Place::Out);
        // The machine was off for two weeks.
        world.at("2026-12-02T00:00:00Z").await;
        assert_eq!(world.engine.line.place(&a), Place::Waiting(Wish::Crawl));
    }

    #[tokio::test]
    async fn a_bad_setting_of_one_site_keeps_no_other_from_its_schedule() {
        let world = World::new(WEEKLY, "2026-11-15T12:00:00Z");
        let (a, other) = (world.add("a").await, world.add("aa").await);
        let site = world.engine.store().site(&other).await.unwrap().unwrap();
        let scope =
            recrawl_core::scope::ScopeSettings { exclude: vec!["[z-a".to_owned()], ..site.scope.clone() };
        let bad = recrawl_core::crawl::Site { scope, ..site };
        world.engine.store().save_site(&bad).await.unwrap();
        let problems = world.at("2026-11-16T11:00:00Z").await;
        assert!(problems.len() == 1 && problems.first().unwrap().starts_with("aa is not"), "{problems:?}");
        assert_eq!(world.engine.line.place(&a), Place::Waiting(Wish::Crawl));
    }

    #[tokio::test]
    async fn a_crawl_that_somebody_else_finished_is_not_begun_again() {
        let world = World::new("", "2026-11-15T12:00:00Z");
        let a = world.add("a").await;
        world.engine.wish(&a, Wish::Crawl).await.unwrap();
        let _handle = world.engine.line.take(world.engine.now()).unwrap();
        world.engine.begin(&a, "crawl-2026-11-15".parse().unwrap()).await.unwrap();
        world.engine.line.end();
        world.engine.take_up().await.unwrap();
        assert_eq!(world.engine.line.place(&a), Place::Out);
    }

    #[tokio::test]
    async fn what_was_wished_is_taken_up_again_and_what_was_taken_back_is_not() {
        let world = World::new("", "2026-11-15T12:00:00Z");
        let (a, b, c) = (world.add("a").await, world.add("b").await, world.add("c").await);
        for (site, wish) in [(&a, Wish::Crawl), (&b, Wish::Close), (&c, Wish::Crawl)] {
            world.engine.wish(site, wish).await.unwrap();
        }
        world.engine.forget(&c).await.unwrap();
        for site in [&a, &b] {
            world.engine.line.leave(site);
        }
        world.engine.take_up().await.unwrap();
        let places = [&a, &b, &c].map(|site| world.engine.line.place(site));
        assert_eq!(places, [Place::Waiting(Wish::Crawl), Place::Waiting(Wish::Close), Place::Out]);
    }

    #[tokio::test]
    async fn a_wish_that_is_repeated_while_it_is_carried_out_is_kept() {
        let world = World::new("", "2026-11-15T12:00:00Z");
        let a = world.add("a").await;
        world.engine.wish(&a, Wish::Crawl).await.unwrap();
        let _handle = world.engine.line.take(world.engine.now() + SignedDuration::from_secs(1)).unwrap();
        world.engine.wish(&a, Wish::Crawl).await.unwrap();
        world.engine.fulfil(&a).await.unwrap();
        let kept = || KeptWish::read(&**world.engine.store(), &a);
        assert_eq!(kept().await.unwrap().map(|kept| kept.wish), Some(Wish::Crawl));
        world.engine.line.leave(&a);
        world.engine.fulfil(&a).await.unwrap();
        assert_eq!(kept().await.unwrap(), None);
    }
}
