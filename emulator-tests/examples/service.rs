//! Measures crawl-fn on the emulators: how soon it listens, its memory, its processor time a page.
//!
//! `cargo build --profile dist -p crawl-fn && cargo run --profile dist -p emulator-tests --example service -- 3500`
//!
//! With a second argument, `hostile`, every tenth page is 10 MB of text, of links or of formatting that a tree builder
//! repeats: the peak says whether memory follows the size of a page there, too.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use std::time::Duration;

use anyhow::Result;
use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use emulator_tests::driver::{Manner, bring_all};
use emulator_tests::weeks;
use recrawl_core::ports::History;
use recrawl_testkit::site::{Page, Site};

/// Puts pages of 10 MB, compressed, in the place of every tenth page.
fn plant_hostile_pages(site: &Site, pages: usize) {
    for number in (0..pages).step_by(10) {
        let body = match number / 10 % 3 {
            0 => format!("<h1>{number}</h1>{}", "<p>many words of no interest\n".repeat(370_000)),
            1 => {
                let link = |link| format!("<a href=\"https://elsewhere.example/{number}/{link}\">x</a> ");
                (0..180_000).map(link).collect::<Vec<String>>().concat()
            }
            _ => {
                let font = |color| format!("<font color={color} face=a{number} size=3>");
                let fonts: Vec<String> = (0..100).map(font).collect();
                format!("<p>{}</p>{}", fonts.concat(), "<p>x</p>".repeat(1_200_000))
            }
        };
        site.page(&format!("/further/{number}"), Page::html(body).gzipped());
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let pages: usize = std::env::args().nth(1).map_or(Ok(3_500), |text| text.parse())?;
    let site = Site::start().await;
    weeks::plant_first_week(&site, pages);
    if std::env::args().nth(2).as_deref() == Some("hostile") {
        plant_hostile_pages(&site, pages);
    }
    let settings = vec![("RECRAWL_DELAY", "0.001".to_owned())];
    let cloud = Cloud::deploy(site, Delivery::ByTest, Wishes { settings, ..Wishes::default() }).await?;
    println!("listens after {:.0} ms", cloud.service.listened_after().as_secs_f64() * 1e3);
    for week in 1..=2 {
        let before = cloud.service.processor_seconds()?;
        cloud.trigger().await?;
        bring_all(&cloud, &Manner::default(), |_| false).await?;
        let visits = cloud.service.processor_seconds()? - before;
        let crawl = cloud.tick_until_closed(week, Duration::from_mins(5)).await?;
        let whole = cloud.service.processor_seconds()? - before;
        let store = cloud.store().await?;
        let operations = store.operations(&"default".parse()?, crawl.parse()?).await?.unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
        let recorded = cloud.verdicts(&crawl).await?.len() as f64;
        println!(
            "week {week}: {recorded} pages, {:.2} ms of processor a visit, {:.2} ms with audit and closing, \
             peak {} MB, {operations:?}",
            visits / recorded * 1e3,
            whole / recorded * 1e3,
            cloud.service.peak_memory()? >> 20,
        );
    }
    Ok(())
}
