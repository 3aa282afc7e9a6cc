//! The contract of [`Store`]: what later crawls are compared with.

use recrawl_core::model::crawl::Ending;
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::record::{PageRecord, PageSummary};
use recrawl_core::ports::Store;

use super::Subject;
use super::samples::{
    FIRST, SECOND, THIRD, closed, crawl, crawl_id, latest_before, open, page, record, site_id, suspect, time,
};

/// After all that [`open`] opens.
const FOURTH: &str = "crawl-2026-11-16";

/// Returns a record that can be told from that of any other crawl.
fn marked(crawl: &str, path: &str, observations: u32) -> PageRecord {
    let mut record = record("a", crawl, path);
    record.known.observations = observations;
    record
}

/// Returns the page and the mark of each page summary, in order of the pages.
async fn sighted(store: &impl Store, before: Option<&str>) -> Vec<(String, u32)> {
    let mut seen = Vec::new();
    let mut each = |page_summary: PageSummary| {
        seen.push((page_summary.url.path().to_owned(), page_summary.observations));
    };
    store.page_summaries(&site_id("a"), before.map(crawl_id), &mut each).await.unwrap();
    seen.sort();
    seen
}

fn marks(expected: &[(&str, u32)]) -> Vec<(String, u32)> {
    expected.iter().map(|(path, mark)| ((*path).to_owned(), *mark)).collect()
}

pub async fn a_suspect_crawl_is_passed_over_until_it_is_accepted<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let site = site_id("a");
    for id in [FIRST, SECOND] {
        store.record(&record("a", id, "/"), None).await.unwrap();
    }
    store.record(&record("a", SECOND, "/only-there"), None).await.unwrap();
    store.record(&record("a", THIRD, "/elsewhere"), None).await.unwrap();
    let latest = async |path: &str| -> Option<CrawlId> {
        let found = latest_before(store, &site, crawl_id(THIRD), &page(path)).await;
        found.map(|record| record.crawl)
    };
    assert_eq!(latest("/").await, Some(crawl_id(SECOND)), "a crawl that is open is believed");
    store.close_crawl(&site, crawl_id(SECOND), &suspect()).await.unwrap();
    assert_eq!(latest("/").await, Some(crawl_id(FIRST)));
    assert_eq!(latest("/only-there").await, None);
    let own = store.page(&site, crawl_id(SECOND), &page("/")).await.unwrap();
    assert_eq!(own, Some(record("a", SECOND, "/")), "its records are there for who asks for them");
    store.accept_crawl(&site, crawl_id(SECOND), time(20)).await.unwrap();
    assert_eq!(latest("/").await, Some(crawl_id(SECOND)));
    assert_eq!(latest("/only-there").await, Some(crawl_id(SECOND)));
}

pub async fn each_page_is_sighted_once_with_its_newest_record<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    assert_eq!(sighted(store, None).await, []);
    open(store, "a").await;
    open(store, "b").await;
    let written = [
        marked(FIRST, "/always", 1),
        marked(FIRST, "/once", 2),
        marked(SECOND, "/always", 3),
        marked(SECOND, "/later", 4),
        marked(THIRD, "/always", 5),
    ];
    // Written newest first: what counts is the order of the crawls.
    for record in written.iter().rev() {
        store.record(record, None).await.unwrap();
    }
    store.record(&record("b", SECOND, "/of-another-site"), None).await.unwrap();
    let site = site_id("a");
    store.close_crawl(&site, crawl_id(FIRST), &closed(Ending::Complete)).await.unwrap();
    let partial = closed(Ending::Partial("stopped".to_owned()));
    store.close_crawl(&site, crawl_id(SECOND), &partial).await.unwrap();
    let all = marks(&[("/always", 5), ("/later", 4), ("/once", 2)]);
    assert_eq!(sighted(store, None).await, all);
    assert_eq!(sighted(store, Some(FOURTH)).await, all);
    let before_third = marks(&[("/always", 3), ("/later", 4), ("/once", 2)]);
    assert_eq!(sighted(store, Some(THIRD)).await, before_third);
    assert_eq!(sighted(store, Some(SECOND)).await, marks(&[("/always", 1), ("/once", 2)]));
    assert_eq!(sighted(store, Some(FIRST)).await, []);
}

pub async fn a_sighting_tells_what_is_known<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let written = record("a", FIRST, "/");
    store.record(&written, None).await.unwrap();
    for ending in [None, Some(Ending::Complete)] {
        if let Some(ending) = ending {
            store.close_crawl(&site_id("a"), crawl_id(FIRST), &closed(ending)).await.unwrap();
        }
        let mut seen = Vec::new();
        store.page_summaries(&site_id("a"), None, &mut |page_summary| seen.push(page_summary)).await.unwrap();
        assert_eq!(seen, [PageSummary::from(&written)]);
    }
}

pub async fn suspect_crawls_are_not_sighted_until_they_are_accepted<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let site = site_id("a");
    store.record(&marked(FIRST, "/", 1), None).await.unwrap();
    store.record(&marked(SECOND, "/", 2), None).await.unwrap();
    store.close_crawl(&site, crawl_id(FIRST), &closed(Ending::Complete)).await.unwrap();
    store.close_crawl(&site, crawl_id(SECOND), &suspect()).await.unwrap();
    store.open_crawl(&crawl("a", FOURTH)).await.unwrap();
    assert_eq!(sighted(store, Some(FOURTH)).await, marks(&[("/", 1)]), "a suspect crawl is not whole");
    store.accept_crawl(&site, crawl_id(SECOND), time(20)).await.unwrap();
    assert_eq!(sighted(store, Some(FOURTH)).await, marks(&[("/", 2)]));
}
