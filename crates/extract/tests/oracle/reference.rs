//! A slow and simple reading of a page, on scraper's tree.

use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, ns, parse_document};
use recrawl_core::url::resolve;
use scraper::node::Element;
use scraper::{ElementRef, Html, HtmlTreeSink, Node};
use url::Url;

const BLOCKS: &str = "address article aside blockquote body br caption center dd details dialog dir \
    div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html \
    iframe legend li listing main menu nav noframes noscript ol optgroup option p plaintext pre search \
    section select summary table tbody textarea tfoot thead tr ul xmp";

/// What the reference reads from a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) links: Vec<String>,
    pub(crate) title: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) text: String,
}

/// Returns the words of a page outside of what a selector matches, joined by spaces.
pub(crate) fn text_without(html: &str, selector: &str) -> String {
    let selector = scraper::Selector::parse(selector).expect("a selector");
    let mut html = parse(html);
    let matched: Vec<_> = html.select(&selector).map(|element| element.id()).collect();
    for id in matched {
        if let Some(mut node) = html.tree.get_mut(id) {
            node.detach();
        }
    }
    let mut notes = Notes::default();
    for child in html.tree.root().children() {
        if let Some(element) = ElementRef::wrap(child) {
            visit(element, false, &mut notes);
        }
    }
    lines_of(&notes.text).replace('\n', " ")
}

fn parse(html: &str) -> Html {
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts { scripting_enabled: false, ..Default::default() },
        ..Default::default()
    };
    parse_document(HtmlTreeSink::new(Html::new_document()), options).one(html)
}

#[derive(Default)]
struct Notes {
    raw_links: Vec<String>,
    base: Option<String>,
    title: Option<String>,
    language: Option<String>,
    text: String,
}

impl Reference {
    /// Reads a page at `url` without noise rules.
    pub(crate) fn read(html: &str, url: &Url) -> Self {
        let html = parse(html);
        let mut notes = Notes::default();
        for child in html.tree.root().children() {
            if let Some(element) = ElementRef::wrap(child) {
                visit(element, false, &mut notes);
            }
        }
        let base = notes
            .base
            .and_then(|base| resolve(&base, Some(url)).ok())
            .filter(|base| !matches!(base.scheme(), "data" | "javascript"))
            .unwrap_or_else(|| url.clone());
        let mut links = Vec::new();
        for raw in notes.raw_links {
            let Ok(mut link) = resolve(&raw, Some(&base)) else {
                continue;
            };
            link.set_fragment(None);
            if link.scheme().starts_with("http") && !links.contains(&link.to_string()) {
                links.push(link.to_string());
            }
        }
        Self { links, title: notes.title, language: notes.language, text: lines_of(&notes.text) }
    }
}

fn visit(element: ElementRef<'_>, silent: bool, notes: &mut Notes) {
    let value = element.value();
    let is_html = value.name.ns == ns!(html);
    let is_svg = value.name.ns == ns!(svg);
    let name = value.name();
    note(element, is_html, is_svg, notes);
    if is_html && name == "template" {
        return;
    }
    let is_block = is_html && BLOCKS.split_whitespace().any(|block| block == name);
    let is_word =
        is_html && matches!(name, "td" | "th") || is_svg && matches!(name, "title" | "desc" | "text");
    let divider = if is_block {
        "\n"
    } else if is_word {
        " "
    } else {
        ""
    };
    let silent = silent
        || is_html && matches!(name, "head" | "script" | "style")
        || is_svg && matches!(name, "script" | "style");
    if !silent {
        notes.text.push_str(divider);
        if let Some(value) = value.attr("data-wf-page") {
            let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
            notes.text.extend(["\n[data-wf-page=", &value, "]\n"]);
        }
    }
    for child in element.children() {
        match child.value() {
            Node::Text(text) if !silent => {
                notes.text.extend(text.chars().map(
                    |character| {
                        if character.is_whitespace() { ' ' } else { character }
                    },
                ));
            }
            Node::Element(_) => {
                visit(ElementRef::wrap(child).expect("an element"), silent, notes);
            }
            _ => {}
        }
    }
    if !silent {
        notes.text.push_str(divider);
    }
}

fn note(element: ElementRef<'_>, is_html: bool, is_svg: bool, notes: &mut Notes) {
    let value = element.value();
    let relation = value.attr("rel").unwrap_or_default().to_ascii_lowercase();
    let says = |word: &str| relation.split_ascii_whitespace().any(|token| token == word);
    let link = match value.name() {
        "a" if is_svg => value.attr("href").or_else(|| xlink(value)),
        _ if !is_html => None,
        "a" | "area" => value.attr("href"),
        "iframe" | "frame" => value.attr("src"),
        "link" if says("canonical") || says("next") || says("alternate") && !says("stylesheet") => {
            value.attr("href").filter(|href| !href.is_empty())
        }
        "meta" if value.attr("http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("refresh")) => {
            let content = value.attr("content").unwrap_or_default();
            content.split_once(';').map(|(_, address)| address.trim_start_matches("url="))
        }
        _ => None,
    };
    notes.raw_links.extend(link.map(str::to_owned));
    if !is_html {
        return;
    }
    match value.name() {
        "base" if notes.base.is_none() => notes.base = value.attr("href").map(str::to_owned),
        "html" => notes.language = value.attr("lang").map(str::to_owned),
        "title" if notes.title.is_none() => {
            let text: String =
                element.children().filter_map(|child| child.value().as_text()).map(|text| &**text).collect();
            notes.title = Some(text.split_ascii_whitespace().collect::<Vec<_>>().join(" "));
        }
        _ => {}
    }
}

fn xlink(element: &Element) -> Option<&str> {
    element
        .attrs
        .iter()
        .find(|(name, _)| name.ns == ns!(xlink) && &*name.local == "href")
        .map(|(_, value)| &**value)
}

fn lines_of(text: &str) -> String {
    let visible: String =
        text.chars().filter(|character| !matches!(character, '\u{ad}' | '\u{200b}' | '\u{feff}')).collect();
    visible
        .split('\n')
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}
