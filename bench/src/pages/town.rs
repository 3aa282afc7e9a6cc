//! A site that is read week after week: some pages are edited every week, many in the last one.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::listener::{Answer, Connection, Request, Then};
use crate::site::{Random, Vocabulary};

/// Paragraphs of a page.
const PARAGRAPHS: usize = 12;

/// Of a thousand pages, so many are edited in a usual week.
const EDITED: u64 = 10;

/// One page in so many says when it was built.
const STAMPED: usize = 40;

/// The site, in a week that can be set from outside.
pub(super) struct Town {
    pages: usize,
    weeks: usize,
    /// How many pages are edited in the last week.
    busy: usize,
    week: Arc<AtomicUsize>,
    vocabulary: Vocabulary,
}

impl Town {
    pub(super) fn new(pages: usize, weeks: usize, busy: usize) -> Self {
        Self { pages, weeks, busy, week: Arc::default(), vocabulary: Vocabulary::new() }
    }

    /// Returns the week, from 0, which can be set.
    pub(super) fn week(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.week)
    }

    const fn is_last(&self, week: usize) -> bool {
        week + 1 == self.weeks
    }

    /// Returns the last week up to this one in which a paragraph of a page was edited.
    fn edited(&self, page: usize, paragraph: usize, week: usize) -> usize {
        let is_edited = |week: &usize| {
            if self.is_last(*week) {
                return (1..=self.busy).contains(&page) && paragraph == page % PARAGRAPHS;
            }
            let mut random = Random::new(((page as u64) << 20) + *week as u64);
            random.next() % 1_000 < EDITED && random.below(PARAGRAPHS) == paragraph
        };
        (1..=week).rev().find(is_edited).unwrap_or(0)
    }

    fn html(&self, page: usize, week: usize) -> String {
        let sentences = |seed: u64, count: usize| {
            let (mut text, mut random) = (String::new(), Random::new(seed));
            for _ in 0..count {
                self.vocabulary.push_sentence(&mut text, &mut random);
            }
            text
        };
        let title = sentences(page as u64, 1);
        let title = title.trim_end_matches(['.', ' ']);
        let mut html = format!("<!doctype html><title>{title}</title><nav><ul>");
        for entry in 0..20 + usize::from(self.is_last(week)) {
            let _ = write!(html, "<li><a href=\"{}\">Part {entry} of the town</a></li>", path(entry));
        }
        let _ = write!(html, "</ul></nav><main><h1>{title}</h1>");
        for paragraph in 0..PARAGRAPHS {
            let seed =
                ((page * PARAGRAPHS + paragraph) as u64) << 8 | self.edited(page, paragraph, week) as u64;
            let _ = write!(html, "<p>{}</p>", sentences(seed, 3));
        }
        if page.is_multiple_of(STAMPED) {
            let _ = write!(html, "<p>Page built in run {} of the press.</p>", 4_000 + week);
        }
        let next = |step: usize| path((page * 7 + step) % self.pages);
        for step in 1..=6 {
            let _ = write!(html, "<a href=\"{}\">On to page {step}</a> ", next(step));
        }
        html + "</main><footer>The town of Willow Bend</footer>"
    }

    fn sitemap(&self, origin: &str) -> String {
        let places = (0..self.pages).map(|page| format!("<url><loc>{origin}{}</loc></url>", path(page)));
        format!(
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{}</urlset>",
            places.collect::<String>()
        )
    }

    /// Returns what stays as long as the bytes of a page do.
    fn tag(&self, page: usize, week: usize) -> String {
        let edited = (0..PARAGRAPHS).map(|paragraph| self.edited(page, paragraph, week)).max().unwrap_or(0);
        let built = if page.is_multiple_of(STAMPED) { week } else { 0 };
        format!("\"{page}-{edited}-{built}-{}\"", self.is_last(week))
    }
}

fn path(page: usize) -> String {
    if page == 0 { "/".to_owned() } else { format!("/part-{}/page-{page}", page % 20) }
}

impl Answer for Town {
    fn answer(&self, request: &Request, connection: &mut Connection) -> io::Result<Then> {
        let origin = format!("http://{}", request.header("host").unwrap_or_default());
        match request.path() {
            "/robots.txt" => {
                let text = format!("User-agent: *\nDisallow:\nSitemap: {origin}/sitemap.xml\n");
                return connection.respond("200 OK", &["Content-Type: text/plain"], text.as_bytes());
            }
            "/sitemap.xml" => {
                let text = self.sitemap(&origin);
                return connection.respond("200 OK", &["Content-Type: application/xml"], text.as_bytes());
            }
            _ => {}
        }
        let number = request.path().rsplit_once("/page-").and_then(|(_, number)| number.parse().ok());
        let page = if request.path() == "/" { Some(0) } else { number };
        let is_there = |page: &usize| *page < self.pages && path(*page) == request.path();
        let Some(page) = page.filter(is_there) else {
            return connection.respond(
                "404 Not Found",
                &["Content-Type: text/plain"],
                b"there is no such page",
            );
        };
        let week = self.week.load(Ordering::Relaxed);
        let tag = self.tag(page, week);
        let header = format!("ETag: {tag}");
        if request.header("if-none-match") == Some(&tag) {
            return connection.respond("304 Not Modified", &[&header], b"");
        }
        let html = self.html(page, week);
        connection.respond("200 OK", &["Content-Type: text/html; charset=utf-8", &header], html.as_bytes())
    }
}
