//! A crawl that was made while the clock was years ahead.

use recrawl_core::model::crawl::Ending;

use super::fixture::Answer::Html;
use super::fixture::Fixture;

const PAGE: &str = "https://example.org/";

async fn crawled(names: &[(&str, &'static str)]) -> Fixture {
    let fixture = Fixture::new();
    fixture.add_site("example.org", PAGE).await;
    for (name, body) in names {
        fixture.crawl("example.org", name, Some(Ending::Complete), &[(PAGE, Html(body))]).await;
    }
    fixture
}

#[tokio::test]
async fn it_is_the_latest_until_the_next_one_and_no_longer() {
    let ahead = [("crawl-2026-11-02", "<p>one"), ("crawl-2199-01-01", "<p>two")];
    let fixture = crawled(&ahead).await;
    let latest = fixture.recrawl(&["changes"]);
    assert!(latest.stdout.contains("changed") || latest.stdout.contains('~'), "{}", latest.shown());
    for command in ["status", "crawls"] {
        let shown = fixture.recrawl(&[command]).shown();
        let said = "The latest crawl is dated 2199-01-01, ahead of this machine's clock";
        let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(said), "{command}: {shown}");
    }

    let since = crawled(&[&ahead[..], &[("crawl-2026-11-09", "<p>three")]].concat()).await;
    for (arguments, expected) in [
        (&["show", PAGE][..], "three"),
        (&["show", PAGE, "--at", "crawl-2199-01-01"], "two"),
        (&["show", PAGE, "--at", "crawl-2026-11-02"], "one"),
        (&["diff", PAGE, "--from", "crawl-2199-01-01"], "+three"),
        (&["status"], "crawl-2026-11-09 (3 crawls so far)"),
        (&["changes"], "9 November"),
        (&["sql", "SELECT last_crawl FROM pages"], "crawl-2026-11-09"),
    ] {
        let outcome = since.recrawl(arguments);
        let shown = outcome.shown();
        assert!(outcome.status == 0 && shown.contains(expected), "{arguments:?}: {shown}");
        assert!(!shown.contains("ahead of"), "{arguments:?}: {shown}");
    }
    let listed = since.recrawl(&["crawls"]).stdout;
    let places = ["crawl-2026-11-02", "crawl-2199-01-01", "crawl-2026-11-09"].map(|name| listed.find(name));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{listed}");
}

#[tokio::test]
async fn a_copy_keeps_the_order_and_refuses_what_would_not() {
    let names =
        [("crawl-2026-11-02", "<p>one"), ("crawl-2199-01-01", "<p>two"), ("crawl-2026-11-09", "<p>three")];
    let fixture = crawled(&names).await;
    let copied = fixture.recrawl(&["copy", "--from", "recrawl.db", "--to", "copy.db"]);
    assert_eq!(copied.status, 0, "{}", copied.shown());
    let sql = &["sql", "--store", "copy.db", "SELECT crawl FROM crawls ORDER BY number", "--format", "csv"];
    let listed = fixture.recrawl(sql).stdout;
    assert_eq!(listed.lines().skip(1).collect::<Vec<_>>(), names.map(|(name, _)| name));

    let other = crawled(&[("crawl-2026-11-05", "<p>between")]).await;
    let path = fixture.path();
    let refused = other.recrawl(&["copy", "--from", "recrawl.db", "--to", path.to_str().unwrap()]);
    assert_eq!(refused.status, 2, "{}", refused.shown());
    assert!(refused.stderr.contains("would count as the latest"), "{}", refused.shown());
}
