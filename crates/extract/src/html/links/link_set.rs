//! Deduplication of the links of a page: each is kept once, and not more than a page may have.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use recrawl_core::model::region::{Mark, Region};
use url::Url;

use super::{ElsewhereLink, LinkSpot, LinkUrl, RawLink, ResolvedLink, ResolvedLinks, is_code};

/// More links are followed from no page: a page of the usual limit of 10 MB could have half a million.
const MAX_LINKS: usize = 100_000;

/// The addresses of any page may take this many bytes, however short it is.
const FREE_BYTES: usize = 1 << 20;

/// What is known of a text that stood in a link.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    /// It leads to the target in this place.
    ResolvedLink(usize),
    /// It leads elsewhere: to the address in this place, if that counts.
    Elsewhere(Option<usize>),
    /// It leads nowhere.
    Nothing,
}

/// Links under way, found by the hashes of their texts and addresses.
pub(super) struct LinkSet {
    resolved: ResolvedLinks,
    /// By the hash of an address.
    places: HashMap<u64, usize, BuildHasherDefault<AsIs>>,
    /// By the hash of a text that had to be parsed.
    meanings: HashMap<u64, Meaning, BuildHasherDefault<AsIs>>,
    bytes: usize,
    max_bytes: usize,
    /// The number of the current link of the page.
    number: u32,
}

impl LinkSet {
    /// Begins a page of `length` bytes with at most this many links.
    pub(super) fn for_page(length: usize, links: usize) -> Self {
        let links = links.min(MAX_LINKS);
        Self {
            resolved: ResolvedLinks { targets: Vec::with_capacity(links), ..ResolvedLinks::default() },
            places: HashMap::with_capacity_and_hasher(links, BuildHasherDefault::default()),
            meanings: HashMap::default(),
            bytes: 0,
            max_bytes: FREE_BYTES + 2 * length,
            number: 0,
        }
    }

    /// The link of this number comes next.
    pub(super) fn begin(&mut self, number: usize) {
        self.number = u32::try_from(number).unwrap_or(u32::MAX);
    }

    /// Adds a link to a page; returns its place, or `None` if there is no room for it.
    pub(super) fn add_target(&mut self, key: u64, address: LinkUrl, raw: &RawLink<'_>) -> Option<usize> {
        let next = self.resolved.targets.len();
        let place = *self.places.entry(key).or_insert(next);
        if place < next {
            self.merge(place, raw);
            return Some(place);
        }
        if !self.has_room_for(address.as_str().len()) {
            return None;
        }
        let RawLink { kind, nofollow, counts, .. } = *raw;
        let spot = self.spot(raw);
        self.resolved.targets.push(ResolvedLink { address, kind, nofollow, counts, spot });
        Some(place)
    }

    /// Adds an address that is no page; tells whether there is room for it.
    pub(super) fn add_elsewhere(&mut self, text_key: u64, url: Url, raw: &RawLink<'_>) -> bool {
        if is_code(&url) {
            self.meet_nothing(text_key);
            return true;
        }
        let place = raw.counts.then_some(self.resolved.elsewhere.len());
        if place.is_some() {
            if !self.has_room_for(url.as_str().len()) {
                return false;
            }
            let spot = self.spot(raw);
            self.resolved.elsewhere.push(ElsewhereLink { url, spot });
        }
        self.meanings.insert(text_key, Meaning::Elsewhere(place));
        true
    }

    /// Remembers that a text leads to the target in this place.
    pub(super) fn meet(&mut self, text_key: u64, place: usize) {
        self.meanings.insert(text_key, Meaning::ResolvedLink(place));
    }

    /// Remembers that a text leads nowhere.
    pub(super) fn meet_nothing(&mut self, text_key: u64) {
        self.meanings.insert(text_key, Meaning::Nothing);
    }

    /// Adds a link whose text was met before, and tells whether it was.
    pub(super) fn has_met(&mut self, text_key: u64, raw: &RawLink<'_>) -> bool {
        match self.meanings.get(&text_key) {
            Some(Meaning::ResolvedLink(place)) => {
                self.merge(*place, raw);
                true
            }
            Some(Meaning::Elsewhere(Some(place))) => {
                if let Some(earlier) = self.resolved.elsewhere.get_mut(*place) {
                    earlier.spot.merge(true, raw, self.number);
                }
                true
            }
            Some(Meaning::Elsewhere(None)) => !raw.counts,
            Some(Meaning::Nothing) => true,
            None => false,
        }
    }

    pub(super) fn finish(self) -> ResolvedLinks {
        self.resolved
    }

    fn merge(&mut self, place: usize, raw: &RawLink<'_>) {
        if let Some(earlier) = self.resolved.targets.get_mut(place) {
            earlier.spot.merge(earlier.counts, raw, self.number);
            earlier.nofollow &= raw.nofollow;
            earlier.counts |= raw.counts;
        }
    }

    fn spot(&self, raw: &RawLink<'_>) -> LinkSpot {
        LinkSpot { first: self.number, meant: self.number, mark: raw.mark }
    }

    fn has_room_for(&mut self, bytes: usize) -> bool {
        self.bytes += bytes;
        let links = self.resolved.targets.len() + self.resolved.elsewhere.len();
        self.resolved.cut = if links >= MAX_LINKS {
            Some(format!("only a part was read: it has more than {MAX_LINKS} links"))
        } else if self.bytes > self.max_bytes {
            let limit = self.max_bytes;
            Some(format!("only a part was read: the addresses of its links take more than {limit} bytes"))
        } else {
            return true;
        };
        false
    }
}

impl LinkSpot {
    /// Adds another link to the same address; `counts` tells whether one before does.
    fn merge(&mut self, counts: bool, raw: &RawLink<'_>, number: u32) {
        let is_content = |mark: Mark| mark.region == Region::Content;
        let is_better = !counts || is_content(raw.mark) && !is_content(self.mark);
        if raw.counts && is_better {
            self.meant = number;
            self.mark = raw.mark;
        }
    }
}

/// Takes a key that is a hash for the hash that it is.
#[derive(Debug, Default)]
pub(crate) struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 << 8) | u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}
