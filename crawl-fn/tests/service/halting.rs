//! Crawls that somebody stops, pauses and resumes while their pages are being visited.

use std::sync::Arc;
use std::time::Duration;

use crawl_fn::Deps;
use futures_util::future::join_all;
use recrawl_core::model::crawl::{Closed, Crawl, Ending};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::ports::Store;
use recrawl_engine::{CrawlCommand, command_crawl};
use recrawl_testkit::faulty_store::FaultyStore;
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;

use crate::stage::{Stage, config, deps, linked, site_id};

const PAGES: usize = 12;

/// A site whose root leads to several pages and is recorded, and a service that is slow to ask for the others.
async fn slow_stage() -> (Site, Stage, CrawlId) {
    let site = Site::start().await;
    let links: Vec<String> = (0..PAGES).map(|number| format!("<a href=/{number}>{number}</a>")).collect();
    site.page("/", Page::html(links.concat()));
    for number in 0..PAGES {
        site.page(&format!("/{number}"), Page::html(format!("<p>Page {number}")));
    }
    let quick = Stage::start(&site).await;
    quick.pusher.seed(&site.url(), "weekly").await;
    let crawl = quick.under_way().await.unwrap().id;
    let stage = restarted(&site, &quick).await;
    (site, stage, crawl)
}

/// Another process over the same store.
async fn restarted(site: &Site, stage: &Stage) -> Stage {
    let mut slow = config(site);
    slow.site.crawl.delay = Some(Duration::from_millis(1_500));
    slow.site.crawl.sitemaps = false;
    slow.site.crawl.soft_404 = false;
    Stage::with(slow, stage.store.clone()).await
}

async fn command(stage: &Stage, command: CrawlCommand) {
    command_crawl(&*stage.store, &site_id(), command, jiff::Timestamp::now()).await.unwrap();
}

async fn tick(stage: &Stage) {
    assert_eq!(stage.pusher.post("/pubsub/tick", "").await.status(), StatusCode::NO_CONTENT);
}

async fn closed(stage: &Stage, crawl: CrawlId) -> Option<Closed> {
    let crawls: Vec<Crawl> = stage.store.crawls(&site_id()).await.unwrap();
    crawls.into_iter().find(|other| other.id == crawl).unwrap().closed
}

/// Pushes every page; when the first is asked for and the others wait for their turn, `what` is done.
async fn while_all_wait(
    site: &Site,
    stage: &Stage,
    crawl: CrawlId,
    what: impl Future<Output = ()>,
) -> Vec<StatusCode> {
    let pages: Vec<_> = (0..PAGES).map(|number| linked(site, crawl, &format!("/{number}"))).collect();
    let pushes = join_all(pages.iter().map(|page| stage.pusher.page(page)));
    let (answers, ()) = tokio::join!(pushes, async {
        let is_numbered = |path: &str| path[1..].parse::<usize>().is_ok();
        while !site.log().iter().any(|request| is_numbered(&request.path)) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        what.await;
    });
    answers
}

#[tokio::test]
async fn a_stop_answers_all_that_wait_at_once_and_closes_the_crawl() {
    let (site, stage, crawl) = slow_stage().await;
    let answers = while_all_wait(&site, &stage, crawl, async {
        command(&stage, CrawlCommand::Stop).await;
        tick(&stage).await;
    });
    assert_eq!(answers.await, [StatusCode::NO_CONTENT; PAGES]);
    let requests = site.log().len();
    let ending = closed(&stage, crawl).await.unwrap().ending;
    assert_eq!(ending, Ending::Partial("it was stopped by hand".to_owned()));
    assert!(!stage.records(crawl).await.is_empty(), "what was visited stays");
    // Later messages are acknowledged, also by a process that was not there.
    for stage in [&stage, &restarted(&site, &stage).await] {
        assert_eq!(stage.pusher.page(&linked(&site, crawl, "/11")).await, StatusCode::NO_CONTENT);
        tick(stage).await;
    }
    assert_eq!(site.log().len(), requests);
    assert!(stage.under_way().await.is_none());
}

#[tokio::test]
async fn a_stop_is_noticed_without_any_message() {
    let (site, stage, crawl) = slow_stage().await;
    let answers = while_all_wait(&site, &stage, crawl, command(&stage, CrawlCommand::Stop));
    assert_eq!(answers.await, [StatusCode::NO_CONTENT; PAGES]);
    assert!(stage.records(crawl).await.len() < PAGES, "most had not had their turn");
    assert!(closed(&stage, crawl).await.is_none(), "a tick closes it");
    tick(&stage).await;
    assert!(closed(&stage, crawl).await.is_some());
}

#[tokio::test]
async fn the_next_trigger_opens_a_crawl_as_ever_after_a_stop_that_no_tick_saw() {
    let (site, stage, crawl) = slow_stage().await;
    command(&stage, CrawlCommand::Stop).await;
    let stage = restarted(&site, &stage).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    assert!(stage.under_way().await.is_none(), "the message that opened it opens no other");
    assert!(closed(&stage, crawl).await.is_some());
    let mut quick = config(&site);
    quick.site.crawl.delay = Some(Duration::ZERO);
    let stage = Stage::with(quick, stage.store.clone()).await;
    stage.pusher.seed(&site.url(), "a week later").await;
    let next = stage.under_way().await.unwrap();
    assert_eq!(next.id, crawl.following());
    stage.close(next.id).await;
    assert_eq!(closed(&stage, next.id).await.unwrap().ending, Ending::Complete);
}

#[tokio::test]
async fn a_crawl_that_is_paused_rests_until_it_is_resumed() {
    let (site, stage, crawl) = slow_stage().await;
    let answers = while_all_wait(&site, &stage, crawl, async {
        command(&stage, CrawlCommand::Pause).await;
        tick(&stage).await;
    });
    assert_eq!(answers.await, [StatusCode::NO_CONTENT; PAGES]);
    let requests = site.log().len();
    // Neither messages that come late nor the weekly trigger go on with it.
    assert_eq!(stage.pusher.page(&linked(&site, crawl, "/11")).await, StatusCode::NO_CONTENT);
    for message in ["weekly", "a week later"] {
        stage.pusher.seed(&site.url(), message).await;
    }
    tick(&stage).await;
    assert_eq!((site.log().len(), stage.under_way().await.unwrap().id), (requests, crawl));
    command(&stage, CrawlCommand::Resume).await;
    let quick = Stage::with(config(&site), stage.store.clone()).await;
    quick.close(crawl).await;
    assert_eq!(closed(&quick, crawl).await.unwrap().ending, Ending::Complete);
    assert_eq!(quick.records(crawl).await.len(), PAGES + 1);
}

#[tokio::test]
async fn a_crawl_goes_on_in_the_process_that_paused_it() {
    let (site, stage, crawl) = slow_stage().await;
    let quick = Stage::with(config(&site), stage.store.clone()).await;
    quick.pusher.page(&linked(&site, crawl, "/1")).await;
    for command_to_give in [CrawlCommand::Pause, CrawlCommand::Resume] {
        command(&quick, command_to_give).await;
        tick(&quick).await;
    }
    quick.pusher.work_off(&Arc::clone(&quick.store), crawl).await;
    assert_eq!(quick.records(crawl).await.len(), PAGES + 1);
}

#[tokio::test]
async fn a_resume_that_comes_while_a_tick_is_at_work_is_obeyed_by_the_next() {
    let (site, stage, crawl) = slow_stage().await;
    let store = Arc::new(FaultyStore::over(stage.store.clone()));
    let deps = Deps { store: store.clone(), ..deps(&stage.store) };
    let quick = Stage::over(config(&site), stage.store.clone(), deps).await;
    quick.pusher.page(&linked(&site, crawl, "/1")).await;
    command(&quick, CrawlCommand::Pause).await;
    tick(&quick).await;
    store.calls();
    store.take(Duration::from_millis(50));
    tokio::join!(tick(&quick), async {
        // The first thing that is asked after the decisions were read.
        while !store.was_called("crawl_under_way") {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        command(&quick, CrawlCommand::Resume).await;
    });
    store.take(Duration::ZERO);
    tick(&quick).await;
    quick.pusher.work_off(&Arc::clone(&quick.store), crawl).await;
    assert_eq!(quick.records(crawl).await.len(), PAGES + 1);
}
