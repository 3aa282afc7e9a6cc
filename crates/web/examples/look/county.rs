//! A county with 392 changes in two crawls, the second of which was stopped after 54 of them.

use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::Ending;

use super::history::{Answer, Recorder, page};

/// How many pages it has; all of them change.
const PAGES: usize = 392;

/// How many of them change in the crawl that was stopped.
const LATE: usize = 54;

/// Up to which week it is told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Week {
    /// The one in which the second crawl was stopped.
    Second,
    /// The one after it, with one new page.
    Third,
}

/// Records the county, as `county`.
pub(crate) async fn county(until: Week) -> MemoryStore {
    let mut county = Recorder::new(MemoryStore::default(), "county", "https://county.example/").await;
    let paths: Vec<String> = (0..PAGES).map(|number| format!("/{number}")).collect();
    let week = |changed: usize| -> Vec<(&str, Answer)> {
        let fee = |number: usize| if number < changed { 11 } else { 10 };
        let answer = |number: usize| {
            let fee = format!("Fee {} dollars for service {number}", fee(number));
            page(&format!("Page {number}"), &["Services of the county", &fee])
        };
        paths.iter().map(String::as_str).zip((0..PAGES).map(answer)).collect()
    };
    county.crawl("crawl-2026-11-02", &week(0), Some(Ending::Complete)).await;
    county.crawl("crawl-2026-11-09", &week(PAGES - LATE), Some(Ending::Complete)).await;
    let stopped = Some(Ending::Partial("stopped by a person".to_owned()));
    county.crawl("crawl-2026-11-16", &week(PAGES)[PAGES - LATE..], stopped).await;
    if until == Week::Third {
        let hall = ("/hall", page("Town hall", &["It is open again."]));
        let pages: Vec<(&str, Answer)> = week(PAGES).into_iter().chain([hall]).collect();
        county.crawl("crawl-2026-11-23", &pages, Some(Ending::Complete)).await;
    }
    county.into_store()
}
