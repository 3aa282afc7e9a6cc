//! What a window counts: each row once, whatever the crawls of the window were.

use recrawl_core::model::crawl::{Crawl, CrawlKind};
use recrawl_core::model::kind::Tier;
use recrawl_core::model::review::ReviewEdit;
use recrawl_core::model::shared_change::SharedChange;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::Store;
use recrawl_reports::changes::{Bounds, ChangeRow, Since};
use recrawl_reports::{ChangesFilter, reviews};
use recrawl_testkit::contract::samples::shared_change;

use crate::world::{End, World, at, crawl_id, site_id, unseen, week};

fn menu() -> SharedChange {
    SharedChange { since: None, tier: Tier::Around, also: Vec::new(), ..shared_change(6) }
}

#[tokio::test]
async fn a_shared_change_counts_once_among_what_nobody_has_seen() {
    let world = World::new(&["a"]).await;
    world.crawl("a", 14, End::Whole, &[("/x", Verdict::Changed, "1"), ("/y", Verdict::Gone, "1")]).await;
    world.crawl("a", 16, End::Whole, &[]).await;
    for day in [14, 16] {
        world.store.save_shared_changes(&site_id("a"), crawl_id(day), &[menu()]).await.unwrap();
    }
    let noise = SharedChange { noise: true, ..shared_change(7) };
    world.store.save_shared_changes(&site_id("a"), crawl_id(16), &[menu(), noise]).await.unwrap();
    let counted = async || {
        let window = world.window(week(), &ChangesFilter::default()).await;
        let listed = world.window(week(), &unseen()).await.changes.rows.len();
        let line = world.reports().site_lines(&world.sites().await).await.unwrap().remove(0);
        assert_eq!(
            (window.counts.unseen, window.sites[0].counts.unseen, line.unseen),
            (listed, listed, listed)
        );
        (window.counts.all, window.counts.shared, listed, window.counts.unseen_shared, line.word)
    };
    assert_eq!(counted().await, (2, 1, 3, 1, "3 unseen".to_owned()));
    for path in ["/x", "/y"] {
        world.edit("a", 14, path, ReviewEdit::SEEN).await;
    }
    assert_eq!(counted().await, (2, 1, 1, 1, "1 unseen".to_owned()));
    let rows = world.rows(week(), &unseen()).await;
    let names = rows[0].changes();
    assert_eq!(names.iter().map(|name| name.crawl).collect::<Vec<_>>(), [crawl_id(14), crawl_id(16)]);
    reviews::edit(&*world.store, &site_id("a"), &names[..1], &ReviewEdit::SEEN, at(18, 20)).await.unwrap();
    assert_eq!(counted().await.2, 1, "it was told again, and nobody has seen that");
    reviews::edit(&*world.store, &site_id("a"), &names, &ReviewEdit::SEEN, at(18, 20)).await.unwrap();
    assert_eq!(counted().await, (2, 1, 0, 0, "seen".to_owned()));
}

#[tokio::test]
async fn a_page_that_came_and_was_edited_in_a_window_is_new_and_as_large_as_it_is_now() {
    let world = World::new(&["a"]).await;
    world.crawl("a", 14, End::Whole, &[("/n", Verdict::New, "draft"), ("/x", Verdict::Changed, "1")]).await;
    world.crawl("a", 16, End::Whole, &[("/n", Verdict::Changed, "final"), ("/x", Verdict::Gone, "1")]).await;
    let counts = world.window(week(), &ChangesFilter::default()).await.counts;
    assert_eq!((counts.all, counts.new, counts.changed, counts.gone), (2, 1, 0, 1));
    let new = world.rows(week(), &ChangesFilter::of_verdicts(&[Verdict::New])).await;
    let [ChangeRow::Page(entry)] = new.as_slice() else { panic!("{new:?}") };
    assert_eq!((entry.kind, entry.crawl, entry.more), (Verdict::New, crawl_id(16), 1));
    assert_eq!((entry.words.changed, entry.words.of), (612, 612));
    assert_eq!(entry.came.as_deref(), Some("final"), "what it says now");
    let later = Bounds::since(Since::Time(at(15, 0)));
    assert_eq!(world.window(later, &ChangesFilter::default()).await.counts.new, 0, "it came before");
}

#[tokio::test]
async fn a_crawl_of_due_pages_is_in_the_window_and_one_under_way_is_once_it_has_ended() {
    let world = World::new(&["a"]).await;
    world.crawl("a", 13, End::Whole, &[("/x", Verdict::Changed, "1"), ("/y", Verdict::Changed, "1")]).await;
    let due = Crawl { kind: CrawlKind::Due, ..Crawl::new(site_id("a"), crawl_id(15), at(15, 6)) };
    world.store.open_crawl(&due).await.unwrap();
    let statistics = world.record("a", 15, &[("/x", Verdict::Changed, "2")]).await;
    let shown = async || {
        let rows = world.rows(week(), &ChangesFilter::default()).await;
        let page = |row: &ChangeRow| {
            let entry = row.page().unwrap();
            (entry.url.path().to_owned(), entry.crawl, entry.more)
        };
        let mut pages: Vec<_> = rows.iter().map(page).collect();
        pages.sort_by(|one, other| one.0.cmp(&other.0));
        pages
    };
    let first = [("/x".to_owned(), crawl_id(13), 0), ("/y".to_owned(), crawl_id(13), 0)];
    assert_eq!(shown().await, first, "under way, it may still turn out to be unusual");
    let line = world.reports().site_lines(&world.sites().await).await.unwrap().remove(0);
    assert_eq!((line.unseen, line.crawl), (2, Some(crawl_id(15))));
    world.close("a", 15, End::Stopped, statistics).await;
    let both = [("/x".to_owned(), crawl_id(15), 1), ("/y".to_owned(), crawl_id(13), 0)];
    assert_eq!(shown().await, both, "pages that were not due are as the crawl before found them");
    world.crawl("a", 17, End::Open, &[("/y", Verdict::Gone, "1")]).await;
    assert_eq!(shown().await, both);
}
