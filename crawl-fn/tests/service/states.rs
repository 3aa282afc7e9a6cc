//! A site that cannot be read is closed as partial, with its state.

use recrawl_core::model::crawl::{Closed, Ending};
use recrawl_core::model::site_state::Obstacle;
use recrawl_core::ports::Store;
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;

use crate::stage::{Stage, site_id};
use crate::town::Town;

const SCRIPTED: &str = "<title>Permits</title><div id=root></div><script src=/main.js></script>";

/// Crawls a site whose first page is this, and returns how the crawl was closed.
async fn closed(page: Page) -> Closed {
    let site = Site::start().await;
    site.page("/", page).redirect("/a", "/", 302);
    let stage = Stage::start(&site).await;
    stage.crawl(&site.url(), "weekly").await;
    assert_eq!(stage.pusher.post("/pubsub/tick", "tick").await.status(), StatusCode::NO_CONTENT);
    let crawls = stage.store.crawls(&site_id()).await.unwrap();
    crawls.last().unwrap().closed.clone().unwrap()
}

#[tokio::test]
async fn a_first_page_that_cannot_be_read_makes_the_crawl_partial_with_its_state() {
    let to = |target: &str| Page::status(302).with_header("Location", target);
    for (page, obstacle) in [
        (Page::status(401), Obstacle::NeedsPassword { status: 401 }),
        (Page::status(404), Obstacle::RootMissing { status: 404 }),
        (to("/login"), Obstacle::Login { at: "/login".to_owned() }),
        (to("/"), Obstacle::CookieWall),
        (to("/a"), Obstacle::CookieWall),
        (Page::html(SCRIPTED), Obstacle::NeedsScripts { pages: 1, of: 1 }),
    ] {
        let closed = closed(page).await;
        let state = closed.state.unwrap();
        assert_eq!(state.obstacle, obstacle);
        assert!(state.is_unread(), "{state:?}");
        assert_eq!(closed.ending, Ending::Partial(state.sentence()));
    }
}

#[tokio::test]
async fn a_site_that_can_be_read_has_no_state() {
    let closed = closed(Page::html("<p>The office is open from nine to five.")).await;
    assert_eq!((closed.state, closed.ending), (None, Ending::Complete));
}

#[tokio::test]
async fn a_known_site_whose_first_page_leads_elsewhere_is_read_and_says_so_each_time() {
    let town = Town::known(8).await;
    town.site.redirect("/", "https://elsewhere.example/", 301);
    for week in ["week 2", "week 3"] {
        let closed = town.week(week, &[]).await.closed;
        let state = closed.state.unwrap();
        let location = "https://elsewhere.example/".to_owned();
        assert_eq!((state.obstacle, state.read), (Obstacle::RootElsewhere { location }, 7), "{week}");
        assert!(matches!(closed.ending, Ending::Partial(_)), "{week}");
    }
    town.site.page("/", Page::status(404));
    let closed = town.week("week 4", &[]).await.closed;
    assert_eq!(closed.state.map(|state| state.obstacle), Some(Obstacle::RootMissing { status: 404 }));
    assert!(matches!(closed.ending, Ending::Partial(_)));
}
