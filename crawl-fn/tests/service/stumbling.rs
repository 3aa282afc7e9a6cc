//! Pages that make Recrawl itself stumble: acknowledged once that is recorded.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crawl_fn::Deps;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::content::{Extracted, Extractor, Unreadable};
use recrawl_core::model::ids::RulesVersion;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Store, Stumbles};
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::TextRules;
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;

use crate::stage::{Stage, config, deps, linked, site_id};

/// Reads HTML, and panics over one page; then, if it shall, over everything it is asked about that.
struct Panicking {
    html: HtmlExtractor,
    is_stubborn: bool,
    broke: AtomicBool,
}

impl Panicking {
    fn new(is_stubborn: bool) -> Self {
        let html = HtmlExtractor::new(TextRules::default(), UrlRules::default(), true);
        Self { html, is_stubborn, broke: AtomicBool::new(false) }
    }
}

impl Extractor for Panicking {
    fn rules(&self) -> &RulesVersion {
        let breaks = self.is_stubborn && self.broke.load(Ordering::SeqCst);
        assert!(!breaks, "on purpose, again");
        self.html.rules()
    }

    fn extract(
        &self,
        url: &PageUrl,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<Extracted, Unreadable> {
        if url.path() == "/broken" {
            self.broke.store(true, Ordering::SeqCst);
            panic!("on purpose");
        }
        self.html.extract(url, content_type, body)
    }
}

async fn stage(site: &Site, is_stubborn: bool) -> Stage {
    site.page("/", Page::html("<a href=/broken>broken</a><a href=/well>well</a>"));
    site.page("/broken", Page::html("broken")).page("/well", Page::html("well"));
    let store: Arc<MemoryStore> = Arc::default();
    let deps = Deps { extractor: Some(Arc::new(Panicking::new(is_stubborn))), ..deps(&store) };
    Stage::over(config(site), store, deps).await
}

#[tokio::test]
async fn a_page_that_makes_the_reader_panic_is_recorded_and_acknowledged() {
    let site = Site::start().await;
    let stage = stage(&site, false).await;
    let crawl = stage.crawl(&site.url(), "weekly").await;
    stage.close(crawl.id).await;
    assert_eq!(stage.records(crawl.id).await.len(), 3);
    let record = stage.store.page(&site_id(), crawl.id, &site.at("/broken")).await.unwrap().unwrap();
    assert_eq!((record.visit.verdict, record.visit.requests), (Verdict::Failed, 1));
    let reason = record.visit.reason.unwrap();
    let expected = "Recrawl stumbled over this page: on purpose (crawl-fn/tests/service/stumbling.rs:";
    assert!(reason.starts_with(expected), "{reason}");
    assert_eq!(site.requests_for("/broken").len(), 1, "it is not delivered again");
    let crawls = stage.store.crawls(&site_id()).await.unwrap();
    let closed = crawls[0].closed.as_ref().unwrap();
    assert_eq!((closed.statistics.counts[Verdict::New], closed.statistics.stumbled), (2, 1));
    let stumbles = stage.store.stumbles(&site_id(), crawl.id).await.unwrap();
    assert_eq!(stumbles.len(), 1);
    let body = stage.store.stumbled_body(&site_id(), crawl.id, &site.at("/broken")).await.unwrap();
    assert!(body.is_some_and(|body| body.ends_with(b"broken")));
}

#[tokio::test]
async fn a_page_that_cannot_even_be_recorded_is_given_up() {
    let site = Site::start().await;
    let stage = stage(&site, true).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    for deliveries in 1..=2 {
        let status = stage.pusher.page(&linked(&site, crawl, "/broken")).await;
        assert_eq!(status, StatusCode::NO_CONTENT);
        assert_eq!(stage.service.poisoned("stumbled"), deliveries);
    }
    assert_eq!(stage.store.page(&site_id(), crawl, &site.at("/broken")).await.unwrap(), None);
}
