//! A site is renamed, deleted, and what changes by itself on it is judged.

use axum::http::StatusCode;
use jiff::Timestamp;
use recrawl_core::changes::noise::{LearntNoise, NoiseObservation};
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::edit::EditId;
use recrawl_core::model::region::Region;
use recrawl_core::ports::{StateEntry, StateKey, StateStore, Store};
use recrawl_web::access::Access;
use recrawl_web::crawl_control::Activity;
use recrawl_web::router;
use scraper::{Html, Selector};

use super::forms::Browser;
use super::pages::select;
use super::{app, get, history, staffed};

const TOWN: &str = "/sites/example.org-town";
const NOW: Timestamp = Timestamp::UNIX_EPOCH;

#[tokio::test]
async fn a_site_is_renamed_by_a_form_that_says_what_becomes_of_its_addresses() {
    let browser = Browser::open().await;
    let page = format!("{TOWN}/rename");
    let html = Html::parse_document(&browser.get(TOWN).await.body);
    assert_eq!(select(&html, &format!(".heading a[href='{page}']")), ["Rename"]);
    let html = Html::parse_document(&browser.get(&page).await.body);
    assert!(select(&html, "#name-hint").concat().contains("lead to the new ones"));
    let renamed = browser.fill(&page, &page, &[("name", "city")]).await;
    assert_eq!(renamed.header("location"), format!("{TOWN}?done=renamed"));
    assert_eq!(browser.asked(), ["rename example.org-town city"]);
    browser.refuse("there is a site <b>city</b> already");
    let refused = browser.fill(&page, &page, &[("name", "city")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let html = Html::parse_document(&refused.body);
    assert_eq!(select(&html, "[role=alert]"), ["There is a site <b>city</b> already."]);
    let field = Selector::parse("#name").unwrap();
    assert_eq!(html.select(&field).next().unwrap().attr("value"), Some("city"), "what was typed is kept");
}

#[tokio::test]
async fn a_site_is_deleted_only_by_its_name_and_with_the_numbers_beside_it() {
    let browser = Browser::open().await;
    let page = format!("{TOWN}/delete");
    let html = Html::parse_document(&browser.get(&page).await.body);
    let lead = select(&html, ".lead").concat();
    let words: Vec<&str> = lead.split(' ').collect();
    assert!(words[0].parse::<u64>().unwrap() > 5, "{lead}");
    for expected in ["pages", "crawls", "versions", "deleted for good"] {
        assert!(lead.contains(expected), "{lead}");
    }
    for wrong in ["", "example.org", "EXAMPLE.ORG-TOWN"] {
        let answer = browser.fill(&page, &page, &[("name", wrong)]).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
        assert!(answer.body.contains("Type example.org-town, the name of the site"), "{}", answer.body);
    }
    assert_eq!(browser.asked(), Vec::<String>::new());
    let deleted = browser.fill(&page, &page, &[("name", " example.org-town ")]).await;
    assert_eq!(deleted.header("location"), "/sites?done=removed");
    assert_eq!(browser.asked(), ["remove example.org-town"]);
    // While it goes on, nothing else can be done with it.
    let html = Html::parse_document(&browser.get(TOWN).await.body);
    assert_eq!(select(&html, ".heading .acts button, .heading .acts a"), Vec::<String>::new());
    assert!(select(&html, ".standing").concat().contains("being deleted"));
}

#[tokio::test]
async fn a_site_that_is_crawled_offers_neither_rename_nor_delete() {
    let browser = Browser::open().await;
    browser.be(Activity::Crawling);
    let html = Html::parse_document(&browser.get(TOWN).await.body);
    assert_eq!(select(&html, ".heading .acts a"), Vec::<String>::new());
}

#[tokio::test]
async fn old_addresses_of_a_renamed_site_lead_to_the_new_ones() {
    let store = history::town().await;
    let entry = |value: &str| StateEntry { saved_at: NOW, value: value.to_owned() };
    for (old, new) in
        [("city", "town"), ("town", "example.org-town"), ("round", "circle"), ("circle", "round")]
    {
        store.save_state(&StateKey::former_name(&old.parse().unwrap()), &entry(new)).await.unwrap();
    }
    let router = router(app(store));
    for (old, expected) in [
        ("/sites/city", "/sites/example.org-town"),
        (
            "/sites/city/page?url=https://example.org/a",
            "/sites/example.org-town/page?url=https://example.org/a",
        ),
        ("/feeds/city.atom", "/feeds/example.org-town.atom"),
        ("/api/v1/sites/town", "/api/v1/sites/example.org-town"),
    ] {
        let answer = get(&router, old).await;
        assert_eq!(
            (answer.status, answer.header("location")),
            (StatusCode::PERMANENT_REDIRECT, expected),
            "{old}"
        );
    }
    for lost in ["/sites/round", "/sites/nobody", "/sites/example.org-town/crawls/crawl-2031-01-01"] {
        assert_eq!(get(&router, lost).await.status, StatusCode::NOT_FOUND, "{lost}");
    }
}

async fn with_noise() -> MemoryStore {
    let store = history::town().await;
    let site = "example.org-town".parse().unwrap();
    let mut noise = LearntNoise::default();
    for crawl in store.crawls(&site).await.unwrap() {
        let line = "31 people <b>view</b> this page".to_owned();
        let page = "https://example.org/town/events/fair".parse().unwrap();
        let seen = NoiseObservation { id: EditId(7), line, region: Region::Content, pages: 31, page };
        noise.learn(crawl.id, vec![seen], true);
    }
    let entry = StateEntry { saved_at: NOW, value: serde_json::to_string(&noise).unwrap() };
    store.save_state(&StateKey::learnt_noise(&site), &entry).await.unwrap();
    store
}

#[tokio::test]
async fn learnt_noise_is_shown_with_its_evidence_and_can_be_judged() {
    let (router, harness) = staffed(with_noise().await, Access::for_everybody());
    let cookie = get(&router, "/").await.header("set-cookie").split(';').next().unwrap().to_owned();
    let browser = Browser { router, harness, cookie };
    let shown = browser.get(TOWN).await;
    let html = Html::parse_document(&shown.body);
    let row = select(&html, ".noise-table tbody tr").concat();
    for expected in
        ["# people <b>view</b> this page", "31 people <b>view</b> this page", "content", "31", "learnt"]
    {
        assert!(row.contains(expected), "{expected} is not in {row}");
    }
    assert!(select(&html, ".noise-table .weeks i.yes").len() >= 2);
    let fields = [("shape", "# people <b>view</b> this page"), ("said", "no-noise")];
    let judged = browser.fill(TOWN, &format!("{TOWN}/noise"), &fields).await;
    assert_eq!(judged.header("location"), format!("{TOWN}?done=noise-noted"));
    assert_eq!(browser.asked(), ["noise example.org-town # people <b>view</b> this page Some(NoNoise)"]);
    let readers = router_of_readers().await;
    let html = Html::parse_document(&get(&readers, TOWN).await.body);
    assert_eq!(select(&html, ".noise-table button").len(), 0);
    assert_eq!(select(&html, ".noise-table tbody tr").len(), 1);
}

async fn router_of_readers() -> axum::Router {
    router(app(with_noise().await))
}

#[tokio::test]
async fn a_crawl_under_way_says_how_far_it_is_and_asks_before_it_is_stopped() {
    let browser = Browser::open().await;
    browser.be(Activity::Crawling);
    let page = format!("{TOWN}/crawling");
    let html = Html::parse_document(&browser.get(&page).await.body);
    let title = select(&html, "h1").concat();
    assert!(title.starts_with("example.org-town: 1 of "), "{title}");
    let shown = select(&html, "[data-progress]").concat();
    for expected in ["pages a second", "running for", "last read /parks/1", "304", "41 ms", "may still fall"]
    {
        assert!(shown.contains(expected), "{expected} is not in {shown}");
    }
    assert_eq!(select(&html, ".heading button, .heading a.button"), ["Pause", "Stop…"]);
    let html = Html::parse_document(&browser.get(&format!("{page}?stop=ask")).await.body);
    let asks = select(&html, ".asks").concat();
    assert!(asks.contains("count as unknown, never as gone"), "{asks}");
    assert_eq!(select(&html, ".asks button"), ["Stop"]);
    assert_eq!(browser.asked(), Vec::<String>::new());
    let part = browser.get(&format!("{page}?part=progress")).await.body;
    assert!(part.starts_with("<span hidden data-new-title>example.org-town: 1 of "), "{part}");
    browser.be(Activity::Idle);
    let over = browser.get(&page).await;
    assert_eq!(over.header("location"), TOWN);
}
