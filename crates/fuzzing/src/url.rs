//! Addresses: one page has one address, whichever way it comes.

use ::url::Url;
use recrawl_core::model::ids::SiteId;
use recrawl_core::url::{Origin, PageUrl, UrlRules, resolve};

use crate::first_line;

/// Reads the first line as the address of a page, and the rest as a link on that page.
pub fn normalise_url(data: &[u8]) {
    let (address, rest) = first_line(data);
    let (text, link) = (String::from_utf8_lossy(address), String::from_utf8_lossy(rest));
    let fallback = || Url::parse("https://example.com/dir/page?query").expect("it is a URL");
    let base = resolve(&text, None).unwrap_or_else(|_| fallback());
    let whole = String::from_utf8_lossy(data);
    for rules in [UrlRules::default(), UrlRules::keep_all_parameters()] {
        let pages = [rules.page(&text, None), rules.page(&link, Some(&base)), rules.page(&whole, None)];
        for page in pages.into_iter().flatten() {
            assert_is_normal(&page, &rules);
        }
    }
    for text in [&text, &link, &whole] {
        assert_short_cut_is_right(text);
        if let Some(page) = Origin::of(&base).and_then(|origin| origin.page(text)) {
            for rules in [UrlRules::default(), UrlRules::keep_all_parameters()] {
                assert_eq!(rules.page(text, Some(&base)), Ok(page.clone()), "{text:?} on {base}");
            }
        }
    }
}

fn assert_is_normal(page: &PageUrl, rules: &UrlRules) {
    let text = page.as_str();
    assert!(text.is_ascii() && text.len() <= PageUrl::MAX_LENGTH && !text.contains('#'), "{text}");
    assert_eq!(rules.page(text, None).as_ref(), Ok(page), "normalised twice");
    assert_eq!(text.parse::<PageUrl>().as_ref(), Ok(page), "read back");
    assert_eq!(page.to_url().as_str(), text, "for fetching");
    assert_eq!(Url::parse(text).as_ref().map(Url::as_str), Ok(text), "by the standard");
    let parts = [page.scheme(), "://", page.authority(), page.path_and_query()];
    assert_eq!(parts.concat(), text);
    assert!(page.path().starts_with('/') && page.authority().starts_with(page.host()));
    assert_slow_way_agrees(page);
    let site = SiteId::from_root(page);
    assert_eq!(site.as_str().parse::<SiteId>(), Ok(site.clone()), "the name of a site");
}

/// What is read as normal without a parser is what the parser makes of it.
fn assert_short_cut_is_right(text: &str) {
    if let Ok(page) = text.parse::<PageUrl>() {
        assert_eq!(page.as_str(), text);
        assert_slow_way_agrees(&page);
    }
}

/// An address with a query is never normalised by the short cut, so one with another query tells.
fn assert_slow_way_agrees(page: &PageUrl) {
    let text = page.as_str();
    let longer = if text.contains('?') { format!("{text}&x=%5B") } else { format!("{text}?x=%5B") };
    if longer.len() <= PageUrl::MAX_LENGTH {
        let slow = UrlRules::keep_all_parameters().page(&longer, None);
        assert_eq!(slow.as_ref().map(PageUrl::as_str), Ok(&*longer));
    }
}
