//! SQL that crawls, over real servers and a real file: every form of it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recrawl_engine::{Event, Observer};
use recrawl_settings::SettingsFile;
use recrawl_sql::{Came, Output, Session, Summary, Value, Watch};
use recrawl_testkit::site::{Page, Site, assert_spaced};
use tempfile::TempDir;

struct Quiet;

impl Observer for Quiet {
    fn on(&self, _: Event<'_>) {}
}

impl Watch for Quiet {
    fn finish(&self) {}
}

/// Keeps rows as text.
#[derive(Default)]
struct Kept {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Stops the session after so many rows.
    stops: Option<(usize, recrawl_sql::Stopper)>,
}

impl Output for Kept {
    fn columns(&mut self, columns: &[String]) -> anyhow::Result<()> {
        self.columns = columns.to_vec();
        Ok(())
    }

    fn row(&mut self, row: Vec<Value>) -> anyhow::Result<()> {
        let text = |value| match value {
            Value::Null => "NULL".to_owned(),
            Value::Integer(integer) => integer.to_string(),
            Value::Real(real) => real.to_string(),
            Value::Text(text) => text,
            Value::Blob(bytes) => format!("{} bytes", bytes.len()),
        };
        self.rows.push(row.into_iter().map(text).collect());
        if let Some((rows, stopper)) = &self.stops
            && self.rows.len() == *rows
        {
            stopper.stop();
        }
        Ok(())
    }

    fn end(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}

struct World {
    _folder: TempDir,
    path: PathBuf,
    server: Site,
}

impl World {
    /// Plants a small site.
    fn new() -> Self {
        let (folder, server) = (tempfile::tempdir().unwrap(), Site::start_blocking());
        server.page("/", Page::html("<title>Root</title><h1>Root</h1><a href=/a>a</a><a href=/b>b</a>"));
        server.page("/a", Page::html("<title>A</title><h1>Page <b>a</b></h1><a href=/b>b</a>"));
        server.page("/b", Page::html("<title>B</title><h1>Page b</h1>"));
        server.page("/robots.txt", Page::text("User-agent: *\nDisallow: /private\n"));
        server.redirect("/old", "/a", 301);
        Self { path: folder.path().join("recrawl.db"), _folder: folder, server }
    }

    fn session(&self) -> Session {
        let watch = Box::new(|| Arc::new(Quiet) as Arc<dyn Watch>);
        let mut session = Session::open(&self.path, false, SettingsFile::default(), watch).unwrap();
        came(&mut session, "SET crawler_default_delay = 0.01");
        came(&mut session, "SET crawler_allow_private = true");
        session
    }

    fn at(&self, path: &str) -> String {
        self.server.at(path).to_string()
    }

    fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.server.log().into_iter().map(|logged| logged.path).collect();
        paths.sort();
        paths
    }
}

fn rows(session: &mut Session, sql: &str) -> Vec<Vec<String>> {
    let mut kept = Kept::default();
    session.run(sql, &mut kept).unwrap_or_else(|error| panic!("{sql}: {error:#}"));
    kept.rows
}

fn came(session: &mut Session, sql: &str) -> Came {
    session.run(sql, &mut Kept::default()).unwrap_or_else(|error| panic!("{sql}: {error:#}"))
}

fn wrong(session: &mut Session, sql: &str) -> String {
    match session.run(sql, &mut Kept::default()) {
        Ok(came) => panic!("{sql}: {came:?}"),
        Err(error) => format!("{error:#}"),
    }
}

fn summary(session: &mut Session, sql: &str) -> Summary {
    match came(session, sql) {
        Came::Crawled(summary) => summary,
        other => panic!("{sql}: {other:?}"),
    }
}

#[test]
fn a_crawl_into_a_table_asks_for_exactly_these_pages() {
    let world = World::new();
    let mut session = world.session();
    came(&mut session, "CREATE TABLE my_urls (url TEXT)");
    for path in ["/a", "/old", "/absent", "/private/x"] {
        came(&mut session, &format!("INSERT INTO my_urls VALUES ('{}')", world.at(path)));
    }
    came(&mut session, "INSERT INTO my_urls VALUES (NULL)");
    let crawl = "CRAWL (SELECT url FROM my_urls) INTO crawl_results
        WITH (user_agent 'MyBot/1.0 (+https://example.com/bot)', default_crawl_delay 0.01, max_crawl_delay 30.0)";
    let done = summary(&mut session, crawl);
    let expected = Summary { target: "crawl_results".to_owned(), inserted: 4, ..Summary::default() };
    assert_eq!(done, expected);
    assert_eq!(world.paths(), ["/a", "/absent", "/old", "/robots.txt"]);
    let agent = world.server.requests_for("/a")[0].header("user-agent").map(str::to_owned);
    assert_eq!(agent.as_deref(), Some("MyBot/1.0 (+https://example.com/bot)"));

    let sql = "SELECT url, http_status, title, final_url, error, css(body, 'h1'), domain FROM crawl_results ORDER BY url";
    let (null, host) = ("NULL".to_owned(), "127.0.0.1".to_owned());
    let row = |path: &str, rest: [&str; 5]| {
        let rest = rest.map(str::to_owned);
        [vec![world.at(path)], rest.to_vec(), vec![host.clone()]].concat()
    };
    assert_eq!(
        rows(&mut session, sql),
        [
            row("/a", ["200", "A", &world.at("/a"), &null, "Page a"]),
            row("/absent", ["404", &null, &world.at("/absent"), &null, &null]),
            row("/old", ["200", "A", &world.at("/a"), &null, "Page a"]),
            row(
                "/private/x",
                ["-1", &null, &world.at("/private/x"), "robots.txt: Disallow: /private", &null]
            ),
        ]
    );

    // A second time it is asked conditionally, and rows are updated.
    world.server.clear_log();
    let done = summary(&mut session, crawl);
    assert_eq!((done.inserted, done.updated, done.failed), (0, 4, 0));
    assert_eq!(world.server.requests_for("/a")[0].status, Some(304));
    assert_eq!(
        rows(&mut session, "SELECT http_status, verdict FROM crawl_results WHERE title = 'A' LIMIT 1"),
        [["200", "unchanged"]]
    );
    // It is an ordinary crawl in the store as well.
    let crawls = rows(&mut session, "SELECT site, state FROM crawls ORDER BY number");
    assert_eq!(crawls, [["sql-crawl_results", "complete"], ["sql-crawl_results", "complete"]]);
}

#[test]
fn conditions_leave_out_pages_before_and_rows_after() {
    let world = World::new();
    let mut session = world.session();
    let urls = ["/a", "/b", "/absent"].map(|path| format!("('{}')", world.at(path))).join(", ");
    let query = format!("SELECT * FROM (VALUES {urls})");
    let done = summary(
        &mut session,
        &format!("CRAWL ({query}) INTO r WHERE url NOT LIKE '%/b' AND http_status = 200"),
    );
    assert_eq!((done.inserted, done.skipped), (1, 2));
    assert_eq!(world.paths(), ["/a", "/absent", "/robots.txt"], "/b was not asked for");
    let forbidden = format!("CRAWL (SELECT '{}') INTO r WITH (log_skipped false)", world.at("/private/x"));
    assert_eq!(summary(&mut session, &forbidden).skipped, 1);
    let filtered = format!("CRAWL ({query}) INTO f WITH (url_filter '%/_')");
    let done = summary(&mut session, &filtered);
    assert_eq!((done.inserted, done.skipped), (2, 1), "_ is one letter");
}

#[test]
fn a_table_of_ones_own_gets_the_columns_that_it_has() {
    let world = World::new();
    let mut session = world.session();
    came(
        &mut session,
        "CREATE TABLE mine (id INTEGER PRIMARY KEY, URL TEXT, http_status INT, note TEXT DEFAULT 'x')",
    );
    let crawl = format!("CRAWL (SELECT '{}') INTO mine", world.at("/a"));
    for _ in 0..2 {
        assert_eq!(summary(&mut session, &crawl).inserted, 1, "without a key, each crawl adds a row");
    }
    assert_eq!(
        rows(&mut session, "SELECT id, http_status, note FROM mine"),
        [["1", "200", "x"], ["2", "200", "x"]]
    );
    came(&mut session, "CREATE TABLE keyed (url TEXT UNIQUE, text TEXT)");
    let crawl = format!("CRAWL (SELECT '{}') INTO keyed", world.at("/a"));
    assert_eq!((summary(&mut session, &crawl).inserted, summary(&mut session, &crawl).updated), (1, 1));
    assert!(rows(&mut session, "SELECT text FROM keyed")[0][0].contains("Page a"));
}

#[test]
fn sites_are_crawled_by_their_sitemaps_new_pages_first_and_stale_ones_updated() {
    let world = World::new();
    let entry = |path: &str, lastmod: &str| {
        format!(
            "<url><loc>{}</loc><lastmod>{lastmod}</lastmod><changefreq>yearly</changefreq><priority>0.7</priority></url>",
            world.at(path)
        )
    };
    let sitemap = |old: &str| {
        let paths = [("/product/1", old), ("/product/2", "2020-01-01"), ("/about", "2020-01-01")];
        let listed: String = paths.iter().map(|(path, lastmod)| entry(path, lastmod)).collect();
        Page::xml(format!("<urlset>{listed}</urlset>"))
    };
    world.server.page("/sitemap.xml", sitemap("2020-01-01"));
    for path in ["/product/1", "/product/2", "/product/3", "/about"] {
        world.server.page(path, Page::html(path));
    }
    let mut session = world.session();
    came(&mut session, "CREATE TABLE sites_to_crawl (hostname TEXT)");
    came(&mut session, &format!("INSERT INTO sites_to_crawl VALUES ('{}')", world.server.address()));
    let crawl =
        "CRAWL SITES (SELECT hostname FROM sites_to_crawl) INTO product_pages WHERE url LIKE '%/product/%'
        WITH (user_agent 'MyBot/1.0', sitemap_cache_hours 0, update_stale true, max_parallel_per_domain 1)";
    let done = summary(&mut session, crawl);
    assert_eq!((done.inserted, done.updated, done.skipped), (2, 0, 1));
    assert_eq!(world.server.requests_for("/about").len(), 0);

    let entries = "SELECT host, url, changefreq, priority FROM sitemap_entries ORDER BY url";
    assert_eq!(rows(&mut session, entries).len(), 3);
    assert_eq!(rows(&mut session, entries)[1][2..], ["yearly", "0.7"]);

    // One is new, one was changed, one is as it was.
    let changed = entry("/product/3", "2020-01-01");
    let listed = [entry("/product/2", "2020-01-01"), entry("/product/1", "2099-01-01"), changed].concat();
    world.server.page("/sitemap.xml", Page::xml(format!("<urlset>{listed}</urlset>")));
    world.server.page("/product/1", Page::html("changed"));
    world.server.clear_log();
    let done = summary(&mut session, crawl);
    assert_eq!((done.inserted, done.updated, done.skipped), (1, 1, 1));
    let visited: Vec<String> = world.server.log().into_iter().map(|logged| logged.path).collect();
    let products: Vec<&str> =
        visited.iter().map(String::as_str).filter(|path| path.starts_with("/product")).collect();
    assert_eq!(products, ["/product/3", "/product/1"], "new ones first");
    let without = crawl.replace("update_stale true", "update_stale false");
    assert_eq!(summary(&mut session, &without).skipped, 3);
}

#[test]
fn crawl_urls_is_a_table_also_laterally_over_a_column() {
    let world = World::new();
    let mut session = world.session();
    let (a, b) = (world.at("/a"), world.at("/b"));
    let sql = format!(
        "SELECT url, http_status, title FROM crawl_urls(['{a}', '{b}'], user_agent := 'MyBot/1.0', \
         default_crawl_delay := 0.01) ORDER BY url"
    );
    assert_eq!(rows(&mut session, &sql), [[a.as_str(), "200", "A"], [b.as_str(), "200", "B"]]);

    let root = world.at("/");
    rows(&mut session, &format!("SELECT * FROM crawl('{root}')"));
    let joined = format!(
        "SELECT l.target, c.http_status FROM links l, crawl_urls(l.target) c WHERE l.source = '{root}' ORDER BY 1"
    );
    assert_eq!(rows(&mut session, &joined), [[a.as_str(), "200"], [b.as_str(), "200"]]);
    assert_eq!(
        rows(&mut session, &format!("SELECT count(*) FROM crawl_urls('{a}') x JOIN crawl_urls('{b}') y")),
        [["1"]]
    );
    let crawls = rows(&mut session, "SELECT count(*) FROM crawls WHERE site = 'sql' AND state <> 'open'");
    assert_eq!(crawls, [["3"]], "each statement is one crawl");
}

#[test]
fn a_join_crawls_hosts_in_parallel() {
    let servers: Vec<Site> = (0..10).map(|_| Site::start_blocking()).collect();
    let world = World::new();
    let mut session = world.session();
    came(&mut session, "CREATE TABLE u (url TEXT)");
    for server in &servers {
        for number in 0..3 {
            server.page(&format!("/{number}"), Page::html("x"));
            came(&mut session, &format!("INSERT INTO u VALUES ('{}')", server.at(&format!("/{number}"))));
        }
    }
    let begin = Instant::now();
    let sql = "SELECT count(*), sum(http_status) FROM u, crawl_urls(u.url, default_crawl_delay := 0.5) c";
    assert_eq!(rows(&mut session, sql), [["30", "6000"]]);
    // Four requests a host, half a second apart: one after the other it would be fifteen seconds.
    assert!(begin.elapsed() < Duration::from_secs(9), "{:?}", begin.elapsed());
    for server in &servers {
        assert_spaced(&server.log(), Duration::from_millis(500));
    }
}

#[test]
fn a_whole_site_comes_as_rows_and_limit_stops_it() {
    let world = World::new();
    for number in 0..300 {
        let next = format!("<a href=/n/{}>next</a>", number + 1);
        world.server.page(&format!("/n/{number}"), Page::html(next));
    }
    world.server.page("/", Page::html("<a href=/n/0>n</a>"));
    let mut session = world.session();
    let root = world.at("/");
    let some = rows(&mut session, &format!("SELECT url FROM crawl('{root}') LIMIT 5"));
    assert_eq!(some.len(), 5);
    assert!(world.server.log().len() < 100, "{} pages were asked for", world.server.log().len());
    let state = rows(&mut session, "SELECT state FROM crawls ORDER BY number DESC LIMIT 1");
    assert_eq!(state, [["partial"]]);

    let mut kept = Kept { stops: Some((7, session.stopper())), ..Kept::default() };
    session.run(&format!("SELECT url FROM crawl('{root}')"), &mut kept).unwrap();
    assert!((7..200).contains(&kept.rows.len()), "what had arrived is kept: {}", kept.rows.len());
}

#[test]
fn sitemap_lists_what_a_host_lists() {
    let world = World::new();
    let url = |path: &str, rest: &str| format!("<url><loc>{}</loc>{rest}</url>", world.at(path));
    let listed = url("/a", "<lastmod>2026-11-02</lastmod><changefreq>daily</changefreq>") + &url("/b", "");
    world.server.page("/sitemap.xml", Page::xml(format!("<urlset>{listed}</urlset>")));
    let mut session = world.session();
    let sql = format!("SELECT host, url, lastmod, changefreq FROM sitemap('{}') ORDER BY url", world.at("/"));
    let found = rows(&mut session, &sql);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0][0], "127.0.0.1");
    assert!(found[0][2].starts_with("2026-11-0") && found[0][3] == "daily", "{found:?}");
    assert_eq!(world.server.requests_for("/a").len(), 0);
}

#[test]
fn what_is_crawled_can_be_written_by_insert_and_create() {
    let world = World::new();
    let mut session = world.session();
    let (a, b) = (world.at("/a"), world.at("/b"));
    came(&mut session, "CREATE TABLE t (url TEXT PRIMARY KEY, title TEXT)");
    let insert = format!("INSERT INTO t SELECT url, title FROM crawl_urls(['{a}', '{b}'])");
    assert_eq!(came(&mut session, &insert), Came::Changed(2));
    let again = format!("{insert} ON CONFLICT (url) DO UPDATE SET title = 'again'");
    assert_eq!(came(&mut session, &again), Came::Changed(2));
    came(&mut session, &format!("CREATE TABLE made AS SELECT * FROM crawl_urls('{a}')"));
    assert_eq!(
        rows(&mut session, "SELECT t.title, made.title FROM t JOIN made USING (url)"),
        [["again", "A"]]
    );
}

#[test]
fn what_is_wrong_is_one_sentence_and_changes_nothing() {
    let world = World::new();
    let mut session = world.session();
    came(&mut session, "CREATE TABLE bare (x)");
    came(&mut session, "CREATE TABLE needy (url TEXT, who TEXT NOT NULL)");
    let a = world.at("/a");
    for (sql, said) in [
        (
            format!("CRAWL (SELECT '{a}') INTO r WITH (user_agnet 'x')"),
            "there is no option user_agnet: did you mean user_agent?",
        ),
        (
            format!("CRAWL (SELECT '{a}') INTO r WITH (default_crawl_delay 'x')"),
            "default_crawl_delay must be a number, not 'x'",
        ),
        ("CRAWL (SELECT 'ftp://h/') INTO r".to_owned(), "'ftp://h/' is no page to crawl"),
        ("CRAWL (SELECT 'nonsense') INTO r".to_owned(), "'nonsense' is no page to crawl"),
        ("CRAWL SITES (SELECT 'no host') INTO r".to_owned(), "'no host' is no host"),
        (
            "CRAWL (SELECT url FROM nowhere) INTO r".to_owned(),
            "(SELECT url FROM nowhere): no such table: nowhere",
        ),
        ("CRAWL (SELECT 7) INTO r".to_owned(), "(SELECT 7) answers addresses as text, and not as Integer"),
        (
            "CRAWL (DELETE FROM bare) INTO r".to_owned(),
            "the query of CRAWL reads tables, and crawls nothing itself",
        ),
        (
            format!("CRAWL (SELECT '{a}') INTO pages"),
            "pages: tables and views of crawls can be read, and not changed",
        ),
        (
            format!("CRAWL (SELECT '{a}') INTO visit"),
            "visit: tables and views of crawls can be read, and not changed",
        ),
        (format!("CRAWL (SELECT '{a}') INTO bare"), "bare has none of the columns that a crawl fills: url,"),
        (format!("CRAWL (SELECT '{a}') INTO needy"), "needy needs a value of who in every row"),
        (format!("CRAWL (SELECT '{a}') INTO r WHERE colour = 1"), "WHERE colour = 1: no such column: colour"),
        (
            format!("CRAWL (SELECT '{a}') INTO r WITH (respect_robots_txt false)"),
            "respect_robots_txt false needs i_own_this_site true",
        ),
        (format!("SELECT * FROM crawl_urls('{a}', colour := 1)"), "there is no option colour"),
        (
            "SELECT * FROM crawl_urls(['https://h.example/', 'nonsense'])".to_owned(),
            "'nonsense' is no page to crawl",
        ),
        ("SET crawler_colour = 1".to_owned(), "there is no option colour"),
        ("DELETE FROM visit".to_owned(), "visit: tables and views of crawls can be read, and not changed"),
        ("PRAGMA journal_mode = DELETE".to_owned(), "PRAGMA journal_mode is not for this command"),
        ("VACUUM INTO 'x.db'".to_owned(), "one file at a time"),
    ] {
        let message = wrong(&mut session, &sql);
        assert!(message.starts_with(said), "{sql}\n{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    assert_eq!(world.server.log().len(), 0);
    assert_eq!(rows(&mut session, "SELECT count(*) FROM sqlite_schema WHERE name = 'r'"), [["0"]]);
    assert_eq!(rows(&mut session, "SELECT count(*) FROM crawls"), [["0"]]);
    came(&mut session, "SET crawler_allow_private = false");
    for sql in
        ["CRAWL (SELECT 'https://shop.example/') INTO r", "SELECT * FROM crawl_urls('https://shop.example/')"]
    {
        let message = wrong(&mut session, sql);
        assert!(message.contains("site owners must be able to reach you"), "{message}");
    }
    came(&mut session, "BEGIN");
    assert!(
        wrong(&mut session, &format!("CRAWL (SELECT '{a}') INTO r"))
            .starts_with("a crawl writes into the same file")
    );
    came(&mut session, "ROLLBACK");
}

#[test]
fn addresses_inside_are_crawled_only_if_a_person_wrote_them() {
    let world = World::new();
    let mut session = world.session();
    came(&mut session, "SET crawler_allow_private = false");
    let a = world.at("/a");
    came(&mut session, &format!("CREATE TABLE filled AS SELECT '{a}' AS url, 200 AS http_status"));
    came(&mut session, &format!("CREATE TABLE mine AS SELECT '{a}' AS url"));
    came(
        &mut session,
        "CREATE VIEW seen AS SELECT m.url FROM mine AS m LEFT JOIN pages AS p ON p.url = m.url",
    );
    for query in [
        "SELECT url FROM filled",
        "SELECT url FROM \"Filled\"",
        "SELECT url FROM seen",
        "SELECT mine.url FROM mine LEFT JOIN pages USING (url)",
        "SELECT css('<a>' || url || '</a>', 'a') FROM mine",
    ] {
        let done = summary(&mut session, &format!("CRAWL ({query}) INTO others"));
        assert_eq!((done.inserted + done.updated, done.failed), (1, 1), "{query}");
        assert_eq!(world.server.log().len(), 0, "{query} may say what pages of others say");
    }
    let done = summary(&mut session, "CRAWL (SELECT url FROM mine) INTO r");
    assert_eq!(done.failed, 0, "{:?}", rows(&mut session, "SELECT error FROM r"));
    assert_eq!(summary(&mut session, &format!("CRAWL (SELECT '{a}') INTO s")).failed, 0);
}

#[test]
fn views_say_what_people_ask_first() {
    let world = World::new();
    world.server.page(
        "/copy",
        Page::html("<link rel=canonical href=/a><meta name=robots content=noindex><h1>Page a</h1>"),
    );
    let mut session = world.session();
    let urls = ["/a", "/copy"].map(|path| format!("'{}'", world.at(path))).join(", ");
    rows(&mut session, &format!("SELECT * FROM crawl_urls([{urls}])"));
    let sql = "SELECT domain, has_body, noindex, duplicate_of, css(body, 'h1'), text FROM pages ORDER BY url";
    let found = rows(&mut session, sql);
    let a = world.at("/a");
    assert_eq!(found[0][..5], ["127.0.0.1", "1", "0", "NULL", "Page a"]);
    assert_eq!(found[1][..5], ["127.0.0.1", "1", "1", &a, "Page a"]);
    assert!(found[0][5].contains("Page a"), "{found:?}");
    let hosts = rows(&mut session, "SELECT site, domain, pages, present, failed FROM hosts");
    assert_eq!(hosts, [["sql", "127.0.0.1", "2", "2", "0"]]);
    assert!(session.tables().unwrap().contains(&"sitemap_entries".to_owned()));
    assert!(session.schema(Some("hosts")).unwrap()[0].starts_with("hosts (site, domain, pages"));
}

#[test]
fn a_thousand_pages_over_fifty_hosts_take_as_long_as_those_of_one_host() {
    let servers: Vec<Site> = (0..50).map(|_| Site::start_blocking()).collect();
    let world = World::new();
    let mut session = world.session();
    came(&mut session, "CREATE TABLE my_urls (url TEXT)");
    for number in 0..20 {
        for server in &servers {
            server.page(&format!("/{number}"), Page::html(format!("<h1>Page {number}</h1>")));
        }
        let values: Vec<String> =
            servers.iter().map(|server| format!("('{}')", server.at(&format!("/{number}")))).collect();
        came(&mut session, &format!("INSERT INTO my_urls VALUES {}", values.join(", ")));
    }
    let begin = Instant::now();
    let crawl = "CRAWL (SELECT url FROM my_urls) INTO r WITH (default_crawl_delay 1.0)";
    assert_eq!(summary(&mut session, crawl).inserted, 1_000);
    assert!(begin.elapsed() < Duration::from_mins(1), "{:?}", begin.elapsed());
    assert_eq!(rows(&mut session, "SELECT count(*), sum(http_status = 200) FROM r"), [["1000", "1000"]]);
    for server in &servers {
        let log = server.log();
        assert_eq!(log.len(), 21, "robots.txt and twenty pages");
        assert_spaced(&log, Duration::from_secs(1));
    }
}
