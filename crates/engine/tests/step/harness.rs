//! A scripted web, and a site on memory ports that is crawled week after week.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use jiff::{Timestamp, ToSpan};
use recrawl_core::changes::settle::SharingRules;
use recrawl_core::decide::{Opening, opening, unusual_since_believed};
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::aspect::{Signature, Signatures};
use recrawl_core::model::content::{Directives, Extracted, Extractor, Unreadable};
use recrawl_core::model::crawl::{Closed, Crawl, CrawlKind, Ending, Mode, Site};
use recrawl_core::model::ids::{CrawlId, RulesVersion, SemanticHash};
use recrawl_core::model::policy::CrawlPolicy;
use recrawl_core::model::record::{Found, FoundBy, Headers, PageRecord, Validators};
use recrawl_core::model::scope::{Scope, ScopeSettings};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::plan::priority::Weights;
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::{
    ArchiveStore, BodyMemory, FetchError, Fetcher, Frontier, History, Method, NoDocuments, NotFoundAnswer,
    Permission, Priority, PullFrontier, QueueError, QueuedPage, Request, Response, RobotsError, RobotsGate,
    SoftErrorProbe, Store,
};
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_engine::step::{Attempt, CrawlStep, Outcome, Ports};
use recrawl_engine::{Audit, Closing, Findings, audit};
use recrawl_testkit::contract::samples::policy;

/// What the scripted web answers, and what it was asked.
#[derive(Default)]
pub(crate) struct Web {
    now: Mutex<Timestamp>,
    pub(crate) answers: Mutex<HashMap<String, Answer>>,
    asked: Mutex<Vec<(String, Method, Option<Validators>)>>,
    /// Pages that are answered 304 whatever they say.
    pub(crate) lies: Mutex<HashSet<String>>,
    /// Whether HEAD requests are answered 200 whatever their conditions.
    pub(crate) ignores_conditions_of_head: Mutex<bool>,
    /// What is answered for pages that are not there.
    pub(crate) absence: Mutex<Option<NotFoundAnswer>>,
    pub(crate) disallowed: Mutex<HashSet<String>>,
    /// Parts of the program that panic: `robots`, `absence`, `queue`.
    pub(crate) breaks: Mutex<HashSet<&'static str>>,
}

#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
    pub(crate) headers: Headers,
    pub(crate) truncated: bool,
    pub(crate) fresh_until: Option<Timestamp>,
}

impl Default for Answer {
    fn default() -> Self {
        Self {
            status: 200,
            body: String::new(),
            headers: Headers::default(),
            truncated: false,
            fresh_until: None,
        }
    }
}

impl Web {
    pub(crate) fn page(&self, path: &str, body: &str) {
        let etag = Some(format!("\"{}\"", SemanticHash::of(body.as_bytes())));
        let headers = Headers { etag, content_type: Some("text/html".to_owned()), ..Headers::default() };
        self.plant(path, Answer { body: body.to_owned(), headers, ..Answer::default() });
    }

    pub(crate) fn status(&self, path: &str, status: u16) {
        self.plant(path, Answer { status, ..Answer::default() });
    }

    pub(crate) fn redirect(&self, path: &str, location: &str) {
        let headers = Headers { location: Some(location.to_owned()), ..Headers::default() };
        self.plant(path, Answer { status: 301, headers, ..Answer::default() });
    }

    pub(crate) fn plant(&self, path: &str, answer: Answer) {
        self.answers.lock().unwrap().insert(format!("https://example.org{path}"), answer);
    }

    /// Panics if this part of the program shall.
    fn may_break(&self, part: &str) {
        let breaks = self.breaks.lock().unwrap().contains(part);
        assert!(!breaks, "the {part} breaks on purpose");
    }

    /// Returns the requests that were made since somebody looked last.
    pub(crate) fn requests(&self) -> Vec<(String, Method, Option<Validators>)> {
        self.asked.lock().unwrap().drain(..).collect()
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().drain(..).map(|(url, ..)| url.replace("https://example.org", "")).collect()
    }
}

#[async_trait]
impl Fetcher for Web {
    async fn fetch(&self, request: Request<'_>) -> Result<Response, FetchError> {
        let url = request.url.to_string();
        self.asked.lock().unwrap().push((url.clone(), request.method, request.validators.cloned()));
        let answer = self.answers.lock().unwrap().get(&url).cloned();
        let Some(answer) = answer else {
            return Err(FetchError::NoAnswer {
                reason: "connection refused".to_owned(),
                after: Duration::ZERO,
                source: None,
            });
        };
        let sent = request.validators.and_then(|validators| validators.etag.clone());
        let lies = self.lies.lock().unwrap().contains(request.url.path());
        let is_deaf = request.method == Method::Head && *self.ignores_conditions_of_head.lock().unwrap();
        let same = !is_deaf && sent.is_some() && (lies || sent == answer.headers.etag);
        let has_body = !same && request.method == Method::Get;
        let status = if same { 304 } else { answer.status };
        Ok(Response {
            status_in_words: None,
            answer: recrawl_core::decide::answer::Answer::of(status),
            status,
            headers: answer.headers,
            received_bytes: if has_body { 100 + answer.body.len() as u64 } else { 100 },
            body: if has_body { answer.body.into_bytes() } else { Vec::new() },
            truncated: answer.truncated,
            fetched_at: *self.now.lock().unwrap(),
            fetch_ms: 5,
            fresh_until: answer.fresh_until,
            memory: BodyMemory::default(),
        })
    }
}

#[async_trait]
impl RobotsGate for Web {
    async fn permits(&self, url: &PageUrl) -> Result<Permission, RobotsError> {
        self.may_break("robots");
        let disallowed = self.disallowed.lock().unwrap().contains(url.path());
        Ok(if disallowed { Permission::Disallowed("Disallow: /x".to_owned()) } else { Permission::Allowed })
    }
}

/// Reads a body whose lines end with `|`, whose words beginning with `/` are links and whose words beginning with `~` are noise; those
/// beginning with `@` and `#` stand for targets and images. One that ends with `…` breaks off, one that says
/// `hopeless` cannot be read, one that says `vast` is read in part, and one that begins with `!` makes it panic.
struct Words(RulesVersion);

impl Extractor for Words {
    fn rules(&self) -> &RulesVersion {
        &self.0
    }

    fn extract(&self, url: &PageUrl, _: Option<&str>, body: &[u8]) -> Result<Extracted, Unreadable> {
        let body = String::from_utf8_lossy(body);
        if body.contains("hopeless") {
            return Err(Unreadable::Time(Duration::from_secs(5)));
        }
        let is_lenient = self.0.0 == "lenient";
        assert!(is_lenient || !body.starts_with('!'), "the reader breaks on purpose");
        let drop_numbers = self.0.0 == "without numbers";
        let noise = |word: &&str| {
            word.starts_with(['~', '@', '#', '…']) || drop_numbers && word.parse::<u32>().is_ok()
        };
        let text: Vec<&str> = body.split_whitespace().filter(|word| !noise(word)).collect();
        let text = text.join(" ").replace(" | ", "\n");
        let links = body.split_whitespace().filter(|word| word.starts_with('/') || word.starts_with("http"));
        Ok(Extracted {
            semantic: SemanticHash::of(text.as_bytes()),
            rules: self.0.clone(),
            signatures: Some(Signatures {
                links: signature(&body, '@'),
                media: signature(&body, '#'),
                meta: None,
            }),
            title: None,
            language: None,
            canonical: None,
            links: links
                .filter_map(|link| UrlRules::default().page(link, Some(&url.to_url())).ok())
                .collect(),
            directives: Directives { noindex: false, nofollow: text.contains("nofollow") },
            needs_scripts: text.contains("enable JavaScript"),
            block_page: text.contains("captcha").then(|| "a block page".to_owned()),
            breaks_off: body.ends_with('…'),
            cut: text.contains("vast").then(|| "too many elements".to_owned()),
            document: None,
            text,
            outline: None,
        })
    }
}

fn signature(body: &str, sign: char) -> Signature {
    let words: Vec<&str> = body.split_whitespace().filter(|word| word.starts_with(sign)).collect();
    let hash = SemanticHash::of(words.join(" ").as_bytes());
    Signature(hash.as_bytes().iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

#[async_trait]
impl SoftErrorProbe for Web {
    async fn absence(&self, _: &PageUrl) -> NotFoundAnswer {
        self.may_break("absence");
        self.absence.lock().unwrap().clone().unwrap_or(NotFoundAnswer::Honest)
    }
}

/// A frontier that breaks when it shall.
struct Queue {
    web: Arc<Web>,
    store: Arc<MemoryStore>,
    sent: Arc<Mutex<Vec<QueuedPage>>>,
}

#[async_trait]
impl Frontier for Queue {
    async fn queue(&self, pages: &[QueuedPage]) -> Result<(), QueueError> {
        self.web.may_break("queue");
        self.sent.lock().unwrap().extend_from_slice(pages);
        self.store.queue(pages).await
    }
}

/// Returns the address of a page of the scripted web.
pub(crate) fn url(path: &str) -> PageUrl {
    format!("https://example.org{path}").parse().unwrap()
}

static RULES: LazyLock<UrlRules> = LazyLock::new(UrlRules::default);

/// A site on memory ports that is crawled week after week.
pub(crate) struct Harness {
    pub(crate) web: Arc<Web>,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) site: Site,
    /// Everything that was queued, also what was queued before.
    pub(crate) sent: Arc<Mutex<Vec<QueuedPage>>>,
    pub(crate) week: Mutex<i64>,
    pub(crate) rules: Mutex<&'static str>,
    pub(crate) mode: Mutex<Mode>,
    pub(crate) settings: Mutex<CrawlPolicy>,
    pub(crate) planner: Mutex<Arc<VisitPlanner>>,
}

impl Harness {
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
            sent: Arc::default(),
            week: Mutex::new(0),
            rules: Mutex::new("1"),
            mode: Mutex::new(Mode::Incremental),
            settings: Mutex::new(policy()),
            planner: Mutex::new(Arc::new(VisitPlanner::new(Weights::default(), created_at))),
        }
    }

    /// Plants these pages, each with what it says.
    pub(crate) async fn with(pages: &[(&str, &str)]) -> Self {
        let harness = Self::new().await;
        for (path, body) in pages {
            harness.web.page(path, body);
        }
        harness
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH + (*self.week.lock().unwrap() * 7 * 24).hours()
    }

    pub(crate) fn step(&self, crawl: &Crawl) -> CrawlStep {
        let scope = Scope::new(&self.site.root, self.site.scope.clone()).unwrap();
        let ports = Ports {
            store: self.store.clone(),
            frontier: Arc::new(Queue {
                web: self.web.clone(),
                store: self.store.clone(),
                sent: self.sent.clone(),
            }),
            fetcher: self.web.clone(),
            robots: self.web.clone(),
            absence: self.web.clone(),
            state_store: self.store.clone(),
            stumbles: self.store.clone(),
            extractor: Arc::new(Words(RulesVersion((*self.rules.lock().unwrap()).to_owned()))),
            documents: Arc::new(NoDocuments),
        };
        let (settings, planner) =
            (self.settings.lock().unwrap().clone(), self.planner.lock().unwrap().clone());
        CrawlStep::new(self.site.clone(), crawl.clone(), scope, settings, ports, planner)
    }

    pub(crate) async fn open(&self) -> Crawl {
        *self.week.lock().unwrap() += 1;
        *self.web.now.lock().unwrap() = self.now();
        let crawls = self.store.crawls(&self.site.id).await.unwrap();
        let mode = *self.mode.lock().unwrap();
        let Opening::Open(crawl) = opening(&crawls, &self.site.id, CrawlKind::Full, mode, None, self.now())
        else {
            panic!("no crawl is open")
        };
        self.store.open_crawl(&crawl).await.unwrap();
        crawl
    }

    /// Crawls to the end as an embedded home does.
    pub(crate) async fn crawl(&self) -> Crawl {
        let crawl = self.open().await;
        let crawls = self.store.crawls(&self.site.id).await.unwrap();
        let step = self.step(&crawl).after_unusual(unusual_since_believed(&crawls, crawl.id));
        self.work_off(&step, &crawl).await;
        crawl
    }

    pub(crate) async fn work_off(&self, step: &CrawlStep, crawl: &Crawl) {
        step.queue([&self.site.root], &Found { by: FoundBy::Seed, depth: 0, referrer: None }).await.unwrap();
        let mut doubtful = Vec::new();
        loop {
            let pages = self.store.take(&self.site.id, crawl.id, 10).await.unwrap();
            for page in &pages {
                let mut attempt = Attempt::default();
                loop {
                    match Box::pin(step.visit(page, attempt, self.now())).await.unwrap() {
                        Outcome::Retry { next, .. } => attempt = next,
                        Outcome::Unconfirmed { .. } => doubtful.push(page.clone()),
                        Outcome::Duplicate | Outcome::Recorded(_) => break,
                    }
                    if doubtful.last() == Some(page) {
                        break;
                    }
                }
            }
            if !pages.is_empty() {
                continue;
            }
            for page in doubtful.drain(..) {
                Box::pin(step.visit(&page, Attempt::default(), self.now())).await.unwrap();
            }
            let found = self.audit(step, crawl).await;
            if found.missing.is_empty() {
                let findings = Findings::new(Ending::Complete, found.statistics);
                let closing = self.closing();
                Box::pin(closing.close(&self.site, crawl, findings, self.now())).await.unwrap();
                return;
            }
            self.store.queue(&found.missing).await.unwrap();
        }
    }

    pub(crate) fn closing(&self) -> Closing<'_> {
        Closing {
            store: &*self.store,
            state_store: &*self.store,
            announcer: &*self.store,
            archiving: None,
            summaries: None,
            url_rules: &RULES,
            described_by: Some(&*self.store),
            sharing: SharingRules::default(),
            awaits_acceptance: false,
        }
    }

    pub(crate) async fn audit(&self, step: &CrawlStep, crawl: &Crawl) -> Audit {
        let (scope, rules) = (step.scope(), step.url_rules());
        audit(&*self.store, &self.site.id, crawl.id, scope, rules, Vec::new(), &|_| false).await.unwrap()
    }

    /// Ends a crawl that somebody stopped.
    pub(crate) async fn close(&self, crawl: &Crawl) {
        let (at, ending) = (self.now(), Ending::Partial("stopped".to_owned()));
        let closed = Closed { at, ending, suspicion: None, state: None, statistics: Statistics::default() };
        self.store.close_crawl(&self.site.id, crawl.id, &closed).await.unwrap();
    }

    pub(crate) fn root(&self, crawl: &Crawl) -> QueuedPage {
        self.queued(crawl, "/")
    }

    pub(crate) fn queued(&self, crawl: &Crawl, path: &str) -> QueuedPage {
        let found = Found { by: FoundBy::Seed, depth: 0, referrer: None };
        let (site, url, priority) = (self.site.id.clone(), url(path), Priority::default());
        QueuedPage { site, crawl: crawl.id, url, found, priority }
    }

    pub(crate) async fn record(&self, crawl: CrawlId, path: &str) -> Option<PageRecord> {
        let visits = self.store.visits(&self.site.id, &url(path)).await.unwrap();
        visits.into_iter().find(|record| record.crawl == crawl)
    }

    /// Returns the newest record of a page.
    pub(crate) async fn latest(&self, path: &str) -> PageRecord {
        let visits = self.store.visits(&self.site.id, &url(path)).await.unwrap();
        visits.into_iter().max_by_key(|record| record.visit.fetched_at).unwrap()
    }

    /// Returns the pages of a crawl that are marked to be archived.
    pub(crate) async fn to_be_archived(&self, crawl: &Crawl) -> Vec<String> {
        let marked = self.store.unarchived(&self.site.id, crawl.id, Timestamp::MAX, 100).await.unwrap();
        marked.iter().map(|record| record.url.path().to_owned()).collect()
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
