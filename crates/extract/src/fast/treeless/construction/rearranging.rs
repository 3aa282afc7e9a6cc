//! Formatting elements that go on after their block ends, and those that are closed out of order.

use super::{Construction, Step};
use crate::fast::treeless::GaveUp;
use crate::fast::treeless::elements::{ElementId, Namespace, Open};
use crate::fast::treeless::formatting::Entry;
use crate::fast::treeless::listener::Listener;
use crate::fast::treeless::names::{IMPLIED_END, Name, SPECIAL};
use crate::fast::treeless::tokens::StartTag;

/// The standard ends the adoption of blocks after so many.
const MOST_BLOCKS: usize = 8;

/// The standard keeps so many formatting elements between a block and the element that is closed.
const MOST_BETWEEN: usize = 3;

impl<'page, L: Listener<'page>> Construction<'page, '_, L> {
    /// A formatting element begins.
    pub(super) fn insert_formatting(&mut self, tag: &StartTag<'page>) -> Step {
        let id = self.insert(tag, Namespace::Html)?;
        let tokens = &self.tokens;
        self.formatting.push(id, *tag, |tag| tokens.attributes(tag));
        super::DONE
    }

    /// Begins formatting elements [anew](https://html.spec.whatwg.org/multipage/parsing.html#reconstruct-the-active-formatting-elements)
    /// that did not end, but what they stood in did.
    pub(super) fn reconstruct(&mut self) -> Result<(), GaveUp> {
        let is_open = |entry: Option<Entry<'page>>| match entry {
            None | Some(Entry::Marker) => true,
            Some(Entry::Element(id, _)) => self.open.place_of(id).is_some(),
        };
        if is_open(self.formatting.last()) {
            return Ok(());
        }
        let mut place = self.formatting.len() - 1;
        while place > 0 && !is_open(self.formatting.entry(place - 1)) {
            place -= 1;
        }
        self.limits.count_rearrangement(self.open.len(), self.formatting.len());
        while let Some(tag) = self.formatting_tag(place) {
            self.limits.count_reconstructed()?;
            let id = self.insert(&tag, Namespace::Html)?;
            self.formatting.replace(place, id);
            place += 1;
        }
        Ok(())
    }

    /// Ends the element that an end tag of any name ends.
    pub(super) fn end_any(&mut self, name: Name, spelled: &str) -> Result<(), GaveUp> {
        if let Some(place) = self.open.place_to_close(name, spelled) {
            self.end_implied(IMPLIED_END, name)?;
            self.truncate(place)?;
        }
        Ok(())
    }

    /// Ends a formatting element by the [adoption agency
    /// algorithm](https://html.spec.whatwg.org/multipage/parsing.html#adoption-agency-algorithm).
    pub(super) fn adopt(&mut self, name: Name) -> Result<(), GaveUp> {
        let current = self.open.current().filter(|element| element.is(name)).map(|element| element.id);
        if current.is_some_and(|id| self.formatting.place_of(id).is_none()) {
            return self.pop();
        }
        for _ in 0..MOST_BLOCKS {
            let Some((entry, id)) = self.formatting.find(name) else {
                return self.end_any(name, name.text());
            };
            let Some(place) = self.open.place_of(id) else {
                self.formatting.remove(entry);
                return Ok(());
            };
            if !self.open.has_id_in_scope(id) {
                return Ok(());
            }
            let inside = self.open.all()[place..].iter();
            let Some(distance) = inside.clone().position(|element| element.is_in(SPECIAL)) else {
                self.truncate(place)?;
                self.formatting.remove(entry);
                return Ok(());
            };
            self.take_out_of(place, place + distance, id)?;
        }
        Ok(())
    }

    /// Takes a block out of the formatting element around it, which goes on inside the block.
    ///
    /// The order of what the page says stays. What a listener was told must not change: that an element stands in another.
    fn take_out_of(&mut self, place: usize, block: usize, id: ElementId) -> Result<(), GaveUp> {
        let elements = self.open.all();
        let is_known = |element: &Open<'page>| element.is_told || element.forms_ending > 0;
        if elements[place..block].iter().any(is_known) || elements[block].forms_ending > 0 {
            return Err(GaveUp("an element that means something is closed out of order"));
        }
        let block_id = elements[block].id;
        if block + 1 == elements.len() {
            self.end_text()?;
        }
        self.limits.count_rearrangement(self.open.len(), self.formatting.len());
        let last = self.go_on_between(place, block, id)?;
        let new_id = self.new_id();
        let Some(entry) = self.formatting.place_of(id) else { return Ok(()) };
        let Some(tag) = self.formatting_tag(entry) else { return Ok(()) };
        match last.and_then(|last| self.formatting.place_of(last)) {
            None => self.formatting.replace(entry, new_id),
            Some(last) => {
                self.formatting.insert(last + 1, Entry::Element(new_id, tag));
                if let Some(old) = self.formatting.place_of(id) {
                    self.formatting.remove(old);
                }
            }
        }
        let mut element = self.open.remove(place);
        let block = self.open.place_of(block_id).map_or(self.open.len(), |block| block + 1);
        element.id = new_id;
        element.depth = self.open.all().get(block - 1).map_or(0, |block| block.depth) + 1;
        self.count(&tag, element.depth)?;
        self.open.insert(block, element);
        for place in block + 1..self.open.len() {
            if let Some(deeper) = self.open.get_mut(place) {
                deeper.depth += 1;
            }
        }
        Ok(())
    }

    /// Begins anew the formatting elements between a block and the element it is taken out of, and ends the others. Returns
    /// the innermost.
    fn go_on_between(
        &mut self,
        place: usize,
        block: usize,
        id: ElementId,
    ) -> Result<Option<ElementId>, GaveUp> {
        let mut last = None;
        let between: Vec<ElementId> =
            self.open.all()[place + 1..block].iter().map(|element| element.id).collect();
        for (number, between) in between.into_iter().rev().enumerate() {
            debug_assert_ne!(between, id, "it stands around them");
            let Some(place) = self.open.place_of(between) else { continue };
            let entry = self.formatting.place_of(between);
            if let Some(entry) = entry
                && number < MOST_BETWEEN
                && let Some(tag) = self.formatting_tag(entry)
            {
                let new_id = self.new_id();
                self.count(&tag, 0)?;
                if let Some(element) = self.open.get_mut(place) {
                    element.id = new_id;
                }
                self.formatting.replace(entry, new_id);
                last = last.or(Some(new_id));
                continue;
            }
            if let Some(entry) = entry {
                self.formatting.remove(entry);
            }
            self.open.remove(place);
        }
        Ok(last)
    }

    /// Takes an element out of the stack. What stands in it goes on, and the element ends with that.
    pub(super) fn take_out(&mut self, place: usize) -> Result<(), GaveUp> {
        if place + 1 == self.open.len() {
            return self.pop();
        }
        let element = self.open.remove(place);
        let is_known = element.is_told || element.forms_ending > 0;
        if is_known && !element.is(Name::Form) {
            return Err(GaveUp("a link that means something is closed out of order"));
        }
        let ending = element.forms_ending + u8::from(element.is_told);
        if let Some(next) = self.open.get_mut(place) {
            let Some(sum) = next.forms_ending.checked_add(ending) else {
                return Err(GaveUp("too many forms are closed out of order"));
            };
            next.forms_ending = sum;
        }
        Ok(())
    }
}
