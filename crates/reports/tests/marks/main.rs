//! What people did with changes, and what a window and the line of a site make of it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod counting;
mod world;

use recrawl_core::model::ids::{CrawlId, EventId};
use recrawl_core::model::kind::Tier;
use recrawl_core::model::review::{Note, ReviewEdit};
use recrawl_core::model::shared_change::SharedChange;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Retention, Store};
use recrawl_reports::changes::{Bounds, ReviewFilter, Since, Until};
use recrawl_reports::sites::SiteStanding;
use recrawl_reports::{ChangeRow, ChangesFilter, reviews};
use recrawl_testkit::contract::samples::{shared_change, site};

use self::world::{End, World, at, crawl_id, shown, site_id, unseen, url, week};

#[tokio::test]
async fn a_crawl_that_stopped_early_hides_nothing_and_counts_are_of_the_whole_window() {
    let world = World::new(&["a", "b"]).await;
    let many: Vec<String> = (0..12).map(|number| format!("/p{number}")).collect();
    let many: Vec<_> = many.iter().map(|path| (path.as_str(), Verdict::Changed, "new text")).collect();
    world.crawl("a", 16, End::Whole, &many).await;
    world.crawl("a", 17, End::Stopped, &[]).await;
    world.crawl("b", 17, End::Whole, &[("/x", Verdict::Gone, "x"), ("/y", Verdict::New, "y")]).await;
    world.edit("a", 16, "/p3", ReviewEdit { starred: Some(true), ..ReviewEdit::SEEN }).await;

    let window = world.window(week(), &ChangesFilter::default()).await;
    let counts = window.counts;
    assert_eq!((counts.all, counts.new, counts.changed, counts.gone), (14, 1, 12, 1));
    assert_eq!((counts.unseen, counts.starred), (13, 1));
    let by_site: Vec<(usize, usize)> =
        window.sites.iter().map(|site| (site.counts.all, site.counts.unseen)).collect();
    assert_eq!(by_site, [(12, 11), (2, 2)]);
    assert_eq!(window.sites[0].last_crawl, Some(crawl_id(17)), "the one that stopped");

    let gone = ChangesFilter::of_verdicts(&[Verdict::Gone]);
    let narrow = world.window(week(), &gone).await;
    assert_eq!(narrow.counts, counts, "counts tell what else could be chosen");
    assert_eq!((narrow.changes.rows.len(), narrow.changes.figures.of), (1, 14));
    let starred = ReviewFilter { starred: true, unseen: false };
    let starred = ChangesFilter { review: starred, ..ChangesFilter::default() };
    assert_eq!(shown(&world.rows(week(), &starred).await), [("a", "/p3", true)]);
    assert_eq!(world.window(week(), &unseen()).await.changes.rows.len(), 13);
}

#[tokio::test]
async fn a_row_names_all_it_stands_for_and_what_its_difference_is_from() {
    let world = World::new(&["a"]).await;
    world.crawl("a", 9, End::Whole, &[("/back", Verdict::New, "open"), ("/on", Verdict::New, "one")]).await;
    for (day, back, on) in [(14, "shut", "two"), (16, "open", "three")] {
        let pages = [("/back", Verdict::Changed, back), ("/on", Verdict::Changed, on)];
        world.crawl("a", day, End::Whole, &pages).await;
    }
    let rows = world.rows(week(), &ChangesFilter::default()).await;
    let entry =
        |path: &str| rows.iter().filter_map(ChangeRow::page).find(|entry| entry.url.path() == path).unwrap();
    assert!(entry("/back").changed_back && !entry("/on").changed_back);
    assert_eq!((entry("/on").before, entry("/on").crawl), (Some(crawl_id(9)), crawl_id(16)));
    let names: Vec<CrawlId> = rows[0].changes().iter().map(|change| change.crawl).collect();
    assert_eq!(names, [crawl_id(16), crawl_id(14)]);
    // Whoever has seen the row has seen the earlier change, too.
    let window = world.window(week(), &ChangesFilter::default()).await;
    let changes = window.changes.rows[0].changes();
    reviews::edit(&*world.store, &site_id("a"), &changes, &ReviewEdit::SEEN, at(18, 20)).await.unwrap();
    let earlier = Bounds { until: Some(Until::Time(at(15, 0))), ..week() };
    let seen = world.rows(earlier, &ChangesFilter::default()).await;
    assert_eq!(shown(&seen), [("a", "/back", true), ("a", "/on", false)]);
}

#[tokio::test]
async fn the_changes_of_an_unusual_crawl_wait_until_it_is_accepted() {
    let world = World::new(&["a"]).await;
    world.crawl("a", 9, End::Unusual, &[("/x", Verdict::Gone, "x"), ("/y", Verdict::Gone, "y")]).await;
    world.crawl("a", 16, End::Open, &[("/z", Verdict::Changed, "z")]).await;
    let month = Bounds::since(Since::Time(at(3, 0)));
    let window = world.window(month, &ChangesFilter::default()).await;
    assert_eq!((window.changes.rows.len(), window.counts.all), (0, 0));
    assert_eq!(
        window.waiting.iter().map(|(crawl, n)| (crawl.id, *n)).collect::<Vec<_>>(),
        [(crawl_id(9), 2)]
    );
    assert_eq!(window.sites[0].waiting, 2);
    assert_eq!(world.window(week(), &ChangesFilter::default()).await.waiting.len(), 0);
    world.store.accept_crawl(&site_id("a"), crawl_id(9), at(18, 12)).await.unwrap();
    // What is accepted today is news of today.
    assert_eq!(world.window(week(), &ChangesFilter::default()).await.counts.gone, 2);
}

#[tokio::test]
async fn all_of_a_window_is_seen_and_what_comes_later_is_not() {
    let world = World::new(&["a", "b"]).await;
    world.crawl("a", 14, End::Whole, &[("/x", Verdict::Changed, "1"), ("/n/y", Verdict::Changed, "1")]).await;
    let menu = SharedChange { since: None, tier: Tier::Around, ..shared_change(6) };
    world.store.save_shared_changes(&site_id("a"), crawl_id(14), &[menu]).await.unwrap();
    world.crawl("b", 15, End::Whole, &[("/z", Verdict::Changed, "1")]).await;
    let (all, sites) = (ChangesFilter::default(), world.sites().await);
    let path = ChangesFilter { path: Some("/n/".to_owned()), ..ChangesFilter::default() };
    let see = async |bounds, filter: &ChangesFilter| {
        let reports = world.reports();
        reports.see_window(&*world.store, &sites, bounds, filter).await.unwrap()
    };
    assert_eq!(see(week(), &path).await, 1);
    let mut rows = world.rows(week(), &all).await;
    rows.truncate(3);
    assert_eq!(shown(&rows), [("a", "/x", false), ("b", "/z", false), ("a", "/n/y", true)]);
    // The list was shown on the evening of the 14th.
    let shown_then = Bounds { until: Some(Until::Time(at(14, 20))), ..week() };
    assert_eq!(see(shown_then, &all).await, 2, "a page and the shared change");
    assert_eq!(world.window(week(), &unseen()).await.counts.unseen, 1);
    world.crawl("a", 17, End::Whole, &[("/x", Verdict::Changed, "2")]).await;
    assert_eq!(world.window(week(), &all).await.counts.unseen, 2, "it changed again");
    assert_eq!(see(week(), &all).await, 2);
    assert_eq!(see(week(), &all).await, 0);
}

#[tokio::test]
async fn a_folder_is_seen_when_it_or_all_its_pages_are() {
    let world = World::new(&["a"]).await;
    let paths: Vec<String> = (0..25).map(|number| format!("/news/{number}")).collect();
    let pages: Vec<_> = paths.iter().map(|path| (path.as_str(), Verdict::New, path.as_str())).collect();
    world.crawl("a", 14, End::Whole, &pages).await;
    let open = ChangesFilter { open_folders: true, ..ChangesFilter::default() };
    let (site, folded) = (site_id("a"), ChangesFilter::default());
    let rows = world.rows(week(), &folded).await;
    assert_eq!((rows.len(), rows[0].review().unwrap().seen), (1, false));
    reviews::edit(&*world.store, &site, &rows[0].changes(), &ReviewEdit::SEEN, at(18, 20)).await.unwrap();
    assert!(world.rows(week(), &folded).await[0].review().unwrap().seen);
    assert_eq!(world.window(week(), &open).await.counts.unseen, 0, "its pages are seen with it");
    let unsee = ReviewEdit { seen: Some(false), ..ReviewEdit::default() };
    reviews::edit(&*world.store, &site, &rows[0].changes(), &unsee, at(18, 20)).await.unwrap();
    for path in &paths {
        assert!(!world.rows(week(), &folded).await[0].review().unwrap().seen);
        world.edit("a", 14, path, ReviewEdit::SEEN).await;
    }
    assert!(world.rows(week(), &folded).await[0].review().unwrap().seen);
}

#[tokio::test]
async fn marks_of_two_who_click_at_once_are_both_kept_and_go_with_their_crawl() {
    let world = World::new(&["a"]).await;
    let paths: Vec<String> = (0..8).map(|number| format!("/p{number}")).collect();
    let pages: Vec<_> = paths.iter().map(|path| (path.as_str(), Verdict::Changed, path.as_str())).collect();
    world.crawl("a", 14, End::Whole, &pages).await;
    let note = |text: &str| ReviewEdit { note: Some(Note::of(text).unwrap()), ..ReviewEdit::SEEN };
    let edits = paths.iter().map(|path| world.edit("a", 14, path, note(path)));
    futures_util::future::join_all(edits).await;
    let marks = reviews::marks(&*world.store, &site_id("a"), crawl_id(14)).await.unwrap();
    for path in &paths {
        let mark = marks.of(&EventId::new(crawl_id(14), &url("a", path)));
        assert_eq!((mark.seen, mark.note.as_ref().map(Note::as_str)), (true, Some(path.as_str())));
    }
    world.store.delete_crawl(&site_id("a"), crawl_id(14), 1_000).await.unwrap();
    let marks = reviews::marks(&*world.store, &site_id("a"), crawl_id(14)).await.unwrap();
    assert!(marks.is_empty());
}

#[tokio::test]
async fn whoever_looks_has_looked_once_the_visit_is_over() {
    let world = World::new(&[]).await;
    assert_eq!(reviews::look(&*world.store, at(13, 9)).await.unwrap(), None);
    assert_eq!(reviews::look(&*world.store, at(18, 20)).await.unwrap(), Some(at(13, 9)));
    assert_eq!(reviews::last_looked(&*world.store, at(18, 20)).await.unwrap(), Some(at(13, 9)));
    assert_eq!(reviews::last_looked(&*world.store, at(18, 21)).await.unwrap(), Some(at(18, 20)));
}

#[tokio::test]
async fn sites_are_listed_by_what_needs_somebody_first() {
    let world = World::new(&["changed", "failed", "first", "quiet", "seen", "stopped", "unusual"]).await;
    world.store.save_site(&site("absent")).await.unwrap();
    let change = [("/x", Verdict::Changed, "1"), ("/y", Verdict::Gone, "2")];
    world.crawl("changed", 16, End::Whole, &change).await;
    world.crawl("failed", 15, End::Unread, &[]).await;
    world.crawl("failed", 16, End::Unread, &[]).await;
    world.crawl("quiet", 16, End::Whole, &[("/x", Verdict::Unchanged, "1")]).await;
    world.crawl("seen", 16, End::Whole, &change).await;
    world.edit("seen", 16, "/x", ReviewEdit::SEEN).await;
    world.edit("seen", 16, "/y", ReviewEdit::SEEN).await;
    world.crawl("stopped", 16, End::Stopped, &[]).await;
    world.crawl("unusual", 16, End::Unusual, &change).await;
    let lines = world.lines().await;
    let shown: Vec<(&str, SiteStanding, &str, &str)> =
        lines.iter().map(|line| (&*line.0, line.1, &*line.2, &*line.3)).collect();
    assert_eq!(
        shown,
        [
            (
                "failed",
                SiteStanding::Failed,
                "failed",
                "The first page asks for a password (401). Last read on 2 November: 0 pages, kept."
            ),
            ("unusual", SiteStanding::Unusual, "unusual", "The rest was not there. Nothing was sent yet."),
            ("changed", SiteStanding::Unseen, "2 unseen", "2 changes in 2 pages: 1 changed, 1 gone."),
            (
                "stopped",
                SiteStanding::Partial,
                "partial",
                "The last crawl ended early: stopped after 54 pages. It saw no change."
            ),
            ("absent", SiteStanding::New, "not crawled", "It was not crawled yet."),
            (
                "first",
                SiteStanding::First,
                "first crawl",
                "First crawl: 0 pages. What changes is shown after the next."
            ),
            ("quiet", SiteStanding::Quiet, "quiet", "Nothing changed in 1 page."),
            ("seen", SiteStanding::Seen, "seen", "2 changes in 2 pages: 1 changed, 1 gone."),
        ]
    );
    let lines = world.reports().site_lines(&world.sites().await).await.unwrap();
    assert_eq!(lines[0].failed_since, Some(at(15, 6)));
    assert_eq!((lines[1].waiting, &*lines[1].what), (2, "2 changes wait for you"));
}
