use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use scraper::{Html, Selector};

use super::{Answered, BRIDGE, app, ask, get, get_with, history, router, town};

const HARMFUL: &str = "<script>alert(1)</script>";
const SCRIPT: &str = "url=https%3A%2F%2Fexample.org%2Ftown%2Fnews%2Fscript";

#[tokio::test]
async fn every_answer_carries_the_headers_that_protect() {
    let router = town().await;
    for address in [
        "/",
        "/nope",
        "/sites/BAD",
        "/api/v1/sites",
        "/api/v1/nope",
        "/feeds/example.org-town.atom",
        "/favicon.ico",
        "/timegate/https://example.org/town",
        "/login",
    ] {
        let answer = get(&router, address).await;
        let policy = answer.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; style-src 'self'; script-src 'self'"),
            "{address}: {policy}"
        );
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{address}");
        assert_eq!(answer.header("referrer-policy"), "same-origin", "{address}");
    }
    let refused = ask(&router, Request::put("/").body(Body::empty()).unwrap()).await;
    assert_eq!(
        (refused.status, refused.header("x-content-type-options")),
        (StatusCode::METHOD_NOT_ALLOWED, "nosniff")
    );
}

#[tokio::test]
async fn a_harmful_title_is_harmless_everywhere() {
    let router = town().await;
    for address in [
        "/".to_owned(),
        "/sites/example.org-town/crawls/crawl-2026-11-16".to_owned(),
        "/sites/example.org-town/crawls/crawl-2026-11-16?q=%3Cscript%3Ealert(1)%3C/script%3E&path=%22%3E%3Cscript%3E".to_owned(),
        format!("/sites/example.org-town/page?{SCRIPT}"),
        format!("/sites/example.org-town/version?{SCRIPT}"),
        format!("/sites/example.org-town/diff?{SCRIPT}"),
        "/search?q=%3Cscript%3Ealert(1)%3C/script%3E".to_owned(),
    ] {
        let answer = get(&router, &address).await;
        assert!(answer.body.contains("&lt;script&gt;alert(1)"), "{address} does not show it");
        let html = Html::parse_document(&answer.body);
        let scripts = Selector::parse("script:not([src^='/assets/']), img, [onerror]").unwrap();
        assert_eq!(html.select(&scripts).count(), 0, "{address}");
    }
    let feed = get(&router, "/feeds/example.org-town.atom").await;
    let parsed = feed_rs::parser::parse(feed.body.as_bytes()).unwrap();
    let entry =
        parsed.entries.iter().find(|entry| entry.title.as_ref().unwrap().content.contains(HARMFUL)).unwrap();
    let content = entry.content.as_ref().unwrap().body.as_ref().unwrap();
    assert!(
        content.contains("&lt;img") && !content.contains("<img") && !feed.body.contains("<script"),
        "{content}"
    );
    let api = get(&router, "/api/v1/sites/example.org-town/crawls/crawl-2026-11-16/changes").await;
    assert_eq!(
        (api.header("content-type"), api.header("x-content-type-options")),
        ("application/json", "nosniff")
    );
    assert!(api.body.contains(HARMFUL));
}

#[tokio::test]
async fn stored_pages_can_do_nothing() {
    let router = town().await;
    let stored = get(&router, &format!("/stored/example.org-town/crawl-2026-11-16?{BRIDGE}")).await;
    assert_eq!(
        stored.header("content-security-policy"),
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
    );
    assert_eq!(stored.header("x-content-type-options"), "nosniff");
    assert!(stored.body.contains("<base href=\"https://example.org/town/services/bridge\">"));
    let framed = get(&router, &format!("/sites/example.org-town/version?{BRIDGE}&as=html")).await;
    assert!(framed.body.contains("sandbox=\"\""));
    let file = get(
        &router,
        "/stored/example.org-town/crawl-2026-11-16?url=https://example.org/town/documents/budget.pdf",
    )
    .await;
    let version = "/sites/example.org-town/version?url=https://example.org/town/documents/budget.pdf&as=html";
    let offered = get(&router, version).await.body;
    assert!(offered.contains("Download town-documents-budget-2026-11-16.pdf"), "{offered}");
    assert!(!offered.contains("<iframe"), "there is nothing to show: {offered}");
    assert_eq!(
        (file.header("content-type"), file.header("content-disposition")),
        ("application/octet-stream", "attachment; filename=\"town-documents-budget-2026-11-16.pdf\"")
    );
}

/// Sends the login form as a browser would, with what one may get wrong.
async fn log_in(router: &axum::Router, cookie: &str, fields: &str, origin: &str) -> Answered {
    let request = Request::post("/login")
        .header(header::HOST, "recrawl.test")
        .header(header::ORIGIN, origin)
        .header(header::COOKIE, cookie)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    ask(router, request.body(Body::from(fields.to_owned())).unwrap()).await
}

fn cookie_of(answer: &Answered) -> String {
    answer.header("set-cookie").split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn only_our_own_form_with_the_right_token_logs_in() {
    let router = router(app(history::town().await));
    let form = get(&router, "/login").await;
    assert!(form.header("set-cookie").contains("; HttpOnly; SameSite=Strict"));
    let cookie = cookie_of(&form);
    let html = Html::parse_document(&form.body);
    let hidden = Selector::parse("input[name=form_token]").unwrap();
    let form_token = html.select(&hidden).next().unwrap().attr("value").unwrap().to_owned();
    let right = format!("token=open+sesame&form_token={form_token}");
    let wrong = format!("token=open+barley&form_token={form_token}");
    for (cookie, fields, origin, expected) in [
        (&*cookie, &*right, "http://evil.example", StatusCode::FORBIDDEN),
        (&cookie, "token=open+sesame", "http://recrawl.test", StatusCode::FORBIDDEN),
        (&cookie, "token=open+sesame&form_token=00", "http://recrawl.test", StatusCode::FORBIDDEN),
        ("", &right, "http://recrawl.test", StatusCode::FORBIDDEN),
        (&cookie, &wrong, "http://recrawl.test", StatusCode::FORBIDDEN),
        (&cookie, &right, "http://recrawl.test", StatusCode::SEE_OTHER),
    ] {
        assert_eq!(
            log_in(&router, cookie, fields, origin).await.status,
            expected,
            "{cookie} {fields} {origin}"
        );
    }
    let entered = cookie_of(&log_in(&router, &cookie, &right, "http://recrawl.test").await);
    assert_ne!(entered, cookie, "a session that was there before is not the one that is let in");
    assert!(get_with(&router, "/login", &[("cookie", &entered)]).await.body.contains("You are logged in"));
    assert!(!get_with(&router, "/login", &[("cookie", &cookie)]).await.body.contains("You are logged in"));
}

#[tokio::test]
async fn strangers_who_try_to_log_in_lock_nobody_out() {
    let (router, _) = super::staffed(history::town().await, super::Access::with_token("open sesame"));
    let form = get(&router, "/login").await;
    let cookie = cookie_of(&form);
    let html = Html::parse_document(&form.body);
    let hidden = Selector::parse("input[name=form_token]").unwrap();
    let form_token = html.select(&hidden).next().unwrap().attr("value").unwrap().to_owned();
    let with = |token: &str| format!("token={token}&form_token={form_token}");
    let mut statuses = Vec::new();
    for _ in 0..100 {
        statuses.push(log_in(&router, &cookie, &with("guess"), "http://recrawl.test").await.status);
    }
    assert_eq!((statuses[0], statuses[99]), (StatusCode::FORBIDDEN, StatusCode::TOO_MANY_REQUESTS));
    let entered = log_in(&router, &cookie, &with("open+sesame"), "http://recrawl.test").await;
    assert_eq!(entered.status, StatusCode::SEE_OTHER, "{}", entered.body);
    let start = Request::post("/api/v1/sites/example.org-town/start").header(header::HOST, "recrawl.test");
    let start = start.header(header::AUTHORIZATION, "bearer open sesame").body(Body::empty()).unwrap();
    assert_eq!(ask(&router, start).await.status, StatusCode::ACCEPTED);
}
