//! Whether a request was meant for this machine.

use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Refuses requests for names other than those of this machine.
pub(super) async fn is_local(request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    if host.is_some_and(names_this_machine) {
        return next.run(request).await;
    }
    (StatusCode::MISDIRECTED_REQUEST, "This address is for this machine alone.\n").into_response()
}

fn names_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        Some(_) | None => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = |address: std::net::IpAddr| address.is_loopback();
    name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(is_loopback)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for host in
            ["localhost", "localhost:8910", "LOCALHOST", "127.0.0.1:8910", "127.0.0.2", "[::1]:8910", "[::1]"]
        {
            assert!(names_this_machine(host), "{host}");
        }
        for host in [
            "example.org",
            "example.org:8910",
            "127.0.0.1.example.org",
            "192.168.0.1",
            "",
            "localhost.example.org",
        ] {
            assert!(!names_this_machine(host), "{host}");
        }
    }
}
