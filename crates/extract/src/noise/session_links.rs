//! Session ids, tokens and marks of campaigns in addresses.

use recrawl_core::url::DROPPED_PARAMETERS;

use super::rule::{AddressRule, Parameter, Rule, is_among};

pub(super) const RULE: Rule = Rule {
    name: "session-links",
    description: "Session ids, tokens and marks of campaigns in addresses: `;jsessionid=...`, `?utm_source=...`.",
    address: Some(AddressRule { only_media: false, path: without_path_session, parameter }),
    ..Rule::NOTHING
};

/// What carries a token or the way back, beside [`DROPPED_PARAMETERS`]; a star stands for any ending.
const SESSIONS: [&str; 8] =
    ["csrf*", "_csrf*", "xsrf*", "nonce", "_wpnonce", "_nonce", "destination", "authenticity_token"];

/// Parameters that are a session if their value looks like one; elsewhere they name a page.
const PERHAPS_SESSIONS: [&str; 6] = ["sid", "session", "session_id", "sessionid", "token", "_token"];

fn parameter(parameter: &str) -> Parameter {
    let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    if is_session(name, value) { Parameter::Removed } else { Parameter::Kept }
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
    is_among(&DROPPED_PARAMETERS, name)
        || is_among(&SESSIONS, name)
        || (is_among(&PERHAPS_SESSIONS, name) && is_token(value))
}

/// Tells whether a value was drawn and not written: long, with letters and digits.
fn is_token(value: &str) -> bool {
    value.len() >= 12
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
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
            "tel:+15035551212",
            "mailto:a@b.c?subject=token",
        ]);
    }
}
