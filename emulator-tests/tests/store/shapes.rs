//! Documents as others see them: through the plain REST interface, with nothing of the store's own reading.

use emulator_tests::{Emulator, fresh_project};
use recrawl_core::model::crawl::{Ending, Operations};
use recrawl_core::model::ids::{ContentHash, SiteId};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Contents, History, Store};
use recrawl_testkit::contract::samples::{
    FIRST, SECOND, closed, content, crawl, crawl_id, open, page, record, record_of, site, site_id,
};
use serde_json::{Value, json};

use super::store_in;

/// The database of a project, read through REST.
struct Database {
    documents: String,
    client: reqwest::Client,
}

impl Database {
    fn of(project: &str) -> Self {
        let documents =
            format!("{}/v1/projects/{project}/databases/(default)/documents", Emulator::firestore().url());
        Self { documents, client: reqwest::Client::new() }
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self.client.get(format!("{}/{path}", self.documents)).send().await.unwrap();
        serde_json::from_str(&answer.text().await.unwrap()).unwrap()
    }

    async fn fields(&self, path: &str) -> Value {
        let document = self.get(path).await;
        assert!(document["fields"].is_object(), "{path}: {document}");
        document["fields"].clone()
    }

    async fn where_true(&self, parent: &str, collection: &str, field: &str) -> Vec<String> {
        let query = json!({"structuredQuery": {
            "from": [{"collectionId": collection}],
            "where": {"fieldFilter": {
                "field": {"fieldPath": field}, "op": "EQUAL", "value": {"booleanValue": true},
            }},
        }});
        let url = format!("{}{parent}:runQuery", self.documents);
        let answer = self.client.post(url).body(query.to_string()).send().await.unwrap();
        let answers: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
        let urls = answers.as_array().unwrap().iter();
        let urls = urls.filter_map(|answer| answer["document"]["fields"]["url"]["stringValue"].as_str());
        urls.map(str::to_owned).collect()
    }
}

/// Returns the names of fields with their types, sorted; those of maps with a dot.
fn types(fields: &Value) -> Vec<String> {
    let mut types = Vec::new();
    for (name, value) in fields.as_object().unwrap() {
        let (kind, inner) = value.as_object().unwrap().iter().next().unwrap();
        if kind == "mapValue" {
            types.extend(self::types(&inner["fields"]).into_iter().map(|inner| format!("{name}.{inner}")));
        } else {
            types.push(format!("{name}: {}", kind.trim_end_matches("Value")));
        }
    }
    types.sort();
    types
}

#[tokio::test]
async fn a_page_has_the_promised_fields_and_a_native_reference() {
    let project = fresh_project();
    let store = store_in(&project).await;
    open(&store, "default").await;
    let content = content("text");
    store.record(&record_of("default", FIRST, "/a", &content), Some(&content)).await.unwrap();
    let database = Database::of(&project);
    let fields = database.fields(&format!("{FIRST}/{}", ContentHash::from(page("/a").digest()))).await;
    assert_eq!(
        types(&fields),
        [
            "archive.attempts: integer",
            "archive.captured_at: timestamp",
            "archive.due_at: timestamp",
            "archive.error: string",
            "archive.job_id: string",
            "archive.not_before: timestamp",
            "archive.requested_at: timestamp",
            "archive.state: string",
            "archive.wayback_url: string",
            "changed: boolean",
            "content: reference",
            "details: bytes",
            "error: string",
            "fetched_at: timestamp",
            "headers.etag: string",
            "headers.last-modified: string",
            "headers.location: string",
            "new: boolean",
            "status: integer",
            "tier: integer",
            "url: string",
            "verdict: string",
        ]
    );
    let reference = fields["content"]["referenceValue"].as_str().unwrap();
    assert_eq!(
        reference,
        format!("projects/{project}/databases/(default)/documents/content/{}", content.hash)
    );
    let fields = database.fields(&format!("content/{}", content.hash)).await;
    assert_eq!(
        types(&fields),
        [
            "body: bytes",
            "canonical: string",
            "directives.nofollow: boolean",
            "directives.noindex: boolean",
            "has_body: boolean",
            "language: string",
            "media_type: string",
            "named_at: timestamp",
            "outbound_links: array",
            "outline: bytes",
            "rules: string",
            "semantic_hash: string",
            "signatures.links: integer",
            "signatures.media: integer",
            "signatures.meta: integer",
            "size: integer",
            "text: string",
            "title: string",
        ]
    );
    let first = &fields["outbound_links"]["arrayValue"]["values"][0]["stringValue"];
    assert_eq!(first, "https://example.org/b");
}

#[tokio::test]
async fn a_query_for_changed_or_new_gives_just_those() {
    let project = fresh_project();
    let store = store_in(&project).await;
    for (name, parent) in [("default", ""), ("other", "/sites/other")] {
        open(&store, name).await;
        for verdict in Verdict::ALL {
            let mut record = record(name, SECOND, &format!("/{verdict}"));
            record.visit.verdict = verdict;
            store.record(&record, None).await.unwrap();
        }
        let database = Database::of(&project);
        let mut changed = database.where_true(parent, SECOND, "changed").await;
        changed.sort();
        assert_eq!(changed, ["https://example.org/changed", "https://example.org/moved"]);
        assert_eq!(database.where_true(parent, SECOND, "new").await, ["https://example.org/new"]);
    }
}

#[tokio::test]
async fn a_crawl_is_null_until_it_is_closed() {
    let project = fresh_project();
    let store = store_in(&project).await;
    let name = site_id("default");
    store.save_site(&site("default")).await.unwrap();
    store.open_crawl(&crawl("default", FIRST)).await.unwrap();
    let database = Database::of(&project);
    let fields = database.fields(&format!("crawls/{FIRST}")).await;
    assert_eq!(fields["closed_at"], json!({"nullValue": null}));
    assert_eq!(fields["root"], json!({"stringValue": "https://example.org/"}));
    assert_eq!(fields["settings"]["mapValue"]["fields"]["max_depth"], json!({"integerValue": "7"}));
    store.close_crawl(&name, crawl_id(FIRST), &closed(Ending::Complete)).await.unwrap();
    let fields = database.fields(&format!("crawls/{FIRST}")).await;
    assert_eq!(fields["closed_at"], json!({"timestampValue": "2026-11-02T03:14:05.123456Z"}));
    assert_eq!(fields["ending"], json!({"stringValue": "complete"}));
    assert_eq!(fields["statistics"]["mapValue"]["fields"]["total"], json!({"integerValue": "55"}));
    assert_eq!(fields["mode"], json!({"stringValue": "incremental"}));
    let fields = database.fields("sites/default").await;
    assert_eq!(fields["root"], json!({"stringValue": "https://example.org/"}));
}

#[tokio::test]
async fn sites_have_contents_of_their_own_and_both_are_found() {
    let project = fresh_project();
    let store = store_in(&project).await;
    open(&store, "default").await;
    open(&store, "other").await;
    let (here, there) = (content("here"), content("there"));
    store.record(&record_of("default", FIRST, "/", &here), Some(&here)).await.unwrap();
    store.record(&record_of("other", FIRST, "/", &there), Some(&there)).await.unwrap();
    let database = Database::of(&project);
    database.fields(&format!("content/{}", here.hash)).await;
    database.fields(&format!("sites/other/content/{}", there.hash)).await;
    assert!(database.get(&format!("content/{}", there.hash)).await["error"].is_object());
    // Also by a process that has not heard of either site.
    for store in [store, store_in(&project).await] {
        for (name, content, other) in [("default", &here, &there), ("other", &there, &here)] {
            let site = site_id(name);
            let links = store.links(&site, &[content.hash, other.hash]).await.unwrap();
            assert_eq!(links, [Some(content.extracted.links.clone()), None]);
            let text = store.text(&site, &content.extracted.semantic).await.unwrap();
            assert_eq!(text.as_ref(), Some(&content.extracted.text));
            assert_eq!(store.body(&site, &content.reference()).await.unwrap(), content.body);
        }
    }
}

#[tokio::test]
async fn operations_are_added_up_over_ticks_and_processes() {
    let project = fresh_project();
    let store = store_in(&project).await;
    open(&store, "default").await;
    let (name, first): (SiteId, _) = (site_id("default"), crawl_id(FIRST));
    assert_eq!(store.operations(&name, first).await.unwrap(), None);
    let some = Operations { reads: 5, writes: 3, deletes: 2, messages: 1, stored_bytes: 7, busy_ms: 9 };
    for instance in ["one", "one", "another/with a slash"] {
        store.save_operations(&name, first, instance, some).await.unwrap();
    }
    let sum = Operations { reads: 15, writes: 9, deletes: 6, messages: 3, stored_bytes: 21, busy_ms: 27 };
    assert_eq!(store.operations(&name, first).await.unwrap(), Some(sum));
    assert_eq!(store.operations(&name, crawl_id(SECOND)).await.unwrap(), None);
}

#[tokio::test]
async fn every_billed_operation_is_counted() {
    let store = store_in(&fresh_project()).await;
    let before = || store.counted();
    let start = before();
    store.save_site(&site("default")).await.unwrap();
    assert_eq!(before().writes - start.writes, 1);
    store.open_crawl(&crawl("default", FIRST)).await.unwrap();
    let opened = before();
    let content = content("text");
    store.record(&record_of("default", FIRST, "/", &content), Some(&content)).await.unwrap();
    let recorded = before();
    assert_eq!((recorded.writes - opened.writes, recorded.reads - opened.reads), (2, 1));
    store.record(&record_of("default", FIRST, "/2", &content), None).await.unwrap();
    let again = before();
    assert_eq!((again.writes - recorded.writes, again.reads - recorded.reads), (1, 0));
    store.records(&site_id("default"), crawl_id(FIRST), &[], None, 10).await.unwrap();
    assert_eq!(before().reads - again.reads, 2);
    store.records(&site_id("default"), crawl_id(SECOND), &[], None, 10).await.unwrap();
    assert_eq!(before().reads - again.reads, 3, "a query that finds nothing costs one");
    let compared = before();
    store.readings(&site_id("default"), &[content.reference()]).await.unwrap();
    assert_eq!(before().reads - compared.reads, 1, "a text with its outline is one read");
    let records = ["/", "/2"].map(|path| record_of("default", FIRST, path, &content));
    let settled = before();
    store.settle(&site_id("default"), crawl_id(FIRST), &records).await.unwrap();
    let after = before();
    assert_eq!(
        (after.writes - settled.writes, after.reads - settled.reads),
        (2, 2),
        "how they were found is read"
    );
}
