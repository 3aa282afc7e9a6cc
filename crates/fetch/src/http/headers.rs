//! Header values: how they are read, and how validators (ETag, Last-Modified) are sent back.

use std::time::{Duration, SystemTime};

use http::header::{
    CONTENT_TYPE, DATE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH,
    LAST_MODIFIED, LOCATION,
};
use jiff::Timestamp;
use recrawl_core::model::record::{Headers, Validators};

/// The longest header value that is kept, in bytes.
const LONGEST: usize = 8 << 10;

/// Reads the headers that are stored.
pub(crate) fn stored(headers: &HeaderMap) -> Headers {
    Headers {
        etag: validator(headers, &ETAG),
        last_modified: validator(headers, &LAST_MODIFIED),
        location: headers.get(LOCATION).map(text),
        content_type: headers.get(CONTENT_TYPE).map(text),
        // A name of a robot holds for its line alone, so lines stay apart.
        robots_tag: joined_by(headers, &HeaderName::from_static("x-robots-tag"), "\n"),
    }
}

/// Returns the values of a header that may be sent several times, as one list.
pub(crate) fn joined(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    joined_by(headers, name, ", ")
}

fn joined_by(headers: &HeaderMap, name: &HeaderName, separator: &str) -> Option<String> {
    let mut values = headers.get_all(name).iter();
    let mut list = text(values.next()?);
    for value in values {
        list.push_str(separator);
        list.push_str(&text(value));
    }
    Some(cut(list))
}

/// Makes a request conditional. A stored validator that cannot be a header is left out.
pub(crate) fn make_conditional(headers: &mut HeaderMap, validators: &Validators) {
    for (name, value) in [(IF_NONE_MATCH, &validators.etag), (IF_MODIFIED_SINCE, &validators.last_modified)] {
        if let Some(value) = value.as_deref().and_then(as_sent) {
            headers.insert(name, value);
        }
    }
}

/// Returns the server's date if it is within `tolerance` of `now`, else `now`.
pub(crate) fn believable_date(headers: &HeaderMap, now: Timestamp, tolerance: Duration) -> Timestamp {
    match date(headers, &DATE) {
        Some(server) if server.duration_since(now).unsigned_abs() <= tolerance => server,
        Some(_) | None => now,
    }
}

/// Reads a header that is a date.
pub(crate) fn date(headers: &HeaderMap, name: &HeaderName) -> Option<Timestamp> {
    let date = httpdate::parse_http_date(headers.get(name)?.to_str().ok()?).ok()?;
    Timestamp::try_from(date).ok()
}

/// Returns about how many bytes a head took on the wire.
pub(crate) fn head_bytes(headers: &HeaderMap) -> u64 {
    const STATUS_LINE_AND_END: usize = "HTTP/1.1 200 OK\r\n\r\n".len();
    let line = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + 4;
    (STATUS_LINE_AND_END + headers.iter().map(line).sum::<usize>()) as u64
}

/// Returns the current time as HTTP dates are compared with.
pub(crate) fn clock() -> (Timestamp, SystemTime) {
    let now = SystemTime::now();
    (Timestamp::try_from(now).unwrap_or_else(|_| Timestamp::now()), now)
}

/// Reads a value that goes back to the server as it came: one character a byte loses nothing.
///
/// One that is too long to keep is worth nothing in part.
fn validator(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let bytes = headers.get(name)?.as_bytes();
    (!bytes.is_empty() && bytes.len() <= LONGEST).then(|| bytes.iter().copied().map(char::from).collect())
}

fn as_sent(validator: &str) -> Option<HeaderValue> {
    if validator.is_ascii() {
        return HeaderValue::from_str(validator).ok();
    }
    let bytes: Result<Vec<u8>, _> = validator.chars().map(u8::try_from).collect();
    HeaderValue::from_bytes(&bytes.ok()?).ok()
}

/// Reads a value as UTF-8, or as Latin-1 if it is not.
fn text(value: &HeaderValue) -> String {
    let bytes = value.as_bytes();
    match str::from_utf8(bytes) {
        Ok(text) => cut(text.to_owned()),
        Err(_) => cut(bytes.iter().copied().map(char::from).collect()),
    }
}

fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(LONGEST));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: HeaderName, value: &[u8]) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_bytes(value).unwrap())])
    }

    #[test]
    fn validators_go_back_byte_for_byte() {
        for etag in
            [b"\"abc\"".as_slice(), b"W/\"abc\"", b"abc", b"\"a\", \"b\"", b"\"caf\xe9\"", b"\"caf\xc3\xa9\""]
        {
            let validators = stored(&one(ETAG, etag)).validators().unwrap();
            let mut sent = HeaderMap::new();
            make_conditional(&mut sent, &validators);
            assert_eq!(sent[IF_NONE_MATCH].as_bytes(), etag);
        }
    }

    #[test]
    fn a_validator_that_cannot_be_a_header_is_left_out() {
        for etag in ["a\nb", "\u{20ac}", "\0"] {
            let mut sent = HeaderMap::new();
            let validators = Validators { etag: Some(etag.to_owned()), last_modified: Some("x".to_owned()) };
            make_conditional(&mut sent, &validators);
            assert_eq!(sent.len(), 1, "{etag:?}");
        }
    }

    #[test]
    fn empty_and_over_long_validators_are_none() {
        assert_eq!(stored(&one(ETAG, b"")).etag, None);
        assert_eq!(stored(&one(ETAG, &[b'x'; LONGEST + 1])).etag, None);
        assert_eq!(stored(&one(ETAG, &[b'x'; LONGEST])).etag.unwrap().len(), LONGEST);
    }

    #[test]
    fn other_values_are_utf8_or_latin1_and_cut() {
        for (bytes, expected) in [
            (b"/caf\xc3\xa9".to_vec(), "/caf\u{e9}".to_owned()),
            (b"/caf\xe9".to_vec(), "/caf\u{e9}".to_owned()),
            (vec![b'x'; 9000], "x".repeat(LONGEST)),
            (vec![0xe9; 9000], "\u{e9}".repeat(LONGEST / 2)),
        ] {
            assert_eq!(stored(&one(LOCATION, &bytes)).location, Some(expected));
        }
    }

    #[test]
    fn repeated_robots_tags_stay_lines_of_their_own() {
        let name = HeaderName::from_static("x-robots-tag");
        let mut headers = one(name.clone(), b"otherbot: noindex");
        headers.append(name, HeaderValue::from_static("nofollow"));
        assert_eq!(stored(&headers).robots_tag.as_deref(), Some("otherbot: noindex\nnofollow"));
    }

    #[test]
    fn the_date_of_the_server_is_believed_within_the_tolerance() {
        let now: Timestamp = "1994-11-06T08:49:37Z".parse().unwrap();
        let tolerance = Duration::from_mins(15);
        for (date, expected) in [
            ("Sun, 06 Nov 1994 08:49:40 GMT", "1994-11-06T08:49:40Z"),
            ("Sun, 06 Nov 1994 08:34:37 GMT", "1994-11-06T08:34:37Z"),
            ("Sun, 06 Nov 1994 09:04:37 GMT", "1994-11-06T09:04:37Z"),
            ("Sun, 06 Nov 1994 08:34:36 GMT", "1994-11-06T08:49:37Z"),
            ("Sun, 06 Nov 1994 09:04:38 GMT", "1994-11-06T08:49:37Z"),
            ("Thu, 01 Jan 1970 00:00:00 GMT", "1994-11-06T08:49:37Z"),
            ("today", "1994-11-06T08:49:37Z"),
        ] {
            let headers = one(DATE, date.as_bytes());
            assert_eq!(believable_date(&headers, now, tolerance).to_string(), expected, "{date}");
        }
        assert_eq!(believable_date(&HeaderMap::new(), now, tolerance), now);
    }
}
