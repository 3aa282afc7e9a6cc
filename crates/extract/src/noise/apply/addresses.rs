//! Addresses without what changes in them by itself.

use std::borrow::Cow;

use crate::noise::rule::{AddressRule, Parameter};
use crate::noise::{NoiseRule, NoiseRuleSet};

/// What is left of an address.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reduced<'text> {
    /// The address as it counts; `None` if it does not.
    pub(crate) address: Option<Cow<'text, str>>,
    /// The rules that changed it.
    pub(crate) by: NoiseRuleSet,
}

/// Reduces the absolute address of a link.
pub(crate) fn reduce_link(address: &str, rules: NoiseRuleSet) -> Reduced<'_> {
    reduce(address, rules, false)
}

/// Reduces the absolute address of an image, a sound or a film.
pub(crate) fn reduce_media(address: &str, rules: NoiseRuleSet) -> Reduced<'_> {
    reduce(address, rules, true)
}

fn reduce(address: &str, rules: NoiseRuleSet, is_media: bool) -> Reduced<'_> {
    let as_it_stands = Reduced { address: Some(Cow::Borrowed(address)), by: NoiseRuleSet::default() };
    let Some(Parts { scheme, host, path, query }) = Parts::of(address) else {
        return as_it_stands;
    };
    if let Some(rule) = rule_of_server(host, path, query, is_media).filter(|rule| rules.contains(*rule)) {
        return Reduced { address: None, by: NoiseRuleSet::default().with(rule) };
    }
    let mut by = NoiseRuleSet::default();
    let mut reduced_host = Cow::Borrowed(host);
    let mut reduced_path = Cow::Borrowed(path);
    for (rule, in_addresses) in in_order(rules, is_media) {
        if let Some(changed) = (in_addresses.host)(&reduced_host) {
            by = by.with(rule);
            reduced_host = Cow::Owned(changed);
        }
        if let Some(changed) = (in_addresses.path)(&reduced_path) {
            by = by.with(rule);
            reduced_path = Cow::Owned(changed);
        }
    }
    let kept_query = query.map(|query| reduce_query(query, rules, is_media, &mut by));
    if by == NoiseRuleSet::default() {
        return as_it_stands;
    }
    let mut reduced = String::with_capacity(address.len());
    for part in [scheme, "://", &reduced_host, &reduced_path] {
        reduced.push_str(part);
    }
    if let Some(query) = kept_query.filter(|query| !query.is_empty()) {
        reduced.push('?');
        reduced.push_str(&query);
    }
    Reduced { address: Some(Cow::Owned(reduced)), by }
}

/// Returns the rules about addresses of this use: those about every address before those about media alone.
fn in_order(rules: NoiseRuleSet, is_media: bool) -> impl Iterator<Item = (NoiseRule, &'static AddressRule)> {
    let passes = [false, true].into_iter().filter(move |only_media| is_media || !only_media);
    passes.flat_map(move |only_media| {
        rules
            .iter()
            .filter_map(|rule| Some((rule, rule.rule().address.as_ref()?)))
            .filter(move |(_, in_addresses)| in_addresses.only_media == only_media)
    })
}

/// Returns what counts of a query, and adds the rules that took the rest.
fn reduce_query<'text>(
    query: &'text str,
    rules: NoiseRuleSet,
    is_media: bool,
    by: &mut NoiseRuleSet,
) -> Cow<'text, str> {
    let mut kept: Vec<Cow<'text, str>> = Vec::new();
    let mut changes_something = false;
    let mut has_drawn = false;
    for parameter in query.split('&') {
        let changed = in_order(rules, is_media).find_map(|(rule, in_addresses)| {
            let changed = (in_addresses.parameter)(parameter);
            (changed != Parameter::Kept).then_some((rule, changed))
        });
        match changed {
            None | Some((_, Parameter::Kept)) => kept.push(Cow::Borrowed(parameter)),
            Some((rule, changed)) => {
                *by = by.with(rule);
                changes_something = true;
                has_drawn |= changed == Parameter::Drawn;
                if let Parameter::Replaced(parameter) = changed {
                    kept.push(Cow::Owned(parameter));
                }
            }
        }
    }
    if !changes_something {
        return Cow::Borrowed(query);
    }
    if has_drawn {
        kept.sort_by(|left, right| name_of(left).cmp(name_of(right)));
    }
    Cow::Owned(kept.join("&"))
}

fn name_of(parameter: &str) -> &str {
    parameter.split_once('=').map_or(parameter, |(name, _)| name)
}

/// Returns the rule by which an address on this server is noise. The most precise name of a server decides.
fn rule_of_server(host: &str, path: &str, query: Option<&str>, is_media: bool) -> Option<NoiseRule> {
    let is_meant = |name: &&&str| match name.strip_prefix('*') {
        Some(end) => host.ends_with(end),
        None => host == **name,
    };
    let by_address = NoiseRule::ALL.into_iter().find(|rule| {
        let rule = rule.rule();
        (rule.is_noise)(host, path, query) || (is_media && (rule.is_noisy_media)(host, path, query))
    });
    by_address.or_else(|| {
        let named =
            |rule: NoiseRule| rule.rule().servers.iter().filter(is_meant).map(move |name| (name, rule));
        NoiseRule::ALL.into_iter().flat_map(named).max_by_key(|(name, _)| name.len()).map(|(_, rule)| rule)
    })
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
    use crate::noise::tests::{assert_keeps_links, assert_keeps_media};

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
                assert_keeps_links(&[&address]);
                assert_keeps_media(&[&address]);
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
                let reduced = reduce(&address, NoiseRuleSet::from(&NoiseRule::ALL.into_iter().collect()));
                let is_changed = reduced.address.as_deref() != Some(&*address);
                proptest::prop_assert_eq!(is_changed, reduced.by != NoiseRuleSet::default());
            }
        }
    }
}
