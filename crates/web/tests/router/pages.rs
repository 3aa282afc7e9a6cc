use std::collections::{BTreeSet, VecDeque};

use axum::http::StatusCode;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::Ending;
use scraper::{Html, Selector};
use url::Url;

use super::history::{Recorder, page};
use super::{Answered, BRIDGE, app, extremes, get, router, town};

pub(super) fn select(html: &Html, selector: &str) -> Vec<String> {
    let selector = Selector::parse(selector).unwrap();
    html.select(&selector).map(|element| words(&element.text().collect::<String>())).collect()
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Follows every link of ours from the first page, and returns each answer.
async fn walk(router: &axum::Router) -> Vec<(String, Answered)> {
    let base = Url::parse("http://recrawl.test/").unwrap();
    let mut waiting = VecDeque::from(["/".to_owned(), "/login".to_owned()]);
    let mut seen: BTreeSet<String> = waiting.iter().cloned().collect();
    let mut answers = Vec::new();
    while let Some(address) = waiting.pop_front() {
        // A stream of events has no end.
        if address.starts_with("/events/") {
            continue;
        }
        let answer = get(router, &address).await;
        if answer.header("content-type").starts_with("text/html") && !address.starts_with("/stored/") {
            let html = Html::parse_document(&answer.body);
            let links = Selector::parse("[href], [src]").unwrap();
            for element in html.select(&links) {
                let link = element.attr("href").or(element.attr("src")).unwrap();
                let link = base.join(&address).unwrap().join(link).unwrap();
                if link.host_str() == Some("recrawl.test") {
                    let link = link[url::Position::BeforePath..url::Position::AfterQuery].to_owned();
                    if seen.insert(link.clone()) {
                        waiting.push_back(link);
                    }
                }
            }
        }
        answers.push((address, answer));
    }
    answers
}

#[tokio::test]
async fn every_link_of_every_page_leads_somewhere_and_every_page_is_well_formed() {
    let answers = walk(&town().await).await;
    assert!(answers.len() > 100, "{}", answers.len());
    let kinds = ["/sites/example.org-town/diff", "/stored/", "/feeds/", "/assets/", "/timemap/", "/api/v1/"];
    for kind in kinds {
        assert!(answers.iter().any(|(address, _)| address.starts_with(kind)), "{kind} is not linked");
    }
    for (address, answer) in &answers {
        // A page that is linked and was never visited has no history.
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{address}");
        assert!(answer.header("content-security-policy").contains("default-src 'none'"), "{address}");
        let is_unvisited = answer.body.contains("has no page https://example.org/town/");
        assert!(
            answer.status == StatusCode::OK || is_unvisited,
            "{address}: {} {}",
            answer.status,
            answer.body
        );
        if answer.header("content-type").starts_with("text/html") && !address.starts_with("/stored/") {
            check_form(address, &answer.body);
        }
    }
}

pub(super) fn check_form(address: &str, body: &str) {
    let html = Html::parse_document(body);
    assert!(html.errors.is_empty(), "{address}: {:?}", html.errors);
    assert_eq!(select(&html, "h1").len(), 1, "{address}: headings");
    assert_eq!(select(&html, "main").len(), 1, "{address}: main");
    assert!(!select(&html, "title").concat().is_empty(), "{address}: title");
    for forbidden in [
        "script:not([src])",
        "style",
        "[style]",
        "img:not([alt])",
        "th:not([scope])",
        "iframe:not([sandbox])",
    ] {
        assert_eq!(select(&html, forbidden).len(), 0, "{address}: {forbidden}");
    }
    let all = Selector::parse("*").unwrap();
    let mut ids = BTreeSet::new();
    let (mut level, mut regions) = (0, BTreeSet::new());
    for element in html.select(&all) {
        let name = element.value().name();
        assert!(
            element.value().attrs().all(|(name, _)| !name.starts_with("on")),
            "{address}: handler in {name}"
        );
        if let Some(id) = element.attr("id") {
            assert!(ids.insert(id.to_owned()), "{address}: {id} twice");
        }
        if let Some(next) = name.strip_prefix('h').and_then(|digit| digit.parse::<u32>().ok()) {
            assert!(next <= level + 1, "{address}: h{next} after h{level}");
            level = next;
        }
        if element.attr("class") == Some("scroll") {
            let is_reached = (element.attr("role"), element.attr("tabindex")) == (Some("region"), Some("0"));
            let region = element.attr("aria-label").unwrap_or_default();
            assert!(is_reached && !region.is_empty(), "{address}: a region that no key scrolls");
            assert!(regions.insert(region.to_owned()), "{address}: two regions are called {region}");
        }
        if matches!(name, "input" | "select" | "textarea") && element.attr("type") != Some("hidden") {
            let is_within = element
                .ancestors()
                .any(|node| node.value().as_element().is_some_and(|element| element.name() == "label"));
            let label = element.attr("id").map(|id| format!("label[for=\"{id}\"]"));
            let is_named = element.attr("aria-label").is_some_and(|name| !name.is_empty());
            assert!(
                is_named || is_within || label.is_some_and(|label| !select(&html, &label).is_empty()),
                "{address}: {name} without label"
            );
        }
    }
}

#[tokio::test]
async fn the_first_screen_says_what_changed() {
    let answer = get(&town().await, "/").await;
    let html = Html::parse_document(&answer.body);
    let shown: Vec<String> = select(&html, ".lead, .sites li, .segments a, .chips a, .row");
    insta::assert_snapshot!(shown.join("\n"));
}

#[tokio::test]
async fn a_difference_marks_words_and_links_to_both_versions() {
    let router = town().await;
    let answer = get(
        &router,
        &format!("/sites/example.org-town/diff?{BRIDGE}&from=crawl-2026-10-19&to=crawl-2026-11-16"),
    )
    .await;
    let html = Html::parse_document(&answer.body);
    let lines = select(&html, ".difference > .line");
    assert_eq!(lines[0], "11Bridge opening hours");
    assert_eq!(lines[1], "2−removed: The bridge is open from 9 to 17, except on public holidays.");
    assert_eq!(lines[2], "2+added: The bridge is open from 10 to 18, except on public holidays.");
    assert_eq!(select(&html, ".difference > details.fold summary"), ["2 unchanged lines"]);
    assert_eq!(select(&html, ".difference > details.fold .line").len(), 2, "it opens without a request");
    let versions = select(&html, ".versions > a");
    assert_eq!(versions[..3], ["2 November, 03:00", "16 November, 03:00", "History, 3 versions"]);
    assert_eq!(select(&html, "del"), ["9", "17"]);
    assert_eq!(select(&html, "ins"), ["10", "18"]);
    let side = get(&router, &format!("/sites/example.org-town/diff?{BRIDGE}&view=side")).await;
    let html = Html::parse_document(&side.body);
    assert_eq!(select(&html, ".beside .pair").len(), 1);
    let raw = get(&router, &format!("/sites/example.org-town/diff?{BRIDGE}&view=raw")).await;
    assert!(raw.body.contains("&lt;p&gt;The bridge is open from"), "{}", raw.body);
}

#[tokio::test]
async fn links_that_came_and_went_and_facts_of_other_files_are_shown() {
    let router = town().await;
    let shown = |address: &str| {
        let address =
            format!("/sites/example.org-town/diff?url=https%3A%2F%2Fexample.org%2Ftown%2F{address}");
        let router = router.clone();
        async move { get(&router, &address).await.body }
    };
    let mobility = Html::parse_document(&shown("services%2Fmobility").await);
    assert_eq!(
        select(&mobility, ".came li"),
        [
            "-removed: /town/trams",
            "+added: /town/bicycles",
            "-removed: /town/trams.jpg",
            "+added: /town/bicycles.jpg"
        ]
    );
    let budget = Html::parse_document(&shown("documents%2Fbudget.pdf").await);
    assert!(select(&budget, "tr.differs th").contains(&"sha-256".to_owned()));
    assert!(select(&budget, ".difference").is_empty());
}

#[tokio::test]
async fn changes_are_filtered() {
    let router = town().await;
    for (query, expected) in [
        (
            "",
            vec![
                "changed News",
                "changed /town/documents/budget.pdf",
                "new A new bike lane",
                "new <script>alert(1)</script>",
                "changed Bridge opening hours",
                "changed Mobility",
                "moved Parking",
            ],
        ),
        ("?kind=moved", vec!["moved Parking"]),
        ("?kind=new,moved&path=/town/news", vec!["new A new bike lane", "new <script>alert(1)</script>"]),
        ("?aspect=media", vec!["changed Mobility"]),
        ("?q=BRIDGE", vec!["changed Bridge opening hours"]),
        ("?section=services&kind=changed", vec!["changed Bridge opening hours", "changed Mobility"]),
        ("?section=-", vec!["changed News"]),
        ("?q=nothing+has+this", vec![]),
        ("?page=2", vec![]),
        ("?kind=failed", vec!["failed Minutes"]),
    ] {
        let answer = get(&router, &format!("/sites/example.org-town/crawls/crawl-2026-11-16{query}")).await;
        let html = Html::parse_document(&answer.body);
        let kinds = select(&html, ".row .kind");
        let kinds = kinds.iter().map(|kind| kind.trim_start_matches(['+', '~', '→', '!', ' ']));
        let titles = select(&html, ".row .title");
        let mut shown: Vec<String> =
            kinds.zip(&titles).map(|(kind, title)| format!("{kind} {title}")).collect();
        shown.sort();
        let mut expected = expected;
        expected.sort_unstable();
        assert_eq!(shown, expected, "{query}");
    }
    for query in ["?kind=nes", "?aspect=colour", "?page=0"] {
        let answer = get(&router, &format!("/sites/example.org-town/crawls/crawl-2026-11-16{query}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
    }
}

#[tokio::test]
async fn long_lists_come_in_pages_and_a_page_that_is_not_there_says_so() {
    let mut site = Recorder::new(MemoryStore::default(), "long", "https://long.example/").await;
    let paths: Vec<String> = (0..250).map(|number| format!("/a/{number:03}")).collect();
    let answers: Vec<_> = paths.iter().map(|path| (path.as_str(), page("Page", &["text"]))).collect();
    site.crawl("crawl-2026-11-16", &answers, Some(Ending::Complete)).await;
    let router = router(app(site.into_store()));
    for (page, count) in [(1, 50), (2, 50), (4, 50), (5, 50), (99, 0)] {
        let all = "kind=new&expand=true";
        let answer = get(&router, &format!("/sites/long/crawls/crawl-2026-11-16?{all}&page={page}")).await;
        assert!(answer.body.len() < 150_000, "page {page}: {}", answer.body.len());
        let html = Html::parse_document(&answer.body);
        assert_eq!(select(&html, ".row").len(), count, "page {page}");
        let links = usize::from((2..=5).contains(&page)) + usize::from(page < 5);
        assert_eq!(select(&html, ".pagination a").len(), links, "page {page}");
        let says_so = answer.body.contains("The list has 5 pages, and this would be page 99.");
        assert_eq!(says_so, page == 99, "page {page}");
    }
    let folded = get(&router, "/sites/long/crawls/crawl-2026-11-16").await;
    let html = Html::parse_document(&folded.body);
    assert_eq!(select(&html, ".row .title"), ["250 pages in /a/"], "a folder of new pages is one row");
}

#[tokio::test]
async fn after_a_partial_crawl_what_is_new_is_a_number_on_the_first_screen_and_in_no_feed() {
    let mut site = Recorder::new(MemoryStore::default(), "part", "https://part.example/").await;
    let partial = Some(Ending::Partial("the limit of 2 pages was reached".to_owned()));
    let seen = [("/", page("Root", &["Welcome."])), ("/a", page("A", &["One."]))];
    site.crawl("crawl-2026-11-09", &seen, partial).await;
    let [root, _] = seen;
    let whole =
        [root, ("/a", page("A", &["Two."])), ("/b", page("B", &["Bee."])), ("/c", page("C", &["Sea."]))];
    site.crawl("crawl-2026-11-16", &whole, Some(Ending::Complete)).await;
    let served = router(app(site.into_store()));
    let home = get(&served, "/").await.body;
    assert!(home.contains("part: 2 new pages not listed, because no crawl before"), "{home}");
    assert!(home.contains("/a") && !home.contains("Bee."), "what changed is listed: {home}");
    let feed = get(&served, "/feeds/part.atom").await.body;
    assert!(feed.contains("A: One. → Two.") && !feed.contains("new: "), "{feed}");
    let found = get(&served, "/sites/part/crawls/crawl-2026-11-16").await.body;
    assert!(found.contains("No crawl before this one saw the whole site"), "{found}");
}

#[tokio::test]
async fn a_quiet_week_a_first_crawl_and_an_empty_store_say_so() {
    let empty = router(app(MemoryStore::default()));
    assert!(get(&empty, "/").await.body.contains("Nothing has been crawled yet"));
    let mut site = Recorder::new(MemoryStore::default(), "quiet", "https://quiet.example/").await;
    let answers = [("/", page("Quiet", &["Still here."]))];
    site.crawl("crawl-2026-11-09", &answers, Some(Ending::Complete)).await;
    let first = router(app(site.into_store()));
    assert!(get(&first, "/").await.body.contains("First crawl"));
    let found = get(&first, "/sites/quiet/crawls/crawl-2026-11-09").await;
    assert!(found.body.contains("The first crawl of this site: everything is new to it."), "{}", found.body);
    let mut site = Recorder::new(MemoryStore::default(), "quiet", "https://quiet.example/").await;
    for id in ["crawl-2026-11-09", "crawl-2026-11-16"] {
        site.crawl(id, &answers, Some(Ending::Complete)).await;
    }
    let quiet = router(app(site.into_store()));
    assert!(get(&quiet, "/").await.body.contains("A quiet week"));
    let found = get(&quiet, "/sites/quiet/crawls/crawl-2026-11-16").await.body;
    assert!(
        found.contains("<h1>quiet: quiet, 16 November</h1>") && found.contains("nothing changed"),
        "{found}"
    );
    let site = Html::parse_document(&get(&quiet, "/sites/quiet").await.body);
    let faults = ["No broken links", "No redirects", "No orphans", "No duplicate groups"];
    assert_eq!(select(&site, "p.fault"), faults, "what is not there does not unfold");
}

#[tokio::test]
async fn long_titles_and_addresses_are_cut_and_files_are_told_in_words() {
    let router = router(app(extremes::beside(MemoryStore::default()).await));
    let site = "/sites/a-very-long-name-of-a-host.department.example";
    let changes = get(&router, &format!("{site}/crawls/crawl-2026-11-16")).await;
    let html = Html::parse_document(&changes.body);
    let titles = select(&html, ".row .title");
    assert_eq!((titles.len(), titles.contains(&"/documents/plan.pdf".to_owned())), (3, true));
    for shown in titles.iter().chain(&select(&html, ".row .path")) {
        assert!(shown.chars().count() <= 151, "{shown}");
    }
    assert!(select(&html, ".row .said").contains(&"26.8 kB, was 24.4 kB".to_owned()));
    let links = Selector::parse(".row .title").unwrap();
    for link in html.select(&links).filter_map(|link| link.attr("href")) {
        let shown = get(&router, link).await;
        assert_eq!(shown.status, StatusCode::OK, "{link}");
        assert!(select(&Html::parse_document(&shown.body), "h1")[0].chars().count() <= 141);
    }
}

#[tokio::test]
async fn partial_suspect_and_open_crawls_are_not_shown_as_whole() {
    let router = town().await;
    let suspect = get(&router, "/sites/example.org-town/crawls/crawl-2026-11-12").await;
    let said = select(&Html::parse_document(&suspect.body), ".report > header").concat();
    assert!(said.contains("23 of 25 known pages have gone") && said.contains("Nothing was sent"), "{said}");
    let history = get(&router, &format!("/sites/example.org-town/page?{BRIDGE}")).await;
    assert!(history.body.contains("not believed"));
    assert!(get(&router, "/sites").await.body.contains("data-events=\"/events/park.example\""));
}

#[tokio::test]
async fn what_is_not_there_is_said_without_details() {
    let router = town().await;
    for (address, status) in [
        ("/nope", StatusCode::NOT_FOUND),
        ("/sites/nobody", StatusCode::NOT_FOUND),
        ("/sites/NO%20SITE", StatusCode::BAD_REQUEST),
        ("/sites/example.org-town/crawls/crawl-2020-01-01", StatusCode::NOT_FOUND),
        ("/sites/example.org-town/crawls/yesterday", StatusCode::BAD_REQUEST),
        ("/sites/example.org-town/page", StatusCode::BAD_REQUEST),
        ("/sites/example.org-town/page?url=javascript:alert(1)", StatusCode::BAD_REQUEST),
        ("/sites/example.org-town/page?url=https://example.org/never", StatusCode::NOT_FOUND),
        ("/sites/example.org-town/diff?url=https://example.org/town&view=sideways", StatusCode::BAD_REQUEST),
        ("/assets/style-000000000000.css", StatusCode::NOT_FOUND),
        ("/feeds/example.org-town", StatusCode::NOT_FOUND),
        ("/events/nobody", StatusCode::NOT_FOUND),
    ] {
        assert_eq!(get(&router, address).await.status, status, "{address}");
    }
}

/// Returns a site with a page of which every line changed, under a title without an end.
async fn huge() -> axum::Router {
    let store = MemoryStore::default();
    let mut site = Recorder::new(store, "huge.example", "https://huge.example/").await;
    let title = "endless ".repeat(250_000);
    for (number, id) in ["crawl-2026-11-09", "crawl-2026-11-16"].into_iter().enumerate() {
        let lines: Vec<String> = (0..9_000).map(|line| format!("{number} says {line} <b>")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let answers = [("/", page(&title, &lines))];
        site.crawl(id, &answers, Some(Ending::Complete)).await;
    }
    router(app(site.into_store()))
}

#[tokio::test]
async fn a_difference_without_an_end_is_shown_in_part_and_says_so() {
    let router = huge().await;
    let page = "url=https%3A%2F%2Fhuge.example%2F";
    for view in ["inline", "side", "raw"] {
        let answer = get(&router, &format!("/sites/huge.example/diff?{page}&view={view}&context=all")).await;
        assert_eq!(answer.status, StatusCode::OK, "{view}");
        assert!(answer.body.len() < 6_000_000, "{view}: {}", answer.body.len());
        if view == "raw" {
            continue;
        }
        assert!(
            answer.body.contains("This is too much for a page: 13,000 lines that went or came"),
            "{view}"
        );
        let command = "recrawl diff 'https://huge.example/' --site huge.example --from crawl-2026-11-09 --to crawl-2026-11-16";
        let html = Html::parse_document(&answer.body);
        assert_eq!(select(&html, ".notice code"), [command], "{view}");
        assert_eq!(select(&html, ".notice a"), ["older version", "newer version"], "{view}");
    }
    let answer = get(&router, &format!("/api/v1/sites/huge.example/difference?{page}")).await;
    assert!(answer.body.contains("\"omitted_lines\":13000"), "{}", &answer.body[..500]);
}

#[tokio::test]
async fn a_title_without_an_end_is_nowhere_shown_whole() {
    let router = huge().await;
    let page = "url=https%3A%2F%2Fhuge.example%2F";
    for address in [
        "/".to_owned(),
        "/sites/huge.example".to_owned(),
        "/sites/huge.example/crawls/crawl-2026-11-16".to_owned(),
        format!("/sites/huge.example/page?{page}"),
        "/api/v1/sites/huge.example/crawls/crawl-2026-11-16/changes".to_owned(),
        "/feeds/huge.example.atom".to_owned(),
    ] {
        let answer = get(&router, &address).await;
        assert_eq!(answer.status, StatusCode::OK, "{address}");
        assert!(answer.body.len() < 150_000, "{address}: {}", answer.body.len());
    }
}
