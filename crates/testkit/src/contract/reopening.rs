//! What of a store survives the end of its process.

use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::ids::EventId;
use recrawl_core::model::verdict::Change;
use recrawl_core::ports::{
    Announcement, AnnouncementDetails, Announcer, ArchiveQueue, ArchiveRequest, Frontier, History, Priority,
    PullFrontier, Recorded, StateEntry, StateKey, StateStore, Store,
};

use super::samples::{
    FIRST, SECOND, content, crawl_id, open, page, queued, record, record_of, site, site_id, suspect, time,
};
use super::{Outbox, Reopen, Subject};

pub async fn what_was_written_is_there_again<S: Reopen + Subject<Port: History + StateStore>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let content = content("text");
    let record = record_of("a", SECOND, "/", &content);
    let memo = StateEntry { saved_at: time(0), value: "value".to_owned() };
    store.record(&record, Some(&content)).await.unwrap();
    store.close_crawl(&site_id("a"), crawl_id(FIRST), &suspect()).await.unwrap();
    store.accept_crawl(&site_id("a"), crawl_id(FIRST), time(20)).await.unwrap();
    store.save_state(&StateKey::job(&site_id("a")), &memo).await.unwrap();
    let crawls = store.crawls(&site_id("a")).await.unwrap();

    let subject = subject.reopen().await;
    let store = subject.port();
    assert_eq!(store.sites().await.unwrap(), [site("a")]);
    assert_eq!(store.crawls(&site_id("a")).await.unwrap(), crawls);
    assert_eq!(store.visits(&site_id("a"), &page("/")).await.unwrap(), std::slice::from_ref(&record));
    assert_eq!(store.content(&site_id("a"), &content.hash).await.unwrap().as_ref(), Some(&content));
    assert_eq!(store.state(&StateKey::job(&site_id("a"))).await.unwrap(), Some(memo));
    assert_eq!(store.record(&record, None).await.unwrap(), Recorded::Already);
}

pub async fn an_unrecorded_page_is_handed_out_again<S: Reopen + Subject<Port: History + PullFrontier>>(
    subject: S,
) {
    let pull_frontier = subject.port();
    open(pull_frontier, "a").await;
    let pages = ["/a", "/b", "/c", "/d"].map(|path| queued("a", FIRST, path));
    pull_frontier.queue(&pages).await.unwrap();
    assert_eq!(pull_frontier.take(&site_id("a"), crawl_id(FIRST), 3).await.unwrap(), pages[..3]);
    pull_frontier.record(&record("a", FIRST, "/b"), None).await.unwrap();

    let subject = subject.reopen().await;
    let pull_frontier = subject.port();
    assert_eq!(pull_frontier.waiting(&site_id("a"), crawl_id(FIRST)).await.unwrap(), 3);
    let again = [&pages[0], &pages[2], &pages[3]].map(Clone::clone);
    assert_eq!(pull_frontier.take(&site_id("a"), crawl_id(FIRST), 9).await.unwrap(), again);
    pull_frontier.queue(&pages).await.unwrap();
    assert_eq!(pull_frontier.take(&site_id("a"), crawl_id(FIRST), 9).await.unwrap(), []);
}

pub async fn waiting_pages_keep_their_order_by_priority<S: Reopen + Subject<Port: History + PullFrontier>>(
    subject: S,
) {
    let pull_frontier = subject.port();
    open(pull_frontier, "a").await;
    let waits = |path: &str, priority| {
        let mut page = queued("a", FIRST, path);
        page.priority = Priority(priority);
        page
    };
    let pages = [waits("/last", -5), waits("/second", 0), waits("/third", 0), waits("/first", i64::MAX)];
    pull_frontier.queue(&pages).await.unwrap();
    assert_eq!(pull_frontier.take(&site_id("a"), crawl_id(FIRST), 2).await.unwrap()[0], pages[3]);

    let subject = subject.reopen().await;
    let pull_frontier = subject.port();
    pull_frontier.queue(&[waits("/late", 7)]).await.unwrap();
    let taken = pull_frontier.take(&site_id("a"), crawl_id(FIRST), 9).await.unwrap();
    let paths: Vec<&str> = taken.iter().map(|page| page.url.path()).collect();
    assert_eq!(paths, ["/first", "/late", "/second", "/third", "/last"]);
}

pub async fn what_was_announced_and_requested_is_there_again<S>(subject: S)
where
    S: Reopen + Outbox + Subject<Port: History + Announcer + ArchiveQueue>,
{
    open(subject.port(), "a").await;
    let (site, crawl, page) = (site_id("a"), crawl_id(FIRST), page("/"));
    let id = EventId::new(crawl, &page);
    let announcement = Announcement {
        id,
        site: site.clone(),
        crawl,
        page: page.clone(),
        change: Change::Move,
        aspects: Aspects::TEXT,
        diff: None,
        details: AnnouncementDetails::default(),
    };
    let announcements = [announcement];
    let request = ArchiveRequest { id, site, crawl, page, requested_at: time(5) };
    subject.port().announce(&announcements).await.unwrap();
    subject.port().request(std::slice::from_ref(&request)).await.unwrap();

    let subject = subject.reopen().await;
    subject.port().announce(&announcements).await.unwrap();
    subject.port().request(std::slice::from_ref(&request)).await.unwrap();
    assert_eq!(subject.announcements().await, announcements);
    assert_eq!(subject.archive_requests().await, [request]);
}

/// Adds the tests of reopening on the subject that the expression makes.
#[macro_export]
macro_rules! reopening_conformance {
    ($fresh:expr) => {
        $crate::contract_cases! { reopening, $fresh;
            what_was_written_is_there_again
            an_unrecorded_page_is_handed_out_again
            waiting_pages_keep_their_order_by_priority
            what_was_announced_and_requested_is_there_again
        }
    };
}
