//! The worker: takes jobs from the queue and crawls one site after the other.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use recrawl_core::decide::DoubtWord;
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::model::crawl::Ending;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::site_state::SiteState;
use recrawl_core::url::HostKey;
use recrawl_engine::{Ended, StopMode, Waiting};
use recrawl_notify::Occasion;
use recrawl_reports::Extent;
use recrawl_stores::{Access, AccessError, open_file};
use recrawl_web::crawl_control::NextTry;

use crate::crawl::{self, RunOptions};
use crate::job_queue::{Job, RunningJob};
use crate::notify;
use crate::progress::Watched;
use crate::settings::Settings;
use crate::site_keeping;
use crate::stored_job::{JobKind, StoredJob};
use crate::supervisor::Supervisor;

/// How often it looks whether a job may run that waits for its time.
const LOOK: Duration = Duration::from_secs(1);

/// How often it looks at the schedules, and the settings file with them.
const SCHEDULES: Duration = Duration::from_secs(10);

/// How long a crawl that could not go on waits for the next try.
const AGAIN: SignedDuration = SignedDuration::from_mins(15);

/// Why a crawl waits that another process is at.
const OTHERS_CRAWL: &str = "another program crawls, such as `recrawl crawl`";

/// How long it waits where another process crawls.
const AFTER_OTHERS: SignedDuration = SignedDuration::from_secs(5);

/// How a job ended.
enum Outcome {
    /// It is done, or a person paused it.
    Over,
    /// The process stops before it is done; the next one goes on.
    Left,
    /// Another process crawls into the store.
    OthersCrawl,
    /// Its hosts do not answer now.
    NotNow(Waiting),
}

/// Works until the process stops; the crawl that is running then is paused.
pub(crate) async fn work(supervisor: Arc<Supervisor>) {
    let pausing = supervisor.clone();
    let watch = tokio::spawn(async move {
        pausing.stopping().await;
        pausing.jobs.pause();
    });
    while !supervisor.is_stopping() {
        let Some(handle) = supervisor.jobs.take(supervisor.now()) else {
            tokio::select! {
                () = supervisor.stopping() => {}
                () = supervisor.jobs.changed() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
            continue;
        };
        run_job(&supervisor, handle).await;
    }
    watch.abort();
}

/// The scheduler: queues the sites whose time has come, for ever.
pub(crate) async fn keep_schedules(supervisor: Arc<Supervisor>) {
    let mut told = BTreeSet::new();
    loop {
        let problems = supervisor.look_at_schedules().await;
        let problems = problems
            .unwrap_or_else(|error| BTreeSet::from([format!("no site is crawled by itself: {error:#}")]));
        // Once, and not every few seconds.
        problems.difference(&told).for_each(|problem| supervisor.say(problem));
        told = problems;
        tokio::time::sleep(SCHEDULES).await;
    }
}

/// Runs a job, and puts it back where it could not be done.
pub(crate) async fn run_job(supervisor: &Supervisor, handle: RunningJob) {
    let job = handle.job.clone();
    let ended = run(supervisor, handle).await;
    supervisor.jobs.end();
    let site = &job.site;
    match ended {
        Ok(Outcome::Over) if job.kind == JobKind::Remove => {}
        Ok(Outcome::Over) => {
            if let Err(error) = supervisor.finish(site).await {
                supervisor.say(&format!("{site}: cannot note that the job is done: {error:#}"));
            }
            // Whoever searches first would wait for it.
            if let Err(error) = supervisor.store().index_for_search(Some(site), usize::MAX).await {
                supervisor.say(&format!("{site}: the search index is not up to date: {error:#}"));
            }
        }
        Ok(Outcome::Left) => {}
        Ok(Outcome::OthersCrawl) => {
            put_back(supervisor, job, supervisor.now() + AFTER_OTHERS, OTHERS_CRAWL).await;
        }
        Ok(Outcome::NotNow(Waiting { reasons, until })) => {
            let (time, when) = next_try(until, supervisor.now());
            let why = reasons.join("; ");
            supervisor.say(&format!("{site} cannot go on: {why}; it is tried again {when}"));
            put_back(supervisor, job, time, &why).await;
        }
        Err(error) => {
            let what = if job.kind == JobKind::Remove { "removed" } else { "crawled" };
            supervisor.say(&format!("{site} was not {what}: {error:#}; it is tried again in 15 minutes"));
            put_back(supervisor, job, supervisor.now() + AGAIN, &format!("{error:#}")).await;
        }
    }
}

/// Returns when a crawl is tried again whose hosts may be asked again at this time if they said so, and the words for it.
fn next_try(until: Option<Timestamp>, now: Timestamp) -> (Timestamp, &'static str) {
    match until {
        Some(until) => (until, "then"),
        None => (now + AGAIN, "in 15 minutes"),
    }
}

/// Puts a job back, unless it was taken back meanwhile.
async fn put_back(supervisor: &Supervisor, job: Job, at: Timestamp, why: &str) {
    let kind = StoredJob::read(&**supervisor.store(), &job.site).await;
    if matches!(kind, Ok(None)) {
        return;
    }
    supervisor.jobs.put_back(job, NextTry { at, why: why.to_owned() });
}

async fn run(supervisor: &Supervisor, handle: RunningJob) -> anyhow::Result<Outcome> {
    let RunningJob { job, stop_handle, progress } = handle;
    let site = supervisor.sites.site(&job.site).await?;
    if job.kind == JobKind::Remove {
        return remove(supervisor, &site.id).await;
    }
    let is_open = supervisor.store().crawl_under_way(&site.id).await?.is_some();
    if job.kind == JobKind::Close && !is_open {
        return Ok(Outcome::Over);
    }
    let settings = supervisor.sites.settings(&site)?;
    supervisor.jobs.note_hosts(hosts(&settings));
    // Whoever looks at a site now may be asking the same host.
    drop(supervisor.looking.lock().await);
    if !is_open {
        crawl::check_host_resolves(&settings).await?;
    }
    // A frontier hands out a page once in its life, so each run has a store of its own.
    let store = match open_file(&supervisor.sites.path, Access::Crawl) {
        Ok(store) => store,
        Err(AccessError::Busy(_)) => return Ok(Outcome::OthersCrawl),
        Err(error) => return Err(error.into()),
    };
    if supervisor.is_stopping() {
        return Ok(Outcome::Left);
    }
    if stop_handle.asked() == Some(StopMode::Pause) {
        return Ok(Outcome::Over);
    }
    let options = RunOptions { follows_another: true, ..RunOptions::default() };
    let opened = crawl::open(&settings, options, &*store).await?;
    let id = opened.crawl.id;
    supervisor.begin(&site.id, id).await?;
    // Before the crawl can end: whatever happens to this process then, the next one knows whom to tell.
    let targets = notify::target_names(&supervisor.sites.file()?)?;
    recrawl_notify::note(&*store, &targets, (&site.id, id), Occasion::Closed, supervisor.now()).await?;
    if settings.lacks_contact() {
        supervisor.say(
            "note: the site's owner cannot reach you; name a page or an address as `contact` in the settings",
        );
    }
    supervisor.say(&format!("{}: {id} {}", site.id, if opened.resumed { "goes on" } else { "begins" }));
    let watched = Arc::new(
        Watched::begin(&*store, &opened.crawl, progress, supervisor.say.clone(), supervisor.clock.clone())
            .await?,
    );
    let crawled = crawl::run(&settings, opened, options, store.clone(), stop_handle, watched.clone()).await?;
    match crawled.ended {
        Ended::Closed(closed) => {
            watched.close();
            let how = match (&closed.ending, &closed.suspicion) {
                _ if closed.state.is_some() => closed.state.iter().map(SiteState::line).collect(),
                (_, Some(suspicion)) => {
                    format!("{}: {}", DoubtWord::of(&closed.statistics).word(), suspicion.reason)
                }
                (Ending::Partial(reason), None) => format!("partial: {reason}"),
                (Ending::Complete, None) => "complete".to_owned(),
            };
            supervisor.say(&format!("{}: {id} is closed, {how}", site.id));
            supervisor.notify.notify_one();
            if settings.crawl.archive != ArchivePolicy::Never {
                supervisor.archiving.after_crawl(&site.id);
            }
            Ok(Outcome::Over)
        }
        Ended::Stopped if supervisor.is_stopping() => Ok(Outcome::Left),
        Ended::Stopped => Ok(Outcome::Over),
        Ended::Waiting(waiting) => Ok(Outcome::NotNow(waiting)),
    }
}

/// Forgets a site, as far as no other process crawls.
async fn remove(supervisor: &Supervisor, site: &SiteId) -> anyhow::Result<Outcome> {
    let store = match open_file(&supervisor.sites.path, Access::Crawl) {
        Ok(store) => store,
        Err(AccessError::Busy(_)) => return Ok(Outcome::OthersCrawl),
        Err(error) => return Err(error.into()),
    };
    let extent = Extent::of(&*store, site).await?;
    site_keeping::remove(&*store, site).await?;
    supervisor.say(&format!("{site} is removed, with {}", extent.in_words()));
    Ok(Outcome::Over)
}

/// Returns the hosts that a crawl asks, as far as they are named.
fn hosts(settings: &Settings) -> Vec<HostKey> {
    let further = settings.scope.extra_hosts.iter().filter_map(|host| host.parse().ok());
    std::iter::once(settings.root.host_key()).chain(further).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crawl_is_tried_again_when_its_hosts_said_or_in_a_quarter_of_an_hour() {
        let time = |seconds| Timestamp::from_second(seconds).unwrap();
        assert_eq!(next_try(Some(time(604_800)), time(0)), (time(604_800), "then"));
        assert_eq!(next_try(None, time(0)), (time(900), "in 15 minutes"));
    }
}
