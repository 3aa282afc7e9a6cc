//! The [list of active formatting elements](https://html.spec.whatwg.org/multipage/parsing.html#the-list-of-active-formatting-elements).

use super::elements::ElementId;
use super::names::Name;
use super::tokens::{Attribute, StartTag};

/// So many elements that are alike may be in the list.
const MOST_ALIKE: usize = 3;

/// An entry of the list.
#[derive(Debug, Clone, Copy)]
pub(super) enum Entry<'page> {
    /// A bound, such as that of a cell.
    Marker,
    /// An element and the tag that made it.
    Element(ElementId, StartTag<'page>),
}

/// The formatting elements that go on in what comes.
#[derive(Default)]
pub(super) struct Formatting<'page> {
    entries: Vec<Entry<'page>>,
}

impl<'page> Formatting<'page> {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn entry(&self, place: usize) -> Option<Entry<'page>> {
        self.entries.get(place).copied()
    }

    pub(super) fn last(&self) -> Option<Entry<'page>> {
        self.entries.last().copied()
    }

    pub(super) fn push_marker(&mut self) {
        self.entries.push(Entry::Marker);
    }

    /// Adds an element. Of many that are alike, the first is dropped.
    pub(super) fn push<'a>(
        &mut self,
        id: ElementId,
        tag: StartTag<'page>,
        attributes: impl Fn(&StartTag<'page>) -> &'a [Attribute<'page>],
    ) where
        'page: 'a,
    {
        let is_alike = |other: &StartTag<'page>| {
            let (ours, others) = (attributes(&tag), attributes(other));
            other.name == tag.name
                && other.hints == tag.hints
                && others.len() == ours.len()
                && others.iter().all(|attribute| ours.contains(attribute))
        };
        let alike = self.to_marker().filter(|(_, _, other)| is_alike(other)).map(|(place, ..)| place);
        let alike: Vec<usize> = alike.collect();
        if alike.len() >= MOST_ALIKE
            && let Some(first) = alike.last()
        {
            self.entries.remove(*first);
        }
        self.entries.push(Entry::Element(id, tag));
    }

    /// Returns the elements after the last marker with their places, the last one first.
    fn to_marker(&self) -> impl Iterator<Item = (usize, ElementId, &StartTag<'page>)> {
        let entries = self.entries.iter().enumerate().rev();
        entries.map_while(|(place, entry)| match entry {
            Entry::Marker => None,
            Entry::Element(id, tag) => Some((place, *id, tag)),
        })
    }

    /// Returns the last element of a name after the last marker, and its place.
    pub(super) fn find(&self, name: Name) -> Option<(usize, ElementId)> {
        self.to_marker().find(|(_, _, tag)| tag.name == name).map(|(place, id, _)| (place, id))
    }

    /// Returns the place of an element.
    pub(super) fn place_of(&self, id: ElementId) -> Option<usize> {
        self.entries.iter().position(|entry| matches!(entry, Entry::Element(other, _) if *other == id))
    }

    /// Puts another element in the place of one.
    pub(super) fn replace(&mut self, place: usize, id: ElementId) {
        if let Some(Entry::Element(old, _)) = self.entries.get_mut(place) {
            *old = id;
        }
    }

    pub(super) fn remove(&mut self, place: usize) -> Entry<'page> {
        self.entries.remove(place)
    }

    pub(super) fn insert(&mut self, place: usize, entry: Entry<'page>) {
        self.entries.insert(place, entry);
    }

    /// Forgets what was added since the last marker, and the marker.
    pub(super) fn clear_to_marker(&mut self) {
        while let Some(Entry::Element(..)) = self.entries.pop() {}
    }
}
