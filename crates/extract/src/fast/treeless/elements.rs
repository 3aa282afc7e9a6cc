//! The [stack of open elements](https://html.spec.whatwg.org/multipage/parsing.html#the-stack-of-open-elements).

use super::names::{
    BUTTON_SCOPE, HEADINGS, LIST_ITEM_SCOPE, MATH_TEXT, Name, NameSet, SCOPE, SPECIAL, TABLE_SCOPE,
};
use crate::html::tree::Flow;

/// The number of an element, in the order in which they begin.
pub(super) type ElementId = u32;

/// Whose element it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Namespace {
    Html,
    Svg,
    MathMl,
}

/// An element that has not ended yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open<'page> {
    pub(super) id: ElementId,
    pub(super) name: Name,
    pub(super) namespace: Namespace,
    /// The name as it is written: of [`Name::Other`] nothing else is known.
    pub(super) spelled: &'page str,
    pub(super) flow: Flow,
    /// Whether the listener was told of it, because it may mean something.
    pub(super) is_told: bool,
    /// It is an `annotation-xml` whose content is HTML.
    pub(super) holds_html: bool,
    /// How many forms end with it that are not in the stack any more.
    pub(super) forms_ending: u8,
    /// At least as deep as the tree would have it.
    pub(super) depth: u32,
}

impl Open<'_> {
    /// Tells whether it is an HTML element of this name.
    pub(super) fn is(&self, name: Name) -> bool {
        self.name == name && self.namespace == Namespace::Html
    }

    /// Tells whether it is an HTML element of one of these names.
    pub(super) fn is_in(&self, names: NameSet) -> bool {
        self.namespace == Namespace::Html && names.contains(self.name)
    }

    /// Tells whether HTML stands in it, though it is none.
    pub(super) fn is_html_point(&self) -> bool {
        match self.namespace {
            Namespace::Html => false,
            Namespace::Svg => matches!(self.name, Name::ForeignObject | Name::Desc | Name::Title),
            Namespace::MathMl => self.holds_html,
        }
    }

    /// Tells whether text and most elements in it are HTML, though it is none.
    pub(super) fn is_text_point(&self) -> bool {
        self.namespace == Namespace::MathMl && MATH_TEXT.contains(self.name)
    }

    /// Tells whether the search for an element in scope ends here.
    fn bounds(&self, scope: NameSet) -> bool {
        self.is_in(scope) || self.is_text_point() || self.is_html_point() && !self.holds_html
    }
}

/// The elements that have not ended yet.
pub(super) struct OpenElements<'page> {
    all: Vec<Open<'page>>,
    /// By name, how many HTML elements are among them: nearly all searches end here.
    counts: [u32; Name::Other as usize + 1],
}

impl<'page> OpenElements<'page> {
    pub(super) fn new() -> Self {
        Self { all: Vec::with_capacity(64), counts: [0; Name::Other as usize + 1] }
    }

    pub(super) fn all(&self) -> &[Open<'page>] {
        &self.all
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn current(&self) -> Option<&Open<'page>> {
        self.all.last()
    }

    pub(super) fn get_mut(&mut self, place: usize) -> Option<&mut Open<'page>> {
        self.all.get_mut(place)
    }

    /// Tells whether the innermost element is an HTML element of this name.
    pub(super) fn current_is(&self, name: Name) -> bool {
        self.current().is_some_and(|element| element.is(name))
    }

    pub(super) fn push(&mut self, element: Open<'page>) {
        self.count(&element, 1);
        self.all.push(element);
    }

    pub(super) fn pop(&mut self) -> Option<Open<'page>> {
        let element = self.all.pop()?;
        self.count(&element, u32::MAX);
        Some(element)
    }

    pub(super) fn remove(&mut self, place: usize) -> Open<'page> {
        let element = self.all.remove(place);
        self.count(&element, u32::MAX);
        element
    }

    pub(super) fn insert(&mut self, place: usize, element: Open<'page>) {
        self.count(&element, 1);
        self.all.insert(place, element);
    }

    fn count(&mut self, element: &Open<'page>, by: u32) {
        if element.namespace == Namespace::Html {
            let count = &mut self.counts[element.name as usize];
            *count = count.wrapping_add(by);
        }
    }

    /// Returns the place of an element in the stack.
    pub(super) fn place_of(&self, id: ElementId) -> Option<usize> {
        self.all.iter().rposition(|element| element.id == id)
    }

    /// Tells whether an HTML element of this name is open, wherever it stands.
    pub(super) fn has(&self, name: Name) -> bool {
        self.counts[name as usize] > 0
    }

    pub(super) fn has_in_scope(&self, name: Name) -> bool {
        self.has_within(name, SCOPE)
    }

    pub(super) fn has_in_button_scope(&self, name: Name) -> bool {
        self.has_within(name, BUTTON_SCOPE)
    }

    pub(super) fn has_in_list_item_scope(&self, name: Name) -> bool {
        self.has_within(name, LIST_ITEM_SCOPE)
    }

    fn has_within(&self, name: Name, scope: NameSet) -> bool {
        self.has(name) && self.finds(|element| element.is(name), |element| element.bounds(scope))
    }

    pub(super) fn has_heading_in_scope(&self) -> bool {
        self.finds(|element| element.is_in(HEADINGS), |element| element.bounds(SCOPE))
    }

    pub(super) fn has_id_in_scope(&self, id: ElementId) -> bool {
        self.finds(|element| element.id == id, |element| element.bounds(SCOPE))
    }

    pub(super) fn has_in_table_scope(&self, name: Name) -> bool {
        self.has(name) && self.finds(|element| element.is(name), |element| element.is_in(TABLE_SCOPE))
    }

    pub(super) fn has_any_in_table_scope(&self, names: NameSet) -> bool {
        self.finds(|element| element.is_in(names), |element| element.is_in(TABLE_SCOPE))
    }

    fn finds(&self, is_meant: impl Fn(&Open<'page>) -> bool, bounds: impl Fn(&Open<'page>) -> bool) -> bool {
        for element in self.all.iter().rev() {
            if is_meant(element) {
                return true;
            }
            if bounds(element) {
                return false;
            }
        }
        false
    }

    /// Returns the item of a list that a new one ends, unless something special stands between.
    pub(super) fn item_to_close(&self, is_item: impl Fn(&Open<'page>) -> bool) -> Option<Name> {
        for element in self.all.iter().rev() {
            if is_item(element) {
                return Some(element.name);
            }
            if element.is_in(SPECIAL) && !matches!(element.name, Name::Address | Name::Div | Name::P) {
                return None;
            }
        }
        None
    }

    /// Returns the place of the element that an end tag of this name ends, unless something special stands between.
    pub(super) fn place_to_close(&self, name: Name, spelled: &str) -> Option<usize> {
        for (place, element) in self.all.iter().enumerate().rev() {
            let is_same = name != Name::Other || element.spelled.eq_ignore_ascii_case(spelled);
            if element.is(name) && is_same {
                return Some(place);
            }
            if element.is_in(SPECIAL) {
                return None;
            }
        }
        None
    }
}
