//! Which lines, links and images of a page are its content, and which are the frame around it.
//!
//! A page is never cut down to what seems to be its article: such a choice flips from one visit to the next, and looks
//! like a change. Each line is judged by what stands above it, and landmarks and words that hold too much of the page's
//! prose are not believed. Prose is all that reads like text: the letters of lines that are neither mostly links nor
//! buttons, options or labels.

use recrawl_core::model::region::{Mark, Region};

use super::lines::Line;
use super::places::{Landmark, Place, PlaceIndex, Places};
use crate::html::frame_words::{FrameWords, WordSet};
use crate::html::letters::{is_sentence, letters, lines_of};

/// A sentence of so many letters is content wherever it stands, but for menus, heads, dialogs and promotions.
const LONG_SENTENCE: u32 = 120;

/// Where things stand on a page.
pub(super) struct Regions<'page> {
    places: &'page Places,
    /// By place: the innermost landmark above that counts, and whether one is a menu, a head or a dialog.
    landmarks: Vec<(Option<Landmark>, bool)>,
    words: &'page FrameWords,
    /// The words that mean something on this page.
    meant: WordSet,
    main_counts: bool,
    hiding_counts: bool,
    /// By line: its letters.
    letters: Vec<u32>,
}

impl<'page> Regions<'page> {
    /// Looks at the whole page, whose text has these lines.
    pub(super) fn new(text: &str, lines: &[Line], places: &'page Places, words: &'page FrameWords) -> Self {
        let letters: Vec<u32> = lines_of(text).map(letters).collect();
        let prose = Prose::new(&letters, lines, places, words);
        let mut landmarks: Vec<(Option<Landmark>, bool)> = Vec::with_capacity(places.all().len());
        for (place, held) in places.all().iter().zip(&prose.by_place) {
            let above = landmarks.get(place.parent as usize).copied().unwrap_or_default();
            let own = place.landmark.filter(|_| 2 * held <= prose.total);
            let is_loud = matches!(own, Some(Landmark::Nav | Landmark::Header | Landmark::Dialog));
            landmarks.push((own.or(above.0), is_loud || above.1));
        }
        let mut meant = WordSet::default();
        for (place, held) in prose.by_word.iter().enumerate() {
            if 10 * held <= 3 * prose.total {
                meant |= WordSet::of(place);
            }
        }
        Self {
            places,
            landmarks,
            words,
            meant,
            main_counts: prose.has_main && 4 * prose.in_main >= prose.total,
            hiding_counts: 10 * prose.hidden <= 3 * prose.total,
            letters,
        }
    }

    /// Returns the marks of the lines.
    pub(super) fn of_lines(&self, text: &str, lines: &[Line]) -> Vec<Mark> {
        let of_line = |((line, Line { place, linked }), letters): ((&str, &Line), &u32)| {
            self.mark(*place, 2 * linked > *letters, *letters, || is_sentence(line))
        };
        lines_of(text).zip(lines).zip(&self.letters).map(of_line).collect()
    }

    /// Returns the mark of what is no part of a line.
    pub(super) fn of_place(&self, place: PlaceIndex, is_link: bool) -> Mark {
        self.mark(place, is_link, 0, || false)
    }

    fn mark(&self, index: PlaceIndex, is_links: bool, letters: u32, is_sentence: impl Fn() -> bool) -> Mark {
        let place = &self.places.all()[index as usize];
        let (landmark, is_loud) = self.landmarks[index as usize];
        let is_inside = self.main_counts && place.is_main;
        let is_outside = self.main_counts && !place.is_main;
        let meant = place.words & self.meant;
        // In the content of a page, a word such as `share` or `related` is about the links below it at most.
        let against = if is_inside && !is_links { WordSet::default() } else { meant };
        let is_control = place.is_control && !is_sentence();
        let is_hidden = place.is_hidden && self.hiding_counts;
        let is_plain = landmark.is_none() && !is_outside && against.is_empty() && !is_control && !is_hidden;
        let is_loud = is_loud || !(meant & self.words.loud()).is_empty();
        let is_content =
            is_plain || letters >= LONG_SENTENCE && !is_links && !is_hidden && !is_loud && is_sentence();
        let region = if is_content { Region::Content } else { self.frame(landmark, meant) };
        Mark { region, is_heading: place.is_heading, is_links }
    }

    fn frame(&self, landmark: Option<Landmark>, words: WordSet) -> Region {
        match landmark {
            Some(Landmark::Nav) => Region::Nav,
            Some(Landmark::Header) => Region::Header,
            Some(Landmark::Footer) => Region::Footer,
            Some(Landmark::Aside) => Region::Aside,
            Some(Landmark::Dialog | Landmark::Search) => Region::Other,
            None => self.words.region_of(words).unwrap_or(Region::Other),
        }
    }
}

/// Where the prose of a page stands, in letters.
struct Prose {
    total: u64,
    /// In each place, with all that stands in it.
    by_place: Vec<u64>,
    /// Under each frame word.
    by_word: Vec<u64>,
    has_main: bool,
    in_main: u64,
    hidden: u64,
}

impl Prose {
    fn new(letters: &[u32], lines: &[Line], places: &Places, words: &FrameWords) -> Self {
        let places = places.all();
        let mut by_place = vec![0_u64; places.len()];
        for (letters, Line { place, linked }) in letters.iter().zip(lines) {
            if 2 * linked <= *letters && !places[*place as usize].is_control {
                by_place[*place as usize] += u64::from(*letters);
            }
        }
        let held = |is_meant: fn(&Place) -> bool| {
            places.iter().zip(&by_place).filter(|(place, _)| is_meant(place)).map(|(_, own)| own).sum()
        };
        let mut by_word = vec![0; words.len()];
        for (place, own) in places.iter().zip(&by_place).filter(|(_, own)| **own > 0) {
            place.words.iter().for_each(|word| by_word[word] += own);
        }
        let (in_main, hidden) = (held(|place| place.is_main), held(|place| place.is_hidden));
        // Each place comes after the one around it.
        for index in (1..places.len()).rev() {
            by_place[places[index].parent as usize] += by_place[index];
        }
        let has_main = places.iter().any(|place| place.is_main);
        Self { total: by_place[0], by_place, by_word, has_main, in_main, hidden }
    }
}
