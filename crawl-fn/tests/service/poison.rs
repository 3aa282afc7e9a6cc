//! Messages that can never be used.

use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;

use crate::lines::Lines;
use crate::stage::{Stage, delivery, wrapped};

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
