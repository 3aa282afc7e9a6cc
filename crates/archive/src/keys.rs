//! The keys of an account at archive.org.

use std::fmt;
use std::str::FromStr;

use recrawl_core::secret::Secret;
use reqwest::header::HeaderValue;
use thiserror::Error;

/// The keys of an account: `accesskey:secret`, from archive.org/account/s3.php.
///
/// They leave this type as a header of a request only.
#[derive(Clone, PartialEq, Eq)]
pub struct Keys {
    access: Secret,
    secret: Secret,
}

/// A text is not a pair of keys. It is not repeated here: it may be a secret with a typing error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("keys must be ACCESSKEY:SECRET, as archive.org/account/s3.php shows them")]
pub struct BadKeys;

impl Keys {
    /// Returns the value of the `Authorization` header, marked so that nobody prints it.
    pub(crate) fn header(&self) -> HeaderValue {
        let text = format!("LOW {}:{}", self.access.expose(), self.secret.expose());
        let mut value = HeaderValue::from_str(&text).expect("keys are visible ASCII");
        value.set_sensitive(true);
        value
    }

    /// Takes the keys out of what a server said.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        self.access.hide_in(&self.secret.hide_in(text))
    }
}

impl FromStr for Keys {
    type Err = BadKeys;

    fn from_str(text: &str) -> Result<Self, BadKeys> {
        let (access, secret) = text.trim().split_once(':').ok_or(BadKeys)?;
        let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_graphic());
        if plain(access) && plain(secret) && !secret.contains(':') {
            Ok(Self { access: Secret::new(access), secret: Secret::new(secret) })
        } else {
            Err(BadKeys)
        }
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Keys(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_two_words_with_a_colon() {
        for text in ["abc:def", " abc:def\n"] {
            assert_eq!(text.parse::<Keys>().unwrap().header(), "LOW abc:def", "{text:?}");
        }
        for text in ["", "abc", ":", "abc:", ":def", "a b:c", "a:b:c", "a:b\nc", "ä:b"] {
            assert_eq!(text.parse::<Keys>(), Err(BadKeys), "{text:?}");
        }
    }

    #[test]
    fn keys_are_never_shown() {
        let keys: Keys = "abcAccess:defSecret".parse().unwrap();
        let shown = format!("{keys:?} {:?} {:?}", keys.header(), "abcAccess".parse::<Keys>());
        assert!(!shown.contains("abcAccess") && !shown.contains("defSecret"), "{shown}");
        assert_eq!(keys.hide_in("LOW abcAccess:defSecret?"), "LOW [hidden]:[hidden]?");
    }
}
