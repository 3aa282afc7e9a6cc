//! A scripted web, and a site on memory ports that is crawled week after week.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use jiff::{Timestamp, ToSpan};
use recrawl_core::content::{Directives, Extracted, Extractor, KeepBodies};
use recrawl_core::crawl::{Closed, Crawl, Ending, Mode, Site};
use recrawl_core::ids::{CrawlId, RulesVersion, SemanticHash};
use recrawl_core::lifecycle::{Audit, Opening, audit, opening};
use recrawl_core::memory::MemoryStore;
use recrawl_core::ports::{
    Backlog, FetchError, Fetcher, Frontier, History, Permission, QueuedPage, Request, Response, RobotsError,
    RobotsGate, Store,
};
use recrawl_core::record::{Found, FoundBy, Headers, PageRecord, Validators};
use recrawl_core::scope::{Scope, ScopeSettings};
use recrawl_core::step::{Attempt, CrawlStep, Outcome, Ports, StepSettings};
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_core::verdict::Verdict;

/// What the scripted web answers, and what it was asked.
#[derive(Default)]
pub(crate) struct Web {
    pub(crate) answers: Mutex<HashMap<String, Answer>>,
    asked: Mutex<Vec<(String, Option<Validators>)>>,
    pub(crate) disallowed: Mutex<HashSet<String>>,
}

#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
    pub(crate) headers: Headers,
    pub(crate) truncated: bool,
}

impl Web {
    pub(crate) fn page(&self, path: &str, body: &str) {
        let etag = Some(format!("\"{}\"", SemanticHash::of(body.as_bytes())));
        let headers = Headers { etag, content_type: Some("text/html".to_owned()), ..Headers::default() };
        self.plant(path, Answer { status: 200, body: body.to_owned(), headers, truncated: false });
    }

    pub(crate) fn status(&self, path: &str, status: u16) {
        self.plant(
            path,
            Answer { status, body: String::new(), headers: Headers::default(), truncated: false },
        );
    }

    pub(crate) fn redirect(&self, path: &str, location: &str) {
        let headers = Headers { location: Some(location.to_owned()), ..Headers::default() };
        self.plant(path, Answer { status: 301, body: String::new(), headers, truncated: false });
    }

    pub(crate) fn plant(&self, path: &str, answer: Answer) {
        self.answers.lock().unwrap().insert(format!("https://example.org{path}"), answer);
    }

    pub(crate) fn asked(&self) -> Vec<String> {
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
pub(crate) struct World {
    pub(crate) web: Arc<Web>,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) site: Site,
    pub(crate) week: Mutex<i64>,
    pub(crate) rules: Mutex<&'static str>,
    pub(crate) mode: Mutex<Mode>,
}

impl World {
    pub(crate) async fn new() -> Self {
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

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH + (*self.week.lock().unwrap() * 7 * 24).hours()
    }

    pub(crate) fn step(&self, crawl: &Crawl) -> CrawlStep {
        let scope = Scope::new(&self.site.root, ScopeSettings::default()).unwrap();
        let settings = StepSettings {
            keep_bodies: KeepBodies::Changed,
            url_rules: UrlRules::default(),
            obey_nofollow: true,
            describe_changes: true,
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

    pub(crate) async fn open(&self) -> Crawl {
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
    pub(crate) async fn crawl(&self) -> Crawl {
        let crawl = self.open().await;
        let step = self.step(&crawl);
        self.work_off(&step, &crawl).await;
        crawl
    }

    pub(crate) async fn work_off(&self, step: &CrawlStep, crawl: &Crawl) {
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
            let found = self.audit(step, crawl).await;
            if found.missing.is_empty() {
                let closed =
                    Closed { at: self.now(), ending: Ending::Complete, statistics: found.statistics };
                return self.store.close_crawl(&self.site.id, crawl.id, &closed).await.unwrap();
            }
            self.store.queue(&found.missing).await.unwrap();
        }
    }

    pub(crate) async fn audit(&self, step: &CrawlStep, crawl: &Crawl) -> Audit {
        let crawls = self.store.crawls(&self.site.id).await.unwrap();
        let (scope, rules) = (step.scope(), step.url_rules());
        audit(&*self.store, &self.site.id, crawl.id, &crawls, scope, rules, &|_| false).await.unwrap()
    }

    pub(crate) fn root(&self, crawl: &Crawl) -> QueuedPage {
        let found = Found { by: FoundBy::Seed, depth: 0, referrer: None };
        QueuedPage { site: self.site.id.clone(), crawl: crawl.id, url: self.site.root.clone(), found }
    }

    pub(crate) async fn record(&self, crawl: CrawlId, path: &str) -> Option<PageRecord> {
        let url: PageUrl = format!("https://example.org{path}").parse().unwrap();
        let visits = self.store.visits(&self.site.id, &url).await.unwrap();
        visits.into_iter().find(|record| record.crawl == crawl)
    }

    pub(crate) async fn verdicts(&self, crawl: &Crawl) -> Vec<(String, Verdict)> {
        let records = self.store.records(&self.site.id, crawl.id, &[], None, 1000).await.unwrap();
        let mut verdicts: Vec<(String, Verdict)> = records
            .into_iter()
            .map(|record| (record.url.path_and_query().to_owned(), record.visit.verdict))
            .collect();
        verdicts.sort();
        verdicts
    }
}
