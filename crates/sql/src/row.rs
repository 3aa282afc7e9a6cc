//! What a crawled page is as a row of a table.

use std::collections::HashMap;
use std::hash::BuildHasher;

use jiff::Timestamp;
use recrawl_core::decide::judge::redirect_target;
use recrawl_core::model::record::{ContentRef, PageRecord, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::{PageUrl, UrlRules};

/// The columns, in their order, with the types that a table is made with.
pub const COLUMNS: [(&str, &str); 15] = [
    ("url", "TEXT PRIMARY KEY"),
    ("domain", "TEXT"),
    ("http_status", "INTEGER"),
    ("body", "TEXT"),
    ("content_type", "TEXT"),
    ("elapsed_ms", "INTEGER"),
    ("crawled_at", "TEXT"),
    ("error", "TEXT"),
    ("etag", "TEXT"),
    ("last_modified", "TEXT"),
    ("hash", "TEXT"),
    ("title", "TEXT"),
    ("text", "TEXT"),
    ("verdict", "TEXT"),
    ("final_url", "TEXT"),
];

/// The status of a page that robots.txt forbids.
const FORBIDDEN: i64 = -1;

/// How many redirects lead from a page to the one that it is shown by.
const REDIRECTS: usize = 20;

/// What a crawl recorded of a page, as far as rows need it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    page: PageUrl,
    status: Option<u16>,
    verdict: Verdict,
    reason: Option<String>,
    fetched_at: Timestamp,
    fetch_ms: u32,
    content: Option<ContentRef>,
    content_type: Option<String>,
    etag: Option<String>,
    last_modified: Option<String>,
    /// Where it redirects.
    target: Option<PageUrl>,
    location: Option<String>,
}

impl Seen {
    /// Keeps what rows need of a record.
    pub(crate) fn of(record: &PageRecord) -> Self {
        let PageRecord { url, visit, known, .. } = record;
        let is_told = !matches!(visit.verdict, Verdict::Failed | Verdict::Excluded);
        let redirects = is_told && known.presence == Presence::Redirect;
        let headers = &known.headers;
        let target = redirect_target(url, headers, &UrlRules::keep_all_parameters()).filter(|_| redirects);
        Self {
            page: url.clone(),
            status: visit.status,
            verdict: visit.verdict,
            reason: visit.reason.clone(),
            fetched_at: visit.fetched_at,
            fetch_ms: visit.fetch_ms,
            content: record.offered_content().filter(|_| is_told).cloned(),
            content_type: headers.content_type.clone().filter(|_| is_told),
            etag: headers.etag.clone().filter(|_| is_told),
            last_modified: headers.last_modified.clone().filter(|_| is_told),
            target,
            location: headers.location.clone().filter(|_| redirects),
        }
    }

    /// Returns the page.
    pub(crate) fn page(&self) -> &PageUrl {
        &self.page
    }

    /// Tells whether robots.txt forbids the page.
    pub(crate) fn is_forbidden(&self) -> bool {
        self.verdict == Verdict::Excluded
            && self.reason.as_ref().is_some_and(|reason| reason.starts_with("robots.txt"))
    }

    /// Tells whether nothing was learnt of the page.
    pub(crate) fn is_failed(&self) -> bool {
        self.verdict == Verdict::Failed
    }
}

/// What shows a page: itself, or where it redirects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown<'a> {
    /// This one does.
    By(&'a PageUrl),
    /// It redirects to this one, of which nothing is recorded.
    Awaits(&'a PageUrl),
}

/// Returns what shows `page`, by what is recorded.
pub(crate) fn shown_by<'a, S: BuildHasher>(
    page: &'a PageUrl,
    seen: &'a HashMap<PageUrl, Seen, S>,
) -> Shown<'a> {
    let mut at = page;
    for _ in 0..REDIRECTS {
        match seen.get(at) {
            None => return Shown::Awaits(at),
            Some(Seen { target: Some(target), .. }) if target != at => at = target,
            Some(_) => break,
        }
    }
    Shown::By(at)
}

/// A row: what was asked for, and what showed it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// The address as it was given.
    pub url: String,
    /// What showed it.
    pub seen: Seen,
}

impl Row {
    /// Returns its host, without the port.
    pub(crate) fn domain(&self) -> String {
        let given = recrawl_settings::page(&self.url);
        given.map_or_else(|_| self.seen.page.host().to_owned(), |page| page.host().to_owned())
    }

    /// Returns the status: that of the page as it stands, also where the server said that nothing changed.
    pub(crate) fn status(&self) -> Option<i64> {
        if self.seen.is_forbidden() { Some(FORBIDDEN) } else { self.seen.status.map(i64::from) }
    }

    /// Returns why there is no page, if there is none.
    pub(crate) fn error(&self) -> Option<&str> {
        let is_wrong = matches!(self.seen.verdict, Verdict::Failed | Verdict::Excluded);
        self.seen.reason.as_deref().filter(|_| is_wrong)
    }

    /// Returns when it was fetched, as text.
    pub(crate) fn crawled_at(&self) -> String {
        format!("{:.3}", self.seen.fetched_at)
    }

    /// Returns the milliseconds that the request took.
    pub(crate) fn elapsed_ms(&self) -> i64 {
        self.seen.fetch_ms.into()
    }

    /// Returns the content.
    pub(crate) fn content(&self) -> Option<&ContentRef> {
        self.seen.content.as_ref()
    }

    /// Returns the media type.
    pub(crate) fn content_type(&self) -> Option<&str> {
        self.seen.content_type.as_deref()
    }

    /// Returns a value that needs nothing but the record; `None` for a column whose value is elsewhere.
    pub(crate) fn value(&self, column: &str) -> Option<rusqlite::types::Value> {
        let text =
            |value: Option<&str>| value.map_or(rusqlite::types::Value::Null, |text| text.to_owned().into());
        Some(match column {
            "url" => self.url.clone().into(),
            "domain" => self.domain().into(),
            "http_status" => self.status().map_or(rusqlite::types::Value::Null, Into::into),
            "content_type" => text(self.content_type()),
            "elapsed_ms" => self.elapsed_ms().into(),
            "crawled_at" => self.crawled_at().into(),
            "error" => text(self.error()),
            "etag" => text(self.seen.etag.as_deref()),
            "last_modified" => text(self.seen.last_modified.as_deref()),
            "hash" => text(self.seen.content.as_ref().map(|content| content.hash.to_string()).as_deref()),
            "verdict" => text(Some(self.seen.verdict.word())),
            "final_url" => {
                let target = self.seen.target.as_ref().map(PageUrl::as_str).or(self.seen.location.as_deref());
                text(target.or(Some(self.seen.page.as_str())))
            }
            _ => return None,
        })
    }
}
