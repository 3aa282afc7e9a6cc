//! What must hold whatever the site and the crawl, as on one machine: small sites, crawls that see a part, changes that
//! arrive slowly.

use std::sync::Arc;

use crawl_fn::Deps;
use jiff::Timestamp;
use recrawl_core::model::content::{Extracted, Extractor, Unreadable};
use recrawl_core::model::crawl::Ending;
use recrawl_core::model::ids::RulesVersion;
use recrawl_core::model::kind::Tier;
use recrawl_core::model::shared_change::SharedBy;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{PullFrontier, Store};
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_engine::{CrawlCommand, command_crawl, open_due};
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::{TextRules, TextSettings};
use reqwest::StatusCode;

use crate::stage::{Stage, config, deps, site_id};
use crate::town::{EDITED, Sheet, Town};

/// A page with the new menu; number `edited` says something else, too.
fn with_menu(edited: usize) -> impl Fn(usize) -> Sheet {
    move |number| {
        let sheet = Sheet::of(number).with_menu();
        if number == edited { sheet.with_line(EDITED) } else { sheet }
    }
}

/// Insists that the menu and the edit are told once each, in whichever crawl.
#[track_caller]
fn assert_told_once(rows: &[String], edit: &str) {
    let menus = rows.iter().filter(|row| row.ends_with("Vacancies")).count();
    let edits = rows.iter().filter(|row| *row == edit).count();
    assert_eq!((menus, edits, rows.len()), (1, 1, 2), "{rows:?}");
}

#[tokio::test]
async fn on_sites_of_five_to_thirty_pages_a_menu_is_one_row_beside_the_edit() {
    for pages in [5, 8, 30] {
        let town = Town::known(pages).await;
        town.plant(with_menu(3));
        let rows = ["changed /p3".to_owned(), format!("shared {pages} Vacancies")];
        let week = town.week("week 2", &[]).await;
        assert_eq!((week.rows.as_slice(), week.closed.suspicion), (rows.as_slice(), None), "{pages} pages");
        assert!(town.week("week 3", &[]).await.rows.is_empty(), "{pages} pages: nothing changed since");
    }
}

#[tokio::test]
async fn a_menu_that_arrives_over_five_crawls_is_told_once() {
    let town = Town::known(25).await;
    for week in 1..=5 {
        town.plant(
            |number| {
                if number < week * 5 { Sheet::of(number).with_menu() } else { Sheet::of(number) }
            },
        );
        let found = town.week(&format!("menu {week}"), &[]).await;
        let expected: &[&str] = if week == 1 { &["shared 5 Vacancies"] } else { &[] };
        assert_eq!(found.rows, expected, "week {week}");
        assert_eq!(found.closed.statistics.counts[Verdict::Shared], 5, "week {week}");
    }
}

#[tokio::test]
async fn a_number_corrected_on_six_pages_is_one_row_and_six_changed_pages() {
    let with = |number: &str| {
        let line = format!("Telephone of the counter: {number}");
        move |page: usize| {
            if (10..16).contains(&page) { Sheet::of(page).with_line(&line) } else { Sheet::of(page) }
        }
    };
    let town = Town::known_with(40, with("503-555-0134")).await;
    town.plant(with("503-555-0199"));
    let week = town.week("week 2", &[]).await;
    assert_eq!(week.rows, ["shared 6 Telephone of the counter: 503-555-0199"]);
    let row = &week.shared[0];
    assert_eq!((row.tier, row.template, row.urls.len()), (Tier::Content, false, 6));
    let counts = &week.closed.statistics.counts;
    assert_eq!((counts[Verdict::Changed], counts[Verdict::Shared]), (6, 0));
}

#[tokio::test]
async fn crawls_that_end_by_their_budget_tell_a_menu_and_an_edit_once() {
    let town = Town::known(20).await;
    town.plant(with_menu(9));
    let mut rows = Vec::new();
    for week in 2..5 {
        let found = town.week(&format!("week {week}"), &[("RECRAWL_BUDGET", "9")]).await;
        assert!(matches!(found.closed.ending, Ending::Partial(_)));
        rows.extend(found.rows);
    }
    rows.extend(town.week("week 5", &[]).await.rows);
    assert_told_once(&rows, "changed /p9");
}

#[tokio::test]
async fn a_crawl_of_due_pages_and_the_whole_one_after_it_tell_everything_once() {
    let town = Town::known(12).await;
    town.plant(with_menu(4));
    let site = town.store.site(&site_id()).await.unwrap().unwrap();
    let due = open_due(&*town.store, &*town.store, &site, Some(6), Timestamp::now()).await.unwrap().unwrap();
    assert_eq!(due.pages, 6);
    let stage = town.service(&[]).await;
    stage.pusher.work_off(&town.store, due.crawl).await;
    stage.close(due.crawl).await;
    let mut rows = town.found(due.crawl).await.rows;
    rows.extend(town.week("week 2", &[]).await.rows);
    assert_told_once(&rows, "changed /p4");
}

#[tokio::test]
async fn a_crawl_that_was_stopped_and_the_whole_one_after_it_tell_everything_once() {
    let town = Town::known(12).await;
    town.plant(with_menu(4));
    let stage = town.service(&[]).await;
    stage.pusher.seed(&town.site.url(), "week 2").await;
    let crawl = stage.under_way().await.unwrap().id;
    for page in town.store.take(&site_id(), crawl, 5).await.unwrap() {
        assert_eq!(stage.pusher.page(&page).await, StatusCode::NO_CONTENT);
    }
    command_crawl(&*town.store, &site_id(), CrawlCommand::Stop, Timestamp::now()).await.unwrap();
    assert_eq!(stage.pusher.post("/pubsub/tick", "tick").await.status(), StatusCode::NO_CONTENT);
    let stopped = town.found(crawl).await;
    assert!(matches!(stopped.closed.ending, Ending::Partial(_)));
    let mut rows = stopped.rows;
    rows.extend(town.week("week 3", &[]).await.rows);
    assert_told_once(&rows, "changed /p4");
}

#[tokio::test]
async fn rules_that_changed_between_crawls_are_no_change() {
    let stamped = |number| Sheet::of(number).stamped("Our offices are closed at Easter, says the porter.");
    let town = Town::known_with(12, stamped).await;
    town.plant(|number| if number == 7 { stamped(number).with_line(EDITED) } else { stamped(number) });
    let ignoring = [("RECRAWL_IGNORE_SELECTOR", ".stamp")];
    assert_eq!(town.week("week 2", &ignoring).await.rows, ["changed /p7"]);
    for (week, settings) in [("week 3", &ignoring[..]), ("week 4", &[])] {
        let found = town.week(week, settings).await;
        let counts = &found.closed.statistics.counts;
        assert_eq!((found.rows.len(), counts[Verdict::Shared] + counts[Verdict::Changed]), (0, 0), "{week}");
    }
}

#[tokio::test]
async fn where_nobody_accepts_there_are_no_two_silent_weeks() {
    let town = Town::known(24).await;
    town.break_down(12, "Live data is being updated.");
    assert!(!town.week("week 2", &[]).await.closed.is_trusted(), "it waits for somebody");
    // Another line: it confirms nothing.
    town.break_down(12, "Our new site opens soon.");
    let told = town.week("week 3", &[]).await;
    assert!(told.closed.told_as_unusual().is_some(), "{:?}", told.closed.suspicion);
    assert_eq!((told.shared[0].by, told.shared[0].pages), (SharedBy::Loss, 12));
}

/// Reads pages as an older version did, which kept no outline beside the text.
struct WithoutOutline(HtmlExtractor);

impl Extractor for WithoutOutline {
    fn rules(&self) -> &RulesVersion {
        self.0.rules()
    }

    fn extract(&self, url: &PageUrl, kind: Option<&str>, body: &[u8]) -> Result<Extracted, Unreadable> {
        Ok(Extracted { outline: None, ..self.0.extract(url, kind, body)? })
    }
}

#[tokio::test]
async fn a_store_of_an_older_version_and_a_site_without_a_change_give_no_change() {
    let town = Town::unknown(12).await;
    let same = |stamp: &'static str| move |number| Sheet::of(number).stamped(stamp);
    town.plant(same(""));
    let rules = TextRules::new(&TextSettings::default()).unwrap();
    let older = Arc::new(WithoutOutline(HtmlExtractor::new(rules, UrlRules::default(), true)));
    let deps = Deps { extractor: Some(older), ..deps(&town.store) };
    let stage = Stage::over(config(&town.site), town.store.clone(), deps).await;
    assert_eq!(town.crawl(&stage, "week 1").await.closed.statistics.total, 12);
    // The same bytes, then other bytes that say the same, then an edit.
    for (week, stamp) in [("week 2", ""), ("week 3", " ")] {
        town.plant(same(stamp));
        let found = town.week(week, &[]).await;
        let counts = &found.closed.statistics.counts;
        assert_eq!((found.rows.len(), counts[Verdict::Shared] + counts[Verdict::Changed]), (0, 0), "{week}");
    }
    town.page(7, &Sheet::of(7).with_line(EDITED));
    assert_eq!(town.week("week 4", &[]).await.rows, ["changed /p7"]);
}

#[tokio::test]
async fn what_a_change_weighs_follows_the_settings() {
    let mut weights = Vec::new();
    for settings in [&[][..], &[("RECRAWL_WEIGHT_CONTENT", "0")], &[("RECRAWL_WEIGHT_CONTENT", "1000")]] {
        let town = Town::known(8).await;
        town.page(3, &Sheet::of(3).with_line(EDITED));
        let crawl = town.week("week 2", settings).await.crawl;
        let record = town.store.page(&site_id(), crawl, &town.site.at("/p3")).await.unwrap().unwrap();
        weights.push(record.visit.weight);
    }
    assert_eq!((weights[0] - weights[1], weights[2]), (150, 1_000), "{weights:?}");
}
