//! Messages that can never be used, and callers who are not the subscription.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;

use crate::lines::Lines;
use crate::stage::{Stage, config, delivery, wrapped};

#[tokio::test]
async fn poison_is_taken_with_one_line_and_nothing_is_fetched() {
    let site = Site::start().await;
    site.page("/", Page::html("root"));
    let stage = Stage::start(&site).await;
    let text = |text: &str| wrapped(&delivery(text, "poison"));
    let on_site = site.at("/");
    let cases: Vec<(&str, &str, Vec<u8>)> = vec![
        ("a push over a mebibyte", "too-large", vec![b' '; (1 << 20) + 1]),
        ("a push of many megabytes", "too-large", vec![b' '; 14 << 20]),
        ("bad base64", "base64", br#"{"message":{"data":"?"},"subscription":"s"}"#.to_vec()),
        ("no data", "empty", br#"{"message":{"attributes":{}},"subscription":"s"}"#.to_vec()),
        ("an empty push", "empty", Vec::new()),
        ("bytes that are no text", "text", br#"{"message":{"data":"//79"}}"#.to_vec()),
        ("broken JSON", "json", text("{\"url\":")),
        ("JSON without a URL", "json", text("{}")),
        ("no URL", "url", text("hello")),
        ("a file", "url", text("file:///etc/passwd")),
        ("a gopher", "url", text("gopher://example.org/")),
        ("a wrong crawl", "name", text(&format!(r#"{{"url":"{on_site}","crawl":"weekly"}}"#))),
        ("another host", "foreign", text("http://user:secret@127.0.0.1:9/")),
        ("another port", "foreign", text("http://127.0.0.1/")),
        ("the metadata server", "foreign", text("http://169.254.169.254/")),
        ("another site", "foreign", text(&format!(r#"{{"url":"{on_site}","site":"other"}}"#))),
    ];
    for (name, kind, body) in cases {
        let lines = Lines::default();
        let before = stage.service.poisoned(kind);
        let _capturing = lines.capture();
        let response = stage.pusher.post("/pubsub/crawl", body).await;
        assert_eq!(response.status(), StatusCode::NO_CONTENT, "{name}");
        assert_eq!(stage.service.poisoned(kind), before + 1, "{name}");
        let logged = lines.of("crawl_fn");
        assert_eq!(logged.len(), 1, "{name}: {logged:?}");
        assert_eq!(logged[0]["outcome"], "poison", "{name}");
        let severity = if kind == "foreign" { "WARNING" } else { "ERROR" };
        assert_eq!((&logged[0]["severity"], &logged[0]["kind"]), (&severity.into(), &kind.into()), "{name}");
        assert!(!logged[0].to_string().contains("secret"), "{name}: {}", logged[0]);
    }
    assert_eq!(stage.pusher.post("/pubsub/archive", "nonsense").await.status(), StatusCode::NO_CONTENT);
    assert!(site.log().is_empty());
    assert!(stage.under_way().await.is_none());
}

fn token(audience: &str, email: &str) -> String {
    let claims = format!(r#"{{"aud":"{audience}","email":"{email}","email_verified":true}}"#);
    format!("Bearer x.{}.SIGNATURE_REMOVED_BY_GOOGLE", URL_SAFE_NO_PAD.encode(claims))
}

#[tokio::test]
async fn only_the_subscription_is_let_in_where_it_is_named() {
    let site = Site::start().await;
    site.page("/", Page::html("root"));
    let mut named = config(&site);
    named.process.push_audience = Some("https://service".to_owned());
    named.process.push_email = Some("push@project".to_owned());
    let stage = Stage::with(named, std::sync::Arc::default()).await;
    let lines = Lines::default();
    let _capturing = lines.capture();
    let body = wrapped(&delivery(&site.url(), "weekly"));
    for (authorization, status) in [
        (None, 403),
        (Some("Bearer nonsense".to_owned()), 403),
        (Some(token("https://other", "push@project")), 403),
        (Some(token("https://service", "other@project")), 403),
        (Some(token("https://service", "push@project")), 204),
    ] {
        for path in ["/pubsub/tick", "/pubsub/archive", "/pubsub/crawl"] {
            let request = stage.pusher.client.post(format!("{}{path}", stage.pusher.url)).body(body.clone());
            let request = match &authorization {
                Some(value) => request.header("Authorization", value),
                None => request,
            };
            let response = request.send().await.unwrap();
            assert_eq!(response.status().as_u16(), status, "{path} {authorization:?}");
            if status == 403 {
                assert_eq!(response.text().await.unwrap(), "not the subscription\n");
            }
        }
    }
    assert_eq!(stage.pusher.get("/healthz").await.0, StatusCode::OK);
    assert!(!lines.text().contains("Bearer") && !lines.text().contains("eyJ"), "{}", lines.text());
}
