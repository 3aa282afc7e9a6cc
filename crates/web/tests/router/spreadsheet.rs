//! Lists of changes as files for spreadsheets.

use axum::http::StatusCode;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::Ending;
use scraper::{Html, Selector};

use super::history::{Recorder, page};
use super::pages::select;
use super::{app, get, router, town};

const CRAWL: &str = "/sites/example.org-town/crawls/crawl-2026-11-16";

#[tokio::test]
async fn a_list_leads_to_a_file_with_all_of_its_rows_and_no_other() {
    let router = town().await;
    for list in ["/?since=30d", CRAWL, "/sites/example.org-town/crawls/crawl-2026-11-16?kind=new"] {
        let html = Html::parse_document(&get(&router, list).await.body);
        let rows = select(&html, ".row").len();
        let link = Selector::parse("a[download]").unwrap();
        let link = html.select(&link).next().unwrap().attr("href").unwrap();
        let file = get(&router, link).await;
        assert_eq!(file.status, StatusCode::OK, "{link}");
        assert_eq!(file.header("content-type"), "text/csv; charset=utf-8; header=present");
        assert!(file.body.starts_with("url,kind,crawl,status,fetched_at,title,"), "{}", file.body);
        let records = csv_records(&file.body);
        assert_eq!(records - 1, rows, "{list}: {}", file.body);
    }
    let of_crawl = get(&router, &format!("/changes.csv?list={CRAWL}")).await;
    let name = "attachment; filename=\"example.org-town-crawl-2026-11-16.csv\"";
    assert_eq!(of_crawl.header("content-disposition"), name);
    let of_all = get(&router, "/changes.csv?list=%2F%3Fsince%3D30d").await;
    assert_eq!(of_all.header("content-disposition"), "attachment; filename=\"changes-2026-11-16.csv\"");
    for wrong in ["/changes.csv", "/changes.csv?list=%2Fsearch", "/changes.csv?list=%2F%2Fevil.example"] {
        assert_eq!(get(&router, wrong).await.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
}

/// Counts the records of a file; cells may have line ends in them.
fn csv_records(text: &str) -> usize {
    let is_end = |(place, _): &(usize, &str)| text[..*place].matches('"').count().is_multiple_of(2);
    text.match_indices('\n').filter(is_end).count()
}

#[tokio::test]
async fn what_strangers_wrote_is_no_formula_in_the_file() {
    let mut site = Recorder::new(MemoryStore::default(), "evil.example", "https://evil.example/").await;
    for (crawl, text) in
        [("crawl-2026-11-09", "Some words."), ("crawl-2026-11-16", "@SUM(1), some other words.")]
    {
        site.crawl(crawl, &[("/", page("=1+1", &[text]))], Some(Ending::Complete)).await;
    }
    let router = router(app(site.into_store()));
    let file = get(&router, "/changes.csv?list=%2F%3Fsince%3D60d").await.body;
    assert!(file.contains(",'=1+1,"), "{file}");
    for formula in [",=", "\n=", ",\"=", ",@", ",\"@"] {
        assert!(!file.contains(formula), "{formula:?}: {file}");
    }
}
