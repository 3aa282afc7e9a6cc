//! The contract of [`Store`]: sites and crawls.

use std::sync::Arc;

use recrawl_core::model::crawl::{Closed, Crawl, Ending, Mode, Suspicion};
use recrawl_core::model::site_state::{Obstacle, SiteState};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Contents, Recorded, Store, StoreError};
use tokio::task::JoinSet;

use super::Subject;
use super::samples::{
    FIRST, SECOND, THIRD, closed, crawl, crawl_id, latest_before, links_of, open, page, record, site,
    site_id, suspect, time, unstored,
};

pub async fn a_saved_site_is_read_back_and_replaced<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    assert_eq!(store.site(&site_id("a")).await.unwrap(), None);
    let mut saved = site("a");
    store.save_site(&saved).await.unwrap();
    assert_eq!(store.site(&site_id("a")).await.unwrap(), Some(saved.clone()));
    saved.scope.include.clear();
    saved.root = page("/elsewhere");
    store.save_site(&saved).await.unwrap();
    assert_eq!(store.site(&site_id("a")).await.unwrap(), Some(saved));
    assert_eq!(store.site(&site_id("b")).await.unwrap(), None);
}

pub async fn a_site_that_is_saved_again_keeps_its_crawls<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    store.record(&record("a", FIRST, "/"), None).await.unwrap();
    store.save_site(&site("a")).await.unwrap();
    assert_eq!(store.crawls(&site_id("a")).await.unwrap().len(), 3);
    assert_eq!(store.records(&site_id("a"), crawl_id(FIRST), &[], None, 9).await.unwrap().len(), 1);
}

pub async fn crawls_are_listed_in_order_of_opening<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    store.save_site(&site("a")).await.unwrap();
    store.save_site(&site("b")).await.unwrap();
    // Neither by name nor by time: the clock was wrong more than once.
    let opened = [(THIRD, 7), ("crawl-2030-01-01", 9), (FIRST, 3), ("crawl-2026-11-09-2", 3), (SECOND, 1)];
    let opened = opened.map(|(id, minute)| Crawl { opened_at: time(minute), ..crawl("a", id) });
    for (number, opened) in opened.iter().enumerate() {
        assert_eq!(store.open_crawl(opened).await.unwrap(), Recorded::First);
        let other = format!("crawl-2026-10-{:02}", 20 - number);
        store.open_crawl(&crawl("b", &other)).await.unwrap();
        assert_eq!(store.crawl_under_way(&site_id("a")).await.unwrap().as_ref(), Some(opened));
    }
    assert_eq!(store.crawls(&site_id("a")).await.unwrap(), opened);
    assert_eq!(store.open_crawl(&opened[1]).await.unwrap(), Recorded::Already);
    assert_eq!(store.crawls(&site_id("a")).await.unwrap(), opened, "who is there already keeps its place");
}

pub async fn a_crawl_dated_ahead_comes_before_those_opened_after_it<S: Subject<Port: Store>>(subject: S) {
    const AHEAD: &str = "crawl-2030-01-01";
    let store = subject.port();
    let site_name = site_id("a");
    store.save_site(&site("a")).await.unwrap();
    for id in [FIRST, AHEAD, SECOND, THIRD] {
        store.open_crawl(&crawl("a", id)).await.unwrap();
        let mut written = record("a", id, "/");
        written.visit.verdict = Verdict::Unchanged;
        store.record(&written, None).await.unwrap();
        if id != THIRD {
            store.close_crawl(&site_name, crawl_id(id), &closed(Ending::Complete)).await.unwrap();
        }
    }
    let latest = async |crawl: &str| {
        let found = latest_before(store, &site_name, crawl_id(crawl), &page("/")).await;
        found.map(|record| record.crawl)
    };
    assert_eq!(latest(FIRST).await, None);
    assert_eq!(latest(AHEAD).await, Some(crawl_id(FIRST)));
    assert_eq!(latest(SECOND).await, Some(crawl_id(AHEAD)));
    assert_eq!(latest(THIRD).await, Some(crawl_id(SECOND)));
    let under_way = store.crawl_under_way(&site_name).await.unwrap();
    assert_eq!(under_way.map(|crawl| crawl.id), Some(crawl_id(THIRD)));
    let own = store.page(&site_name, crawl_id(AHEAD), &page("/")).await.unwrap();
    assert_eq!(own.map(|record| record.crawl), Some(crawl_id(AHEAD)));
}

pub async fn a_crawl_is_opened_once<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    store.save_site(&site("a")).await.unwrap();
    assert_eq!(store.open_crawl(&crawl("a", FIRST)).await.unwrap(), Recorded::First);
    let mut again = crawl("a", FIRST);
    again.opened_by = None;
    again.opened_at = time(99);
    assert_eq!(store.open_crawl(&again).await.unwrap(), Recorded::Already);
    assert_eq!(store.crawls(&site_id("a")).await.unwrap(), [crawl("a", FIRST)]);
}

pub async fn of_concurrent_openings_one_is_first<S: Subject<Port: Store>>(subject: S) {
    subject.port().save_site(&site("a")).await.unwrap();
    let subject = Arc::new(subject);
    let mut openings = JoinSet::new();
    for _ in 0..16 {
        let subject = Arc::clone(&subject);
        openings.spawn(async move { subject.port().open_crawl(&crawl("a", FIRST)).await.unwrap() });
    }
    let outcomes = openings.join_all().await;
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == Recorded::First).count(), 1);
}

pub async fn a_crawl_that_is_closed_twice_keeps_its_first_end<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let end = closed(Ending::Partial("stopped by a person".to_owned()));
    store.close_crawl(&site_id("a"), crawl_id(SECOND), &end).await.unwrap();
    store.close_crawl(&site_id("a"), crawl_id(SECOND), &closed(Ending::Complete)).await.unwrap();
    let crawls = store.crawls(&site_id("a")).await.unwrap();
    assert_eq!(crawls[1].closed, Some(end));
    assert!(crawls[0].is_open() && crawls[2].is_open());
}

pub async fn a_complete_crawl_is_read_back_whole<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    store.close_crawl(&site_id("a"), crawl_id(FIRST), &closed(Ending::Complete)).await.unwrap();
    assert_eq!(store.crawls(&site_id("a")).await.unwrap()[0].closed, Some(closed(Ending::Complete)));
}

pub async fn why_a_site_could_not_be_read_is_read_back<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let ending = || Ending::Partial("it could not be read".to_owned());
    for (id, obstacle) in [
        (FIRST, Obstacle::NeedsScripts { pages: 12, of: 14 }),
        (SECOND, Obstacle::CookieWall),
        (THIRD, Obstacle::Unreachable { host: "a".to_owned(), reason: "connection refused".to_owned() }),
    ] {
        let state = Some(SiteState { obstacle, read: 2 });
        let end = Closed { state, ..closed(ending()) };
        store.close_crawl(&site_id("a"), crawl_id(id), &end).await.unwrap();
        let crawls = store.crawls(&site_id("a")).await.unwrap();
        let crawl = crawls.into_iter().find(|crawl| crawl.id == crawl_id(id)).unwrap();
        assert_eq!(crawl.closed, Some(end));
    }
}

pub async fn every_mode_is_read_back<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    store.save_site(&site("a")).await.unwrap();
    let modes = [(FIRST, Mode::Full), (SECOND, Mode::Incremental), (THIRD, Mode::Smart)];
    let crawls = modes.map(|(id, mode)| Crawl { mode, ..crawl("a", id) });
    for crawl in &crawls {
        store.open_crawl(crawl).await.unwrap();
    }
    assert_eq!(store.crawls(&site_id("a")).await.unwrap(), crawls);
}

pub async fn a_suspect_crawl_is_read_back_and_accepted_once<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    let first_closed = async || store.crawls(&site).await.unwrap().remove(0).closed;
    store.close_crawl(&site, first, &suspect()).await.unwrap();
    assert_eq!(first_closed().await, Some(suspect()));
    let mut accepted = suspect();
    accepted.suspicion.as_mut().unwrap().accepted_at = Some(time(20));
    for minute in [20, 30] {
        store.accept_crawl(&site, first, time(minute)).await.unwrap();
        assert_eq!(first_closed().await, Some(accepted.clone()), "the first time stays");
    }
    store.close_crawl(&site, first, &suspect()).await.unwrap();
    assert_eq!(first_closed().await, Some(accepted), "closing again changes nothing");
    let partial = Closed { ending: Ending::Partial("stopped".to_owned()), ..suspect() };
    store.close_crawl(&site, crawl_id(SECOND), &partial).await.unwrap();
    assert_eq!(store.crawls(&site).await.unwrap().remove(1).closed, Some(partial));
}

pub async fn a_suspect_crawl_is_judged_again_until_it_is_accepted<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    store.close_crawl(&site, first, &suspect()).await.unwrap();
    let statistics = Statistics { total: 7, failed_known: 2, ..Statistics::default() };
    for _ in 0..2 {
        store.judge_crawl_again(&site, first, "7 pages are odd", &statistics).await.unwrap();
        let closed = store.crawls(&site).await.unwrap().remove(0).closed.unwrap();
        assert_eq!(closed.statistics, statistics);
        assert_eq!(closed.suspicion, Some(Suspicion::new("7 pages are odd".to_owned())));
        assert_eq!(
            Closed { statistics: suspect().statistics, suspicion: suspect().suspicion, ..closed },
            suspect()
        );
    }
    store.accept_crawl(&site, first, time(20)).await.unwrap();
    let accepted = store.crawls(&site).await.unwrap();
    store.judge_crawl_again(&site, first, "too late", &Statistics::default()).await.unwrap();
    assert_eq!(store.crawls(&site).await.unwrap(), accepted, "what was accepted stays");
    store.close_crawl(&site, crawl_id(SECOND), &closed(Ending::Complete)).await.unwrap();
    for crawl in [SECOND, THIRD] {
        let refused = store.judge_crawl_again(&site, crawl_id(crawl), "no", &statistics).await;
        assert!(matches!(refused, Err(StoreError::Absent(_))), "{crawl}: {refused:?}");
    }
}

pub async fn a_suspect_crawl_is_confirmed_once_and_stays_in_doubt<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    store.close_crawl(&site, first, &suspect()).await.unwrap();
    let mut confirmed = suspect();
    confirmed.suspicion.as_mut().unwrap().confirmed_by = Some(crawl_id(SECOND));
    for by in [SECOND, THIRD] {
        store.confirm_crawl(&site, first, crawl_id(by)).await.unwrap();
        let closed = store.crawls(&site).await.unwrap().remove(0).closed;
        assert_eq!(closed, Some(confirmed.clone()), "the first one stays");
    }
    assert!(!confirmed.is_trusted());
}

pub async fn what_is_not_suspect_is_not_accepted<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let site = site_id("a");
    store.close_crawl(&site, crawl_id(FIRST), &closed(Ending::Complete)).await.unwrap();
    let before = store.crawls(&site).await.unwrap();
    for (site, crawl) in [("a", FIRST), ("a", SECOND), ("a", "crawl-2031-01-01"), ("b", FIRST)] {
        let refused = store.accept_crawl(&site_id(site), crawl_id(crawl), time(20)).await;
        assert!(matches!(refused, Err(StoreError::Absent(_))), "{crawl} of {site}: {refused:?}");
        let refused = store.confirm_crawl(&site_id(site), crawl_id(crawl), crawl_id(THIRD)).await;
        assert!(matches!(refused, Err(StoreError::Absent(_))), "{crawl} of {site}: {refused:?}");
    }
    assert_eq!(store.crawls(&site).await.unwrap(), before);
}

pub async fn writing_to_what_is_absent_is_refused<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    let absent = |result: Result<(), StoreError>| {
        assert!(matches!(result, Err(StoreError::Absent(_))), "{result:?}");
    };
    absent(store.open_crawl(&crawl("a", FIRST)).await.map(drop));
    absent(store.record(&record("a", FIRST, "/"), None).await.map(drop));
    absent(store.close_crawl(&site_id("a"), crawl_id(FIRST), &closed(Ending::Complete)).await);
    store.save_site(&site("a")).await.unwrap();
    absent(store.record(&record("a", FIRST, "/"), None).await.map(drop));
    absent(store.close_crawl(&site_id("a"), crawl_id(FIRST), &closed(Ending::Complete)).await);
}

pub async fn reading_of_what_is_absent_finds_nothing<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    let (site, crawl) = (site_id("a"), crawl_id(FIRST));
    assert_eq!(store.crawls(&site).await.unwrap(), []);
    assert_eq!(store.records(&site, crawl, &[], None, 9).await.unwrap(), []);
    assert_eq!(latest_before(store, &site, crawl, &page("/")).await, None);
    assert_eq!(links_of(store, "a", &unstored().hash).await, None);
    assert_eq!(store.body(&site_id("a"), &unstored()).await.unwrap(), None);
}

pub async fn the_crawl_under_way_is_the_newest_that_is_open<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    let site_name = site_id("a");
    assert_eq!(store.crawl_under_way(&site_name).await.unwrap(), None);
    open(store, "a").await;
    for (ended, expected) in [(THIRD, Some(SECOND)), (FIRST, Some(SECOND)), (SECOND, None)] {
        store.close_crawl(&site_name, crawl_id(ended), &closed(Ending::Complete)).await.unwrap();
        let found = store.crawl_under_way(&site_name).await.unwrap();
        assert_eq!(found.map(|crawl| crawl.id), expected.map(crawl_id));
    }
}
