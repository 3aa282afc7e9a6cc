//! The list of changes over records as a settled crawl leaves them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use recrawl_core::memory::MemoryStore;
use recrawl_core::model::aspect::Aspect;
use recrawl_core::model::crawl::{Crawl, Ending, Site};
use recrawl_core::model::edit::{Edit, EditId, EditSide, EditState, EditTraits, Edits, LineId};
use recrawl_core::model::kind::{Kind, Kinds, Tier, WordCount};
use recrawl_core::model::outline::Outline;
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::model::region::{Mark, Region};
use recrawl_core::model::shared_change::{SharedBy, SharedChange};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::Store;
use recrawl_reports::changes::{Bounds, Changes, Conditions, Part, RowPlace, Since, Slice};
use recrawl_reports::{ChangeRow, ChangesFilter, Detail, ReportCache, Reports, Sort};
use recrawl_testkit::contract::samples::{
    FIRST, SECOND, THIRD, bare_record, closed, content, crawl, crawl_id, shared_change, site, time,
};

const SITE: &str = "a";

struct World {
    store: Arc<MemoryStore>,
    cache: ReportCache,
}

impl World {
    async fn new() -> Self {
        let store = Arc::new(MemoryStore::default());
        store.save_site(&site(SITE)).await.unwrap();
        let world = Self { store, cache: ReportCache::default() };
        world.crawl(FIRST, &[]).await;
        world
    }

    /// Writes a crawl with these records, each with the text of its page. Lines that begin with a bullet are its menu.
    async fn crawl(&self, name: &str, records: &[(PageRecord, &str)]) {
        self.store.open_crawl(&crawl(SITE, name)).await.unwrap();
        for (record, text) in records {
            let mut content = content(text);
            if text.contains('•') {
                let mut outline = Outline::default();
                for line in text.lines() {
                    let region = if line.starts_with('•') { Region::Nav } else { Region::Content };
                    outline.push_line(Mark::of(region));
                }
                content.extracted.outline = Some(outline);
            }
            let mut record = record.clone();
            record.known.content = Some(content.reference());
            self.store.record(&record, Some(&content)).await.unwrap();
        }
        let closed = closed(Ending::Complete);
        self.store.close_crawl(&site(SITE).id, crawl_id(name), &closed).await.unwrap();
    }

    async fn share(&self, name: &str, changes: &[SharedChange]) {
        self.store.save_shared_changes(&site(SITE).id, crawl_id(name), changes).await.unwrap();
    }

    fn reports(&self) -> Reports<'_> {
        Reports { history: &*self.store, reviews: Some(&*self.store), cache: &self.cache, now: time(100) }
    }

    async fn found(&self, name: &str) -> (Site, Crawl) {
        let crawls = self.store.crawls(&site(SITE).id).await.unwrap();
        (site(SITE), crawls.into_iter().find(|crawl| crawl.id == crawl_id(name)).unwrap())
    }

    async fn list(&self, filter: &ChangesFilter) -> Changes {
        let (site, crawl) = self.found(SECOND).await;
        self.reports().change_list(&site, &crawl, filter, Sort::Weight).await.unwrap()
    }

    async fn rows(&self, filter: &ChangesFilter) -> Vec<String> {
        let changes = self.list(filter).await;
        let rows = self.reports().described_rows(&site(SITE), &changes.rows, Detail::All).await.unwrap();
        rows.iter().map(shown).collect()
    }
}

fn shown(row: &ChangeRow) -> String {
    let side = |text: &Option<String>| text.clone().unwrap_or_default();
    match row {
        ChangeRow::Page(entry) => {
            let same = if entry.same_text { " same text" } else { "" };
            format!("{} {} [{}|{}]{same}", entry.kind, entry.url.path(), side(&entry.went), side(&entry.came))
        }
        ChangeRow::Folder(entry) => format!("{} {} {} pages", entry.kind, entry.folder, entry.pages),
        ChangeRow::Shared(entry) => {
            format!("shared [{}|{}] {} pages", side(&entry.went), side(&entry.came), entry.pages)
        }
    }
}

fn edit(region: Region, state: EditState, went: &str, came: &str) -> Edit {
    let side = |text: &str| {
        let line = LineId(text.bytes().map(u64::from).sum());
        (!text.is_empty()).then_some(EditSide { line, shape: line, words: 2 })
    };
    Edit {
        aspect: Aspect::Text,
        region,
        went: side(went),
        came: side(came),
        traits: EditTraits { kinds: Kinds::default().with(Kind::Text), ..EditTraits::default() },
        texts: Some((went.to_owned(), came.to_owned())),
        count: 1,
        state,
    }
}

fn record(path: &str, verdict: Verdict, weight: u32, list: Vec<Edit>) -> PageRecord {
    let mut record = bare_record(SITE, SECOND, path);
    record.visit.verdict = verdict;
    record.visit.weight = weight;
    record.visit.words = WordCount { changed: 4, of: 612 };
    record.known.presence = Presence::Present;
    let tiers = list.iter().map(Edit::place_tier).min();
    record.visit.kinds = list.iter().fold(Kinds::default(), |kinds, edit| kinds.or(edit.traits.kinds));
    record.visit.tier = match verdict {
        Verdict::Changed => tiers,
        Verdict::Touched => Some(Tier::Noise),
        _ => None,
    };
    record.visit.edits = (!list.is_empty()).then(|| Box::new(Edits { list, ..Edits::default() }));
    record
}

fn shared(id: u64, tier: Tier, came: &str) -> SharedChange {
    SharedChange {
        tier,
        also: Vec::new(),
        came: came.to_owned(),
        went: String::new(),
        since: None,
        ..shared_change(id)
    }
}

/// A week: two pages of their own, a menu, a telephone number on several pages, noise, a move, a folder.
async fn week() -> World {
    use EditState::{Learnt, Own, Shared, Template};
    let world = World::new().await;
    let jobs = || edit(Region::Nav, Template, "", "Jobs");
    let phone = || edit(Region::Content, Shared, "555-0134", "555-0199");
    let mut moved = record("/old", Verdict::Moved, 210, Vec::new());
    moved.known.presence = Presence::Redirect;
    moved.known.headers.location = Some("/there".to_owned());
    let mut records = vec![
        (
            record("/fair", Verdict::Changed, 300, vec![edit(Region::Content, Own, "May", "June"), jobs()]),
            "a",
        ),
        (
            record("/budget", Verdict::Changed, 600, vec![jobs(), edit(Region::Content, Own, "95", "195")]),
            "b",
        ),
        (record("/aside", Verdict::Changed, 50, vec![edit(Region::Aside, Own, "sun", "rain")]), "c"),
        (record("/contact", Verdict::Changed, 280, vec![phone(), jobs()]), "d"),
        (record("/about", Verdict::Shared, 20, vec![jobs()]), "e"),
        (
            record("/clock", Verdict::Touched, 1, vec![edit(Region::Footer, Learnt, "Built 3", "Built 4")]),
            "f",
        ),
        (moved, "the same text"),
        (record("/there", Verdict::New, 250, Vec::new()), "the same text"),
        (record("/past", Verdict::Gone, 310, Vec::new()), "It was here."),
    ];
    let texts: Vec<String> = (0..25).map(|number| format!("News number {number}")).collect();
    for (number, text) in texts.iter().enumerate() {
        records.push((record(&format!("/news/{number}"), Verdict::New, 260, Vec::new()), text));
    }
    world.crawl(SECOND, &records).await;
    let told = SharedChange { since: Some(crawl_id(FIRST)), ..shared(8, Tier::Around, "Told before") };
    let years = SharedChange { noise: true, by: SharedBy::Rule, ..shared(9, Tier::Noise, "years") };
    world
        .share(SECOND, &[shared(7, Tier::Content, "555-0199"), shared(6, Tier::Around, "Jobs"), told, years])
        .await;
    world
}

#[tokio::test]
async fn a_move_and_the_new_page_that_says_the_same_are_one_row_also_where_the_menu_has_changed() {
    for (before, after, expected) in [
        ("• Home\nBring a lease.", "• Home\n• Jobs\nBring a lease.", &["moved /old [|] same text"][..]),
        ("Bring a lease.", "Bring a lease.", &["moved /old [|] same text"]),
        (
            "• Home\nBring a lease.",
            "• Home\n• Jobs\nBring nothing.",
            &["new /there [|Bring nothing.]", "moved /old [|]"],
        ),
    ] {
        let world = World::new().await;
        let mut moved = record("/old", Verdict::Moved, 210, Vec::new());
        moved.known.presence = Presence::Redirect;
        moved.known.headers.location = Some("/there".to_owned());
        let there = record("/there", Verdict::New, 250, Vec::new());
        world.crawl(SECOND, &[(moved, before), (there, after)]).await;
        let rows: Vec<String> = world.rows(&ChangesFilter::default()).await;
        let rows: Vec<&str> = rows.iter().map(|row| row.trim_end()).collect();
        assert_eq!(rows, expected, "{before} / {after}");
    }
}

#[tokio::test]
async fn a_week_is_one_row_each_distinct_change_the_heaviest_first() {
    let world = week().await;
    let mut rows = world.rows(&ChangesFilter::default()).await;
    assert_eq!(
        rows,
        [
            "changed /budget [95|195]",
            "gone /past [It was here.|]",
            "changed /fair [May|June]",
            "new /news/ 25 pages",
            "moved /old [|] same text",
            "shared [|Jobs] 1184 pages",
            "shared [|555-0199] 1184 pages",
        ]
    );
    let figures = world.list(&ChangesFilter::default()).await.figures;
    assert_eq!((figures.changes, figures.shared, figures.around), (5, 2, 1));
    assert_eq!(
        figures.rules.iter().map(|rule| (&*rule.rule, rule.pages)).collect::<Vec<_>>(),
        [("years", 1_184)]
    );

    rows = world.rows(&ChangesFilter { tier: Some(Tier::Around), ..ChangesFilter::default() }).await;
    assert!(rows.contains(&"changed /aside [sun|rain]".to_owned()) && rows.len() == 8, "{rows:?}");
    rows = world.rows(&ChangesFilter { tier: Some(Tier::Noise), ..ChangesFilter::default() }).await;
    assert!(rows.contains(&"touched /clock [Built 3|Built 4]".to_owned()), "{rows:?}");
    assert!(rows.contains(&"shared [|years] 1184 pages".to_owned()) && rows.len() == 10, "{rows:?}");
}

#[tokio::test]
async fn pages_that_differ_only_by_shared_changes_are_listed_where_asked_for() {
    let world = week().await;
    let filter = ChangesFilter { expand: true, open_folders: true, ..ChangesFilter::default() };
    let rows = world.rows(&filter).await;
    // No excerpt is a shared edit.
    assert!(rows.contains(&"changed /contact [|]".to_owned()), "{rows:?}");
    assert!(rows.contains(&"shared /about [|]".to_owned()), "{rows:?}");
    assert_eq!(rows.iter().filter(|row| row.starts_with("new /news/")).count(), 25);
}

#[tokio::test]
async fn conditions_leave_out_and_the_rest_is_counted() {
    let world = week().await;
    let words = |text: &str| Some(text.parse().unwrap());
    let added = |text: &str| Conditions { added: words(text), ..Conditions::default() };
    for (filter, expected) in [
        (ChangesFilter { conditions: added("^195$|june"), ..ChangesFilter::default() }, 2),
        (ChangesFilter { conditions: added("may"), ..ChangesFilter::default() }, 0),
        (ChangesFilter { conditions: added("number 7"), ..ChangesFilter::default() }, 1),
        (ChangesFilter { path: Some("/budget".to_owned()), ..ChangesFilter::default() }, 1),
        (ChangesFilter { min_weight: 305, ..ChangesFilter::default() }, 2),
        (ChangesFilter { kinds: Kinds::default().with(Kind::Text), ..ChangesFilter::default() }, 2),
    ] {
        let figures = world.list(&filter).await.figures;
        assert_eq!((figures.changes, figures.of), (expected, 5), "{filter:?}");
    }
}

#[tokio::test]
async fn the_json_of_entries_is_what_programs_rely_on() {
    let world = week().await;
    let changes = world.list(&ChangesFilter::default()).await;
    let rows = world.reports().described_rows(&site(SITE), &changes.rows, Detail::All).await.unwrap();
    let json = serde_json::to_value(&rows).unwrap();
    let budget = &json[0];
    assert_eq!(
        (&budget["kind"], &budget["tier"], &budget["weight"]),
        (&"changed".into(), &1.into(), &600.into())
    );
    assert_eq!(budget["words"], serde_json::json!({"changed": 4, "of": 612}));
    assert_eq!(
        (&budget["went"], &budget["came"], &budget["kinds"]),
        (&"95".into(), &"195".into(), &serde_json::json!(["text"]))
    );
    let folder = &json[3];
    assert_eq!((&folder["folder"], &folder["pages"]), (&"/news/".into(), &25.into()));
    assert_eq!(
        (folder["samples"].as_array().unwrap().len(), folder["urls"].as_array().unwrap().len()),
        (10, 25)
    );
    let (jobs, phone) = (&json[5], &json[6]);
    assert_eq!(
        (&jobs["kind"], &jobs["id"], &jobs["pages"]),
        (&"shared".into(), &"0000000000000006".into(), &1_184.into())
    );
    assert!(jobs.get("urls").is_none(), "{jobs}");
    assert_eq!((phone["urls"].as_array().unwrap().len(), &phone["urls_cut"]), (2, &true.into()));
}

#[tokio::test]
async fn a_list_by_weight_goes_on_where_it_stopped() {
    let world = week().await;
    let (site, crawl) = world.found(SECOND).await;
    let (mut seen, mut place): (Vec<ChangeRow>, Option<RowPlace>) = (Vec::new(), None);
    loop {
        let slice = place.take().map_or(Slice::From(0, 2), |place| Slice::After(place, 2));
        let part = Part { sort: Sort::Weight, slice };
        let filter = ChangesFilter::default();
        let reports = world.reports();
        let view = reports.changes(&site, &crawl, None, &filter, part, Detail::Titles);
        let rows = view.await.unwrap().changes;
        let Some(last) = rows.last() else { break };
        place = Some(RowPlace::of(last));
        seen.extend(rows);
    }
    assert_eq!(seen.iter().map(shown).collect::<Vec<_>>().len(), 7);
    let weights: Vec<u32> = seen[..5].iter().map(ChangeRow::weight).collect();
    assert!(weights.is_sorted_by(|one, other| one >= other), "{weights:?}");
}

#[tokio::test]
async fn a_window_has_one_row_a_page_and_says_what_is_back_as_it_was() {
    let world = World::new().await;
    let own = |went, came| vec![edit(Region::Content, EditState::Own, went, came)];
    world
        .crawl(
            "crawl-2026-11-03",
            &[
                (record_in("crawl-2026-11-03", "/back", own("x", "open")), "open"),
                (record_in("crawl-2026-11-03", "/twice", own("x", "one")), "one"),
            ],
        )
        .await;
    world
        .crawl(
            SECOND,
            &[
                (record("/back", Verdict::Changed, 9, own("open", "shut")), "shut"),
                (record("/twice", Verdict::Changed, 8, own("one", "two")), "two"),
            ],
        )
        .await;
    let jobs = SharedChange { also: vec![EditId(5)], ..shared(6, Tier::Around, "Jobs") };
    world.share(SECOND, &[jobs]).await;
    world
        .crawl(
            THIRD,
            &[
                (record_in(THIRD, "/back", own("shut", "open")), "open"),
                (record_in(THIRD, "/twice", own("two", "three")), "three"),
            ],
        )
        .await;
    // It is named by its other edit this time, and once more by the first one, which stands on one page more.
    let again =
        |id, pages| SharedChange { since: Some(crawl_id(SECOND)), pages, ..shared(id, Tier::Around, "Jobs") };
    world.share(THIRD, &[again(5, 2), again(6, 3)]).await;

    let since = Since::Crawl(crawl_id(SECOND));
    let sites = [site(SITE)];
    let window = world
        .reports()
        .window(&sites, Bounds::since(since), &ChangesFilter::default(), Sort::Path)
        .await
        .unwrap();
    let rows =
        world.reports().described_window(&sites, &window.changes.rows, Detail::Excerpts).await.unwrap();
    let pages: Vec<(&str, usize, bool)> = rows
        .iter()
        .filter_map(ChangeRow::page)
        .map(|entry| (entry.url.path(), entry.more, entry.changed_back))
        .collect();
    assert_eq!(pages, [("/back", 1, true), ("/twice", 1, false)]);
    assert_eq!(shown(&rows[1]), "changed /twice [two|three]", "its newest change");
    assert_eq!(shown(&rows[2]), "shared [|Jobs] 1187 pages", "told once, with the pages of both crawls");
    assert_eq!(rows.len(), 3);
}

fn record_in(crawl: &str, path: &str, list: Vec<Edit>) -> PageRecord {
    PageRecord { crawl: crawl_id(crawl), ..record(path, Verdict::Changed, 9, list) }
}
