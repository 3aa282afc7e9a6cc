//! Fingerprints of a page's links and media, by which two versions are compared, and the same as lists for people.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use recrawl_core::model::aspect::{Signature, Signatures};
use recrawl_core::model::content::Unreadable;
use recrawl_core::model::outline::{Outline, SAME};
use recrawl_core::model::region::Mark;
use xxhash_rust::xxh3::xxh3_64;

use super::documents::DocumentWords;
use super::outline_items::OutlineItems;
use super::reader::RawMedia;
use crate::budget::WorkBudget;
use crate::fast;
use crate::html::links::{ElsewhereLink, LinkUrl, ResolvedLink, ResolvedLinks, Resolver};
use crate::html::removal_log::{RemovalCause, RemovalLog};
use crate::noise::{NoiseRule, NoiseRuleSet, Reduced, reduce_link, reduce_media};

/// Is told what counts, as it counts.
pub(crate) trait FingerprintObserver {
    /// The page leads there.
    fn link(&mut self, address: &str);
    /// The page shows this.
    fn media(&mut self, description: &str);
}

/// Whoever wants the fingerprints alone.
impl FingerprintObserver for () {
    fn link(&mut self, _address: &str) {}
    fn media(&mut self, _description: &str) {}
}

/// What counts, for people.
#[derive(Debug, Default)]
pub(crate) struct CountedItems {
    pub(crate) links: BTreeSet<String>,
    pub(crate) media: BTreeSet<String>,
    bytes: usize,
}

/// No person reads a longer list.
const MAX_LISTING: usize = 16 << 20;

impl CountedItems {
    fn has_room_for(&mut self, entry: &str) -> bool {
        self.bytes += entry.len();
        self.bytes <= MAX_LISTING
    }
}

impl FingerprintObserver for CountedItems {
    fn link(&mut self, address: &str) {
        if self.has_room_for(address) {
            self.links.insert(address.to_owned());
        }
    }

    fn media(&mut self, description: &str) {
        if self.has_room_for(description) {
            self.media.insert(description.to_owned());
        }
    }
}

/// Makes the fingerprints of a page.
pub(super) struct Fingerprints<'a, C> {
    noise: NoiseRuleSet,
    resolver: &'a Resolver,
    observer: &'a mut C,
    removals: &'a mut RemovalLog,
    budget: &'a WorkBudget,
    links: Vec<u64>,
    media: Vec<u64>,
    link_items: OutlineItems,
    media_items: OutlineItems,
}

impl<'a, C: FingerprintObserver> Fingerprints<'a, C> {
    pub(super) fn new(
        noise: NoiseRuleSet,
        resolver: &'a Resolver,
        observer: &'a mut C,
        removals: &'a mut RemovalLog,
        budget: &'a WorkBudget,
    ) -> Self {
        Self {
            noise,
            resolver,
            observer,
            removals,
            budget,
            links: Vec::new(),
            media: Vec::new(),
            link_items: OutlineItems::default(),
            media_items: OutlineItems::default(),
        }
    }

    /// Adds the links that count, in the order of the page, with the words of those to documents.
    pub(super) fn add_links(
        &mut self,
        resolved: &ResolvedLinks,
        documents: &DocumentWords,
    ) -> Result<(), Unreadable> {
        self.links.reserve(resolved.targets.len());
        self.link_items.reserve(resolved.targets.len());
        let mut elsewhere = resolved.elsewhere.iter().peekable();
        for ResolvedLink { address, spot, .. } in resolved.targets.iter().filter(|target| target.counts) {
            while let Some(link) = elsewhere.next_if(|link| link.spot.first < spot.first) {
                self.add_elsewhere(link)?;
            }
            self.budget.work_on(address.as_str())?;
            let words = documents.of(spot.meant);
            self.add_link(address.as_str(), matches!(address, LinkUrl::Page(_)), spot.mark, words);
        }
        elsewhere.try_for_each(|link| self.add_elsewhere(link))
    }

    fn add_elsewhere(&mut self, link: &ElsewhereLink) -> Result<(), Unreadable> {
        self.budget.work_on(link.url.as_str())?;
        self.add_link(link.url.as_str(), false, link.spot.mark, "");
        Ok(())
    }

    fn add_link(&mut self, address: &str, is_plain: bool, mark: Mark, words: &str) {
        // Without parameters there is nothing to leave out but the session of ASP.NET.
        if fast::ON && is_plain && memchr::memchr(b'(', address.as_bytes()).is_none() {
            self.count_link(address, mark, words);
            return;
        }
        let reduced = reduce_link(address, self.noise_for(address));
        self.note(address, &reduced);
        if let Some(counted) = reduced.address {
            self.count_link(&counted, mark, words);
        }
    }

    fn count_link(&mut self, address: &str, mark: Mark, words: &str) {
        let hash = xxh3_64(address.as_bytes());
        self.links.push(hash);
        self.link_items.add(hash, mark, address, words);
        self.observer.link(address);
    }

    /// Adds the media that count, each with the text that stands for it.
    pub(super) fn add_media(&mut self, media: &[RawMedia<'_>]) -> Result<(), Unreadable> {
        for RawMedia { address, alternative, mark, is_image } in media {
            let address = address.trim_ascii();
            self.budget.work_on(address)?;
            self.budget.work_on(alternative.unwrap_or_default())?;
            let mut source = String::new();
            let mut description = if address.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:"))
            {
                format!("data:{:016x}", xxh3_64(address.as_bytes()))
            } else if address.is_empty() {
                String::new()
            } else if let Some(resolved) = self.resolver.resolve_media(address) {
                self.budget.work_on(resolved.as_str())?;
                let reduced = reduce_media(resolved.as_str(), self.noise_for(resolved.as_str()));
                self.note(resolved.as_str(), &reduced);
                let Some(counted) = reduced.address else {
                    continue;
                };
                if *is_image {
                    let is_same = counted == resolved.as_str();
                    if is_same { SAME } else { resolved.as_str() }.clone_into(&mut source);
                }
                counted.into_owned()
            } else {
                String::new()
            };
            if let Some(text) = alternative {
                let words: Vec<&str> = text.split_whitespace().collect();
                let _ = write!(description, " {:?}", words.join(" "));
            }
            if !description.is_empty() {
                let hash = xxh3_64(description.as_bytes());
                self.media.push(hash);
                self.media_items.add_fetched(hash, *mark, &description, "", &source);
                self.observer.media(&description);
            }
        }
        Ok(())
    }

    /// Returns the fingerprints, of sets, so that neither order nor doubles matter; and writes what they are of into an
    /// outline.
    pub(super) fn finish(self, outline: &mut Outline) -> Signatures {
        outline.is_cut |= self.link_items.is_cut() || self.media_items.is_cut();
        outline.links = self.link_items.finish();
        outline.media = self.media_items.finish();
        Signatures { links: signature(self.links), media: signature(self.media), meta: None }
    }

    /// Returns the rules for an address: nobody measures or advertises by the pages of a site itself.
    fn noise_for(&self, address: &str) -> NoiseRuleSet {
        if self.resolver.is_own(address) {
            self.noise.without(NoiseRule::Ads).without(NoiseRule::Monitoring)
        } else {
            self.noise
        }
    }

    fn note(&mut self, original: &str, reduced: &Reduced<'_>) {
        for rule in reduced.by.iter() {
            match &reduced.address {
                Some(counted) => self.removals.add_reduced(rule, original, counted),
                None => self.removals.add(RemovalCause::Noise(rule), original),
            }
        }
    }
}

/// Sorting the hashes of addresses is several times faster than sorting addresses, and no less exact.
fn signature(mut hashes: Vec<u64>) -> Signature {
    hashes.sort_unstable();
    hashes.dedup();
    let bytes: Vec<u8> = hashes.into_iter().flat_map(u64::to_le_bytes).collect();
    Signature(xxh3_64(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_of_a_set() {
        assert_eq!(signature(vec![1, 2, 3]), signature(vec![3, 1, 2, 1]));
        assert_ne!(signature(vec![1, 2, 3]), signature(vec![1, 2]));
        assert_ne!(signature(vec![]), signature(vec![0]));
    }
}
