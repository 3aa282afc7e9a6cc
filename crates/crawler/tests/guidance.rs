//! robots.txt and sitemaps, fetched from a real server.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use recrawl_core::memory::MemoryStore;
use recrawl_core::outlook::Listing;
use recrawl_core::politeness::PaceSettings;
use recrawl_core::ports::{Permission, RobotsError, RobotsGate};
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_crawler::{ListedPage, Obedience, RobotsCache, SitemapFinder};
use recrawl_fetch::{AddressGuard, HttpFetcher, HttpSettings, Lookup, Polite};
use recrawl_testkit::site::{Page, Site};

/// A site, and what a process that crawls it has.
struct Guide {
    site: Site,
    memos: Arc<MemoryStore>,
}

impl Guide {
    async fn new() -> Self {
        Self { site: Site::start().await, memos: Arc::default() }
    }

    /// Returns the robots.txt cache of a new process.
    fn robots(&self, obedience: Obedience) -> Arc<RobotsCache> {
        let guard = AddressGuard::for_root(&self.site.at("/"));
        let http = HttpFetcher::new(HttpSettings::new("recrawl/0 (+http://test.example/)"), guard).unwrap();
        let back_off = Duration::from_millis(1);
        let fetcher = Arc::new(Polite::new(http, PaceSettings { back_off, ..PaceSettings::unlimited() }));
        let token = "recrawl".to_owned();
        let memos = self.memos.clone();
        Arc::new(RobotsCache::new(fetcher.clone(), memos, fetcher, token, obedience, Timestamp::now))
    }

    async fn allows(&self, path: &str) -> bool {
        let permission = self.robots(Obedience::Obey).permits(&self.site.at(path)).await.unwrap();
        permission == Permission::Allowed
    }

    /// Returns the paths that the sitemaps of the site list, as a new process finds them that asks every time.
    async fn listed(&self) -> Vec<String> {
        let pages = self.listed_after(Duration::ZERO, Timestamp::now).await;
        pages.iter().map(|page| page.url.path().to_owned()).collect()
    }

    /// Returns what the sitemaps of the site list, as a new process finds it that believes them for `lifetime`.
    async fn listed_after(&self, lifetime: Duration, clock: fn() -> Timestamp) -> Vec<ListedPage> {
        let robots = self.robots(Obedience::Obey);
        let guard = AddressGuard::for_root(&self.site.at("/"));
        let http = HttpFetcher::new(HttpSettings::new("recrawl/0 (+http://test.example/)"), guard).unwrap();
        let fetcher = Arc::new(Polite::new(http, PaceSettings::unlimited()));
        let (memos, rules) = (self.memos.clone(), UrlRules::default());
        let finder = SitemapFinder::new(fetcher, memos, robots, rules, lifetime, clock);
        let mut search = finder.search(&self.site.at("/")).await;
        let mut pages = Vec::new();
        while let Some(found) = search.next().await {
            pages.extend(found.pages);
        }
        pages
    }
}

/// Leads every name to one address.
struct Everything(IpAddr);

#[async_trait]
impl Lookup for Everything {
    async fn lookup(&self, _: &str) -> std::io::Result<Vec<IpAddr>> {
        Ok(vec![self.0])
    }
}

#[tokio::test]
async fn robots_txt_and_sitemaps_of_a_name_that_moved_inside_are_not_asked_for() {
    let site = Site::start().await;
    site.page("/robots.txt", Page::text("Sitemap: /sitemap.xml")).page("/sitemap.xml", urlset(&["/secret"]));
    let root: PageUrl = format!("http://moved.example:{}/", site.address().port()).parse().unwrap();
    let memos = Arc::new(MemoryStore::default());
    // As long as it was meant, and as it is found by the crawl after it moved.
    for (meant, requests) in [(true, 2), (false, 0)] {
        let guard = AddressGuard::for_root(&root).allowing_private(meant);
        let guard = guard.with_lookup(Arc::new(Everything(site.address().ip())));
        let http = HttpFetcher::new(HttpSettings::new("recrawl/0 (+http://test.example/)"), guard).unwrap();
        let fetcher = Arc::new(Polite::new(http, PaceSettings::unlimited()));
        let token = "recrawl".to_owned();
        let robots = RobotsCache::new(
            fetcher.clone(),
            memos.clone(),
            fetcher.clone(),
            token,
            Obedience::Obey,
            Timestamp::now,
        );
        let robots = Arc::new(robots);
        let rules = UrlRules::default();
        let finder =
            SitemapFinder::new(fetcher, memos.clone(), robots.clone(), rules, Duration::ZERO, Timestamp::now);
        let before = site.log().len();
        let mut search = finder.search(&root).await;
        assert_eq!(search.next().await.is_some(), meant);
        let permission = robots.permits(&root).await;
        assert_eq!(site.log().len() - before, requests);
        let words = permission.map_or_else(|error| error.to_string(), |_| String::new());
        assert_eq!(words.contains("moved.example now leads to 127.0.0.1"), !meant, "{words}");
    }
}

fn urlset(paths: &[&str]) -> Page {
    let entries: Vec<String> = paths.iter().map(|path| format!("<url><loc>{path}</loc></url>")).collect();
    Page::xml(format!("<urlset>{}</urlset>", entries.concat()))
}

#[tokio::test]
async fn rules_are_obeyed_and_name_themselves() {
    let guide = Guide::new().await;
    guide.site.page("/robots.txt", Page::text("User-agent: *\nDisallow: /x\n"));
    let robots = guide.robots(Obedience::Obey);
    assert_eq!(robots.permits(&guide.site.at("/a")).await.unwrap(), Permission::Allowed);
    let Permission::Disallowed(rule) = robots.permits(&guide.site.at("/x/y")).await.unwrap() else {
        panic!("/x/y is disallowed")
    };
    assert!(rule.contains("/x"), "{rule}");
    assert_eq!(guide.site.requests_for("/robots.txt").len(), 1, "read once");
    let ignoring = guide.robots(Obedience::Ignore);
    assert_eq!(ignoring.permits(&guide.site.at("/x")).await.unwrap(), Permission::Allowed);
}

#[tokio::test]
async fn no_robots_txt_allows_everything() {
    let guide = Guide::new().await;
    for status in [404, 401, 403, 410] {
        guide.site.page("/robots.txt", Page::status(status));
        assert!(guide.allows("/a").await, "{status}");
    }
}

#[tokio::test]
async fn a_server_in_trouble_allows_nothing() {
    let guide = Guide::new().await;
    for trouble in [Page::status(503), Page::status(500), Page::closed()] {
        guide.site.page("/robots.txt", trouble);
        let outcome = guide.robots(Obedience::Obey).permits(&guide.site.at("/a")).await;
        assert!(matches!(outcome, Err(RobotsError::Unreachable { .. })), "{outcome:?}");
    }
}

#[tokio::test]
async fn redirects_of_robots_txt_are_followed_and_loops_end() {
    let guide = Guide::new().await;
    guide.site.redirect("/robots.txt", "/rules", 302);
    guide.site.page("/rules", Page::text("User-agent: *\nDisallow: /x\n"));
    assert!(!guide.allows("/x").await);
    guide.site.redirect("/rules", "/robots.txt", 302);
    assert!(guide.allows("/x").await, "rules that cannot be had are no rules");
}

#[tokio::test]
async fn the_next_run_asks_conditionally() {
    let guide = Guide::new().await;
    guide.site.page("/robots.txt", Page::text("User-agent: *\nDisallow: /x\nSitemap: /s.xml\n"));
    guide.site.page("/s.xml", urlset(&["/a", "/b"]));
    assert_eq!(guide.listed().await, ["/a", "/b"]);
    guide.site.clear_log();
    assert_eq!(guide.listed().await, ["/a", "/b"]);
    assert!(!guide.allows("/x").await);
    assert!(guide.site.log().iter().all(|request| request.status == Some(304)));
}

#[tokio::test]
async fn a_sitemap_is_not_asked_for_again_for_a_day() {
    let day = Duration::from_hours(24);
    let guide = Guide::new().await;
    guide.site.page("/robots.txt", Page::text("Sitemap: /s.xml\n"));
    guide.site.page("/s.xml", urlset(&["/a"]));
    assert_eq!(guide.listed_after(day, Timestamp::now).await.len(), 1);
    guide.site.page("/s.xml", urlset(&["/a", "/b"]));
    guide.site.clear_log();
    assert_eq!(guide.listed_after(day, Timestamp::now).await.len(), 1, "what is remembered is believed");
    assert!(guide.site.requests_for("/s.xml").is_empty());
    let tomorrow = || Timestamp::now() + SignedDuration::from_hours(25);
    assert_eq!(guide.listed_after(day, tomorrow).await.len(), 2);
    guide.site.clear_log();
    assert_eq!(guide.listed_after(day, tomorrow).await.len(), 2);
    assert!(guide.site.requests_for("/s.xml").is_empty());
    let in_two_days = || Timestamp::now() + SignedDuration::from_hours(50);
    guide.listed_after(day, in_two_days).await;
    assert_eq!(guide.site.requests_for("/s.xml")[0].status, Some(304));
    guide.listed_after(day, in_two_days).await;
    assert_eq!(guide.site.requests_for("/s.xml").len(), 1, "a 304 counts as reading it");
}

#[tokio::test]
async fn what_a_sitemap_says_of_pages_is_kept_and_remembered() {
    let guide = Guide::new().await;
    guide.site.page("/robots.txt", Page::text("Sitemap: /s.xml\n"));
    let xml = "<urlset><url><loc>/a</loc><lastmod>2026-11-01</lastmod><changefreq>daily</changefreq></url>\
        <url><loc>/b</loc><lastmod>2026-11-01T10:00:00Z</lastmod></url><url><loc>/c</loc></url></urlset>";
    guide.site.page("/s.xml", Page::xml(xml));
    let listing = |changed_by: Option<&str>, hours| Listing {
        changed_by: changed_by.map(|time| time.parse().unwrap()),
        period: Some(SignedDuration::from_hours(hours)),
    };
    let expected = [
        listing(Some("2026-11-02T00:00:00Z"), 24),
        listing(Some("2026-11-01T10:00:00Z"), 168),
        listing(None, 168),
    ];
    for reading in ["whole", "by a 304"] {
        let pages = guide.listed_after(Duration::ZERO, Timestamp::now).await;
        let listings: Vec<Listing> = pages.iter().map(ListedPage::listing).collect();
        assert_eq!(listings, expected, "{reading}");
    }
}

#[tokio::test]
async fn indexes_are_followed_and_name_each_sitemap_once() {
    let guide = Guide::new().await;
    guide.site.page("/robots.txt", Page::text("Sitemap: /index.xml\n"));
    let index = "<sitemapindex><sitemap><loc>/1.xml</loc></sitemap><sitemap><loc>/2.xml.gz</loc></sitemap>\
        <sitemap><loc>/index.xml</loc></sitemap><sitemap><loc>/missing.xml</loc></sitemap></sitemapindex>";
    guide.site.page("/index.xml", Page::xml(index));
    guide.site.page("/1.xml", urlset(&["/a"]));
    guide.site.page("/2.xml.gz", urlset(&["/b"]).gzipped());
    assert_eq!(guide.listed().await, ["/a", "/b"]);
    assert_eq!(guide.site.requests_for("/index.xml").len(), 1);
}

#[tokio::test]
async fn well_known_paths_are_tried_until_one_lists_something() {
    let guide = Guide::new().await;
    guide.site.page("/robots.txt", Page::text("User-agent: *\nDisallow: /sitemap_index.xml\n"));
    guide.site.page("/sitemap.xml", Page::html("<p>This answers to everything.</p>"));
    guide.site.page("/sitemap_index.xml", urlset(&["/hidden"]));
    guide.site.page("/sitemap-index.xml", urlset(&["/a"]));
    assert_eq!(guide.listed().await, ["/a"]);
    assert!(guide.site.requests_for("/sitemap_index.xml").is_empty(), "robots.txt disallows it");
    assert!(guide.site.requests_for("/sitemapindex.xml").is_empty(), "one was found");
}

#[tokio::test]
async fn a_site_without_a_sitemap_is_not_searched_again_for_a_day() {
    let guide = Guide::new().await;
    assert!(guide.listed().await.is_empty());
    assert!(guide.site.log().len() > 10);
    guide.site.clear_log();
    assert!(guide.listed().await.is_empty());
    assert_eq!(guide.site.log().len(), 1, "robots.txt alone");
}

#[tokio::test]
async fn a_server_that_stumbles_over_a_guess_is_not_bothered_with_more() {
    let guide = Guide::new().await;
    guide.site.page("/robots.txt", Page::text(""));
    guide.site.page("/sitemap-index.xml", Page::closed());
    assert!(guide.listed().await.is_empty());
    let asked: Vec<String> = guide.site.log().into_iter().map(|request| request.path).collect();
    assert_eq!(asked, ["/robots.txt", "/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml"]);
}
