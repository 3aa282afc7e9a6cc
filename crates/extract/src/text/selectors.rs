//! The user's CSS selectors, matched by `scraper` on a copy of the tree.

use std::collections::HashMap;

use html5ever::tendril::StrTendril;
use scraper::node::{Element, Text};
use scraper::{Html, Node, Selector};

use crate::dom::{Dom, Step};

/// Marks what selectors leave out, and what they limit the page to; tells whether there is any of that.
pub(crate) fn mark(dom: &mut Dom, ignored: &[Selector], only: &[Selector]) -> bool {
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
    let matches = |selector| html.select(selector).filter_map(|element| origins.get(&element.id()).copied());
    for (number, selector) in (0..).zip(ignored) {
        for index in matches(selector) {
            dom.ignore(index, number);
        }
    }
    let mut is_limited = false;
    for index in only.iter().flat_map(matches) {
        dom.choose(index);
        is_limited = true;
    }
    is_limited
}
