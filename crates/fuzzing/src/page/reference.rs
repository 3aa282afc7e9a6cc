//! A slow and simple reading of a page: what each element means, one after the other, with nothing shared.

mod media;
mod refresh;

use std::collections::{BTreeSet, HashSet};

use ::url::Url;
use ego_tree::NodeId;
use html5ever::ns;
use recrawl_core::model::aspect::{Signature, Signatures};
use recrawl_core::url::resolve;
use recrawl_extract::links::LinkKind;
use recrawl_extract::page::{Page, RobotsDirectives};
use recrawl_extract::text::TextSettings;
use scraper::node::Element;
use scraper::{ElementRef, Html, Node, Selector};
use xxhash_rust::xxh3::xxh3_64;

use self::media::{Gallery, description};
use self::refresh::refresh_address;
use super::tree::Tree;

const BLOCKS: &str = "address article aside blockquote body br caption center dd details dialog dir \
    div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html \
    iframe legend li listing main menu nav noframes noscript ol optgroup option p plaintext pre search \
    section select summary table tbody textarea tfoot thead tr ul xmp";

/// Titles and languages are not longer than this, in characters.
const LONGEST: usize = 1_000;

/// What is compared of two readings.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reading {
    links: Vec<(String, LinkKind, bool)>,
    title: Option<String>,
    canonical: Option<String>,
    language: Option<String>,
    robots: RobotsDirectives,
    text: String,
    targets: Vec<String>,
    media: Vec<String>,
    signatures: Signatures,
}

impl From<Page> for Reading {
    fn from(page: Page) -> Self {
        Self {
            links: page.links.iter().map(|link| (link.url.to_string(), link.kind, link.nofollow)).collect(),
            title: page.title,
            canonical: page.canonical.map(String::from),
            language: page.language,
            robots: page.robots,
            text: page.text,
            targets: page.targets,
            media: page.media,
            // The head's description is not read here; title, canonical and robots are compared above.
            signatures: Signatures { meta: None, ..page.signatures },
        }
    }
}

impl Reading {
    /// Reads the page at `url` by these settings, noise rules left aside.
    pub(super) fn of(tree: Tree, url: &Url, settings: &TextSettings) -> Self {
        let Tree(html) = tree;
        let mut walk = Walk::new(&html, settings);
        for child in html.tree.root().children().filter_map(ElementRef::wrap) {
            walk.visit(child);
        }
        walk.finish(url)
    }
}

/// Where in a page the walk is, as far as that decides what counts.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    is_silent: bool,
    is_chosen: bool,
}

/// A link as it stands in a page.
struct Raw {
    target: String,
    kind: LinkKind,
    nofollow: bool,
    counts: bool,
}

struct Walk {
    ignored: HashSet<NodeId>,
    chosen: HashSet<NodeId>,
    keep_attributes: Vec<String>,
    place: Place,
    links: Vec<Raw>,
    gallery: Gallery,
    base: Option<String>,
    title: Option<String>,
    language: Option<String>,
    robots: RobotsDirectives,
    text: String,
}

impl Walk {
    fn new(html: &Html, settings: &TextSettings) -> Self {
        Self {
            ignored: matching(html, &settings.ignore_selectors),
            chosen: matching(html, &settings.only_selectors),
            keep_attributes: settings.keep_attributes.clone(),
            place: Place::default(),
            links: Vec::new(),
            gallery: Gallery::default(),
            base: None,
            title: None,
            language: None,
            robots: RobotsDirectives::default(),
            text: String::new(),
        }
    }

    fn counts(&self) -> bool {
        !self.place.is_silent && (self.chosen.is_empty() || self.place.is_chosen)
    }

    fn visit(&mut self, element: ElementRef<'_>) {
        let outside = self.place;
        let divider = divider(element.value());
        let is_first_chosen = !outside.is_chosen && self.chosen.contains(&element.id());
        let edge = if is_first_chosen { "\n" } else { "" };
        self.text.push_str(if outside.is_silent { "" } else { divider });
        self.text.push_str(edge);
        self.place.is_silent |= is_unread(element.value()) || self.ignored.contains(&element.id());
        self.place.is_chosen |= is_first_chosen;
        self.note(element);
        for child in element.children() {
            match child.value() {
                Node::Text(text) if self.counts() => self.text.extend(text.chars().map(without_lines)),
                Node::Element(_) => self.visit(ElementRef::wrap(child).expect("it is an element")),
                _ => {}
            }
        }
        self.place = outside;
        self.text.push_str(if outside.is_silent { "" } else { divider });
        self.text.push_str(edge);
    }

    fn note(&mut self, element: ElementRef<'_>) {
        let value = element.value();
        let name = value.name();
        if value.name.ns == ns!(html) {
            self.note_html(element);
        } else if value.name.ns == ns!(svg) {
            let address = value.attr("href").or_else(|| xlink(value));
            match name {
                "a" => self.add_link(value, address, LinkKind::Anchor),
                "image" if self.counts() => self.gallery.add(address, None),
                _ => {}
            }
        }
        if self.counts() {
            for kept in &self.keep_attributes {
                for (_, value) in
                    value.attrs.iter().filter(|(name, _)| (*name.local).eq_ignore_ascii_case(kept))
                {
                    let words: String = value.trim().chars().map(without_lines).collect();
                    self.text.extend(["\n[", kept, "=", &words, "]\n"]);
                }
            }
        }
    }

    fn note_html(&mut self, element: ElementRef<'_>) {
        let value = element.value();
        let counts = self.counts();
        match value.name() {
            "html" => {
                let language = value.attr("lang").map(str::trim).filter(|language| !language.is_empty());
                self.language = language.map(|language| language.chars().take(LONGEST).collect());
            }
            "title" if self.title.is_none() => {
                let texts = element.children().filter_map(|child| child.value().as_text());
                let text: String = texts.map(|text| &**text).collect();
                let title = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
                self.title =
                    Some(title.chars().take(LONGEST).collect::<String>().trim_ascii_end().to_owned());
            }
            "base" => self.base = self.base.take().or_else(|| value.attr("href").map(str::to_owned)),
            "a" | "area" => self.add_link(value, value.attr("href"), LinkKind::Anchor),
            "iframe" | "frame" => self.add_link(value, value.attr("src"), LinkKind::Frame),
            "link" => self.note_relation(value),
            "meta" => self.note_meta(value),
            "img" | "picture" | "source" => self.gallery.note_image(value, counts),
            "audio" | "embed" | "video" if counts => {
                self.gallery.add(value.attr("src"), None);
                self.gallery.add(value.attr("poster"), None);
            }
            "object" if counts => self.gallery.add(value.attr("data"), None),
            _ => {}
        }
    }

    fn note_relation(&mut self, element: &Element) {
        let kind = if says(element, "canonical") {
            LinkKind::Canonical
        } else if says(element, "next") {
            LinkKind::Next
        } else if says(element, "alternate") && !says(element, "stylesheet") {
            LinkKind::Alternate
        } else {
            return;
        };
        self.add_link(element, element.attr("href").filter(|href| !href.is_empty()), kind);
    }

    fn note_meta(&mut self, element: &Element) {
        let Some(content) = element.attr("content") else { return };
        if let Some(name) = element.attr("name") {
            self.robots.read_meta(name, content);
        }
        if element.attr("http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("refresh")) {
            self.add_link(element, refresh_address(content).as_deref(), LinkKind::Refresh);
        }
    }

    fn add_link(&mut self, element: &Element, target: Option<&str>, kind: LinkKind) {
        let Some(target) = target else { return };
        let nofollow = says(element, "nofollow");
        let counts = matches!(kind, LinkKind::Anchor | LinkKind::Frame) && self.counts();
        self.links.push(Raw { target: target.to_owned(), kind, nofollow, counts });
    }

    fn finish(self, url: &Url) -> Reading {
        let base = self.base.and_then(|base| resolve(&base, Some(url)).ok());
        let base = base.filter(|base| !matches!(base.scheme(), "data" | "javascript"));
        let base = base.unwrap_or_else(|| url.clone());
        let mut links: Vec<(String, LinkKind, bool)> = Vec::new();
        let mut targets = BTreeSet::new();
        let mut canonical = None;
        for raw in self.links {
            let Ok(mut link) = resolve(&raw.target, Some(&base)) else { continue };
            link.set_fragment(None);
            let is_page = matches!(link.scheme(), "http" | "https");
            let is_code = matches!(link.scheme(), "javascript" | "data" | "blob" | "about" | "vbscript");
            let link = String::from(link);
            if raw.counts && !is_code {
                targets.insert(link.clone());
            }
            if !is_page {
                continue;
            }
            if raw.kind == LinkKind::Canonical && canonical.is_none() {
                canonical = Some(link.clone());
            }
            match links.iter_mut().find(|(earlier, ..)| *earlier == link) {
                Some((.., nofollow)) => *nofollow &= raw.nofollow,
                None => links.push((link, raw.kind, raw.nofollow)),
            }
        }
        let media: BTreeSet<String> =
            self.gallery.shown.iter().filter_map(|shown| description(shown, &base)).collect();
        Reading {
            links,
            title: self.title,
            canonical,
            language: self.language,
            robots: self.robots,
            text: lines_of(&self.text),
            signatures: Signatures { links: signature(&targets), media: signature(&media), meta: None },
            targets: targets.into_iter().collect(),
            media: media.into_iter().collect(),
        }
    }
}

/// Returns the elements of a page that one of the selectors matches.
fn matching(html: &Html, selectors: &[String]) -> HashSet<NodeId> {
    let selectors: Vec<Selector> = selectors.iter().filter_map(|text| Selector::parse(text).ok()).collect();
    let elements = html.tree.root().descendants().filter_map(ElementRef::wrap);
    let chosen = elements.filter(|element| selectors.iter().any(|selector| selector.matches(element)));
    chosen.map(|element| element.id()).collect()
}

/// Returns what stands between the text of an element and the text around it.
fn divider(element: &Element) -> &'static str {
    let (name, is_html) = (element.name(), element.name.ns == ns!(html));
    let is_svg = element.name.ns == ns!(svg);
    if is_html && BLOCKS.split_whitespace().any(|block| block == name) {
        "\n"
    } else if is_html && matches!(name, "td" | "th") || is_svg && matches!(name, "title" | "desc" | "text") {
        " "
    } else {
        ""
    }
}

fn is_unread(element: &Element) -> bool {
    let name = element.name();
    (element.name.ns == ns!(html) && matches!(name, "head" | "script" | "style" | "template"))
        || (element.name.ns == ns!(svg) && matches!(name, "script" | "style"))
}

fn says(element: &Element, word: &str) -> bool {
    let relation = element.attr("rel").unwrap_or_default();
    relation.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case(word))
}

fn xlink(element: &Element) -> Option<&str> {
    let mut attributes = element.attrs.iter();
    let (_, value) = attributes.find(|(name, _)| name.ns == ns!(xlink) && &*name.local == "href")?;
    Some(value)
}

fn without_lines(character: char) -> char {
    if character.is_whitespace() { ' ' } else { character }
}

fn lines_of(text: &str) -> String {
    const INVISIBLE: [char; 6] = ['\u{ad}', '\u{200b}', '\u{200e}', '\u{200f}', '\u{2060}', '\u{feff}'];
    let visible = text.replace(INVISIBLE, "");
    let lines = visible.split('\n').map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn signature(set: &BTreeSet<String>) -> Signature {
    let hashes: BTreeSet<u64> = set.iter().map(|text| xxh3_64(text.as_bytes())).collect();
    let bytes: Vec<u8> = hashes.into_iter().flat_map(u64::to_le_bytes).collect();
    Signature(xxh3_64(&bytes))
}
