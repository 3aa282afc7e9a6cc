//! Crawls what waits in the queue, one site after the other.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::model::crawl::Ending;
use recrawl_core::url::HostKey;
use recrawl_crawler::{Ended, StopMode, Waiting};
use recrawl_notify::Occasion;
use recrawl_stores::{Access, AccessError, open_file};

use super::jobs::{Job, RunningJob};
use super::say;
use super::stored_job::{JobKind, StoredJob};
use super::supervisor::Supervisor;
use super::watching::Watched;
use crate::crawl::{self, RunOptions};
use crate::notify;
use crate::settings::Settings;

/// How often it is looked whether somebody's time has come.
const LOOK: Duration = Duration::from_secs(1);

/// How often schedules are looked at, and the settings file with them.
const SCHEDULES: Duration = Duration::from_secs(10);

/// When a crawl is tried again that could not go on.
const AGAIN: SignedDuration = SignedDuration::from_mins(15);

/// When it is tried again where another process crawls.
const AFTER_OTHERS: SignedDuration = SignedDuration::from_secs(5);

/// How a job ended.
enum Outcome {
    /// What was wished for is done, or a person paused it.
    Over,
    /// Nothing was done about it, or not all, because the process ends; the next one goes on.
    Left,
    /// Another process crawls into the store.
    OthersCrawl,
    /// It cannot go on now.
    NotNow(Waiting),
}

/// Works until the command shall stop; the crawl that is under way then rests.
pub(super) async fn work(supervisor: Arc<Supervisor>) {
    let resting = supervisor.clone();
    let watch = tokio::spawn(async move {
        resting.stop.wait().await;
        resting.jobs.rest();
    });
    while !supervisor.stop.is_set() {
        let Some(handle) = supervisor.jobs.take(supervisor.now()) else {
            tokio::select! {
                () = supervisor.stop.wait() => {}
                () = supervisor.jobs.changed() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
            continue;
        };
        run_job(&supervisor, handle).await;
    }
    watch.abort();
}

/// Looks at schedules until it is ended.
pub(super) async fn keep_schedules(supervisor: Arc<Supervisor>) {
    let mut told = BTreeSet::new();
    loop {
        let problems = supervisor.look_at_schedules().await;
        let problems = problems
            .unwrap_or_else(|error| BTreeSet::from([format!("no site is crawled by itself: {error:#}")]));
        // Once, and not every few seconds.
        problems.difference(&told).for_each(|problem| say(problem));
        told = problems;
        tokio::time::sleep(SCHEDULES).await;
    }
}

/// Does what is wished for a site.
pub(super) async fn run_job(supervisor: &Supervisor, handle: RunningJob) {
    let job = handle.job.clone();
    let ended = run(supervisor, handle).await;
    supervisor.jobs.end();
    let site = &job.site;
    match ended {
        Ok(Outcome::Over) => {
            if let Err(error) = supervisor.fulfil(site).await {
                say(&format!("{site}: that it is done could not be noted: {error:#}"));
            }
            // Whoever searches first would wait for it.
            if let Err(error) = supervisor.store().index_for_search(Some(site), usize::MAX).await {
                say(&format!("{site}: the index for searching is not up to date: {error:#}"));
            }
        }
        Ok(Outcome::Left) => {}
        Ok(Outcome::OthersCrawl) => put_back(supervisor, job, supervisor.now() + AFTER_OTHERS).await,
        Ok(Outcome::NotNow(Waiting { reasons, until })) => {
            let (time, when) = next_try(until, supervisor.now());
            say(&format!("{site} cannot go on: {}; it is tried again {when}", reasons.join("; ")));
            put_back(supervisor, job, time).await;
        }
        Err(error) => {
            say(&format!("{site} was not crawled: {error:#}; it is tried again in 15 minutes"));
            put_back(supervisor, job, supervisor.now() + AGAIN).await;
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
async fn put_back(supervisor: &Supervisor, job: Job, not_before: Timestamp) {
    let kind = StoredJob::read(&**supervisor.store(), &job.site).await;
    if matches!(kind, Ok(None)) {
        return;
    }
    supervisor.jobs.put_back(job, not_before);
}

async fn run(supervisor: &Supervisor, handle: RunningJob) -> anyhow::Result<Outcome> {
    let RunningJob { job, stop_handle, progress } = handle;
    let site = supervisor.sites.site(&job.site).await?;
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
    if supervisor.stop.is_set() {
        return Ok(Outcome::Left);
    }
    if stop_handle.asked() == Some(StopMode::Pause) {
        return Ok(Outcome::Over);
    }
    let opened = crawl::open(&settings, &*store).await?;
    let id = opened.crawl.id;
    supervisor.begin(&site.id, id).await?;
    // Before the crawl can end: whatever happens to this process then, the next one knows whom to tell.
    let targets = notify::names(&supervisor.sites.file()?)?;
    recrawl_notify::note(&*store, &targets, (&site.id, id), Occasion::Closed, supervisor.now()).await?;
    if settings.lacks_contact() {
        say(
            "note: the site's owner cannot reach you; name a page or an address as `contact` in the settings",
        );
    }
    say(&format!("{}: {id} {}", site.id, if opened.resumed { "goes on" } else { "begins" }));
    let watched = Arc::new(Watched::begin(&*store, &opened.crawl, progress).await?);
    let manner = RunOptions { due: false, follows_another: true };
    let crawled = crawl::run(&settings, opened, manner, store.clone(), stop_handle, watched.clone()).await?;
    match crawled.ended {
        Ended::Closed(closed) => {
            watched.close();
            let how = match (&closed.ending, &closed.suspicion) {
                (_, Some(suspicion)) => format!("suspect: {}", suspicion.reason),
                (Ending::Partial(reason), None) => format!("partial: {reason}"),
                (Ending::Complete, None) => "complete".to_owned(),
            };
            say(&format!("{}: {id} is closed, {how}", site.id));
            supervisor.telling.notify_one();
            if settings.crawl.archive != ArchivePolicy::Never {
                supervisor.archiving.after_crawl(&site.id);
            }
            Ok(Outcome::Over)
        }
        Ended::Stopped if supervisor.stop.is_set() => Ok(Outcome::Left),
        Ended::Stopped => Ok(Outcome::Over),
        Ended::Waiting(waiting) => Ok(Outcome::NotNow(waiting)),
    }
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
