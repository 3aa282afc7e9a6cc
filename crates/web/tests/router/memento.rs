use axum::http::StatusCode;

use super::{get, get_with, town};

const PAGE: &str = "https://example.org/town/services/bridge";

#[tokio::test]
async fn a_timegate_leads_to_the_version_of_a_time() {
    let router = town().await;
    for (time, stamp) in [
        (None, "20261116030004"),
        (Some("Mon, 16 Nov 2026 03:00:04 GMT"), "20261116030004"),
        (Some("Sun, 15 Nov 2026 00:00:00 GMT"), "20261109030004"),
        (Some("Mon, 02 Nov 2026 00:00:00 GMT"), "20261019030004"),
        (Some("Wed, 01 Jan 2020 00:00:00 GMT"), "20261019030004"),
        (Some("Fri, 01 Jan 2100 00:00:00 GMT"), "20261116030004"),
    ] {
        let headers: Vec<(&str, &str)> = time.map(|time| ("accept-datetime", time)).into_iter().collect();
        let answer = get_with(&router, &format!("/timegate/{PAGE}"), &headers).await;
        assert_eq!(answer.status, StatusCode::FOUND, "{time:?}");
        assert_eq!(
            answer.header("location"),
            format!("http://recrawl.test/memento/{stamp}/{PAGE}"),
            "{time:?}"
        );
        assert_eq!(answer.header("vary"), "accept-datetime");
        assert!(answer.header("link").contains(&format!("<{PAGE}>; rel=\"original\"")));
        assert_eq!(answer.header("memento-datetime"), "");
    }
}

#[tokio::test]
async fn a_memento_says_when_it_was_and_what_is_beside_it() {
    let router = town().await;
    let answer = get(&router, &format!("/memento/20261109030004/{PAGE}")).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("memento-datetime"), "Mon, 09 Nov 2026 03:00:04 GMT");
    assert!(answer.header("content-security-policy").starts_with("sandbox;"));
    assert!(answer.body.contains("open from 9 to 18"), "{}", answer.body);
    insta::assert_snapshot!(answer.header("link").replace(", <", ",\n<"));
    let near = get(&router, &format!("/memento/20261110000000/{PAGE}")).await;
    assert_eq!(near.header("location"), format!("http://recrawl.test/memento/20261109030004/{PAGE}"));
}

#[tokio::test]
async fn a_timemap_lists_every_version() {
    let answer = get(&town().await, &format!("/timemap/link/{PAGE}")).await;
    assert_eq!(answer.header("content-type"), "application/link-format");
    insta::assert_snapshot!(answer.body);
    let second = get(&town().await, &format!("/timemap/link/2/{PAGE}")).await;
    assert_eq!(second.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_query_belongs_to_the_page_and_wrong_requests_are_refused() {
    let router = town().await;
    for (address, status) in [
        (format!("/timegate/{PAGE}?a=1"), StatusCode::NOT_FOUND),
        ("/timegate/https://example.org/never".to_owned(), StatusCode::NOT_FOUND),
        ("/timemap/link/https://example.org/never".to_owned(), StatusCode::NOT_FOUND),
        ("/timegate/not-an-address".to_owned(), StatusCode::BAD_REQUEST),
        (format!("/memento/2026/{PAGE}"), StatusCode::BAD_REQUEST),
        (format!("/timemap/link/0/{PAGE}"), StatusCode::BAD_REQUEST),
    ] {
        assert_eq!(get(&router, &address).await.status, status, "{address}");
    }
    let answer = get_with(&router, &format!("/timegate/{PAGE}"), &[("accept-datetime", "yesterday")]).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
}
