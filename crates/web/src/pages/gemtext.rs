//! Gemtext as it is read: headings, lists, quotations, links, and preformatted parts as they stand.

use maud::{Markup, html};
use recrawl_core::model::ids::SiteId;
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_extract::gemtext::{Line, lines};

use crate::address;

/// Lines of one kind that are shown together.
enum Block<'a> {
    One(Line<'a>),
    Items(Vec<&'a str>),
    Quotes(Vec<&'a str>),
    Preformatted(&'a str, Vec<&'a str>),
}

/// Shows the text of the page at `url`. Links to pages of its own host lead to their histories.
pub(super) fn show(site: &SiteId, url: &PageUrl, text: &str) -> Markup {
    html! {
        article.gemtext tabindex="0" {
            @for block in blocks(text) {
                @match &block {
                    Block::One(line) => (one(site, url, *line)),
                    Block::Items(items) => ul { @for item in items { li { (item) } } },
                    Block::Quotes(quotes) => blockquote { @for quote in quotes { p { (quote) } } },
                    Block::Preformatted(words, lines) => {
                        pre aria-label=[(!words.is_empty()).then_some(words)] { (lines.join("\n")) }
                    },
                }
            }
        }
    }
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut is_open = false;
    for line in lines(text) {
        match (line, blocks.last_mut()) {
            (Line::Fence(words), _) => {
                is_open = !is_open;
                if is_open {
                    blocks.push(Block::Preformatted(words, Vec::new()));
                }
            }
            (Line::Preformatted(line), Some(Block::Preformatted(_, lines))) => lines.push(line),
            (Line::Item(item), Some(Block::Items(items))) => items.push(item),
            (Line::Item(item), _) => blocks.push(Block::Items(vec![item])),
            (Line::Quote(quote), Some(Block::Quotes(quotes))) => quotes.push(quote),
            (Line::Quote(quote), _) => blocks.push(Block::Quotes(vec![quote])),
            (line, _) => blocks.push(Block::One(line)),
        }
    }
    blocks
}

fn one(site: &SiteId, url: &PageUrl, line: Line<'_>) -> Markup {
    html! {
        @match line {
            // The page has a heading of its own above.
            Line::Heading(1, words) => h2 { (words) },
            Line::Heading(2, words) => h3 { (words) },
            Line::Heading(_, words) => h4 { (words) },
            Line::Link { target, words } => p.link { (link(site, url, target, words)) },
            Line::Text(text) | Line::Item(text) | Line::Quote(text) | Line::Fence(text) | Line::Preformatted(text) => {
                @if !text.is_empty() { p { (text) } }
            }
        }
    }
}

fn link(site: &SiteId, url: &PageUrl, target: &str, words: &str) -> Markup {
    let said = if words.is_empty() { target } else { words };
    match UrlRules::default().page(target, Some(&url.to_url())) {
        Ok(page) if page.is_gemini() && page.host_key() == url.host_key() => {
            html! { "→ " a href=(address::page(site, &page)) { (said) } }
        }
        Ok(page) => html! { "→ " a href=(page.as_str()) rel="noreferrer noopener external" { (said) } },
        // What is no page is not led to: the address may be anything.
        Err(_) => html! { "→ " (said) " " span.muted { (target) } },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_shown_as_it_is_read_and_nothing_in_it_runs() {
        let site = "gemini-a.example".parse().unwrap();
        let url = "gemini://a.example/dir/".parse().unwrap();
        let text = "# Title\n<b>text</b>\n* one\n* two\n> said\n=> x Page\n=> https://b.example/ Web\n\
                    => javascript:alert(1) Run\n```art\n=> /no link\n```\n## Section\n";
        let shown = show(&site, &url, text).into_string();
        assert_eq!(
            shown,
            "<article class=\"gemtext\" tabindex=\"0\"><h2>Title</h2><p>&lt;b&gt;text&lt;/b&gt;</p>\
             <ul><li>one</li><li>two</li></ul><blockquote><p>said</p></blockquote>\
             <p class=\"link\">→ <a href=\"/sites/gemini-a.example/page?url=gemini%3A%2F%2Fa.example%2Fdir%2Fx\">Page</a></p>\
             <p class=\"link\">→ <a href=\"https://b.example/\" rel=\"noreferrer noopener external\">Web</a></p>\
             <p class=\"link\">→ Run <span class=\"muted\">javascript:alert(1)</span></p>\
             <pre aria-label=\"art\">=&gt; /no link</pre><h3>Section</h3></article>"
        );
    }

    #[test]
    fn a_preformatted_part_that_is_never_closed_goes_to_the_end() {
        let site = "a".parse().unwrap();
        let url = "gemini://a.example/".parse().unwrap();
        assert_eq!(
            show(&site, &url, "```\n# no heading\n").into_string(),
            "<article class=\"gemtext\" tabindex=\"0\"><pre># no heading</pre></article>"
        );
    }
}
