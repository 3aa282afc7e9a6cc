//! Notifications about crawls: who gets them, which ones wait in the store, and sending them.
//!
//! That a target is to be notified is stored before the crawl closes, so a process that dies leaves word. What could not be
//! sent waits in the store and is sent again by whatever process comes next, until it is given up.

mod in_background;

use std::collections::BTreeMap;

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_notify::{
    Fate, Occasion, Outcome, Preview, Report, RetryLimits, Round, Setup, Target, TargetName, TargetSettings,
    Timing, Which,
};
use recrawl_settings::SettingsFile;
use recrawl_stores::EmbeddedStore;
use recrawl_stores::file::NotifyLock;
use url::Url;

pub(crate) use self::in_background::{keep_notifying, notices};
use crate::usage;

/// Returns the targets of a settings file, whose notifications link to the web page at `web` if there is one. Whatever is
/// wrong with any of them is an error of usage.
pub fn targets(file: &SettingsFile, web: Option<Url>) -> anyhow::Result<Vec<Target>> {
    let setup = Setup {
        environment: &|name| std::env::var(name).ok(),
        web,
        user_agent: concat!("recrawl/", env!("CARGO_PKG_VERSION")),
        patience: RetryLimits::default(),
    };
    recrawl_notify::targets(target_settings(file)?, &setup).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        usage(errors.join("\n"))
    })
}

/// Returns the names of the targets of a settings file, whether or not they can be reached now.
pub fn target_names(file: &SettingsFile) -> anyhow::Result<Vec<TargetName>> {
    Ok(target_settings(file)?.keys().filter_map(|name| name.parse().ok()).collect())
}

/// Returns the tables `[notify.NAME]` of a settings file.
pub fn target_settings(file: &SettingsFile) -> anyhow::Result<BTreeMap<String, TargetSettings>> {
    let read = |(name, value): (&String, &toml::Value)| {
        let target = value.clone().try_into::<TargetSettings>().map_err(|error| {
            let what = error.to_string();
            usage(format!("{}: [notify.{name}] {}", file.path().display(), what.trim_end()))
        })?;
        Ok((name.clone(), target))
    };
    file.notify().iter().map(read).collect()
}

/// Returns which targets of a settings file have a schedule of their own, as far as it can be read.
pub fn timings(file: &SettingsFile) -> anyhow::Result<BTreeMap<TargetName, Timing>> {
    let timing = |(name, settings): (String, TargetSettings)| {
        Some((name.parse().ok()?, recrawl_notify::timing(&settings.timing).ok()??))
    };
    Ok(target_settings(file)?.into_iter().filter_map(timing).collect())
}

/// What became of notifications.
#[derive(Debug, Default)]
pub struct Notified {
    /// What people should know, a line each.
    pub lines: Vec<String>,
    /// Not all of them were sent.
    pub has_failed: bool,
}

/// Sends the notifications that wait in a store.
#[derive(Clone, Copy)]
pub struct Notifier<'a> {
    /// Who gets them.
    pub targets: &'a [Target],
    /// Where they wait.
    pub store: &'a dyn EmbeddedStore,
}

impl Notifier<'_> {
    /// Notes that all targets are to be notified of a crawl: before it is closed, so that a process that dies then leaves
    /// word.
    pub async fn note(&self, site: &SiteId, crawl: CrawlId) -> anyhow::Result<()> {
        let names: Vec<TargetName> = self.targets.iter().map(|target| target.name().clone()).collect();
        Ok(recrawl_notify::note(self.store, &names, (site, crawl), Occasion::Closed, Timestamp::now())
            .await?)
    }

    /// Sends what an earlier process left and whose time has come; nothing where another process does so.
    pub async fn send_due(&self) -> anyhow::Result<Notified> {
        match NotifyLock::take(self.store.path())? {
            Some(_lock) => self.send(Which::Due, None, None).await,
            None => Ok(Notified::default()),
        }
    }

    /// Sends what waits after `crawl` has ended; a later process sends what could not be sent.
    pub async fn send_after(&self, site: &SiteId, crawl: CrawlId) -> anyhow::Result<Notified> {
        self.send_alone(Which::Waiting, None, Some((site, crawl))).await
    }

    /// Sends everything that waits for `site`, or for all, also what was given up; `crawl` is the one that is meant.
    pub async fn send_all(
        &self,
        site: Option<&SiteId>,
        crawl: Option<(&SiteId, CrawlId)>,
    ) -> anyhow::Result<Notified> {
        self.send_alone(Which::All, site, crawl).await
    }

    /// Returns what each target would be sent now, without sending or storing anything; `crawl` is the one that is meant.
    pub async fn preview(
        &self,
        site: Option<&SiteId>,
        crawl: Option<(&SiteId, CrawlId)>,
    ) -> anyhow::Result<Vec<Preview>> {
        let Self { targets, store } = *self;
        let clock = Timestamp::now;
        let round = Round {
            history: store,
            index: store,
            targets,
            unreachable: &[],
            which: Which::All,
            site,
            clock: &clock,
        };
        Ok(round.preview(crawl).await?)
    }

    /// Returns what was given up lately, by whatever process: a line each.
    pub async fn given_up(&self) -> anyhow::Result<Vec<String>> {
        let is_known = |name: &TargetName| self.targets.iter().any(|target| target.name() == name);
        let mut pending = recrawl_notify::pending(self.store).await?;
        pending.retain(|pending| pending.is_given_up() && is_known(&pending.target));
        Ok(pending.iter().map(|pending| format!("warning: {pending}")).collect())
    }

    async fn send_alone(
        &self,
        which: Which,
        site: Option<&SiteId>,
        crawl: Option<(&SiteId, CrawlId)>,
    ) -> anyhow::Result<Notified> {
        if self.targets.is_empty() {
            return Ok(Notified::default());
        }
        match NotifyLock::wait(self.store.path()).await? {
            Some(_lock) => self.send(which, site, crawl).await,
            None => Ok(Notified {
                lines: vec![
                    "notify: another process is still sending; what is left waits in the store".to_owned(),
                ],
                has_failed: true,
            }),
        }
    }

    async fn send(
        &self,
        which: Which,
        site: Option<&SiteId>,
        crawl: Option<(&SiteId, CrawlId)>,
    ) -> anyhow::Result<Notified> {
        let Self { targets, store } = *self;
        let clock = Timestamp::now;
        let round =
            Round { history: store, index: store, targets, unreachable: &[], which, site, clock: &clock };
        let reports = round.make().await?;
        let is_failed =
            |report: &Report| matches!(report.fate, Fate::Tried(Outcome::Failed(_)) | Fate::GivenUp(_));
        Ok(Notified {
            has_failed: reports.iter().any(is_failed),
            lines: reports.iter().map(|report| line(report, crawl)).collect(),
        })
    }
}

/// Returns what became of a notification in words, with its crawl unless that is the one that people have before their eyes.
fn line(report: &Report, crawl: Option<(&SiteId, CrawlId)>) -> String {
    let is_meant = crawl == Some((&report.site, report.crawl));
    match &report.fate {
        Fate::Tried(_) if !is_meant => format!("notify {report} ({} of {})", report.crawl, report.site),
        Fate::GivenUp(_) => format!("warning: {report}"),
        Fate::Tried(_) | Fate::TargetRemoved | Fate::CrawlDeleted => format!("notify {report}"),
    }
}
