//! The pages that a page points to.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};

use encoding_rs::{Encoding, UTF_8};
use recrawl_core::model::content::Unreadable;
use recrawl_core::model::region::Mark;
use recrawl_core::url::{Origin, PageUrl, UrlRules, resolve_with_encoding};
use serde::{Deserialize, Serialize};
use url::{Position, Url};
use xxhash_rust::xxh3::xxh3_64_with_seed;

pub(crate) use self::link_set::AsIs;
use self::link_set::LinkSet;
use crate::budget::WorkBudget;

mod link_set;
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
    /// Where it stands.
    pub(crate) mark: Mark,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LinkUrl {
    /// A page in normal form, which needed no parsing.
    Page(PageUrl),
    /// An address as the standard serialises it; boxed, because a page may have very many.
    Other(Box<Url>),
}

/// A resolved link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResolvedLink {
    pub(crate) address: LinkUrl,
    pub(crate) kind: LinkKind,
    pub(crate) nofollow: bool,
    /// Whether one of the links to it stands where the page counts.
    pub(crate) counts: bool,
    /// Where it stands.
    pub(crate) spot: LinkSpot,
}

/// Where the links to an address stand in their page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkSpot {
    /// The number of the first of them, among all links of the page.
    pub(crate) first: u32,
    /// The number of the one that is meant: the first in the content that counts, else the first that counts.
    pub(crate) meant: u32,
    /// Where that one stands.
    pub(crate) mark: Mark,
}

/// A link that leads to no page, such as `tel:` and `mailto:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ElsewhereLink {
    pub(crate) url: Url,
    /// Where it stands.
    pub(crate) spot: LinkSpot,
}

/// The links of a page.
#[derive(Debug, Default)]
pub(crate) struct ResolvedLinks {
    /// Those that lead to pages, without doubles.
    pub(crate) targets: Vec<ResolvedLink>,
    /// Those that count and lead elsewhere, without doubles.
    pub(crate) elsewhere: Vec<ElsewhereLink>,
    /// Why some are missing, in words.
    pub(crate) cut: Option<String>,
}

impl LinkUrl {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Page(page) => page.as_str(),
            Self::Other(url) => url.as_str(),
        }
    }

    fn into_url(self) -> Url {
        match self {
            Self::Page(page) => page.to_url(),
            Self::Other(url) => *url,
        }
    }

    /// Returns the page that the address names by these rules, if it names one.
    pub(crate) fn into_page(self, rules: &UrlRules) -> Option<PageUrl> {
        match self {
            Self::Page(page) => Some(page),
            Self::Other(url) => rules.normalise(*url).ok(),
        }
    }
}

impl From<ResolvedLink> for Link {
    fn from(target: ResolvedLink) -> Self {
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
        self.resolve_any(self.without_fragment(target)).filter(leads_to_page)
    }

    /// Resolves the address of an image, a sound or a film; `None` if no server has it.
    pub(crate) fn resolve_media(&self, target: &str) -> Option<LinkUrl> {
        let target = self.without_fragment(target);
        self.plain_page(target).or_else(|| self.resolve(target).map(|url| LinkUrl::Other(Box::new(url))))
    }

    /// Resolves links of a page of `length` bytes and drops doubles: the first one gives place and kind.
    pub(crate) fn resolve_all(
        &self,
        raw_links: &[RawLink<'_>],
        length: usize,
        budget: &WorkBudget,
    ) -> Result<ResolvedLinks, Unreadable> {
        let mut links = LinkSet::for_page(length, raw_links.len());
        // Nobody can choose addresses that collide without knowing the seed.
        let seed = RandomState::new().hash_one(0);
        let key_of = |text: &str| xxh3_64_with_seed(text.as_bytes(), seed);
        for (number, raw) in raw_links.iter().enumerate() {
            links.begin(number);
            let target = self.without_fragment(raw.target);
            budget.work_on(target)?;
            if let Some(page) = self.plain_page(target) {
                let key = key_of(page.as_str());
                if links.add_target(key, page, raw).is_none() {
                    break;
                }
                continue;
            }
            let text_key = key_of(target);
            if links.has_met(text_key, raw) {
                continue;
            }
            let Some(url) = self.resolve_any(target) else {
                links.meet_nothing(text_key);
                continue;
            };
            budget.work_on(url.as_str())?;
            let has_room = if leads_to_page(&url) {
                let place = links.add_target(key_of(url.as_str()), LinkUrl::Other(Box::new(url)), raw);
                place.map(|place| links.meet(text_key, place)).is_some()
            } else {
                links.add_elsewhere(text_key, url, raw)
            };
            if !has_room {
                break;
            }
        }
        Ok(links.finish())
    }

    /// Cuts the fragment off, so that links into one page are one text.
    fn without_fragment<'a>(&self, target: &'a str) -> &'a str {
        match target.split_once('#') {
            // White space at the end is not part of an address, but before a fragment it is. A base such as `urn:x` has
            // places inside it, and nothing else is relative to it.
            Some((address, _)) if !address.ends_with(|last| last <= ' ') && !self.base.cannot_be_a_base() => {
                address
            }
            Some(_) | None => target,
        }
    }

    /// Returns the page that a target leads to, if that needs no parsing.
    fn plain_page(&self, target: &str) -> Option<LinkUrl> {
        self.origin.as_ref().and_then(|origin| origin.page(target)).map(LinkUrl::Page)
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

fn leads_to_page(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// Tells whether an address is no place but something to run or show.
fn is_code(url: &Url) -> bool {
    matches!(url.scheme(), "javascript" | "data" | "blob" | "about" | "vbscript")
}

#[cfg(test)]
mod tests {
    use super::{Link, LinkKind, RawLink, ResolvedLinks, Resolver};
    use crate::budget::WorkBudget;
    use encoding_rs::{Encoding, UTF_8};
    use recrawl_core::model::region::Mark;
    use url::Url;

    fn resolver(base: Option<&str>, encoding: &'static Encoding) -> Resolver {
        let document = Url::parse("https://example.com/a/b?c#d").expect("valid");
        Resolver::new(&document, base, encoding)
    }

    fn resolve_all(links: &[RawLink<'_>], length: usize) -> ResolvedLinks {
        resolver(None, UTF_8).resolve_all(links, length, &WorkBudget::for_page()).expect("quickly done")
    }

    #[test]
    fn a_page_whose_addresses_are_out_of_proportion_keeps_the_first_of_them() {
        let base = format!("https://example.com/{}/", "x".repeat(100_000));
        let document = Url::parse(&base).expect("valid");
        let far_away = Resolver::new(&document, None, UTF_8);
        let targets: Vec<String> = (0..1_000).map(|number| format!("?{number}")).collect();
        let raw = |target| RawLink {
            target,
            kind: LinkKind::Anchor,
            nofollow: false,
            counts: true,
            mark: Mark::CONTENT,
        };
        let links: Vec<RawLink<'_>> = targets.iter().map(|target| raw(target)).collect();
        let resolved = far_away.resolve_all(&links, 10_000, &WorkBudget::for_page()).expect("quickly done");
        assert!((1..20).contains(&resolved.targets.len()), "{}", resolved.targets.len());
        assert!(resolved.cut.is_some_and(|reason| reason.contains("addresses")));
    }

    #[test]
    fn a_page_keeps_as_many_links_as_anybody_would_make() {
        let targets: Vec<String> = (0..100_010).map(|number| format!("/{number}")).collect();
        let raw = |target| RawLink {
            target,
            kind: LinkKind::Anchor,
            nofollow: false,
            counts: true,
            mark: Mark::CONTENT,
        };
        let links: Vec<RawLink<'_>> = targets.iter().map(|target| raw(target)).collect();
        let resolved = resolve_all(&links, 10_000_000);
        assert_eq!(resolved.targets.len(), 100_000);
        assert!(resolved.cut.is_some_and(|reason| reason.contains("100000 links")));
        assert_eq!(resolve_all(&links[..100_000], 10_000_000).cut, None);
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
            RawLink { target, kind, nofollow, counts, mark: Mark::CONTENT }
        };
        let links = [
            raw("/one", LinkKind::Anchor, true),
            raw("/two#x", LinkKind::Canonical, false),
            raw("https://example.com/one", LinkKind::Frame, false),
            raw("/two", LinkKind::Anchor, true),
            raw("/three", LinkKind::Anchor, true),
            raw("/three#y", LinkKind::Anchor, true),
            raw("mailto:x", LinkKind::Anchor, true),
            raw("javascript:x", LinkKind::Anchor, true),
            raw("tel:1", LinkKind::Canonical, true),
            raw("tel:1", LinkKind::Anchor, true),
            raw("tel:1", LinkKind::Anchor, true),
        ];
        let resolved = resolve_all(&links, 1_000);
        assert_eq!(resolved.cut, None);
        let counts: Vec<bool> = resolved.targets.iter().map(|target| target.counts).collect();
        assert_eq!(counts, [true, true, true]);
        let elsewhere: Vec<&str> = resolved.elsewhere.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(elsewhere, ["mailto:x", "tel:1"]);
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
