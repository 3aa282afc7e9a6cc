//! Everything that is read from one HTML page, in one pass.

use std::borrow::Cow;

use url::Url;

pub use directives::RobotsDirectives;
pub use sniff::is_html;

use recrawl_core::model::aspect::Signatures;
use recrawl_core::model::content::Unreadable;
use recrawl_core::model::outline::Outline;

pub(crate) use self::fingerprints::CountedItems;
use self::fingerprints::{FingerprintObserver, Fingerprints};
use self::reader::Reader;
use crate::budget::WorkBudget;
use crate::charset;
use crate::fast::{self, KeptTexts};
use crate::html::links::{Link, LinkKind, ResolvedLink, Resolver};
use crate::html::newlines::with_line_feeds;
use crate::html::removal_log::RemovalLog;
use crate::html::selectors;
use crate::html::text::{TextRules, semantic_hash};
use crate::html::tree::Tree;
use crate::noise::reduce_link;

mod block_page;
mod directives;
mod documents;
mod fingerprints;
mod head;
mod lines;
mod needs_scripts;
mod outline_items;
mod places;
mod reader;
mod refresh;
mod regions;
mod sniff;
mod treeless;
mod truncation;
mod walk;

/// A longer canonical address is a mistake, and would be no shorter if it were cut.
const MAX_CANONICAL: usize = 2_000;

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
    /// The fingerprints of where it leads, of what it shows and of what its head says.
    pub signatures: Signatures,
    /// What it holds beside its text, and where.
    pub outline: Outline,
    /// Where it leads, as counted in its signature: sorted, without doubles and noise.
    pub targets: Vec<String>,
    /// What it shows, as counted in its signature, with the texts that stand for images.
    pub media: Vec<String>,
    /// Why it is not the page that was asked for, in words.
    pub block_page: Option<String>,
    /// Whether it has next to no text, because scripts make it.
    pub needs_scripts: bool,
    /// Whether it breaks off before its end.
    pub breaks_off: bool,
    /// Why only a part of it was read, in words.
    pub cut: Option<String>,
    /// The name of its encoding, as the Encoding Standard spells it.
    pub encoding: &'static str,
}

impl Page {
    /// Parses the page at `url`. What is broken is read as browsers read it; the only error is a page that
    /// takes too long.
    ///
    /// XHTML is read as HTML.
    pub fn parse(
        body: &[u8],
        content_type: Option<&str>,
        url: &Url,
        rules: &TextRules,
    ) -> Result<Self, Unreadable> {
        Self::parse_in(Way::Quickest, body, content_type, url, rules)
    }

    /// Parses a page as [`parse`](Self::parse) does, but always by its tree, which takes longer: so that both can be compared.
    pub fn parse_by_tree(
        body: &[u8],
        content_type: Option<&str>,
        url: &Url,
        rules: &TextRules,
    ) -> Result<Self, Unreadable> {
        Self::parse_in(Way::ByTree, body, content_type, url, rules)
    }

    /// Returns why a page is read by its tree; `None` if it is read without one.
    pub fn needs_tree(body: &[u8], content_type: Option<&str>, rules: &TextRules) -> Option<&'static str> {
        let decoded = charset::decode(body, content_type);
        treeless::needs_tree(&with_line_feeds(&decoded.text), rules)
    }

    fn parse_in(
        way: Way,
        body: &[u8],
        content_type: Option<&str>,
        url: &Url,
        rules: &TextRules,
    ) -> Result<Self, Unreadable> {
        let mut listing = CountedItems::default();
        let reading = Reading { budget: &WorkBudget::for_page(), way };
        let removals = &mut RemovalLog::default();
        let page = ReadPage::read_in(reading, body, content_type, url, rules, &mut listing, removals)?;
        Ok(Self {
            links: page.targets.into_iter().map(Link::from).collect(),
            title: page.title,
            canonical: page.canonical,
            language: page.language,
            robots: page.robots,
            semantic_hash: semantic_hash(&page.text),
            text: page.text,
            signatures: page.signatures,
            outline: page.outline,
            targets: listing.links.into_iter().collect(),
            media: listing.media.into_iter().collect(),
            block_page: page.block_page,
            needs_scripts: page.needs_scripts,
            breaks_off: page.breaks_off,
            cut: page.cut,
            encoding: page.encoding,
        })
    }
}

/// How a page is read.
#[derive(Debug, Clone, Copy)]
struct Reading<'budget> {
    budget: &'budget WorkBudget,
    way: Way,
}

/// Whether short cuts are taken.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// Without a tree, where that can be done.
    Quickest,
    ByTree,
}

/// A page whose links may still be in the form that was cheapest to make.
pub(crate) struct ReadPage {
    pub(crate) targets: Vec<ResolvedLink>,
    pub(crate) title: Option<String>,
    pub(crate) canonical: Option<Url>,
    pub(crate) language: Option<String>,
    pub(crate) robots: RobotsDirectives,
    pub(crate) text: String,
    pub(crate) signatures: Signatures,
    pub(crate) outline: Outline,
    pub(crate) block_page: Option<String>,
    pub(crate) needs_scripts: bool,
    pub(crate) breaks_off: bool,
    pub(crate) cut: Option<String>,
    encoding: &'static str,
}

impl ReadPage {
    /// Reads a page as a crawl needs it.
    pub(crate) fn read_quickly(
        body: &[u8],
        content_type: Option<&str>,
        url: &Url,
        rules: &TextRules,
    ) -> Result<Self, Unreadable> {
        Self::read(body, content_type, url, rules, &mut (), &mut RemovalLog::default())
    }

    /// Reads a page, tells `observer` what counts, and logs what does not.
    pub(crate) fn read(
        body: &[u8],
        content_type: Option<&str>,
        url: &Url,
        rules: &TextRules,
        observer: &mut impl FingerprintObserver,
        removals: &mut RemovalLog,
    ) -> Result<Self, Unreadable> {
        let reading = Reading { budget: &WorkBudget::for_page(), way: Way::Quickest };
        Self::read_in(reading, body, content_type, url, rules, observer, removals)
    }

    fn read_in(
        Reading { budget, way }: Reading<'_>,
        body: &[u8],
        content_type: Option<&str>,
        url: &Url,
        rules: &TextRules,
        observer: &mut impl FingerprintObserver,
        removals: &mut RemovalLog,
    ) -> Result<Self, Unreadable> {
        let decoded = charset::decode(body, content_type);
        let length = decoded.text.len();
        let text = with_line_feeds(&decoded.text);
        let kept = KeptTexts::default();
        let quick = match way {
            Way::Quickest if fast::ON => treeless::read(&text, length, &kept, rules, budget, removals)?,
            Way::Quickest | Way::ByTree => None,
        };
        let attributes;
        let (mut findings, cut) = if let Some(findings) = quick {
            (findings, None)
        } else {
            let mut dom = Tree::parse(&text, &rules.attribute_filter(), budget)?;
            let mut reader = Reader::new(rules, length, budget, removals);
            if rules.is_selective() && selectors::mark(&mut dom, rules.ignored(), rules.only(), budget)? {
                reader.limit_to_chosen();
            }
            attributes = dom.take_attributes();
            let cut = dom.take_cut();
            (walk::read(dom, &attributes, reader)?, cut)
        };
        let resolver = Resolver::new(url, findings.base, decoded.encoding);
        let canonical = findings
            .links
            .iter()
            .filter(|link| link.kind == LinkKind::Canonical)
            .find_map(|link| resolver.resolve(link.target))
            .filter(|canonical| canonical.as_str().len() <= MAX_CANONICAL);
        let links = resolver.resolve_all(&findings.links, length, budget)?;
        let mut fingerprints = Fingerprints::new(rules.noise(), &resolver, observer, removals, budget);
        fingerprints.add_links(&links, &findings.documents)?;
        fingerprints.add_media(&findings.media)?;
        let mut outline = findings.outline;
        let mut signatures = fingerprints.finish(&mut outline);
        outline.noise = removals.traces();
        let title = findings.title.as_deref().map(|title| rules.clean_line(title, budget)).transpose()?;
        let counted =
            canonical.as_ref().and_then(|canonical| reduce_link(canonical.as_str(), rules.noise()).address);
        outline.meta =
            head::parts(title, findings.description.take(), counted.map(Cow::into_owned), findings.robots);
        signatures.meta = Some(head::signature(&outline.meta));
        Ok(Self {
            block_page: block_page::of(&findings.text, findings.title.as_deref(), &decoded.text),
            needs_scripts: needs_scripts::is_made_by_scripts(&findings.text, &decoded.text),
            breaks_off: truncation::breaks_off(&decoded.text),
            targets: links.targets,
            title: findings.title,
            canonical,
            language: findings.language,
            robots: findings.robots,
            text: findings.text,
            signatures,
            outline,
            cut: cut.or(findings.cut).or(links.cut),
            encoding: decoded.encoding.name(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_page_that_takes_too_long_is_unreadable() {
        let html = "<p>x</p>".repeat(20_000);
        let url = Url::parse("https://example.org/").unwrap();
        let rules = TextRules::default();
        let read = |budget: &WorkBudget| {
            let removals = &mut RemovalLog::default();
            let reading = Reading { budget, way: Way::Quickest };
            ReadPage::read_in(reading, html.as_bytes(), None, &url, &rules, &mut (), removals).err()
        };
        assert_eq!(read(&WorkBudget::of(Duration::ZERO)), Some(Unreadable::Time(Duration::ZERO)));
        assert_eq!(read(&WorkBudget::for_page()), None);
    }
}
