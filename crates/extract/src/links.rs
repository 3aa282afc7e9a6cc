//! The pages that a page points to.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use encoding_rs::{Encoding, UTF_8};
use recrawl_core::url::{Origin, PageUrl, UrlRules, resolve_with_encoding};
use serde::{Deserialize, Serialize};
use url::Url;

mod query;

/// How a page points to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// `a` and `area`, in HTML or SVG.
    Anchor,
    /// `link rel=canonical`: this page's preferred address.
    Canonical,
    /// `link rel=next`: the next part of a series.
    Next,
    /// `link rel=alternate`: a translation, a feed, another form of this page.
    Alternate,
    /// `iframe` and `frame`.
    Frame,
    /// `meta http-equiv=refresh`.
    Refresh,
}

/// A link to an `http` or `https` address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The absolute address, without a fragment.
    pub url: Url,
    /// How the page points there.
    pub kind: LinkKind,
    /// Whether every link of the page to this address says `nofollow`.
    pub nofollow: bool,
}

/// A link as it stands in a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawLink<'text> {
    pub(crate) target: Cow<'text, str>,
    pub(crate) kind: LinkKind,
    pub(crate) nofollow: bool,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    /// A page in normal form, which needed no parsing.
    Page(PageUrl),
    /// An address as the standard serialises it.
    Other(Url),
}

/// A resolved link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) address: Address,
    pub(crate) kind: LinkKind,
    pub(crate) nofollow: bool,
}

impl Address {
    fn as_str(&self) -> &str {
        match self {
            Self::Page(page) => page.as_str(),
            Self::Other(url) => url.as_str(),
        }
    }

    fn into_url(self) -> Url {
        match self {
            Self::Page(page) => page.to_url(),
            Self::Other(url) => url,
        }
    }

    /// Returns the page that the address names by these rules, if it names one.
    pub(crate) fn into_page(self, rules: &UrlRules) -> Option<PageUrl> {
        match self {
            Self::Page(page) => Some(page),
            Self::Other(url) => rules.normalise(url).ok(),
        }
    }
}

impl From<Target> for Link {
    fn from(target: Target) -> Self {
        Self { url: target.address.into_url(), kind: target.kind, nofollow: target.nofollow }
    }
}

/// Resolves addresses as a page's base and encoding demand.
pub(crate) struct Resolver {
    base: Url,
    origin: Option<Origin>,
    encoding: Option<&'static Encoding>,
}

impl Resolver {
    /// Makes the resolver of a page at `document` whose first `base` element says `base`.
    pub(crate) fn new(document: &Url, base: Option<&str>, encoding: &'static Encoding) -> Self {
        let encoding = Some(encoding.output_encoding()).filter(|encoding| *encoding != UTF_8);
        let fallback = Self { base: document.clone(), origin: Origin::of(document), encoding };
        let Some(base) = base.and_then(|base| fallback.join(base)) else {
            return fallback;
        };
        // The standard refuses these two schemes, because a base must not run or forge a page.
        if matches!(base.scheme(), "data" | "javascript") {
            return fallback;
        }
        Self { origin: Origin::of(&base), base, encoding }
    }

    /// Resolves one address; `None` if it leads to no page.
    pub(crate) fn resolve(&self, target: &str) -> Option<Url> {
        let mut url = self.join(without_fragment(target))?;
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        url.set_fragment(None);
        Some(url)
    }

    /// Resolves links and drops doubles: the first one gives place and kind.
    pub(crate) fn resolve_all(&self, raw_links: &[RawLink<'_>]) -> Vec<Target> {
        let mut targets: Vec<Target> = Vec::with_capacity(raw_links.len());
        let mut parsed: HashMap<&str, Option<Url>> = HashMap::new();
        let mut places: HashMap<u64, usize> = HashMap::with_capacity(raw_links.len());
        let hasher = RandomState::new();
        for raw in raw_links {
            let target = without_fragment(&raw.target);
            let address = match self.origin.as_ref().and_then(|origin| origin.page(target)) {
                Some(page) => Some(Address::Page(page)),
                None => {
                    parsed.entry(target).or_insert_with(|| self.resolve(target)).clone().map(Address::Other)
                }
            };
            let Some(address) = address else {
                continue;
            };
            let place = *places.entry(hasher.hash_one(address.as_str())).or_insert(targets.len());
            match targets.get_mut(place) {
                Some(earlier) => earlier.nofollow &= raw.nofollow,
                None => targets.push(Target { address, kind: raw.kind, nofollow: raw.nofollow }),
            }
        }
        targets
    }

    fn join(&self, target: &str) -> Option<Url> {
        let Some(encoding) = self.encoding else {
            return resolve_with_encoding(target, Some(&self.base), None).ok();
        };
        let encode: &dyn Fn(&str) -> Cow<'_, [u8]> = &|query| Cow::Owned(query::encode(encoding, query));
        resolve_with_encoding(target, Some(&self.base), Some(encode)).ok()
    }
}

/// Cuts the fragment off, so that links into one page are one text.
fn without_fragment(target: &str) -> &str {
    match memchr::memchr(b'#', target.as_bytes()) {
        // White space at the end is not part of an address, but before a fragment it is.
        Some(at) if at == 0 || target.as_bytes()[at - 1] > b' ' => &target[..at],
        Some(_) | None => target,
    }
}

#[cfg(test)]
mod tests {
    use super::{Link, LinkKind, RawLink, Resolver};
    use encoding_rs::{Encoding, UTF_8};
    use url::Url;

    fn resolver(base: Option<&str>, encoding: &'static Encoding) -> Resolver {
        let document = Url::parse("https://example.com/a/b?c#d").expect("valid");
        Resolver::new(&document, base, encoding)
    }

    #[test]
    fn addresses_are_resolved_on_the_base() {
        for (base, target, expected) in [
            (None, "x", Some("https://example.com/a/x")),
            (None, "", Some("https://example.com/a/b?c")),
            (None, "#frag", Some("https://example.com/a/b?c")),
            (None, "?q#frag", Some("https://example.com/a/b?q")),
            (None, "a #frag", Some("https://example.com/a/a%20")),
            (None, " x\n", Some("https://example.com/a/x")),
            (None, "//other.org/p", Some("https://other.org/p")),
            (None, "mailto:a@example.com", None),
            (None, "javascript:alert('#')", None),
            (None, "data:text/html,x#y", None),
            (None, "ftp://example.com/", None),
            (None, "http://[", None),
            (Some("/base/"), "x", Some("https://example.com/base/x")),
            (Some("sub/"), "x", Some("https://example.com/a/sub/x")),
            (Some("http://other.org"), "x", Some("http://other.org/x")),
            (Some("data:text/plain,hello"), "x", Some("https://example.com/a/x")),
            (Some("javascript:void(0)"), "x", Some("https://example.com/a/x")),
            (Some("http://["), "x", Some("https://example.com/a/x")),
            (Some("about:blank"), "x", None),
            (Some("about:blank"), "https://other.org/", Some("https://other.org/")),
        ] {
            let url = resolver(base, UTF_8).resolve(target);
            assert_eq!(url.as_ref().map(Url::as_str), expected, "{base:?} {target:?}");
        }
    }

    #[test]
    fn query_strings_take_the_encoding_of_the_page() {
        for (encoding, target, expected) in [
            (encoding_rs::WINDOWS_1252, "/\u{e9}?\u{e9}", "https://example.com/%C3%A9?%E9"),
            (encoding_rs::SHIFT_JIS, "?\u{3042}", "https://example.com/a/b?%82%A0"),
            (encoding_rs::WINDOWS_1252, "?\u{3042}", "https://example.com/a/b?%26%2312354%3B"),
            (encoding_rs::UTF_16LE, "?\u{e9}", "https://example.com/a/b?%C3%A9"),
            (UTF_8, "?\u{e9}", "https://example.com/a/b?%C3%A9"),
        ] {
            let url = resolver(None, encoding).resolve(target).expect("a page");
            assert_eq!(url.as_str(), expected, "{}", encoding.name());
        }
    }

    #[test]
    fn doubles_vanish_and_nofollow_needs_all_of_them() {
        let raw = |target: &'static str, kind, nofollow| RawLink { target: target.into(), kind, nofollow };
        let targets = resolver(None, UTF_8).resolve_all(&[
            raw("/one", LinkKind::Anchor, true),
            raw("/two#x", LinkKind::Canonical, false),
            raw("https://example.com/one", LinkKind::Frame, false),
            raw("/two", LinkKind::Anchor, true),
            raw("/three", LinkKind::Anchor, true),
            raw("/three#y", LinkKind::Anchor, true),
            raw("mailto:x", LinkKind::Anchor, true),
            raw("mailto:x", LinkKind::Anchor, true),
        ]);
        let links: Vec<Link> = targets.into_iter().map(Link::from).collect();
        let url = |text| Url::parse(text).expect("valid");
        assert_eq!(
            links,
            [
                Link { url: url("https://example.com/one"), kind: LinkKind::Anchor, nofollow: false },
                Link { url: url("https://example.com/two"), kind: LinkKind::Canonical, nofollow: false },
                Link { url: url("https://example.com/three"), kind: LinkKind::Anchor, nofollow: true },
            ]
        );
    }
}
