//! Crawls of a list: exactly these pages, over any number of hosts, in parallel and each at its own pace.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use recrawl_core::model::crawl::Ending;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_engine::{Choice, Choose, Ended, Event, ListItem, ListedPage, Observer, StopHandle, StopMode};
use recrawl_settings::{Flags, SettingsFile};
use recrawl_stores::file::open_file;
use recrawl_stores::{Access, EmbeddedStore};
use recrawl_supervisor::crawl::{Crawled, ListInput, RunOptions, crawl_list};
use recrawl_supervisor::settings::{CommandLine, Settings, of_list};
use recrawl_testkit::site::{Page, Site, assert_spaced};
use tempfile::TempDir;
use tokio::sync::mpsc::unbounded_channel;

struct World {
    _folder: TempDir,
    path: PathBuf,
    delay: &'static str,
}

struct Quiet;

impl Observer for Quiet {
    fn on(&self, _: Event<'_>) {}
}

impl World {
    fn new(delay: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { path: folder.path().join("recrawl.db"), _folder: folder, delay }
    }

    fn settings(&self, named: &[PageUrl]) -> Settings {
        let mut flags = Flags::default();
        flags.say("delay", vec![self.delay.to_owned()], "the test");
        flags.say("retries", vec!["1".to_owned()], "the test");
        flags.say("back-off", vec!["0.05".to_owned()], "the test");
        let command_line = CommandLine { flags, owns_the_site: false };
        of_list(&"list".parse().unwrap(), named, &command_line, &SettingsFile::default()).unwrap()
    }

    async fn crawl(&self, pages: &[PageUrl]) -> (Crawled, Vec<PageRecord>) {
        self.crawl_input(pages, ListInput::of(pages.to_vec()), StopHandle::default(), Arc::new(Quiet)).await
    }

    async fn crawl_input(
        &self,
        named: &[PageUrl],
        input: ListInput,
        stop: StopHandle,
        observer: Arc<dyn Observer>,
    ) -> (Crawled, Vec<PageRecord>) {
        let store: Arc<dyn EmbeddedStore> = open_file(&self.path, Access::Crawl).unwrap();
        let (settings, options) = (self.settings(named), RunOptions::default());
        let crawled = crawl_list(&settings, options, store.clone(), stop, observer, input).await.unwrap();
        let records = store.records(&crawled.site.id, crawled.crawl.id, &[], None, 9_999).await.unwrap();
        (crawled, records)
    }
}

fn verdict_of(records: &[PageRecord], url: &PageUrl) -> Option<Verdict> {
    records.iter().find(|record| record.url == *url).map(|record| record.visit.verdict)
}

fn paths(server: &Site) -> Vec<String> {
    let mut paths: Vec<String> = server.log().into_iter().map(|logged| logged.path).collect();
    paths.sort();
    paths
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_pages_over_fifty_hosts_take_as_long_as_those_of_one_host() {
    let servers: Vec<Site> = (0..50).map(|_| Site::start_blocking()).collect();
    let mut pages = Vec::new();
    for number in 0..20 {
        for server in &servers {
            server.page(&format!("/{number}"), Page::html(format!("<h1>Page {number}</h1>")));
            pages.push(server.at(&format!("/{number}")));
        }
    }
    let (world, begin) = (World::new("1"), Instant::now());
    let (crawled, records) = world.crawl(&pages).await;
    let took = begin.elapsed();
    assert!(matches!(crawled.ended, Ended::Closed(_)));
    assert_eq!(records.len(), 1_000);
    assert!(records.iter().all(|record| record.visit.verdict == Verdict::New));
    // One robots.txt and twenty pages a host, a second apart; some more on a busy machine.
    assert!(took < Duration::from_mins(1), "{took:?}");
    for server in &servers {
        let log = server.log();
        assert_eq!(log.len(), 21, "robots.txt and twenty pages");
        assert_spaced(&log, Duration::from_secs(1));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn links_are_left_alone_and_redirects_are_followed() {
    let (one, other, world) = (Site::start().await, Site::start().await, World::new("0"));
    one.page("/a", Page::html("<a href=/b>b</a>")).page("/b", Page::html("b"));
    one.redirect("/moved", other.at("/new").as_str(), 301);
    other.page("/new", Page::html("here"));
    let list = [one.at("/a"), one.at("/moved"), other.at("/absent")];
    let (crawled, records) = world.crawl(&list).await;
    let Ended::Closed(closed) = crawled.ended else { panic!("the crawl is open") };
    assert_eq!(closed.ending, Ending::Complete);
    assert_eq!(paths(&one), ["/a", "/moved", "/robots.txt"]);
    assert_eq!(paths(&other), ["/absent", "/new", "/robots.txt"]);
    assert_eq!(verdict_of(&records, &other.at("/new")), Some(Verdict::New));

    one.page("/a", Page::html("<a href=/b>b</a> and more"));
    let (_, records) = world.crawl(&list).await;
    assert_eq!(verdict_of(&records, &one.at("/a")), Some(Verdict::Changed));
    assert_eq!(verdict_of(&records, &other.at("/new")), Some(Verdict::Unchanged));

    let (crawled, records) = world.crawl(&list[..1]).await;
    assert_eq!(records.len(), 1, "a page that is on the list no more is not asked for");
    let Ended::Closed(closed) = crawled.ended else { panic!("the crawl is open") };
    assert!(matches!(closed.ending, Ending::Partial(_)), "{:?}", closed.ending);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_does_not_answer_keeps_no_crawl_open() {
    let (well, ill, world) = (Site::start().await, Site::start().await, World::new("0"));
    well.page("/a", Page::html("a"));
    ill.fallback(Page::closed()).page("/robots.txt", Page::closed());
    let list = [ill.at("/1"), ill.at("/2"), well.at("/a")];
    let (crawled, records) = world.crawl(&list).await;
    assert!(matches!(crawled.ended, Ended::Closed(_)));
    for (page, verdict) in
        [(&list[0], Verdict::Failed), (&list[1], Verdict::Failed), (&list[2], Verdict::New)]
    {
        assert_eq!(verdict_of(&records, page), Some(verdict), "{page}");
    }
    let reason = records.iter().find(|record| record.url == list[1]).unwrap().visit.reason.clone();
    assert!(reason.as_ref().is_some_and(|reason| reason.contains("robots.txt")), "{reason:?}");
}

/// Pauses the run after so many pages.
struct PausesAfter(AtomicUsize, StopHandle);

impl Observer for PausesAfter {
    fn on(&self, event: Event<'_>) {
        if let Event::Recorded { .. } = event
            && self.0.fetch_sub(1, Ordering::SeqCst) == 1
        {
            self.1.ask(StopMode::Pause);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_was_stopped_goes_on_and_asks_for_no_page_twice() {
    let (server, world) = (Site::start().await, World::new("0.01"));
    let list: Vec<PageUrl> = (0..20)
        .map(|number| {
            server.page(&format!("/{number}"), Page::html(format!("page {number}")));
            server.at(&format!("/{number}"))
        })
        .collect();
    let stop = StopHandle::default();
    let observer = Arc::new(PausesAfter(5.into(), stop.clone()));
    let (stopped, records) = world.crawl_input(&list, ListInput::of(list.clone()), stop, observer).await;
    assert!(matches!(stopped.ended, Ended::Stopped) && (5..20).contains(&records.len()), "{}", records.len());
    let (crawled, records) = world.crawl(&list).await;
    assert_eq!((crawled.crawl.id, records.len()), (stopped.crawl.id, 20));
    for page in &list {
        assert_eq!(server.requests_for(page.path()).len(), 1, "{page}");
    }
}

/// Leaves out what is private, and lets what is old wait.
struct ByName;

impl Choose for ByName {
    fn choose(&self, page: &ListedPage, _: &PageUrl) -> Choice {
        match page.url.path() {
            path if path.contains("private") => Choice::Skip,
            path if path.contains("old") => Choice::Later,
            _ => Choice::First,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sitemaps_of_hosts_are_found_and_chosen_from() {
    let (one, other, world) = (Site::start().await, Site::start().await, World::new("0.02"));
    let entry = |url: PageUrl| format!("<url><loc>{url}</loc></url>");
    let listed = ["/old/1", "/private", "/new"].map(|path| entry(one.at(path)));
    let sitemap = format!("<urlset>{}{}</urlset>", listed.concat(), entry(other.at("/elsewhere")));
    one.page("/robots.txt", Page::text(format!("Sitemap: {}", one.at("/map.xml"))));
    one.page("/map.xml", Page::xml(sitemap));
    other.page("/sitemap.xml", Page::xml(format!("<urlset>{}</urlset>", entry(other.at("/b")))));
    for (server, path) in [(&one, "/old/1"), (&one, "/private"), (&one, "/new"), (&other, "/b")] {
        server.page(path, Page::html(path));
    }
    let (sender, items) = unbounded_channel();
    for server in [&one, &other] {
        sender.send(ListItem::SitemapsOf(server.at("/"))).unwrap();
    }
    drop(sender);
    let input = ListInput { items, choose: Arc::new(ByName) };
    let named = [one.at("/"), other.at("/")];
    let (_, records) = world.crawl_input(&named, input, StopHandle::default(), Arc::new(Quiet)).await;
    let mut recorded: Vec<String> = records.iter().map(|record| record.url.path().to_owned()).collect();
    recorded.sort();
    assert_eq!(recorded, ["/b", "/new", "/old/1"], "no page of another host, and none that is left out");
    let visited: Vec<String> = one.log().into_iter().map(|logged| logged.path).collect();
    assert_eq!(visited, ["/robots.txt", "/map.xml", "/new", "/old/1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_inside_is_visited_only_if_somebody_named_it() {
    let (server, world) = (Site::start().await, World::new("0"));
    server.page("/a", Page::html("a"));
    let list = vec![server.at("/a")];
    let (stop, quiet) = (StopHandle::default(), Arc::new(Quiet));
    let (_, records) = world.crawl_input(&[], ListInput::of(list.clone()), stop, quiet).await;
    assert!(server.log().is_empty(), "nothing was asked of it");
    assert_eq!(verdict_of(&records, &list[0]), Some(Verdict::Failed));
    let (_, records) = world.crawl(&list).await;
    assert_eq!(verdict_of(&records, &list[0]), Some(Verdict::New));
}
