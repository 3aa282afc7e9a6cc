//! Everything that is read from one HTML page, in one pass.

use url::Url;

pub use directives::RobotsDirectives;
pub use sniff::is_html;

use crate::charset;
use crate::dom::Dom;
use crate::links::{Link, LinkKind, Resolver};
use crate::text::{TextRules, selectors, semantic_hash};

mod directives;
mod reader;
mod refresh;
mod sniff;

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
        let decoded = charset::decode(body, content_type);
        let mut dom = Dom::parse(&decoded.text, &rules.attribute_filter());
        if !rules.selectors().is_empty() {
            selectors::mark_ignored(&mut dom, rules.selectors());
        }
        let findings = reader::read(&dom, rules, decoded.text.len());
        let resolver = Resolver::new(url, findings.base, decoded.encoding);
        let canonical = findings
            .links
            .iter()
            .filter(|link| link.kind == LinkKind::Canonical)
            .find_map(|link| resolver.resolve(link.target));
        Self {
            links: resolver.resolve_all(&findings.links),
            title: findings.title,
            canonical,
            language: findings.language,
            robots: findings.robots,
            semantic_hash: semantic_hash(&findings.text),
            text: findings.text,
            encoding: decoded.encoding.name(),
        }
    }
}
