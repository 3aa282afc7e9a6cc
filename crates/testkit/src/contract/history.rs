//! The contract of [`History`].

use std::collections::HashMap;

use recrawl_core::model::archive::{Archive, ArchiveState};
use recrawl_core::model::content::{Content, Extracted};
use recrawl_core::model::counts::Counts;
use recrawl_core::model::ids::{ContentHash, RulesVersion, SemanticHash};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Contents, History, Store};

use super::Subject;
use super::samples::{
    FIRST, SECOND, THIRD, content, crawl, crawl_id, open, page, record, record_of, site, site_id, time,
    unstored, without_body,
};

pub async fn sites_are_listed_by_name<S: Subject<Port: History>>(subject: S) {
    let store = subject.port();
    assert_eq!(store.sites().await.unwrap(), []);
    for name in ["b", "c", "a"] {
        store.save_site(&site(name)).await.unwrap();
    }
    assert_eq!(store.sites().await.unwrap(), [site("a"), site("b"), site("c")]);
}

pub async fn visits_are_listed_in_order_of_their_crawls<S: Subject<Port: History>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    open(store, "b").await;
    for id in [THIRD, FIRST, SECOND] {
        store.record(&record("a", id, "/"), None).await.unwrap();
    }
    store.record(&record("a", FIRST, "/other"), None).await.unwrap();
    store.record(&record("b", FIRST, "/"), None).await.unwrap();
    let (ahead, after_it) = ("crawl-2030-01-01", "crawl-2026-11-16");
    for id in [ahead, after_it] {
        store.open_crawl(&crawl("a", id)).await.unwrap();
        store.record(&record("a", id, "/"), None).await.unwrap();
    }
    let expected = [FIRST, SECOND, THIRD, ahead, after_it].map(|id| record("a", id, "/"));
    assert_eq!(store.visits(&site_id("a"), &page("/")).await.unwrap(), expected);
    assert_eq!(store.visits(&site_id("a"), &page("/never")).await.unwrap(), []);
    assert_eq!(store.visits(&site_id("c"), &page("/")).await.unwrap(), []);
}

pub async fn the_last_visit_is_the_newest<S: Subject<Port: History>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    assert_eq!(store.last_visit(&site, first).await.unwrap(), None);
    for (path, minute) in [("/1", 3), ("/2", 9), ("/3", 5)] {
        let mut record = record("a", FIRST, path);
        record.visit.fetched_at = time(minute);
        store.record(&record, None).await.unwrap();
    }
    assert_eq!(store.last_visit(&site, first).await.unwrap(), Some(time(9)));
}

pub async fn pages_are_counted_by_verdict<S: Subject<Port: History>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    open(store, "b").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    assert_eq!(store.verdict_counts(&site, first).await.unwrap(), Counts::default());
    let verdicts = [Verdict::New, Verdict::Gone, Verdict::New, Verdict::Excluded, Verdict::New];
    for (number, verdict) in verdicts.into_iter().enumerate() {
        let mut record = record("a", FIRST, &format!("/{number}"));
        record.visit.verdict = verdict;
        store.record(&record, None).await.unwrap();
        store.record(&record, None).await.unwrap();
    }
    for (other_site, other_crawl) in [("a", SECOND), ("b", FIRST)] {
        store.record(&record(other_site, other_crawl, "/elsewhere"), None).await.unwrap();
    }
    let expected = Counts::from([(Verdict::New, 3), (Verdict::Gone, 1), (Verdict::Excluded, 1)]);
    assert_eq!(store.verdict_counts(&site, first).await.unwrap(), expected);
    let absent = crawl_id("crawl-2031-01-01");
    assert_eq!(store.verdict_counts(&site, absent).await.unwrap(), Counts::default());
}

pub async fn pages_that_wait_to_be_archived_are_counted<S: Subject<Port: History>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    let later = Archive { not_before: Some(time(50)), ..Archive::queued(time(1)) };
    let captured = Archive { state: ArchiveState::Captured, ..Archive::queued(time(1)) };
    let archives = [None, Some(Archive::queued(time(1))), Some(later), Some(captured)];
    for (number, archive) in archives.into_iter().enumerate() {
        let record = PageRecord { archive, ..record("a", FIRST, &format!("/{number}")) };
        store.record(&record, None).await.unwrap();
    }
    let elsewhere = PageRecord { archive: Some(Archive::queued(time(1))), ..record("a", SECOND, "/") };
    store.record(&elsewhere, None).await.unwrap();
    assert_eq!(store.count_unarchived(&site, first).await.unwrap(), 2);
    assert_eq!(store.count_unarchived(&site, crawl_id(THIRD)).await.unwrap(), 0);
}

pub async fn visits_since_a_time_are_listed_in_their_order<S: Subject<Port: History>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    open(store, "b").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    let visited = |site, crawl, path, minute| {
        let mut record = record(site, crawl, path);
        record.visit.fetched_at = time(minute);
        record
    };
    let [early, late, middle] =
        [("/1", 3), ("/2", 9), ("/3", 5)].map(|(path, minute)| visited("a", FIRST, path, minute));
    for record in [&early, &late, &middle] {
        store.record(record, None).await.unwrap();
    }
    store.record(&visited("a", SECOND, "/1", 7), None).await.unwrap();
    store.record(&visited("b", FIRST, "/1", 7), None).await.unwrap();
    let since = async |minute, limit| store.visits_since(&site, first, time(minute), limit).await.unwrap();
    assert_eq!(since(0, 9).await, [early.clone(), middle.clone(), late.clone()]);
    assert_eq!(since(5, 9).await, [middle.clone(), late.clone()], "that time is one of them");
    assert_eq!(since(0, 2).await, [early, middle]);
    assert_eq!(since(6, 9).await, [late]);
    assert_eq!(since(10, 9).await, []);
}

pub async fn content_is_read_back_field_by_field<S: Subject<Port: History>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let full = content("full");
    let opaque_hash = ContentHash::of(b"");
    let opaque = Content {
        hash: opaque_hash,
        size: 0,
        media_type: String::new(),
        extracted: Extracted::opaque(opaque_hash),
        body: Some(Vec::new()),
    };
    let bodyless = without_body(&content("bodyless"));
    for (path, content) in [("/1", &full), ("/2", &opaque), ("/3", &bodyless)] {
        store.record(&record_of("a", FIRST, path, content), Some(content)).await.unwrap();
        assert_eq!(store.content(&site_id("a"), &content.hash).await.unwrap().as_ref(), Some(content));
    }
    assert_eq!(store.content(&site_id("a"), &unstored().hash).await.unwrap(), None);
}

pub async fn unusual_text_is_kept_as_it_is<S: Subject<Port: History>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let texts = [
        "a\0b".to_owned(),
        "👩‍🚀 𝕌𝕟𝕦𝕤𝕦𝕒𝕝 \u{202e}right to left\u{feff}".to_owned(),
        "' OR 1=1; -- \" ` \\ % _ ?1 :a".to_owned(),
        "line\r\nline\u{2028}line\t ".to_owned(),
        "a megabyte ".repeat(100_000),
    ];
    for (number, text) in texts.iter().enumerate() {
        let mut content = content(text);
        content.extracted.title = Some(text.clone());
        let mut record = record_of("a", FIRST, &format!("/{number}"), &content);
        record.known.headers.etag = Some(text.chars().take(1_000).collect());
        record.visit.reason = Some(text.chars().take(1_000).collect());
        store.record(&record, Some(&content)).await.unwrap();
        assert_eq!(store.content(&site_id("a"), &content.hash).await.unwrap(), Some(content.clone()));
        assert_eq!(
            store.text(&site_id("a"), &content.extracted.semantic).await.unwrap().as_ref(),
            Some(text)
        );
        assert_eq!(store.visits(&site_id("a"), &record.url).await.unwrap(), [record]);
    }
}

pub async fn any_bytes_are_a_body<S: Subject<Port: History>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let zeros = vec![0; 5_000_000];
    let noise: Vec<u8> =
        (0..40_000_u32).flat_map(|number| *SemanticHash::of(&number.to_le_bytes()).as_bytes()).collect();
    for (path, body) in [("/zeros", zeros), ("/noise", noise), ("/empty", Vec::new())] {
        let mut content = content(path);
        content.hash = ContentHash::of(&body);
        content.size = body.len() as u64;
        content.body = Some(body);
        store.record(&record_of("a", FIRST, path, &content), Some(&content)).await.unwrap();
        assert!(store.content(&site_id("a"), &content.hash).await.unwrap() == Some(content), "{path}");
    }
}

pub async fn a_text_is_kept_for_every_meaning<S: Subject<Port: History>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let first = content("under the old rules");
    let mut second = first.clone();
    "under the new rules".clone_into(&mut second.extracted.text);
    second.extracted.semantic = SemanticHash::of(second.extracted.text.as_bytes());
    second.extracted.rules = RulesVersion("2".to_owned());
    second.body = None;
    store.record(&record_of("a", FIRST, "/", &first), Some(&first)).await.unwrap();
    store.record(&record_of("a", SECOND, "/", &second), Some(&second)).await.unwrap();
    for content in [&first, &second] {
        let text = store.text(&site_id("a"), &content.extracted.semantic).await.unwrap();
        assert_eq!(text.as_ref(), Some(&content.extracted.text));
    }
    assert_eq!(
        store.content(&site_id("a"), &first.hash).await.unwrap(),
        Some(first),
        "the stored content stays"
    );
    assert_eq!(store.text(&site_id("a"), &unstored().semantic).await.unwrap(), None);
}

pub async fn contents_that_share_a_text_have_it_both<S: Subject<Port: History>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let first = content("shared");
    let mut second = first.clone();
    second.hash = ContentHash::of(b"touched");
    second.body = None;
    for (path, content) in [("/1", &first), ("/2", &second)] {
        store.record(&record_of("a", FIRST, path, content), Some(content)).await.unwrap();
    }
    for content in [first, second] {
        assert_eq!(store.content(&site_id("a"), &content.hash).await.unwrap(), Some(content));
    }
}

pub async fn titles_are_read_without_bodies<S: Subject<Port: History>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let titled = content("titled");
    let mut untitled = content("untitled");
    untitled.extracted.title = None;
    for (path, content) in [("/1", &titled), ("/2", &untitled)] {
        store.record(&record_of("a", FIRST, path, content), Some(content)).await.unwrap();
    }
    let wanted = [untitled.hash, unstored().hash, titled.hash, titled.hash];
    let read = store.titles(&site_id("a"), &wanted).await.unwrap();
    assert_eq!(read, HashMap::from([(titled.hash, "A title".to_owned())]));
}

pub async fn a_title_of_any_length_is_shown_in_part<S: Subject<Port: History>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let mut endless = content("endless");
    endless.extracted.title = Some("é".repeat(20_000));
    store.record(&record_of("a", FIRST, "/", &endless), Some(&endless)).await.unwrap();
    let read = store.titles(&site_id("a"), &[endless.hash]).await.unwrap();
    assert_eq!(read, HashMap::from([(endless.hash, "é".repeat(1_000))]));
}

pub async fn a_content_without_text_keeps_its_outline<S: Subject<Port: History>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let mut shown = content("a page of images");
    shown.extracted.text.clear();
    store.record(&record_of("a", FIRST, "/", &shown), Some(&shown)).await.unwrap();
    assert_eq!(store.content(&site_id("a"), &shown.hash).await.unwrap(), Some(shown));
}

/// Adds the tests of [`History`] on the subject that the expression makes.
#[macro_export]
macro_rules! history_conformance {
    ($fresh:expr) => {
        $crate::contract_cases! { history, $fresh;
            sites_are_listed_by_name
            visits_are_listed_in_order_of_their_crawls
            the_last_visit_is_the_newest
            pages_are_counted_by_verdict
            pages_that_wait_to_be_archived_are_counted
            visits_since_a_time_are_listed_in_their_order
            content_is_read_back_field_by_field
            unusual_text_is_kept_as_it_is
            any_bytes_are_a_body
            a_text_is_kept_for_every_meaning
            contents_that_share_a_text_have_it_both
            titles_are_read_without_bodies
            a_title_of_any_length_is_shown_in_part
            a_content_without_text_keeps_its_outline
        }
    };
}
