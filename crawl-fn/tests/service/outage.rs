//! A site that is back after an outage that was told is nothing unusual, and what an accepted crawl told is not told again.

use jiff::Timestamp;
use recrawl_core::model::crawl::Closed;
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::shared_change::{SharedBy, SharedChange};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, Store};
use recrawl_testkit::site::{Page, Site};

use crate::stage::{Stage, site_id};

const PAGES: usize = 24;
const OUTAGE: &str = "Live data is being updated.";

/// A word that only this number has: lines that differ in numbers alone are one shared change.
fn word(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'k')).chain("ford".chars()).collect()
}

fn path(number: usize) -> String {
    if number == 0 { "/".to_owned() } else { format!("/p{number}") }
}

fn page(number: usize, menu: &str, last: &str) -> Page {
    let links = if number == 0 { 1..PAGES } else { 0..0 };
    let links: String = links.map(|other| format!("<a href=/p{other}>{}</a> ", word(other))).collect();
    let prose: String = ["street", "bridge", "garden", "school", "market", "tower"]
        .map(|thing| format!("<p>The {thing} of {} is looked after by its neighbours.</p>", word(number)))
        .concat();
    let name = word(number);
    Page::html(format!(
        "<title>{name}</title><nav>{menu}</nav><main><h1>{name}</h1>{links}{prose}<p>{last}</p></main>"
    ))
}

fn plant(site: &Site, number: usize) {
    site.page(&path(number), page(number, "", "The office is open."));
}

/// A site that was crawled once, and its service.
async fn known_site() -> (Site, Stage) {
    let site = Site::start().await;
    (0..PAGES).for_each(|number| plant(&site, number));
    let stage = Stage::start(&site).await;
    week(&site, &stage, 1).await;
    (site, stage)
}

async fn week(site: &Site, stage: &Stage, number: usize) -> (CrawlId, Closed, Vec<SharedChange>) {
    let crawl = stage.crawl(&site.url(), &format!("week {number}")).await.id;
    stage.close(crawl).await;
    let crawls = stage.store.crawls(&site_id()).await.unwrap();
    let closed = crawls.into_iter().find(|stored| stored.id == crawl).unwrap().closed.unwrap();
    (crawl, closed, stage.store.shared_changes(&site_id(), crawl).await.unwrap())
}

#[tokio::test]
async fn a_site_that_is_back_after_an_outage_that_was_told_is_nothing_unusual() {
    let (site, stage) = known_site().await;
    for number in 0..PAGES {
        site.page(&path(number), Page::html(format!("<main><p>{OUTAGE}</p></main>")));
    }
    let (_, closed, _) = week(&site, &stage, 2).await;
    assert!(!closed.is_trusted(), "it waits for somebody");
    let (_, closed, shared) = week(&site, &stage, 3).await;
    assert_eq!((closed.suspicion, shared[0].by), (None, SharedBy::Loss), "it is confirmed and told");

    (0..PAGES).for_each(|number| plant(&site, number));
    site.page("/p7", page(7, "", "The office has moved to the old mill."));
    let (crawl, closed, shared) = week(&site, &stage, 4).await;
    assert_eq!(closed.suspicion, None);
    let rows: Vec<_> = shared.iter().map(|change| (change.by, change.pages, change.went.as_str())).collect();
    assert_eq!(rows, [(SharedBy::Return, 24, OUTAGE)]);
    assert_eq!(closed.statistics.own_content, 1, "one page was edited meanwhile");
    let record = stage.store.page(&site_id(), crawl, &site.at("/p7")).await.unwrap().unwrap();
    assert_eq!(record.visit.verdict, Verdict::Changed);
}

#[tokio::test]
async fn what_an_accepted_crawl_told_is_not_told_again_where_it_arrives_later() {
    let (site, stage) = known_site().await;
    let menu_on = |pages: std::ops::Range<usize>| {
        pages.for_each(|number| {
            site.page(&path(number), page(number, "<a href=/p1>Vacancies</a>", "The office is open."));
        });
    };
    menu_on(0..5);
    for number in 15..PAGES {
        site.page(&path(number), Page::status(404));
    }
    let (crawl, closed, shared) = week(&site, &stage, 2).await;
    assert!(!closed.is_trusted() && shared.iter().any(|change| change.pages == 5 && change.is_told()));
    stage.store.accept_crawl(&site_id(), crawl, Timestamp::now()).await.unwrap();
    assert!(stage.pusher.post("/pubsub/tick", "").await.status().is_success());

    menu_on(0..10);
    let (_, closed, shared) = week(&site, &stage, 3).await;
    assert!(closed.is_trusted());
    let vacancies: Vec<_> = shared.iter().map(|change| (change.pages, change.since)).collect();
    assert!(!vacancies.is_empty() && vacancies.iter().all(|known| *known == (5, Some(crawl))), "{shared:#?}");
}
