//! An open crawl is left alone, given what it lacks, or closed.

use std::sync::atomic::{AtomicUsize, Ordering};

use recrawl_core::decide::traps::PageLimit;
use recrawl_core::model::crawl::Ending;
use recrawl_core::model::verdict::Change;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{StateEntry, StateKey, StateStore, Store};
use recrawl_engine::{ClosedCrawl, GatheredAudits, TickReport};

use crate::harness::{CRAWL, Harness, id, minute, page};

#[tokio::test]
async fn a_tick_without_an_open_crawl_costs_a_few_reads_and_lists_no_crawls() {
    let mut harness = Harness::new().await;
    harness.add_site("other").await;
    harness.open("crawl-2026-11-09").await;
    harness.close("crawl-2026-11-09", Ending::Complete).await;
    for keep in [None, Some(3)] {
        harness.maintenance.settings.keep_crawls = keep;
        assert_eq!(harness.tick(minute(0)).await, TickReport::default());
        harness.store.calls();
        harness.tick(minute(10)).await;
        let of_a_site = ["crawl_under_way", "state", "state", "state"];
        let expected: Vec<&str> = ["sites"].into_iter().chain(of_a_site).chain(of_a_site).collect();
        assert_eq!(harness.store.calls(), expected, "crawls are looked through once a day");
    }
}

#[tokio::test]
async fn a_crawl_that_is_being_worked_on_is_left_alone() {
    let harness = Harness::new().await;
    harness.two_pages(&["/lost"]).await;
    let report = harness.maintenance.tick(&|_, crawl| crawl == id(CRAWL), minute(5_000)).await.unwrap();
    assert_eq!(report, TickReport { open: vec![(harness.site.clone(), id(CRAWL))], ..TickReport::default() });
    assert!(!harness.store.calls().contains(&"last_visit"));
    assert_eq!(harness.ending(CRAWL).await, None);
}

#[tokio::test]
async fn a_crawl_that_is_not_quiet_is_left_alone() {
    let harness = Harness::new().await;
    harness.two_pages(&["/lost"]).await;
    for (now, reads) in [(9, 0), (10, 1), (14, 1)] {
        let report = harness.tick(minute(now)).await;
        assert_eq!((report.audited, report.requeued), (0, 0), "minute {now}");
        let calls = harness.store.calls();
        assert_eq!(calls.iter().filter(|call| **call == "last_visit").count(), reads, "minute {now}");
        assert!(!calls.contains(&"crawls"));
    }
    assert_eq!(harness.tick(minute(15)).await.audited, 1);
}

#[tokio::test]
async fn exactly_the_page_whose_message_was_lost_is_queued_again() {
    let harness = Harness::new().await;
    harness.two_pages(&["/lost", "https://elsewhere.example/"]).await;
    let report = harness.tick(minute(15)).await;
    assert_eq!((report.audited, report.requeued, report.closed.len()), (1, 1, 0));
    assert_eq!(harness.waiting(CRAWL).await, ["/lost"]);
    assert_eq!(harness.ending(CRAWL).await, None);
    harness.visit(CRAWL, "/lost", minute(16), &[]).await;
    assert_eq!(harness.tick(minute(25)).await.audited, 0, "it has become busy again");
    assert_eq!(harness.tick(minute(26)).await.closed.len(), 1);
}

#[tokio::test]
async fn the_audit_after_another_reads_only_what_was_recorded_since() {
    let harness = Harness::new().await;
    harness.two_pages(&["/lost"]).await;
    assert_eq!(harness.tick(minute(15)).await.requeued, 1);
    harness.visit(CRAWL, "/lost", minute(16), &["/a", "/behind"]).await;
    harness.store.calls();
    let report = harness.tick(minute(30)).await;
    assert_eq!((report.audited, report.requeued), (1, 1));
    assert_eq!(harness.waiting(CRAWL).await, ["/behind"]);
    let calls = harness.store.calls();
    for (call, count) in [("records", 0), ("visits_since", 1), ("links", 1), ("page_summaries", 0)] {
        assert_eq!(calls.iter().filter(|other| **other == call).count(), count, "{call}: {calls:?}");
    }
    harness.visit(CRAWL, "/behind", minute(31), &["/"]).await;
    let report = harness.tick(minute(45)).await;
    assert_eq!(report.closed.len(), 1, "{report:?}");
    assert_eq!(report.closed[0].pages, 4);
    let crawls = harness.store.inner.crawls(&harness.site).await.unwrap();
    let counted = &crawls[0].closed.as_ref().unwrap().statistics;
    let read = recrawl_engine::figures(&*harness.store.inner, &harness.site, id(CRAWL)).await.unwrap();
    assert_eq!(counted.total, read.total);
    assert_eq!((counted.counts, counted.requests), (read.counts, read.requests));
}

#[tokio::test]
async fn an_audit_reads_everything_where_a_page_was_visited_again_or_the_process_is_another() {
    for is_restarted in [true, false] {
        let mut harness = Harness::new().await;
        harness.two_pages(&["/lost"]).await;
        assert_eq!(harness.tick(minute(15)).await.requeued, 1);
        harness.visit(CRAWL, "/lost", minute(16), &[]).await;
        if is_restarted {
            harness.maintenance.audits = GatheredAudits::default();
        } else {
            let store = &harness.store.inner;
            let mut again = store.page(&harness.site, id(CRAWL), &page("/a")).await.unwrap().unwrap();
            again.visit.fetched_at = minute(17);
            store.settle(&harness.site, id(CRAWL), &[again]).await.unwrap();
        }
        harness.store.calls();
        assert_eq!(harness.tick(minute(30)).await.closed.len(), 1);
        assert!(harness.store.calls().contains(&"records"), "restarted: {is_restarted}");
    }
}

#[tokio::test]
async fn the_root_is_queued_where_the_message_that_opened_the_crawl_was_lost() {
    let harness = Harness::new().await;
    harness.open(CRAWL).await;
    assert_eq!(harness.tick(minute(10)).await.requeued, 1);
    assert_eq!(harness.waiting(CRAWL).await, ["/"]);
}

#[tokio::test]
async fn a_page_known_from_the_crawl_before_is_visited_though_nothing_leads_to_it() {
    let harness = Harness::new().await;
    harness.open("crawl-2026-11-09").await;
    harness.visit("crawl-2026-11-09", "/orphan", minute(-10_000), &[]).await;
    harness.close("crawl-2026-11-09", Ending::Complete).await;
    harness.two_pages(&[]).await;
    harness.tick(minute(15)).await;
    assert_eq!(harness.waiting(CRAWL).await, ["/orphan"]);
}

#[tokio::test]
async fn a_whole_crawl_is_closed_with_its_statistics_and_told_of_once() {
    let harness = Harness::new().await;
    // What is new to a first crawl is not told one by one.
    harness.open("crawl-2026-11-09").await;
    harness.close("crawl-2026-11-09", Ending::Complete).await;
    harness.two_pages(&[]).await;
    let report = harness.tick(minute(15)).await;
    let site = harness.site.clone();
    let closing = ClosedCrawl { site, crawl: id(CRAWL), ending: Ending::Complete, suspicion: None, pages: 2 };
    assert_eq!((report.closed, report.announced), (vec![closing], 2));
    let calls = harness.store.calls();
    let place = |name| calls.iter().position(|call| *call == name);
    assert!(place("announce") < place("summarise") && place("summarise") < place("close_crawl"), "{calls:?}");
    assert_eq!(harness.announced(CRAWL), [("/".to_owned(), Change::Add), ("/a".to_owned(), Change::Add)]);
    let crawls = harness.store.crawls(&harness.site).await.unwrap();
    let closed = crawls[1].closed.clone().expect("it is closed");
    assert_eq!((closed.at, &closed.ending), (minute(15), &Ending::Complete));
    let statistics = &closed.statistics;
    assert_eq!((statistics.total, statistics.counts[Verdict::New], statistics.requests), (2, 2, 4));
    assert_eq!(statistics.last_visit, Some(minute(5)));
    assert_eq!(harness.store.summaries(), [(id(CRAWL), closed)]);
    assert_eq!(harness.tick(minute(25)).await, TickReport::default());
    assert_eq!(harness.store.summaries().len(), 1);
}

#[tokio::test]
async fn what_was_noted_about_pages_is_forgotten_when_the_crawl_is_closed() {
    let harness = Harness::new().await;
    harness.two_pages(&[]).await;
    let other = "other".parse().unwrap();
    let own = StateKey::first_doubt(&harness.site, &page("/a"));
    let of_others = StateKey::first_doubt(&other, &page("/a"));
    let memo = StateEntry { saved_at: minute(4), value: CRAWL.to_owned() };
    for key in [&own, &of_others] {
        harness.store.save_state(key, &memo).await.unwrap();
    }
    harness.tick(minute(6)).await;
    assert!(harness.store.state(&own).await.unwrap().is_some(), "the crawl is open");
    assert_eq!(harness.tick(minute(15)).await.closed.len(), 1);
    assert_eq!(harness.store.state(&own).await.unwrap(), None);
    assert!(harness.store.state(&of_others).await.unwrap().is_some());
}

#[tokio::test]
async fn work_that_begins_during_the_audit_keeps_the_crawl_open() {
    let harness = Harness::new().await;
    harness.two_pages(&[]).await;
    let asked = AtomicUsize::new(0);
    let begins = |_: &_, _| asked.fetch_add(1, Ordering::Relaxed) > 0;
    let report = harness.maintenance.tick(&begins, minute(15)).await.unwrap();
    assert_eq!((report.audited, report.closed.len()), (1, 0));
    assert_eq!(harness.ending(CRAWL).await, None);
    assert_eq!(harness.store.summaries(), []);
}

#[tokio::test]
async fn a_visit_by_another_process_during_the_audit_keeps_the_crawl_open() {
    let harness = Harness::new().await;
    harness.two_pages(&[]).await;
    let visit = async {
        while !harness.store.was_called("records") {
            tokio::task::yield_now().await;
        }
        harness.visit(CRAWL, "/seed", minute(15), &[]).await;
    };
    let (report, ()) = tokio::join!(harness.tick(minute(15)), visit);
    assert_eq!((report.audited, report.closed.len()), (1, 0));
    assert_eq!(harness.ending(CRAWL).await, None);
    assert_eq!(harness.tick(minute(25)).await.closed[0].pages, 3);
}

#[tokio::test]
async fn two_ticks_at_once_close_a_crawl_once() {
    let harness = Harness::new().await;
    harness.two_pages(&[]).await;
    let (one, other) = tokio::join!(harness.tick(minute(15)), harness.tick(minute(15)));
    assert_eq!((one.audited, other.audited), (1, 1), "both were at it");
    assert_eq!(harness.ending(CRAWL).await, Some(Ending::Complete));
    let mut summaries = harness.store.summaries();
    summaries.dedup();
    assert_eq!(summaries.len(), 1, "what is told twice is the same");
}

#[tokio::test]
async fn two_ticks_at_once_queue_a_missing_page() {
    let harness = Harness::new().await;
    harness.two_pages(&["/lost"]).await;
    tokio::join!(harness.tick(minute(15)), harness.tick(minute(15)));
    assert_eq!(harness.waiting(CRAWL).await, ["/lost"]);
    assert_eq!(harness.tick(minute(24)).await.audited, 0);
}

#[tokio::test]
async fn audits_that_bring_nothing_about_become_rare_and_in_the_end_the_crawl_is_partial() {
    let harness = Harness::new().await;
    harness.two_pages(&["/lost", "/lost-too"]).await;
    let mut audits = Vec::new();
    for now in (0..3_000).step_by(5) {
        let report = harness.tick(minute(now)).await;
        if report.audited > 0 {
            audits.push(now);
        }
        let expected = if report.closed.is_empty() { 2 * report.audited } else { 0 };
        assert_eq!(report.requeued, expected, "minute {now}");
    }
    assert_eq!(audits, [15, 25, 45, 85, 165, 325, 645, 1_005, 1_365, 1_455]);
    let partial = Ending::Partial("2 pages could not be visited".to_owned());
    assert_eq!(harness.ending(CRAWL).await, Some(partial.clone()));
    let summaries = harness.store.summaries();
    assert_eq!(summaries.len(), 1);
    assert_eq!(summaries[0].1.ending, partial);
    assert_eq!(summaries[0].1.statistics.total, 2);
}

#[tokio::test]
async fn progress_ends_the_waiting() {
    let harness = Harness::new().await;
    harness.two_pages(&["/lost", "/lost-too"]).await;
    for now in [15, 25, 45] {
        assert_eq!(harness.tick(minute(now)).await.audited, 1);
    }
    harness.visit(CRAWL, "/lost", minute(50), &[]).await;
    assert_eq!(harness.tick(minute(60)).await.requeued, 1, "not first at minute 85");
    assert_eq!(harness.tick(minute(70)).await.requeued, 1, "and the waits begin anew");
    assert_eq!(harness.tick(minute(1_499)).await.closed, [], "as does the time to give up");
    assert_eq!(harness.tick(minute(1_500)).await.closed.len(), 1);
}

#[tokio::test]
async fn a_crawl_whose_budget_is_spent_is_closed_as_partial() {
    for (budget, ending) in
        [(4, Some("the budget of 4 requests was spent; 1 page waits for the next crawl")), (5, None)]
    {
        let mut harness = Harness::new().await;
        harness.maintenance.settings.budget = Some(budget);
        // Each visit took two requests.
        harness.two_pages(&["/left"]).await;
        let report = harness.tick(minute(15)).await;
        let expected = ending.map(|reason| Ending::Partial(reason.to_owned()));
        assert_eq!(harness.ending(CRAWL).await, expected, "{budget}");
        assert_eq!((report.requeued, report.announced), if ending.is_some() { (0, 0) } else { (1, 0) });
    }
}

#[tokio::test]
async fn a_crawl_that_asked_for_as_many_pages_as_it_may_is_closed_as_partial() {
    for (limit, left, ending) in [
        (
            PageLimit::Pages(2),
            &["/left"][..],
            Some(Ending::Partial("the limit of 2 pages was reached".to_owned())),
        ),
        (PageLimit::Pages(2), &[], Some(Ending::Complete)),
        (PageLimit::Pages(3), &["/left"], None),
        (PageLimit::Usual, &["/left"], None),
        (PageLimit::Unlimited, &["/left"], None),
    ] {
        let mut harness = Harness::new().await;
        harness.maintenance.settings.max_pages = limit;
        harness.two_pages(left).await;
        harness.tick(minute(15)).await;
        assert_eq!(harness.ending(CRAWL).await, ending, "{limit:?} {left:?}");
    }
}

#[tokio::test]
async fn a_site_that_fails_does_not_keep_the_others_waiting() {
    let harness = Harness::new().await;
    harness.two_pages(&[]).await;
    let mut broken = harness.store.site(&harness.site).await.unwrap().unwrap();
    broken.id = "broken".parse().unwrap();
    broken.scope.include = vec!["[".to_owned()];
    harness.store.save_site(&broken).await.unwrap();
    let mut crawl = harness.store.crawl_under_way(&harness.site).await.unwrap().unwrap();
    crawl.site = broken.id;
    harness.store.open_crawl(&crawl).await.unwrap();
    let error = harness.try_tick(minute(15)).await.unwrap_err();
    assert_eq!(error.to_string(), "the scope of site broken cannot be read");
    assert_eq!(harness.ending(CRAWL).await, Some(Ending::Complete));
    assert_eq!(harness.store.page(&harness.site, id(CRAWL), &page("/")).await.unwrap().map(|_| ()), Some(()));
}
