//! Host and port: the unit of politeness.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::{PageUrl, UrlError, UrlRules, resolve};

/// One server as politeness sees it: a lowercase host, and the port where it is not the default.
///
/// `http://a/` and `https://a/` share a key, `https://a:8443/` has another one. That of a capsule names its port always: it
/// is another server than the web site of the same name.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostKey(Arc<str>);

thread_local! {
    /// The last key that was asked for: nearly always it is the next one, too.
    static LAST: RefCell<Option<HostKey>> = const { RefCell::new(None) };
}

impl HostKey {
    /// Returns the key of the server of `page`.
    pub(super) fn of(page: &PageUrl) -> Self {
        let authority = match page.authority() {
            plain if page.is_gemini() && plain == page.host() => {
                Cow::Owned(format!("{plain}:{}", page.port()))
            }
            authority => Cow::Borrowed(authority),
        };
        LAST.with_borrow_mut(|last| match last {
            Some(known) if *known.0 == *authority => known.clone(),
            Some(_) | None => last.insert(Self(authority.as_ref().into())).clone(),
        })
    }

    /// Returns `host` or `host:port`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HostKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for HostKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, formatter)
    }
}

impl FromStr for HostKey {
    type Err = UrlError;

    /// Reads `host` or `host:port` in any spelling the URL Standard takes.
    fn from_str(text: &str) -> Result<Self, UrlError> {
        let refused = || UrlError::Host(text.to_owned());
        if text.contains(['/', '\\', '?', '#', '@']) {
            return Err(refused());
        }
        // Port 80 is dropped below http; only an https page has it in its key.
        let scheme = if text.ends_with(":80") { "https" } else { "http" };
        let url = resolve(&format!("{scheme}://{text}/"), None).map_err(|_| refused())?;
        Ok(Self::of(&UrlRules::keep_all_parameters().normalise(url)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_ports_of_either_scheme_share_a_key() {
        for (page, key) in [
            ("http://a.b/x", "a.b"),
            ("https://a.b/y?z", "a.b"),
            ("https://a.b:80/", "a.b:80"),
            ("http://a.b:443/", "a.b:443"),
            ("http://[::1]:8080/", "[::1]:8080"),
        ] {
            let page: PageUrl = page.parse().unwrap();
            assert_eq!(page.host_key().as_str(), key);
            assert_eq!(key.parse(), Ok(page.host_key()));
        }
    }

    #[test]
    fn a_host_is_read_in_any_spelling() {
        for (text, key) in [("A.B", "a.b"), ("bücher.example:81", "xn--bcher-kva.example:81")] {
            assert_eq!(text.parse::<HostKey>().unwrap().to_string(), key);
        }
    }

    #[test]
    fn more_or_less_than_a_host_is_refused() {
        for text in ["", "http://a", "a/b", "a b", "u@a", "a:x", "a?b", "a#", ":80", "a\\b"] {
            assert_eq!(text.parse::<HostKey>(), Err(UrlError::Host(text.into())), "{text:?}");
        }
    }
}
