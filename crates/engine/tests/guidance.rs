//! robots.txt and sitemaps, fetched from a real server.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::scope::{Scope, ScopeSettings};
use recrawl_core::plan::visit_planner::Listing;
use recrawl_core::ports::{Permission, RobotsError, RobotsGate};
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_engine::{ListedPage, RobotsCache, RobotsPolicy, SitemapFinder, SitemapPages};
use recrawl_fetch::{AddressGuard, HttpFetcher, HttpSettings, Lookup, Polite};
use recrawl_testkit::site::{Page, Site};

/// A site, and what a process that crawls it has.
struct Guide {
    site: Site,
    state_store: Arc<MemoryStore>,
    time_out: Duration,
    /// Another site that may be asked.
    stranger: Option<PageUrl>,
}

impl Guide {
    async fn new() -> Self {
        Self {
            site: Site::start().await,
            state_store: Arc::default(),
            time_out: Duration::from_secs(30),
            stranger: None,
        }
    }

    async fn beside(stranger: &Site) -> Self {
        Self { stranger: Some(stranger.at("/")), ..Self::new().await }
    }

    fn guard(&self) -> AddressGuard {
        self.stranger.iter().fold(AddressGuard::for_root(&self.site.at("/")), AddressGuard::and)
    }

    /// Returns the robots.txt cache of a new process.
    fn robots(&self, robots_policy: RobotsPolicy) -> Arc<RobotsCache> {
        let guard = self.guard();
        let settings = HttpSettings::new("recrawl/0 (+http://test.example/)");
        let http =
            HttpFetcher::new(HttpSettings { connect_time_out: self.time_out, ..settings }, guard).unwrap();
        let back_off = Duration::from_millis(1);
        let fetcher = Arc::new(Polite::new(http, PaceSettings { back_off, ..PaceSettings::unlimited() }));
        let token = "recrawl".to_owned();
        let state_store = self.state_store.clone();
        Arc::new(RobotsCache::new(
            fetcher.clone(),
            state_store,
            fetcher,
            token,
            robots_policy,
            Timestamp::now,
        ))
    }

    async fn allows(&self, path: &str) -> bool {
        let permission = self.robots(RobotsPolicy::Obey).permits(&self.site.at(path)).await.unwrap();
        permission == Permission::Allowed
    }

    /// Returns the paths that the sitemaps of the site list, as a new process finds them that asks every time.
    async fn listed(&self) -> Vec<String> {
        let pages = self.listed_after(Duration::ZERO, Timestamp::now).await;
        pages.iter().map(|page| page.url.path().to_owned()).collect()
    }

    /// Returns what the sitemaps of the site list, as a new process finds it that believes them for `lifetime`.
    async fn listed_after(&self, lifetime: Duration, clock: fn() -> Timestamp) -> Vec<ListedPage> {
        self.search(lifetime, clock).await.into_iter().flat_map(|found| found.pages).collect()
    }

    /// Returns what was said of sitemaps.
    async fn warnings(&self) -> Vec<String> {
        let found = self.search(Duration::ZERO, Timestamp::now).await;
        let words = |found: SitemapPages| {
            let sitemap = found.sitemap;
            found.warnings.into_iter().map(move |warning| format!("{} {warning}", sitemap.path()))
        };
        found.into_iter().flat_map(words).collect()
    }

    async fn search(&self, lifetime: Duration, clock: fn() -> Timestamp) -> Vec<SitemapPages> {
        let robots = self.robots(RobotsPolicy::Obey);
        let guard = self.guard();
        let time_out = self.time_out;
        let settings = HttpSettings::new("recrawl/0 (+http://test.example/)");
        let settings = HttpSettings { total_time_out: time_out, read_time_out: time_out, ..settings };
        let http = HttpFetcher::new(settings, guard).unwrap();
        let back_off = Duration::from_millis(1);
        let fetcher = Arc::new(Polite::new(http, PaceSettings { back_off, ..PaceSettings::unlimited() }));
        let (state_store, rules) = (self.state_store.clone(), UrlRules::default());
        let finder = SitemapFinder::new(fetcher, state_store, robots, rules, lifetime, clock);
        let root = self.site.at("/");
        let scope = Scope::new(&root, ScopeSettings::default()).unwrap();
        let mut search = finder.search(&root, &scope).await;
        let mut all = Vec::new();
        while let Some(found) = search.next().await {
            all.push(found);
        }
        all
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
    let state_store = Arc::new(MemoryStore::default());
    // As long as it was meant, and as it is found by the crawl after it moved.
    for (meant, requests) in [(true, 2), (false, 0)] {
        let guard = AddressGuard::for_root(&root).allowing_private(meant);
        let guard = guard.with_lookup(Arc::new(Everything(site.address().ip())));
        let http = HttpFetcher::new(HttpSettings::new("recrawl/0 (+http://test.example/)"), guard).unwrap();
        let fetcher = Arc::new(Polite::new(http, PaceSettings::unlimited()));
        let token = "recrawl".to_owned();
        let robots = RobotsCache::new(
            fetcher.clone(),
            state_store.clone(),
            fetcher.clone(),
            token,
            RobotsPolicy::Obey,
            Timestamp::now,
        );
        let robots = Arc::new(robots);
        let rules = UrlRules::default();
        let finder = SitemapFinder::new(
            fetcher,
            state_store.clone(),
            robots.clone(),
            rules,
            Duration::ZERO,
            Timestamp::now,
        );
        let before = site.log().len();
        let scope = Scope::new(&root, ScopeSettings::default()).unwrap();
        let mut search = finder.search(&root, &scope).await;
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
    let robots = guide.robots(RobotsPolicy::Obey);
    assert_eq!(robots.permits(&guide.site.at("/a")).await.unwrap(), Permission::Allowed);
    let Permission::Disallowed(rule) = robots.permits(&guide.site.at("/x/y")).await.unwrap() else {
        panic!("/x/y is disallowed")
    };
    assert!(rule.contains("/x"), "{rule}");
    assert_eq!(guide.site.requests_for("/robots.txt").len(), 1, "read once");
    let ignoring = guide.robots(RobotsPolicy::Ignore);
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
        let outcome = guide.robots(RobotsPolicy::Obey).permits(&guide.site.at("/a")).await;
        assert!(matches!(outcome, Err(RobotsError::Unreachable { .. })), "{outcome:?}");
    }
}

#[tokio::test]
async fn an_https_page_of_a_host_that_has_only_http_holds_up_no_other() {
    let guide = Guide { time_out: Duration::from_millis(200), ..Guide::new().await };
    guide.site.page("/robots.txt", Page::text("User-agent: *\nDisallow: /closed"));
    let (http, robots) = (guide.site.at("/closed"), guide.robots(RobotsPolicy::Obey));
    let https: PageUrl = http.as_str().replace("http:", "https:").parse().unwrap();
    let error = robots.permits(&https).await.unwrap_err();
    assert!(matches!(error, RobotsError::Unreachable { .. }), "{error}");
    assert_eq!(robots.permits(&guide.site.at("/open")).await.unwrap(), Permission::Allowed);
    for page in [&http, &https] {
        assert!(matches!(robots.permits(page).await.unwrap(), Permission::Disallowed(_)), "{page}");
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

#[tokio::test]
async fn a_robots_txt_that_is_too_long_loses_the_line_at_which_it_is_cut() {
    let guide = Guide::new().await;
    let rules = "User-agent: *\nDisallow: /private/\n";
    let limit = 512 * 1024;
    for cut in ["Allow: /private/", "Allow: /private/\u{f6}"] {
        // The limit falls behind the letters, or in the middle of the last one.
        let spare = usize::from(!cut.is_ascii());
        let comment = "#".repeat(limit + spare - rules.len() - 1 - cut.len());
        let file = format!("{rules}{comment}\n{cut}open/page\nAllow: /private/open\n");
        guide.site.page("/robots.txt", Page::text(file));
        assert!(!guide.allows("/private/secret").await, "{cut}");
        assert!(!guide.allows("/private/secret").await, "{cut}, by a 304");
        assert!(guide.allows("/public").await);
    }
}

fn sitemap_lines(host: &str, count: usize) -> String {
    let lines: Vec<String> = (0..count).map(|number| format!("Sitemap: {host}/s-{number}.xml")).collect();
    lines.join("\n")
}

fn sitemaps_asked(site: &Site) -> usize {
    site.log().iter().filter(|request| request.path.starts_with("/s-")).count()
}

#[tokio::test]
async fn no_more_than_1000_sitemaps_are_asked_for_however_they_are_named() {
    let guide = Guide::new().await;
    guide.site.page("/robots.txt", Page::text(sitemap_lines("", 990)));
    let nested: Vec<String> =
        (900..1_100).map(|number| format!("<sitemap><loc>/s-{number}.xml</loc></sitemap>")).collect();
    guide.site.page("/s-0.xml", Page::xml(format!("<sitemapindex>{}</sitemapindex>", nested.concat())));
    let warnings = guide.warnings().await;
    assert_eq!(sitemaps_asked(&guide.site), 1_000, "990 named ones, and 10 of 110 others in an index");
    assert_eq!(warnings, ["/robots.txt 100 sitemaps were not read: no more than 1000 are read in a crawl"]);
}

#[tokio::test]
async fn sitemaps_of_strangers_are_few_and_only_those_that_their_robots_txt_allows() {
    let stranger = Site::start().await;
    let guide = Guide::beside(&stranger).await;
    stranger.page("/robots.txt", Page::text("User-agent: *\nDisallow: /s-3.xml\n"));
    stranger.fallback(urlset(&["/x"]));
    guide.site.page("/robots.txt", Page::text(sitemap_lines(&stranger.url(), 30)));
    let warnings = guide.warnings().await;
    let asked: Vec<String> = stranger.log().into_iter().map(|request| request.path).collect();
    assert_eq!(asked[0], "/robots.txt", "{asked:?}");
    assert_eq!(sitemaps_asked(&stranger), 9);
    assert!(!asked.iter().any(|path| path == "/s-3.xml"), "{asked:?}");
    let host = stranger.address();
    assert_eq!(warnings[0], format!("/s-3.xml is not read: robots.txt of {host}: Disallow: /s-3.xml"));
    let limit = "/robots.txt 20 sitemaps were not read: no more than 10 of other hosts are read in a crawl";
    assert_eq!(warnings[1..], [limit]);
}

#[tokio::test]
async fn a_stranger_whose_robots_txt_cannot_be_read_is_left_alone() {
    let stranger = Site::start().await;
    let guide = Guide::beside(&stranger).await;
    stranger.fallback(urlset(&["/x"]));
    for closed in [Page::status(503), Page::text("User-agent: *\nDisallow: /\n")] {
        stranger.page("/robots.txt", closed);
        guide.site.page("/robots.txt", Page::text(sitemap_lines(&stranger.url(), 30)));
        assert!(!guide.warnings().await.is_empty());
        assert_eq!(sitemaps_asked(&stranger), 0);
    }
}

#[tokio::test]
async fn a_sitemap_that_redirects_to_a_stranger_is_one_of_the_strangers_sitemaps() {
    let stranger = Site::start().await;
    let guide = Guide::beside(&stranger).await;
    guide.site.page("/robots.txt", Page::text("Sitemap: /a.xml\nSitemap: /b.xml\n"));
    guide.site.redirect("/a.xml", &format!("{}/open.xml", stranger.url()), 301);
    guide.site.redirect("/b.xml", &format!("{}/closed.xml", stranger.url()), 301);
    stranger.page("/robots.txt", Page::text("User-agent: *\nDisallow: /closed.xml\n"));
    stranger.page("/open.xml", urlset(&["/x"]));
    assert_eq!(guide.listed().await, ["/x"]);
    assert!(stranger.requests_for("/closed.xml").is_empty());
}

#[tokio::test]
async fn a_broken_sitemap_is_a_warning_and_the_others_are_read() {
    let guide = Guide::new().await;
    guide.site.page("/robots.txt", Page::text("Sitemap: /broken.xml\nSitemap: /good.xml\n"));
    guide.site.page("/good.xml", urlset(&["/a"]));
    let mut bomb = String::from("<urlset><url><loc>/b</loc></url>");
    bomb.push_str(&" ".repeat(51 * 1024 * 1024));
    let index =
        |path: &str| Page::xml(format!("<sitemapindex><sitemap><loc>{path}</loc></sitemap></sitemapindex>"));
    for (what, page, pages, said) in [
        ("no answer", Page::closed(), 1, "cannot be read: "),
        ("a server error", Page::status(500), 1, "cannot be read: status 500"),
        ("an end in the middle", urlset(&["/b"]).ended_after(10), 1, "cannot be read: "),
        ("a bomb", Page::xml(bomb).gzipped(), 2, "is longer than 52428800 bytes"),
        ("no sitemap", Page::html("<p>Hello</p>"), 1, "which is no sitemap"),
        ("garbage", Page::bytes("application/gzip", b"\x1F\x8B garbage".to_vec()), 1, "is not whole gzip"),
        ("an index of itself", index("/broken.xml"), 1, ""),
        ("not there", Page::status(404), 1, ""),
    ] {
        guide.site.page("/broken.xml", page);
        assert_eq!(guide.listed().await.len(), pages, "{what}");
        let warnings = guide.warnings().await;
        assert!(warnings.concat().contains(said), "{what}: {warnings:?}");
        assert_eq!(warnings.is_empty(), said.is_empty(), "{what}: {warnings:?}");
    }
}

#[tokio::test]
async fn a_host_whose_sitemaps_cannot_be_had_is_not_asked_for_all_of_them() {
    let guide = Guide::new().await;
    guide.site.page("/robots.txt", Page::text(sitemap_lines("", 500)));
    guide.site.fallback(Page::closed());
    let warnings = guide.warnings().await;
    assert_eq!(sitemaps_asked(&guide.site), 4, "two of them, twice each");
    let last = "/robots.txt 498 sitemaps were not read: others of the same host could not be read";
    assert_eq!((warnings.len(), warnings[2].as_str()), (3, last), "{warnings:?}");
}

#[tokio::test]
async fn a_sitemap_that_hangs_is_a_warning() {
    let guide = Guide { time_out: Duration::from_millis(100), ..Guide::new().await };
    guide.site.page("/robots.txt", Page::text("Sitemap: /s-0.xml\n"));
    guide.site.page("/s-0.xml", Page::silent());
    let warnings = guide.warnings().await;
    assert!(warnings.len() == 1 && warnings[0].starts_with("/s-0.xml cannot be read: "), "{warnings:?}");
    assert_eq!(sitemaps_asked(&guide.site), 2);
}
