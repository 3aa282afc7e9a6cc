//! Requests that come whether or not earlier ones were answered, as people do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use reqwest::Client;
use serde::Serialize;
use tokio::task::JoinSet;

use super::served::Served;
use crate::report::float;

/// Requests a second: somewhat more than must be held, so that holding it can be told from nearly holding it.
const RATE: f64 = 210.0;

/// How long a request may take before it counts as failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// What became of the requests.
#[derive(Debug, Clone, Serialize, PartialEq)]
pub(crate) struct Load {
    /// Requests that were made.
    pub(crate) requests: u64,
    /// Those that were not answered with success, or too late.
    pub(crate) failed: u64,
    /// Successful answers a second, from the first request to the last answer.
    pub(crate) answered_a_second: f64,
    /// Milliseconds from the moment a request was due to its last byte: half and 99 of 100 took at most this.
    pub(crate) median_ms: f64,
    pub(crate) slow_ms: f64,
}

/// A load that is under way.
pub(super) struct Running {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Result<Load>>,
}

/// Asks for the pages in turn, from a thread of its own, until it is ended.
pub(super) fn start(page: &Served, paths: Vec<String>) -> Running {
    let urls: Vec<String> = paths.into_iter().map(|path| format!("{}{path}", page.base())).collect();
    let is_over = Arc::new(AtomicBool::new(false));
    let thread = std::thread::spawn({
        let is_over = Arc::clone(&is_over);
        move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(make(&urls, &is_over))
        }
    });
    Running { is_over, thread }
}

impl Running {
    /// Makes no further request, and waits for the last answers.
    pub(super) fn end(self) -> Result<Load> {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| anyhow!("the load broke off"))?
    }
}

async fn make(urls: &[String], is_over: &AtomicBool) -> Result<Load> {
    let client = Client::builder().no_proxy().timeout(PATIENCE).build()?;
    let started = Instant::now();
    let mut answers: JoinSet<Option<Duration>> = JoinSet::new();
    let mut requests = 0_u32;
    while !is_over.load(Ordering::Relaxed) {
        let due = started + Duration::from_secs_f64(f64::from(requests) / RATE);
        tokio::time::sleep_until(due.into()).await;
        let url = urls.get(requests as usize % urls.len().max(1)).context("there is nothing to ask for")?;
        let request = client.get(url).send();
        answers.spawn(async move {
            let response = request.await.ok()?.error_for_status().ok()?;
            response.bytes().await.ok()?;
            Some(due.elapsed())
        });
        requests += 1;
    }
    let answers = answers.join_all().await;
    Ok(judge(&answers, started.elapsed()))
}

fn judge(answers: &[Option<Duration>], whole: Duration) -> Load {
    let mut times: Vec<f64> = answers.iter().flatten().map(|time| time.as_secs_f64() * 1e3).collect();
    times.sort_by(f64::total_cmp);
    let at = |percent: usize| {
        times.get((times.len() * percent).div_ceil(100).saturating_sub(1)).copied().unwrap_or(f64::NAN)
    };
    let (requests, answered) = (answers.len() as u64, times.len() as u64);
    Load {
        requests,
        failed: requests - answered,
        answered_a_second: float(answered) / whole.as_secs_f64(),
        median_ms: at(50),
        slow_ms: at(99),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_no_answer_and_slow_is_what_one_in_a_hundred_exceeds() {
        let mut answers: Vec<Option<Duration>> =
            (1..=200).map(|ms| Some(Duration::from_millis(ms))).collect();
        answers.extend([None, None]);
        let load = judge(&answers, Duration::from_secs(2));
        let expected =
            Load { requests: 202, failed: 2, answered_a_second: 100.0, median_ms: 100.0, slow_ms: 198.0 };
        assert_eq!(load, expected);
    }
}
