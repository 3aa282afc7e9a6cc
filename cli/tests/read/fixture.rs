//! A small history in an SQLite file, written through the ports as a crawl writes it.

use std::path::{Path, PathBuf};

use assert_cmd::cargo::cargo_bin_cmd;
use jiff::{Timestamp, ToSpan};
use recrawl_core::decide::judge::{Observation, judge};
use recrawl_core::model::content::{Content, Extractor};
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Site, Suspicion};
use recrawl_core::model::ids::{ContentHash, CrawlId, SiteId};
use recrawl_core::model::kind::{Kinds, WordCount};
use recrawl_core::model::record::{Check, Found, FoundBy, Headers, PageRecord, Visit};
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::ports::{Frontier, Priority, QueuedPage, StateEntry, StateKey, StateStore, Store};
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::TextRules;
use recrawl_store_sqlite::{Options, SqliteStore};
use tempfile::TempDir;

/// What a page answers in a crawl.
pub(crate) enum Answer {
    /// A page; its body is kept.
    Html(&'static str),
    /// A page whose body is not kept.
    Passing(&'static str),
    Pdf(&'static [u8]),
    NotModified,
    /// A 304 that was checked by an unconditional request, and was true.
    Confirmed,
    /// A page that came when a 304 was checked.
    Refuted(&'static str),
    /// Not asked for, for this reason.
    Presumed(&'static str),
    /// A page to which nothing led, as far as the crawl knew.
    Remembered(&'static str),
    Redirect(&'static str),
    NotFound,
    /// A failure, for this reason.
    Failed(&'static str),
    /// Passed over, for this reason.
    Excluded(&'static str),
}

/// A store in a directory of its own.
pub(crate) struct Fixture {
    directory: TempDir,
    store: SqliteStore,
}

/// How a command ended.
pub(crate) struct Outcome {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// Writes everything that a person sees.
    pub(crate) fn shown(&self) -> String {
        format!(
            "{}{}exit status {}\n",
            section("stdout", &self.stdout),
            section("stderr", &self.stderr),
            self.status
        )
    }
}

fn section(name: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("--- {name}\n{text}") }
}

/// Runs the command in `directory`.
pub(crate) fn recrawl(directory: &Path, arguments: &[&str]) -> Outcome {
    let mut command = cargo_bin_cmd!("recrawl");
    command.current_dir(directory).env_remove("RECRAWL_STORE").args(arguments);
    let output = command.output().unwrap();
    Outcome {
        status: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Fixture {
    /// Makes an empty store named `recrawl.db`.
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(directory.path().join("recrawl.db"), &Options::default()).unwrap();
        Self { directory, store }
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory().join("recrawl.db")
    }

    /// Runs the command beside the store.
    pub(crate) fn recrawl(&self, arguments: &[&str]) -> Outcome {
        recrawl(self.directory(), arguments)
    }

    pub(crate) async fn add_site(&self, name: &str, root: &str) {
        let root: PageUrl = root.parse().unwrap();
        let site = Site {
            id: name.parse().unwrap(),
            root,
            scope: ScopeSettings::default(),
            created_at: "2026-11-02T03:00:00Z".parse().unwrap(),
        };
        self.store.save_site(&site).await.unwrap();
    }

    /// Remembers something as a crawl does.
    pub(crate) async fn remember(&self, key: StateKey, value: &str) {
        let saved_at = "2026-11-16T03:00:00Z".parse().unwrap();
        self.store.save_state(&key, &StateEntry { saved_at, value: value.to_owned() }).await.unwrap();
    }

    /// Writes a crawl of a site in which pages answered so, a second each.
    pub(crate) async fn crawl(
        &self,
        site: &str,
        crawl: &str,
        ending: Option<Ending>,
        answers: &[(&str, Answer)],
    ) {
        self.doubtful_crawl(site, crawl, ending, None, answers).await;
    }

    /// Writes a crawl that is suspect, for this reason.
    pub(crate) async fn doubtful_crawl(
        &self,
        site: &str,
        crawl: &str,
        ending: Option<Ending>,
        doubt: Option<&str>,
        answers: &[(&str, Answer)],
    ) {
        let site: SiteId = site.parse().unwrap();
        let crawl: CrawlId = crawl.parse().unwrap();
        let opened_at: Timestamp = format!("{}T03:00:00Z", crawl.day()).parse().unwrap();
        self.store.open_crawl(&Crawl::new(site.clone(), crawl, opened_at)).await.unwrap();
        let mut statistics = Statistics::default();
        for (seconds, (url, answer)) in (1..).zip(answers) {
            let time = opened_at + i64::from(seconds).seconds();
            statistics.add(&self.visit(&site, crawl, url.parse().unwrap(), answer, time).await);
        }
        if let Some(ending) = ending {
            let suspicion = doubt.map(|reason| Suspicion::new(reason.to_owned()));
            let closed = Closed { at: opened_at + 1.hours(), ending, suspicion, state: None, statistics };
            self.store.close_crawl(&site, crawl, &closed).await.unwrap();
        }
    }

    /// Queues a page that is not visited.
    pub(crate) async fn queue(&self, site: &str, crawl: &str, url: &str) {
        let found = Found { by: FoundBy::Link, depth: 1, referrer: None };
        let page = QueuedPage {
            site: site.parse().unwrap(),
            crawl: crawl.parse().unwrap(),
            url: url.parse().unwrap(),
            found,
            priority: Priority::default(),
        };
        self.store.queue(&[page]).await.unwrap();
        self.store.flush().await.unwrap();
    }

    async fn visit(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: PageUrl,
        answer: &Answer,
        time: Timestamp,
    ) -> PageRecord {
        let previous = self.store.latest_before(site, crawl, &url).await.unwrap();
        let known = previous.map(|record| record.known);
        let content = content(&url, answer);
        let mut headers = Headers::default();
        let (observation, status, reason) = match answer {
            Answer::Html(_)
            | Answer::Passing(_)
            | Answer::Pdf(_)
            | Answer::Refuted(_)
            | Answer::Remembered(_) => {
                let content = content.as_ref().unwrap();
                headers.content_type = Some(content.media_type.clone());
                headers.etag = Some(format!("\"{}\"", &content.hash.to_string()[..4]));
                let before = known.as_ref().and_then(|known| known.content.as_ref());
                let observation = Observation::Content {
                    difference: before.map(|before| before.differences(&content.reference())),
                    reference: content.reference(),
                    transfer_bytes: 100,
                };
                (observation, Some(200), None)
            }
            Answer::NotModified | Answer::Confirmed => (Observation::NotModified, Some(200), None),
            Answer::Presumed(reason) => (Observation::Presumed, Some(200), Some(*reason)),
            Answer::Redirect(location) => {
                headers.location = Some((*location).to_owned());
                (Observation::Redirect, Some(301), None)
            }
            Answer::NotFound => (Observation::Absent { for_good: false }, Some(404), None),
            Answer::Failed(reason) => (Observation::NoEvidence, None, Some(*reason)),
            Answer::Excluded(reason) => (Observation::PassedOver, None, Some(*reason)),
        };
        let judgement = judge(&url, known.as_ref(), &observation, &headers, time);
        let not_modified = matches!(answer, Answer::NotModified | Answer::Confirmed);
        let is_root = url.path() == "/";
        let record = PageRecord {
            site: site.clone(),
            crawl,
            found: Found {
                by: match answer {
                    Answer::Remembered(_) => FoundBy::Memory,
                    _ if is_root => FoundBy::Seed,
                    _ => FoundBy::Link,
                },
                depth: u32::from(!is_root),
                referrer: (!is_root && !matches!(answer, Answer::Remembered(_)))
                    .then(|| format!("{}://{}/", url.scheme(), url.authority()).parse().unwrap()),
            },
            visit: Visit {
                verdict: judgement.verdict,
                aspects: judgement.aspects,
                tier: None,
                weight: 0,
                words: WordCount::default(),
                kinds: Kinds::default(),
                edits: None,
                status,
                not_modified,
                check: match answer {
                    Answer::Confirmed => Check::Confirmed,
                    Answer::Refuted(_) => Check::False304,
                    _ => Check::None,
                },
                reason: reason.map(str::to_owned),
                fetched_at: time,
                fetch_ms: 20,
                requests: match answer {
                    Answer::Excluded(_) | Answer::Presumed(_) => 0,
                    Answer::Confirmed | Answer::Refuted(_) => 2,
                    _ => 1,
                },
                received_bytes: if content.is_some() { 100 } else { 10 },
                saved_bytes: if not_modified { 90 } else { 0 },
                truncated: false,
            },
            known: judgement.known,
            archive: None,
            url,
        };
        self.store.record(&record, content.as_ref()).await.unwrap();
        record
    }
}

fn content(url: &PageUrl, answer: &Answer) -> Option<Content> {
    let (media_type, body, is_kept): (_, &[u8], _) = match answer {
        Answer::Html(body) | Answer::Refuted(body) | Answer::Remembered(body) => {
            ("text/html", body.as_bytes(), true)
        }
        Answer::Passing(body) => ("text/html", body.as_bytes(), false),
        Answer::Pdf(body) => ("application/pdf", body, false),
        Answer::NotModified
        | Answer::Confirmed
        | Answer::Presumed(_)
        | Answer::Redirect(_)
        | Answer::NotFound
        | Answer::Failed(_)
        | Answer::Excluded(_) => return None,
    };
    let extractor = HtmlExtractor::new(TextRules::default(), UrlRules::default(), true);
    Some(Content {
        hash: ContentHash::of(body),
        size: body.len() as u64,
        media_type: media_type.to_owned(),
        extracted: extractor.extract(url, Some(media_type), body).unwrap(),
        body: is_kept.then(|| body.to_vec()),
    })
}
