//! What people do on the web page: start, pause and stop crawls, add sites, change schedules and rules, accept, archive.

mod add_site;
mod first_look;
mod ignore_rules;
mod noise;
mod rename_and_remove;

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::StreamExt;
use recrawl_core::changes::noise::Said;
use recrawl_core::model::archive::{Archive, ArchiveState};
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::ports::{ArchiveRequest, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_engine::StopMode;
use recrawl_extract::HtmlExtractor;
use recrawl_stores::{Access, open_file};
use recrawl_web::crawl_control::{
    Activity, ControlError, CrawlControl, IgnoreRules, JudgedAgain, NewSite, ProgressStream, RulesReading,
    Schedule, SitePreview, SiteState, stored_progress,
};

use crate::accept::{Outage, accept, outage};
use crate::job_queue::{BY_HAND, JobState};
use crate::progress::follow;
use crate::stored_job::JobKind;
use crate::supervisor::Supervisor;
use crate::{notify, schedules, usage};

pub(crate) use self::first_look::Looks;

/// Does what people ask for.
pub(crate) struct ServeControl(pub(crate) Arc<Supervisor>);

#[async_trait]
impl CrawlControl for ServeControl {
    async fn state(&self, site: &SiteId) -> Result<SiteState, ControlError> {
        let known = self.0.sites.site(site).await.map_err(refusal)?;
        let activity = activity(&self.0, site).await.map_err(refusal)?;
        // Settings that cannot be read are told where they are needed; meanwhile nothing is scheduled.
        let settings = self.0.sites.settings(&known).ok();
        let pace = settings.as_ref().map_or_else(String::new, |settings| {
            let delay = settings.crawl.pace().delay_for(None).as_secs_f64();
            match delay {
                none if none <= 0.0 => "as fast as it answers".to_owned(),
                one if (one - 1.0).abs() < 0.01 => "1 request a second".to_owned(),
                short if short < 1.0 => format!("{:.0} requests a second", 1.0 / short),
                long => format!("1 request in {long:.1} seconds").replace(".0 ", " "),
            }
        });
        let told =
            self.0.sites.file().ok().and_then(|file| notify::target_names(&file).ok()).unwrap_or_default();
        let told = told.iter().map(ToString::to_string).collect();
        let timetable = settings.and_then(|settings| settings.crawl.timetable());
        let next_crawl = timetable.as_ref().and_then(|timetable| timetable.schedule.next_run(self.0.now()));
        let schedule =
            timetable.map(|timetable| Schedule { cron: timetable.cron, time_zone: timetable.time_zone });
        let next_try = self.0.jobs.next_try(site);
        Ok(SiteState { activity, schedule, next_crawl, pace, told, next_try })
    }

    async fn start(&self, site: &SiteId) -> Result<(), ControlError> {
        start(&self.0, site).await.map_err(refusal)
    }

    async fn pause(&self, site: &SiteId) -> Result<(), ControlError> {
        pause(&self.0, site).await.map_err(refusal)
    }

    async fn stop(&self, site: &SiteId) -> Result<(), ControlError> {
        stop(&self.0, site).await.map_err(refusal)
    }

    async fn first_look(&self, new_site: &NewSite) -> Result<SitePreview, ControlError> {
        first_look::look(&self.0, new_site).await.map_err(refusal)
    }

    async fn add_site(&self, new_site: &NewSite) -> Result<Site, ControlError> {
        add_site::add(&self.0, new_site).await.map_err(refusal)
    }

    async fn rename_site(&self, site: &SiteId, name: &str) -> Result<SiteId, ControlError> {
        rename_and_remove::rename(&self.0, site, name).await.map_err(refusal)
    }

    async fn remove_site(&self, site: &SiteId) -> Result<(), ControlError> {
        rename_and_remove::remove(&self.0, site).await.map_err(refusal)
    }

    async fn judge_noise(&self, site: &SiteId, shape: &str, said: Option<Said>) -> Result<(), ControlError> {
        noise::judge(&self.0, site, shape, said).await.map_err(refusal)
    }

    async fn save_schedule(&self, site: &SiteId, schedule: Option<&Schedule>) -> Result<(), ControlError> {
        save_schedule(&self.0, site, schedule).await.map_err(refusal)
    }

    async fn rules(&self, site: &SiteId) -> Result<IgnoreRules, ControlError> {
        ignore_rules::in_force(&self.0, site).await.map_err(refusal)
    }

    async fn preview_rules(
        &self,
        site: &SiteId,
        url: &PageUrl,
        rules: &IgnoreRules,
    ) -> Result<RulesReading, ControlError> {
        ignore_rules::preview(&self.0, site, url, rules).await.map_err(refusal)
    }

    async fn save_rules(&self, site: &SiteId, rules: &IgnoreRules) -> Result<(), ControlError> {
        ignore_rules::save(&self.0, site, rules).await.map_err(refusal)
    }

    async fn archive(&self, site: &SiteId, url: &PageUrl) -> Result<(), ControlError> {
        archive(&self.0, site, url).await.map_err(refusal)
    }

    async fn accept(&self, site: &SiteId, crawl: CrawlId) -> Result<(), ControlError> {
        accept_here(&self.0, site, crawl).await.map_err(refusal)
    }

    async fn outage(&self, site: &SiteId, crawl: CrawlId, line: &str) -> Result<JudgedAgain, ControlError> {
        let Outage { pages, told } = outage_here(&self.0, site, crawl, line).await.map_err(refusal)?;
        Ok(JudgedAgain { pages, doubt: told.err() })
    }

    async fn readers(
        &self,
        site: &SiteId,
        rules: &[IgnoreRules],
    ) -> Result<Vec<Arc<HtmlExtractor>>, ControlError> {
        ignore_rules::readers(&self.0, site, rules).await.map_err(refusal)
    }

    async fn targets(&self) -> Result<Vec<String>, ControlError> {
        let names = self.0.sites.file().and_then(|file| notify::target_names(&file)).map_err(refusal)?;
        Ok(names.iter().map(ToString::to_string).collect())
    }

    async fn notices(&self) -> Result<Vec<String>, ControlError> {
        notify::notices(&self.0).await.map_err(refusal)
    }

    fn progress(&self, site: &SiteId) -> ProgressStream {
        match self.0.jobs.progress(site) {
            Some(progress) => follow(progress),
            None => of_another_process(self.0.clone(), site.clone()),
        }
    }
}

/// Tells a store that failed from a reason that may be shown.
fn refusal(error: anyhow::Error) -> ControlError {
    match error.downcast::<StoreError>() {
        Ok(error) => ControlError::Store(error),
        Err(error) => ControlError::Refused(format!("{error:#}")),
    }
}

async fn activity(supervisor: &Supervisor, site: &SiteId) -> anyhow::Result<Activity> {
    Ok(match supervisor.jobs.state_of(site) {
        JobState::Running if supervisor.jobs.removes(site) => Activity::Removing,
        JobState::Running => Activity::Crawling,
        JobState::Ending | JobState::Waiting(JobKind::Close) => Activity::Ending,
        JobState::Waiting(JobKind::Crawl) if supervisor.jobs.next_try(site).is_some() => Activity::TriedLater,
        JobState::Waiting(JobKind::Crawl) => Activity::Waiting,
        JobState::Waiting(JobKind::Remove) => Activity::Removing,
        JobState::Out if supervisor.store().crawl_under_way(site).await?.is_none() => Activity::Idle,
        JobState::Out if supervisor.is_crawled_elsewhere().await? => Activity::CrawledElsewhere,
        JobState::Out => Activity::Paused,
    })
}

async fn start(supervisor: &Supervisor, site: &SiteId) -> anyhow::Result<()> {
    let known = supervisor.sites.site(site).await?;
    // What is wrong with the settings is said now, and not when nobody is there to read it.
    supervisor.sites.settings(&known)?;
    match activity(supervisor, site).await? {
        Activity::Crawling | Activity::Waiting => Ok(()),
        Activity::Removing => Err(going(site)),
        Activity::CrawledElsewhere => Err(elsewhere(site)),
        // Whoever asks does not want to wait for the next try.
        Activity::Idle | Activity::Ending | Activity::Paused | Activity::TriedLater => {
            supervisor.queue(site, JobKind::Crawl).await
        }
    }
}

async fn pause(supervisor: &Supervisor, site: &SiteId) -> anyhow::Result<()> {
    supervisor.sites.site(site).await?;
    match activity(supervisor, site).await? {
        Activity::CrawledElsewhere => return Err(elsewhere(site)),
        Activity::Removing => return Err(going(site)),
        Activity::Idle | Activity::Paused => return Ok(()),
        Activity::Crawling | Activity::Ending | Activity::Waiting | Activity::TriedLater => {}
    }
    supervisor.forget(site).await?;
    supervisor.jobs.ask_to_stop(site, StopMode::Pause);
    Ok(())
}

async fn stop(supervisor: &Supervisor, site: &SiteId) -> anyhow::Result<()> {
    supervisor.sites.site(site).await?;
    match activity(supervisor, site).await? {
        Activity::CrawledElsewhere => Err(elsewhere(site)),
        Activity::Removing => Err(going(site)),
        Activity::Idle => Ok(()),
        Activity::Waiting | Activity::TriedLater
            if supervisor.store().crawl_under_way(site).await?.is_none() =>
        {
            supervisor.forget(site).await
        }
        // Kept as a job, so that a process that dies before it is closed closes it when it starts again.
        Activity::Waiting
        | Activity::TriedLater
        | Activity::Paused
        | Activity::Crawling
        | Activity::Ending => {
            supervisor.queue(site, JobKind::Close).await?;
            supervisor.jobs.ask_to_stop(site, BY_HAND);
            Ok(())
        }
    }
}

fn going(site: &SiteId) -> anyhow::Error {
    usage(format!("{site} is being removed"))
}

fn elsewhere(site: &SiteId) -> anyhow::Error {
    usage(format!("{site} is crawled by another program, such as `recrawl crawl`: it can be stopped there"))
}

async fn save_schedule(
    supervisor: &Supervisor,
    site: &SiteId,
    schedule: Option<&Schedule>,
) -> anyhow::Result<()> {
    let _alone = supervisor.editing.lock().await;
    let known = supervisor.sites.site(site).await?;
    let mut edit = supervisor.sites.edit()?;
    let table = edit.table_for(&known)?;
    edit.set_text(&table, "schedule", schedule.map(|schedule| schedule.cron.as_str()));
    match schedule {
        Some(schedule) => edit.set_text(&table, "time-zone", Some(&schedule.time_zone)),
        None => edit.remove(&table, "time-zone"),
    }
    edit.check(&table)?;
    // Nobody asked for the times before it was set.
    schedules::settle(&**supervisor.store(), site, supervisor.now()).await?;
    edit.write()
}

async fn archive(supervisor: &Supervisor, site: &SiteId, url: &PageUrl) -> anyhow::Result<()> {
    let visits = supervisor.store().visits(site, url).await?;
    let latest = visits.iter().rev().find(|record| record.offered_content().is_some());
    let latest = latest.ok_or_else(|| usage(format!("site {site} has no content of {url}")))?;
    let now = supervisor.now();
    let requested_at = match latest.archive.as_ref().map(|archive| (archive.state, archive.requested_at)) {
        // This content is archived: the request is fulfilled.
        Some((ArchiveState::Captured, _)) => return Ok(()),
        Some((ArchiveState::Queued | ArchiveState::Submitted, requested_at)) => requested_at,
        Some((ArchiveState::Failed, _)) | None => {
            supervisor.store().save_archive(site, latest.crawl, url, &Archive::queued(now)).await?;
            now
        }
    };
    supervisor.archiving.page(ArchiveRequest {
        id: EventId::new(latest.crawl, url),
        site: site.clone(),
        crawl: latest.crawl,
        page: url.clone(),
        requested_at,
    });
    Ok(())
}

async fn accept_here(supervisor: &Supervisor, site: &SiteId, crawl: CrawlId) -> anyhow::Result<()> {
    if supervisor.jobs.is_busy() {
        return Err(usage(
            "a crawl is under way, which would not know what to compare with: accept it afterwards",
        ));
    }
    let file = supervisor.sites.file()?;
    notify::targets(&file, None)?;
    let settings = supervisor.sites.settings(&supervisor.sites.site(site).await?)?;
    let store = open_file(&supervisor.sites.path, Access::Crawl)?;
    let (names, sharing) = (notify::target_names(&file)?, settings.crawl.sharing());
    accept(&*store, (site, crawl), false, sharing, &names, supervisor.now()).await?;
    // Notifying takes as long as the slowest target, and nobody waits for that.
    supervisor.notify.notify_one();
    Ok(())
}

async fn outage_here(
    supervisor: &Supervisor,
    site: &SiteId,
    crawl: CrawlId,
    line: &str,
) -> anyhow::Result<Outage> {
    if supervisor.jobs.is_busy() {
        return Err(usage("a crawl is under way: say so when it has ended"));
    }
    let file = supervisor.sites.file()?;
    notify::targets(&file, None)?;
    let settings = supervisor.sites.settings(&supervisor.sites.site(site).await?)?;
    let store = open_file(&supervisor.sites.path, Access::Crawl)?;
    let names = notify::target_names(&file)?;
    let sharing = settings.crawl.sharing();
    let outage = outage(&*store, (site, crawl), line, sharing, &names, supervisor.now()).await?;
    supervisor.notify.notify_one();
    Ok(outage)
}

/// Looks at the store from time to time while another process crawls the site.
fn of_another_process(supervisor: Arc<Supervisor>, site: SiteId) -> ProgressStream {
    let progress = stored_progress(supervisor.store().clone(), site);
    Box::pin(progress.take_while(move |progress| {
        let (supervisor, closed) = (supervisor.clone(), progress.closed);
        async move { closed || supervisor.is_crawled_elsewhere().await.unwrap_or(false) }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Harness;

    const NOW: &str = "2026-11-15T12:00:00Z";

    fn refused<T: std::fmt::Debug>(result: Result<T, ControlError>) -> String {
        match result {
            Err(ControlError::Refused(reason)) => reason,
            other => panic!("{other:?}"),
        }
    }

    fn schedule(cron: &str, time_zone: &str) -> Schedule {
        Schedule { cron: cron.to_owned(), time_zone: time_zone.to_owned() }
    }

    #[tokio::test]
    async fn asking_for_what_is_so_already_is_no_error() {
        let harness = Harness::new("", NOW);
        let (a, control) = (harness.add("a").await, ServeControl(harness.supervisor.clone()));
        for _ in 0..2 {
            control.pause(&a).await.unwrap();
            control.stop(&a).await.unwrap();
        }
        assert_eq!(control.state(&a).await.unwrap().activity, Activity::Idle);
        for _ in 0..2 {
            control.start(&a).await.unwrap();
            assert_eq!(control.state(&a).await.unwrap().activity, Activity::Waiting);
        }
        control.stop(&a).await.unwrap();
        assert_eq!(control.state(&a).await.unwrap().activity, Activity::Idle, "nothing was begun");
    }

    #[tokio::test]
    async fn a_schedule_is_saved_if_it_is_one() {
        let harness = Harness::new("# mine\n", NOW);
        let (a, control) = (harness.add("a").await, ServeControl(harness.supervisor.clone()));
        for bad in [schedule("mondays", "UTC"), schedule("0 3 * * 1", "Mars/Olympus_Mons")] {
            let reason = refused(control.save_schedule(&a, Some(&bad)).await);
            assert!(reason.contains("must be"), "{reason}");
            assert_eq!(harness.settings(), "# mine\n");
        }
        let weekly = schedule("0 3 * * 1", "America/Los_Angeles");
        control.save_schedule(&a, Some(&weekly)).await.unwrap();
        let state = control.state(&a).await.unwrap();
        assert_eq!(state.schedule, Some(weekly));
        assert_eq!(state.next_crawl, Some("2026-11-16T11:00:00Z".parse().unwrap()));
        assert!(harness.settings().starts_with("# mine\n"), "{}", harness.settings());
        control.save_schedule(&a, None).await.unwrap();
        assert_eq!(control.state(&a).await.unwrap().schedule, None);
    }

    #[tokio::test]
    async fn a_site_that_is_not_there_is_refused() {
        let harness = Harness::new("", NOW);
        let (nobody, control) = ("nobody".parse().unwrap(), ServeControl(harness.supervisor.clone()));
        for result in
            [control.start(&nobody).await, control.pause(&nobody).await, control.stop(&nobody).await]
        {
            assert_eq!(refused(result), "there is no site nobody");
        }
        assert_eq!(refused(control.state(&nobody).await), "there is no site nobody");
        let page = "https://nobody.example/".parse().unwrap();
        assert!(refused(control.archive(&nobody, &page).await).contains("has no content"));
    }
}
