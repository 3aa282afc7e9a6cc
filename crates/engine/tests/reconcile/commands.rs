//! Crawls that somebody stops, lets rest and resumes while nobody waits for them.

use jiff::ToSpan;
use recrawl_core::model::crawl::Ending;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{StateKey, StateStore};
use recrawl_engine::{CommandError, Commanded, CrawlCommand, CrawlCommands, command_crawl};

use crate::harness::{CRAWL, Harness, id, minute};

pub(crate) async fn command(harness: &Harness, command: CrawlCommand) -> Commanded {
    command_crawl(&*harness.store.inner, &harness.site, command, minute(6)).await.unwrap()
}

async fn stored(harness: &Harness) -> Option<CrawlCommand> {
    CrawlCommands::read(&*harness.store.inner).await.unwrap().of(&harness.site, id(CRAWL))
}

fn by_hand() -> Ending {
    Ending::Partial("it was stopped by hand".to_owned())
}

#[tokio::test]
async fn a_crawl_that_is_stopped_is_closed_as_partial_by_the_next_tick() {
    let harness = Harness::new().await;
    harness.two_pages(&["/b"]).await;
    assert_eq!(command(&harness, CrawlCommand::Stop).await, Commanded::Given(id(CRAWL)));
    assert_eq!(command(&harness, CrawlCommand::Stop).await, Commanded::Already(id(CRAWL)));
    // It was visited a minute ago, so that without the command nobody would look at it.
    let report = harness.tick(minute(6)).await;
    assert_eq!((report.requeued, report.closed.len(), report.closed[0].pages), (0, 1, 2));
    assert_eq!(harness.ending(CRAWL).await, Some(by_hand()));
    assert!(harness.waiting(CRAWL).await.is_empty(), "the rest is not queued");
    assert_eq!(stored(&harness).await, None, "what was obeyed is forgotten");
    assert_eq!(command(&harness, CrawlCommand::Stop).await, Commanded::NoneOpen);
}

#[tokio::test]
async fn nobody_closes_a_crawl_behind_a_visit() {
    let harness = Harness::new().await;
    harness.two_pages(&["/b"]).await;
    command(&harness, CrawlCommand::Stop).await;
    harness.maintenance.tick(&|_, _| true, minute(6)).await.unwrap();
    assert_eq!(harness.ending(CRAWL).await, None);
    harness.tick(minute(7)).await;
    assert_eq!(harness.ending(CRAWL).await, Some(by_hand()));
}

#[tokio::test]
async fn stopping_is_final() {
    let harness = Harness::new().await;
    harness.two_pages(&["/b"]).await;
    command(&harness, CrawlCommand::Stop).await;
    for other in [CrawlCommand::Pause, CrawlCommand::Resume] {
        let refused = command_crawl(&*harness.store.inner, &harness.site, other, minute(6)).await;
        assert!(matches!(refused, Err(CommandError::Refused(reason)) if reason.contains("final")));
    }
    assert_eq!(stored(&harness).await, Some(CrawlCommand::Stop));
}

#[tokio::test]
async fn a_crawl_that_rests_is_neither_audited_nor_given_up() {
    let harness = Harness::new().await;
    harness.two_pages(&["/b"]).await;
    command(&harness, CrawlCommand::Pause).await;
    for now in [20, 200, 20_000] {
        let report = harness.tick(minute(now)).await;
        assert_eq!((report.audited, report.requeued), (0, 0), "minute {now}");
    }
    assert_eq!(harness.ending(CRAWL).await, None);
    command(&harness, CrawlCommand::Stop).await;
    harness.tick(minute(20_001)).await;
    assert_eq!(harness.ending(CRAWL).await, Some(by_hand()), "it can be stopped while it rests");
}

#[tokio::test]
async fn a_crawl_that_is_resumed_gets_what_it_lacks_at_once_and_a_day_to_visit_it() {
    let harness = Harness::new().await;
    harness.two_pages(&["/b"]).await;
    assert_eq!(harness.tick(minute(20)).await.requeued, 1);
    command(&harness, CrawlCommand::Pause).await;
    harness.visit(CRAWL, "/c", minute(59), &["/d"]).await;
    harness.tick(minute(60)).await;
    command(&harness, CrawlCommand::Resume).await;
    assert_eq!(harness.tick(minute(60)).await.requeued, 2, "nobody waits until it is quiet");
    assert_eq!(stored(&harness).await, None);
    assert_eq!(harness.waiting(CRAWL).await, ["/b", "/d"]);
    // A rest of many days is not held against the pages that nobody asked for meanwhile.
    command(&harness, CrawlCommand::Pause).await;
    command(&harness, CrawlCommand::Resume).await;
    assert_eq!(harness.tick(minute(20_000)).await.requeued, 2);
    assert_eq!(harness.ending(CRAWL).await, None);
}

#[tokio::test]
async fn what_makes_no_difference_is_no_error() {
    let harness = Harness::new().await;
    assert_eq!(command(&harness, CrawlCommand::Stop).await, Commanded::NoneOpen);
    harness.two_pages(&["/b"]).await;
    assert_eq!(command(&harness, CrawlCommand::Resume).await, Commanded::Already(id(CRAWL)));
    assert_eq!(command(&harness, CrawlCommand::Pause).await, Commanded::Given(id(CRAWL)));
    assert_eq!(command(&harness, CrawlCommand::Pause).await, Commanded::Already(id(CRAWL)));
}

#[tokio::test]
async fn commands_to_crawls_of_several_sites_are_one_entry_and_do_not_touch_each_other() {
    let harness = Harness::new().await;
    harness.two_pages(&["/b"]).await;
    harness.add_site("other").await;
    let other: SiteId = "other".parse().unwrap();
    let crawl = recrawl_core::model::crawl::Crawl::new(other.clone(), id(CRAWL), minute(0));
    recrawl_core::ports::Store::open_crawl(&*harness.store.inner, &crawl).await.unwrap();
    command(&harness, CrawlCommand::Pause).await;
    command_crawl(&*harness.store.inner, &other, CrawlCommand::Stop, minute(6) + 1.second()).await.unwrap();
    harness.tick(minute(7)).await;
    let commands = CrawlCommands::read(&*harness.store.inner).await.unwrap();
    assert_eq!((commands.of(&other, id(CRAWL)), stored(&harness).await), (None, Some(CrawlCommand::Pause)));
    let entry = harness.store.inner.state(&StateKey::crawl_commands()).await.unwrap().unwrap();
    assert!(entry.value.contains("\"pause\"") && !entry.value.contains("other"), "{}", entry.value);
}
