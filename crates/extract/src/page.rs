//! Everything that is read from one HTML page, in one pass.

use url::Url;

pub use directives::RobotsDirectives;
pub use sniff::is_html;

use crate::charset;
use crate::dom::Dom;
use crate::links::{Link, LinkKind, Resolver, Target};
use crate::text::{TextRules, selectors, semantic_hash};

mod directives;
mod plain;
mod reader;
mod refresh;
mod sniff;
mod tree;

/// A page as the crawler sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// The pages it points to, in document order, without doubles.
    pub links: Vec<Link>,
    /// Its title, with white space collapsed; empty if the element is empty.
    pub title: Option<String>,
    /// The address it prefers for itself.
    pub canonical: Option<Url>,
    /// The language of its root element.
    pub language: Option<String>,
    /// What it asks of robots.
    pub robots: RobotsDirectives,
    /// Its canonical text.
    pub text: String,
    /// The SHA-256 of its canonical text.
    pub semantic_hash: [u8; 32],
    /// The name of its encoding, as the Encoding Standard spells it.
    pub encoding: &'static str,
}

impl Page {
    /// Parses the page at `url`. No input is an error: what is broken is read as browsers read it.
    ///
    /// XHTML is read as HTML.
    pub fn parse(body: &[u8], content_type: Option<&str>, url: &Url, rules: &TextRules) -> Self {
        let page = ReadPage::read(body, content_type, url, rules);
        Self {
            links: page.targets.into_iter().map(Link::from).collect(),
            title: page.title,
            canonical: page.canonical,
            language: page.language,
            robots: page.robots,
            semantic_hash: semantic_hash(&page.text),
            text: page.text,
            encoding: page.encoding,
        }
    }
}

/// A page whose links may still be in the form that was cheapest to make.
pub(crate) struct ReadPage {
    pub(crate) targets: Vec<Target>,
    pub(crate) title: Option<String>,
    pub(crate) canonical: Option<Url>,
    pub(crate) language: Option<String>,
    pub(crate) robots: RobotsDirectives,
    pub(crate) text: String,
    encoding: &'static str,
}

impl ReadPage {
    pub(crate) fn read(body: &[u8], content_type: Option<&str>, url: &Url, rules: &TextRules) -> Self {
        let decoded = charset::decode(body, content_type);
        let filter = rules.attribute_filter();
        let is_selective = !rules.selectors().is_empty();
        let plain = if is_selective { None } else { plain::read(&decoded.text, &filter, rules) };
        let mut dom;
        let findings = if let Some(findings) = plain {
            findings
        } else {
            dom = Dom::parse(&decoded.text, &filter);
            if is_selective {
                selectors::mark_ignored(&mut dom, rules.selectors());
            }
            tree::read(&dom, rules, decoded.text.len())
        };
        let resolver = Resolver::new(url, findings.base.as_deref(), decoded.encoding);
        let canonical = findings
            .links
            .iter()
            .filter(|link| link.kind == LinkKind::Canonical)
            .find_map(|link| resolver.resolve(&link.target));
        Self {
            targets: resolver.resolve_all(&findings.links),
            title: findings.title,
            canonical,
            language: findings.language,
            robots: findings.robots,
            text: findings.text,
            encoding: decoded.encoding.name(),
        }
    }
}
