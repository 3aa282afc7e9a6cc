//! Reads of an X.509 certificate what trust on first use asks: when it expires, and what its key is.

use std::fmt::Write;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use recrawl_core::decide::certificate::Certificate;
use sha2::{Digest, Sha256};

const INTEGER: u8 = 0x02;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
/// The version, which the first version of X.509 leaves out.
const VERSION: u8 = 0xA0;

/// Reads a certificate in DER; `None` if it is none.
pub(crate) fn read(der: &[u8]) -> Option<Certificate> {
    let (certificate, _) = Part::read(der)?.of(SEQUENCE)?;
    let (mut fields, _) = Part::read(certificate)?.of(SEQUENCE)?;
    if fields.first() == Some(&VERSION) {
        fields = Part::read(fields)?.rest;
    }
    // The serial number, the signature's algorithm and the issuer.
    for tag in [INTEGER, SEQUENCE, SEQUENCE] {
        (_, fields) = Part::read(fields)?.of(tag)?;
    }
    let (validity, fields) = Part::read(fields)?.of(SEQUENCE)?;
    let (_, subject_and_key) = (Part::read(fields)?.of(SEQUENCE)?.0, Part::read(fields)?.rest);
    let key = Part::read(subject_and_key)?;
    (key.tag == SEQUENCE).then_some(())?;
    let until = Part::read(Part::read(validity)?.rest)?;
    Some(Certificate { fingerprint: digest(der), key: digest(key.whole), expires: time(&until)? })
}

/// One value of DER, and what follows it.
struct Part<'a> {
    tag: u8,
    whole: &'a [u8],
    content: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Part<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (&tag, after_tag) = bytes.split_first()?;
        let (&first, after_first) = after_tag.split_first()?;
        let (length, body) = match first {
            0..=0x7F => (usize::from(first), after_first),
            // Up to four bytes of length; no certificate is longer, and a length that is not told is not DER.
            0x81..=0x84 => {
                let (digits, body) = after_first.split_at_checked(usize::from(first & 0x7F))?;
                (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), body)
            }
            _ => return None,
        };
        let (content, rest) = body.split_at_checked(length)?;
        Some(Self { tag, whole: &bytes[..bytes.len() - rest.len()], content, rest })
    }

    /// Returns what is in it and what follows, if it is of this kind.
    fn of(self, tag: u8) -> Option<(&'a [u8], &'a [u8])> {
        (self.tag == tag).then_some((self.content, self.rest))
    }
}

/// Reads `YYMMDDHHMMSSZ` or `YYYYMMDDHHMMSSZ`. What lies beyond the calendar is as good as never.
fn time(part: &Part<'_>) -> Option<Timestamp> {
    let text = str::from_utf8(part.content).ok()?;
    let full = match part.tag {
        // RFC 5280: 50 to 99 are of the last century.
        UTC_TIME if text.get(..2)? >= "50" => format!("19{text}"),
        UTC_TIME => format!("20{text}"),
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    let time = DateTime::strptime("%Y%m%d%H%M%SZ", &full).ok()?;
    Some(time.to_zoned(TimeZone::UTC).map_or(Timestamp::MAX, |zoned| zoned.timestamp()))
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a value.
    fn part(tag: u8, content: &[u8]) -> Vec<u8> {
        let length = u16::try_from(content.len()).unwrap().to_be_bytes();
        let mut bytes = vec![tag];
        match length {
            [0, short @ 0..=0x7F] => bytes.push(short),
            [0, long] => bytes.extend([0x81, long]),
            both => bytes.extend([0x82, both[0], both[1]]),
        }
        bytes.extend(content);
        bytes
    }

    fn certificate(version: bool, until: &[u8], key: &[u8]) -> Vec<u8> {
        let validity = [part(UTC_TIME, b"260101000000Z"), until.to_vec()].concat();
        let mut fields = if version { part(VERSION, &part(INTEGER, &[2])) } else { Vec::new() };
        for (tag, content) in [
            (INTEGER, &b"\x01"[..]),
            (SEQUENCE, b""),
            (SEQUENCE, &[0; 200]),
            (SEQUENCE, &validity),
            (SEQUENCE, b""),
            (SEQUENCE, key),
        ] {
            fields.extend(part(tag, content));
        }
        part(SEQUENCE, &[part(SEQUENCE, &fields), part(SEQUENCE, b"")].concat())
    }

    #[test]
    fn the_end_of_a_certificate_is_read_in_both_spellings() {
        for (tag, text, expected) in [
            (UTC_TIME, "270102030405Z", "2027-01-02T03:04:05Z"),
            (UTC_TIME, "991231235959Z", "1999-12-31T23:59:59Z"),
            (GENERALIZED_TIME, "20500101000000Z", "2050-01-01T00:00:00Z"),
            (GENERALIZED_TIME, "99991231235959Z", "9999-12-30T22:00:00.999999999Z"),
        ] {
            for version in [true, false] {
                let der = certificate(version, &part(tag, text.as_bytes()), b"key");
                assert_eq!(read(&der).unwrap().expires.to_string(), expected, "{text}");
            }
        }
    }

    #[test]
    fn certificates_of_one_key_differ_in_their_fingerprint_alone() {
        let until = |year: &str| part(UTC_TIME, format!("{year}0102030405Z").as_bytes());
        let one = read(&certificate(true, &until("27"), b"key")).unwrap();
        let renewed = read(&certificate(true, &until("28"), b"key")).unwrap();
        let other = read(&certificate(true, &until("27"), b"other key")).unwrap();
        assert_ne!(one.fingerprint, renewed.fingerprint);
        assert_eq!(one.key, renewed.key);
        assert_ne!(one.key, other.key);
    }

    #[test]
    fn what_breaks_off_is_no_certificate() {
        let der = certificate(true, &part(UTC_TIME, b"270102030405Z"), b"key");
        assert!(read(&der).is_some());
        for length in 0..der.len() {
            assert_eq!(read(&der[..length]), None, "{length}");
        }
        for until in [part(UTC_TIME, b"soon"), part(UTC_TIME, b""), part(INTEGER, b"270102030405Z")] {
            assert_eq!(read(&certificate(true, &until, b"key")), None);
        }
    }
}
