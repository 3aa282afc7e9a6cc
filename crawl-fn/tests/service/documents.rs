//! Documents in the service: the program itself reads them, in a process of its own.
#![cfg(feature = "documents")]

use std::sync::Arc;

use crawl_fn::Deps;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Contents as _, Store as _};
use recrawl_documents::DocumentProcess;
use recrawl_testkit::documents::Pdf;
use recrawl_testkit::site::{Page, Site};

use crate::stage::{Stage, config, deps, site_id};

fn plan(text: &str) -> Page {
    Page::bytes("application/pdf", Pdf::of_paragraphs("Town of Willow Bend", &[text]).write())
}

#[tokio::test]
async fn what_changed_in_a_pdf_is_recorded_like_what_changed_on_a_page() {
    let site = Site::start().await;
    site.page("/", Page::html("<h1>Town</h1><a href=/plan.pdf>The plan</a>"));
    site.page("/plan.pdf", plan("The bridge is closed until the end of March."));
    let store: Arc<MemoryStore> = Arc::default();
    // The program of the service, as it is started again for each document.
    let documents = Arc::new(DocumentProcess::of(env!("CARGO_BIN_EXE_crawl-fn").into()));
    let stage = Stage::over(config(&site), store.clone(), Deps { documents, ..deps(&store) }).await;
    let first = stage.crawl(&site.url(), "first").await;
    stage.close(first.id).await;
    site.page("/plan.pdf", plan("The bridge is open since the end of April."));
    let second = stage.crawl(&site.url(), "second").await;
    stage.close(second.id).await;
    let record = stage.store.page(&site_id(), second.id, &site.at("/plan.pdf")).await.unwrap().unwrap();
    assert_eq!((record.visit.verdict, record.document()), (Verdict::Changed, Some("PDF, 1 page")));
    assert!(record.visit.edits.is_some());
    let content = record.known.content.unwrap();
    assert!(content.rules.is_of_document(), "{:?}", content.rules);
    let text = stage.store.text(&site_id(), &content.semantic).await.unwrap();
    assert_eq!(text.as_deref(), Some("Town of Willow Bend\nThe bridge is open since the end of April."));
}
