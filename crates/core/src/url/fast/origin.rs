//! Links that are a path on the server of their page, as most are.

use url::{Position, Url};

use super::normal::{is_plain_path, is_plainly_normal};
use crate::url::PageUrl;

/// The scheme, host and port of a page, for resolving links that need no parsing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(String);

impl Origin {
    /// Returns the origin of `base`, if it is plain.
    pub fn of(base: &Url) -> Option<Self> {
        let origin = &base[..Position::BeforePath];
        is_plainly_normal(&format!("{origin}/")).then(|| Self(origin.to_owned()))
    }

    /// Returns the page that `target` leads to, if it is a path in normal form; `None` says nothing.
    ///
    /// Without a query and without path parameters no [`UrlRules`](crate::url::UrlRules) change it.
    pub fn page(&self, target: &str) -> Option<PageUrl> {
        let bytes = target.as_bytes();
        let is_path = bytes.first() == Some(&b'/') && bytes.get(1) != Some(&b'/');
        if !is_path || bytes.contains(&b';') || !is_plain_path(target) {
            return None;
        }
        let mut text = String::with_capacity(self.0.len() + target.len());
        text.push_str(&self.0);
        text.push_str(target);
        PageUrl::from_normal(&text).ok()
    }
}

#[cfg(test)]
#[cfg(not(feature = "plain"))]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::url::UrlRules;

    fn origin(base: &str) -> Option<Origin> {
        Origin::of(&Url::parse(base).unwrap())
    }

    #[test]
    fn a_plain_path_is_a_page_of_the_same_server() {
        for (base, target, expected) in [
            ("https://a.b/c?d#e", "/f/g.html", Some("https://a.b/f/g.html")),
            ("http://a.b:81/", "/", Some("http://a.b:81/")),
            ("http://127.0.0.1:81/", "/%2F/.x/a..b", Some("http://127.0.0.1:81/%2F/.x/a..b")),
            ("https://a.b/", "//c/", None),
            ("https://a.b/", "/\\c/", None),
            ("https://a.b/", "f", None),
            ("https://a.b/", "", None),
            ("https://a.b/", "/f?g", None),
            ("https://a.b/", "/f#g", None),
            ("https://a.b/", "/f;jsessionid=1", None),
            ("https://a.b/", "/f/../g", None),
            ("https://a.b/", "/.", None),
            ("https://a.b/", "/%2e/", None),
            ("https://a.b/", "/f ", None),
            ("https://a.b/", "/\tf", None),
            ("https://a.b/", "/^", None),
            ("https://a.b/", "/\u{e9}", None),
        ] {
            let page = origin(base).unwrap().page(target);
            assert_eq!(page.as_ref().map(PageUrl::as_str), expected, "{target:?} on {base}");
        }
    }

    #[test]
    fn other_origins_are_left_to_the_parser() {
        for base in
            ["http://user@a.b/", "ftp://a.b/", "data:text/plain,x", "http://[::1]/", "http://xn--4ca/"]
        {
            assert_eq!(origin(base), None, "{base}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_page_is_what_the_parser_makes_of_the_link(
            target in "/?([a-z./;|^~'%25eEfF?#\\\\\\[ ]|%[0-9A-F]{2}|/[.]){0,12}"
        ) {
            let base = Url::parse("https://a.b/c/d?e").unwrap();
            if let Some(page) = Origin::of(&base).unwrap().page(&target) {
                for rules in [UrlRules::default(), UrlRules::keep_all_parameters()] {
                    prop_assert_eq!(rules.page(&target, Some(&base)), Ok(page.clone()));
                }
            }
        }
    }
}
