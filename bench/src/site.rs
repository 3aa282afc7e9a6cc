//! The generated site: pages, links and changes as functions of a page's number and version.

mod words;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use clap::ValueEnum;

pub(crate) use self::words::{Random, Vocabulary};

/// When every page was first written, 2025-01-01, in seconds of the Unix epoch.
const FIRST_WRITTEN: u64 = 1_735_689_600;

/// The only rule file either server gives out.
pub(crate) const ROBOTS: &str = "User-agent: *\nDisallow:\n";

/// How big and how linked the pages are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shape {
    /// About 55 KB, 60 navigation links shared by all pages, 20 content links.
    Full,
    /// About 1 KB, 10 content links.
    Small,
    /// About 200 KB, 20 content links; a change touches every tenth paragraph.
    Large,
}

impl Shape {
    fn navigation_links(self) -> u32 {
        match self {
            Self::Full => 60,
            Self::Small | Self::Large => 0,
        }
    }

    fn content_links(self) -> usize {
        match self {
            Self::Full | Self::Large => 20,
            Self::Small => 10,
        }
    }

    /// How many of the content links lead to pages of the tree that makes all reachable.
    fn children(self) -> u32 {
        match self {
            Self::Full | Self::Large => 8,
            Self::Small => 4,
        }
    }

    /// How many bytes a page has before its closing list of links.
    fn length(self, random: &mut Random) -> usize {
        match self {
            Self::Full => 51_500 + random.below(8_000),
            Self::Small => 300 + random.below(100),
            Self::Large => 200_000,
        }
    }
}

/// A site whose pages are numbered from 0, the root.
pub(crate) struct Site {
    shape: Shape,
    vocabulary: Vocabulary,
    navigation: String,
    versions: Vec<u32>,
}

impl Site {
    /// Describes an unchanged site of `pages` pages.
    pub(crate) fn new(shape: Shape, pages: u32) -> Self {
        let vocabulary = Vocabulary::new();
        let mut site = Self {
            shape,
            vocabulary,
            navigation: String::new(),
            versions: vec![0; usize::try_from(pages).expect("usize is at least 32 bits wide")],
        };
        site.navigation = site.render_navigation();
        site
    }

    /// Returns the numbers of all pages.
    pub(crate) fn pages(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.versions.len()).expect("the site was made from a u32")
    }

    /// Returns the page a request path names.
    pub(crate) fn find(&self, path: &str) -> Option<u32> {
        if path == "/" {
            return Some(0);
        }
        let number = path.strip_prefix("/p/")?.strip_suffix(".html")?;
        let page = number.parse().ok()?;
        self.pages().contains(&page).then_some(page)
    }

    /// Returns the strong entity tag of a page, quotes included.
    pub(crate) fn entity_tag(&self, page: u32) -> String {
        format!("\"{page:x}-{:x}\"", self.version(page))
    }

    /// Returns when a page was last changed; each version is an hour younger than the last.
    pub(crate) fn modified(&self, page: u32) -> SystemTime {
        let seconds = FIRST_WRITTEN + 3_600 * u64::from(self.version(page));
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    /// Changes the text of `percent` of the pages, chosen by `seed`, and returns their numbers.
    pub(crate) fn change(&mut self, percent: u32, seed: u64) -> BTreeSet<u32> {
        let mut order: Vec<u32> = self.pages().collect();
        let count = order.len() * percent.min(100) as usize / 100;
        let mut random = Random::new(seed);
        for position in 0..count {
            let other = position + random.below(order.len() - position);
            order.swap(position, other);
        }
        let changed: BTreeSet<u32> = order.into_iter().take(count).collect();
        for &page in &changed {
            self.versions[page as usize] += 1;
        }
        changed
    }

    /// Returns the distinct pages that the text of `page` links to, never itself.
    pub(crate) fn content_links(&self, page: u32) -> Vec<u32> {
        let first_child = page.saturating_mul(self.shape.children()).saturating_add(1);
        let last_child = first_child.saturating_add(self.shape.children());
        let mut links: Vec<u32> = (first_child..last_child.min(self.pages().end)).collect();
        let wanted = self.shape.content_links().min(self.versions.len() - 1);
        let mut random = Random::new(!u64::from(page));
        while links.len() < wanted {
            let target = u32::try_from(random.below(self.versions.len()));
            match target {
                Ok(target) if target != page && !links.contains(&target) => links.push(target),
                Ok(_) | Err(_) => {}
            }
        }
        links
    }

    /// Returns the HTML of a page as its current version has it.
    pub(crate) fn render(&self, page: u32) -> String {
        let mut random = Random::new(u64::from(page) << 20);
        let length = self.shape.length(&mut random);
        let mut html = String::with_capacity(length + 2_048);
        html.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
        self.vocabulary.push_words(&mut html, &mut random, 5);
        html.push_str("</title>\n</head>\n<body>\n");
        html.push_str(&self.navigation);
        html.push_str("<main class=\"content\">\n<h1>");
        self.vocabulary.push_words(&mut html, &mut random, 5);
        let _ = write!(html, " {page}</h1>\n<p class=\"summary\">");
        let version = u64::from(self.version(page));
        let mut summary = Random::new((u64::from(page) << 20) + 1 + version);
        self.vocabulary.push_sentence(&mut html, &mut summary);
        html.push_str("</p>\n");
        let mut links = self.content_links(page).into_iter();
        let mut paragraph = 0_u32;
        while html.len() < length {
            if paragraph.is_multiple_of(6) && self.shape == Shape::Full {
                html.push_str("<h2 class=\"section-title\">");
                self.vocabulary.push_words(&mut html, &mut random, 4);
                html.push_str("</h2>\n");
            }
            let linked = if paragraph.is_multiple_of(2) { links.next() } else { None };
            let changes = self.shape == Shape::Large && paragraph.is_multiple_of(10);
            self.push_paragraph(&mut html, if changes { &mut summary } else { &mut random }, linked);
            paragraph += 1;
        }
        html.push_str("<ul class=\"related\">\n");
        for target in links {
            html.push_str("<li>");
            self.push_link(&mut html, &mut random, target);
            html.push_str("</li>\n");
        }
        html.push_str("</ul>\n</main>\n</body>\n</html>\n");
        html
    }

    fn version(&self, page: u32) -> u32 {
        self.versions[page as usize]
    }

    fn push_paragraph(&self, html: &mut String, random: &mut Random, linked: Option<u32>) {
        html.push_str("<div class=\"field field--type-text-long\"><p>");
        let sentences = match self.shape {
            Shape::Full | Shape::Large => 4 + random.below(6),
            Shape::Small => 1,
        };
        for _ in 0..sentences {
            self.vocabulary.push_sentence(html, random);
        }
        if let Some(target) = linked {
            self.push_link(html, random, target);
        }
        html.push_str("</p></div>\n");
    }

    fn push_link(&self, html: &mut String, random: &mut Random, target: u32) {
        let _ = write!(html, "<a href=\"{}\">", path(target));
        self.vocabulary.push_words(html, random, 3);
        html.push_str("</a>");
    }

    fn render_navigation(&self) -> String {
        let mut random = Random::new(u64::MAX);
        let mut html = String::from("<nav aria-label=\"main\">\n<ul class=\"menu\">\n");
        let last = self.pages().end.min(1 + self.shape.navigation_links());
        for target in 1..last {
            html.push_str("<li class=\"menu__item menu__item--collapsed\">");
            self.push_link(&mut html, &mut random, target);
            html.push_str("</li>\n");
        }
        html.push_str("</ul>\n</nav>\n");
        html
    }
}

/// Returns the request path of a page.
pub(crate) fn path(page: u32) -> String {
    if page == 0 { "/".to_owned() } else { format!("/p/{page}.html") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(html: &str) -> Vec<String> {
        let links = html.split("<a href=\"").skip(1);
        links.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_full_page_is_about_55_kilobytes_with_60_and_20_links() {
        let site = Site::new(Shape::Full, 150);
        for page in site.pages().step_by(3) {
            let html = site.render(page);
            assert!((51_000..62_000).contains(&html.len()), "page {page}: {}", html.len());
            let (navigation, content) = html.split_once("</nav>").unwrap();
            let shared: Vec<String> = (1..=60).map(path).collect();
            assert_eq!(links(navigation), shared);
            assert_eq!(links(content).len(), 20);
        }
        let total: usize = site.pages().map(|page| site.render(page).len()).sum();
        assert!((54_000..58_000).contains(&(total / 150)), "mean size {}", total / 150);
    }

    #[test]
    fn a_small_page_is_about_a_kilobyte_with_ten_links() {
        let site = Site::new(Shape::Small, 1_000);
        for page in site.pages() {
            let html = site.render(page);
            assert!((800..1_400).contains(&html.len()), "page {page}: {}", html.len());
            let distinct: BTreeSet<String> = links(&html).into_iter().collect();
            assert_eq!(distinct.len(), 10);
            assert!(!distinct.contains(&path(page)));
        }
    }

    #[test]
    fn a_large_page_is_about_200_kilobytes_and_changes_in_many_places() {
        let mut site = Site::new(Shape::Large, 2);
        let before = site.render(1);
        assert!((200_000..206_000).contains(&before.len()), "{}", before.len());
        site.change(100, 1);
        let after = site.render(1);
        let earlier: BTreeSet<&str> = before.lines().collect();
        let changed = after.lines().filter(|line| !earlier.contains(line)).count();
        assert!((10..after.lines().count() / 5).contains(&changed), "{changed} lines changed");
    }

    #[test]
    fn every_page_is_reached_from_the_root_by_rendered_links() {
        for (shape, pages) in [(Shape::Full, 120), (Shape::Small, 500), (Shape::Small, 5), (Shape::Large, 2)]
        {
            let site = Site::new(shape, pages);
            let mut seen = BTreeSet::from([0]);
            let mut waiting = vec![0];
            while let Some(page) = waiting.pop() {
                for link in links(&site.render(page)) {
                    let target = site.find(&link).expect("no link is broken");
                    if seen.insert(target) {
                        waiting.push(target);
                    }
                }
            }
            assert_eq!(seen.len(), pages as usize, "{shape:?}");
        }
    }

    #[test]
    fn no_page_depends_on_chance_to_be_linked() {
        for shape in [Shape::Full, Shape::Small] {
            let site = Site::new(shape, 5_000);
            for page in site.pages().skip(1) {
                let parent = (page - 1) / shape.children();
                assert!(parent < page && site.content_links(parent).contains(&page));
            }
        }
    }

    #[test]
    fn two_sites_of_one_size_have_the_same_pages() {
        let (one, two) = (Site::new(Shape::Full, 100), Site::new(Shape::Full, 100));
        for page in [0, 1, 99] {
            assert_eq!(one.render(page), two.render(page));
        }
        assert_ne!(one.render(1), one.render(2));
    }

    #[test]
    fn a_change_touches_exactly_the_asked_share() {
        let mut site = Site::new(Shape::Full, 100);
        let before: Vec<String> = site.pages().map(|page| site.render(page)).collect();
        let tags: Vec<String> = site.pages().map(|page| site.entity_tag(page)).collect();
        let dates: Vec<SystemTime> = site.pages().map(|page| site.modified(page)).collect();
        let changed = site.change(5, 1);
        assert_eq!(changed.len(), 5);
        for page in site.pages() {
            let position = page as usize;
            let is_changed = changed.contains(&page);
            assert_eq!(site.render(page) != before[position], is_changed, "text of {page}");
            assert_eq!(site.entity_tag(page) != tags[position], is_changed, "tag of {page}");
            assert_eq!(site.modified(page) > dates[position], is_changed, "date of {page}");
        }
        assert_ne!(site.change(5, 2), changed);
    }

    #[test]
    fn prose_is_varied_enough_to_resist_compression_like_prose() {
        let html = Site::new(Shape::Full, 100).render(50);
        let words: BTreeSet<&str> = html.split_whitespace().collect();
        assert!(words.len() > 1_500, "{} distinct words", words.len());
    }
}
