use axum::http::StatusCode;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::Ending;
use recrawl_web::access::Access;
use serde_json::Value;

use super::history::{Recorder, page};
use super::{BRIDGE, app, get, get_with, history, router, staffed, town};

async fn json(router: &axum::Router, address: &str) -> Value {
    let answer = get(router, address).await;
    assert_eq!(answer.status, StatusCode::OK, "{address}: {}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

pub(super) async fn document(router: &axum::Router) -> Value {
    json(router, "/api/v1/openapi.json").await
}

/// Says where `value` is not what `schema` describes.
pub(super) fn faults(document: &Value, schema: &Value, value: &Value, place: &str) -> Vec<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let found = document.pointer(reference.trim_start_matches('#')).expect("a reference leads somewhere");
        return faults(document, found, value, place);
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let merged = parts.iter().map(|part| resolved(document, part)).fold(Value::Null, merge);
        return faults(document, &merged, value, place);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let all: Vec<Vec<String>> =
            choices.iter().map(|choice| faults(document, choice, value, place)).collect();
        return if all.iter().any(Vec::is_empty) { Vec::new() } else { all.concat() };
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        Value::String(kind) => vec![kind],
        _ => return Vec::new(),
    };
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) if kinds.contains(&"number") => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if !kinds.contains(&kind) {
        return vec![format!("{place} is {kind}, not {kinds:?}")];
    }
    let mut found = Vec::new();
    if let (Some(properties), Some(object)) = (schema["properties"].as_object(), value.as_object()) {
        for key in object.keys().filter(|key| !properties.contains_key(*key)) {
            found.push(format!("{place}.{key} is not described"));
        }
        for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(key) {
                found.push(format!("{place}.{key} is missing"));
            }
        }
        for (key, value) in object {
            found.extend(faults(
                document,
                &properties.get(key).cloned().unwrap_or_default(),
                value,
                &format!("{place}.{key}"),
            ));
        }
    }
    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
        found.extend(faults(document, &schema["items"], item, &format!("{place}[{number}]")));
    }
    found
}

fn resolved(document: &Value, schema: &Value) -> Value {
    let reference = schema["$ref"].as_str().map(|reference| reference.trim_start_matches('#').to_owned());
    reference.map_or_else(|| schema.clone(), |reference| document.pointer(&reference).unwrap().clone())
}

fn merge(one: Value, other: Value) -> Value {
    let (Value::Object(mut one), Value::Object(other)) = (one, other.clone()) else { return other };
    for (key, value) in other {
        let value = match (one.get(&key), value) {
            (Some(Value::Object(old)), Value::Object(new)) => {
                Value::Object(old.clone().into_iter().chain(new).collect())
            }
            (Some(Value::Array(old)), Value::Array(new)) => {
                Value::Array(old.iter().cloned().chain(new).collect())
            }
            (_, value) => value,
        };
        one.insert(key, value);
    }
    Value::Object(one)
}

#[tokio::test]
async fn every_operation_answers_as_its_document_says() {
    let (router, _) = staffed(history::town().await, Access::for_everybody());
    let document = document(&router).await;
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{}", document["openapi"]);
    let paths = document["paths"].as_object().unwrap();
    let reads = paths.iter().filter(|(_, item)| item["get"].is_object());
    assert_eq!(reads.clone().count(), 15);
    for (path, item) in reads {
        let address = path.replace("{site}", "example.org-town").replace("{crawl}", "crawl-2026-11-16");
        let address = format!("{address}?{BRIDGE}&kind=&q=bridge");
        // Of lists with changes, those that match nothing say little.
        let address = if path.ends_with("/changes") { address.replace("&q=bridge", "") } else { address };
        let answer = json(&router, &address).await;
        let schema = &item["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        assert!(schema.is_object(), "{path} is not described");
        assert_eq!(faults(&document, schema, &answer, ""), Vec::<String>::new(), "{path}");
    }
}

#[tokio::test]
async fn a_wrong_answer_would_be_noticed() {
    let document = document(&town().await).await;
    let schema = &document["components"]["schemas"]["CrawlView"];
    let found = faults(&document, schema, &serde_json::json!({ "id": 1, "colour": "red" }), "");
    assert!(found.iter().any(|fault| fault == ".colour is not described"), "{found:?}");
    assert!(found.iter().any(|fault| fault == ".id is integer, not [\"string\"]"), "{found:?}");
    assert!(found.iter().any(|fault| fault == ".site is missing"), "{found:?}");
}

#[tokio::test]
async fn cursors_lead_through_a_list_once() {
    let mut site = Recorder::new(MemoryStore::default(), "long", "https://long.example/").await;
    let paths: Vec<String> = (0..25).map(|number| format!("/{}/{number:02}", number % 3)).collect();
    let answers: Vec<_> = paths.iter().map(|path| (path.as_str(), page("Page", &["text"]))).collect();
    for day in 10..16 {
        site.crawl(&format!("crawl-2026-11-{day}"), &answers, Some(Ending::Complete)).await;
    }
    let router = router(app(site.into_store()));
    for (list, items, key, expected) in [
        ("/api/v1/sites/long/crawls/crawl-2026-11-10/changes", "changes", "url", 25),
        ("/api/v1/sites/long/crawls", "items", "id", 6),
    ] {
        let mut seen: Vec<String> = Vec::new();
        let mut cursor = String::new();
        loop {
            let answer = json(&router, &format!("{list}?limit=4&cursor={cursor}")).await;
            let shown = answer[items].as_array().unwrap();
            assert!(shown.len() <= 4);
            seen.extend(shown.iter().map(|item| item[key].as_str().unwrap().to_owned()));
            let Some(next) = answer["next"].as_str() else { break };
            cursor = next.to_owned();
        }
        let count = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!((count, seen.len()), (expected, expected), "{list}");
    }
}

#[tokio::test]
async fn how_often_a_page_changes_is_null_before_anything_could_be_seen_and_never_a_negative_zero() {
    let mut site = Recorder::new(MemoryStore::default(), "new", "https://new.example/").await;
    let answers = [("/", page("Home", &["text"]))];
    site.crawl("crawl-2026-11-09", &answers, Some(Ending::Complete)).await;
    site.crawl("crawl-2026-11-16", &answers, Some(Ending::Complete)).await;
    let router = router(app(site.into_store()));
    let first = json(&router, "/api/v1/sites/new/crawls/crawl-2026-11-09").await;
    assert!(first["counts"]["mean_change_frequency"].is_null(), "{first}");
    let second = json(&router, "/api/v1/sites/new/crawls/crawl-2026-11-16").await;
    assert!(second["counts"]["mean_change_frequency"].as_f64().unwrap() > 0.0, "{second}");
    let page = json(&router, "/api/v1/sites/new/page?url=https://new.example/").await;
    let estimated = page["frequency"]["estimated_changes_a_day"].as_f64().unwrap();
    assert!(estimated == 0.0 && estimated.is_sign_positive(), "{page}");

    let mut site = Recorder::new(MemoryStore::default(), "new", "https://new.example/").await;
    site.crawl("crawl-2026-11-09", &answers, Some(Ending::Complete)).await;
    let router = self::router(app(site.into_store()));
    let page = json(&router, "/api/v1/sites/new/page?url=https://new.example/").await;
    let frequency = &page["frequency"];
    assert!(frequency["changes_a_day"].is_null() && frequency["estimated_changes_a_day"].is_null(), "{page}");
    assert_eq!(frequency["meaning"], "not known yet");
}

#[tokio::test]
async fn what_a_client_holds_is_not_sent_again() {
    let router = town().await;
    for address in ["/api/v1/sites", "/api/v1/openapi.json", "/feeds/example.org-town.atom"] {
        let first = get(&router, address).await;
        let tag = first.header("etag").to_owned();
        assert_eq!(tag.len(), 34, "{address}");
        let second = get_with(&router, address, &[("if-none-match", &tag)]).await;
        assert_eq!((second.status, second.body.as_str()), (StatusCode::NOT_MODIFIED, ""), "{address}");
        assert_eq!(second.header("etag"), tag);
        let other = get_with(&router, address, &[("if-none-match", "\"other\"")]).await;
        assert_eq!(other.body, first.body);
    }
}

#[tokio::test]
async fn errors_are_problem_documents() {
    let router = town().await;
    for (address, status) in [
        ("/api/v1/nope", 404),
        ("/api/v1/sites/nobody", 404),
        ("/api/v1/sites/BAD", 400),
        ("/api/v1/sites/example.org-town/crawls/crawl-2026-11-16/changes?limit=9999", 400),
        ("/api/v1/sites/example.org-town/crawls/crawl-2026-11-16/changes?cursor=x", 422),
        ("/api/v1/sites/example.org-town/page", 400),
        ("/api/v1/sites/park.example/report", 404),
    ] {
        let answer = get(&router, address).await;
        assert_eq!(answer.header("content-type"), "application/problem+json", "{address}");
        let problem: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(
            (answer.status.as_u16(), problem["status"].as_u64()),
            (status, Some(u64::from(status))),
            "{address}"
        );
        assert!(!problem["detail"].as_str().unwrap().is_empty());
    }
}

#[tokio::test]
async fn the_page_to_try_it_leads_to_the_answer_without_javascript() {
    let answer =
        get(&town().await, "/api/try?operation=history&site=example.org-town&url=https://example.org/town")
            .await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    let address = answer.header("location");
    assert_eq!(address, "/api/v1/sites/example%2Eorg%2Dtown/page?url=https%3A%2F%2Fexample.org%2Ftown");
    assert_eq!(get(&town().await, address).await.status, StatusCode::OK);
}
