//! Session ids, tokens and marks of campaigns in addresses.

use recrawl_core::url::DROPPED_PARAMETERS;

use super::rule::{AddressRule, Parameter, Rule, is_among};

pub(super) const RULE: Rule = Rule {
    name: "session-links",
    description: "Session ids, tokens and marks of campaigns in addresses: `;jsessionid=...`, `?utm_source=...`, and \
        parameters such as `label` and `state` where their value looks drawn; and addresses that are drawn as a whole, such \
        as the hidden links of Cloudflare.",
    is_noise: is_drawn_address,
    address: Some(AddressRule { only_media: false, host: |_| None, path: without_path_session, parameter }),
    ..Rule::NOTHING
};

/// What carries a token or the way back, beside [`DROPPED_PARAMETERS`]; a star stands for any ending.
const SESSIONS: [&str; 8] =
    ["csrf*", "_csrf*", "xsrf*", "nonce", "_wpnonce", "_nonce", "destination", "authenticity_token"];

/// Parameters that are a session if their value looks like one; elsewhere they name a page.
const PERHAPS_SESSIONS: [&str; 20] = [
    "sid",
    "session",
    "session_id",
    "sessionid",
    "session_key",
    "sessionkey",
    "token",
    "_token",
    "userid",
    "user_id",
    "visitorid",
    "visitor_id",
    "requestid",
    "request_id",
    "containerid",
    "traceid",
    "trace_id",
    "correlationid",
    "correlation_id",
    "pageviewid",
];

/// Parameters that carry who asks or from where, if their value was drawn; elsewhere they are words and sizes.
const PERHAPS_DRAWN: [&str; 10] =
    ["h", "state", "label", "uid", "challenge", "code_challenge", "ticket", "hash", "sig", "signature"];

/// Parameters that say when the page was made, if their value is the time of a machine.
const PERHAPS_STAMPS: [&str; 8] = ["t", "ts", "dt", "_", "time", "timestamp", "cb", "rnd"];

fn parameter(parameter: &str) -> Parameter {
    let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    if is_named_session(name) {
        return Parameter::Removed;
    } else if is_drawn_session(name, value) {
        return Parameter::Drawn;
    }
    let inner = without_inner_sessions(value);
    inner.map_or(Parameter::Kept, |value| Parameter::Replaced(format!("{name}={value}")))
}

/// Returns an address within an address, such as the way back, without its sessions; `None` if there are none.
fn without_inner_sessions(value: &str) -> Option<String> {
    if !value.contains('%') {
        return None;
    }
    let (address, query) = value.split_once("%3F").or_else(|| value.split_once("%3f"))?;
    let is_kept = |parameter: &&str| {
        let (name, value) =
            parameter.split_once("%3D").or_else(|| parameter.split_once("%3d")).unwrap_or((parameter, ""));
        !is_session(name, value)
    };
    let mut kept: Vec<&str> = query.split("%26").filter(is_kept).collect();
    kept.sort_unstable();
    let reduced =
        if kept.is_empty() { address.to_owned() } else { format!("{address}%3F{}", kept.join("%26")) };
    (reduced.len() < value.len()).then_some(reduced)
}

/// Returns a path without the sessions that stand in it; `None` if there are none.
fn without_path_session(path: &str) -> Option<String> {
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
    is_named_session(name) || is_drawn_session(name, value)
}

fn is_named_session(name: &str) -> bool {
    is_among(&DROPPED_PARAMETERS, name) || is_among(&SESSIONS, name)
}

fn is_drawn_session(name: &str, value: &str) -> bool {
    (is_among(&PERHAPS_SESSIONS, name) && (is_token(value) || is_drawn(value)))
        || (is_among(&PERHAPS_DRAWN, name) && is_drawn(value))
        || (is_among(&PERHAPS_STAMPS, name) && is_stamp(value))
}

/// Recognises the hidden links by which Cloudflare finds robots, and what Amazon counts visits with.
fn is_drawn_address(_: &str, path: &str, query: Option<&str>) -> bool {
    (path == "/cdn-cgi/content" && query.is_some_and(|query| query.starts_with("id=")))
        || path.starts_with("/1/batch/1/OP/")
        || (path.ends_with("/uedata") && query.is_some())
}

/// Tells whether a value was drawn and not written: long, with letters and digits.
fn is_token(value: &str) -> bool {
    value.len() >= 12
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Tells whether a value was drawn although its name says nothing: a long number, or long with digits in several places
/// within words. People join words and dates with dashes, and change between letters and digits only there.
fn is_drawn(value: &str) -> bool {
    let number = value.strip_prefix('-').unwrap_or(value);
    let is_long_number = number.len() >= 12 && number.bytes().all(|byte| byte.is_ascii_digit());
    let turns = |word: &str| {
        let is_turn = |pair: &&[u8]| pair[0].is_ascii_digit() != pair[1].is_ascii_digit();
        word.as_bytes().windows(2).filter(is_turn).count()
    };
    let words = value.split(|character: char| !character.is_ascii_alphanumeric());
    is_long_number || (value.len() >= 16 && words.map(turns).sum::<usize>() >= 3)
}

/// Tells whether a value is a time as machines count it, in seconds or milliseconds since 1970.
fn is_stamp(value: &str) -> bool {
    matches!(value.len(), 10 | 13)
        && value.starts_with('1')
        && value.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use crate::noise::NoiseRule;
    use crate::noise::tests::{assert_keeps_links, assert_reduces_link};

    #[test]
    fn sessions_tokens_and_campaigns_are_no_part_of_a_link() {
        assert_reduces_link(
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
                ("https://a.b/l?u=x&h=AT0kX9vQ7wRt5yUi3oPa1sDf", "https://a.b/l?u=x"),
                ("https://a.b/login?state=0f96ba58-7903-4b11-839a-dd2c75cdcdd5", "https://a.b/login"),
                ("https://a.b/c?label=gen173nr-10CBQoggJCBXRlcm1zSAlYBGhp&d=1", "https://a.b/c?d=1"),
                (
                    "https://a.b/load?page=c&userId=-374451093542801664&requestId=EWuK7yEFJ2GRvT5oDa1m",
                    "https://a.b/load?page=c",
                ),
                (
                    "https://a.b/go?url=https%3A%2F%2Fc.d%2F%3Flang%3Den%26sid%3D0123456789abcdef%26cc1%3Dus&aid=3",
                    "https://a.b/go?url=https%3A%2F%2Fc.d%2F%3Fcc1%3Dus%26lang%3Den&aid=3",
                ),
                ("https://a.b/go?url=%2Fc%3Fsid%3D0123456789abcdef", "https://a.b/go?url=%2Fc"),
                ("https://a.b/auth?dt=1771029281&lang=en", "https://a.b/auth?lang=en"),
                (
                    "https://a.b/auth?lang=en&aid=3&dt=1771029281&aid=1",
                    "https://a.b/auth?aid=3&aid=1&lang=en",
                ),
                ("https://a.b/cdn-cgi/content?id=YcJ1ODNcDytK-1769733618-1.1.1.1-iPlBnWqJ", ""),
                ("https://fls.example.com/1/batch/1/OP/A1:131-1766448:1PE0$uedata=s:0", ""),
                ("https://a.b/gp/uedata?noscript&id=1PE0FZ4MHYF35ASHR0QY", ""),
                ("https://a.b/c?d=1&utm_source=x&utm_medium=y&gclid=z", "https://a.b/c?d=1"),
            ],
        );
        assert_keeps_links(&[
            "https://a.b/c?sid=12",
            "https://a.b/c?token=ring",
            "https://a.b/tokens?id=7",
            "https://a.b/c;v=2",
            "https://a.b/c?d=1&",
            "https://a.b/c?",
            "https://a.b/c?v=2&t=3&ver=4",
            "https://a.b/report.3f9a2bc1.pdf",
            "https://a.b/c?session=morning",
            "https://a.b/c?label=summer-sale-2026-boats",
            "https://a.b/c?state=oregon",
            "https://a.b/c?state=new-york-2026-11-18",
            "https://a.b/c?h=600",
            "https://a.b/c?t=120",
            "https://a.b/c?time=20261118",
            "https://a.b/go?url=https%3A%2F%2Fc.d%2F%3Flang%3Den",
            "https://a.b/c?requestId=4711",
            "https://a.b/c?userId=4711",
            "https://a.b/c?id=0f96ba58-7903-4b11-839a-dd2c75cdcdd5",
            "https://a.b/watch?v=dQw4w9WgXcQ12a4",
            "https://a.b/cdn-cgi/content",
            "https://a.b/1/batch/2",
            "https://a.b/tracking/?parcel=12",
            "tel:+15035551212",
            "mailto:a@b.c?subject=token",
        ]);
    }
}
