//! A town's site over several weeks, with every change planted and known: a menu entry and a footer year on every page,
//! a build line that no rule knows on some, a few real edits, and the truth of what a person would write down.

mod page;
mod prose;
mod truth;

use std::fmt::Write;

pub use self::truth::{PlantedEdit, PlantedShare, Truth};

use self::page::PageKind;
use crate::site::{Page, Site};

/// What the pages after the first are for, by number; from here on they are ordinary.
const ORDINARY: usize = 10;

/// A site of this many pages that changes week by week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlantedSite {
    pages: usize,
}

impl PlantedSite {
    /// The last week that is planted; the first is 0.
    pub const LAST_WEEK: usize = 3;

    /// A site of this many pages.
    ///
    /// # Panics
    /// If they are too few for what is planted.
    pub fn of(pages: usize) -> Self {
        assert!(pages > ORDINARY + 1, "there is no room for what is planted on {pages} pages");
        Self { pages }
    }

    /// Returns on how many pages the build line stands: 90 of 1,200, 6 of 12.
    pub fn built(self) -> usize {
        (self.pages * 3 / 40).max(6)
    }

    /// Plants the site as it is in a week.
    pub fn plant(self, site: &Site, week: usize) {
        site.page("/robots.txt", Page::text("User-agent: *\nSitemap: /sitemap.xml\n"));
        let mut listed = String::new();
        for number in 0..self.pages {
            let path = path(number);
            if number == page::GONE && week > 0 {
                site.remove(&path);
                continue;
            }
            let _ = write!(listed, "<url><loc>{path}</loc></url>");
            site.page(&path, Page::html(page::html(self.kind(number), number, week)));
        }
        if week > 0 {
            site.page(truth::NEW_PAGE, Page::html(page::html(PageKind::default(), self.pages, week)));
        }
        site.page("/sitemap.xml", Page::xml(format!("<urlset>{listed}</urlset>")));
    }

    /// Returns what a person would write down of a week.
    pub fn truth(self, week: usize) -> Truth {
        truth::truth(self, week)
    }

    fn kind(self, number: usize) -> PageKind {
        // Some of the edited pages have the build line, too.
        let ordinary = self.built() - page::EDITED_AND_BUILT.len();
        let is_built =
            page::EDITED_AND_BUILT.contains(&number) || (ORDINARY..ORDINARY + ordinary).contains(&number);
        PageKind { is_built }
    }
}

/// Returns the path of a page.
fn path(number: usize) -> String {
    const SECTIONS: [&str; 6] = ["services", "council", "streets", "library", "schools", "harbour"];
    match number {
        0 => "/".to_owned(),
        _ => format!("/{}/{}", SECTIONS[number % SECTIONS.len()], prose::name(number)),
    }
}
