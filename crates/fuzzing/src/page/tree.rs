//! A page as html5ever reads it by itself, into the tree of scraper.

use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, ns, parse_document};
use scraper::{ElementRef, Html, HtmlTreeSink, Node};

/// Pages with more tags can be deeper, or cost more nodes, than the reader follows.
const MOST_TAGS: usize = 300;

/// Elements deeper than this can have been deeper while the tree was built.
const DEEPEST: usize = 300;

/// Elements have fewer attributes than the reader looks at.
const MOST_ATTRIBUTES: usize = 200;

/// More nodes than this can be beyond the budget of a page.
const MOST_NODES: usize = 4_000;

/// The tree of a page, without what stands in templates.
pub(super) struct Tree(pub(super) Html);

impl Tree {
    /// Parses a page with scripting off; `None` where the reader may have to cut it.
    pub(super) fn within_limits(html: &str) -> Option<Self> {
        if html.bytes().filter(|byte| *byte == b'<').count() > MOST_TAGS || is_read_otherwise(html) {
            return None;
        }
        let options = ParseOpts {
            tree_builder: TreeBuilderOpts { scripting_enabled: false, ..Default::default() },
            ..Default::default()
        };
        let mut html = parse_document(HtmlTreeSink::new(Html::new_document()), options).one(html);
        let is_template = |element: &ElementRef<'_>| {
            element.value().name() == "template" && element.value().name.ns == ns!(html)
        };
        let inert: Vec<_> = html
            .tree
            .nodes()
            .filter_map(ElementRef::wrap)
            .filter(is_template)
            .flat_map(|template| template.children().map(|child| child.id()).collect::<Vec<_>>())
            .collect();
        for id in inert {
            if let Some(mut node) = html.tree.get_mut(id) {
                node.detach();
            }
        }
        let is_small = html.tree.nodes().count() <= MOST_NODES
            && html.tree.root().descendants().all(|node| {
                let attributes = match node.value() {
                    Node::Element(element) => element.attrs.len(),
                    _ => 0,
                };
                attributes <= MOST_ATTRIBUTES && node.ancestors().take(DEEPEST + 1).count() <= DEEPEST
            });
        is_small.then_some(Self(html))
    }
}

/// Tells whether the reader and the tree of scraper differ on purpose.
fn is_read_otherwise(html: &str) -> bool {
    let html = html.to_ascii_lowercase();
    // The reader lets the end of a `noscript` end an `iframe` in it, which the standard does not.
    let ends_frames_early = html.contains("<iframe") && html.contains("</noscript");
    // HTML within an annotation is known to the reader and to the standard, and not to scraper.
    ends_frames_early || html.contains("<annotation-xml")
}
