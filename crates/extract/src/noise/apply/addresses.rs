//! Addresses without what changes in them by itself.

use std::borrow::Cow;

use super::{NoiseRule, NoiseRules};

mod file_names;
mod hosts;
mod parameters;

/// What is left of an address.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reduced<'text> {
    /// The address as it counts; `None` if it does not.
    pub(crate) address: Option<Cow<'text, str>>,
    /// The rules that changed it.
    pub(crate) by: NoiseRules,
}

/// Reduces the absolute address of a link.
pub(crate) fn reduce_link(address: &str, rules: NoiseRules) -> Reduced<'_> {
    reduce(address, rules, false)
}

/// Reduces the absolute address of an image, a sound or a film.
pub(crate) fn reduce_media(address: &str, rules: NoiseRules) -> Reduced<'_> {
    reduce(address, rules, true)
}

fn reduce(address: &str, rules: NoiseRules, is_media: bool) -> Reduced<'_> {
    let as_it_stands = Reduced { address: Some(Cow::Borrowed(address)), by: NoiseRules::default() };
    let Some(Parts { scheme, host, path, query }) = Parts::of(address) else {
        return as_it_stands;
    };
    let judges_hosts = rules.contains(NoiseRule::Ads) || rules.contains(NoiseRule::Monitoring);
    let rule = if judges_hosts { hosts::rule_of(host, path, query) } else { None };
    if let Some(rule) = rule.filter(|rule| rules.contains(*rule)) {
        return Reduced { address: None, by: NoiseRules::default().with(rule) };
    }
    let mut by = NoiseRules::default();
    let mut reduced_path = Cow::Borrowed(path);
    if rules.contains(NoiseRule::SessionLinks)
        && let Some(changed) = parameters::without_path_session(path)
    {
        by = by.with(NoiseRule::SessionLinks);
        reduced_path = Cow::Owned(changed);
    }
    if is_media
        && rules.contains(NoiseRule::CacheBusting)
        && let Some(changed) = file_names::stable_path(&reduced_path)
    {
        by = by.with(NoiseRule::CacheBusting);
        reduced_path = Cow::Owned(changed);
    }
    let kept_query = query.map(|query| parameters::reduce_query(query, rules, is_media, &mut by));
    if by == NoiseRules::default() {
        return as_it_stands;
    }
    let mut reduced = String::with_capacity(address.len());
    for part in [scheme, "://", host, &reduced_path] {
        reduced.push_str(part);
    }
    if let Some(query) = kept_query.filter(|query| !query.is_empty()) {
        reduced.push('?');
        reduced.push_str(&query);
    }
    Reduced { address: Some(Cow::Owned(reduced)), by }
}

/// An address that names a server, in parts, each cut from what the one before left.
#[derive(Debug, PartialEq, Eq)]
struct Parts<'text> {
    scheme: &'text str,
    host: &'text str,
    path: &'text str,
    /// What follows a question mark.
    query: Option<&'text str>,
}

impl<'text> Parts<'text> {
    /// Takes an address without a fragment apart; `None` if it names no server, like `tel:` and `mailto:`.
    ///
    /// An address within an address, as in `mailto:?body=https://example.org/`, is none of its parts.
    fn of(address: &'text str) -> Option<Self> {
        let (scheme, rest) = address.split_once(':')?;
        let rest = rest.strip_prefix("//").filter(|_| is_scheme(scheme))?;
        let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
        let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        Some(Self { scheme, host, path, query })
    }
}

fn is_scheme(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> NoiseRules {
        NoiseRules::from(&NoiseRule::ALL.into_iter().collect())
    }

    #[track_caller]
    fn assert_reduces(reduce: fn(&str, NoiseRules) -> Reduced<'_>, rule: NoiseRule, cases: &[(&str, &str)]) {
        for (address, expected) in cases {
            let reduced = reduce(address, all());
            assert_eq!(reduced.address.as_deref().unwrap_or_default(), *expected, "{address}");
            assert_eq!(reduced.by.iter().collect::<Vec<_>>(), [rule], "{address}");
            let others = NoiseRule::ALL.into_iter().filter(|other| *other != rule).collect();
            let untouched = reduce(address, NoiseRules::from(&others));
            assert_eq!(untouched.address.as_deref(), Some(*address), "only {rule} touches it");
        }
    }

    #[track_caller]
    fn assert_keeps(reduce: fn(&str, NoiseRules) -> Reduced<'_>, cases: &[&str]) {
        for address in cases {
            assert_eq!(reduce(address, all()).address.as_deref(), Some(*address));
        }
    }

    #[test]
    fn sessions_tokens_and_campaigns_are_no_part_of_a_link() {
        assert_reduces(
            reduce_link,
            NoiseRule::SessionLinks,
            &[
                ("https://a.b/c;jsessionid=0A1B2C3D?d=1", "https://a.b/c?d=1"),
                ("https://a.b/c;jsessionid=0A1B2C3D.node1", "https://a.b/c"),
                ("https://a.b/(S(lit3py55t21z5v55vlm25s55))/c.aspx", "https://a.b/c.aspx"),
                ("https://a.b/c?PHPSESSID=9f8e7d&page=2", "https://a.b/c?page=2"),
                ("https://a.b/c?sid=0123456789abcdef0123456789abcdef", "https://a.b/c"),
                ("https://a.b/logout?token=Zm9v-8Jkq0XyW", "https://a.b/logout"),
                ("https://a.b/c?csrf_token=x&_wpnonce=0a1b2c3d4e", "https://a.b/c"),
                ("https://a.b/user/login?destination=/node/7", "https://a.b/user/login"),
                ("https://a.b/c?d=1&utm_source=x&utm_medium=y&gclid=z", "https://a.b/c?d=1"),
            ],
        );
        assert_keeps(
            reduce_link,
            &[
                "https://a.b/c?sid=12",
                "https://a.b/c?token=ring",
                "https://a.b/tokens?id=7",
                "https://a.b/c;v=2",
                "https://a.b/c?d=1&",
                "https://a.b/c?",
                "https://a.b/c?v=2&t=3&ver=4",
                "https://a.b/report.3f9a2bc1.pdf",
                "https://a.b/c?session=morning",
                "tel:+15035551212",
                "mailto:a@b.c?subject=token",
            ],
        );
    }

    #[test]
    fn an_address_without_a_server_stays_as_it_is_whatever_it_contains() {
        let schemes =
            ["mailto:", "sms:", "tg:", "geo:", "tel:", "javascript:", "data:", "x-y:", "urn:a:", ":", ""];
        let rests = [
            "?subject=Privacy&body=https://www.example.org/help?CMP=share",
            "a@b.c?body=https://www.example.org/",
            "?https://",
            "https://",
            "?",
            "1,2?q=https://a.b/c;jsessionid=0A1B2C3D?utm_source=x#y",
            "/a?u=https://www.googletagmanager.com/ns.html",
        ];
        for address in
            schemes.iter().flat_map(|scheme| rests.iter().map(move |rest| format!("{scheme}{rest}")))
        {
            if !address.starts_with("https://") {
                assert_keeps(reduce_link, &[&address]);
                assert_keeps(reduce_media, &[&address]);
            }
        }
    }

    #[test]
    fn parts_are_those_of_the_outer_address() {
        let parts = |scheme, host, path, query| Some(Parts { scheme, host, path, query });
        for (address, expected) in [
            ("https://a.b/c?d=1", parts("https", "a.b", "/c", Some("d=1"))),
            ("https://a.b?u=c://d/e?f", parts("https", "a.b", "", Some("u=c://d/e?f"))),
            ("https://a.b/c://d?e", parts("https", "a.b", "/c://d", Some("e"))),
            ("ftp://a.b", parts("ftp", "a.b", "", None)),
            ("file:///c", parts("file", "", "/c", None)),
            ("https://", parts("https", "", "", None)),
            ("mailto:?body=https://a.b/", None),
            ("no address", None),
            ("", None),
        ] {
            assert_eq!(Parts::of(address), expected, "{address}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_address_is_too_odd(address in "([a-z]{0,3}:?/{0,3}|\\PC)([:/?#;=&()é]|[a-z]{1,3}){0,12}") {
            for reduce in [reduce_link, reduce_media] {
                let reduced = reduce(&address, all());
                let is_changed = reduced.address.as_deref() != Some(&*address);
                proptest::prop_assert_eq!(is_changed, reduced.by != NoiseRules::default());
            }
        }
    }

    #[test]
    fn what_busts_caches_is_no_part_of_an_image() {
        assert_reduces(
            reduce_media,
            NoiseRule::CacheBusting,
            &[
                ("https://a.b/c.png?v=3", "https://a.b/c.png"),
                ("https://a.b/c.png?ver=6.4.1&w=300", "https://a.b/c.png?w=300"),
                ("https://a.b/c.png?1699999999", "https://a.b/c.png"),
                ("https://a.b/c.png?h=0a1b2c3d4e", "https://a.b/c.png"),
                (
                    "https://a.b/styles/large/public/2024-05/c.jpg?itok=Xy_z12-4",
                    "https://a.b/styles/large/public/2024-05/c.jpg",
                ),
                ("https://a.b/c.jpg?X-Amz-Date=1&X-Amz-Signature=2&Expires=3", "https://a.b/c.jpg"),
                (
                    "https://a.imgix.net/c.jpg?w=9&s=0123456789abcdef0123456789abcdef",
                    "https://a.imgix.net/c.jpg?w=9",
                ),
                ("https://a.b/logo.3f9a2bc1.png", "https://a.b/logo.png"),
                ("https://a.b/logo-5d41402abc4b2a76b9719d911017c592.png", "https://a.b/logo.png"),
                ("https://a.b/hero-aB3xY9zQ.webp", "https://a.b/hero.webp"),
                (
                    "https://a.b/image/upload/s--Ab_1-cd2--/v1699999999/c.jpg",
                    "https://a.b/image/upload/c.jpg",
                ),
                (
                    "https://a.b/media/cache/0123456789abcdef0123456789abcdef/c.jpg",
                    "https://a.b/media/cache/c.jpg",
                ),
                (
                    "https://a.b/_next/image?url=%2F_next%2Fstatic%2Fmedia%2Fhero.3f9a2bc1.png&w=640&q=75",
                    "https://a.b/_next/image?url=/_next/static/media/hero.png&w=640&q=75",
                ),
            ],
        );
        assert_keeps(
            reduce_media,
            &[
                "https://a.b/c.png",
                "https://a.b/c.png?w=300&h=200",
                "https://a.b/image.php?id=7",
                "https://a.b/0123456789abcdef0123456789abcdef.png",
                "https://a.b/photo-20240501.jpg",
                "https://a.b/photo-Summer24.jpg",
                "https://a.b/photo-2024Nov3.jpg",
                "https://a.b/IMG-face2024.jpg",
                "https://a.b/bridge-decade90.jpg",
                "https://a.b/c.tar.gz",
                "https://a.b/v2/c.jpg",
                "https://a.b/map?s=5",
                "https://a.b/image?url=%2Fc.png",
            ],
        );
    }

    #[test]
    fn what_measures_or_advertises_is_neither_link_nor_image() {
        assert_reduces(
            reduce_link,
            NoiseRule::Monitoring,
            &[("https://www.googletagmanager.com/ns.html?id=GTM-ABC123", "")],
        );
        assert_reduces(
            reduce_media,
            NoiseRule::Monitoring,
            &[
                ("https://www.facebook.com/tr?id=1&ev=PageView&noscript=1", ""),
                ("https://px.ads.linkedin.com/collect/?pid=1&fmt=gif", ""),
                ("https://matomo.example.org/matomo.php?idsite=1&rec=1", ""),
                ("https://bat.bing.com/action/0?ti=1", ""),
            ],
        );
        let frame = "https://googleads.g.doubleclick.net/pagead/ads?client=ca-pub-1";
        assert_reduces(reduce_link, NoiseRule::Ads, &[(frame, "")]);
        assert_keeps(
            reduce_link,
            &[
                "https://www.facebook.com/portland",
                "https://www.facebook.com/transport",
                "https://analytics.google.com/",
                "https://notdoubleclick.net/",
                "https://a.b/www.googletagmanager.com/ns.html",
                "https://www.matomo.org/",
            ],
        );
    }
}
