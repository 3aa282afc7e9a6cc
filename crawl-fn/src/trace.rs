//! The trace that a request belongs to.

use axum::http::HeaderMap;

/// Returns the trace of a request as Cloud Logging names it.
pub(crate) fn trace(headers: &HeaderMap, project: &str) -> Option<String> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let google = text("x-cloud-trace-context").and_then(|value| value.split(['/', ';']).next());
    let standard = text("traceparent").and_then(|value| value.split('-').nth(1));
    let id = google.filter(is_trace).or(standard.filter(is_trace))?;
    Some(format!("projects/{project}/traces/{}", id.to_ascii_lowercase()))
}

fn is_trace(id: &&str) -> bool {
    id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) && id.bytes().any(|byte| byte != b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trace_is_read_from_either_header() {
        let id = "0af7651916cd43dd8448eb211c80319c";
        let expected = Some(format!("projects/p/traces/{id}"));
        for (name, value, expected) in [
            ("x-cloud-trace-context", format!("{id}/123;o=1"), &expected),
            ("x-cloud-trace-context", id.to_uppercase(), &expected),
            ("traceparent", format!("00-{id}-b7ad6b7169203331-01"), &expected),
            ("traceparent", "00-00000000000000000000000000000000-b7ad6b7169203331-01".to_owned(), &None),
            ("traceparent", "nonsense".to_owned(), &None),
            ("x-cloud-trace-context", "\",\"severity\":\"EMERGENCY".to_owned(), &None),
        ] {
            let name: axum::http::HeaderName = name.parse().unwrap();
            let headers = HeaderMap::from_iter([(name, value.parse().unwrap())]);
            assert_eq!(trace(&headers, "p"), *expected, "{value}");
        }
        assert_eq!(trace(&HeaderMap::new(), "p"), None);
    }
}
