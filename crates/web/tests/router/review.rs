//! Reviewing changes one after the other, ignoring by a click, and the decisions about an unusual crawl.

use axum::http::StatusCode;
use scraper::{Html, Selector};

use super::BRIDGE;
use super::forms::Browser;
use super::pages::{check_form, select};

const TOWN: &str = "/sites/example.org-town";
const LATEST: &str = "/sites/example.org-town/crawls/crawl-2026-11-16";
const SUSPECT: &str = "/sites/example.org-town/crawls/crawl-2026-11-12";

fn link(html: &Html, selector: &str) -> Option<String> {
    let selector = Selector::parse(selector).unwrap();
    html.select(&selector).next().and_then(|element| element.attr("href")).map(str::to_owned)
}

#[tokio::test]
async fn from_a_change_of_a_list_one_goes_to_the_next_and_back() {
    let browser = Browser::open().await;
    let list = Html::parse_document(&browser.get(LATEST).await.body);
    let mut address = link(&list, ".row a.title").unwrap();
    let mut places = Vec::new();
    loop {
        let answer = browser.get(&address).await;
        assert_eq!(answer.status, StatusCode::OK, "{address}");
        check_form(&address, &answer.body);
        let html = Html::parse_document(&answer.body);
        places.extend(select(&html, ".stepper .place"));
        assert_eq!(link(&html, "a[data-back]").as_deref(), Some(LATEST));
        assert_eq!(link(&html, "a[rel=prev]").is_some(), places.len() > 1, "{address}");
        let Some(next) = link(&html, ".stepper a[rel=next]") else { break };
        address = next;
    }
    let count = places.len();
    let expected: Vec<String> = (1..=count).map(|place| format!("{place} of {count}")).collect();
    assert!(count >= 5, "{count}");
    assert_eq!(places, expected);
    let alone = browser.get(&format!("{TOWN}/diff?{BRIDGE}")).await;
    assert!(select(&Html::parse_document(&alone.body), ".stepper").is_empty(), "it came from no list");
}

#[tokio::test]
async fn what_was_done_with_a_change_is_seen_where_it_is_reviewed() {
    let browser = Browser::open().await;
    let list = Html::parse_document(&browser.get(LATEST).await.body);
    let address = link(&list, ".row a.title").unwrap();
    let pressed = async |class: &str| {
        let html = Html::parse_document(&browser.get(&address).await.body);
        let button = Selector::parse(&format!(".review button.{class}")).unwrap();
        let button = html.select(&button).next().unwrap();
        (button.attr("aria-pressed").unwrap().to_owned(), button.attr("value").unwrap().to_owned())
    };
    for (class, wish, undone) in [("star", "star ", "unstar "), ("seen", "seen ", "seen ")] {
        let (before, value) = pressed(class).await;
        assert!(before == "false" && value.starts_with(wish), "{class}: {before} {value}");
        let answer = browser.fill(&address, "/marks", &[("mark", &value)]).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{class}");
        let (after, value) = pressed(class).await;
        assert!(after == "true" && value.starts_with(undone), "{class}: {after} {value}");
    }
    let (_, name) = pressed("seen").await;
    let name = name.trim_start_matches("seen ");
    let noted = [("note-of", name), ("note", "ask the council")];
    assert_eq!(browser.fill(&address, "/marks", &noted).await.status, StatusCode::SEE_OTHER);
    let html = Html::parse_document(&browser.get(&address).await.body);
    assert_eq!(select(&html, ".own-note"), ["Note: ask the council"]);
}

#[tokio::test]
async fn a_line_is_ignored_by_a_click_and_its_effect_is_seen_before() {
    let browser = Browser::open().await;
    let difference = Html::parse_document(&browser.get(&format!("{TOWN}/diff?{BRIDGE}")).await.body);
    let button = Selector::parse("button.line-act").unwrap();
    let line = difference.select(&button).next().unwrap().attr("value").unwrap().to_owned();
    let asked = format!("{TOWN}/ignore?{BRIDGE}&crawl=crawl-2026-11-16&line={line}&back={TOWN}");
    let shown = browser.get(&asked).await;
    assert_eq!(shown.status, StatusCode::OK, "{}", shown.body);
    check_form(&asked, &shown.body);
    let html = Html::parse_document(&shown.body);
    let first = Selector::parse("input[name=rule][checked]").unwrap();
    let rule = html.select(&first).next().unwrap().attr("value").unwrap().to_owned();
    assert!(rule.starts_with("pattern ^The bridge is open from 10"), "{rule}");
    let effects = select(&html, ".options small");
    assert!(effects[0].contains("hides this line on 1 page"), "{effects:?}");
    assert!(browser.asked().is_empty(), "nothing is saved by looking");
    let saved = browser.fill(&asked, &format!("{TOWN}/ignore"), &[("rule", &rule)]).await;
    assert_eq!(
        (saved.status, saved.header("location")),
        (StatusCode::SEE_OTHER, "/sites/example.org-town?done=ignored")
    );
    let asked = browser.asked().concat();
    assert!(
        asked.contains(".clock") && asked.contains("The bridge is open"),
        "rules stay beside it: {asked}"
    );
}

#[tokio::test]
async fn what_cannot_be_ignored_says_why_and_a_strange_way_back_is_refused() {
    let browser = Browser::open().await;
    let base = format!("{TOWN}/ignore?{BRIDGE}&crawl=crawl-2026-11-16");
    for (address, status) in [
        (format!("{base}&line=came-9999"), StatusCode::NOT_FOUND),
        (format!("{base}&line=10"), StatusCode::BAD_REQUEST),
        (format!("{TOWN}/ignore?{BRIDGE}&line=came-1"), StatusCode::BAD_REQUEST),
        (format!("{base}&line=came-2&back=//evil.example/"), StatusCode::BAD_REQUEST),
    ] {
        assert_eq!(browser.get(&address).await.status, status, "{address}");
    }
}

#[tokio::test]
async fn an_unusual_crawl_is_a_report_with_its_decisions_and_the_list_is_behind_it() {
    let browser = Browser::open().await;
    let report = browser.get(SUSPECT).await;
    check_form(SUSPECT, &report.body);
    let html = Html::parse_document(&report.body);
    assert_eq!(select(&html, ".report > header .state"), ["unusual"]);
    assert_eq!(select(&html, "#decide"), ["What should happen?"]);
    let decisions = select(&html, ".decide strong");
    assert_eq!(decisions, ["It is real.", "Not sure yet."], "no line stands there instead");
    assert!(
        select(&html, ".decide p")[0].contains("go to 2 places: newsroom, team"),
        "{:?}",
        select(&html, ".decide p")
    );
    let all = Html::parse_document(&browser.get(&format!("{SUSPECT}?all=1")).await.body);
    assert!(select(&all, ".report").is_empty() && !select(&all, ".row").is_empty());
    let reader = browser.get(&format!("{SUSPECT}/outage")).await;
    assert_eq!(reader.status, StatusCode::METHOD_NOT_ALLOWED, "no link decides");
    let form = browser.get(SUSPECT).await;
    let token = Html::parse_document(&form.body);
    let token = Selector::parse("input[name=form_token]")
        .map(|input| token.select(&input).next().unwrap().attr("value").unwrap().to_owned());
    let body = format!("form_token={}&line=We+are+busy", token.unwrap());
    let answer = browser.send(&format!("{SUSPECT}/outage"), &body, "http://recrawl.test").await;
    assert_eq!(answer.header("location"), format!("{SUSPECT}?done=believed"));
    assert_eq!(browser.asked(), ["outage example.org-town crawl-2026-11-12 We are busy"]);
    let forged =
        browser.send(&format!("{SUSPECT}/outage"), "form_token=x&line=y", "http://recrawl.test").await;
    assert_eq!(forged.status, StatusCode::FORBIDDEN);
}
