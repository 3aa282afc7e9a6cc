//! Header values: how long to wait, how long an answer stays fresh, dates.

use std::time::{Duration, Instant, SystemTime};

use http::header::{
    AGE, CACHE_CONTROL, CONTENT_TYPE, DATE, ETAG, EXPIRES, HeaderMap, HeaderName, HeaderValue, LAST_MODIFIED,
    LOCATION, RETRY_AFTER,
};
use jiff::Timestamp;
use recrawl_core::decide::back_off::{HostPace, HostSignal, PaceSettings, Readiness};
use recrawl_extract::sitemap;
use recrawl_fetch::fuzzing;

const NAMES: [HeaderName; 9] =
    [RETRY_AFTER, DATE, CACHE_CONTROL, EXPIRES, AGE, ETAG, LAST_MODIFIED, LOCATION, CONTENT_TYPE];

/// A second in 2026.
const NOW: Duration = Duration::from_secs(1_790_000_000);

/// Takes every line as the value of a header, one after the other.
pub fn read_headers(data: &[u8]) {
    let lines = NAMES.into_iter().zip(data.split(|byte| *byte == b'\n'));
    let fields = lines.filter_map(|(name, line)| Some((name, HeaderValue::from_bytes(line).ok()?)));
    let headers: HeaderMap = fields.collect();
    let now = SystemTime::UNIX_EPOCH + NOW;
    let at = Timestamp::try_from(now).expect("it is in range");
    if let Some(until) = fuzzing::fresh_until(&headers, at) {
        assert!(until > at && until.duration_since(at).as_hours() <= 365 * 24, "fresh until {until}");
    }
    let (stored, served_at) = fuzzing::stored(&headers, at);
    assert!(served_at.duration_since(at).unsigned_abs() <= fuzzing::TOLERANCE);
    let kept = [stored.etag, stored.last_modified, stored.location, stored.content_type];
    assert!(kept.iter().flatten().all(|text| text.chars().count() <= 8 << 10));
    for line in data.split(|byte| *byte == b'\n').take(NAMES.len()) {
        wait_as_told(&String::from_utf8_lossy(line), now);
        read_date(&String::from_utf8_lossy(line));
    }
}

fn wait_as_told(value: &str, now: SystemTime) {
    let Some(wait) = fuzzing::retry_after(value, now) else { return };
    assert!(!wait.is_zero());
    let (settings, begun) = (PaceSettings::default(), Instant::now());
    let mut host = HostPace::default();
    host.started(begun);
    host.finished(begun, HostSignal::LeaveAlone(wait), begun, &settings);
    assert_ne!(host.readiness(begun, &settings), Readiness::Now, "told to wait {wait:?}");
    let until = host.hold(begun).expect("it is held");
    assert!(until.duration_since(begun) <= PaceSettings::LONGEST_HOLD);
}

/// Reads a date as HTTP writes it, and as sitemaps do.
fn read_date(text: &str) {
    if let Ok(date) = httpdate::parse_http_date(text) {
        let again = httpdate::parse_http_date(&httpdate::fmt_http_date(date));
        assert_eq!(again.ok(), Some(date), "{text:?}");
    }
    let text = text.replace(['<', '&'], "");
    let file = format!("<urlset><url><loc>/a</loc><lastmod>{text}</lastmod></url></urlset>");
    let read = sitemap::parse(file.as_bytes(), None, "https://example.com/sitemap.xml");
    let date = read.entries.first().and_then(|entry| entry.lastmod);
    if let Some(date) = date {
        let again = file.replace(&format!(">{text}<"), &format!(">{date}<"));
        let again = sitemap::parse(again.as_bytes(), None, "https://example.com/sitemap.xml");
        assert_eq!(again.entries.first().and_then(|entry| entry.lastmod), Some(date), "{text:?}");
    }
}
