//! A site that cannot be read says so and what to do, and never looks complete or quiet.

use std::net::TcpListener;
use std::time::Instant;

use recrawl_testkit::site::{Page, Site};

use crate::harness::{Harness, plant};

const BLOCKED: &str = "<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head><body>\
    <h1>Sorry, you have been blocked</h1><p>You are unable to access example.org</p>\
    <p>Cloudflare Ray ID: <strong>7f1d2c3b4a596871</strong></p></body></html>";

const SCRIPTED: &str = "<!DOCTYPE html><html><head><title>Permits</title></head><body>\
    <noscript>You need to enable JavaScript to run this app.</noscript><div id=\"root\"></div>\
    <script src=\"/main.js\"></script></body></html>";

const PAGES: usize = 12;

/// Insists that nothing sounds as if the site had been read.
fn assert_honest(found: &str) {
    for word in ["complete", "Nothing changed", "quiet"] {
        assert!(!found.contains(word), "{found}");
    }
}

/// Returns the word of the state of the latest crawl, and how it ended.
fn stored(harness: &Harness) -> String {
    let query =
        "select coalesce(site_state, 'readable') || ' ' || state from crawls order by number desc limit 1";
    let found = harness.expect(0, &["sql", query, "--format", "csv"]);
    found.lines().nth(1).unwrap_or_default().trim_matches('"').to_owned()
}

#[test]
fn a_first_page_that_cannot_be_read_is_told_with_what_to_do() {
    let elsewhere = Site::start_blocking();
    let robots = Page::text("User-agent: *\nDisallow: /\n");
    let to = |target: &str| Page::status(302).with_header("Location", target);
    for (page, robots, word, sentence) in [
        (Page::status(401), None, "needs-password", "failed, the first page asks for a password (401)"),
        (Page::status(403), None, "forbidden", "failed, the first page is forbidden to Recrawl (403)"),
        (to("/login?next=/"), None, "login", "failed, the first page leads to a sign-in form (/login)"),
        (to("/"), None, "cookie-wall", "failed, the first page redirects to itself"),
        (to("/a"), None, "cookie-wall", "failed, the first page redirects to itself"),
        (to(&elsewhere.url()), None, "root-elsewhere", "the first page leads to http"),
        (Page::html(BLOCKED), None, "block-page", "failed, the first page asks whether you are a robot"),
        (
            Page::html(SCRIPTED),
            None,
            "needs-scripts",
            "the first page has next to no text without JavaScript",
        ),
        (
            Page::html("<p>Hello"),
            Some(robots),
            "forbidden-by-robots",
            "failed, robots.txt forbids the first page",
        ),
        (Page::status(418), None, "unreadable", "failed, the first page could not be read (status 418)"),
    ] {
        let (harness, site) = (Harness::new(), Site::start_blocking());
        site.page("/", page);
        site.redirect("/a", "/", 302);
        if let Some(robots) = robots {
            site.page("/robots.txt", robots);
        }
        let (status, found, said) = harness.outcome(&site, &[]);
        assert_eq!(status, 1, "{word}: {found}\n{said}");
        assert!(found.contains(sentence), "{word}: {found}");
        assert_honest(&found);
        assert!(!found.contains("Everything is new"), "{word}: {found}");
        assert_eq!(stored(&harness), format!("{word} partial"));
        assert!(site.requests_for("/").len() <= 1, "{word} is asked once");
        for command in ["status", "changes", "crawls"] {
            let told = harness.run(&[command]);
            let told = String::from_utf8([told.stdout, told.stderr].concat()).unwrap();
            assert!(!told.contains("complete") && !told.contains("Nothing"), "{command}: {told}");
        }
    }
}

/// A site that cannot be found keeps nobody from crawling the others, and the most serious exit status counts.
#[test]
fn of_several_sites_each_has_a_line_and_the_most_serious_exit_status_counts() {
    let harness = Harness::new();
    let (fine, broken, shut) = (Site::start_blocking(), Site::start_blocking(), Site::start_blocking());
    fine.page("/", Page::html("<h1>Fine</h1><p>All is well here.</p>"));
    broken.page("/", Page::html("<h1>Broken</h1><p>Not all is well.</p><a href=/a>A</a>"));
    broken.page("/a", Page::status(500));
    shut.page("/", Page::status(401));
    let crawl = |sites: &[(&str, String)]| {
        let tables = sites.iter().map(|(name, url)| format!("[site.{name}]\nroot = \"{url}\"\n"));
        let settings: String =
            std::iter::once("retries = 0\nrate = \"unlimited\"\n".to_owned()).chain(tables).collect();
        std::fs::write(harness.path().join("recrawl.toml"), settings).unwrap();
        let output = harness.run(&["crawl", "--quiet"]);
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    let fine = ("fine", fine.url());
    let nowhere = ("nowhere", "http://nowhere.invalid/".to_owned());
    let (status, out) = crawl(&[nowhere, fine.clone()]);
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("nowhere  failed, ") && out.contains("fine     first crawl"), "{out}");
    let broken = ("broken", broken.url());
    assert_eq!(crawl(&[broken.clone(), fine.clone()]).0, 3);
    let (status, out) = crawl(&[broken, ("shut", shut.url()), fine]);
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("shut    failed, the first page asks for a password (401)"), "{out}");
}

#[test]
fn a_first_page_behind_a_redirect_is_looked_at() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    site.redirect("/", "/en/", 302).page("/en/", Page::status(401));
    let (status, found, said) = harness.outcome(&site, &[]);
    assert_eq!(status, 1, "{found}\n{said}");
    assert!(found.contains("failed, the first page asks for a password (401)"), "{found}");
    site.page("/en/", Page::html("<p>Welcome to the town of Ashford"));
    let (status, found, _) = harness.outcome(&site, &[]);
    assert_eq!((status, stored(&harness).as_str()), (0, "readable complete"), "{found}");
}

#[test]
fn a_mistyped_first_address_leaves_nothing_behind() {
    let harness = Harness::new();
    let site = Site::start_blocking();
    let (status, found, said) = harness.outcome(&site, &[]);
    assert_eq!(status, 1, "{found}\n{said}");
    assert!(found.contains("the first page is not there (404), check the address"), "{found}");
    assert!(said.contains("No crawl was kept."), "{said}");
    let query = "select (select count(*) from crawls) || ' ' || (select count(*) from visits)";
    assert!(harness.expect(0, &["sql", query, "--format", "csv"]).contains("0 0"));
    site.page("/", Page::html("<p>Here it is"));
    let (status, found, _) = harness.outcome(&site, &[]);
    assert_eq!(status, 0, "{found}");
    assert!(found.contains("Everything is new in a first crawl"), "{found}");
}

#[test]
fn a_known_site_whose_first_page_is_missing_keeps_its_pages() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, PAGES, 400);
    harness.crawl_in_order(&site, &[]);
    for number in 0..PAGES {
        site.remove(&crate::harness::path(number));
    }
    let (status, found, said) = harness.outcome(&site, &[]);
    assert_eq!(status, 1, "{found}\n{said}");
    assert!(found.contains("the first page is not there (404)"), "{found}");
    assert!(found.contains("12 pages, kept") || found.contains("Last read on"), "{found}");
    assert_eq!(stored(&harness), "root-missing partial");
    assert!(harness.pages_found("gone").len() <= 1, "{:?}", harness.verdicts());
}

#[test]
fn a_known_site_that_asks_for_a_password_keeps_its_pages_and_is_read_again() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, PAGES, 400);
    harness.crawl_in_order(&site, &[]);
    for number in 0..PAGES {
        site.page(&crate::harness::path(number), Page::status(401));
    }
    let (status, found, said) = harness.outcome(&site, &[]);
    assert_eq!(status, 1, "{found}\n{said}");
    assert!(found.contains("failed, the first page asks for a password (401)"), "{found}");
    assert!(found.contains("12 pages, kept. No page counts as gone"), "{found}");
    assert_honest(&found);
    plant(&site, PAGES, 400);
    let found = harness.crawl_in_order(&site, &[]);
    assert!(found.contains("nothing changed in 12 pages"), "{found}");
}

#[test]
fn other_pages_that_could_be_read_make_it_exit_status_3() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, PAGES, 400);
    site.page("/sitemap.xml", Page::xml("<urlset><url><loc>/page-1</loc></url></urlset>"));
    site.page("/", Page::status(403));
    let (status, found, said) = harness.outcome(&site, &[]);
    assert_eq!(status, 3, "{found}\n{said}");
    assert!(found.contains(": the first page is forbidden to Recrawl (403)"), "{found}");
    assert_honest(&found);
}

#[test]
fn pages_without_text_are_counted_and_stay_counted_when_the_server_says_304() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    site.page("/", Page::html(format!("{SCRIPTED}<a href=/plain></a><a href=/app></a>")));
    site.page("/plain", Page::html("<p>The office is open from nine to five on every working day."));
    site.page("/app", Page::html(SCRIPTED));
    for week in 1..=2 {
        let (status, found, said) = harness.outcome(&site, &[]);
        assert_eq!(status, 3, "{week}: {found}\n{said}");
        assert!(found.contains("2 of 3 pages have next to no text without JavaScript"), "{week}: {found}");
        assert!(found.contains("Their changes will not be noticed"), "{week}: {found}");
        assert!(!found.contains("Nothing changed"), "{week}: {found}");
    }
}

#[test]
fn a_page_that_had_text_and_now_asks_for_javascript_has_failed_and_not_changed() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, PAGES, 400);
    harness.crawl_in_order(&site, &[]);
    site.page("/page-3", Page::html(SCRIPTED));
    let (status, found, said) = harness.outcome(&site, &[]);
    assert_eq!(status, 3, "{found}\n{said}");
    assert!(found.contains("/page-3 (next to no text without JavaScript)"), "{found}");
    assert_eq!(harness.pages_found("failed"), ["/page-3"]);
    assert_eq!(stored(&harness), "readable complete");
}

#[test]
fn a_page_that_redirects_to_itself_is_asked_once() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, PAGES, 400);
    site.redirect("/page-3", "/page-3", 302);
    let (status, found, said) = harness.outcome(&site, &[]);
    assert_eq!(status, 3, "{found}\n{said}");
    assert!(found.contains("/page-3 (redirects to itself)"), "{found}");
    assert_eq!(site.requests_for("/page-3").len(), 1);
}

#[test]
fn a_host_that_refuses_says_so_at_once_and_is_asked_as_often_as_one_likes() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let address = format!("http://{free}/");
    let harness = Harness::new();
    let began = Instant::now();
    let output = harness.run(&["crawl", &address, "--retries", "1"]);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (found, said) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(1), "{found}\n{said}");
    assert!(began.elapsed().as_secs() < 15, "{:?}", began.elapsed());
    assert!(said.contains(&format!("{free} refuses the connection; next try in ")), "{said}");
    assert!(said.contains(" s, 1 of 1"), "{said}");
    assert!(found.contains(&format!("failed, {free} does not answer (connection refused)")), "{found}");
    assert!(said.contains("No crawl was kept."), "{said}");
}

#[test]
fn a_known_site_that_does_not_answer_is_closed_with_its_state() {
    let harness = Harness::new();
    let site = Site::start_blocking();
    plant(&site, 2, 400);
    harness.crawl_in_order(&site, &[]);
    site.page("/robots.txt", Page::closed());
    let (status, found, said) = harness.outcome(&site, &["--back-off", "0.001"]);
    assert_eq!(status, 1, "{found}\n{said}");
    assert!(found.contains("does not answer") && found.contains("2 pages, kept"), "{found}");
    assert_eq!(stored(&harness), "unreachable partial");
    plant(&site, 2, 400);
    let found = harness.crawl_in_order(&site, &[]);
    assert!(found.contains("nothing changed in 2 pages"), "{found}");
}

#[test]
fn a_known_site_whose_first_page_leads_elsewhere_is_read_and_never_without_a_word() {
    for (case, scope) in [("another host", ""), ("a sibling page", "town/")] {
        let (harness, site, elsewhere) = (Harness::new(), Site::start_blocking(), Site::start_blocking());
        let page = |name: &str| format!("/{scope}{name}");
        let links = (1..6).map(|number| format!("<a href=\"p{number}\">P{number}</a>"));
        let links = links.collect::<Vec<_>>().join(" ");
        site.page(&page(""), Page::html(format!("<h1>Ashford</h1><p>Welcome to Ashford.</p>{links}")));
        for number in 1..6 {
            let text = format!("<p>Office number {number} is open all day.</p>");
            site.page(&page(&format!("p{number}")), Page::html(text));
        }
        let root = format!("{}/{scope}", site.url());
        let crawl = || {
            let output = harness.run(&["crawl", &root, "--rate", "unlimited"]);
            (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
        };
        assert_eq!(crawl().0, 0, "{case}");
        let target =
            if scope.is_empty() { elsewhere.url() + "/" } else { format!("{}/village/", site.url()) };
        site.redirect(&page(""), &target, 301);
        for week in 2..=3 {
            let (status, found) = crawl();
            assert_eq!(status, 3, "{case}, week {week}: {found}");
            assert!(
                found.contains(&format!("the first page leads to {target}, outside the site")),
                "{found}"
            );
            assert_eq!(stored(&harness), "root-elsewhere partial", "{case}, week {week}");
            assert_honest(&found);
        }
        let told = harness.expect(0, &["changes"]);
        assert!(told.contains("the first page leads to"), "{case}: {told}");
    }
}
