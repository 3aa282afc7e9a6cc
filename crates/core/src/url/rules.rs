//! URL normalisation: the normal form, and which query parameters (tracking, sessions) are dropped.

use serde::{Deserialize, Serialize};
use url::{Position, Url};

use super::fast::is_plainly_normal;
use super::spelling::push_canonical;
use super::{PageUrl, UrlError, gemini, resolve};

/// What advertising and mail campaigns add to links, and where servers put session ids.
///
/// `sid` and `session` are missing on purpose: on many sites they name a page. Read as [`UrlRules`] reads names.
pub const DROPPED_PARAMETERS: [&str; 16] = [
    "utm_*",
    "gclid",
    "gbraid",
    "wbraid",
    "dclid",
    "fbclid",
    "msclkid",
    "mc_cid",
    "mc_eid",
    "igshid",
    "_ga",
    "_gl",
    "yclid",
    "PHPSESSID",
    "jsessionid",
    "ASPSESSIONID*",
];

/// Which query parameters do not name a page.
///
/// A name is compared without regard to case, and a trailing `*` stands for any ending. The same
/// names are dropped where they stand as path parameters (`/page;jsessionid=1`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlRules {
    dropped_parameters: Vec<String>,
}

impl Default for UrlRules {
    /// Drops the parameters of campaigns (`utm_*`, `gclid`, ...) and session ids.
    fn default() -> Self {
        Self::new(DROPPED_PARAMETERS)
    }
}

impl UrlRules {
    /// Drops the parameters named, and no others.
    pub fn new(dropped_parameters: impl IntoIterator<Item: Into<String>>) -> Self {
        Self { dropped_parameters: dropped_parameters.into_iter().map(Into::into).collect() }
    }

    /// Keeps every parameter.
    pub fn keep_all_parameters() -> Self {
        Self { dropped_parameters: Vec::new() }
    }

    /// Resolves `input` against `base` and puts it in normal form.
    pub fn page(&self, input: &str, base: Option<&Url>) -> Result<PageUrl, UrlError> {
        self.normalise(resolve(input, base)?)
    }

    /// Puts `url` in normal form.
    ///
    /// User, password and fragment are dropped, percent-encoding is made canonical, and so are dot
    /// segments and the host by having been parsed. Parameters that are not dropped keep their
    /// order, also blank and repeated ones. Normalising twice is the same as normalising once.
    pub fn normalise(&self, mut url: Url) -> Result<PageUrl, UrlError> {
        match url.scheme() {
            "http" | "https" => {}
            "gemini" => return gemini::normalise(&url),
            other => return Err(UrlError::Scheme(other.to_owned())),
        }
        let whole = &url[..Position::AfterQuery];
        if url.query().is_none() && !url.path().contains(';') && is_plainly_normal(whole) {
            return PageUrl::from_normal(whole);
        }
        if let Some(path) = self.without_path_parameters(url.path()) {
            // What is left of `/..;jsessionid=1` is a dot segment, which this resolves.
            url.set_path(&path);
        }
        let mut text = String::with_capacity(url.as_str().len());
        text.push_str(url.scheme());
        text.push_str("://");
        text.push_str(url.host_str().unwrap_or_default());
        if let Some(port) = url.port() {
            text.push(':');
            text.push_str(&port.to_string());
        }
        let path = url.path();
        if path.contains('^') {
            push_canonical(&mut text, &path.replace('^', "%5E"));
        } else {
            push_canonical(&mut text, path);
        }
        if let Some(query) = url.query() {
            self.push_query(&mut text, query);
        }
        PageUrl::from_normal(&text)
    }

    /// Appends `?` and what is kept of `query`, or nothing if only dropped parameters were there.
    fn push_query(&self, text: &mut String, query: &str) {
        let mut canonical = String::with_capacity(query.len());
        push_canonical(&mut canonical, query);
        let all = canonical.split('&');
        let kept: Vec<&str> = all.clone().filter(|parameter| !self.drops(parameter)).collect();
        let has_dropped = kept.len() < all.count();
        if has_dropped && kept.iter().all(|parameter| parameter.is_empty()) {
            return;
        }
        text.push('?');
        text.push_str(&kept.join("&"));
    }

    /// Returns `path` without the path parameters to be dropped, or `None` if it has none.
    fn without_path_parameters(&self, path: &str) -> Option<String> {
        if self.dropped_parameters.is_empty() || !path.contains(';') {
            return None;
        }
        let mut canonical = String::with_capacity(path.len());
        push_canonical(&mut canonical, path);
        let mut kept = String::with_capacity(canonical.len());
        for (index, segment) in canonical.split('/').enumerate() {
            if index > 0 {
                kept.push('/');
            }
            let mut parts = segment.split(';');
            kept.push_str(parts.next().unwrap_or_default());
            for parameter in parts.filter(|parameter| !self.drops(parameter)) {
                kept.push(';');
                kept.push_str(parameter);
            }
        }
        (kept.len() < canonical.len()).then_some(kept)
    }

    /// Returns whether the rules drop `parameter`, which is `name` or `name=value`.
    fn drops(&self, parameter: &str) -> bool {
        let name = parameter.split_once('=').map_or(parameter, |(name, _)| name);
        self.dropped_parameters.iter().any(|dropped| match dropped.strip_suffix('*') {
            Some(start) => {
                name.get(..start.len()).is_some_and(|name_start| name_start.eq_ignore_ascii_case(start))
            }
            None => name.eq_ignore_ascii_case(dropped),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn normal(text: &str) -> String {
        UrlRules::default().page(text, None).unwrap().into()
    }

    #[test]
    fn one_page_has_one_address() {
        for (text, expected) in [
            ("HTTPS://User:Secret@WWW.Example.COM:443", "https://www.example.com/"),
            ("http://a:8080/b/./c/../d#e", "http://a:8080/b/d"),
            ("http://a/%7Eb/%2e%2E/%41?%7e=%2f", "http://a/A?~=%2F"),
            ("http://a/b%20c d|e^f?g h^i", "http://a/b%20c%20d|e%5Ef?g%20h^i"),
            ("http://a./", "http://a./"),
            ("http://a//b//", "http://a//b//"),
            ("http://ä.example/ö?ü", "http://xn--4ca.example/%C3%B6?%C3%BC"),
            ("http://0x7f.1/", "http://127.0.0.1/"),
        ] {
            assert_eq!(normal(text), expected, "{text}");
        }
    }

    #[test]
    fn parameters_that_name_no_page_are_dropped() {
        for (query, expected) in [
            ("?utm_source=x", ""),
            ("?UTM_Campaign=x&b=1", "?b=1"),
            ("?utm%5Fsource=x&b", "?b"),
            ("?b=1&gclid=2&c=3&fbclid", "?b=1&c=3"),
            ("?phpsessid=1&JSESSIONID=2&ASPSESSIONIDQQ=3&_ga=4&_gl=5", ""),
            ("?utm_source=x&", ""),
            ("?utm=1&sid=2&gclidx=3&xgclid=4&_gat=5", "?utm=1&sid=2&gclidx=3&xgclid=4&_gat=5"),
            ("?b=utm_source=x", "?b=utm_source=x"),
            ("?é=1&gclid=2", "?%C3%A9=1"),
        ] {
            let expected = format!("http://a/p{expected}");
            assert_eq!(normal(&format!("http://a/p{query}")), expected, "{query}");
        }
    }

    #[test]
    fn other_parameters_stay_as_they_are() {
        for query in ["?", "?&", "?b=&a&a=&b=&&", "?b=2&a=1&b=2", "?a+b=%26", "?;gclid=1", "?a?b"] {
            let text = format!("http://a/p{query}");
            assert_eq!(normal(&text), text);
        }
    }

    #[test]
    fn session_ids_are_dropped_from_paths() {
        for (path, expected) in [
            ("/p;jsessionid=1", "/p"),
            ("/p;JSESSIONID=1.node;v=2/q;x?y", "/p;v=2/q;x?y"),
            ("/p;%6asessionid=1/q", "/p/q"),
            ("/;jsessionid=1", "/"),
            ("/a/b/..;jsessionid=1/c", "/a/c"),
            ("/p;v=1", "/p;v=1"),
            ("/jsessionid=1", "/jsessionid=1"),
        ] {
            assert_eq!(normal(&format!("http://a{path}")), format!("http://a{expected}"), "{path}");
        }
    }

    #[test]
    fn the_list_is_the_users_own() {
        let rules = UrlRules::new(["Session", "x-*"]);
        let page = rules.page("http://a/?utm_source=1&session=2&X-y=3&x=4", None).unwrap();
        assert_eq!(page.as_str(), "http://a/?utm_source=1&x=4");
        let nothing = UrlRules::new(Vec::<String>::new());
        assert_eq!(nothing, UrlRules::keep_all_parameters());
    }

    #[test]
    fn references_are_resolved_first() {
        let base = Url::parse("https://a/b/c").unwrap();
        let rules = UrlRules::default();
        assert_eq!(rules.page("///D?gclid=1", Some(&base)).unwrap().as_str(), "https://d/");
        assert_eq!(rules.page("d#e", Some(&base)).unwrap().as_str(), "https://a/b/d");
        assert_eq!(rules.page("mailto:a@b", Some(&base)), Err(UrlError::Scheme("mailto".into())));
        let long = format!("/{}", "é".repeat(PageUrl::MAX_LENGTH / 6));
        assert_eq!(rules.page(&long, Some(&base)), Err(UrlError::TooLong));
    }

    #[test]
    fn a_parsed_url_with_a_caret_is_normalised_too() {
        let url = Url::parse("http://a/^?^").unwrap();
        let page = UrlRules::default().normalise(url).unwrap();
        assert_eq!(page.as_str(), "http://a/%5E?^");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn normalising_twice_is_normalising_once(
            text in "https?:[/\\\\]{1,4}([a-zA-Z0-9.%é-]{1,8}|[a-z]{1,5}[.]com|[0-9.x]{1,6})(:[0-9]{1,5})?([/\\\\](%|[.;a-f0-9'^ é/\\\\]|%[2-7][0-9a-fA-F]|;jsessionid=|[.]{1,2}|[.]{2};jsessionid){0,8})?([?](%|[a-f0-9=&'^ é?]|%[2-7][0-9a-fA-F]|gclid|&?utm_){0,8})?(#.{0,3})?"
        ) {
            for rules in [UrlRules::default(), UrlRules::keep_all_parameters()] {
                if let Ok(once) = rules.page(&text, None) {
                    prop_assert_eq!(rules.page(once.as_str(), None), Ok(once.clone()));
                    prop_assert_eq!(once.as_str().parse::<PageUrl>(), Ok(once.clone()));
                    prop_assert_eq!(String::from(once.to_url()), once.as_str());
                }
            }
        }
    }
}
