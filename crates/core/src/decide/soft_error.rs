//! Soft errors: answers that look like a page and are none, such as block pages, logins, soft 404s and bodies cut short.

use std::collections::HashMap;

use super::interpret::{Fact, KnownText};
use super::judge::redirect_target;
use crate::model::content::Content;
use crate::model::ids::SemanticHash;
use crate::model::record::{ContentRef, PageState, Presence};
use crate::ports::NotFoundAnswer;
use crate::url::{PageUrl, UrlRules};

/// How many words two answers for absent pages may differ in, beside the address that was asked for.
const FEW_WORDS: usize = 2;

/// What the reason of a redirect to a form to sign in begins with; its address follows.
pub const ASKS_FOR_LOGIN: &str = "asks for a login at ";

/// The reason where a page redirects to itself.
pub const REDIRECTS_TO_ITSELF: &str = "redirects to itself";

/// The reason where a page that had text has next to none without JavaScript.
pub const NEEDS_SCRIPTS: &str = "next to no text without JavaScript";

/// What the reasons of pages begin with that firewalls send in place of others.
pub const BLOCK_PAGES: [&str; 3] = ["a block page", "a captcha page", "a challenge page"];

/// A page with more words than this had text.
const NEXT_TO_NO_TEXT: usize = 15;

/// Whether an answer is the page that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Examined {
    /// It is.
    Page,
    /// It is not, for this reason.
    NotThePage(String),
    /// That depends on this.
    Needs(Fact),
}

/// Says whether `content`, which says something else than `previous`, is the page at `url`.
///
/// `text` returns the text of an earlier meaning, once somebody looked; `not_found` is how the host answers for pages
/// that it does not have, once somebody asked.
pub fn examine<'a>(
    url: &PageUrl,
    root: &PageUrl,
    previous: Option<&ContentRef>,
    content: &Content,
    text: &dyn Fn(SemanticHash) -> Option<&'a KnownText>,
    not_found: Option<&NotFoundAnswer>,
) -> Examined {
    let extracted = &content.extracted;
    if content.size == 0 {
        return Examined::NotThePage("an empty body".to_owned());
    }
    if let Some(block_page) = &extracted.block_page {
        return Examined::NotThePage(block_page.clone());
    }
    let is_html = extracted.signatures.is_some();
    let silence = SemanticHash::of(b"");
    let is_silenced = previous.is_some_and(|previous| previous.semantic != silence);
    if is_html && is_silenced && extracted.text.is_empty() {
        return Examined::NotThePage("a page without any text".to_owned());
    }
    if let Some(previous) = previous.filter(|_| extracted.needs_scripts) {
        let Some(before) = text(previous.semantic) else {
            return Examined::Needs(Fact::Text(previous.semantic));
        };
        let had_text = |before: &str| before.split_whitespace().nth(NEXT_TO_NO_TEXT).is_some();
        if before.text.as_deref().is_some_and(had_text) {
            return Examined::NotThePage(NEEDS_SCRIPTS.to_owned());
        }
    }
    if let Some(previous) = previous.filter(|_| extracted.breaks_off) {
        let Some(before) = text(previous.semantic) else {
            return Examined::Needs(Fact::Text(previous.semantic));
        };
        if before.text.as_deref().is_some_and(|before| is_beginning_of(&extracted.text, before)) {
            return Examined::NotThePage("the page breaks off".to_owned());
        }
    }
    if !is_html || url == root {
        return Examined::Page;
    }
    match not_found {
        None => Examined::Needs(Fact::NotFoundAnswer),
        Some(NotFoundAnswer::Page { asked, text })
            if is_answer_for_absent(url, &extracted.text, asked, text) =>
        {
            let reason = "a soft 404: what the host answers for any page that it does not have";
            Examined::NotThePage(reason.to_owned())
        }
        Some(NotFoundAnswer::Page { .. } | NotFoundAnswer::Redirect(_) | NotFoundAnswer::Honest) => {
            Examined::Page
        }
    }
}

/// Says whether a redirect to `target` tells where the page at `url` went.
pub fn examine_redirect(
    url: &PageUrl,
    root: &PageUrl,
    known: Option<&PageState>,
    target: &PageUrl,
    not_found: Option<&NotFoundAnswer>,
) -> Examined {
    let redirected = known.filter(|known| known.presence == Presence::Redirect);
    let plain = UrlRules::keep_all_parameters();
    let before = redirected.and_then(|known| redirect_target(url, &known.headers, &plain));
    if before.as_ref() == Some(target) {
        return Examined::Page;
    }
    if asks_for_login(target) && !asks_for_login(url) {
        return Examined::NotThePage(format!("{ASKS_FOR_LOGIN}{target}"));
    }
    if url == root {
        return Examined::Page;
    }
    match not_found {
        None => Examined::Needs(Fact::NotFoundAnswer),
        Some(NotFoundAnswer::Redirect(elsewhere)) if elsewhere == target => Examined::NotThePage(format!(
            "a soft 404: redirects to {target}, as any page does that the host does not have"
        )),
        Some(NotFoundAnswer::Redirect(_) | NotFoundAnswer::Page { .. } | NotFoundAnswer::Honest) => {
            Examined::Page
        }
    }
}

/// Tells whether a redirect to `target` asks for a login.
pub fn asks_for_login(target: &PageUrl) -> bool {
    const HOSTS: [&str; 6] = ["login.", "signin.", "sso.", "auth.", "accounts.", "idp."];
    const SEGMENTS: [&str; 14] = [
        "login",
        "log-in",
        "log_in",
        "signin",
        "sign-in",
        "sign_in",
        "logon",
        "sso",
        "saml",
        "saml2",
        "oauth2",
        "wp-login.php",
        "login.aspx",
        "login.php",
    ];
    let path = target.path().to_ascii_lowercase();
    let is_login = |segment: &str| SEGMENTS.contains(&segment);
    HOSTS.iter().any(|host| target.host().starts_with(host)) || path.split('/').any(is_login)
}

/// Tells whether the page at `url` with `text` is what its host answers for pages that it does not have,
/// given that it answered `absent` for `asked`.
///
/// Menus and footers are the same on every page, so likeness alone says nothing: the two must say the same
/// but for a word or two, once the address is taken out of both.
pub fn is_answer_for_absent(url: &PageUrl, text: &str, asked: &PageUrl, absent: &str) -> bool {
    let mut surplus: HashMap<&str, i64> = HashMap::new();
    for (text, page, count) in [(text, url, 1), (absent, asked, -1)] {
        let name = page.path().rsplit('/').find(|segment| !segment.is_empty()).unwrap_or("/");
        for word in text.split_whitespace().filter(|word| !word.contains(name)) {
            *surplus.entry(word).or_default() += count;
        }
    }
    let more = |sign: i64| -> i64 { surplus.values().map(|count| (count * sign).max(0)).sum() };
    let few = i64::try_from(FEW_WORDS).unwrap_or(i64::MAX);
    !absent.trim().is_empty() && more(1) <= few && more(-1) <= few
}

/// Tells whether a page that breaks off says the beginning of what it said before, and no more.
pub fn is_beginning_of(text: &str, before: &str) -> bool {
    // The last line may be cut anywhere.
    let whole_lines = text.rfind('\n').map_or("", |end| &text[..=end]);
    text.len() < before.len()
        && (before.starts_with(text) || before.starts_with(whole_lines) && !whole_lines.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str) -> PageUrl {
        format!("https://example.org{path}").parse().unwrap()
    }

    #[test]
    fn a_login_is_told_by_its_address() {
        for target in [
            "https://example.org/user/login?destination=/budget",
            "https://example.org/wp-login.php?redirect_to=x",
            "https://login.example.com/x",
            "https://accounts.example.com/signin/v2",
            "https://example.org/Account/Sign-In",
            "https://example.org/saml/x",
        ] {
            assert!(asks_for_login(&target.parse().unwrap()), "{target}");
        }
        for target in [
            "https://example.org/blog/login-problems",
            "https://example.org/logins",
            "https://example.org/authors",
            "https://example.org/",
            "https://loginstitute.example.com/",
        ] {
            assert!(!asks_for_login(&target.parse().unwrap()), "{target}");
        }
    }

    #[test]
    fn a_soft_404_is_told_from_a_page_with_the_same_menu() {
        let menu = "Home\nStreets\nParking\nContact us";
        let not_found = |path: &str| format!("{menu}\nPage not found\nSorry, there is no {path} here.");
        let (asked, absent) = (page("/recrawl-3f9a"), not_found("/recrawl-3f9a"));
        let answers = |path: &str, text: &str| is_answer_for_absent(&page(path), text, &asked, &absent);
        assert!(answers("/budget", &not_found("/budget")));
        assert!(answers("/a/budget", &format!("{} 17", not_found("/a/budget"))), "a word more");
        for text in [
            format!("{menu}\nBudget 2026\nThe budget is here."),
            format!("{menu}\nBudget"),
            menu.to_owned(),
            format!(
                "{menu}\nPage not found is a novel by Ann Ash.\nSorry, there is no copy here. Borrow it elsewhere."
            ),
            String::new(),
        ] {
            assert!(!answers("/budget", &text), "{text}");
        }
        assert!(!is_answer_for_absent(&page("/a"), "", &asked, ""), "silence says nothing");
    }

    #[test]
    fn a_page_cut_short_is_the_beginning_of_what_it_was() {
        let before = "One\nTwo words\nThree";
        for (text, expected) in [
            ("One", true),
            ("One\nTwo wo", true),
            ("One\nTwo wx", true),
            ("", true),
            ("One\nTwo words\nThree", false),
            ("One\nTwo words\nThree\nFour", false),
            ("Other", false),
            ("Other\nTwo", false),
        ] {
            assert_eq!(is_beginning_of(text, before), expected, "{text:?}");
        }
    }
}
