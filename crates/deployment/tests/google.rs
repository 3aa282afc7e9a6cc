//! Google's interfaces, played by a server that answers as their documentation says: there is no emulator of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use recrawl_core::model::finding::Finding;
use recrawl_deployment::{Endpoints, Google};
use serde_json::{Value, json};

const RUNS_AS: &str = "serviceAccount:crawler-run@p.iam.gserviceaccount.com";
const CALLS: &str = "serviceAccount:crawler-push@p.iam.gserviceaccount.com";
const URL: &str = "https://crawl-fn-1.us-west1.run.app";

/// What is answered, by path; what is not named is not there.
type Answers = BTreeMap<&'static str, (u16, Value)>;

/// A deployment as `infra/` makes it, in good health.
fn healthy() -> Answers {
    let subscription = |name: &str| {
        json!({ "state": "ACTIVE", "pushConfig": {
            "pushEndpoint": format!("{URL}/pubsub/{name}"),
            "oidcToken": { "serviceAccountEmail": "crawler-push@p.iam.gserviceaccount.com" },
        } })
    };
    let job = json!({ "state": "ENABLED", "schedule": "0 3 * * 1", "timeZone": "Etc/UTC",
        "lastAttemptTime": "2026-11-16T03:00:00.123Z", "status": {} });
    let publisher = json!({ "bindings": [{ "role": "roles/pubsub.publisher", "members": [RUNS_AS] }] });
    let image = "us-west1-docker.pkg.dev/p/crawler/crawl-fn:latest";
    let bindings = json!([{ "role": "roles/datastore.user", "members": ["user:a@example.org", RUNS_AS] }]);
    let invoker = json!([{ "role": "roles/run.invoker", "members": [CALLS] }]);
    Answers::from([
        ("/v1/projects/p/databases/(default)", (200, json!({ "locationId": "us-west1" }))),
        (
            "/v2/projects/p/locations/us-west1/services/crawl-fn",
            (
                200,
                json!({
                    "urls": [URL],
                    "terminalCondition": { "state": "CONDITION_SUCCEEDED" },
                    "template": {
                        "serviceAccount": "crawler-run@p.iam.gserviceaccount.com",
                        "containers": [{ "image": image }],
                    },
                }),
            ),
        ),
        (
            "/v2/projects/p/locations/us-west1/services/crawl-fn:getIamPolicy",
            (200, json!({ "bindings": invoker })),
        ),
        ("/v1/projects/p:getIamPolicy", (200, json!({ "bindings": bindings }))),
        ("/v1/projects/p/locations/us-west1/jobs/weekly", (200, job.clone())),
        ("/v1/projects/p/locations/us-west1/jobs/tick", (200, job)),
        ("/v1/projects/p/subscriptions/crawl", (200, subscription("crawl"))),
        ("/v1/projects/p/subscriptions/archive", (200, subscription("archive"))),
        ("/v1/projects/p/subscriptions/tick", (200, subscription("tick"))),
        ("/v1/projects/p/topics/crawl:getIamPolicy", (200, publisher.clone())),
        ("/v1/projects/p/topics/changed-pages:getIamPolicy", (200, publisher.clone())),
        ("/v1/projects/p/topics/archive:getIamPolicy", (200, publisher)),
        ("/v3/projects/p/timeSeries", (200, json!({}))),
        ("/v2/entries:list", (200, json!({}))),
    ])
}

/// Serves the answers, and looks.
async fn look(answers: Answers) -> BTreeMap<String, Finding> {
    async fn answer(State(answers): State<Arc<Answers>>, uri: Uri) -> (StatusCode, String) {
        let (status, value) = answers.get(uri.path()).cloned().unwrap_or((404, json!({})));
        // Both metrics come from one path.
        let metric = value.get(if uri.query().is_some_and(|query| query.contains("oldest")) {
            "oldest"
        } else {
            "dead"
        });
        (StatusCode::from_u16(status).unwrap(), metric.unwrap_or(&value).to_string())
    }
    let router = Router::new().fallback(answer).with_state(Arc::new(answers));
    let listener = tokio::net::TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let at = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let endpoints = Endpoints {
        firestore: at.clone(),
        logging: at.clone(),
        monitoring: at.clone(),
        pubsub: at.clone(),
        resource_manager: at.clone(),
        run: at.clone(),
        scheduler: at,
    };
    let found = Google::anonymous(endpoints, "p").unwrap().look().await;
    found.into_iter().map(|finding| (finding.what.to_string(), finding)).collect()
}

#[tokio::test]
async fn a_healthy_deployment_is_told_as_such() {
    let found = look(healthy()).await;
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    let expected = [
        "dead letters",
        "image",
        "job tick",
        "job weekly",
        "log",
        "oldest message",
        "permissions",
        "subscriptions",
    ];
    assert_eq!(names, expected);
    assert!(found.values().all(|finding| finding.ok && finding.advice.is_none()), "{found:#?}");
    assert!(found["image"].found.ends_with("crawl-fn:latest"));
    assert_eq!(found["job weekly"].found, "0 3 * * 1 (Etc/UTC), ran at 2026-11-16T03:00:00");
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table of faults")]
async fn each_fault_is_told_by_its_name_and_with_what_to_do() {
    let (service, service_policy) = (
        "/v2/projects/p/locations/us-west1/services/crawl-fn",
        "/v2/projects/p/locations/us-west1/services/crawl-fn:getIamPolicy",
    );
    let with_image = |image: &str| {
        let mut value = healthy()[service].1.clone();
        value["template"]["containers"][0]["image"] = image.into();
        value
    };
    let series = |name: &str, value: &str| {
        json!({ "timeSeries": [{
            "resource": { "labels": { "subscription_id": name } },
            "points": [{ "value": { "int64Value": value } }],
        }] })
    };
    let mut fails = healthy()[service].1.clone();
    fails["terminalCondition"] = json!({ "state": "CONDITION_FAILED", "message": "no secret" });
    for (path, answer, what, expected) in [
        (
            service,
            (200, with_image("us-docker.pkg.dev/cloudrun/container/hello")),
            "image",
            "still Google's placeholder",
        ),
        (service, (200, fails), "image", "does not start: no secret"),
        (service, (404, json!({})), "image", "there is no service crawl-fn"),
        (service_policy, (200, json!({})), "permissions", "Pub/Sub may not call the service"),
        (service_policy, (403, json!({})), "permissions", "not looked at: you may not look at it"),
        (
            "/v1/projects/p:getIamPolicy",
            (200, json!({})),
            "permissions",
            "the service may not use the database (roles/datastore.user)",
        ),
        (
            "/v1/projects/p/topics/archive:getIamPolicy",
            (200, json!({})),
            "permissions",
            "may not publish to archive",
        ),
        (
            "/v1/projects/p/locations/us-west1/jobs/tick",
            (200, json!({ "state": "PAUSED" })),
            "job tick",
            "it is paused",
        ),
        (
            "/v1/projects/p/locations/us-west1/jobs/weekly",
            (200, json!({ "state": "ENABLED", "status": { "code": 5, "message": "no topic" } })),
            "job weekly",
            "failed with code 5: no topic",
        ),
        ("/v1/projects/p/locations/us-west1/jobs/weekly", (404, json!({})), "job weekly", "it is not there"),
        ("/v1/projects/p/subscriptions/tick", (404, json!({})), "subscriptions", "tick is not there"),
        ("/v1/projects/p/subscriptions/tick", (200, json!({})), "subscriptions", "tick calls nobody"),
        (
            "/v1/projects/p/subscriptions/crawl",
            (200, json!({ "pushConfig": { "pushEndpoint": "https://elsewhere.example/pubsub/crawl" } })),
            "subscriptions",
            "which is not the service",
        ),
        (
            "/v3/projects/p/timeSeries",
            (200, json!({ "oldest": series("crawl", "7300"), "dead": {} })),
            "oldest message",
            "2 hours old, in crawl",
        ),
        (
            "/v3/projects/p/timeSeries",
            (200, json!({ "oldest": {}, "dead": series("archive-dead", "3") })),
            "dead letters",
            "3 in archive-dead",
        ),
        (
            "/v2/entries:list",
            (
                200,
                json!({ "entries": [{
                "timestamp": "2026-11-16T03:00:00.5Z",
                "jsonPayload": { "message": "no\ntopic" },
            }] }),
            ),
            "log",
            "an error at 2026-11-16T03:00:00: no topic",
        ),
        (
            "/v2/entries:list",
            (503, json!({ "error": { "message": "come again" } })),
            "log",
            "not looked at: status 503 Service Unavailable: come again",
        ),
        (
            "/v2/entries:list",
            (403, json!({ "error": { "message": "Cloud Logging API has not been used in project p" } })),
            "log",
            "has not been used",
        ),
        ("/v1/projects/p/databases/(default)", (404, json!({})), "region", "it is not there"),
    ] {
        let mut answers = healthy();
        answers.insert(path, answer);
        let found = look(answers).await;
        let finding = found.get(what).unwrap_or_else(|| panic!("{path}: {found:#?}"));
        assert!(!finding.ok && finding.found.contains(expected), "{path}: {finding:?}");
        assert!(finding.advice.as_ref().is_some_and(|advice| !advice.is_empty()), "{path}: {finding:?}");
    }
}

#[tokio::test]
async fn what_may_wait_is_not_told_as_a_fault() {
    let mut answers = healthy();
    let point = json!([{ "value": { "int64Value": "120" } }]);
    let series = json!({ "timeSeries": [{ "resource": { "labels": { "subscription_id": "crawl" } }, "points": point }] });
    answers.insert("/v3/projects/p/timeSeries", (200, json!({ "oldest": series, "dead": {} })));
    let found = look(answers).await;
    assert_eq!(found["oldest message"], Finding::ok("oldest message", "2 minutes old, in crawl"));
}

/// What is looked at is what `infra/` makes.
#[test]
fn names_and_roles_are_those_of_the_deployment() {
    let infra =
        |file: &str| std::fs::read_to_string(format!("{}/../../infra/{file}", env!("CARGO_MANIFEST_DIR")));
    let [jobs, run, pubsub, iam] =
        ["scheduler.tf", "run.tf", "pubsub.tf", "iam.tf"].map(|file| infra(file).unwrap());
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for job in ["weekly", "tick"] {
        assert!(flat(&jobs).contains(&format!("name = \"{job}\"")), "{job}");
    }
    assert!(flat(&run).contains("name = \"crawl-fn\""));
    for pushed in ["crawl", "archive", "tick"] {
        assert!(flat(&pubsub).contains(&format!("{pushed} = {{ path = \"/pubsub/{pushed}\"")), "{pushed}");
    }
    let published = "published = toset([\"crawl\", \"changed-pages\", \"archive\"])";
    assert!(flat(&pubsub).contains(published), "{pubsub}");
    for role in ["roles/datastore.user", "roles/pubsub.publisher", "roles/run.invoker"] {
        assert!(iam.contains(&format!("\"{role}\"")), "{role}");
    }
}
