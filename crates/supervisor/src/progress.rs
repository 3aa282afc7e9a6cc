//! The progress of the crawl that is running, for people who watch it.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::stream;
use jiff::{SignedDuration, Timestamp};
use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::History;
use recrawl_engine::{Event, Observer};
use recrawl_reports::duration;
use recrawl_web::Clock;
use recrawl_web::crawl_control::{FoundSoFar, LatestPage, Pace, Progress, ProgressStream};
use tokio::sync::watch;

use crate::Say;

/// At most four times a second: nobody reads faster.
const PAUSE: Duration = Duration::from_millis(250);

/// What is counted, in the order of [`FoundSoFar`].
const COUNTED: [Verdict; 4] = [Verdict::New, Verdict::Changed, Verdict::Gone, Verdict::Failed];

/// How many records are read at once.
const CHUNK: usize = 1_000;

/// How many of the last pages are named.
const LATEST: usize = 10;

/// Over which time the rate is measured.
const WINDOW: SignedDuration = SignedDuration::from_mins(1);

/// A pause that people wonder about.
const LONG: Duration = Duration::from_secs(5);

/// Tells those who watch how a crawl comes on, and the person at the terminal what is not as it should be.
pub(crate) struct Watched {
    site: SiteId,
    progress: watch::Sender<Option<Progress>>,
    say: Say,
    clock: Clock,
    /// When the last pages were recorded, the oldest first.
    lately: Mutex<VecDeque<Timestamp>>,
}

impl Watched {
    /// Begins with what earlier runs of the crawl found.
    pub(crate) async fn begin(
        store: &dyn History,
        crawl: &Crawl,
        progress: watch::Sender<Option<Progress>>,
        say: Say,
        clock: Clock,
    ) -> anyhow::Result<Self> {
        let (mut found, mut last) = (FoundSoFar::default(), None);
        loop {
            let records = store.records(&crawl.site, crawl.id, &COUNTED, last.as_ref(), CHUNK).await?;
            let Some(record) = records.last() else { break };
            last = Some(record.url.clone());
            for record in &records {
                count(&mut found, record.visit.verdict);
            }
        }
        progress.send_replace(Some(Progress {
            crawl: crawl.id,
            done: Some(0),
            waiting: None,
            found: Some(found),
            last_visit: store.last_visit(&crawl.site, crawl.id).await?,
            pace: Some(Pace { since: clock(), read: 0, pages_a_second: None, seconds_left: None }),
            latest: Vec::new(),
            waits: None,
            closed: false,
        }));
        let lately = Mutex::default();
        Ok(Self { site: crawl.site.clone(), progress, say, clock, lately })
    }

    /// Tells that the crawl is closed.
    pub(crate) fn close(&self) {
        self.change(|progress| progress.closed = true);
    }

    /// Notes a page, and returns how many come a second.
    fn pages_a_second(&self) -> Option<f64> {
        let now = (self.clock)();
        let mut lately = self.lately.lock().unwrap_or_else(PoisonError::into_inner);
        lately.push_back(now);
        while lately.len() > 2 && lately.front().is_some_and(|first| now.duration_since(*first) > WINDOW) {
            lately.pop_front();
        }
        let took = now.duration_since(*lately.front()?).as_secs_f64();
        // A rate over a moment says nothing.
        #[expect(clippy::cast_precision_loss, reason = "a minute of pages is a small number")]
        (took >= 1.0).then(|| (lately.len() - 1) as f64 / took)
    }

    /// Says that a host is waited for.
    fn waits(&self, host: &str, reason: &str, wait: Duration) {
        let until = (self.clock)() + SignedDuration::try_from(wait).unwrap_or(SignedDuration::ZERO);
        let at = until.strftime("%H:%M:%S");
        let words =
            format!("{host} is left alone until {at} (UTC), in {}: {reason}", duration(wait.as_secs()));
        self.change(|progress| progress.waits = Some(words));
    }

    fn change(&self, change: impl FnOnce(&mut Progress)) {
        self.progress.send_modify(|progress| {
            if let Some(progress) = progress {
                change(progress);
            }
        });
    }
}

impl Observer for Watched {
    fn on(&self, event: Event<'_>) {
        match event {
            Event::Resumed { recorded, waiting } => self.change(|progress| {
                progress.done = Some(recorded);
                progress.waiting = Some(waiting);
            }),
            Event::Recorded { record, waiting } => {
                let pages_a_second = self.pages_a_second();
                self.change(|progress| {
                    progress.done = progress.done.map(|done| done + 1);
                    progress.waiting = Some(waiting as u64);
                    progress.last_visit = progress.last_visit.max(Some(record.visit.fetched_at));
                    if let Some(found) = &mut progress.found {
                        count(found, record.visit.verdict);
                        found.not_modified += u64::from(record.visit.not_modified);
                    }
                    if let Some(pace) = &mut progress.pace {
                        pace.read += 1;
                        pace.pages_a_second = pages_a_second;
                        pace.seconds_left = pages_a_second.map(|rate| seconds(waiting, rate));
                    }
                    progress.latest.insert(0, latest(record));
                    progress.latest.truncate(LATEST);
                    progress.waits = None;
                });
            }
            Event::Retrying { url, reason, wait: Some(wait), .. } if wait >= LONG => {
                self.waits(url.host(), reason, wait);
            }
            Event::Silent { host, reason, wait: Some(wait), .. } if wait >= LONG => {
                self.waits(host.as_str(), reason, wait);
            }
            Event::Warning(warning) => (self.say)(&format!("{}: {warning}", self.site)),
            Event::Retrying { .. }
            | Event::Silent { .. }
            | Event::Sitemap { .. }
            | Event::Decided { .. }
            | Event::Audited(_)
            | Event::Confirming(_)
            | Event::Rechecking(_) => {}
        }
    }
}

fn latest(record: &PageRecord) -> LatestPage {
    let visit = &record.visit;
    LatestPage {
        url: record.url.clone(),
        status: if visit.not_modified { Some(304) } else { visit.status },
        kind: visit.verdict,
        fetch_ms: visit.fetch_ms,
    }
}

/// Returns how many seconds so many pages take.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "an estimate, and a cast of a float saturates"
)]
fn seconds(pages: usize, a_second: f64) -> u64 {
    (pages as f64 / a_second.max(f64::MIN_POSITIVE)).ceil() as u64
}

fn count(found: &mut FoundSoFar, verdict: Verdict) {
    let counts = [&mut found.new, &mut found.changed, &mut found.gone, &mut found.failed];
    for (counted, count) in COUNTED.into_iter().zip(counts) {
        *count += u64::from(counted == verdict);
    }
}

/// Follows a crawl until it is closed or rests.
pub(crate) fn follow(mut progress: watch::Receiver<Option<Progress>>) -> ProgressStream {
    progress.mark_changed();
    Box::pin(stream::unfold((progress, false), |(mut progress, paused)| async move {
        if paused {
            tokio::time::sleep(PAUSE).await;
        }
        loop {
            progress.changed().await.ok()?;
            let latest = progress.borrow_and_update().clone();
            if let Some(latest) = latest {
                return Some((latest, (progress, true)));
            }
        }
    }))
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt;

    use super::*;

    fn progress(done: u64, closed: bool) -> Progress {
        let crawl = "crawl-2026-11-16".parse().unwrap();
        Progress {
            crawl,
            done: Some(done),
            waiting: None,
            found: None,
            last_visit: None,
            pace: None,
            latest: Vec::new(),
            waits: None,
            closed,
        }
    }

    #[tokio::test]
    async fn a_watcher_sees_the_latest_and_the_end_and_not_every_step() {
        let (sender, receiver) = watch::channel(None);
        let mut seen = follow(receiver);
        sender.send_replace(Some(progress(1, false)));
        assert_eq!(seen.next().await, Some(progress(1, false)));
        for done in 2..100 {
            sender.send_replace(Some(progress(done, false)));
        }
        assert_eq!(seen.next().await, Some(progress(99, false)));
        sender.send_replace(Some(progress(100, true)));
        drop(sender);
        assert_eq!(seen.next().await, Some(progress(100, true)));
        assert_eq!(seen.next().await, None);
    }
}
