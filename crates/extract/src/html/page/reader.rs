//! What is read from the elements and texts of a page, in document order.

use recrawl_core::model::content::Unreadable;
use recrawl_core::model::outline::Outline;
use recrawl_core::model::region::Mark;

use super::directives::RobotsDirectives;
use super::documents::DocumentWords;
use super::lines::Lines;
use super::places::{PlaceIndex, Places};
use super::regions::Regions;
use crate::budget::WorkBudget;
use crate::html::links::RawLink;
use crate::html::removal_log::{RemovalCause, RemovalLog};
use crate::html::text::{Cleaned, TextRules, TextWriter};
use crate::html::tree::{Flow, Hints, Meaning, Part, Role};
use crate::noise::{NoiseRule, is_exempt, is_noisy_attribute, is_token_name, marks_noise, noise_of_names};

mod elements;
mod media;

/// The text of any page may be this long, however short the page is.
const FREE_TEXT: usize = 100_000;

/// What a page says, before its addresses are resolved.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Findings<'text> {
    pub(super) title: Option<String>,
    pub(super) language: Option<String>,
    pub(super) robots: RobotsDirectives,
    pub(super) base: Option<&'text str>,
    pub(super) links: Vec<RawLink<'text>>,
    pub(super) media: Vec<RawMedia<'text>>,
    pub(super) text: String,
    /// The marks of the lines of the text.
    pub(super) outline: Outline,
    /// The description for search engines and the like.
    pub(super) description: Option<String>,
    /// The words of links to documents.
    pub(super) documents: DocumentWords,
    /// Why a part of the text is missing, in words.
    pub(super) cut: Option<String>,
}

/// An image, sound or film that counts, as it stands in a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawMedia<'text> {
    /// The address; empty if there is none.
    pub(super) address: &'text str,
    /// The text that stands for an image.
    pub(super) alternative: Option<&'text str>,
    /// Where it stands.
    pub(super) mark: Mark,
    /// It is an image, and no sound or film.
    pub(super) is_image: bool,
}

/// Where a link or an image stands, until it is known what that means.
#[derive(Debug, Clone, Copy)]
struct Spot {
    place: PlaceIndex,
    /// The line to which the next word belonged.
    line: u32,
    /// It is, or stands in, a link.
    is_link: bool,
}

/// An element as a reader sees it.
pub(super) trait PageElement<'text>: Copy {
    /// Returns the name, as it is written or in lower case.
    fn name(&self) -> &str;

    /// Returns what the element means by its name.
    fn meaning(&self) -> Meaning;

    /// Returns what its attributes say about where its text stands.
    fn hints(&self) -> Option<&Hints>;

    /// Returns the number of the user's selector that leaves it out.
    fn ignored_by(&self) -> Option<u16>;

    /// Tells whether the user limits the page to this element and others.
    fn is_chosen(&self) -> bool;

    /// Returns the value of an attribute without a namespace.
    fn attribute(&self, name: &str) -> Option<&'text str>;

    /// Returns the names and values of the attributes that were kept, in any namespace, in source order.
    fn attributes(&self) -> impl Iterator<Item = (&'text str, &'text str)>;

    /// Returns the address of a link or image in SVG by its older attribute.
    fn xlink_address(&self) -> Option<&'text str>;

    /// Returns the pieces of text directly inside the element.
    fn child_texts(&self) -> impl Iterator<Item = &str>;

    fn flow(&self) -> Flow {
        self.meaning().flow
    }

    fn role(&self) -> Role {
        self.meaning().role
    }

    fn has_attributes(&self) -> bool {
        self.attributes().next().is_some()
    }

    /// Returns the values of every attribute of this name, in any namespace.
    fn values(&self, name: &str) -> impl Iterator<Item = &'text str> {
        let is_meant = move |(other, _): &(&str, &str)| other.eq_ignore_ascii_case(name);
        self.attributes().filter(is_meant).map(|(_, value)| value)
    }

    /// Returns about how many bytes the attributes have.
    fn attributes_length(&self) -> usize {
        self.attributes().map(|(_, value)| value.len()).sum()
    }
}

/// Gathers what a page says, element by element.
pub(super) struct Reader<'text, 'rules> {
    rules: &'rules TextRules,
    budget: &'rules WorkBudget,
    /// The text does not get longer: attributes that count may be repeated without end.
    max_text: usize,
    findings: Findings<'text>,
    writer: TextWriter,
    lines: Lines,
    places: Places,
    link_spots: Vec<Spot>,
    media_spots: Vec<Spot>,
    /// The depth of the outermost link around the current place.
    linked_at: Option<u32>,
    /// The number of that link, if it leads to a document, and how long the text was when it began.
    document: Option<(usize, usize)>,
    depth: u32,
    /// The depth of the outermost element around the current place that does not count.
    silenced_at: Option<u32>,
    /// Whether only what stands in chosen elements counts.
    is_limited: bool,
    /// The depth of the outermost chosen element around the current place.
    chosen_at: Option<u32>,
    /// The first source of the picture that was begun last.
    picture_source: Option<&'text str>,
    removals: &'rules mut RemovalLog,
}

impl<'text, 'rules> Reader<'text, 'rules> {
    /// Begins a page of `length` bytes.
    pub(super) fn new(
        rules: &'rules TextRules,
        length: usize,
        budget: &'rules WorkBudget,
        removals: &'rules mut RemovalLog,
    ) -> Self {
        Self {
            rules,
            budget,
            max_text: FREE_TEXT + 2 * length,
            findings: Findings::default(),
            writer: TextWriter::with_capacity(length),
            lines: Lines::default(),
            places: Places::default(),
            link_spots: Vec::new(),
            media_spots: Vec::new(),
            linked_at: None,
            document: None,
            depth: 0,
            silenced_at: None,
            is_limited: false,
            chosen_at: None,
            picture_source: None,
            removals,
        }
    }

    /// Counts only what stands in chosen elements.
    pub(super) fn limit_to_chosen(&mut self) {
        self.is_limited = true;
    }

    /// An element begins.
    pub(super) fn enter(&mut self, element: impl PageElement<'text>) -> Result<(), Unreadable> {
        self.budget.work(1 + element.attributes_length() / 32)?;
        self.depth += 1;
        if self.silenced_at.is_none() {
            self.divide_text(element.flow());
            self.silence(element);
            self.enter_place(element);
        }
        if self.is_limited && self.chosen_at.is_none() && element.is_chosen() {
            self.chosen_at = Some(self.depth);
            self.writer.break_line();
        }
        if element.role() != Role::None {
            self.read_element(element);
        }
        if element.has_attributes() && self.counts() {
            self.write_attributes(element);
        }
        Ok(())
    }

    /// The element ends.
    pub(super) fn leave(&mut self, flow: Flow) {
        if self.silenced_at == Some(self.depth) {
            self.silenced_at = None;
            self.removals.end();
        }
        if self.silenced_at.is_none() {
            self.divide_text(flow);
        }
        if self.chosen_at == Some(self.depth) {
            self.chosen_at = None;
            self.writer.break_line();
        }
        if self.linked_at == Some(self.depth) {
            self.linked_at = None;
            self.end_link();
        }
        self.places.leave(self.depth);
        self.depth -= 1;
    }

    /// A piece of text.
    pub(super) fn text(&mut self, text: &str) -> Result<(), Unreadable> {
        self.budget.work_on(text)?;
        if !self.counts() {
            self.log_uncounted(text);
        } else if self.has_room() {
            self.write(text);
        }
        Ok(())
    }

    /// Ends the page.
    pub(super) fn finish(self) -> Result<Findings<'text>, Unreadable> {
        let Self { rules, budget, mut findings, writer, removals, .. } = self;
        let Cleaned { text, kept } = rules.clean_lines(writer.finish(), Some(removals), budget)?;
        removals.finish();
        let mut lines = self.lines.finish();
        if let Some(kept) = &kept {
            lines = kept.iter().filter_map(|place| lines.get(*place as usize).copied()).collect();
        }
        let regions = Regions::new(&text, &lines, &self.places, rules.frame_words());
        let marks = regions.of_lines(&text, &lines);
        for mark in &marks {
            findings.outline.push_line(*mark);
        }
        let mark_of = |Spot { place, line, is_link }: Spot| {
            let place_of_line = match &kept {
                Some(kept) => kept.binary_search(&line).ok(),
                None => Some(line as usize),
            };
            // An image between two lines belongs to none of them.
            let is_there = |line: &usize| {
                is_link && lines.get(*line).is_some_and(|line| self.places.is_around(line.place, place))
            };
            let line = place_of_line.filter(is_there).and_then(|line| marks.get(line));
            line.copied().unwrap_or_else(|| regions.of_place(place, is_link))
        };
        for (link, spot) in findings.links.iter_mut().zip(self.link_spots) {
            link.mark = mark_of(spot);
        }
        for (media, spot) in findings.media.iter_mut().zip(self.media_spots) {
            media.mark = regions.of_place(spot.place, spot.is_link);
        }
        let clean = |words: &str| rules.clean_line(words, budget);
        findings.documents.try_map(clean)?;
        findings.description = findings.description.as_deref().map(clean).transpose()?;
        Ok(Findings { text, ..findings })
    }

    /// Writes a piece of text and notes where it stands.
    fn write(&mut self, text: &str) {
        let length = self.writer.len();
        self.writer.push(text);
        if self.writer.len() > length {
            let piece = self.writer.since(length);
            self.lines.note(self.writer.lines(), piece, self.linked_at.is_some(), &mut self.places);
        }
    }

    fn enter_place(&mut self, element: impl PageElement<'text>) {
        let hints = element.hints();
        let part = element.meaning().part;
        if part != Part::None || hints.is_some() {
            self.places.enter(self.depth, part, hints);
        }
    }

    fn spot(&self) -> Spot {
        let line = u32::try_from(self.writer.next_line()).unwrap_or(u32::MAX);
        Spot { place: self.places.current(), line, is_link: self.linked_at.is_some() }
    }

    fn end_link(&mut self) {
        if let Some((link, start)) = self.document.take() {
            self.findings.documents.add(link, self.writer.since(start));
        }
    }

    /// Tells whether the text may get longer.
    fn has_room(&mut self) -> bool {
        let has_room = self.writer.len() <= self.max_text;
        if !has_room && self.findings.cut.is_none() {
            let limit = self.max_text;
            self.findings.cut = Some(format!("only a part was read: its text is longer than {limit} bytes"));
        }
        has_room
    }

    /// Tells whether what stands here counts.
    fn counts(&self) -> bool {
        self.silenced_at.is_none() && (!self.is_limited || self.chosen_at.is_some())
    }

    fn log_uncounted(&mut self, what: &str) {
        if self.silenced_at.is_none() {
            self.removals.add_outside(what);
        } else {
            self.removals.continue_with(what);
        }
    }

    /// Begins to silence what stands in an element, if it does not count.
    fn silence(&mut self, element: impl PageElement<'text>) {
        let cause = if let Some(selector) = element.ignored_by() {
            Some(RemovalCause::IgnoreSelector(selector.into()))
        } else if element.has_attributes() {
            self.noise_of(element).map(RemovalCause::Noise)
        } else {
            None
        };
        if cause.is_none() && element.flow() != Flow::Dropped {
            return;
        }
        self.silenced_at = Some(self.depth);
        if let Some(cause) = cause {
            self.removals.begin(cause);
        }
    }

    fn noise_of(&self, element: impl PageElement<'text>) -> Option<NoiseRule> {
        let noise = self.rules.noise();
        let by_names = |name| element.attribute(name).and_then(|value| noise_of_names(value, noise));
        let by_marks = || element.attributes().find_map(|(name, _)| marks_noise(name, noise));
        let rule = by_names("id").or_else(|| by_names("class")).or_else(by_marks)?;
        (!is_exempt(element.name().as_bytes())).then_some(rule)
    }

    fn divide_text(&mut self, flow: Flow) {
        match flow {
            Flow::Inline | Flow::Dropped => {}
            Flow::Word => self.writer.break_word(),
            Flow::Block => self.writer.break_line(),
        }
    }

    fn write_attributes(&mut self, element: impl PageElement<'text>) {
        if self.carries_token(element) || !self.has_room() {
            return;
        }
        for name in self.rules.keep_attributes() {
            if is_noisy_attribute(name, self.rules.noise()) {
                continue;
            }
            for value in element.values(name) {
                self.writer.break_line();
                for piece in ["[", name, "=", value.trim(), "]"] {
                    self.write(piece);
                }
                self.writer.break_line();
            }
        }
    }

    fn carries_token(&self, element: impl PageElement<'text>) -> bool {
        if element.role() != Role::Input || !self.rules.noise().contains(NoiseRule::FormTokens) {
            return false;
        }
        let kind = element.attribute("type");
        let name = element.attribute("name");
        kind.is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case("hidden"))
            || name.is_some_and(is_token_name)
    }
}
