use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use recrawl_web::access::Access;
use scraper::{Html, Selector};
use serde_json::{Value, json};

use super::api::{document, faults};
use super::forms::Browser;
use super::{Answered, BRIDGE, ask, get, history, staffed, town};

const TOWN: &str = "/api/v1/sites/example.org-town";

type Write = (&'static str, String, Option<Value>, Vec<&'static str>, u16);

/// Every write: method, address, what is sent, what is asked for, and the status of the answer.
fn writes() -> Vec<Write> {
    let rules = json!({ "selectors": [".x"], "patterns": ["Open"] });
    let wish = json!({ "root": "https://new.example/", "exclude": ["/b"] });
    let schedule = json!({ "cron": "0 1 * * *", "time_zone": "UTC" });
    vec![
        ("POST", format!("{TOWN}/start"), None, vec!["start example.org-town"], 202),
        ("POST", format!("{TOWN}/pause"), None, vec!["pause example.org-town"], 202),
        ("POST", format!("{TOWN}/stop"), None, vec!["stop example.org-town"], 202),
        (
            "POST",
            "/api/v1/sites".to_owned(),
            Some(wish.clone()),
            vec!["add https://new.example/ None None"],
            201,
        ),
        (
            "POST",
            "/api/v1/sites/preview".to_owned(),
            Some(wish),
            // It has begun, and it is over.
            vec!["look https://new.example/ [] [\"/b\"]", "look https://new.example/ [] [\"/b\"]"],
            200,
        ),
        (
            "POST",
            format!("{TOWN}/rename"),
            Some(json!({ "name": "city" })),
            vec!["rename example.org-town city"],
            200,
        ),
        ("DELETE", TOWN.to_owned(), None, vec!["remove example.org-town"], 202),
        (
            "PUT",
            format!("{TOWN}/schedule"),
            Some(schedule),
            vec!["schedule example.org-town Some(\"0 1 * * *\")"],
            200,
        ),
        ("PUT", format!("{TOWN}/schedule"), Some(Value::Null), vec!["schedule example.org-town None"], 200),
        (
            "PUT",
            format!("{TOWN}/rules"),
            Some(rules.clone()),
            vec!["rules example.org-town [\".x\"] [\"Open\"]"],
            200,
        ),
        ("POST", format!("{TOWN}/rules/preview?{BRIDGE}"), Some(rules), vec![], 200),
        (
            "POST",
            format!("{TOWN}/archive"),
            Some(json!({ "url": "https://example.org/town" })),
            vec!["archive example.org-town https://example.org/town"],
            202,
        ),
        (
            "POST",
            format!("{TOWN}/marks"),
            Some(json!({
                "changes": [{ "crawl": "crawl-2026-11-16", "id": "0123456789abcdef" }],
                "starred": true,
                "note": "Ask the clerk",
            })),
            vec![],
            200,
        ),
        ("POST", "/api/v1/changes/seen?since=30d&kind=changed".to_owned(), None, vec![], 200),
        (
            "POST",
            format!("{TOWN}/crawls/crawl-2026-11-12/accept"),
            None,
            vec!["accept example.org-town crawl-2026-11-12"],
            200,
        ),
    ]
}

async fn write(
    router: &Router,
    method: &str,
    address: &str,
    body: Option<&Value>,
    headers: &[(&str, &str)],
) -> Answered {
    let mut request = Request::builder().method(method).uri(address).header("host", "recrawl.test");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
    ask(router, request.body(body).unwrap()).await
}

const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn every_write_is_done_and_answers_as_its_document_says() {
    for (method, address, body, asked, status) in writes() {
        let browser = Browser::open().await;
        let answer = write(&browser.router, method, &address, body.as_ref(), &[JSON]).await;
        assert_eq!(answer.status.as_u16(), status, "{method} {address}: {}", answer.body);
        assert_eq!(browser.asked(), asked, "{method} {address}");
        let document = document(&browser.router).await;
        let path = address.split('?').next().unwrap();
        let path = path.replace("example.org-town", "{site}").replace("crawl-2026-11-12", "{crawl}");
        let described = &document["paths"][path.as_str()][method.to_lowercase()];
        let described = &described["responses"][status.to_string()];
        assert!(described.is_object(), "{method} {path} is not described");
        let schema = &described["content"]["application/json"]["schema"];
        if schema.is_object() {
            let value: Value = serde_json::from_str(&answer.body).unwrap();
            assert_eq!(faults(&document, schema, &value, ""), Vec::<String>::new(), "{method} {path}");
        } else {
            assert_eq!(answer.body, "", "{method} {path}");
        }
        if status == 201 {
            assert_eq!(answer.header("location"), "/api/v1/sites/new.example");
        }
    }
}

/// What a caller may get wrong, where everybody may do things and where a token is demanded.
#[tokio::test]
async fn nobody_writes_who_may_not() {
    for (method, address, body, asked, status) in writes() {
        let browser = Browser::open().await;
        let (guarded, harness) = staffed(history::town().await, Access::with_token("open sesame"));
        let cookie = ("cookie", browser.cookie.as_str());
        let bearer = ("authorization", "Bearer open sesame");
        let evil = ("origin", "http://evil.example");
        let cross = ("sec-fetch-site", "cross-site");
        let forged = ("x-recrawl-form-token", "00");
        let text = ("content-type", "text/plain");
        for (what, router, headers, expected) in [
            ("no JSON", &browser.router, vec![], 415),
            ("text of a form", &browser.router, vec![text], 415),
            ("a cookie and no JSON", &browser.router, vec![cookie], 415),
            ("another origin", &browser.router, vec![JSON, evil], 403),
            ("another site", &browser.router, vec![JSON, cross], 403),
            ("a forged form token", &browser.router, vec![JSON, cookie, forged], 403),
            ("no token", &guarded, vec![JSON], 401),
            ("a cookie", &guarded, vec![JSON, cookie], 401),
            ("a wrong token", &guarded, vec![JSON, ("authorization", "Bearer open barley")], 401),
            ("the token from another site", &guarded, vec![JSON, bearer, evil], 403),
        ] {
            let answer = write(router, method, &address, body.as_ref(), &headers).await;
            assert_eq!(answer.status.as_u16(), expected, "{method} {address}: {what}: {}", answer.body);
            assert_eq!(answer.header("content-type"), "application/problem+json", "{address}: {what}");
            let wants_token = answer.header("www-authenticate") == "Bearer";
            assert_eq!(wants_token, expected == 401, "{address}: {what}");
        }
        assert_eq!((browser.asked(), harness.notes.lock().unwrap().asked.len()), (vec![], 0), "{address}");
        let answer = write(&guarded, method, &address, body.as_ref(), &[JSON, bearer]).await;
        assert_eq!(answer.status.as_u16(), status, "{method} {address}: {}", answer.body);
        assert_eq!(harness.notes.lock().unwrap().asked, asked);
    }
}

#[tokio::test]
async fn a_program_with_the_token_need_not_say_that_nothing_is_json() {
    let (router, harness) = staffed(history::town().await, Access::with_token("open sesame"));
    let bearer = [("authorization", "Bearer open sesame")];
    let answer = write(&router, "POST", &format!("{TOWN}/start"), None, &bearer).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.body);
    assert_eq!(harness.notes.lock().unwrap().asked, ["start example.org-town"]);
}

#[tokio::test]
async fn a_page_of_ours_writes_with_the_token_of_its_form() {
    let browser = Browser::open().await;
    let page = browser.get("/api").await;
    let html = Html::parse_document(&page.body);
    let form = Selector::parse("form[data-try='/api/v1/sites/{site}/start']").unwrap();
    let form = html.select(&form).next().unwrap();
    let (name, token) = (form.attr("data-token-header").unwrap(), form.attr("data-token").unwrap());
    let headers = [JSON, ("cookie", browser.cookie.as_str()), (name, token)];
    let answer = write(&browser.router, "POST", &format!("{TOWN}/start"), None, &headers).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.body);
    for (method, address, ..) in writes() {
        let path = address.split('?').next().unwrap().replace("example.org-town", "{site}");
        let path = path.replace("crawl-2026-11-12", "{crawl}");
        let form = format!("form[data-try='{path}'][data-method={method}]");
        assert!(html.select(&Selector::parse(&form).unwrap()).next().is_some(), "{form} is not on the page");
    }
}

#[tokio::test]
async fn what_cannot_be_done_says_why() {
    let browser = Browser::open().await;
    let wish = json!({ "root": "https://new.example/", "colour": "red" });
    let rules = json!({ "patterns": ["("] });
    for (method, address, body, status) in [
        ("POST", "/api/v1/sites/nobody/start".to_owned(), None, 404),
        ("POST", "/api/v1/sites/BAD/start".to_owned(), None, 400),
        ("POST", format!("{TOWN}/crawls/crawl-2020-01-01/accept"), None, 404),
        ("POST", "/api/v1/sites".to_owned(), Some(wish), 422),
        ("POST", "/api/v1/sites".to_owned(), Some(json!({ "root": "nonsense" })), 422),
        ("POST", "/api/v1/sites".to_owned(), None, 400),
        ("POST", format!("{TOWN}/rules/preview?{BRIDGE}"), Some(rules.clone()), 422),
        ("POST", format!("{TOWN}/rules/preview"), Some(rules), 400),
        ("POST", format!("{TOWN}/archive"), Some(json!({ "url": "javascript:1" })), 422),
        ("PUT", format!("{TOWN}/schedule"), Some(json!("weekly")), 422),
        ("DELETE", format!("{TOWN}/rules"), None, 405),
    ] {
        let answer = write(&browser.router, method, &address, body.as_ref(), &[JSON]).await;
        assert_eq!(answer.status.as_u16(), status, "{method} {address}: {}", answer.body);
        assert_eq!(answer.header("content-type"), "application/problem+json", "{address}");
    }
    browser.refuse("not now");
    for (method, address, body, asked, _) in writes() {
        if asked.is_empty() {
            continue;
        }
        let answer = write(&browser.router, method, &address, body.as_ref(), &[JSON]).await;
        let is_typed =
            ["/sites", "/preview", "/rename", "/schedule", "/rules"].iter().any(|end| address.ends_with(end));
        assert_eq!(answer.status.as_u16(), if is_typed { 422 } else { 409 }, "{method} {address}");
        assert!(answer.body.contains("not now"), "{}", answer.body);
    }
}

#[tokio::test]
async fn where_nothing_is_done_the_api_says_so() {
    let router = town().await;
    for (method, address, body, ..) in writes() {
        let bearer = ("authorization", "Bearer open sesame");
        let answer = write(&router, method, &address, body.as_ref(), &[JSON, bearer]).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{method} {address}");
        assert!(answer.body.contains("nothing can be done here"), "{}", answer.body);
    }
    assert_eq!(get(&router, &format!("{TOWN}/state")).await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn more_writes_than_needed_are_refused_and_strangers_do_not_use_them_up() {
    let (router, harness) = staffed(history::town().await, Access::with_token("open sesame"));
    let start = format!("{TOWN}/start");
    for _ in 0..80 {
        assert_eq!(write(&router, "POST", &start, None, &[JSON]).await.status, StatusCode::UNAUTHORIZED);
    }
    let bearer = [("authorization", "Bearer open sesame")];
    for _ in 0..60 {
        assert_eq!(write(&router, "POST", &start, None, &bearer).await.status, StatusCode::ACCEPTED);
    }
    let answer = write(&router, "POST", &start, None, &bearer).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(harness.notes.lock().unwrap().asked.len(), 60);
}

#[tokio::test]
async fn what_people_did_with_changes_is_told_with_them() {
    let (router, _) = staffed(history::town().await, Access::for_everybody());
    let read = async |query: &str| -> Value {
        let answer = get(&router, &format!("/api/v1/changes?since=2026-10-01{query}")).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        serde_json::from_str(&answer.body).unwrap()
    };
    let post =
        async |address: &str, body: Option<&Value>| write(&router, "POST", address, body, &[JSON]).await;
    let all = read("").await;
    let (total, first) = (all["total"].as_u64().unwrap(), &all["changes"][0]);
    assert!(total > 2 && first["seen"] == false && first["note"].is_null(), "{all}");

    let marks = format!("/api/v1/sites/{}/marks", first["site"].as_str().unwrap());
    let change = json!({ "crawl": first["crawl"], "id": first["id"] });
    let noted = json!({ "changes": [change], "seen": true, "note": " Ask the clerk " });
    let answer = post(&marks, Some(&noted)).await;
    let marked: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(
        (&marked["items"][0]["seen"], &marked["items"][0]["note"]),
        (&true.into(), &"Ask the clerk".into())
    );
    let unseen = read("&unseen=true").await;
    assert_eq!(unseen["total"], total - 1);
    assert_eq!(unseen["counts"], read("").await["counts"], "counts tell what else could be chosen");

    let (mut cursor, mut listed) = (String::new(), Vec::new());
    loop {
        let page = read(&format!("&limit=1{cursor}")).await;
        listed.extend(page["changes"].as_array().unwrap().iter().map(|change| change["id"].clone()));
        let Some(next) = page["next"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    let ids: Vec<Value> =
        all["changes"].as_array().unwrap().iter().map(|change| change["id"].clone()).collect();
    assert_eq!(listed, ids);

    let absent = json!({ "changes": [{ "crawl": "crawl-2020-01-01", "id": first["id"] }], "seen": true });
    let long = json!({ "changes": [change], "note": "x".repeat(1_001) });
    for (body, status) in
        [(absent, 404), (long, 422), (json!({ "changes": [{ "crawl": "x", "id": "y" }] }), 422)]
    {
        assert_eq!(post(&marks, Some(&body)).await.status.as_u16(), status, "{body}");
    }
    assert_eq!(get(&router, "/api/v1/changes?since=soon").await.status, StatusCode::BAD_REQUEST);
    assert_eq!(get(&router, "/api/v1/changes?site=nowhere").await.status, StatusCode::NOT_FOUND);

    let seen = post("/api/v1/changes/seen?since=2026-10-01", None).await;
    assert_eq!(serde_json::from_str::<Value>(&seen.body).unwrap()["seen"], total - 1);
    assert_eq!(read("&unseen=true").await["total"], 0);
}
