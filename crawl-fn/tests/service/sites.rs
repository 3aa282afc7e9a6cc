//! Several sites in one deployment.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::{Crawl, Site as Stored};
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::site_plan::SitePlan;
use recrawl_core::ports::{PullFrontier, SitePlans, StateEntry, StateKey, StateStore, Store};
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;
use tokio::net::TcpListener;

use crate::stage::{Buried, Stage, config, config_with, delivery, deps};

fn id(name: &str) -> SiteId {
    name.parse().unwrap()
}

fn plan(settings: &[(&str, &str)]) -> SitePlan {
    // As the fixture of the site that the environment names.
    let usual = [("delay", "0"), ("check-share", "0"), ("back-off", "0.02")];
    let value = |(name, value): &(&str, &str)| ((*name).to_owned(), vec![(*value).to_owned()]);
    SitePlan { settings: usual.iter().chain(settings).map(value).collect(), ..SitePlan::default() }
}

/// Writes that a site is watched, as `recrawl sites add` does.
async fn add(store: &MemoryStore, name: &str, site: &Site, plan: &SitePlan) {
    let (root, id) = (site.at("/"), id(name));
    recrawl_sites::add(store, Some(&id), &root, plan, Timestamp::now()).await.unwrap();
}

async fn crawls(store: &MemoryStore, site: &str) -> Vec<Crawl> {
    store.crawls(&id(site)).await.unwrap()
}

async fn paths(store: &MemoryStore, site: &str, crawl: &Crawl) -> Vec<String> {
    let records = store.records(&id(site), crawl.id, &[], None, 1_000).await.unwrap();
    records.iter().map(|record| record.url.path().to_owned()).collect()
}

/// Delivers what is queued of a site, until nothing waits.
async fn work_off(stage: &Stage, site: &str, crawl: &Crawl) {
    while let Some(page) = stage.store.take(&id(site), crawl.id, 1).await.unwrap().pop() {
        while stage.pusher.page(&page).await != StatusCode::NO_CONTENT {}
    }
}

async fn tick(stage: &Stage) {
    assert_eq!(stage.pusher.post("/pubsub/tick", "").await.status(), StatusCode::NO_CONTENT);
}

/// Ticks, as often as it takes to close the open crawl of a site.
async fn close(stage: &Stage, site: &str) {
    for _ in 0..20 {
        tick(stage).await;
        let Some(open) = stage.store.crawl_under_way(&id(site)).await.unwrap() else { return };
        let again = Arc::new(stage.store.reopened());
        while let Some(page) = again.take(&id(site), open.id, 1).await.unwrap().pop() {
            stage.pusher.page(&page).await;
        }
    }
    panic!("the crawl of {site} is not closed");
}

fn agents(site: &Site) -> Vec<String> {
    let log = site.log().into_iter().flat_map(|logged| logged.headers);
    log.filter(|(name, _)| name == "user-agent").map(|(_, agent)| agent).collect()
}

fn planted(text: &str) -> impl Fn(&Site) {
    let text = text.to_owned();
    move |site| {
        site.page("/", Page::html(format!("<a href=/a>a</a><a href=/tag/x>x</a><p>{text}")));
        site.page("/a", Page::html("<p>a")).page("/tag/x", Page::html("<p>x"));
    }
}

#[tokio::test]
async fn a_published_url_joins_the_site_that_admits_it_and_each_goes_by_its_own_settings() {
    let (town, port, store) = (Site::start().await, Site::start().await, Arc::new(MemoryStore::default()));
    planted("town")(&town);
    planted("port")(&port);
    let settings = [("exclude", "*/tag/*"), ("user-agent", "harbour/2 (+https://example.org/)")];
    add(&store, "port", &port, &plan(&settings)).await;
    let stage = Stage::with(config(&town), store.clone()).await;
    for site in [&town, &port] {
        stage.pusher.seed(&site.url(), &site.url()).await;
    }
    for name in ["default", "port"] {
        let crawl = crawls(&store, name).await.pop().unwrap();
        work_off(&stage, name, &crawl).await;
        close(&stage, name).await;
    }
    let crawl = |name| {
        let store = store.clone();
        async move { crawls(&store, name).await.pop().unwrap() }
    };
    assert_eq!(paths(&store, "default", &crawl("default").await).await, ["/", "/a", "/tag/x"]);
    assert_eq!(paths(&store, "port", &crawl("port").await).await, ["/", "/a"]);
    assert!(agents(&port).iter().all(|agent| agent.starts_with("harbour/2")), "{:?}", agents(&port));
    assert!(agents(&town).iter().all(|agent| agent.starts_with("recrawl/")), "{:?}", agents(&town));
    assert!(crawl("default").await.closed.is_some() && crawl("port").await.closed.is_some());
}

#[tokio::test]
async fn a_url_of_no_site_is_refused_and_kept_as_a_dead_letter() {
    let (town, store, buried) =
        (Site::start().await, Arc::new(MemoryStore::default()), Arc::new(Buried::default()));
    planted("town")(&town);
    let deps = crawl_fn::Deps { dead_letters: buried.clone(), ..deps(&store) };
    let stage = Stage::over(config(&town), store.clone(), deps).await;
    let stray = "https://nobody.example/a";
    assert_eq!(stage.pusher.push(&delivery(stray, "by hand")).await, StatusCode::NO_CONTENT);
    let named = format!(r#"{{"url": "{}", "site": "elsewhere"}}"#, town.at("/a"));
    assert_eq!(stage.pusher.push(&delivery(&named, "by hand, too")).await, StatusCode::NO_CONTENT);
    let kept = buried.0.lock().unwrap().clone();
    assert_eq!(
        kept,
        [
            (stray.to_owned(), format!("no site admits {stray}")),
            (named, "no site elsewhere is watched here".to_owned()),
        ]
    );
    assert_eq!(stage.service.poisoned("foreign"), 2);
    assert!(crawls(&store, "default").await.is_empty() && town.log().is_empty());
}

#[tokio::test]
async fn a_url_of_no_site_is_adopted_where_somebody_says_so() {
    let (town, port) = (Site::start().await, Site::start().await);
    planted("town")(&town);
    planted("port")(&port);
    let store = Arc::new(MemoryStore::default());
    let stage = Stage::with(config_with(&town, &[("RECRAWL_ADOPT", "true")]), store.clone()).await;
    for message in ["first", "again"] {
        stage.pusher.seed(&port.url(), message).await;
    }
    let sites = store.planned_sites().await.unwrap();
    let [own, adopted] = &sites[..] else { panic!("{sites:?}") };
    let (own, adopted) = if own.site.id == id("default") { (own, adopted) } else { (adopted, own) };
    assert!(own.plan.is_none() && adopted.plan.is_some());
    assert_eq!(adopted.site.root, port.at("/"));
    let name = adopted.site.id.as_str().to_owned();
    let open = crawls(&store, &name).await.pop().unwrap();
    work_off(&stage, &name, &open).await;
    close(&stage, &name).await;
    assert_eq!(crawls(&store, &name).await.len(), 1, "the second message joined it");
    assert_eq!(paths(&store, &name, &open).await, ["/", "/a", "/tag/x"]);
}

#[tokio::test]
async fn a_site_that_is_added_while_another_is_crawled_is_known_at_once() {
    let (town, port) = (Site::start().await, Site::start().await);
    planted("town")(&town);
    planted("port")(&port);
    let store = Arc::new(MemoryStore::default());
    let stage = Stage::with(config(&town), store.clone()).await;
    stage.pusher.seed(&town.url(), "weekly").await;
    let open = stage.under_way().await.unwrap();
    add(&store, "port", &port, &plan(&[])).await;
    // No tick between.
    stage.pusher.seed(&port.url(), "by hand").await;
    let other = crawls(&store, "port").await.pop().unwrap();
    work_off(&stage, "default", &open).await;
    work_off(&stage, "port", &other).await;
    for name in ["default", "port"] {
        close(&stage, name).await;
    }
    assert_eq!(paths(&store, "default", &open).await.len(), 3);
    assert_eq!(paths(&store, "port", &other).await.len(), 3);
}

/// Lets a schedule count from an earlier time on.
async fn honour(store: &MemoryStore, site: &str, since: &str) {
    let entry = StateEntry { saved_at: since.parse().unwrap(), value: String::new() };
    store.save_state(&StateKey::schedule_settled(&id(site)), &entry).await.unwrap();
}

#[tokio::test]
async fn a_tick_opens_what_is_due_by_the_schedules_of_the_sites_once() {
    let (town, port, fair) = (Site::start().await, Site::start().await, Site::start().await);
    for site in [&town, &port, &fair] {
        planted("a")(site);
    }
    let store = Arc::new(MemoryStore::default());
    add(&store, "port", &port, &plan(&[("schedule", "0 * * * *"), ("time-zone", "America/Los_Angeles")]))
        .await;
    add(&store, "fair", &fair, &plan(&[("schedule", "30 3 1 1 *")])).await;
    honour(&store, "port", "2026-01-02T00:00:00Z").await;
    honour(&store, "fair", &Timestamp::now().to_string()).await;
    let stage = Stage::with(config(&town), store.clone()).await;
    tick(&stage).await;
    let open = crawls(&store, "port").await;
    assert_eq!(open.len(), 1);
    assert!(open[0].opened_by.as_deref().unwrap().starts_with("schedule 2026-01-02T01:00:00"), "{open:?}");
    work_off(&stage, "port", &open[0]).await;
    close(&stage, "port").await;
    assert_eq!(paths(&store, "port", &open[0]).await.len(), 3);
    tick(&stage).await;
    assert_eq!(crawls(&store, "port").await.len(), 1, "all that was missed is made up for by one");
    assert!(crawls(&store, "fair").await.is_empty() && crawls(&store, "default").await.is_empty());
    // Another process that died before it noted that it opened the crawl.
    honour(&store, "port", "2026-01-02T00:00:00Z").await;
    let other = Stage::with(config(&town), store.clone()).await;
    tick(&other).await;
    assert_eq!(crawls(&store, "port").await.len(), 1, "the crawl knows by which time it was opened");
}

#[tokio::test]
async fn a_plan_that_cannot_be_used_hurts_no_other_site() {
    let (town, port) = (Site::start().await, Site::start().await);
    planted("town")(&town);
    planted("port")(&port);
    let store = Arc::new(MemoryStore::default());
    add(&store, "port", &port, &plan(&[("exclude", "*/tag/*")])).await;
    let stage = Stage::with(config(&town), store.clone()).await;
    store.save_plan(&id("port"), Some(&plan(&[("dealy", "2")]))).await.unwrap();
    tick(&stage).await;
    let crawl = stage.crawl(&town.url(), "weekly").await;
    stage.close(crawl.id).await;
    // It is watched as before.
    stage.pusher.seed(&port.url(), "by hand").await;
    let crawl = crawls(&store, "port").await.pop().unwrap();
    work_off(&stage, "port", &crawl).await;
    close(&stage, "port").await;
    assert_eq!(paths(&store, "port", &crawl).await, ["/", "/a"]);
}

#[tokio::test]
async fn a_history_that_was_copied_goes_on_under_its_name() {
    let (town, store) = (Site::start().await, Arc::new(MemoryStore::default()));
    planted("town")(&town);
    let copied = Stored {
        id: id("town.example"),
        root: town.at("/"),
        scope: recrawl_core::model::scope::ScopeSettings::default(),
        created_at: "2026-01-02T00:00:00Z".parse().unwrap(),
    };
    store.save_site(&copied).await.unwrap();
    let stage = Stage::with(config(&town), store.clone()).await;
    stage.pusher.seed(&town.url(), "weekly").await;
    assert_eq!(crawls(&store, "town.example").await.len(), 1);
    assert!(store.site(&id("default")).await.unwrap().is_none());
    // Who says a name gets it.
    let named = config_with(&town, &[("RECRAWL_SITE", "default")]);
    let stage = Stage::with(named, Arc::new(MemoryStore::default())).await;
    assert!(stage.store.site(&id("default")).await.unwrap().is_some());
}

#[tokio::test]
async fn two_sites_on_one_host_share_its_pace() {
    let (town, store) = (Site::start().await, Arc::new(MemoryStore::default()));
    for number in 0..4 {
        town.page(&format!("/news/{number}"), Page::html("<p>n"));
        town.page(&format!("/{number}"), Page::html("<p>t"));
    }
    let links = |below: &str| -> String {
        let links: Vec<String> = (0..4).map(|number| format!("<a href={below}{number}>n</a>")).collect();
        links.concat()
    };
    town.page("/", Page::html(links("/")));
    town.page("/news/", Page::html(links("/news/")));
    let calm = [("delay", "0.2"), ("sitemaps", "false"), ("soft-404", "false")];
    let news = town.at("/news/");
    recrawl_sites::add(&*store, Some(&id("news")), &news, &plan(&calm), Timestamp::now()).await.unwrap();
    let calm = [("RECRAWL_DELAY", "0.2"), ("RECRAWL_SITEMAPS", "false"), ("RECRAWL_SOFT_404", "false")];
    let stage = Stage::with(config_with(&town, &calm), store.clone()).await;
    for (url, message) in [(town.url(), "a"), (news.to_string(), "b")] {
        stage.pusher.seed(&url, message).await;
    }
    let (all, of_news) = (crawls(&store, "default").await.remove(0), crawls(&store, "news").await.remove(0));
    tokio::join!(work_off(&stage, "default", &all), work_off(&stage, "news", &of_news));
    let mut arrivals: Vec<_> = town.log().iter().map(|request| request.arrival).collect();
    arrivals.sort();
    assert!(arrivals.len() >= 10, "{}", arrivals.len());
    for pair in arrivals.windows(2) {
        assert!(pair[1] - pair[0] >= Duration::from_millis(190), "{:?}", pair[1] - pair[0]);
    }
}

/// Takes webhooks.
struct Hook {
    url: String,
    received: Arc<Mutex<Vec<serde_json::Value>>>,
    is_down: Arc<std::sync::atomic::AtomicBool>,
}

impl Hook {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let (received, is_down): (Arc<Mutex<Vec<serde_json::Value>>>, Arc<std::sync::atomic::AtomicBool>) =
            Default::default();
        let (keep, down) = (received.clone(), is_down.clone());
        let take = axum::routing::post(move |body: String| async move {
            if down.load(std::sync::atomic::Ordering::SeqCst) {
                return axum::http::StatusCode::SERVICE_UNAVAILABLE;
            }
            keep.lock().unwrap().push(serde_json::from_str(&body).unwrap());
            axum::http::StatusCode::OK
        });
        tokio::spawn(async move { axum::serve(listener, axum::Router::new().route("/", take)).await });
        Self { url, received, is_down }
    }

    fn table(&self) -> String {
        serde_json::json!({ "kind": "webhook", "url": self.url, "quiet": true }).to_string()
    }

    fn crawls(&self) -> Vec<String> {
        self.received.lock().unwrap().iter().map(ToString::to_string).collect()
    }
}

#[tokio::test]
async fn the_targets_of_each_site_are_told_of_its_crawls_once_also_by_a_later_process() {
    let (town, port, store) = (Site::start().await, Site::start().await, Arc::new(MemoryStore::default()));
    planted("town")(&town);
    planted("port")(&port);
    let (of_all, of_port) = (Hook::start().await, Hook::start().await);
    let notify = BTreeMap::from([("team".to_owned(), of_port.table())]);
    add(&store, "port", &port, &SitePlan { notify, ..plan(&[]) }).await;
    let of_everything =
        serde_json::json!({ "team": serde_json::from_str::<serde_json::Value>(&of_all.table()).unwrap() });
    let variables = [
        ("RECRAWL_NOTIFY", of_everything.to_string()),
        ("RECRAWL_PUBLIC_URL", "https://watch.example/".to_owned()),
    ];
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let configured = || config_with(&town, &variables);
    let stage = Stage::with(configured(), store.clone()).await;
    of_port.is_down.store(true, std::sync::atomic::Ordering::SeqCst);
    for (name, site) in [("default", &town), ("port", &port)] {
        stage.pusher.seed(&site.url(), name).await;
        let crawl = crawls(&store, name).await.pop().unwrap();
        work_off(&stage, name, &crawl).await;
        close(&stage, name).await;
    }
    tick(&stage).await;
    assert_eq!(of_all.crawls().len(), 2, "{:?}", of_all.crawls());
    assert!(of_all.crawls()[0].contains("https://watch.example/sites/default"), "{:?}", of_all.crawls());
    assert!(of_port.crawls().is_empty());
    // It comes again after a minute, whichever process is there then.
    of_port.is_down.store(false, std::sync::atomic::Ordering::SeqCst);
    let pending = recrawl_notify::pending(&*store).await.unwrap();
    let [waiting] = &pending[..] else { panic!("{pending:?}") };
    assert_eq!(waiting.target.to_string(), "team@port");
    let mut due = waiting.clone();
    due.failure = None;
    let key = StateKey::pending_notification(&id("port"), waiting.crawl, &waiting.target, "closed");
    let value = serde_json::to_string(&due).unwrap();
    store.save_state(&key, &StateEntry { saved_at: Timestamp::now(), value }).await.unwrap();
    let later = Stage::with(configured(), store.clone()).await;
    for _ in 0..2 {
        tick(&later).await;
    }
    assert_eq!((of_port.crawls().len(), of_all.crawls().len()), (1, 2));
    assert!(of_port.crawls()[0].contains("port"), "{:?}", of_port.crawls());
}
