//! The contract of the port, on the fetcher as it is used.

#![expect(clippy::unwrap_used, reason = "a test that fails panics with what came instead")]

use std::time::Duration;

use recrawl_core::url::PageUrl;
use recrawl_fetch::{AddressGuard, HttpFetcher, HttpSettings, Polite};
use recrawl_testkit::fetcher::pace;

fn polite(root: &PageUrl) -> Polite<HttpFetcher> {
    let settings = HttpSettings {
        total_time_out: Duration::from_secs(1),
        ..HttpSettings::new("recrawl-test/1 (+https://example.org/)")
    };
    Polite::new(HttpFetcher::new(settings, AddressGuard::for_root(root)).unwrap(), pace())
}

recrawl_testkit::fetcher_conformance!(polite);
