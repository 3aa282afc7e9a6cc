//! The contracts of [`Announcer`] and [`ArchiveQueue`].

use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::ids::EventId;
use recrawl_core::model::verdict::Change;
use recrawl_core::ports::{
    Announcement, AnnouncementDetails, Announcer, ArchiveQueue, ArchiveRequest, Store,
};

use super::samples::{FIRST, SECOND, crawl_id, open, page, site_id, time};
use super::{Outbox, Subject};

fn announcement(site: &str, crawl: &str, path: &str, change: Change) -> Announcement {
    let (crawl, page) = (crawl_id(crawl), page(path));
    let diff = (change == Change::Change).then(|| "-old\n+new".to_owned());
    let aspects = if change == Change::Change { Aspects::ALL } else { Aspects::NONE };
    let (id, details) = (EventId::new(crawl, &page), AnnouncementDetails::default());
    Announcement { id, site: site_id(site), crawl, page, change, aspects, diff, details }
}

fn request(site: &str, crawl: &str, path: &str) -> ArchiveRequest {
    let (crawl, page) = (crawl_id(crawl), page(path));
    ArchiveRequest { id: EventId::new(crawl, &page), site: site_id(site), crawl, page, requested_at: time(3) }
}

pub async fn every_kind_of_change_is_announced_in_order<S>(subject: S)
where
    S: Outbox + Subject<Port: Store + Announcer>,
{
    open(subject.port(), "a").await;
    let changes = [Change::Delete, Change::Add, Change::Move, Change::Change];
    let announced: Vec<Announcement> = (0..)
        .zip(changes)
        .map(|(number, change)| announcement("a", FIRST, &format!("/{number}"), change))
        .collect();
    subject.port().announce(&announced[..3]).await.unwrap();
    subject.port().announce(&announced[3..]).await.unwrap();
    assert_eq!(subject.announcements().await, announced);
}

pub async fn a_batch_announced_twice_is_told_once<S>(subject: S)
where
    S: Outbox + Subject<Port: Store + Announcer>,
{
    open(subject.port(), "a").await;
    let batch: Vec<Announcement> =
        (0..300).map(|number| announcement("a", FIRST, &format!("/{number}"), Change::Change)).collect();
    // As after a death in the midst of announcing: some are told already.
    subject.port().announce(&batch[..100]).await.unwrap();
    subject.port().announce(&batch).await.unwrap();
    subject.port().announce(&batch).await.unwrap();
    subject.port().announce(&[]).await.unwrap();
    assert_eq!(subject.announcements().await, batch);
}

pub async fn a_change_announced_twice_is_told_once<S>(subject: S)
where
    S: Outbox + Subject<Port: Store + Announcer>,
{
    open(subject.port(), "a").await;
    open(subject.port(), "b").await;
    let first = announcement("a", FIRST, "/", Change::Add);
    let next_week = announcement("a", SECOND, "/", Change::Change);
    let other_site = announcement("b", FIRST, "/", Change::Add);
    for one in [&first, &first, &next_week, &first, &other_site] {
        subject.port().announce(std::slice::from_ref(one)).await.unwrap();
    }
    assert_eq!(subject.announcements().await, [first, next_week, other_site]);
}

pub async fn a_request_made_twice_is_kept_once<S>(subject: S)
where
    S: Outbox + Subject<Port: Store + ArchiveQueue>,
{
    open(subject.port(), "a").await;
    open(subject.port(), "b").await;
    let first = request("a", FIRST, "/");
    let mut later = first.clone();
    later.requested_at = time(99);
    let others = [request("a", SECOND, "/"), request("a", FIRST, "/x"), request("b", FIRST, "/")];
    let all = [&[first.clone(), later], &others[..]].concat();
    subject.port().request(&all[..1]).await.unwrap();
    subject.port().request(&[]).await.unwrap();
    subject.port().request(&all).await.unwrap();
    let [second, third, fourth] = others;
    assert_eq!(subject.archive_requests().await, [first, second, third, fourth]);
}

/// Adds the tests of [`Announcer`] and [`ArchiveQueue`] on the subject that the expression makes.
#[macro_export]
macro_rules! outbox_conformance {
    ($fresh:expr) => {
        $crate::contract_cases! { outbox, $fresh;
            every_kind_of_change_is_announced_in_order
            a_batch_announced_twice_is_told_once
            a_change_announced_twice_is_told_once
            a_request_made_twice_is_kept_once
        }
    };
}
