//! A site that could not be read, on pages, in the API and in feeds.

use jiff::Timestamp;
use recrawl_core::decide::suspicion;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::counts::Counts;
use recrawl_core::model::crawl::{Closed, Crawl, CrawlKind, Ending, Mode, Site};
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::model::site_state::{Obstacle, SiteState};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::Store;
use recrawl_web::access::Access;
use recrawl_web::crawl_control::{Activity, NextTry};
use scraper::Html;
use serde_json::Value;

use super::history::{self, Recorder, page};
use super::pages::select;
use super::{app, get, router, staffed};

/// Returns a store with a site of which each crawl met one of these, and the last of them twice.
async fn store(obstacles: Vec<Obstacle>) -> MemoryStore {
    let last = obstacles.last().cloned();
    let closed = obstacles.into_iter().chain(last).map(|obstacle| {
        let state = SiteState { obstacle, read: 0 };
        Closed { ending: Ending::Partial(state.sentence()), state: Some(state), ..whole() }
    });
    store_of(closed.collect()).await
}

/// A crawl that saw all of it.
fn whole() -> Closed {
    let statistics = Statistics::default();
    Closed { at: Timestamp::UNIX_EPOCH, ending: Ending::Complete, suspicion: None, state: None, statistics }
}

/// Returns a store with a site whose crawls were closed so, one a day.
async fn store_of(crawls: Vec<Closed>) -> MemoryStore {
    let store = MemoryStore::default();
    let created_at: Timestamp = "2026-10-19T03:00:00Z".parse().unwrap();
    let root = "https://example.org/".parse().unwrap();
    let site = Site { id: "school".parse().unwrap(), root, scope: ScopeSettings::default(), created_at };
    store.save_site(&site).await.unwrap();
    for (day, closed) in (10..).zip(crawls) {
        let at: Timestamp = format!("2026-11-{day}T03:00:00Z").parse().unwrap();
        let closed = Closed { at, ..closed };
        let crawl = Crawl {
            site: site.id.clone(),
            id: format!("crawl-2026-11-{day}").parse().unwrap(),
            opened_at: at,
            mode: Mode::Incremental,
            kind: CrawlKind::Full,
            opened_by: None,
            closed: None,
        };
        store.open_crawl(&crawl).await.unwrap();
        store.close_crawl(&site.id, crawl.id, &closed).await.unwrap();
    }
    store
}

#[tokio::test]
async fn a_site_that_could_not_be_read_says_so_and_what_to_do() {
    let router = recrawl_web::router(app(store(vec![Obstacle::NeedsPassword { status: 401 }]).await));
    for page in ["/", "/sites"] {
        let shown = get(&router, page).await.body;
        assert!(shown.contains("he first page asks for a password (401)"), "{page}: {shown}");
        for word in ["quiet", "nothing changed", "complete"] {
            assert!(!shown.contains(word), "{page} says {word}: {shown}");
        }
    }
    assert!(get(&router, "/").await.body.contains("Watch a public page of the site instead."));
    let site: Value = serde_json::from_str(&get(&router, "/api/v1/sites/school").await.body).unwrap();
    for state in [&site["state"], &site["crawls"][0]["site_state"]] {
        assert_eq!(state["word"], "needs-password", "{site}");
        assert_eq!(state["sentence"], "the first page asks for a password (401)");
        assert!(state["advice"].as_str().unwrap().contains("public page"));
        assert_eq!(state["read"], 0);
    }
}

#[tokio::test]
async fn a_feed_tells_once_that_a_site_could_not_be_read_and_again_when_that_is_something_else() {
    let obstacles = vec![Obstacle::CookieWall, Obstacle::RootMissing { status: 404 }];
    let router = recrawl_web::router(app(store(obstacles).await));
    let feed = get(&router, "/feeds/school.atom").await.body;
    let feed = feed_rs::parser::parse(feed.as_bytes()).unwrap();
    let titles: Vec<String> = feed.entries.iter().map(|entry| entry.title.clone().unwrap().content).collect();
    assert_eq!(
        titles,
        [
            "school: the first page is not there (404), check the address",
            "school: failed, the first page redirects to itself, which usually means that it wants a cookie",
        ]
    );
}

#[tokio::test]
async fn every_trouble_has_a_card_with_what_happened_what_to_do_the_evidence_and_one_main_button() {
    let text = || "x".to_owned();
    for obstacle in [
        Obstacle::NeedsPassword { status: 401 },
        Obstacle::Forbidden { status: 403, pages: 1, of: 1 },
        Obstacle::Login { at: text() },
        Obstacle::CookieWall,
        Obstacle::RootMissing { status: 404 },
        Obstacle::RootElsewhere { location: "https://elsewhere.example/".to_owned() },
        Obstacle::BlockPage { what: text(), pages: 1, of: 1 },
        Obstacle::NeedsScripts { pages: 12, of: 14 },
        Obstacle::Unreachable { host: text(), reason: text() },
        Obstacle::CertificateChanged { reason: text() },
        Obstacle::ForbiddenByRobots { rule: text() },
        Obstacle::Unreadable { reason: text() },
    ] {
        let (word, advice) = {
            let state = SiteState { obstacle: obstacle.clone(), read: 0 };
            (state.word(), state.advice().replace('`', ""))
        };
        let (router, _) = staffed(store(vec![obstacle]).await, Access::for_everybody());
        let html = Html::parse_document(&get(&router, "/sites/school").await.body);
        assert_eq!(select(&html, &format!(".card.trouble [data-state={word}]")).len(), 1, "{word}");
        assert_eq!(select(&html, ".card.trouble .happened").len(), 1, "{word}");
        assert!(select(&html, ".card.trouble p").contains(&advice), "{word}");
        let evidence = select(&html, ".card.trouble .evidence").concat();
        assert!(evidence.contains("never read before"), "{word}: {evidence}");
        let main = select(&html, ".card.trouble .acts .main");
        assert_eq!(main.len(), 1, "{word}: {main:?}");
        let shown = select(&html, "main").concat().to_lowercase();
        for lie in ["nothing changed", "quiet", "complete", "pages read"] {
            assert!(!shown.contains(lie), "{word} says {lie}: {shown}");
        }
    }
}

/// Serves the town beside so many sites in which nothing happens.
async fn many(quiet: usize) -> axum::Router {
    let mut store = history::town().await;
    for number in 0..quiet {
        let root = format!("https://quiet-{number}.example/");
        let mut site = Recorder::new(store, &format!("quiet-{number}"), &root).await;
        for crawl in ["crawl-2026-11-09", "crawl-2026-11-16"] {
            site.crawl(crawl, &[("/", page("Quiet", &["Nothing."]))], Some(Ending::Complete)).await;
        }
        store = site.into_store();
    }
    router(app(store))
}

#[tokio::test]
async fn of_many_sites_the_first_screen_shows_those_that_need_somebody_and_counts_the_rest() {
    let few = Html::parse_document(&get(&many(3).await, "/").await.body);
    let (all, folds) = (select(&few, "ul.sites > li").len(), select(&few, "#sites ~ a, .block > .fold-line"));
    assert!(all >= 4 && !folds.iter().any(|fold| fold.contains("more site")), "{all} {folds:?}");
    let router = many(30).await;
    let html = Html::parse_document(&get(&router, "/").await.body);
    let shown = select(&html, "ul.sites > li");
    assert!(
        !shown.is_empty() && shown.len() < 5 && !shown.iter().any(|line| line.starts_with("quiet")),
        "{shown:?}"
    );
    let fold =
        select(&html, ".block > .fold-line").into_iter().find(|fold| fold.contains("more sites")).unwrap();
    assert!(fold.contains("30 more sites that need nobody now 30 quiet"), "{fold}");
    let month = get(&router, "/?since=60d").await.body;
    assert!(month.contains("new pages of 3") && !month.contains("quiet-7: 1 new page"), "{month}");
    let html = Html::parse_document(&get(&router, "/sites").await.body);
    assert_eq!(select(&html, "ul.sites > li").len(), 30 + shown.len());
    for (query, found) in [("QUIET-2", 11), ("quiet-29.example", 1), ("nobody", 0)] {
        let html = Html::parse_document(&get(&router, &format!("/sites?q={query}")).await.body);
        assert_eq!(select(&html, "ul.sites > li").len(), found, "{query}");
    }
}

#[tokio::test]
async fn more_than_a_hundred_sites_are_a_list_of_several_pages() {
    let router = many(110).await;
    let first = Html::parse_document(&get(&router, "/sites").await.body);
    let second = Html::parse_document(&get(&router, "/sites?page=2").await.body);
    let (first, second) = (select(&first, "ul.sites > li"), select(&second, "ul.sites > li"));
    assert_eq!(first.len(), 100);
    assert!(second.len() >= 11 && !first.contains(&second[0]), "{second:?}");
}

#[tokio::test]
async fn a_known_site_whose_first_page_leads_elsewhere_says_so_beside_what_was_read() {
    let location = "https://elsewhere.example/".to_owned();
    let state = SiteState { obstacle: Obstacle::RootElsewhere { location }, read: 40 };
    let router =
        recrawl_web::router(app(store_of(vec![whole(), Closed { state: Some(state), ..whole() }]).await));
    let said = "he first page leads to https://elsewhere.example/, outside the site";
    for page in ["/", "/sites/school", "/sites/school/crawls/crawl-2026-11-11"] {
        let shown = get(&router, page).await.body;
        assert!(shown.contains(said), "{page}: {shown}");
    }
    let crawl = get(&router, "/sites/school/crawls/crawl-2026-11-11").await.body;
    assert!(crawl.contains("leads elsewhere") && !crawl.contains(">failed<"), "{crawl}");
    let site: Value = serde_json::from_str(&get(&router, "/api/v1/sites/school").await.body).unwrap();
    let newest = &site["crawls"][0];
    assert_eq!((&newest["state"], &newest["site_state"]["read"]), (&"complete".into(), &40.into()));
}

#[tokio::test]
async fn a_crawl_most_of_whose_doubted_pages_failed_reads_failed_or_blocked_everywhere() {
    for (kept_out, word) in [(0, "failed"), (1_100, "blocked")] {
        let statistics = Statistics {
            total: 1_186,
            counts: Counts::from([(Verdict::Failed, 1_100), (Verdict::Unchanged, 86)]),
            failed_known: 1_100,
            kept_out,
            ..Statistics::default()
        };
        let suspicion = suspicion(&Ending::Complete, &statistics);
        let crawls = vec![whole(), Closed { suspicion, statistics, ..whole() }];
        let router = recrawl_web::router(app(store_of(crawls).await));
        let reason = "1,100 of 1,186 pages failed or were refused";
        for page in ["/", "/sites", "/sites/school", "/sites/school/crawls/crawl-2026-11-11"] {
            let shown = get(&router, page).await.body;
            let html = Html::parse_document(&shown);
            assert!(select(&html, ".state").iter().any(|mark| mark == word), "{page}: {shown}");
            assert!(!select(&html, ".state").iter().any(|mark| mark == "unusual"), "{page}");
        }
        for page in ["/", "/sites/school/crawls/crawl-2026-11-11"] {
            assert!(get(&router, page).await.body.contains(reason), "{page}");
        }
        let site: Value = serde_json::from_str(&get(&router, "/api/v1/sites/school").await.body).unwrap();
        let newest = &site["crawls"][0];
        assert_eq!((&newest["state"], &newest["word"]), (&"suspect".into(), &word.into()));
        assert_eq!(newest["note"], reason);
    }
}

#[tokio::test]
async fn a_crawl_that_waits_for_a_host_says_why_and_until_when_and_never_that_another_site_is_crawled() {
    let (router, harness) = staffed(store_of(vec![whole()]).await, Access::for_everybody());
    {
        let mut notes = harness.notes.lock().unwrap();
        notes.activity = Activity::TriedLater;
        let at = "2026-11-18T12:15:00Z".parse().unwrap();
        notes.next_try = Some(NextTry { at, why: "example.org does not answer".to_owned() });
    }
    for page in ["/", "/sites", "/sites/school", "/sites/school/crawling"] {
        let html = Html::parse_document(&get(&router, page).await.body);
        let shown = select(&html, "main").concat();
        assert!(shown.contains("example.org does not answer."), "{page}: {shown}");
        assert!(shown.contains("t is tried again"), "{page}: {shown}");
        assert!(!shown.contains("another site"), "{page}: {shown}");
    }
    for page in ["/sites", "/sites/school", "/sites/school/crawling"] {
        let html = Html::parse_document(&get(&router, page).await.body);
        assert!(select(&html, "button").iter().any(|button| button.starts_with("Try now")), "{page}");
    }
}

#[tokio::test]
async fn a_site_that_is_read_in_part_says_so_beside_its_changes_and_commands_look_like_commands() {
    let state = SiteState { obstacle: Obstacle::NeedsScripts { pages: 12, of: 14 }, read: 2 };
    let router = recrawl_web::router(app(store_of(vec![Closed { state: Some(state), ..whole() }]).await));
    let html = Html::parse_document(&get(&router, "/").await.body);
    let line = select(&html, "ul.sites > li").concat();
    assert!(
        line.contains("First crawl: 0 pages. What changes is shown after the next. 12 of 14 pages have"),
        "{line}"
    );
    assert!(line.contains("Look for a feed"), "{line}");
    let forbidden = Obstacle::ForbiddenByRobots { rule: "Disallow: /".to_owned() };
    let router = recrawl_web::router(app(store(vec![forbidden]).await));
    for page in ["/", "/sites/school"] {
        let shown = get(&router, page).await.body;
        assert!(
            shown.contains("<code>recrawl explain URL</code>") && !shown.contains('`'),
            "{page}: {shown}"
        );
    }
}
