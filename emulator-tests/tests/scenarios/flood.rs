//! Hundreds of pushes at once, cut off at the deadline and delivered anew, as production does.

use std::time::Duration;

use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use emulator_tests::driver::{Manner, bring_all};
use emulator_tests::weeks;
use recrawl_testkit::site::Site;

use crate::PATIENCE;

const PAGES: usize = 500;
const DELAY: Duration = Duration::from_millis(40);

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_pushes_keeps_the_rate_and_loses_nothing() {
    let site = Site::start().await;
    weeks::plant_first_week(&site, PAGES);
    let settings = vec![
        ("RECRAWL_DELAY", DELAY.as_secs_f64().to_string()),
        // All of them together would wait for longer than the deadline permits, and they come twice.
        ("RECRAWL_ACK_DEADLINE", "10".to_owned()),
    ];
    let cloud =
        Cloud::deploy(site, Delivery::ByTest, Wishes { settings, ..Wishes::default() }).await.unwrap();
    cloud.trigger().await.unwrap();
    let manner = Manner { times: 2, deadline: Duration::from_secs(10), at_once: 1_000, ..Manner::default() };
    let brought = bring_all(&cloud, &manner, |_| false).await.unwrap();
    assert_eq!((brought.refused, brought.cut_off), (0, 0), "no more came than could wait");
    let crawl = cloud.tick_until_closed(1, PATIENCE).await.unwrap();
    assert_eq!(cloud.verdicts(&crawl).await.unwrap(), weeks::first_verdicts(PAGES));
    let log = cloud.site.log();
    let gaps: Vec<Duration> =
        log.windows(2).map(|pair| pair[1].arrival.duration_since(pair[0].arrival)).collect();
    // A busy machine reads requests late, and then two of them close together; no request comes before its turn.
    let early = gaps.iter().filter(|gap| **gap < DELAY.mul_f64(0.8)).count();
    assert!(early * 10 <= gaps.len(), "{early} of {} requests came early", gaps.len());
    let first = log[0].arrival;
    let ahead = (0..).zip(&log).find(|(turn, request)| request.arrival + DELAY * 25 < first + DELAY * *turn);
    assert!(ahead.is_none(), "request {:?} came ahead of its turn", ahead.map(|(turn, _)| turn));
    let whole: Duration = gaps.iter().sum();
    let least = DELAY * u32::try_from(gaps.len()).unwrap();
    assert!(whole >= least.mul_f64(0.98), "{whole:?} for {} requests", log.len());
    let mut paths: Vec<&str> = log.iter().map(|request| request.path.as_str()).collect();
    paths.sort_unstable();
    let total = paths.len();
    paths.dedup();
    assert_eq!(paths.len(), total, "no page is fetched twice");
    let peak = cloud.service.peak_memory().unwrap();
    assert!(peak < 100 << 20, "{} MB", peak >> 20);
}
