//! A town's site whose pages have a menu, lines of their own and a stamp, and the crawls of it.

use std::sync::Arc;

use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::Closed;
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::kind::Tier;
use recrawl_core::model::shared_change::SharedChange;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::Store;
use recrawl_testkit::site::{Page, Site};

use crate::stage::{Stage, config_with, site_id};

/// What the last line of an edited page says.
pub(crate) const EDITED: &str = "The office has moved to the old mill.";

/// What a page says.
#[derive(Clone)]
pub(crate) struct Sheet {
    pub(crate) menu: &'static str,
    pub(crate) line: String,
    pub(crate) stamp: &'static str,
}

impl Sheet {
    pub(crate) fn of(number: usize) -> Self {
        Self { menu: "", line: format!("Office {} is open on all days.", word(number)), stamp: "" }
    }

    pub(crate) fn with_menu(self) -> Self {
        Self { menu: "<li><a href=/p1>Vacancies</a></li>", ..self }
    }

    pub(crate) fn with_line(self, line: &str) -> Self {
        Self { line: line.to_owned(), ..self }
    }

    pub(crate) fn stamped(self, stamp: &'static str) -> Self {
        Self { stamp, ..self }
    }
}

/// A word that only this number has: lines that differ in numbers alone are one shared change.
fn word(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'k')).chain("ford".chars()).collect()
}

pub(crate) fn path(number: usize) -> String {
    if number == 0 { "/".to_owned() } else { format!("/p{number}") }
}

/// The site, and what is stored of it.
pub(crate) struct Town {
    pub(crate) site: Site,
    pub(crate) store: Arc<MemoryStore>,
    pages: usize,
}

/// What a crawl of it found.
pub(crate) struct Week {
    pub(crate) crawl: CrawlId,
    pub(crate) closed: Closed,
    pub(crate) shared: Vec<SharedChange>,
    /// What is told of it, if it is told: `changed /p3`, `shared 8 Vacancies`.
    pub(crate) rows: Vec<String>,
}

impl Town {
    /// A site of so many pages that was crawled once, with every page as it is.
    pub(crate) async fn known(pages: usize) -> Self {
        Self::known_with(pages, Sheet::of).await
    }

    /// The same with pages that say something else.
    pub(crate) async fn known_with(pages: usize, sheet: impl Fn(usize) -> Sheet) -> Self {
        let town = Self::unknown(pages).await;
        town.plant(sheet);
        town.week("week 1", &[]).await;
        town
    }

    /// A site of so many pages that has none yet, and was never crawled.
    pub(crate) async fn unknown(pages: usize) -> Self {
        Self { site: Site::start().await, store: Arc::default(), pages }
    }

    pub(crate) fn plant(&self, sheet: impl Fn(usize) -> Sheet) {
        for number in 0..self.pages {
            self.page(number, &sheet(number));
        }
    }

    pub(crate) fn page(&self, number: usize, Sheet { menu, line, stamp }: &Sheet) {
        let links = if number == 0 { 1..self.pages } else { 0..0 };
        let links = links.map(|other| format!("<a href=/p{other}>{}</a>", word(other)));
        let links = links.collect::<Vec<_>>().join(" ");
        let prose: String = ["street", "bridge", "garden", "school", "market", "tower"]
            .map(|thing| format!("<p>The {thing} of {} is looked after by its neighbours.</p>", word(number)))
            .concat();
        let name = word(number);
        let html = format!(
            "<title>{name}</title><nav><ul><li><a href=/>Home</a></li>{menu}</ul></nav><main><h1>{name}</h1>{links}{prose}\
             <p>{line}</p></main><div class=stamp>{stamp}</div>"
        );
        self.site.page(&path(number), Page::html(html));
    }

    /// Pages that show nothing but a line.
    pub(crate) fn break_down(&self, pages: usize, line: &str) {
        for number in 0..pages {
            self.site.page(&path(number), Page::html(format!("<main><p>{line}</p></main>")));
        }
    }

    /// Returns a service with further settings.
    pub(crate) async fn service(&self, settings: &[(&str, &str)]) -> Stage {
        Stage::with(config_with(&self.site, settings), self.store.clone()).await
    }

    /// Crawls all of it, as far as the settings allow.
    pub(crate) async fn week(&self, message: &str, settings: &[(&str, &str)]) -> Week {
        self.crawl(&self.service(settings).await, message).await
    }

    /// Crawls all of it by this service.
    pub(crate) async fn crawl(&self, stage: &Stage, message: &str) -> Week {
        let crawl = stage.crawl(&self.site.url(), message).await.id;
        stage.close(crawl).await;
        self.found(crawl).await
    }

    /// Returns what a closed crawl found.
    pub(crate) async fn found(&self, crawl: CrawlId) -> Week {
        let crawls = self.store.crawls(&site_id()).await.unwrap();
        let closed = crawls.into_iter().find(|stored| stored.id == crawl).unwrap().closed.unwrap();
        let shared = self.store.shared_changes(&site_id(), crawl).await.unwrap();
        let mut rows = Vec::new();
        for record in self.store.records(&site_id(), crawl, &[], None, 1_000).await.unwrap() {
            let own = record.visit.edits.iter().flat_map(|edits| &edits.list);
            let is_own = own.into_iter().any(|edit| {
                edit.place_tier() == Tier::Content && !edit.state.is_shared() && !edit.state.is_noise()
            });
            if record.visit.verdict == Verdict::Changed && is_own {
                rows.push(format!("changed {}", record.url.path()));
            }
        }
        let told = shared.iter().filter(|change| change.is_told());
        rows.extend(told.map(|change| format!("shared {} {}", change.pages, change.came)));
        Week { crawl, closed, shared, rows }
    }
}
