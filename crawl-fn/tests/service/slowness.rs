//! A server that takes its time: as many pages wait as really have their turn.

use std::sync::Arc;
use std::time::Duration;

use crawl_fn::Deps;
use recrawl_core::memory::MemoryStore;
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;
use tokio::task::JoinSet;

use crate::mail::{Dice, Mail};
use crate::stage::{Stage, config, deps, linked, queued, wrapped};

const PAGES: usize = 60;
const DEADLINE: Duration = Duration::from_secs(4);

#[tokio::test]
async fn no_push_is_cut_off_where_answers_take_longer_than_the_delay() {
    let site = Site::start().await;
    let links: Vec<String> = (0..PAGES).map(|number| format!("<a href=/{number}>{number}</a>")).collect();
    site.page("/", Page::html(links.concat()));
    for number in 0..PAGES {
        let page = Page::html(format!("<p>Page {number}</p>")).delayed(Duration::from_millis(150));
        site.page(&format!("/{number}"), page);
    }
    let (store, mail): (Arc<MemoryStore>, Arc<Mail>) = Default::default();
    let mut config = config(&site);
    // By the delay alone, all of them would have their turn in time.
    config.site.crawl.delay = Some(Duration::from_millis(10));
    config.process.ack_deadline = DEADLINE;
    let stage = Stage::over(config, store.clone(), Deps { frontier: mail.clone(), ..deps(&store) }).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    // Somebody publishes all of it at once, beside what the crawl itself publishes.
    let flood = (0..PAGES).map(|number| linked(&site, crawl, &format!("/{number}")));
    mail.0.lock().unwrap().extend(flood);
    let (mut under_way, mut dice, mut pushes, mut cut_off) = (JoinSet::new(), Dice(1), 0, 0);
    loop {
        while let Some(page) = mail.next(&mut dice) {
            let url = format!("{}/pubsub/crawl", stage.pusher.url);
            let push = stage.pusher.client.post(url).body(wrapped(&queued(&page))).timeout(DEADLINE).send();
            under_way.spawn(push);
            pushes += 1;
        }
        match under_way.join_next().await {
            Some(answer) => match answer.unwrap() {
                Ok(answer) => assert_eq!(answer.status(), StatusCode::NO_CONTENT),
                Err(_) => cut_off += 1,
            },
            None => break,
        }
    }
    assert_eq!(cut_off, 0, "of {pushes}");
    assert_eq!(stage.records(crawl).await.len(), PAGES + 1);
    let asked = (0..PAGES).map(|number| site.requests_for(&format!("/{number}")).len());
    assert!(asked.into_iter().all(|times| times == 1));
}
