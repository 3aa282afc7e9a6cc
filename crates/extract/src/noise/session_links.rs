//! Parameters of addresses that name no other page or image.

use std::borrow::Cow;

use recrawl_core::url::DROPPED_PARAMETERS;

use super::file_names::{is_hexadecimal, stable_path};
use crate::text::{NoiseRule, NoiseRules};

/// What carries a token or the way back, beside [`DROPPED_PARAMETERS`]; a star stands for any ending.
const SESSIONS: [&str; 8] =
    ["csrf*", "_csrf*", "xsrf*", "nonce", "_wpnonce", "_nonce", "destination", "authenticity_token"];

/// Parameters that are a session if their value looks like one; elsewhere they name a page.
const PERHAPS_SESSIONS: [&str; 6] = ["sid", "session", "session_id", "sessionid", "token", "_token"];

/// Parameters that make the address of an image new, or sign it.
const BUSTERS: [&str; 32] = [
    "v",
    "ver",
    "version",
    "t",
    "ts",
    "timestamp",
    "cb",
    "cachebuster",
    "cache",
    "nocache",
    "_",
    "rev",
    "revision",
    "hash",
    "itok",
    "rand",
    "random",
    "rnd",
    "mtime",
    "modified",
    "x-amz-*",
    "x-goog-*",
    "expires",
    "signature",
    "sig",
    "key-pair-id",
    "policy",
    "googleaccessid",
    "awsaccesskeyid",
    "hmac",
    "_nc_*",
    "oh",
];

/// Parameters that sign or bust if their value is a hash; elsewhere they are sizes and names.
const PERHAPS_BUSTERS: [&str; 4] = ["h", "s", "c", "oe"];

/// Returns what counts of a query, and adds the rules that took the rest.
pub(super) fn reduce_query<'text>(
    query: &'text str,
    rules: NoiseRules,
    is_media: bool,
    by: &mut NoiseRules,
) -> Cow<'text, str> {
    let mut kept: Vec<Cow<'text, str>> = Vec::new();
    let mut changes_something = false;
    for parameter in query.split('&') {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let rule = if is_session(name, value) {
            NoiseRule::SessionLinks
        } else if is_media && (is_buster(name, value) || is_bare_stamp(parameter)) {
            NoiseRule::CacheBusting
        } else if is_media
            && name == "url"
            && rules.contains(NoiseRule::CacheBusting)
            && let Some(path) = stable_path(&value.replace("%2F", "/").replace("%2f", "/"))
        {
            // Servers that resize images are told which one by its own address.
            *by = by.with(NoiseRule::CacheBusting);
            changes_something = true;
            kept.push(Cow::Owned(format!("{name}={path}")));
            continue;
        } else {
            kept.push(Cow::Borrowed(parameter));
            continue;
        };
        if rules.contains(rule) {
            *by = by.with(rule);
            changes_something = true;
        } else {
            kept.push(Cow::Borrowed(parameter));
        }
    }
    if changes_something { Cow::Owned(kept.join("&")) } else { Cow::Borrowed(query) }
}

/// Returns a path without the sessions that stand in it; `None` if there are none.
pub(super) fn without_path_session(path: &str) -> Option<String> {
    if !path.contains([';', '(']) {
        return None;
    }
    let mut kept = String::with_capacity(path.len());
    for segment in path.split_inclusive('/') {
        let (name, slash) = segment.strip_suffix('/').map_or((segment, ""), |name| (name, "/"));
        // ASP.NET without cookies: `/(S(lit3py55t21z5v55vlm25s55))/`.
        if name.starts_with("(S(") && name.ends_with("))") {
            continue;
        }
        let mut parts = name.split(';');
        kept.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            if !is_session(name, value) {
                kept.push(';');
                kept.push_str(part);
            }
        }
        kept.push_str(slash);
    }
    (kept.len() < path.len()).then_some(kept)
}

fn is_session(name: &str, value: &str) -> bool {
    is_among(&DROPPED_PARAMETERS, name)
        || is_among(&SESSIONS, name)
        || (is_among(&PERHAPS_SESSIONS, name) && is_token(value))
}

fn is_buster(name: &str, value: &str) -> bool {
    is_among(&BUSTERS, name)
        || (is_among(&PERHAPS_BUSTERS, name) && value.len() >= 8 && is_hexadecimal(value))
}

/// Tells whether a query is nothing but a number such as `?1699999999`.
fn is_bare_stamp(parameter: &str) -> bool {
    parameter.len() >= 8 && !parameter.contains('=') && is_hexadecimal(parameter)
}

/// Tells whether a value was drawn and not written: long, with letters and digits.
fn is_token(value: &str) -> bool {
    value.len() >= 12
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn is_among(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| match known.strip_suffix('*') {
        Some(start) => name.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start)),
        None => name.eq_ignore_ascii_case(known),
    })
}
