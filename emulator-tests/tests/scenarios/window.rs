//! A large site through the 550 places of the service. The first one that is watched has 3,500 pages:
//! `RECRAWL_PAGES=3500 cargo test --workspace --test scenarios window -- --nocapture`

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use emulator_tests::driver::{Brought, Manner, bring_all};
use jiff::Timestamp;
use recrawl_testkit::site::{Page, Site};

use crate::pages_or;

/// More than the service has places.
const PAGES: usize = 900;
const SECTIONS: usize = 50;

/// How long a crawl may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(10);

/// Tells whether the sitemap of the second week says that a page changed.
fn is_newer(number: usize) -> bool {
    number % 10 == 3
}

fn plant(site: &Site, pages: usize, newer: &str) {
    let link = |number: usize| format!("<li><a href=/{number}>Page {number}</a>");
    let sections: String = (0..SECTIONS).map(link).collect();
    site.page("/", Page::html(format!("<title>Town</title><ul>{sections}</ul>")));
    let mut entries = String::new();
    for number in 0..pages {
        // A section leads to its pages.
        let of_section = (SECTIONS..pages).filter(|page| number < SECTIONS && page % SECTIONS == number);
        let links: String = of_section.map(link).collect();
        let words = if is_newer(number) { newer } else { "as ever" };
        site.page(
            &format!("/{number}"),
            Page::html(format!("<title>{number}</title><p>{number} {words}</p>{links}")),
        );
        let lastmod = if is_newer(number) { newer } else { "2020-01-01" };
        let _ = write!(
            entries,
            "<url><loc>{}</loc><lastmod>{lastmod}</lastmod></url>",
            site.at(&format!("/{number}"))
        );
    }
    site.page("/sitemap.xml", Page::xml(format!("<urlset>{entries}</urlset>")));
}

/// Brings messages and ticks until this many crawls are closed.
async fn crawl(cloud: &Cloud, manner: &Manner, crawls: usize) -> (String, Brought) {
    cloud.trigger().await.unwrap();
    let ticking = cloud.tick_until_closed(crawls, PATIENCE);
    let bringing = async {
        let mut brought = Brought::default();
        while cloud.closed_crawls().await.unwrap().len() < crawls {
            brought += bring_all(cloud, manner, |_| false).await.unwrap();
        }
        brought
    };
    let (crawl, brought) = tokio::join!(ticking, bringing);
    (crawl.unwrap(), brought)
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_sent_away_or_cut_off_and_the_best_pages_come_first() {
    let pages = pages_or(PAGES);
    let site = Site::start().await;
    plant(&site, pages, "2020-01-01");
    let settings = vec![
        ("RECRAWL_DELAY", "0.005".to_owned()),
        ("RECRAWL_SITEMAP_CACHE", "0".to_owned()),
        ("RECRAWL_RECHECK_SHARE", "0".to_owned()),
    ];
    let cloud =
        Cloud::deploy(site, Delivery::ByTest, Wishes { settings, ..Wishes::default() }).await.unwrap();
    let manner = Manner { at_once: 2_000, ..Manner::default() };
    for (week, times) in [(1, 1), (2, 2)] {
        cloud.site.clear_log();
        if week == 2 {
            plant(&cloud.site, pages, &Timestamp::now().to_string());
        }
        let (crawl, brought) = crawl(&cloud, &Manner { times, ..manner.clone() }, week).await;
        println!("week {week}: {brought:?}");
        assert!(brought.share_refused() <= 0.02 && brought.cut_off == 0, "week {week}: {brought:?}");
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for verdict in cloud.verdicts(&crawl).await.unwrap().into_values() {
            *counts.entry(verdict).or_default() += 1;
        }
        let expected = match week {
            1 => vec![("new".to_owned(), pages + 1)],
            _ => vec![("changed".to_owned(), pages / 10), ("unchanged".to_owned(), pages + 1 - pages / 10)],
        };
        assert_eq!(counts, expected.into_iter().collect(), "week {week}");
    }
    let log = cloud.site.log();
    let asked: Vec<usize> = log.iter().filter_map(|request| request.path[1..].parse().ok()).collect();
    assert_eq!(asked.len(), pages, "each page is asked for once");
    let newer = pages / 10;
    let early = asked[..newer + newer / 10].iter().filter(|number| is_newer(**number)).count();
    println!("{early} of {newer} newer pages among the first");
    assert!(early * 10 >= newer * 9, "{early} of {newer}");
}
