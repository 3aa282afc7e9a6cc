//! Headers of every answer, and the first look at every request that wants to change something.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::error::WebError;

/// What pages may load: our own files, and nothing else. Nothing runs that stands within a page.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'self'; frame-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What a stored page may do: be looked at. No scripts, no forms, no request to anybody, its own origin.
pub(crate) const STORED_POLICY: &str =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";

const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // Sites that are crawled must not learn who looks at them here. With less, browsers would not even say
    // that a form is sent by a page of ours.
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Refuses writes that another site sent, and adds the headers that an answer has not set itself.
pub(crate) async fn guard(request: Request, next: Next) -> Response {
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let mut response = if is_safe || is_own(request.headers()) {
        next.run(request).await
    } else {
        let error = WebError::Forbidden("this request came from another site".to_owned());
        error.answer_at(request.uri().path())
    };
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Tells whether a request was sent by a page of ours, or by no page at all.
fn is_own(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    // No script can set this one, and no proxy spoils it, as it does the name of the host.
    if let Some(site) = text(HeaderName::from_static("sec-fetch-site")) {
        return site == "same-origin" || site == "none";
    }
    let Some(origin) = text(header::ORIGIN) else { return true };
    let authority = origin.split_once("://").map(|(_, authority)| authority);
    authority.is_some() && authority == text(header::HOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_pages_and_no_page_at_all_may_write() {
        for (origin, site, expected) in [
            (None, None, true),
            (Some("http://here:1"), None, true),
            (Some("https://here:1"), Some("same-origin"), true),
            (Some("null"), Some("same-origin"), true),
            (None, Some("none"), true),
            (Some("http://evil.example"), None, false),
            (Some("http://here:2"), None, false),
            (Some("null"), None, false),
            (Some("http://here:1"), Some("cross-site"), false),
            (None, Some("same-site"), false),
        ] {
            let mut headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static("here:1"))]);
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            }
            if let Some(site) = site {
                headers.insert("sec-fetch-site", HeaderValue::from_static(site));
            }
            assert_eq!(is_own(&headers), expected, "{origin:?} {site:?}");
        }
    }
}
