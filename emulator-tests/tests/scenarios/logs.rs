//! What must never stand in a log.

use emulator_tests::cloud::Cloud;
use recrawl_testkit::save_page_now::SavePageNow;
use serde_json::Value;

/// Asserts that the log is made of JSON lines and holds no key, ETag or body.
pub(crate) fn hold_nothing_secret(cloud: &Cloud) {
    let log = cloud.service.log();
    assert!(log.lines().count() > 10, "there is a log to look at:\n{log}");
    for line in log.lines() {
        let entry: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(entry["severity"].is_string(), "{line}");
    }
    let (access, secret) = SavePageNow::KEYS.split_once(':').unwrap();
    for forbidden in [access, secret, "Authorization", "A permit costs", "Open from nine to five", "<main>"] {
        assert!(!log.contains(forbidden), "{forbidden} is in the log");
    }
    let etags = cloud.site.log().into_iter().filter_map(|request| {
        let etag = request.header("if-none-match")?.trim_start_matches("W/").trim_matches('"').to_owned();
        Some(etag)
    });
    let etags: Vec<String> = etags.collect();
    assert!(!etags.is_empty(), "a second crawl asks conditionally");
    for etag in etags {
        assert!(!log.contains(&etag), "the ETag {etag} is in the log");
    }
}
