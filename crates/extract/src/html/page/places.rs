//! What stands above each line, link and image of a page, noted while the page is read.

use crate::html::frame_words::WordSet;
use crate::html::tree::{Hints, Part};

/// The index of a place. Those around a place have smaller ones.
pub(super) type PlaceIndex = u32;

/// What stands above a piece of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub(super) struct Place {
    /// The place around it; of the outermost one, itself.
    pub(super) parent: PlaceIndex,
    /// The frame landmark that begins here.
    pub(super) landmark: Option<Landmark>,
    /// The frame words of all elements above.
    pub(super) words: WordSet,
    /// It is inside the content of the page.
    pub(super) is_main: bool,
    /// It is inside an article.
    pub(super) is_article: bool,
    /// It is inside a heading.
    pub(super) is_heading: bool,
    /// It is inside a button, an option or a label.
    pub(super) is_control: bool,
    /// Browsers do not show it.
    pub(super) is_hidden: bool,
}

/// An element by which a page says that something is its frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Landmark {
    Nav,
    Header,
    Footer,
    Aside,
    Dialog,
    Search,
}

impl Place {
    /// Returns the place inside an element at this place.
    fn inside(&self, index: PlaceIndex, by_name: Part, hints: Hints) -> Self {
        let part = if hints.part == Part::None { by_name } else { hints.part };
        let landmark = match part {
            Part::Nav => Some(Landmark::Nav),
            // The head of an article is a part of it.
            Part::Header => (!self.is_main && !self.is_article).then_some(Landmark::Header),
            Part::Footer => Some(Landmark::Footer),
            Part::Aside => Some(Landmark::Aside),
            Part::Dialog => Some(Landmark::Dialog),
            Part::Search => Some(Landmark::Search),
            Part::None | Part::Main | Part::Article | Part::Heading | Part::Control => None,
        };
        let is_heading = self.is_heading || part == Part::Heading;
        Self {
            parent: index,
            landmark,
            words: self.words | hints.words,
            is_main: self.is_main || part == Part::Main,
            is_article: self.is_article || part == Part::Article,
            is_heading,
            // The headings of texts that open and close are buttons, too.
            is_control: (self.is_control || part == Part::Control) && !is_heading,
            is_hidden: self.is_hidden || hints.is_hidden,
        }
    }

    /// Tells whether something else stands above this place than above the one around it.
    fn differs_from(&self, parent: &Self) -> bool {
        self.landmark.is_some()
            || Self { parent: parent.parent, landmark: parent.landmark, ..*self } != *parent
    }
}

/// The places of a page, and those around the one that is being read.
#[derive(Debug)]
pub(super) struct Places {
    all: Vec<Place>,
    /// The places around the current one, each with the depth of its element.
    open: Vec<(u32, PlaceIndex)>,
}

impl Default for Places {
    fn default() -> Self {
        Self { all: vec![Place::default()], open: Vec::new() }
    }
}

impl Places {
    /// Returns every place, each after the one around it.
    pub(super) fn all(&self) -> &[Place] {
        &self.all
    }

    /// Returns the place that is being read.
    pub(super) fn current(&self) -> PlaceIndex {
        self.open.last().map_or(0, |(_, place)| *place)
    }

    /// An element begins at this depth.
    pub(super) fn enter(&mut self, depth: u32, part: Part, hints: Option<&Hints>) {
        let hints = hints.copied().unwrap_or_default();
        let index = self.current();
        let parent = &self.all[index as usize];
        let place = parent.inside(index, part, hints);
        if place.differs_from(parent) {
            let next = self.add(place);
            self.open.push((depth, next));
        }
    }

    /// The element at this depth ends.
    pub(super) fn leave(&mut self, depth: u32) {
        if self.open.last().is_some_and(|(opened, _)| *opened == depth) {
            self.open.pop();
        }
    }

    /// Returns the place of a line that has pieces in both places: what stands above all of it.
    pub(super) fn common(&mut self, one: PlaceIndex, other: PlaceIndex) -> PlaceIndex {
        let (mut above, mut beside) = (one.max(other), one.min(other));
        while above != beside {
            // Places around a place have smaller indexes.
            above = self.all[above as usize].parent;
            (above, beside) = (above.max(beside), above.min(beside));
        }
        let [around, one, other] = [above, one, other].map(|index| self.all[index as usize]);
        let both = Place {
            parent: above,
            landmark: None,
            words: one.words & other.words,
            is_main: one.is_main && other.is_main,
            is_article: one.is_article && other.is_article,
            is_heading: one.is_heading && other.is_heading,
            is_control: one.is_control && other.is_control,
            is_hidden: one.is_hidden && other.is_hidden,
        };
        match self.all.last() {
            _ if !both.differs_from(&around) => above,
            // Pieces of one line come one after the other.
            Some(last) if *last == both => self.last_index(),
            _ => self.add(both),
        }
    }

    /// Tells whether a place is another or around it.
    pub(super) fn is_around(&self, outer: PlaceIndex, mut inner: PlaceIndex) -> bool {
        while inner > outer {
            inner = self.all[inner as usize].parent;
        }
        inner == outer
    }

    fn add(&mut self, place: Place) -> PlaceIndex {
        self.all.push(place);
        self.last_index()
    }

    fn last_index(&self) -> PlaceIndex {
        PlaceIndex::try_from(self.all.len() - 1).unwrap_or(PlaceIndex::MAX)
    }
}
