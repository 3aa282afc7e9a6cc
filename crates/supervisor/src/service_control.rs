//! What people do on the web page over a store that a service crawls into: they stop, pause and resume the open crawl, and
//! decide about an unusual one. What is set in that home is set by `recrawl sites` and Terraform, and crawls begin there by
//! its schedule.

use std::sync::Arc;

use async_trait::async_trait;
use recrawl_core::changes::noise::Said;
use recrawl_core::decide::{Acceptance, acceptance};
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use recrawl_engine::{
    CommandError, CrawlCommand, CrawlCommands, announce_once_accepted, command_crawl, learnt_noise,
    save_learnt_noise,
};
use recrawl_extract::HtmlExtractor;
use recrawl_stores::{AnyStore, StoreAddress};
use recrawl_web::Clock;
use recrawl_web::crawl_control::{
    Activity, ControlError, CrawlControl, IgnoreRules, JudgedAgain, NewSite, ProgressStream, RulesReading,
    Schedule, SitePreview, SiteState, stored_progress,
};

/// Tells the service by the store what somebody wants.
pub struct ServiceControl {
    store: Arc<dyn AnyStore>,
    address: StoreAddress,
    clock: Clock,
}

impl ServiceControl {
    /// Prepares to tell the service that crawls into this store.
    pub fn new(store: Arc<dyn AnyStore>, address: StoreAddress, clock: Clock) -> Self {
        Self { store, address, clock }
    }

    async fn command(&self, site: &SiteId, command: CrawlCommand) -> Result<(), ControlError> {
        let commanded = command_crawl(&*self.store, site, command, (self.clock)()).await;
        commanded.map(drop).map_err(|error| match error {
            CommandError::Store(error) => ControlError::Store(error),
            CommandError::Refused(reason) => ControlError::Refused(reason),
        })
    }

    async fn activity(&self, site: &SiteId) -> Result<Activity, StoreError> {
        let Some(crawl) = self.store.crawl_under_way(site).await? else { return Ok(Activity::Idle) };
        Ok(match CrawlCommands::read(&*self.store).await?.of(site, crawl.id) {
            Some(CrawlCommand::Stop) => Activity::Ending,
            Some(CrawlCommand::Pause) => Activity::Paused,
            Some(CrawlCommand::Resume) | None => Activity::Crawling,
        })
    }

    fn set_elsewhere<T>(&self) -> Result<T, ControlError> {
        let words = format!(
            "{} is crawled by its service, which is told by `recrawl sites` and by Terraform what to crawl, when and how: \
             docs/DEPLOY.md says how",
            self.address
        );
        Err(ControlError::Refused(words))
    }
}

#[async_trait]
impl CrawlControl for ServiceControl {
    fn sets_sites(&self) -> bool {
        false
    }

    async fn state(&self, site: &SiteId) -> Result<SiteState, ControlError> {
        let activity = self.activity(site).await?;
        let (schedule, next_crawl, next_try) = (None, None, None);
        Ok(SiteState { activity, schedule, next_crawl, pace: String::new(), told: Vec::new(), next_try })
    }

    async fn start(&self, site: &SiteId) -> Result<(), ControlError> {
        match self.activity(site).await? {
            Activity::Idle => {
                let root = self.store.site(site).await?.map(|site| site.root.to_string());
                let begin = self.address.crawling(root.as_deref().unwrap_or("URL"));
                let words = format!("a crawl begins there by its schedule, or now by the command `{begin}`");
                Err(ControlError::Refused(words))
            }
            _ => self.command(site, CrawlCommand::Resume).await,
        }
    }

    async fn pause(&self, site: &SiteId) -> Result<(), ControlError> {
        self.command(site, CrawlCommand::Pause).await
    }

    async fn stop(&self, site: &SiteId) -> Result<(), ControlError> {
        self.command(site, CrawlCommand::Stop).await
    }

    async fn first_look(&self, _: &NewSite) -> Result<SitePreview, ControlError> {
        self.set_elsewhere()
    }

    async fn add_site(&self, _: &NewSite) -> Result<Site, ControlError> {
        self.set_elsewhere()
    }

    async fn rename_site(&self, _: &SiteId, _: &str) -> Result<SiteId, ControlError> {
        self.set_elsewhere()
    }

    async fn remove_site(&self, _: &SiteId) -> Result<(), ControlError> {
        self.set_elsewhere()
    }

    async fn judge_noise(&self, site: &SiteId, shape: &str, said: Option<Said>) -> Result<(), ControlError> {
        if self.store.crawl_under_way(site).await?.is_some() {
            let busy = "a crawl is under way, which would write what it learns over it: say it afterwards";
            return Err(ControlError::Refused(busy.to_owned()));
        }
        let mut noise = learnt_noise(&*self.store, site).await?;
        let entry = noise.entries.iter_mut().find(|entry| entry.shape == shape);
        let entry = entry.ok_or_else(|| ControlError::Refused(format!("nothing is known of {shape:?}")))?;
        entry.said = said;
        Ok(save_learnt_noise(&*self.store, site, &noise, (self.clock)()).await?)
    }

    async fn save_schedule(&self, _: &SiteId, _: Option<&Schedule>) -> Result<(), ControlError> {
        self.set_elsewhere()
    }

    async fn rules(&self, _: &SiteId) -> Result<IgnoreRules, ControlError> {
        self.set_elsewhere()
    }

    async fn preview_rules(
        &self,
        _: &SiteId,
        _: &PageUrl,
        _: &IgnoreRules,
    ) -> Result<RulesReading, ControlError> {
        self.set_elsewhere()
    }

    async fn save_rules(&self, _: &SiteId, _: &IgnoreRules) -> Result<(), ControlError> {
        self.set_elsewhere()
    }

    async fn archive(&self, _: &SiteId, _: &PageUrl) -> Result<(), ControlError> {
        self.set_elsewhere()
    }

    async fn accept(&self, site: &SiteId, crawl: CrawlId) -> Result<(), ControlError> {
        let crawls = self.store.crawls(site).await?;
        let meant = crawls.iter().find(|meant| meant.id == crawl);
        let meant = meant.ok_or_else(|| StoreError::Absent(format!("{crawl} of site {site}")))?;
        match acceptance(meant, &crawls) {
            Acceptance::Due => {}
            Acceptance::Already(_) | Acceptance::Confirmed(_) => return Ok(()),
            Acceptance::Outdated(reason) | Acceptance::Refused(reason) => {
                return Err(ControlError::Refused(reason));
            }
        }
        let now = (self.clock)();
        self.store.accept_crawl(site, crawl, now).await?;
        // The next tick of the service tells what it found.
        Ok(announce_once_accepted(&*self.store, site, crawl, now).await?)
    }

    async fn outage(&self, _: &SiteId, _: CrawlId, _: &str) -> Result<JudgedAgain, ControlError> {
        let words = "`recrawl noise --stand-in` says it to the service, with the name of this store";
        Err(ControlError::Refused(words.to_owned()))
    }

    async fn readers(&self, _: &SiteId, _: &[IgnoreRules]) -> Result<Vec<Arc<HtmlExtractor>>, ControlError> {
        self.set_elsewhere()
    }

    async fn targets(&self) -> Result<Vec<String>, ControlError> {
        Ok(Vec::new())
    }

    async fn notices(&self) -> Result<Vec<String>, ControlError> {
        Ok(Vec::new())
    }

    fn progress(&self, site: &SiteId) -> ProgressStream {
        stored_progress(self.store.clone(), site.clone())
    }
}
