//! The contract of [`Store`]: page records.

use std::collections::HashSet;
use std::sync::Arc;

use recrawl_core::model::aspect::{Aspects, Signature, Signatures};
use recrawl_core::model::crawl::Ending;
use recrawl_core::model::edit::{Edit, EditState, Edits};
use recrawl_core::model::ids::RulesVersion;
use recrawl_core::model::kind::{Kind, Kinds, Tier};
use recrawl_core::model::page_memory::PageMemory;
use recrawl_core::model::record::{Check, FoundBy, Presence};
use recrawl_core::model::region::Region;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Recorded, Store, StoreExt};
use recrawl_core::url::PageUrl;
use tokio::task::JoinSet;

use super::Subject;
use super::samples::{
    FIRST, SECOND, THIRD, bare_record, closed, content, crawl_id, edits, latest_before, links_of, memory,
    open, page, record, record_of, site_id, unstored,
};

pub async fn a_record_is_read_back_field_by_field<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let full = record_of("a", FIRST, "/full", &content("some text"));
    let bare = bare_record("a", FIRST, "/bare");
    store.record(&full, Some(&content("some text"))).await.unwrap();
    store.record(&bare, None).await.unwrap();
    for expected in [full, bare] {
        let read = latest_before(store, &site_id("a"), crawl_id(SECOND), &expected.url).await;
        assert_eq!(read, Some(expected));
    }
}

pub async fn every_word_of_a_record_is_read_back<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let mut written = Vec::new();
    for (number, verdict) in Verdict::ALL.into_iter().enumerate() {
        let mut record = record("a", FIRST, &format!("/verdict/{number}"));
        record.visit.verdict = verdict;
        written.push(record);
    }
    let presences =
        [Presence::Unknown, Presence::Present, Presence::Redirect, Presence::Gone, Presence::GoneForGood];
    for (number, presence) in presences.into_iter().enumerate() {
        let mut record = record("a", FIRST, &format!("/presence/{number}"));
        record.known.presence = presence;
        written.push(record);
    }
    let ways = [FoundBy::Seed, FoundBy::Link, FoundBy::Redirect, FoundBy::Sitemap, FoundBy::Memory];
    for (number, by) in ways.into_iter().enumerate() {
        let mut record = record("a", FIRST, &format!("/found/{number}"));
        record.found.by = by;
        written.push(record);
    }
    for (number, check) in [Check::None, Check::Confirmed, Check::False304].into_iter().enumerate() {
        let mut record = record("a", FIRST, &format!("/check/{number}"));
        record.visit.check = check;
        written.push(record);
    }
    for bits in 0..=Aspects::ALL.bits() {
        let mut record = record("a", FIRST, &format!("/aspects/{bits}"));
        record.visit.aspects = Aspects::from_bits(bits);
        written.push(record);
    }
    for (number, tier) in
        [None, Some(Tier::Content), Some(Tier::Around), Some(Tier::Noise)].into_iter().enumerate()
    {
        let mut record = record("a", FIRST, &format!("/tier/{number}"));
        record.visit.tier = tier;
        written.push(record);
    }
    for kind in Kind::ALL {
        let mut record = record("a", FIRST, &format!("/kind/{kind}"));
        record.visit.kinds = Kinds::default().with(kind);
        written.push(record);
    }
    for record in &written {
        store.record(record, None).await.unwrap();
    }
    for record in written {
        let read = latest_before(store, &site_id("a"), crawl_id(SECOND), &record.url).await;
        assert_eq!(read, Some(record));
    }
}

pub async fn what_a_visit_says_of_a_difference_is_read_back<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let mut written = Vec::new();
    let mut add = |name: String, edits: Option<Edits>, memory: Option<PageMemory>| {
        let mut record = record("a", FIRST, &name);
        record.visit.edits = edits.map(Box::new);
        record.known.memory = memory.map(Box::new);
        written.push(record);
    };
    add("/none".to_owned(), None, None);
    add("/counts-only".to_owned(), Some(Edits { lines_before: 3, ..Edits::default() }), None);
    add("/memory-only".to_owned(), None, Some(memory()));
    let states = [
        EditState::Own,
        EditState::Shared,
        EditState::Template,
        EditState::Shifted,
        EditState::Learnt,
        EditState::Rotating,
        EditState::Lively,
    ];
    for state in states {
        let list = edits().list.into_iter().map(|edit| Edit { state, ..edit }).collect();
        add(format!("/{state:?}"), Some(Edits { list, ..edits() }), None);
    }
    for region in Region::ALL {
        let list = edits().list.into_iter().map(|edit| Edit { region, ..edit }).collect();
        add(format!("/{region}"), Some(Edits { list, ..edits() }), Some(memory()));
    }
    for record in &written {
        store.record(record, None).await.unwrap();
    }
    for record in written {
        let read = latest_before(store, &site_id("a"), crawl_id(SECOND), &record.url).await;
        assert_eq!(read, Some(record));
    }
}

pub async fn signatures_are_read_back_to_the_last_bit<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let both =
        |links, media| Some(Signatures { links: Signature(links), media: Signature(media), meta: None });
    let meta = |meta| both(1, 2).map(|both| Signatures { meta: Some(Signature(meta)), ..both });
    let cases = [
        None,
        both(0, 0),
        both(u64::MAX, 1),
        both(1 << 63, (1 << 63) - 1),
        both((1 << 53) + 1, 2),
        meta(0),
        meta(u64::MAX),
        meta((1 << 53) + 1),
    ];
    for (number, signatures) in cases.into_iter().enumerate() {
        let mut written = record_of("a", FIRST, &format!("/{number}"), &content("text"));
        written.known.content.as_mut().unwrap().signatures = signatures;
        store.record(&written, None).await.unwrap();
        let read = store.page(&written.site, written.crawl, &written.url).await.unwrap();
        assert_eq!(read, Some(written));
    }
}

pub async fn the_first_record_of_a_page_stays<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let first = record("a", FIRST, "/");
    let mut second = first.clone();
    second.visit.verdict = Verdict::Failed;
    assert_eq!(store.record(&first, None).await.unwrap(), Recorded::First);
    assert_eq!(store.record(&second, Some(&content("late"))).await.unwrap(), Recorded::Already);
    assert_eq!(store.records(&site_id("a"), crawl_id(FIRST), &[], None, 9).await.unwrap(), [first]);
    assert_eq!(links_of(store, "a", &content("late").hash).await, None, "nothing of the second is written");
}

pub async fn of_concurrent_records_of_a_page_one_is_first<S: Subject<Port: Store>>(subject: S) {
    open(subject.port(), "a").await;
    let subject = Arc::new(subject);
    let mut writers = JoinSet::new();
    for number in 0..16 {
        let subject = Arc::clone(&subject);
        writers.spawn(async move {
            let content = content(&format!("text {number}"));
            let record = record_of("a", FIRST, "/", &content);
            let outcome = subject.port().record(&record, Some(&content)).await.unwrap();
            (outcome == Recorded::First).then_some(record)
        });
    }
    let winners: Vec<_> = writers.join_all().await.into_iter().flatten().collect();
    assert_eq!(winners.len(), 1);
    let stored = subject.port().records(&site_id("a"), crawl_id(FIRST), &[], None, 9).await.unwrap();
    assert_eq!(stored, winners);
    let hash = stored[0].known.content.as_ref().unwrap().hash;
    assert!(links_of(subject.port(), "a", &hash).await.is_some());
}

pub async fn concurrent_records_of_many_pages_are_all_kept<S: Subject<Port: Store>>(subject: S) {
    open(subject.port(), "a").await;
    let subject = Arc::new(subject);
    let mut writers = JoinSet::new();
    for number in 0..200 {
        let subject = Arc::clone(&subject);
        writers.spawn(async move {
            let content = content(&format!("text {}", number % 7));
            let record = record_of("a", FIRST, &format!("/{number}"), &content);
            subject.port().record(&record, Some(&content)).await.unwrap()
        });
    }
    let outcomes = writers.join_all().await;
    assert!(outcomes.iter().all(|outcome| *outcome == Recorded::First));
    let stored = subject.port().records(&site_id("a"), crawl_id(FIRST), &[], None, 999).await.unwrap();
    assert_eq!(stored.len(), 200);
}

pub async fn the_newest_earlier_record_is_found<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let site = site_id("a");
    let latest = |crawl| {
        let site = site.clone();
        async move { latest_before(store, &site, crawl_id(crawl), &page("/")).await.map(|found| found.crawl) }
    };
    assert_eq!(latest(THIRD).await, None);
    // Written out of order: what counts is the order of the crawls.
    for id in [THIRD, FIRST, SECOND] {
        store.record(&record("a", id, "/"), None).await.unwrap();
        store.record(&record("a", id, "/other"), None).await.unwrap();
    }
    assert_eq!(latest(FIRST).await, None, "neither the same crawl nor a later one counts");
    assert_eq!(latest(SECOND).await, Some(crawl_id(FIRST)));
    assert_eq!(latest(THIRD).await, Some(crawl_id(SECOND)));
    for absent in ["crawl-2026-11-09-9", "crawl-2031-01-01", "crawl-2020-01-01"] {
        assert_eq!(latest(absent).await, Some(crawl_id(THIRD)), "what is not there would come last");
    }
}

pub async fn an_earlier_crawl_without_the_page_is_skipped<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    store.record(&record("a", FIRST, "/"), None).await.unwrap();
    store.record(&record("a", SECOND, "/other"), None).await.unwrap();
    let found = latest_before(store, &site_id("a"), crawl_id(THIRD), &page("/")).await;
    assert_eq!(found.map(|record| record.crawl), Some(crawl_id(FIRST)));
}

pub async fn sites_with_the_same_page_do_not_mix<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    open(store, "b").await;
    store.record(&record("b", FIRST, "/"), None).await.unwrap();
    assert_eq!(latest_before(store, &site_id("a"), crawl_id(SECOND), &page("/")).await, None);
    assert_eq!(store.records(&site_id("a"), crawl_id(FIRST), &[], None, 9).await.unwrap(), []);
    let mut own = record("a", FIRST, "/");
    own.visit.status = Some(418);
    assert_eq!(store.record(&own, None).await.unwrap(), Recorded::First);
    assert_eq!(store.records(&site_id("a"), crawl_id(FIRST), &[], None, 9).await.unwrap(), [own]);
    store.close_crawl(&site_id("a"), crawl_id(FIRST), &closed(Ending::Complete)).await.unwrap();
    assert!(store.crawls(&site_id("b")).await.unwrap()[0].is_open());
}

pub async fn paging_sees_each_record_once<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    for number in 0..25 {
        store.record(&record("a", FIRST, &format!("/{number}")), None).await.unwrap();
        store.record(&record("a", SECOND, &format!("/{number}")), None).await.unwrap();
    }
    let mut seen: Vec<PageUrl> = Vec::new();
    loop {
        let records = store.records(&site_id("a"), crawl_id(FIRST), &[], seen.last(), 10).await.unwrap();
        assert!(records.len() <= 10);
        assert!(records.iter().all(|record| record.crawl == crawl_id(FIRST)));
        if records.is_empty() {
            break;
        }
        seen.extend(records.into_iter().map(|record| record.url));
    }
    assert_eq!(seen.len(), 25);
    assert_eq!(seen.iter().collect::<HashSet<_>>().len(), 25);
}

pub async fn records_are_filtered_by_verdict<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let verdicts = [Verdict::New, Verdict::Unchanged, Verdict::Gone, Verdict::Unchanged, Verdict::New];
    for (number, verdict) in verdicts.into_iter().enumerate() {
        let mut record = record("a", FIRST, &format!("/{number}"));
        record.visit.verdict = verdict;
        store.record(&record, None).await.unwrap();
    }
    let cases: [(&[Verdict], usize); 5] = [
        (&[], 5),
        (&[Verdict::New], 2),
        (&[Verdict::New, Verdict::Gone], 3),
        (&[Verdict::Failed], 0),
        (&Verdict::ALL, 5),
    ];
    for (wanted, expected) in cases {
        let mut seen: Vec<PageUrl> = Vec::new();
        loop {
            let records =
                store.records(&site_id("a"), crawl_id(FIRST), wanted, seen.last(), 1).await.unwrap();
            let Some(record) = records.into_iter().next() else {
                break;
            };
            assert!(wanted.is_empty() || wanted.contains(&record.visit.verdict));
            seen.push(record.url);
        }
        assert_eq!(seen.len(), expected, "{wanted:?}");
    }
}

pub async fn a_failed_visit_carries_what_was_known<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let content = content("known");
    store.record(&record_of("a", FIRST, "/", &content), Some(&content)).await.unwrap();
    let mut failed = record_of("a", SECOND, "/", &content);
    failed.visit.verdict = Verdict::Failed;
    failed.visit.status = Some(503);
    // The same bytes under newer rules are named by another meaning than the stored content.
    failed.known.content.as_mut().unwrap().rules = RulesVersion("2".to_owned());
    failed.known.content.as_mut().unwrap().semantic = unstored().semantic;
    store.record(&failed, None).await.unwrap();
    let read = latest_before(store, &site_id("a"), crawl_id(THIRD), &page("/")).await;
    assert_eq!(read, Some(failed));
}

pub async fn the_longest_address_is_a_page<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let longest = |last: char| {
        let start = "https://example.org/?q=";
        let url = format!("{start}{}{last}", "x".repeat(PageUrl::MAX_LENGTH - start.len() - 1));
        url.parse::<PageUrl>().unwrap()
    };
    for last in ['1', '2'] {
        let mut record = record("a", FIRST, "/");
        record.url = longest(last);
        record.found.referrer = Some(longest('3'));
        assert_eq!(store.record(&record, None).await.unwrap(), Recorded::First);
        let read = latest_before(store, &site_id("a"), crawl_id(SECOND), &record.url).await;
        assert_eq!(read, Some(record));
    }
}

pub async fn pages_are_listed_as_records_are<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    for number in 0..7 {
        store.record(&record("a", FIRST, &format!("/{number}")), None).await.unwrap();
    }
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    let records = store.records(&site, first, &[], None, 100).await.unwrap();
    let mut pages = Vec::new();
    loop {
        let chunk = store.pages(&site, first, pages.last(), 3).await.unwrap();
        if chunk.is_empty() {
            break;
        }
        assert!(chunk.len() <= 3);
        pages.extend(chunk);
    }
    let of_records: Vec<PageUrl> = records.into_iter().map(|record| record.url).collect();
    assert_eq!(pages, of_records);
    assert_eq!(store.pages(&site, crawl_id(SECOND), None, 3).await.unwrap(), []);
}

pub async fn the_shortest_way_to_a_recorded_page_stays<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    let mut written = record("a", FIRST, "/1");
    store.record(&written, None).await.unwrap();
    let deep = record("a", SECOND, "/1");
    store.record(&deep, None).await.unwrap();
    for (depth, expected) in [(3, 2), (1, 1), (2, 1)] {
        let pages = [page("/absent"), written.url.clone()];
        store.lower_depth(&site, first, &pages, depth).await.unwrap();
        written.found.depth = expected;
        let read = store.page(&site, first, &written.url).await.unwrap();
        assert_eq!(read.as_ref(), Some(&written), "{depth}: nothing else of the record changes");
    }
    assert_eq!(store.page(&site, first, &page("/absent")).await.unwrap(), None);
    assert_eq!(store.page(&site, crawl_id(SECOND), &deep.url).await.unwrap(), Some(deep));
}
