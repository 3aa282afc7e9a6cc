//! Measures the pages of `recrawl serve` over Firestore: the time and the billed reads of each, for a process that has
//! just begun (cold) and again (warm).
//!
//! `cargo build --profile dist -p crawl-fn && cargo run --profile dist -p emulator-tests --example pages -- 3500`

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use std::time::Duration;

use anyhow::{Context, Result};
use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use emulator_tests::driver::{Manner, bring_all};
use emulator_tests::looking::Looking;
use emulator_tests::town;
use recrawl_testkit::site::Site;

#[tokio::main]
async fn main() -> Result<()> {
    let pages: usize = std::env::args().nth(1).map_or(Ok(3_500), |text| text.parse())?;
    let site = Site::start().await;
    let settings = vec![("RECRAWL_DELAY", "0.001".to_owned()), ("RECRAWL_RECHECK_SHARE", "0".to_owned())];
    let cloud = Cloud::deploy(site, Delivery::ByTest, Wishes { settings, ..Wishes::default() }).await?;
    let mut crawls = Vec::new();
    for week in 0..2 {
        town::plant(&cloud.site, pages, week);
        cloud.trigger().await?;
        bring_all(&cloud, &Manner::default(), |_| false).await?;
        crawls.push(cloud.tick_until_closed(week + 1, Duration::from_mins(10)).await?);
    }
    let last = crawls.last().context("two crawls")?;
    cloud.figures_of(last, Duration::from_mins(10)).await?;
    println!(
        "{:<22} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "page", "cold ms", "cpu ms", "reads", "warm ms", "cpu ms", "reads", "kB"
    );
    for (name, address) in town::addresses(&cloud, last) {
        // Each by a process of its own: what one page has read, another need not.
        let looking = Looking::at(&cloud).await?;
        let (cold, warm) = (looking.look(&address).await?, looking.look(&address).await?);
        println!(
            "{name:<22} {:>8.0} {:>8.0} {:>8} {:>8.0} {:>8.0} {:>8} {:>8}",
            cold.took.as_secs_f64() * 1e3,
            cold.processor.as_secs_f64() * 1e3,
            cold.reads,
            warm.took.as_secs_f64() * 1e3,
            warm.processor.as_secs_f64() * 1e3,
            warm.reads,
            warm.page.len() / 1000,
        );
    }
    Ok(())
}
