//! Trust on first use: which certificate of a capsule is believed, now and later.

use jiff::Timestamp;

use crate::ports::StateEntry;
use crate::url::HostKey;

/// What is remembered of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// The SHA-256 of the whole, in hexadecimal digits.
    pub fingerprint: String,
    /// The SHA-256 of its public key, in hexadecimal digits.
    pub key: String,
    /// When it expires.
    pub expires: Timestamp,
}

/// What a certificate comes to that a capsule presents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// It is the one that is pinned.
    Pinned,
    /// It is believed, and pinned from now on.
    Pin,
    /// Another one is pinned, and has not expired: this may be another server.
    Changed,
}

/// Decides at `now` whether a certificate is believed, given the one that is pinned.
///
/// The first one is. Later only the same one is, or one for the same key, which nobody else has, until the pinned one has
/// expired: a capsule signs its certificates itself, so nobody else vouches for it.
pub fn trust(pinned: Option<&Certificate>, presented: &Certificate, now: Timestamp) -> Trust {
    match pinned {
        Some(pinned) if pinned == presented => Trust::Pinned,
        Some(pinned) if pinned.key != presented.key && pinned.expires > now => Trust::Changed,
        Some(_) | None => Trust::Pin,
    }
}

/// How a reason begins, and what it says, when a capsule shows another certificate than the one that is pinned.
const CHANGED: (&str, &str) = ("the certificate of ", " changed before it expires");

/// Says that a capsule shows another certificate than the one that is pinned.
pub fn changed(host: &HostKey, pinned: &Certificate, presented: &Certificate) -> String {
    let (begin, what) = CHANGED;
    let expires = pinned.expires.strftime("%Y-%m-%d");
    let (pinned, presented) = (pinned.short(), presented.short());
    format!("{begin}{host}{what}: pinned is {pinned}, valid until {expires}, and it shows {presented}")
}

/// Returns what [`changed`] said, where a reason quotes it.
pub fn change_in(reason: &str) -> Option<&str> {
    let (begin, what) = CHANGED;
    let said = &reason[reason.find(begin)?..];
    said.contains(what).then(|| said.trim_end_matches([')', '.']))
}

impl Certificate {
    /// Returns as much of the fingerprint as people compare.
    fn short(&self) -> &str {
        self.fingerprint.get(..16).unwrap_or(&self.fingerprint)
    }

    /// Returns how it is remembered.
    pub fn to_entry(&self, now: Timestamp) -> StateEntry {
        let Self { fingerprint, key, expires } = self;
        StateEntry { saved_at: now, value: format!("{fingerprint} {key} {expires}") }
    }

    /// Reads what was remembered; `None` if it is nothing that [`Certificate::to_entry`] makes.
    pub fn from_entry(entry: &StateEntry) -> Option<Self> {
        let mut parts = entry.value.split(' ');
        let (fingerprint, key) = (parts.next()?.to_owned(), parts.next()?.to_owned());
        let expires = parts.next()?.parse().ok()?;
        parts.next().is_none().then_some(Self { fingerprint, key, expires })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certificate(number: u8, key: &str, expires: &str) -> Certificate {
        let expires = format!("{expires}T00:00:00Z").parse().unwrap();
        Certificate { fingerprint: format!("{number:064}"), key: key.to_owned(), expires }
    }

    #[test]
    fn the_first_certificate_is_believed_and_another_only_when_that_has_expired() {
        let pinned = certificate(1, "a", "2026-12-01");
        for (before, presented, now, expected) in [
            (None, certificate(1, "a", "2026-12-01"), "2026-11-19", Trust::Pin),
            (None, certificate(1, "a", "2020-01-01"), "2026-11-19", Trust::Pin),
            (Some(&pinned), pinned.clone(), "2026-11-19", Trust::Pinned),
            (Some(&pinned), pinned.clone(), "2027-11-19", Trust::Pinned),
            (Some(&pinned), certificate(2, "b", "2030-01-01"), "2026-11-30", Trust::Changed),
            (Some(&pinned), certificate(2, "b", "2030-01-01"), "2026-12-01", Trust::Pin),
            (Some(&pinned), certificate(2, "a", "2030-01-01"), "2026-11-19", Trust::Pin),
        ] {
            let now = format!("{now}T00:00:00Z").parse().unwrap();
            assert_eq!(trust(before, &presented, now), expected, "{presented:?} at {now}");
        }
    }

    #[test]
    fn a_change_is_found_where_it_is_quoted() {
        let host = "a.example:1965".parse().unwrap();
        let said = changed(&host, &certificate(1, "a", "2026-12-01"), &certificate(2, "b", "2030-01-01"));
        assert_eq!(
            said,
            "the certificate of a.example:1965 changed before it expires: pinned is 0000000000000000, valid until \
             2026-12-01, and it shows 0000000000000000"
        );
        assert_eq!(change_in(&format!("robots.txt cannot be read (not fetched: {said})")), Some(&*said));
        assert_eq!(change_in("the certificate of a.example:1965 cannot be read"), None);
        assert_eq!(change_in("connection refused"), None);
    }

    #[test]
    fn a_pin_is_read_as_it_was_written() {
        let certificate = certificate(1, "ab", "2026-12-01");
        let entry = certificate.to_entry("2026-11-19T00:00:00Z".parse().unwrap());
        assert_eq!(entry.value, format!("{:064} ab 2026-12-01T00:00:00Z", 1));
        assert_eq!(Certificate::from_entry(&entry), Some(certificate));
        for value in ["", "a b", "a b soon", "a b 2026-12-01T00:00:00Z c"] {
            let entry = StateEntry { value: value.to_owned(), ..entry.clone() };
            assert_eq!(Certificate::from_entry(&entry), None, "{value:?}");
        }
    }
}
