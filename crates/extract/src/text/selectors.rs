//! The user's CSS selectors, matched by `scraper` on a copy of the tree.

use std::collections::HashMap;

use html5ever::tendril::StrTendril;
use scraper::node::{Element, Text};
use scraper::{Html, Node, Selector};

use crate::dom::{Dom, Step};

/// Marks every element that a selector matches as ignored.
pub(crate) fn mark_ignored(dom: &mut Dom, selectors: &[Selector]) {
    let mut html = Html::new_document();
    let mut origins = HashMap::new();
    let mut parents = vec![html.tree.root().id()];
    for step in dom.walk() {
        let parent = parents.last().and_then(|parent| html.tree.get_mut(*parent));
        match step {
            Step::Enter(index, element) => {
                let attributes = dom.attributes(element).to_vec();
                let node = Node::Element(Element::new(element.qualified_name(), attributes));
                if let Some(id) = parent.map(|mut parent| parent.append(node).id()) {
                    origins.insert(id, index);
                    parents.push(id);
                }
            }
            Step::Leave(..) => {
                parents.pop();
            }
            Step::Text(text) => {
                if let Some(mut parent) = parent {
                    parent.append(Node::Text(Text { text: StrTendril::clone(text) }));
                }
            }
        }
    }
    for selector in selectors {
        for element in html.select(selector) {
            if let Some(index) = origins.get(&element.id()) {
                dom.ignore(*index);
            }
        }
    }
}
