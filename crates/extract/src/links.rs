//! The pages that a page points to.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use encoding_rs::{Encoding, UTF_8};
use recrawl_core::url::{Origin, PageUrl, UrlRules, resolve_with_encoding};
use serde::{Deserialize, Serialize};
use url::{Position, Url};
use xxhash_rust::xxh3::xxh3_64_with_seed;

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
    pub(crate) target: &'text str,
    pub(crate) kind: LinkKind,
    pub(crate) nofollow: bool,
    /// Whether it stands where the page counts.
    pub(crate) counts: bool,
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
    /// Whether one of the links to it stands where the page counts.
    pub(crate) counts: bool,
}

/// The links of a page.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    /// Those that lead to pages, without doubles.
    pub(crate) targets: Vec<Target>,
    /// Those that count and lead elsewhere, such as `tel:` and `mailto:`.
    pub(crate) elsewhere: Vec<Url>,
}

impl Address {
    pub(crate) fn as_str(&self) -> &str {
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

    /// Tells whether an absolute address is on the server of the page.
    pub(crate) fn is_own(&self, address: &str) -> bool {
        let own = &self.base[..Position::BeforePath];
        address.strip_prefix(own).is_some_and(|path| path.starts_with('/'))
    }

    /// Resolves one address; `None` if it leads to no page.
    pub(crate) fn resolve(&self, target: &str) -> Option<Url> {
        self.resolve_any(without_fragment(target)).filter(leads_to_page)
    }

    /// Resolves the address of an image, a sound or a film; `None` if no server has it.
    pub(crate) fn resolve_media(&self, target: &str) -> Option<Address> {
        let target = without_fragment(target);
        self.plain_page(target).or_else(|| self.resolve(target).map(Address::Other))
    }

    /// Resolves links and drops doubles: the first one gives place and kind.
    pub(crate) fn resolve_all(&self, raw_links: &[RawLink<'_>]) -> Resolved {
        let mut targets: Vec<Target> = Vec::with_capacity(raw_links.len());
        let mut elsewhere = Vec::new();
        let mut parsed: HashMap<&str, Option<Url>> = HashMap::new();
        let mut places: HashMap<u64, usize, BuildHasherDefault<AsIs>> =
            HashMap::with_capacity_and_hasher(raw_links.len(), BuildHasherDefault::default());
        // Nobody can choose addresses that collide without knowing the seed.
        let seed = RandomState::new().hash_one(0);
        for raw in raw_links {
            let target = without_fragment(raw.target);
            let address = match self.plain_page(target) {
                Some(page) => page,
                None => match parsed.entry(target).or_insert_with(|| self.resolve_any(target)) {
                    Some(url) if leads_to_page(url) => Address::Other(url.clone()),
                    Some(url) => {
                        if raw.counts && !is_code(url) {
                            elsewhere.push(url.clone());
                        }
                        continue;
                    }
                    None => continue,
                },
            };
            let key = xxh3_64_with_seed(address.as_str().as_bytes(), seed);
            let place = *places.entry(key).or_insert(targets.len());
            if let Some(earlier) = targets.get_mut(place) {
                earlier.nofollow &= raw.nofollow;
                earlier.counts |= raw.counts;
            } else {
                let RawLink { kind, nofollow, counts, .. } = *raw;
                targets.push(Target { address, kind, nofollow, counts });
            }
        }
        Resolved { targets, elsewhere }
    }

    /// Returns the page that a target leads to, if that needs no parsing.
    fn plain_page(&self, target: &str) -> Option<Address> {
        self.origin.as_ref().and_then(|origin| origin.page(target)).map(Address::Page)
    }

    fn resolve_any(&self, target: &str) -> Option<Url> {
        let mut url = self.join(target)?;
        url.set_fragment(None);
        Some(url)
    }

    fn join(&self, target: &str) -> Option<Url> {
        let Some(encoding) = self.encoding else {
            return resolve_with_encoding(target, Some(&self.base), None).ok();
        };
        let encode: &dyn Fn(&str) -> Cow<'_, [u8]> = &|query| Cow::Owned(query::encode(encoding, query));
        resolve_with_encoding(target, Some(&self.base), Some(encode)).ok()
    }
}

/// Takes a key that is a hash for the hash that it is.
#[derive(Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 << 8) | u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

fn leads_to_page(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// Tells whether an address is no place but something to run or show.
fn is_code(url: &Url) -> bool {
    matches!(url.scheme(), "javascript" | "data" | "blob" | "about" | "vbscript")
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
        let raw = |target: &'static str, kind, nofollow| {
            let counts = kind == LinkKind::Anchor;
            RawLink { target, kind, nofollow, counts }
        };
        let resolved = resolver(None, UTF_8).resolve_all(&[
            raw("/one", LinkKind::Anchor, true),
            raw("/two#x", LinkKind::Canonical, false),
            raw("https://example.com/one", LinkKind::Frame, false),
            raw("/two", LinkKind::Anchor, true),
            raw("/three", LinkKind::Anchor, true),
            raw("/three#y", LinkKind::Anchor, true),
            raw("mailto:x", LinkKind::Anchor, true),
            raw("javascript:x", LinkKind::Anchor, true),
            raw("tel:1", LinkKind::Canonical, true),
        ]);
        let counts: Vec<bool> = resolved.targets.iter().map(|target| target.counts).collect();
        assert_eq!(counts, [true, true, true]);
        let elsewhere: Vec<&str> = resolved.elsewhere.iter().map(Url::as_str).collect();
        assert_eq!(elsewhere, ["mailto:x"]);
        let links: Vec<Link> = resolved.targets.into_iter().map(Link::from).collect();
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
