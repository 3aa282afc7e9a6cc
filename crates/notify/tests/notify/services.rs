//! Telegram, Teams, Matrix, ntfy and GitHub: asked as their documents say, within their limits.

use recrawl_core::memory::MemoryStore;
use recrawl_core::model::verdict::Verdict;
use recrawl_notify::{Digest, deliver};
use serde_json::Value;

use crate::receiver::{Fault, Received, Receiver};
use crate::world::{HOSTILE, changed, digest, page, read, word};

const TOKEN: &str = "123456:SECRETTOKEN";

/// Returns the table of a target of this kind at `url`.
fn table(kind: &str, url: &str) -> String {
    let more = match kind {
        "telegram" => format!("token-env = 'TOKEN'\nchat = '-100123'\nurl = '{url}'"),
        "teams" => "url-env = 'TEAMS'".to_owned(),
        "matrix" => format!("token-env = 'TOKEN'\nroom = '!abc:matrix.example'\nurl = '{url}'"),
        "ntfy" => format!("topic = 'changes'\ntoken-env = 'TOKEN'\nurl = '{url}'"),
        "github-issue" => {
            format!("token-env = 'TOKEN'\nrepository = 'town/watch'\nlabels = ['changes']\nurl = '{url}'")
        }
        other => panic!("{other}"),
    };
    format!("[a]\nkind = '{kind}'\n{more}\n")
}

const KINDS: [&str; 5] = ["telegram", "teams", "matrix", "ntfy", "github-issue"];

/// Tells a digest to a target of this kind; returns what became of it, and what it received.
async fn told(kind: &str, digest: &Digest, faults: Vec<Fault>) -> (String, Vec<Received>) {
    let receiver = Receiver::start(faults).await;
    let hook = receiver.url("/workflows/SECRETPATH/triggers/manual");
    let url = receiver.url("");
    let targets = read(&table(kind, &url), &[("TOKEN", TOKEN), ("TEAMS", &hook)]).unwrap();
    let outcome = word(&deliver(&targets, digest, &MemoryStore::default()).await[0].outcome);
    (outcome, receiver.received())
}

fn body(request: &Received) -> Value {
    serde_json::from_str(&request.body).unwrap()
}

/// Returns a digest with far more than fits anywhere, and the longest texts.
fn huge() -> Digest {
    let long = |unit: &str| unit.repeat(3_000 / unit.len());
    let change = |number: usize| {
        let (path, title) = (format!("/{number}/{}", "&".repeat(200)), long(HOSTILE[number % HOSTILE.len()]));
        if number.is_multiple_of(2) {
            changed(&path, &title, &format!("-{}\n+{}", long("<&`*"), long("@👩")))
        } else {
            page(&path, Verdict::New, Some(&title))
        }
    };
    let reason = Some(long("<&*_ "));
    Digest { changes: (0..2_000).map(change).collect(), partial: reason.clone(), suspicion: None, ..digest() }
}

#[tokio::test]
async fn each_service_is_asked_at_its_address_with_its_secret() {
    for kind in KINDS {
        let (outcome, requests) = told(kind, &digest(), vec![]).await;
        assert_eq!(outcome, "told 1", "{kind}");
        let [request] = &requests[..] else { panic!("{kind}") };
        let sent = body(request);
        assert_eq!(request.header("content-type"), "application/json", "{kind}");
        let bearer = request.headers.get("authorization").map(|value| value.to_str().unwrap());
        let expected = (!matches!(kind, "telegram" | "teams")).then_some("Bearer 123456:SECRETTOKEN");
        assert_eq!(bearer, expected, "{kind}");
        match kind {
            "telegram" => {
                assert_eq!(request.uri, "/bot123456:SECRETTOKEN/sendMessage");
                assert_eq!((&sent["chat_id"], &sent["parse_mode"]), (&"-100123".into(), &"HTML".into()));
            }
            "teams" => {
                assert_eq!(request.uri, "/workflows/SECRETPATH/triggers/manual");
                assert_eq!(sent["type"], "message");
                let attachment = &sent["attachments"][0];
                assert_eq!(attachment["contentType"], "application/vnd.microsoft.card.adaptive");
                assert_eq!(attachment["content"]["type"], "AdaptiveCard");
                assert_eq!(attachment["content"]["actions"][0]["type"], "Action.OpenUrl");
            }
            "matrix" => {
                let path = "/_matrix/client/v3/rooms/!abc:matrix.example/send/m.room.message/";
                let transaction = request.uri.strip_prefix(path).unwrap();
                assert_eq!(transaction, request.header("idempotency-key"));
                assert_eq!(sent["msgtype"], "m.notice");
                assert_eq!(sent["format"], "org.matrix.custom.html");
            }
            "ntfy" => {
                assert_eq!((request.uri.as_str(), &sent["topic"]), ("/", &"changes".into()));
                assert!(sent["click"].as_str().unwrap().starts_with("https://watch.example.org/"));
            }
            _ => {
                assert_eq!(request.uri, "/repos/town/watch/issues");
                assert_eq!(request.header("accept"), "application/vnd.github+json");
                assert_eq!(request.header("x-github-api-version"), "2022-11-28");
                assert_eq!(sent["labels"], serde_json::json!(["changes"]));
            }
        }
    }
}

#[tokio::test]
async fn their_messages_are_these() {
    for kind in KINDS {
        let (_, requests) = told(kind, &digest(), vec![]).await;
        insta::assert_snapshot!(kind, serde_json::to_string_pretty(&body(&requests[0])).unwrap());
    }
}

#[tokio::test]
async fn limits_are_kept_whatever_pages_say_and_what_there_was_no_room_for_is_counted() {
    for kind in KINDS {
        let (outcome, requests) = told(kind, &huge(), vec![]).await;
        assert_eq!(outcome, "told 1", "{kind}");
        let sent = body(&requests[0]);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let written = match kind {
            "telegram" => {
                let text = text(&sent["text"]);
                assert!(text.encode_utf16().count() <= 4_096, "{}", text.len());
                for tag in ["b", "a", "s"] {
                    let opened =
                        text.matches(&format!("<{tag}>")).count() + text.matches(&format!("<{tag} ")).count();
                    assert_eq!(opened, text.matches(&format!("</{tag}>")).count(), "cut within {tag}");
                }
                text
            }
            "teams" => {
                assert!(requests[0].body.len() <= 28_000, "{}", requests[0].body.len());
                requests[0].body.clone()
            }
            "matrix" => {
                assert!(requests[0].body.len() <= 60_000, "{}", requests[0].body.len());
                text(&sent["formatted_body"])
            }
            "ntfy" => {
                assert!(text(&sent["message"]).len() <= 4_096);
                assert!(text(&sent["title"]).len() <= 4 * 120);
                text(&sent["message"])
            }
            _ => {
                assert!(text(&sent["title"]).chars().count() <= 256);
                assert!(text(&sent["body"]).chars().count() <= 65_536);
                text(&sent["body"])
            }
        };
        let (_, more) = written.rsplit_once("… and ").unwrap_or_else(|| panic!("{kind}: {written}"));
        let left: usize = more.split(' ').next().unwrap().replace(',', "").parse().unwrap();
        assert!((1..2_000).contains(&left), "{kind}: {left} of 2,000 had no room");
    }
}

#[tokio::test]
async fn a_service_that_wants_to_be_left_alone_is_and_others_are_tried_again() {
    for (kind, fault) in [
        ("telegram", Fault::Says(429, r#"{"ok":false,"error_code":429,"parameters":{"retry_after":1}}"#)),
        ("matrix", Fault::Says(429, r#"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":1000}"#)),
        ("github-issue", Fault::RetryAfter(403, "1")),
        ("ntfy", Fault::RetryAfter(429, "1")),
        ("teams", Fault::RetryAfter(429, "1")),
    ] {
        let begun = std::time::Instant::now();
        let (outcome, requests) = told(kind, &digest(), vec![fault]).await;
        assert_eq!(outcome, "told 2", "{kind}");
        assert!(begun.elapsed() >= std::time::Duration::from_secs(1), "{kind}: {:?}", begun.elapsed());
        assert_eq!((&requests[0].uri, &requests[0].body), (&requests[1].uri, &requests[1].body), "{kind}");
    }
}

#[tokio::test]
async fn their_secrets_are_not_repeated_to_people() {
    for kind in KINDS {
        let says = Fault::Says(400, "no such SECRETTOKEN 123456:SECRETTOKEN /workflows/SECRETPATH/triggers");
        let (outcome, _) = told(kind, &digest(), vec![says]).await;
        assert!(outcome.starts_with("refused: it answers 400"), "{outcome}");
        let hidden = if kind == "teams" { "SECRETPATH" } else { "123456:SECRETTOKEN" };
        assert!(!outcome.contains(hidden), "{kind}: {outcome}");
    }
}

#[test]
fn settings_that_name_no_service_are_refused_and_no_secret_goes_unencrypted() {
    for (kind, from, to, expected) in [
        ("telegram", "URL", "http://telegram.example", "must be https"),
        ("matrix", "URL", "http://matrix.example", "must be https"),
        ("ntfy", "URL", "http://ntfy.example", "must be https"),
        ("github-issue", "URL", "http://169.254.169.254", "must be https"),
        ("github-issue", "URL", "https://169.254.169.254", "credentials of its machines"),
        ("matrix", "!abc:matrix.example", "#abc:matrix.example", "which is no id"),
        ("github-issue", "town/watch", "watch", "no owner/name"),
        ("github-issue", "town/watch", "town/../x", "no owner/name"),
        ("ntfy", "'changes'", "'a/b'", "topic"),
        ("telegram", "'TOKEN'", "'UNSET'", "UNSET"),
    ] {
        let table = table(kind, "URL").replace(from, to).replace("'URL'", "'https://service.example'");
        let error = read(&table, &[("TOKEN", TOKEN)]).unwrap_err();
        assert!(error.contains(expected), "{table}: {error}");
    }
    // Without a secret, a server in the network is a server.
    let plain = "[a]\nkind = 'ntfy'\ntopic = 'changes'\nurl = 'http://192.168.1.9:8080'";
    assert!(read(plain, &[]).is_ok());
}
