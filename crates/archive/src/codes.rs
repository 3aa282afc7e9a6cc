//! Error codes of Save Page Now, and what can be done about each.

/// What can be done where a page was not captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// The same page may succeed soon.
    Retry,
    /// The service has enough of us for a moment: every page waits.
    Pause,
    /// This page may succeed tomorrow.
    Tomorrow,
    /// Every page may succeed tomorrow.
    AllTomorrow,
    /// It will never succeed.
    Never,
}

/// Returns what can be done about a `status_ext`, such as `error:no-access`.
///
/// The documentation lists codes and not what to do about them. A code that it does not list may mean
/// anything; attempts are limited, so it is tried again.
pub fn remedy(status_ext: &str) -> Remedy {
    match status_ext.trim_start_matches("error:") {
        "user-session-limit" => Remedy::Pause,
        "too-many-daily-captures" | "max-daily-bandwidth-host" | "bandwidth-limit-exceeded" => {
            Remedy::Tomorrow
        }
        "blocked-client-ip" => Remedy::AllTomorrow,
        code if code.starts_with("max-daily-bandwidth") => Remedy::AllTomorrow,
        "bad-request"
        | "blocked"
        | "blocked-url"
        | "filesize-limit"
        | "ftp-access-denied"
        | "http-version-not-supported"
        | "invalid-host-resolution"
        | "invalid-url"
        | "invalid-url-syntax"
        | "method-not-allowed"
        | "network-authentication-required"
        | "no-access"
        | "not-found"
        | "not-implemented"
        | "too-many-redirects"
        | "unauthorized" => Remedy::Never,
        // System errors of the service, and servers in trouble: bad-gateway, browsing-timeout, cannot-fetch,
        // capture-location-error, celery, gateway-timeout, internal-server-error, invalid-server-response,
        // job-failed, no-browsers-available, protocol-error, proxy-error, read-timeout, service-unavailable,
        // soft-time-limit-exceeded, too-many-requests (the page's host delays the service), and unknown ones.
        _ => Remedy::Retry,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_code_has_its_remedy() {
        let cases = [
            (
                Remedy::Retry,
                "bad-gateway browsing-timeout cannot-fetch capture-location-error celery gateway-timeout \
                 internal-server-error invalid-server-response job-failed no-browsers-available protocol-error \
                 proxy-error read-timeout service-unavailable soft-time-limit-exceeded too-many-requests",
            ),
            (Remedy::Pause, "user-session-limit"),
            (Remedy::Tomorrow, "too-many-daily-captures max-daily-bandwidth-host bandwidth-limit-exceeded"),
            (
                Remedy::AllTomorrow,
                "max-daily-bandwidth max-daily-bandwidth-from-ip max-daily-bandwidth-new blocked-client-ip",
            ),
            (
                Remedy::Never,
                "bad-request blocked blocked-url filesize-limit ftp-access-denied http-version-not-supported \
                 invalid-host-resolution invalid-url invalid-url-syntax method-not-allowed \
                 network-authentication-required no-access not-found not-implemented too-many-redirects \
                 unauthorized",
            ),
            (Remedy::Retry, "never-heard-of blocked-on-mondays not-found-yet"),
        ];
        for (expected, codes) in cases {
            for code in codes.split_whitespace() {
                assert_eq!(remedy(&format!("error:{code}")), expected, "{code}");
                assert_eq!(remedy(code), expected, "{code}");
            }
        }
        assert_eq!(remedy(""), Remedy::Retry);
    }
}
