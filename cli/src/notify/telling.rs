//! Telling others what crawls found: whom to tell is noted first, and made good later if need be.

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_notify::{Fate, Occasion, Outcome, Report, Round, Target, TargetName, Which};
use recrawl_stores::EmbeddedStore;
use recrawl_stores::file::NotifyLock;

use crate::exit::ExitStatus;
use crate::output;

/// What is told from where.
#[derive(Clone, Copy)]
pub(crate) struct Telling<'a> {
    pub(crate) targets: &'a [Target],
    pub(crate) store: &'a dyn EmbeddedStore,
}

impl Telling<'_> {
    /// Notes that all targets are to be told of a crawl: before it is closed, so that a process that dies then
    /// leaves word.
    pub(crate) async fn note(&self, site: &SiteId, crawl: CrawlId) -> anyhow::Result<()> {
        let names: Vec<TargetName> = self.targets.iter().map(|target| target.name().clone()).collect();
        Ok(recrawl_notify::note(self.store, &names, (site, crawl), Occasion::Closed, Timestamp::now())
            .await?)
    }

    /// Tells what an earlier process left, as far as its time has come; nothing where another process does so. What goes
    /// wrong is no reason not to crawl.
    pub(crate) async fn take_up_or_say(&self) -> anyhow::Result<()> {
        match self.take_up().await {
            Ok(()) => Ok(()),
            Err(error) => Ok(output::note(&format!("notify: what waits could not be told: {error:#}"))?),
        }
    }

    /// Tells what an earlier process left, as far as its time has come; nothing where another process does so.
    pub(crate) async fn take_up(&self) -> anyhow::Result<()> {
        if let Some(_lock) = NotifyLock::take(self.store.path())? {
            self.round(Which::Due, None, None).await?;
        }
        Ok(())
    }

    /// Tells what waits, after `crawl` has ended; what could not be told is tried by a later process.
    pub(crate) async fn tell(&self, site: &SiteId, crawl: CrawlId) -> anyhow::Result<ExitStatus> {
        self.tell_once_alone(Which::Waiting, None, Some((site, crawl))).await
    }

    /// Tells everything that waits of `site`, or of all, also what was given up; `crawl` is the one that is meant.
    pub(crate) async fn tell_all(
        &self,
        site: Option<&SiteId>,
        crawl: Option<(&SiteId, CrawlId)>,
    ) -> anyhow::Result<ExitStatus> {
        self.tell_once_alone(Which::All, site, crawl).await
    }

    async fn tell_once_alone(
        &self,
        which: Which,
        site: Option<&SiteId>,
        crawl: Option<(&SiteId, CrawlId)>,
    ) -> anyhow::Result<ExitStatus> {
        if self.targets.is_empty() {
            return Ok(ExitStatus::Success);
        }
        let Some(_lock) = NotifyLock::wait(self.store.path()).await? else {
            output::note("notify: another process is still telling; what is left waits in the store")?;
            return Ok(ExitStatus::SomeFailed);
        };
        self.round(which, site, crawl).await
    }

    async fn round(
        &self,
        which: Which,
        site: Option<&SiteId>,
        crawl: Option<(&SiteId, CrawlId)>,
    ) -> anyhow::Result<ExitStatus> {
        let Self { targets, store, .. } = *self;
        let clock = Timestamp::now;
        let round = Round { history: store, index: store, targets, which, site, clock: &clock };
        let reports = round.make().await?;
        let mut done = ExitStatus::Success;
        for report in &reports {
            output::note(&line(report, crawl))?;
            if matches!(report.fate, Fate::Tried(Outcome::Failed(_)) | Fate::GivenUp(_)) {
                done = ExitStatus::SomeFailed;
            }
        }
        Ok(done)
    }

    /// Says what was given up lately, by whatever process.
    pub(crate) async fn warn(&self) -> anyhow::Result<()> {
        let is_known = |name: &TargetName| self.targets.iter().any(|target| target.name() == name);
        for pending in recrawl_notify::pending(self.store).await? {
            if pending.is_given_up() && is_known(&pending.target) {
                output::note(&format!("warning: {pending}"))?;
            }
        }
        Ok(())
    }
}

/// Returns what became of a delivery in words, with its crawl unless that is the one that people have before their eyes.
fn line(report: &Report, crawl: Option<(&SiteId, CrawlId)>) -> String {
    let is_meant = crawl == Some((&report.site, report.crawl));
    match &report.fate {
        Fate::Tried(_) if !is_meant => format!("notify {report} ({} of {})", report.crawl, report.site),
        Fate::GivenUp(_) => format!("warning: {report}"),
        Fate::Tried(_) | Fate::TargetRemoved | Fate::CrawlDeleted => format!("notify {report}"),
    }
}
