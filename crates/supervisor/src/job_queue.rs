//! The job queue: which site is crawled, and which ones wait. One crawl at a time, because one crawl keeps the pace of a host.

use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use recrawl_core::model::ids::SiteId;
use recrawl_core::url::HostKey;
use recrawl_engine::{StopHandle, StopMode};
use recrawl_web::crawl_control::{NextTry, Progress};
use tokio::sync::{Notify, watch};

use crate::stored_job::JobKind;

/// Why a crawl that a person stopped is partial.
pub(crate) const BY_HAND: StopMode = StopMode::Close("it was stopped by hand");

/// A job that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) site: SiteId,
    pub(crate) kind: JobKind,
    /// It could not be done, and runs at this time at the earliest.
    pub(crate) next_try: Option<NextTry>,
}

/// The crawl that is under way.
#[derive(Debug)]
pub(crate) struct Running {
    site: SiteId,
    kind: JobKind,
    stop_handle: StopHandle,
    progress: watch::Receiver<Option<Progress>>,
    hosts: Vec<HostKey>,
}

/// What the worker needs to run a crawl that others can watch and stop.
pub(crate) struct RunningJob {
    pub(crate) job: Job,
    pub(crate) stop_handle: StopHandle,
    pub(crate) progress: watch::Sender<Option<Progress>>,
}

/// Where a site stands in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobState {
    /// Nowhere.
    Out,
    /// It waits.
    Waiting(JobKind),
    /// It is under way.
    Running,
    /// It is under way, and shall be paused or closed.
    Ending,
}

/// Jobs in the order in which they run.
#[derive(Debug, Default)]
pub(crate) struct JobQueue {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<Job>,
    running: Option<Running>,
}

impl JobQueue {
    /// Puts a site at the end of the queue; one that waits keeps its place, and waits for the new kind.
    pub(crate) fn join(&self, site: &SiteId, kind: JobKind) {
        let mut state = self.state();
        match state.waiting.iter_mut().find(|job| job.site == *site) {
            Some(job) => *job = Job { kind, next_try: None, ..job.clone() },
            None => state.waiting.push(Job { site: site.clone(), kind, next_try: None }),
        }
        self.changed.notify_one();
    }

    /// Puts back what could not be done, to be tried again, unless another job for the site was queued meanwhile.
    pub(crate) fn put_back(&self, job: Job, next_try: NextTry) {
        let mut state = self.state();
        if !state.waiting.iter().any(|waiting| waiting.site == job.site) {
            state.waiting.push(Job { next_try: Some(next_try), ..job });
        }
    }

    /// Takes a site out of the queue.
    pub(crate) fn leave(&self, site: &SiteId) {
        self.state().waiting.retain(|job| job.site != *site);
    }

    /// Asks the crawl of a site to end, if it is under way.
    pub(crate) fn ask_to_stop(&self, site: &SiteId, stop_mode: StopMode) {
        if let Some(running) = self.state().running.as_ref().filter(|running| running.site == *site) {
            running.stop_handle.ask(stop_mode);
        }
    }

    /// Pauses the crawl under way.
    pub(crate) fn pause(&self) {
        if let Some(running) = &self.state().running {
            running.stop_handle.ask(StopMode::Pause);
        }
    }

    /// Returns where a site is. One that is under way and waits for another job is ending.
    pub(crate) fn state_of(&self, site: &SiteId) -> JobState {
        let state = self.state();
        if let Some(running) = state.running.as_ref().filter(|running| running.site == *site) {
            return if running.stop_handle.asked().is_some() { JobState::Ending } else { JobState::Running };
        }
        let waiting = state.waiting.iter().find(|job| job.site == *site);
        waiting.map_or(JobState::Out, |job| JobState::Waiting(job.kind))
    }

    /// Returns when the job of a site is tried again that could not be done.
    pub(crate) fn next_try(&self, site: &SiteId) -> Option<NextTry> {
        self.state().waiting.iter().find(|job| job.site == *site)?.next_try.clone()
    }

    /// Tells whether a site is being forgotten.
    pub(crate) fn removes(&self, site: &SiteId) -> bool {
        let state = self.state();
        state.running.as_ref().is_some_and(|running| running.site == *site && running.kind == JobKind::Remove)
    }

    /// Tells whether a site waits for a job, be it under way or not.
    pub(crate) fn waits(&self, site: &SiteId) -> bool {
        self.state().waiting.iter().any(|job| job.site == *site)
    }

    /// Tells whether a crawl is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.state().running.is_some()
    }

    /// Tells whether the crawl under way may ask `host`.
    pub(crate) fn asks(&self, host: &HostKey) -> bool {
        let below = |known: &HostKey| host.as_str().ends_with(&format!(".{known}"));
        let state = self.state();
        state.running.iter().flat_map(|running| &running.hosts).any(|known| known == host || below(known))
    }

    /// Notes which hosts the crawl under way asks.
    pub(crate) fn note_hosts(&self, hosts: Vec<HostKey>) {
        if let Some(running) = &mut self.state().running {
            running.hosts = hosts;
        }
    }

    /// Returns the progress of the crawl of a site, if it is under way.
    pub(crate) fn progress(&self, site: &SiteId) -> Option<watch::Receiver<Option<Progress>>> {
        let state = self.state();
        let running = state.running.as_ref().filter(|running| running.site == *site);
        running.map(|running| running.progress.clone())
    }

    /// Takes the first whose time has come, unless something is under way.
    pub(crate) fn take(&self, now: Timestamp) -> Option<RunningJob> {
        let mut state = self.state();
        let is_due = |job: &Job| job.next_try.as_ref().is_none_or(|next| next.at <= now);
        let first = state.waiting.iter().position(is_due).filter(|_| state.running.is_none())?;
        let job = state.waiting.remove(first);
        let (sender, progress) = watch::channel(None);
        let stop_handle = StopHandle::default();
        if job.kind == JobKind::Close {
            stop_handle.ask(BY_HAND);
        }
        state.running = Some(Running {
            site: job.site.clone(),
            kind: job.kind,
            stop_handle: stop_handle.clone(),
            progress,
            hosts: Vec::new(),
        });
        Some(RunningJob { job, stop_handle, progress: sender })
    }

    /// Notes that nothing is under way any more.
    pub(crate) fn end(&self) {
        self.state().running = None;
    }

    /// Waits until somebody queues a job.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(name: &str) -> SiteId {
        name.parse().unwrap()
    }

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    #[test]
    fn one_is_crawled_at_a_time_and_others_wait_in_order() {
        let jobs = JobQueue::default();
        for name in ["a", "b", "a"] {
            jobs.join(&site(name), JobKind::Crawl);
        }
        let first = jobs.take(NOW).unwrap();
        assert_eq!((first.job.site.as_str(), jobs.state_of(&site("a"))), ("a", JobState::Running));
        assert_eq!(jobs.state_of(&site("b")), JobState::Waiting(JobKind::Crawl));
        assert!(jobs.take(NOW).is_none(), "a is under way");
        jobs.end();
        assert_eq!(jobs.take(NOW).unwrap().job.site, site("b"));
        jobs.end();
        assert!(jobs.take(NOW).is_none(), "a was queued once");
    }

    #[test]
    fn what_is_put_back_waits_for_its_time_unless_somebody_asks() {
        let jobs = JobQueue::default();
        jobs.join(&site("a"), JobKind::Crawl);
        let job = jobs.take(NOW).unwrap().job;
        jobs.end();
        let later = NOW + jiff::SignedDuration::from_mins(15);
        let silent = NextTry { at: later, why: "its host does not answer".to_owned() };
        jobs.put_back(job, silent.clone());
        assert!(jobs.take(NOW).is_none());
        assert_eq!(jobs.next_try(&site("a")), Some(silent.clone()), "whoever asks is told why");
        jobs.join(&site("a"), JobKind::Crawl);
        assert_eq!(jobs.next_try(&site("a")), None);
        assert!(jobs.take(NOW).is_some());
        jobs.end();
        jobs.put_back(Job { site: site("a"), kind: JobKind::Crawl, next_try: None }, silent);
        assert!(jobs.take(later).is_some());
    }

    #[test]
    fn a_crawl_that_is_asked_to_stop_is_ending_and_one_to_be_closed_is_so_from_the_start() {
        let jobs = JobQueue::default();
        jobs.join(&site("a"), JobKind::Crawl);
        let handle = jobs.take(NOW).unwrap();
        jobs.ask_to_stop(&site("b"), StopMode::Pause);
        assert_eq!(handle.stop_handle.asked(), None, "b is not under way");
        jobs.ask_to_stop(&site("a"), StopMode::Pause);
        assert_eq!(
            (handle.stop_handle.asked(), jobs.state_of(&site("a"))),
            (Some(StopMode::Pause), JobState::Ending)
        );
        jobs.end();
        jobs.join(&site("a"), JobKind::Close);
        assert_eq!(jobs.take(NOW).unwrap().stop_handle.asked(), Some(BY_HAND));
    }

    #[test]
    fn hosts_below_those_of_the_crawl_count_as_asked() {
        let jobs = JobQueue::default();
        jobs.join(&site("a"), JobKind::Crawl);
        let _handle = jobs.take(NOW).unwrap();
        jobs.note_hosts(vec!["example.org".parse().unwrap()]);
        for (host, expected) in [("example.org", true), ("a.example.org", true), ("ample.org", false)] {
            assert_eq!(jobs.asks(&host.parse().unwrap()), expected, "{host}");
        }
        jobs.end();
        assert!(!jobs.asks(&"example.org".parse().unwrap()));
    }
}
