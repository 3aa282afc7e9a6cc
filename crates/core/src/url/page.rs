//! The URL that names a page, in normal form.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::Url;
use xxhash_rust::xxh3::xxh3_128;

use super::{HostKey, UrlError, UrlRules, fast, gemini, resolve};

/// The normalised address of a page: absolute, `http`, `https` or `gemini`, without a fragment.
///
/// Two addresses that differ only in what [`UrlRules`] remove are one page.
///
/// The text is ASCII, has no user, password or default port, its path starts with `/` and has no
/// dot segments, and its percent-encoding is canonical. It is at most [`PageUrl::MAX_LENGTH`] long.
/// `FromStr` takes only text in this form; [`UrlRules::page`] brings other text into it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PageUrl(Arc<str>);

impl PageUrl {
    /// The longest address that is a page; longer ones are traps or mistakes.
    pub const MAX_LENGTH: usize = 4096;

    /// The longest address that a capsule can be asked for.
    pub const MAX_GEMINI_LENGTH: usize = 1024;

    /// Takes text that the caller has brought into normal form.
    pub(super) fn from_normal(text: &str) -> Result<Self, UrlError> {
        if text.len() > Self::MAX_LENGTH {
            return Err(UrlError::TooLong);
        }
        Ok(Self(text.into()))
    }

    /// Returns the address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the address as a parsed URL, for joining and fetching.
    pub fn to_url(&self) -> Url {
        let path = self.path_and_query();
        let host = &self.0[..self.0.len() - path.len()];
        let mut url = fast::parse_host(host);
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        url.set_path(path);
        url.set_query(query);
        url
    }

    /// Returns `http`, `https` or `gemini`.
    pub fn scheme(&self) -> &str {
        self.after_scheme().0
    }

    /// Tells whether the page is one of a capsule, and not of a web site.
    pub fn is_gemini(&self) -> bool {
        self.0.starts_with("gemini:")
    }

    /// Returns the port: the one that is named, or the scheme's own.
    pub fn port(&self) -> u16 {
        let named =
            self.authority()[self.host().len()..].strip_prefix(':').and_then(|port| port.parse().ok());
        named.unwrap_or(match self.scheme() {
            "http" => 80,
            "https" => 443,
            _ => gemini::PORT,
        })
    }

    /// Returns the host, followed by `:` and the port where it is not the scheme's own.
    pub fn authority(&self) -> &str {
        let after = self.after_scheme().1;
        &after[..after.find('/').unwrap_or(after.len())]
    }

    /// Returns the host; an IPv6 address stands in its brackets.
    pub fn host(&self) -> &str {
        let authority = self.authority();
        // Every colon of an IPv6 address is followed by its closing bracket.
        match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => host,
            Some(_) | None => authority,
        }
    }

    /// Returns the path, which starts with `/`.
    pub fn path(&self) -> &str {
        let both = self.path_and_query();
        both.split_once('?').map_or(both, |(path, _)| path)
    }

    /// Returns the path and, with its `?`, the query: what a request asks for.
    pub fn path_and_query(&self) -> &str {
        let after = self.after_scheme().1;
        &after[after.find('/').unwrap_or(after.len())..]
    }

    /// Returns the unit of politeness this page belongs to.
    pub fn host_key(&self) -> HostKey {
        HostKey::of(self)
    }

    /// Returns the SHA-256 of the text: the stable key of the page in a store.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// Returns a short hash of the text for sets in memory; it is never stored.
    pub fn fingerprint(&self) -> u128 {
        Self::fingerprint_of(&self.0)
    }

    /// Returns the [`PageUrl::fingerprint`] of the page with this address, which is not checked.
    pub fn fingerprint_of(address: &str) -> u128 {
        xxh3_128(address.as_bytes())
    }

    fn after_scheme(&self) -> (&str, &str) {
        const SEPARATOR: &str = "://";
        let end = match self.0.as_bytes() {
            [b'g', ..] => "gemini".len(),
            [_, _, _, _, b's', ..] => "https".len(),
            _ => "http".len(),
        };
        (&self.0[..end], &self.0[end + SEPARATOR.len()..])
    }
}

impl fmt::Display for PageUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for PageUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, formatter)
    }
}

impl From<PageUrl> for String {
    fn from(url: PageUrl) -> Self {
        url.0.as_ref().to_owned()
    }
}

impl TryFrom<String> for PageUrl {
    type Error = UrlError;

    fn try_from(text: String) -> Result<Self, UrlError> {
        text.parse()
    }
}

impl FromStr for PageUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        if text.len() > Self::MAX_LENGTH {
            return Err(UrlError::TooLong);
        }
        if fast::is_plainly_normal(text) {
            return Self::from_normal(text);
        }
        let normal = UrlRules::keep_all_parameters().normalise(resolve(text, None)?)?;
        if normal.as_str() == text { Ok(normal) } else { Err(UrlError::NotNormal(normal.into())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> PageUrl {
        text.parse().unwrap()
    }

    #[test]
    fn the_parts_are_read_off_the_text() {
        for (text, scheme, authority, host, path, path_and_query) in [
            ("http://a.b/", "http", "a.b", "a.b", "/", "/"),
            ("https://a.b:8443/x/y?z=/?", "https", "a.b:8443", "a.b", "/x/y", "/x/y?z=/?"),
            ("http://[::1]/x", "http", "[::1]", "[::1]", "/x", "/x"),
            ("http://[::1]:81/x?", "http", "[::1]:81", "[::1]", "/x", "/x?"),
            ("http://127.0.0.1:8080/x:y/@", "http", "127.0.0.1:8080", "127.0.0.1", "/x:y/@", "/x:y/@"),
            ("http://a.b./?u=http://c/", "http", "a.b.", "a.b.", "/", "/?u=http://c/"),
        ] {
            let page = page(text);
            assert_eq!(
                (page.scheme(), page.authority(), page.host(), page.path(), page.path_and_query()),
                (scheme, authority, host, path, path_and_query),
                "{text}"
            );
            assert_eq!(page.to_url().as_str(), text);
        }
    }

    #[test]
    fn text_that_is_not_normal_is_refused_with_the_normal_form() {
        for (text, normal) in [
            ("HTTP://a/", "http://a/"),
            ("http://a", "http://a/"),
            ("http://A/", "http://a/"),
            ("http://a:80/", "http://a/"),
            ("https://a:443/", "https://a/"),
            ("https://a:080/", "https://a:80/"),
            ("http://a/#x", "http://a/"),
            ("http://u:p@a/", "http://a/"),
            ("http://a/./b", "http://a/b"),
            ("http://a/b/%2E%2e/c", "http://a/c"),
            ("http://a/%7e", "http://a/~"),
            ("http://a/%2f", "http://a/%2F"),
            ("http://a/^", "http://a/%5E"),
            ("http://a/?'", "http://a/?%27"),
            ("http://a/é", "http://a/%C3%A9"),
            (" http://a/", "http://a/"),
            ("http://a\\b", "http://a/b"),
            ("http://bücher.example/", "http://xn--bcher-kva.example/"),
            ("http://1.1/", "http://1.0.0.1/"),
        ] {
            assert_eq!(text.parse::<PageUrl>(), Err(UrlError::NotNormal(normal.into())), "{text}");
            assert_eq!(page(normal).as_str(), normal);
        }
    }

    #[test]
    fn parameters_of_stored_addresses_are_never_dropped() {
        let text = "http://a/?utm_source=x&PHPSESSID=1&&";
        assert_eq!(page(text).as_str(), text);
    }

    #[test]
    fn only_short_web_addresses_are_pages() {
        let fits = format!("http://a/{}", "x".repeat(PageUrl::MAX_LENGTH - 9));
        assert_eq!(page(&fits).as_str(), fits);
        assert_eq!(format!("{fits}x").parse::<PageUrl>(), Err(UrlError::TooLong));
        assert_eq!("ftp://a/".parse::<PageUrl>(), Err(UrlError::Scheme("ftp".into())));
        assert!(matches!("/x".parse::<PageUrl>(), Err(UrlError::Syntax(_))));
        assert!(matches!("http://a b/".parse::<PageUrl>(), Err(UrlError::Syntax(_))));
    }

    #[test]
    fn the_keys_of_a_page_are_fixed_by_its_text() {
        let one = page("http://a/");
        assert_eq!(one.digest(), page("http://a/").digest());
        assert_ne!(one.digest(), page("https://a/").digest());
        assert_ne!(one.fingerprint(), page("https://a/").fingerprint());
        assert_eq!(one.digest()[..4], [0x28, 0x2a, 0x35, 0xd7]);
    }
}
