//! The clock for people without Cloud Scheduler, at planted times.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use recrawl_core::memory::MemoryStore;
use recrawl_core::ports::QueueError;
use recrawl_core::url::PageUrl;
use scheduler::{Schedule, Trigger, Weekly};

#[derive(Default)]
struct Wishes {
    seeds: Mutex<u32>,
    ticks: Mutex<u32>,
    is_down: AtomicBool,
}

impl Wishes {
    fn take(&self) -> (u32, u32) {
        (std::mem::take(&mut self.seeds.lock().unwrap()), std::mem::take(&mut self.ticks.lock().unwrap()))
    }

    fn count(&self, counter: &Mutex<u32>) -> Result<(), QueueError> {
        if self.is_down.load(Ordering::Relaxed) {
            return Err(QueueError::Unavailable("planted".into()));
        }
        *counter.lock().unwrap() += 1;
        Ok(())
    }
}

#[async_trait]
impl Trigger for Wishes {
    async fn seed(&self, root: &PageUrl) -> Result<(), QueueError> {
        assert_eq!(root.as_str(), "https://example.org/");
        self.count(&self.seeds)
    }

    async fn tick(&self) -> Result<(), QueueError> {
        self.count(&self.ticks)
    }
}

struct Harness {
    wishes: Arc<Wishes>,
    state_store: Arc<MemoryStore>,
    clock: Weekly,
}

fn clock(wishes: &Arc<Wishes>, state_store: &Arc<MemoryStore>) -> Weekly {
    let root = "https://example.org/".parse().unwrap();
    let schedule = Schedule::new("0 3 * * 1", "Etc/UTC").unwrap();
    Weekly::new(root, schedule, wishes.clone(), state_store.clone())
}

impl Harness {
    fn new() -> Self {
        let (wishes, state_store) = (Arc::default(), Arc::default());
        let clock = clock(&wishes, &state_store);
        Self { wishes, state_store, clock }
    }

    fn restart(&mut self) {
        self.clock = clock(&self.wishes, &self.state_store);
    }

    /// Looks at the clock at this time of Monday, 2026-11-16; returns how many crawls it asked for.
    async fn at(&mut self, time: &str) -> u32 {
        self.clock.step(monday(time)).await;
        self.wishes.take().0
    }
}

fn monday(time: &str) -> Timestamp {
    format!("2026-11-16T{time}Z").parse().unwrap()
}

#[tokio::test]
async fn a_crawl_is_asked_for_once_at_its_time() {
    let mut harness = Harness::new();
    let wake = harness.clock.step(monday("02:55:00")).await;
    assert_eq!(wake, monday("03:00:00"), "the start is nearer than the next tick");
    assert_eq!(harness.wishes.take(), (0, 1));
    for (time, seeds) in [("02:59:59", 0), ("03:00:00", 1), ("03:00:01", 0), ("04:30:00", 0)] {
        assert_eq!(harness.at(time).await, seeds, "{time}");
    }
    let next_week = monday("03:00:02") + SignedDuration::from_hours(7 * 24);
    harness.clock.step(next_week).await;
    assert_eq!(harness.wishes.take().0, 1);
}

#[tokio::test]
async fn a_tick_is_asked_for_every_ten_minutes() {
    let mut harness = Harness::new();
    for (time, ticks, wake) in [
        ("12:00:00", 1, "12:10:00"),
        ("12:05:00", 0, "12:10:00"),
        ("12:09:59", 0, "12:10:00"),
        ("12:10:03", 1, "12:20:03"),
    ] {
        assert_eq!(harness.clock.step(monday(time)).await, monday(wake), "{time}");
        assert_eq!(harness.wishes.take().1, ticks, "{time}");
    }
}

#[tokio::test]
async fn a_start_that_fell_into_a_pause_of_less_than_an_hour_is_made_up_for_once() {
    for (back, seeds) in [("03:00:00", 1), ("03:59:59", 1), ("04:00:00", 0), ("09:00:00", 0)] {
        let mut harness = Harness::new();
        assert_eq!(harness.at("01:00:00").await, 0);
        harness.restart();
        assert_eq!(harness.at(back).await, seeds, "{back}");
        harness.restart();
        assert_eq!(harness.at(back).await, 0, "{back}");
    }
}

#[tokio::test]
async fn a_clock_that_was_years_ahead_and_is_set_right_stops_no_start() {
    for restarts in [false, true] {
        let mut harness = Harness::new();
        let ahead: Timestamp = "2030-01-07T02:00:00Z".parse().unwrap();
        harness.clock.step(ahead).await;
        harness.clock.step(ahead + SignedDuration::from_hours(1)).await;
        assert_eq!(harness.wishes.take().0, 1);
        if restarts {
            harness.restart();
        }
        for (time, seeds) in [("02:00:00", 0), ("03:00:00", 1), ("03:00:01", 0)] {
            let wake = harness.clock.step(monday(time)).await;
            assert!(wake < monday("23:00:00"), "nobody sleeps until 2030: {wake}");
            let (asked, _) = harness.wishes.take();
            assert_eq!(asked, seeds, "{time}, restarted: {restarts}");
        }
    }
}

#[tokio::test]
async fn the_first_time_nothing_is_made_up_for() {
    assert_eq!(Harness::new().at("03:00:01").await, 0);
}

#[tokio::test]
async fn what_was_not_taken_is_tried_again_for_an_hour() {
    let mut harness = Harness::new();
    harness.at("02:00:00").await;
    harness.wishes.is_down.store(true, Ordering::Relaxed);
    assert_eq!(harness.clock.step(monday("03:00:00")).await, monday("03:00:30"));
    harness.wishes.is_down.store(false, Ordering::Relaxed);
    assert_eq!(harness.at("03:00:30").await, 1);
    assert_eq!(harness.at("03:01:00").await, 0);
}
