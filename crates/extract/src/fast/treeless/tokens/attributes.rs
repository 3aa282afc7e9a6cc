//! Attributes of tags, of which only those are kept that somebody asks for.

use memchr::memchr;

use super::{StartTag, decode, is_space};
use crate::fast::TextKeeper;
use crate::fast::ValueCache;
use crate::fast::treeless::names::Name;
use crate::html::tree::{Admission, AttributeFilter, Hints, Names};

/// An attribute that was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::fast::treeless) struct Attribute<'page> {
    /// In lower case.
    pub(in crate::fast::treeless) name: &'page str,
    pub(in crate::fast::treeless) value: &'page str,
}

/// Reads attributes.
pub(super) struct Attributes<'page, 'rules> {
    filter: &'rules AttributeFilter,
    kept: TextKeeper<'page>,
    values: ValueCache<Names>,
    admissions: Admissions,
    all: Vec<Attribute<'page>>,
    /// The names of attributes of the tag of which the first was looked at and is dropped.
    passed: Vec<&'page str>,
}

impl<'page, 'rules> Attributes<'page, 'rules> {
    pub(super) fn new(filter: &'rules AttributeFilter, kept: TextKeeper<'page>) -> Self {
        Self {
            filter,
            kept,
            values: ValueCache::new(),
            admissions: Admissions::new(),
            all: Vec::new(),
            passed: Vec::new(),
        }
    }

    pub(super) fn of(&self, tag: &StartTag<'page>) -> &[Attribute<'page>] {
        &self.all[tag.first_attribute as usize..][..tag.attribute_count as usize]
    }

    pub(super) fn forget(&mut self, tag: &StartTag<'page>) {
        self.all.truncate(tag.first_attribute as usize);
    }

    /// Reads a start tag from the end of its name on; returns it and where it ends, if it does.
    pub(super) fn read(
        &mut self,
        name: Name,
        spelled: &'page str,
        page: &'page str,
        at: usize,
    ) -> Option<(StartTag<'page>, usize)> {
        let first = self.all.len();
        let mut tag = StartTag {
            name,
            spelled,
            self_closing: false,
            first_attribute: u32::try_from(first).ok()?,
            attribute_count: 0,
            hints: Hints::default(),
        };
        self.passed.clear();
        let mut scan = Scan { bytes: page.as_bytes(), at, self_closing: false };
        while let Some(Found { name, value }) = scan.next().ok()? {
            self.add(&mut tag, &page[name.0..name.1], &page[value.0..value.1]);
        }
        tag.self_closing = scan.self_closing;
        tag.attribute_count = u32::try_from(self.all.len() - first).ok()?;
        Some((tag, scan.at))
    }

    fn add(&mut self, tag: &mut StartTag<'page>, spelled: &'page str, value: &'page str) {
        let lower = Lower::of(spelled);
        let name = lower.as_str();
        let admission = self.admissions.of(tag, name, self.filter);
        if admission == Admission::Dropped {
            return;
        }
        // Of attributes with one name the first counts.
        let earlier = self.all[tag.first_attribute as usize..].iter().map(|attribute| attribute.name);
        if earlier.chain(self.passed.iter().copied()).any(|earlier| earlier == name) {
            return;
        }
        let kept_name =
            if matches!(lower, Lower::Same(_)) { spelled } else { self.kept.keep(name.to_owned()) };
        let decoded = decode(value, true);
        let names = match name {
            "class" | "id" => self.values.get(decoded.as_bytes(), || self.filter.examine(decoded.as_bytes())),
            _ => Names::default(),
        };
        let tag_name = if tag.name == Name::Other { "" } else { tag.name.text() };
        if Hints::are_in(tag_name.as_bytes(), name.as_bytes()) {
            tag.hints.add(name.as_bytes(), decoded.as_bytes(), names.words);
        }
        let is_kept = match admission {
            Admission::Kept => true,
            Admission::KeptIfNoise => names.is_noise,
            Admission::Asked | Admission::Dropped => false,
        };
        if is_kept {
            let value = self.kept.keep_owned(decoded);
            self.all.push(Attribute { name: kept_name, value });
        } else {
            self.passed.push(kept_name);
        }
    }
}

/// Passes over the attributes of an end tag from the end of its name on; returns where it ends, if it does.
pub(super) fn pass(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) == Some(&b'>') {
        return Some(at + 1);
    }
    let mut scan = Scan { bytes, at, self_closing: false };
    while scan.next().ok()?.is_some() {}
    Some(scan.at)
}

/// Goes from attribute to attribute of a tag.
struct Scan<'page> {
    bytes: &'page [u8],
    at: usize,
    self_closing: bool,
}

/// Where the name and the value of an attribute begin and end.
struct Found {
    name: (usize, usize),
    value: (usize, usize),
}

/// The page ends inside a tag.
struct EndOfPage;

impl Scan<'_> {
    /// Returns the next attribute, as long as the tag does not end.
    fn next(&mut self) -> Result<Option<Found>, EndOfPage> {
        loop {
            match *self.bytes.get(self.at).ok_or(EndOfPage)? {
                b'>' => {
                    self.at += 1;
                    return Ok(None);
                }
                b'/' => self.self_closing = self.bytes.get(self.at + 1) == Some(&b'>'),
                byte if is_space(byte) => {}
                _ => break,
            }
            self.at += 1;
        }
        let start = self.at;
        // An attribute may begin with an equals sign.
        self.at += 1;
        self.pass_while(|byte| !ENDS_NAME[usize::from(byte)])?;
        let name = (start, self.at);
        self.pass_while(is_space)?;
        if self.bytes[self.at] != b'=' {
            return Ok(Some(Found { name, value: (start, start) }));
        }
        self.at += 1;
        self.pass_while(is_space)?;
        Ok(Some(Found { name, value: self.value()? }))
    }

    fn value(&mut self) -> Result<(usize, usize), EndOfPage> {
        let start = self.at;
        match self.bytes[start] {
            quote @ (b'"' | b'\'') => {
                let length = memchr(quote, &self.bytes[start + 1..]).ok_or(EndOfPage)?;
                self.at = start + 1 + length + 1;
                Ok((start + 1, self.at - 1))
            }
            b'>' => Ok((start, start)),
            _ => {
                self.pass_while(|byte| !is_space(byte) && byte != b'>')?;
                Ok((start, self.at))
            }
        }
    }

    fn pass_while(&mut self, is_passed: impl Fn(u8) -> bool) -> Result<(), EndOfPage> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|byte| !is_passed(*byte)).ok_or(EndOfPage)?;
        Ok(())
    }
}

/// The bytes at which the name of an attribute ends.
static ENDS_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let ends = [b' ', b'\n', b'\t', 0x0C, b'/', b'>', b'='];
    let mut at = 0;
    while at < ends.len() {
        table[ends[at] as usize] = true;
        at += 1;
    }
    table
};

/// A name in lower case.
enum Lower<'page> {
    /// As it stands in the page.
    Same(&'page str),
    Other(String),
}

impl<'page> Lower<'page> {
    fn of(name: &'page str) -> Self {
        if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Self::Other(name.to_ascii_lowercase())
        } else {
            Self::Same(name)
        }
    }

    fn as_str(&self) -> &str {
        match self {
            Self::Same(name) => name,
            Self::Other(name) => name,
        }
    }
}

/// What happens to attributes, remembered by their names and those of their tags.
struct Admissions(Vec<(u128, Admission)>);

const SLOTS: usize = 512;

/// Longer names are asked for every time.
const LONGEST: usize = 15;

impl Admissions {
    fn new() -> Self {
        Self(vec![(0, Admission::Dropped); SLOTS])
    }

    fn of(&mut self, tag: &StartTag<'_>, attribute: &str, filter: &AttributeFilter) -> Admission {
        if tag.name == Name::Other {
            return filter.admits(Lower::of(tag.spelled).as_str().as_bytes(), attribute.as_bytes(), true);
        }
        let ask = || filter.admits(tag.name.text().as_bytes(), attribute.as_bytes(), true);
        if attribute.len() > LONGEST {
            return ask();
        }
        // No two names share a key: no byte is zero, and the last one is the tag.
        let name = attribute.bytes().fold(0, |key, byte| (key << 8) | u128::from(byte));
        let key = (name << 8) | u128::from(tag.name as u8);
        let half = |half: u128| u64::try_from(half & u128::from(u64::MAX)).unwrap_or_default();
        let folded = half(key) ^ half(key >> 64).rotate_left(23);
        let slot = &mut self.0[(folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 55) as usize];
        if slot.0 != key {
            *slot = (key, ask());
        }
        slot.1
    }
}
