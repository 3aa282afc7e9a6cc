//! Times in headers and addresses.

use std::time::SystemTime;

use axum::http::HeaderMap;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::error::WebError;

/// Returns the time that a client asks for; a time that cannot be read is refused (RFC 7089 section 4.5.3).
pub(super) fn accept_datetime(headers: &HeaderMap) -> Result<Option<Timestamp>, WebError> {
    let Some(value) = headers.get("accept-datetime") else { return Ok(None) };
    let time = value.to_str().ok().and_then(|text| httpdate::parse_http_date(text.trim()).ok());
    let time = time.and_then(|time| Timestamp::try_from(time).ok());
    let refused =
        || WebError::BadRequest("Accept-Datetime must be like Mon, 16 Nov 2026 03:12:00 GMT".to_owned());
    time.map(Some).ok_or_else(refused)
}

/// Returns a time as headers have it.
pub(super) fn http_date(time: Timestamp) -> String {
    httpdate::fmt_http_date(SystemTime::from(time))
}

/// Returns a time as addresses have it.
pub(super) fn written_stamp(time: Timestamp) -> String {
    time.strftime("%Y%m%d%H%M%S").to_string()
}

/// Reads what [`written_stamp`] wrote.
pub(super) fn stamp(text: &str) -> Option<Timestamp> {
    if text.len() != 14 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let time = DateTime::strptime("%Y%m%d%H%M%S", text).ok()?;
    TimeZone::UTC.to_timestamp(time).ok()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn stamps_read_back_and_others_are_refused() {
        let time: Timestamp = "2026-11-16T03:12:07Z".parse().unwrap();
        assert_eq!(written_stamp(time), "20261116031207");
        assert_eq!(stamp("20261116031207"), Some(time));
        for text in ["", "2026", "20261316031207", "2026111603120x", "202611160312071"] {
            assert_eq!(stamp(text), None, "{text}");
        }
    }

    #[test]
    fn only_dates_of_http_are_accepted() {
        let read = |text: &'static str| {
            accept_datetime(&HeaderMap::from_iter([(
                "accept-datetime".parse().unwrap(),
                HeaderValue::from_static(text),
            )]))
        };
        let time = read("Mon, 16 Nov 2026 03:12:07 GMT").unwrap().unwrap();
        assert_eq!(http_date(time), "Mon, 16 Nov 2026 03:12:07 GMT");
        assert!(read("2026-11-16").is_err());
        assert!(read("").is_err());
        assert_eq!(accept_datetime(&HeaderMap::new()).unwrap(), None);
    }
}
