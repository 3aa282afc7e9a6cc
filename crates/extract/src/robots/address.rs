//! The path of a URL and the product token of a user agent, as robots.txt matches them.

/// Returns what of the text of a URL is matched: path, parameters and query, starting with `/`.
///
/// Scheme, host and fragment are dropped, nothing is decoded or encoded. A text that is neither a
/// URL with a host nor starts with `/` is matched as `/`.
pub fn path_to_match(url: &str) -> String {
    let path = match url.strip_prefix("//") {
        Some(after_slashes) => after_host(after_slashes),
        None if url.starts_with('/') => url,
        None => {
            let first = url.find(['/', '?', ';', '#']).unwrap_or(url.len());
            match url.find("://") {
                // `?u=http://x` is no scheme.
                Some(colon) if colon < first => after_host(&url[colon + 3..]),
                Some(_) | None => "",
            }
        }
    };
    let path = path.split_once('#').map_or(path, |(before, _)| before);
    if path.starts_with('/') { path.to_owned() } else { format!("/{path}") }
}

fn after_host(text: &str) -> &str {
    text.find(['/', '?', ';', '#']).map_or("", |start| &text[start..])
}

/// Returns the product token of a user agent: `recrawl` of `recrawl/0.1 (+https://example.org)`.
///
/// Only letters, `_` and `-` belong to it.
pub fn product_token(user_agent: &str) -> &str {
    let is_part = |character: char| character.is_ascii_alphabetic() || "_-".contains(character);
    let end = user_agent.find(|character| !is_part(character)).unwrap_or(user_agent.len());
    &user_agent[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_and_query_are_matched() {
        for (url, expected) in [
            ("", "/"),
            ("http://h", "/"),
            ("http://h/", "/"),
            ("http://h/a/b?c=/d#e", "/a/b?c=/d"),
            ("http://h/a;b#c?d", "/a;b"),
            ("http://h?a", "/?a"),
            ("http://h;a", "/;a"),
            ("http://h#/a", "/"),
            ("http://h/a?u=http://x/y", "/a?u=http://x/y"),
            ("http://h/%7e/ö", "/%7e/ö"),
            ("//h/a", "/a"),
            ("//h", "/"),
            ("/a?b#c", "/a?b"),
            ("/a?u=http://x/y", "/a?u=http://x/y"),
            ("a", "/"),
            ("a/b", "/"),
            ("?u=http://x/y", "/"),
            ("#http://x/y", "/"),
        ] {
            assert_eq!(path_to_match(url), expected, "{url:?}");
        }
    }

    #[test]
    fn a_product_token_has_letters_and_hyphens_only() {
        for (user_agent, expected) in [
            ("recrawl/0.1 (+https://example.org/bot)", "recrawl"),
            ("Foo-Bot_x", "Foo-Bot_x"),
            ("Foo Bar", "Foo"),
            ("Bot2", "Bot"),
            ("*", ""),
            ("", ""),
            ("Ärger", ""),
        ] {
            assert_eq!(product_token(user_agent), expected, "{user_agent:?}");
        }
    }
}
