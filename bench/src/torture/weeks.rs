//! A site that changes from week to week in every way that a crawl tells apart.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::listener::{Answer, Connection, Request, Then};

/// What becomes of a page, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The same bytes with an entity tag: a 304 from the second week on.
    Tagged,
    /// The same bytes without any validator.
    Plain,
    /// Says something else every week.
    Changes,
    /// Other bytes that say the same.
    Touched,
    /// Answers 404 from the second week on.
    Goes,
    /// A redirect to the page before, from the second week on.
    Moves,
    /// There from the second week on.
    Comes,
    /// Never there.
    Missing,
}

fn fate(page: usize) -> Fate {
    match page % 20 {
        3 | 13 | 18 => Fate::Changes,
        4 | 14 => Fate::Touched,
        7 => Fate::Goes,
        9 => Fate::Moves,
        11 => Fate::Comes,
        16 => Fate::Missing,
        number if number % 2 == 0 => Fate::Tagged,
        _ => Fate::Plain,
    }
}

/// The week in which every other page is not there: a crawl of it is suspect.
pub(crate) const DISASTER: usize = 99;

/// The site, in a week that can be set from outside.
pub(crate) struct Weeks {
    pages: usize,
    week: Arc<AtomicUsize>,
}

impl Weeks {
    /// Returns a site of so many pages, in its first week.
    pub(crate) fn new(pages: usize) -> Self {
        Self { pages, week: Arc::default() }
    }

    /// Returns the week, from 0, which can be set.
    pub(crate) fn week(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.week)
    }

    fn html(&self, page: usize, week: usize) -> String {
        let mut text = format!("<!doctype html><title>Page {page}</title><h1>Page {page}</h1>");
        // A tree, so that every page is reached, and a link back, so that most links are known.
        for link in (1..=4).map(|child| 4 * page + child).filter(|link| *link < self.pages) {
            let _ = write!(text, "<a href=\"/page-{link}\">{link}</a> ");
        }
        let _ = write!(text, "<a href=\"/page-{}\">back</a> <a href=/private/{page}>no</a>", page / 2);
        if fate(page) == Fate::Changes {
            let _ = write!(text, "<p>In week {week} the bridge at mile {page} is open.</p>");
        }
        if fate(page) == Fate::Touched {
            let _ = write!(text, "<!-- built in week {week} -->");
        }
        text + &"<p>All work and no play makes a dull page. </p>".repeat(5 + page % 50)
    }

    fn sitemap(&self, origin: &str) -> String {
        let places =
            (0..self.pages).step_by(3).map(|page| format!("<url><loc>{origin}{}</loc></url>", path(page)));
        format!(
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{}</urlset>",
            places.collect::<String>()
        )
    }
}

fn path(page: usize) -> String {
    if page == 0 { "/".to_owned() } else { format!("/page-{page}") }
}

/// Returns whether a path is one of the site's pages and not robots.txt, a sitemap or a probe.
pub(crate) fn is_page(path: &str) -> bool {
    path == "/" || path.starts_with("/page-")
}

impl Answer for Weeks {
    fn answer(&self, request: &Request, connection: &mut Connection) -> io::Result<Then> {
        let week = self.week.load(Ordering::Relaxed);
        let origin = format!("http://{}", request.header("host").unwrap_or_default());
        match request.path() {
            "/robots.txt" => {
                let text = format!("User-agent: *\nDisallow: /private/\nSitemap: {origin}/sitemap.xml\n");
                return connection.respond("200 OK", &["Content-Type: text/plain"], text.as_bytes());
            }
            "/sitemap.xml" => {
                let text = self.sitemap(&origin);
                return connection.respond("200 OK", &["Content-Type: application/xml"], text.as_bytes());
            }
            _ => {}
        }
        let number = request.path().strip_prefix("/page-").and_then(|number| number.parse().ok());
        let page = if request.path() == "/" { Some(0) } else { number };
        let is_there = |page: &usize| *page < self.pages && (week != DISASTER || page.is_multiple_of(2));
        let Some(page) = page.filter(is_there) else {
            return absent(connection);
        };
        let html = |connection: &mut Connection, headers: &[&str]| {
            let headers = [&["Content-Type: text/html; charset=utf-8"], headers].concat();
            connection.respond("200 OK", &headers, self.html(page, week).as_bytes())
        };
        match (fate(page), week) {
            (Fate::Missing, _) | (Fate::Comes, 0) | (Fate::Goes, 1..) => absent(connection),
            (Fate::Moves, 1..) => {
                let location = format!("Location: {}", path(page - 1));
                connection.respond("301 Moved Permanently", &[&location], b"")
            }
            (Fate::Tagged, _) => {
                let tag = format!("\"page-{page}\"");
                if request.header("if-none-match") == Some(&tag) {
                    connection.send(format!("HTTP/1.1 304 Not Modified\r\nETag: {tag}\r\n\r\n"))?;
                    return Ok(Then::Keep);
                }
                html(connection, &[&format!("ETag: {tag}")])
            }
            (Fate::Plain | Fate::Changes | Fate::Touched | Fate::Goes | Fate::Moves | Fate::Comes, _) => {
                html(connection, &[])
            }
        }
    }
}

fn absent(connection: &mut Connection) -> io::Result<Then> {
    connection.respond("404 Not Found", &["Content-Type: text/html"], b"<h1>There is no such page</h1>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_pages_of_every_fate_and_most_stay() {
        let fates: Vec<Fate> = (0..100).map(fate).collect();
        let count = |wanted: Fate| fates.iter().filter(|fate| **fate == wanted).count();
        assert_eq!(count(Fate::Goes), 5);
        assert_eq!(count(Fate::Missing), 5);
        assert!(count(Fate::Changes) + count(Fate::Goes) < 30, "the second week would be suspect");
        assert_eq!(fate(0), Fate::Tagged);
    }

    #[test]
    fn only_what_changes_says_something_else_in_the_next_week() {
        let site = Weeks::new(60);
        for page in 0..60 {
            let differs = site.html(page, 0) != site.html(page, 1);
            assert_eq!(differs, matches!(fate(page), Fate::Changes | Fate::Touched), "{page}");
        }
    }
}
