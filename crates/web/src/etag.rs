//! Entity tags of documents: the hash of what is sent.

use std::fmt::Write as _;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

/// Answers a request that holds what would be sent with a 304, and gives every other answer its entity tag.
pub(crate) async fn answer(request: Request, next: Next) -> Response {
    // The answer to HEAD has no body to hash.
    let is_read = *request.method() == Method::GET;
    let held = request.headers().get(header::IF_NONE_MATCH).cloned();
    let response = next.run(request).await;
    if !is_read || response.status() != StatusCode::OK {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let tag = tag_of(&bytes);
    add_caching(&mut parts.headers, &tag);
    if held.is_some_and(|held| names(&held, &tag)) {
        parts.headers.remove(header::CONTENT_LENGTH);
        parts.headers.remove(header::CONTENT_TYPE);
        parts.status = StatusCode::NOT_MODIFIED;
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(bytes))
}

fn add_caching(headers: &mut HeaderMap, tag: &str) {
    if let Ok(value) = HeaderValue::from_str(tag) {
        headers.insert(header::ETAG, value);
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
}

fn tag_of(bytes: &[u8]) -> String {
    let mut tag = String::from("\"");
    for byte in &Sha256::digest(bytes)[..16] {
        // Writing into a string cannot fail.
        let _ = write!(tag, "{byte:02x}");
    }
    tag + "\""
}

/// Tells whether an `If-None-Match` names `tag`, by the weak comparison of RFC 9110.
fn names(held: &HeaderValue, tag: &str) -> bool {
    let held = held.to_str().unwrap_or_default();
    held.split(',').map(str::trim).any(|one| one == "*" || one.trim_start_matches("W/") == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_found_among_others_and_weak_ones() {
        for (held, expected) in [
            ("\"a\"", true),
            ("W/\"a\"", true),
            ("\"b\", \"a\"", true),
            ("*", true),
            ("\"b\"", false),
            ("a", false),
            ("", false),
        ] {
            assert_eq!(names(&HeaderValue::from_static(held), "\"a\""), expected, "{held}");
        }
    }
}
