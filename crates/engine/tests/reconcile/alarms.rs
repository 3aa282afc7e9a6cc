//! What somebody should look at is in the log, in the field `alarm`.

use recrawl_core::model::crawl::Ending;
use recrawl_testkit::log::Log;
use tracing::subscriber::DefaultGuard;

use crate::harness::{CRAWL, Harness, minute};
use crate::suspect::suspect_week;

const DAY: i64 = 24 * 60;

/// Keeps what is logged on this thread.
fn listen() -> (Log, DefaultGuard) {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    (log, tracing::subscriber::set_default(subscriber))
}

#[tokio::test]
async fn a_crawl_that_is_open_for_a_day_is_an_alarm_with_each_tick() {
    let (log, _guard) = listen();
    let harness = Harness::new().await;
    harness.open(CRAWL).await;
    harness.maintenance.tick(&|_, _| true, minute(DAY - 1)).await.unwrap();
    assert!(!log.text().contains("alarm"), "{}", log.text());
    for now in [DAY, DAY + 10] {
        harness.maintenance.tick(&|_, _| true, minute(now)).await.unwrap();
    }
    assert_eq!(log.text().matches(r#"alarm="overlong""#).count(), 2, "{}", log.text());
}

#[tokio::test]
async fn eight_days_without_a_crawl_are_an_alarm_once_a_day() {
    let (log, _guard) = listen();
    let harness = Harness::new().await;
    harness.open(CRAWL).await;
    harness.visit(CRAWL, "/", minute(0), &[]).await;
    harness.close(CRAWL, Ending::Complete).await;
    harness.tick(minute(8 * DAY - 1)).await;
    assert!(!log.text().contains("alarm"), "{}", log.text());
    for (day, alarms) in [(9, 1), (10, 2)] {
        for tick in 0..3 {
            harness.tick(minute(day * DAY + 10 * tick)).await;
        }
        assert_eq!(log.text().matches(r#"alarm="overdue""#).count(), alarms, "{}", log.text());
    }
}

#[tokio::test]
async fn an_unusual_crawl_is_an_alarm() {
    let (log, _guard) = listen();
    let harness = suspect_week().await;
    harness.tick(minute(15)).await;
    assert_eq!(log.text().matches(r#"alarm="unusual""#).count(), 1, "{}", log.text());
}
