//! Settings of the command mean the same in the service.

use recrawl_testkit::site::{Page, Site};

use crate::stage::{Stage, config_with};

/// Crawls the site with these variables; returns the addresses that were recorded.
async fn crawl(site: &Site, variables: &[(&str, &str)]) -> Vec<String> {
    let stage = Stage::with(config_with(site, variables), std::sync::Arc::default()).await;
    let crawl = stage.crawl(&site.url(), "weekly").await;
    stage.records(crawl.id).await.iter().map(|record| record.url.to_string()).collect()
}

fn is_asked(site: &Site, path: &str) -> bool {
    site.log().iter().any(|logged| logged.path == path)
}

#[tokio::test]
async fn sitemaps_are_searched_for_unless_somebody_says_no() {
    for (variables, expected) in [(&[][..], true), (&[("RECRAWL_SITEMAPS", "no")][..], false)] {
        let site = Site::start().await;
        site.page("/", Page::html("root"));
        crawl(&site, variables).await;
        assert_eq!(is_asked(&site, "/sitemap.xml"), expected, "{variables:?}");
        let site = Site::start().await;
        site.page("/", Page::html("root"));
        crawl(&site, &[variables, &[("RECRAWL_BUDGET", "5")]].concat()).await;
        assert_eq!(is_asked(&site, "/sitemap.xml"), expected, "{variables:?} with a budget");
    }
}

#[tokio::test]
async fn nofollow_is_obeyed_unless_somebody_says_no() {
    for (variables, expected) in [(&[][..], false), (&[("RECRAWL_NOFOLLOW", "off")][..], true)] {
        let site = Site::start().await;
        site.page("/", Page::html("<a rel=nofollow href=/a>a</a>")).page("/a", Page::html("a"));
        crawl(&site, variables).await;
        assert_eq!(is_asked(&site, "/a"), expected, "{variables:?}");
    }
}

#[tokio::test]
async fn the_whole_user_agent_can_be_set() {
    let site = Site::start().await;
    site.page("/", Page::html("root"));
    crawl(&site, &[("RECRAWL_USER_AGENT", "archivist/2 (+https://example.org/)")]).await;
    let agents = site.log().into_iter().flat_map(|logged| logged.headers);
    let mut agents = agents.filter(|(name, _)| name == "user-agent").peekable();
    assert!(agents.peek().is_some());
    assert!(agents.all(|(_, agent)| agent == "archivist/2 (+https://example.org/)"));
}

#[tokio::test]
async fn parameters_are_dropped_as_somebody_says() {
    let site = Site::start().await;
    site.page("/", Page::html("<a href='/a?day=1'>1</a><a href='/a?day=2'>2</a>"))
        .page("/a", Page::html("a"));
    crawl(&site, &[("RECRAWL_DROP_PARAMETER", "day")]).await;
    assert!(is_asked(&site, "/a") && !is_asked(&site, "/a?day=1"), "{:?}", site.log());
}

#[tokio::test]
async fn further_hosts_belong_to_the_site_where_somebody_names_them() {
    let (site, other) = (Site::start().await, Site::start().await);
    let link = other.at("/a").to_string();
    site.page("/", Page::html(format!("<a href={link}>a</a>")));
    other.page("/a", Page::html("a"));
    let host = other.at("/").host_key().to_string();
    for (variables, expected) in [(&[][..], false), (&[("RECRAWL_EXTRA_HOST", host.as_str())][..], true)] {
        let recorded = crawl(&site, variables).await;
        assert_eq!(
            recorded.contains(&link) && is_asked(&other, "/a"),
            expected,
            "{variables:?} {recorded:?}"
        );
    }
}

#[tokio::test]
async fn no_more_of_a_page_is_read_than_the_limit() {
    let site = Site::start().await;
    let filling = "word ".repeat(1_000);
    site.page("/", Page::html(format!("<p>{filling}</p><a href=/a>a</a>"))).page("/a", Page::html("a"));
    crawl(&site, &[("RECRAWL_BODY_LIMIT", "2000")]).await;
    assert!(!is_asked(&site, "/a"), "the link is behind the limit");
}
