//! The crawl step over memory ports and a scripted web: design section 2, line by line.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use jiff::{Timestamp, ToSpan};
use recrawl_core::content::{Directives, Extracted, Extractor, KeepBodies};
use recrawl_core::crawl::{Closed, Crawl, Ending, Mode, Site};
use recrawl_core::ids::{CrawlId, RulesVersion, SemanticHash};
use recrawl_core::lifecycle::{Opening, audit, opening};
use recrawl_core::memory::MemoryStore;
use recrawl_core::ports::{
    Backlog, FetchError, Fetcher, History, Permission, QueuedPage, Request, Response, RobotsError,
    RobotsGate, Store,
};
use recrawl_core::record::{Found, FoundBy, Headers, PageRecord, Presence, Validators};
use recrawl_core::scope::{Scope, ScopeSettings};
use recrawl_core::step::{Attempt, CrawlStep, Outcome, Ports, StepSettings};
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_core::verdict::{Change, Verdict};

/// What the scripted web answers, and what it was asked.
#[derive(Default)]
struct Web {
    answers: Mutex<HashMap<String, Answer>>,
    asked: Mutex<Vec<(String, Option<Validators>)>>,
    disallowed: Mutex<HashSet<String>>,
}

#[derive(Clone)]
struct Answer {
    status: u16,
    body: String,
    headers: Headers,
    truncated: bool,
}

impl Web {
    fn page(&self, path: &str, body: &str) {
        let etag = Some(format!("\"{}\"", SemanticHash::of(body.as_bytes())));
        let headers = Headers { etag, content_type: Some("text/html".to_owned()), ..Headers::default() };
        self.plant(path, Answer { status: 200, body: body.to_owned(), headers, truncated: false });
    }

    fn status(&self, path: &str, status: u16) {
        self.plant(
            path,
            Answer { status, body: String::new(), headers: Headers::default(), truncated: false },
        );
    }

    fn redirect(&self, path: &str, location: &str) {
        let headers = Headers { location: Some(location.to_owned()), ..Headers::default() };
        self.plant(path, Answer { status: 301, body: String::new(), headers, truncated: false });
    }

    fn plant(&self, path: &str, answer: Answer) {
        self.answers.lock().unwrap().insert(format!("https://example.org{path}"), answer);
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().drain(..).map(|(url, _)| url.replace("https://example.org", "")).collect()
    }
}

#[async_trait]
impl Fetcher for Web {
    async fn fetch(&self, request: Request<'_>) -> Result<Response, FetchError> {
        let url = request.url.to_string();
        self.asked.lock().unwrap().push((url.clone(), request.validators.cloned()));
        let answer = self.answers.lock().unwrap().get(&url).cloned();
        let Some(answer) = answer else {
            return Err(FetchError::NoAnswer {
                reason: "connection refused".to_owned(),
                after: Duration::ZERO,
                source: None,
            });
        };
        let sent = request.validators.and_then(|validators| validators.etag.clone());
        let same = sent.is_some() && sent == answer.headers.etag;
        Ok(Response {
            status: if same { 304 } else { answer.status },
            headers: answer.headers,
            received_bytes: if same { 100 } else { 100 + answer.body.len() as u64 },
            body: if same { Vec::new() } else { answer.body.into_bytes() },
            truncated: answer.truncated,
            fetched_at: Timestamp::UNIX_EPOCH,
            fetch_ms: 5,
            cache_control: None,
        })
    }
}

#[async_trait]
impl RobotsGate for Web {
    async fn permits(&self, url: &PageUrl) -> Result<Permission, RobotsError> {
        let disallowed = self.disallowed.lock().unwrap().contains(url.path());
        Ok(if disallowed { Permission::Disallowed("Disallow: /x".to_owned()) } else { Permission::Allowed })
    }
}

/// Reads a body whose words beginning with `/` are links and whose words beginning with `~` are noise.
struct Words(RulesVersion);

impl Extractor for Words {
    fn rules(&self) -> &RulesVersion {
        &self.0
    }

    fn extract(&self, url: &PageUrl, _content_type: Option<&str>, body: &[u8]) -> Extracted {
        let body = String::from_utf8_lossy(body);
        let drop_numbers = self.0.0 == "without numbers";
        let noise = |word: &&str| word.starts_with('~') || drop_numbers && word.parse::<u32>().is_ok();
        let text: Vec<&str> = body.split_whitespace().filter(|word| !noise(word)).collect();
        let text = text.join(" ");
        let links = body.split_whitespace().filter(|word| word.starts_with('/') || word.starts_with("http"));
        Extracted {
            semantic: SemanticHash::of(text.as_bytes()),
            rules: self.0.clone(),
            title: None,
            language: None,
            canonical: None,
            links: links
                .filter_map(|link| UrlRules::default().page(link, Some(&url.to_url())).ok())
                .collect(),
            directives: Directives { noindex: false, nofollow: text.contains("nofollow") },
            text,
        }
    }
}

/// A site on memory ports that is crawled week after week.
struct World {
    web: Arc<Web>,
    store: Arc<MemoryStore>,
    site: Site,
    week: Mutex<i64>,
    rules: Mutex<&'static str>,
    mode: Mutex<Mode>,
}

impl World {
    async fn new() -> Self {
        let root: PageUrl = "https://example.org/".parse().unwrap();
        let created_at = Timestamp::UNIX_EPOCH;
        let site = Site { id: "example".parse().unwrap(), root, scope: ScopeSettings::default(), created_at };
        let store = Arc::new(MemoryStore::default());
        store.save_site(&site).await.unwrap();
        Self {
            web: Arc::default(),
            store,
            site,
            week: Mutex::new(0),
            rules: Mutex::new("1"),
            mode: Mutex::new(Mode::Incremental),
        }
    }

    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH + (*self.week.lock().unwrap() * 7 * 24).hours()
    }

    fn step(&self, crawl: &Crawl) -> CrawlStep {
        let scope = Scope::new(&self.site.root, ScopeSettings::default()).unwrap();
        let settings = StepSettings {
            keep_bodies: KeepBodies::Changed,
            url_rules: UrlRules::default(),
            obey_nofollow: true,
            archive: true,
            retries: 2,
            page_time_out: Duration::from_mins(2),
            product_token: "recrawl".to_owned(),
        };
        let ports = Ports {
            store: self.store.clone(),
            frontier: self.store.clone(),
            fetcher: self.web.clone(),
            robots: self.web.clone(),
            announcer: self.store.clone(),
            archiver: self.store.clone(),
            extractor: Arc::new(Words(RulesVersion((*self.rules.lock().unwrap()).to_owned()))),
        };
        CrawlStep::new(self.site.clone(), crawl.clone(), scope, settings, ports)
    }

    async fn open(&self) -> Crawl {
        *self.week.lock().unwrap() += 1;
        let crawls = self.store.crawls(&self.site.id).await.unwrap();
        let mode = *self.mode.lock().unwrap();
        let Opening::Open(crawl) = opening(&crawls, &self.site.id, mode, None, self.now()) else {
            panic!("no crawl is open")
        };
        self.store.open_crawl(&crawl).await.unwrap();
        crawl
    }

    /// Crawls to the end as an embedded home does.
    async fn crawl(&self) -> Crawl {
        let crawl = self.open().await;
        let step = self.step(&crawl);
        self.work_off(&step, &crawl).await;
        crawl
    }

    async fn work_off(&self, step: &CrawlStep, crawl: &Crawl) {
        step.queue([&self.site.root], &Found { by: FoundBy::Seed, depth: 0, referrer: None }).await.unwrap();
        loop {
            let pages = self.store.take(&self.site.id, crawl.id, 10).await.unwrap();
            for page in &pages {
                let mut attempt = Attempt::default();
                while let Outcome::Retry { next, .. } = step.visit(page, attempt, self.now()).await.unwrap() {
                    attempt = next;
                }
            }
            if !pages.is_empty() {
                continue;
            }
            let crawls = self.store.crawls(&self.site.id).await.unwrap();
            let found = audit(&*self.store, &self.site.id, crawl.id, &crawls, step.scope(), &|_| false)
                .await
                .unwrap();
            if found.missing.is_empty() {
                let closed =
                    Closed { at: self.now(), ending: Ending::Complete, statistics: found.statistics };
                return self.store.close_crawl(&self.site.id, crawl.id, &closed).await.unwrap();
            }
            recrawl_core::ports::Frontier::queue(&*self.store, &found.missing).await.unwrap();
        }
    }

    async fn record(&self, crawl: CrawlId, path: &str) -> Option<PageRecord> {
        let url: PageUrl = format!("https://example.org{path}").parse().unwrap();
        let visits = self.store.visits(&self.site.id, &url).await.unwrap();
        visits.into_iter().find(|record| record.crawl == crawl)
    }

    async fn verdicts(&self, crawl: &Crawl) -> Vec<(String, Verdict)> {
        let records = self.store.records(&self.site.id, crawl.id, &[], None, 1000).await.unwrap();
        let mut verdicts: Vec<(String, Verdict)> = records
            .into_iter()
            .map(|record| (record.url.path_and_query().to_owned(), record.visit.verdict))
            .collect();
        verdicts.sort();
        verdicts
    }
}

fn expected(verdicts: &[(&str, Verdict)]) -> Vec<(String, Verdict)> {
    verdicts.iter().map(|(path, verdict)| ((*path).to_owned(), *verdict)).collect()
}

#[tokio::test]
async fn a_second_crawl_finds_exactly_what_changed() {
    let world = World::new().await;
    world.web.page("/", "home /same /text /noise /gone /moved https://elsewhere.net/");
    for path in ["/same", "/text", "/noise", "/gone", "/moved"] {
        world.web.page(path, &format!("page {path} ~1"));
    }
    let first = world.crawl().await;
    assert!(world.verdicts(&first).await.iter().all(|(_, verdict)| *verdict == Verdict::New));

    world.web.page("/", "home /same /text /noise /gone /moved /new");
    world.web.page("/text", "page says something else");
    world.web.page("/noise", "page /noise ~2");
    world.web.status("/gone", 404);
    world.web.redirect("/moved", "/same");
    world.web.page("/new", "fresh");
    let second = world.crawl().await;
    let found = [
        ("/", Verdict::Changed),
        ("/gone", Verdict::Gone),
        ("/moved", Verdict::Moved),
        ("/new", Verdict::New),
        ("/noise", Verdict::Touched),
        ("/same", Verdict::Unchanged),
        ("/text", Verdict::Changed),
    ];
    assert_eq!(world.verdicts(&second).await, expected(&found));

    let announced: Vec<(String, Change)> = world
        .store
        .announcements()
        .into_iter()
        .skip(6)
        .map(|told| (told.page.path().to_owned(), told.change))
        .collect();
    let mut announced_paths: Vec<&str> = announced.iter().map(|(path, _)| path.as_str()).collect();
    announced_paths.sort_unstable();
    assert_eq!(announced_paths, ["/", "/gone", "/moved", "/new", "/text"]);
    let archived: Vec<String> = world
        .store
        .archive_requests()
        .into_iter()
        .skip(6)
        .map(|asked| asked.page.path().to_owned())
        .collect();
    assert_eq!(archived.len(), 4, "everything but what has gone: {archived:?}");
}

#[tokio::test]
async fn an_unchanged_site_answers_304_and_every_page_is_still_visited() {
    let world = World::new().await;
    world.web.page("/", "home /a");
    world.web.page("/a", "a /b");
    world.web.page("/b", "b");
    world.crawl().await;
    world.web.asked();
    let second = world.crawl().await;
    assert_eq!(world.web.asked(), ["/", "/a", "/b"]);
    for path in ["/", "/a", "/b"] {
        let record = world.record(second.id, path).await.unwrap();
        assert!(record.visit.not_modified && record.visit.saved_bytes > 100, "{path}");
        assert_eq!((record.visit.status, record.visit.verdict), (Some(200), Verdict::Unchanged));
    }
}

#[tokio::test]
async fn a_full_crawl_asks_unconditionally() {
    let world = World::new().await;
    world.web.page("/", "home");
    world.crawl().await;
    *world.mode.lock().unwrap() = Mode::Full;
    let second = world.crawl().await;
    let record = world.record(second.id, "/").await.unwrap();
    assert_eq!((record.visit.not_modified, record.visit.verdict), (false, Verdict::Unchanged));
}

#[tokio::test]
async fn a_server_in_trouble_never_looks_like_a_removed_page() {
    let world = World::new().await;
    world.web.page("/", "home /a");
    world.web.page("/a", "a");
    world.crawl().await;
    for status in [429, 500, 502, 503, 504, 401, 403, 418] {
        world.web.status("/a", status);
        let crawl = world.crawl().await;
        let record = world.record(crawl.id, "/a").await.unwrap();
        assert_eq!((record.visit.verdict, record.visit.status), (Verdict::Failed, Some(status)));
        assert_eq!(record.known.presence, Presence::Present);
    }
    world.web.answers.lock().unwrap().remove("https://example.org/a");
    let crawl = world.crawl().await;
    let record = world.record(crawl.id, "/a").await.unwrap();
    assert_eq!(
        (record.visit.verdict, record.visit.status, record.visit.requests),
        (Verdict::Failed, None, 3)
    );
    world.web.page("/a", "a");
    let crawl = world.crawl().await;
    assert_eq!(world.record(crawl.id, "/a").await.unwrap().visit.verdict, Verdict::Unchanged);
}

#[tokio::test]
async fn a_page_that_is_gone_is_told_once_and_comes_back_as_new() {
    let world = World::new().await;
    world.web.page("/", "home /a");
    world.web.page("/a", "a");
    world.crawl().await;
    world.web.status("/a", 404);
    let mut verdicts = Vec::new();
    for _ in 0..2 {
        let crawl = world.crawl().await;
        verdicts.push(world.record(crawl.id, "/a").await.unwrap().visit.verdict);
    }
    world.web.page("/a", "a");
    let crawl = world.crawl().await;
    verdicts.push(world.record(crawl.id, "/a").await.unwrap().visit.verdict);
    assert_eq!(verdicts, [Verdict::Gone, Verdict::Missing, Verdict::New]);
}

#[tokio::test]
async fn a_410_leaves_future_crawls() {
    let world = World::new().await;
    world.web.page("/", "home /a");
    world.web.page("/a", "a");
    world.crawl().await;
    world.web.status("/a", 410);
    world.crawl().await;
    world.web.asked();
    let third = world.crawl().await;
    assert_eq!(world.web.asked(), ["/"]);
    assert_eq!(world.record(third.id, "/a").await.unwrap().visit.verdict, Verdict::Excluded);
}

#[tokio::test]
async fn a_broken_link_is_recorded_with_its_referrer_and_not_announced() {
    let world = World::new().await;
    world.web.page("/", "home /nothing");
    world.web.status("/nothing", 404);
    let crawl = world.crawl().await;
    let record = world.record(crawl.id, "/nothing").await.unwrap();
    assert_eq!(record.visit.verdict, Verdict::Missing);
    assert_eq!(record.found.referrer.as_ref(), Some(&world.site.root));
    assert_eq!(world.store.announcements().len(), 1);
}

#[tokio::test]
async fn a_known_page_that_nobody_links_to_is_visited_from_memory() {
    let world = World::new().await;
    world.web.page("/", "home /a /b");
    world.web.page("/a", "a");
    world.web.page("/b", "b");
    world.crawl().await;
    world.web.page("/", "home");
    world.web.status("/b", 404);
    let second = world.crawl().await;
    let orphan = world.record(second.id, "/a").await.unwrap();
    assert_eq!((orphan.found.by, orphan.visit.verdict), (FoundBy::Memory, Verdict::Unchanged));
    assert_eq!(world.record(second.id, "/b").await.unwrap().visit.verdict, Verdict::Gone);
}

#[tokio::test]
async fn what_robots_disallow_is_recorded_and_never_fetched() {
    let world = World::new().await;
    world.web.page("/", "home /x");
    world.web.disallowed.lock().unwrap().insert("/x".to_owned());
    let crawl = world.crawl().await;
    let record = world.record(crawl.id, "/x").await.unwrap();
    assert_eq!((record.visit.verdict, record.visit.requests), (Verdict::Excluded, 0));
    assert_eq!(record.visit.reason.as_deref(), Some("robots.txt: Disallow: /x"));
    assert_eq!(world.web.asked(), ["/"]);
}

#[tokio::test]
async fn a_page_outside_the_scope_that_is_asked_for_is_recorded_with_the_reason() {
    let world = World::new().await;
    let crawl = world.open().await;
    let step = world.step(&crawl);
    let url: PageUrl = "https://elsewhere.net/".parse().unwrap();
    let found = Found { by: FoundBy::Seed, depth: 0, referrer: None };
    let page = QueuedPage { site: world.site.id.clone(), crawl: crawl.id, url, found };
    let Outcome::Recorded(record) = step.visit(&page, Attempt::default(), world.now()).await.unwrap() else {
        panic!("recorded")
    };
    assert_eq!(record.visit.verdict, Verdict::Excluded);
    assert!(record.visit.reason.unwrap().contains("elsewhere.net"));
    assert!(world.web.asked().is_empty());
}

#[tokio::test]
async fn nofollow_is_obeyed_in_markup_and_header() {
    let world = World::new().await;
    world.web.page("/", "nofollow /a");
    let crawl = world.crawl().await;
    assert_eq!(world.verdicts(&crawl).await.len(), 1);
    let headers = Headers { robots_tag: Some("nofollow".to_owned()), ..Headers::default() };
    world.web.plant("/", Answer { status: 200, body: "home /b".to_owned(), headers, truncated: false });
    let crawl = world.crawl().await;
    assert_eq!(world.verdicts(&crawl).await.len(), 1);
}

#[tokio::test]
async fn a_truncated_body_is_hashed_as_read_and_has_no_links() {
    let world = World::new().await;
    let answer =
        Answer { status: 200, body: "home /a".to_owned(), headers: Headers::default(), truncated: true };
    world.web.plant("/", answer);
    let crawl = world.crawl().await;
    let record = world.record(crawl.id, "/").await.unwrap();
    assert!(record.visit.truncated);
    assert_eq!(record.known.content.unwrap().rules, RulesVersion::bytes());
    assert_eq!(world.verdicts(&crawl).await.len(), 1);
}

#[tokio::test]
async fn a_redirect_without_a_target_is_recorded() {
    let world = World::new().await;
    world.web.status("/", 302);
    let crawl = world.crawl().await;
    let record = world.record(crawl.id, "/").await.unwrap();
    assert_eq!((record.visit.verdict, record.visit.status), (Verdict::New, Some(302)));
}

#[tokio::test]
async fn a_redelivered_page_is_a_duplicate_and_is_not_fetched_again() {
    let world = World::new().await;
    world.web.page("/", "home");
    let crawl = world.open().await;
    let step = world.step(&crawl);
    let found = Found { by: FoundBy::Seed, depth: 0, referrer: None };
    let page =
        QueuedPage { site: world.site.id.clone(), crawl: crawl.id, url: world.site.root.clone(), found };
    assert!(matches!(
        step.visit(&page, Attempt::default(), world.now()).await.unwrap(),
        Outcome::Recorded(_)
    ));
    assert!(matches!(step.visit(&page, Attempt::default(), world.now()).await.unwrap(), Outcome::Duplicate));
    assert_eq!(world.web.asked().len(), 1);
    // Another process does not know, and the store decides.
    let outcome = world.step(&crawl).visit(&page, Attempt::default(), world.now()).await.unwrap();
    assert!(matches!(outcome, Outcome::Duplicate));
    assert_eq!(world.store.announcements().len(), 1);
}

#[tokio::test]
async fn a_change_of_rules_is_judged_on_the_stored_body() {
    let world = World::new().await;
    world.web.page("/", "count 1 /a /b");
    world.web.page("/a", "visitors 17");
    world.web.page("/b", "price 17");
    world.crawl().await;
    *world.rules.lock().unwrap() = "without numbers";
    world.web.page("/a", "visitors 18");
    world.web.page("/b", "cost 17");
    let second = world.crawl().await;
    let found = [("/", Verdict::Unchanged), ("/a", Verdict::Touched), ("/b", Verdict::Changed)];
    assert_eq!(world.verdicts(&second).await, expected(&found));
}

#[tokio::test]
async fn the_audit_finds_a_lost_message() {
    let world = World::new().await;
    world.web.page("/", "home /a");
    world.web.page("/a", "a");
    let crawl = world.open().await;
    let step = world.step(&crawl);
    let found = Found { by: FoundBy::Seed, depth: 0, referrer: None };
    let page =
        QueuedPage { site: world.site.id.clone(), crawl: crawl.id, url: world.site.root.clone(), found };
    step.visit(&page, Attempt::default(), world.now()).await.unwrap();
    // Nobody takes /a from the queue: as if the message were lost.
    let crawls = world.store.crawls(&world.site.id).await.unwrap();
    let found =
        audit(&*world.store, &world.site.id, crawl.id, &crawls, step.scope(), &|_| false).await.unwrap();
    let missing: Vec<&str> = found.missing.iter().map(|page| page.url.path()).collect();
    assert_eq!(missing, ["/a"]);
    assert_eq!(found.statistics.total, 1);
}

#[tokio::test]
async fn a_page_that_used_up_its_time_is_not_asked_for_again() {
    let world = World::new().await;
    world.web.status("/", 503);
    let crawl = world.open().await;
    let step = world.step(&crawl);
    let found = Found { by: FoundBy::Seed, depth: 0, referrer: None };
    let page =
        QueuedPage { site: world.site.id.clone(), crawl: crawl.id, url: world.site.root.clone(), found };
    let late = Attempt { number: 1, spent: Duration::from_secs(119) };
    let Outcome::Retry { next, .. } = step.visit(&page, late, world.now()).await.unwrap() else {
        panic!("time is left")
    };
    assert_eq!(next, Attempt { number: 2, spent: Duration::from_millis(119_005) });
    let late = Attempt { number: 1, spent: Duration::from_mins(2) };
    assert!(matches!(step.visit(&page, late, world.now()).await.unwrap(), Outcome::Recorded(_)));
}
