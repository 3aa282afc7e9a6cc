//! One shared change while its pages are gathered.

use super::most_urls;
use crate::model::aspect::Aspect;
use crate::model::edit::{Edit, EditId, EditState};
use crate::model::ids::CrawlId;
use crate::model::kind::{Kinds, Tier};
use crate::model::region::Region;
use crate::model::shared_change::{SharedBy, SharedChange};
use crate::url::PageUrl;

/// What is the same of an edit on all pages, in brief.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Traits {
    pub(super) aspect: Aspect,
    pub(super) region: Region,
    pub(super) tier: Tier,
    pub(super) is_sentence: bool,
    pub(super) kinds: Kinds,
    pub(super) words: u32,
}

impl From<&Edit> for Traits {
    fn from(edit: &Edit) -> Self {
        Self {
            aspect: edit.aspect,
            region: edit.region,
            tier: edit.place_tier(),
            is_sentence: edit.traits.is_sentence,
            kinds: edit.traits.kinds,
            words: edit.words(),
        }
    }
}

/// One shared change.
#[derive(Debug)]
pub(super) struct Cluster {
    pub(super) change: SharedChange,
    /// How many words the edit has whose texts are shown.
    shown: u32,
    /// How many of its pages are archived.
    archived: u64,
}

impl Cluster {
    pub(super) fn new(id: EditId, by: SharedBy, traits: Traits, template: bool) -> Self {
        let is_list = by == SharedBy::Shift;
        // A sentence for readers stays content, on however many pages it stands.
        let is_frame = is_list || template && !traits.is_sentence;
        let change = SharedChange {
            id,
            also: Vec::new(),
            by,
            tier: if is_frame { Tier::Around } else { traits.tier },
            aspect: traits.aspect,
            region: traits.region,
            kinds: traits.kinds,
            template: template || is_list,
            noise: false,
            went: String::new(),
            came: String::new(),
            words: traits.words,
            weight: 0,
            pages: 0,
            urls: Vec::new(),
            since: None,
        };
        Self { change, shown: 0, archived: 0 }
    }

    /// Adds a further edit of the same pages.
    pub(super) fn join(&mut self, id: EditId, traits: Traits) {
        self.change.also.push(id);
        self.change.kinds = self.change.kinds.or(traits.kinds);
        self.change.words = self.change.words.saturating_add(traits.words);
    }

    /// Notes that an earlier crawl had it.
    pub(super) fn known_since(&mut self, crawl: CrawlId) {
        self.change.since = Some(crawl);
    }

    pub(super) fn is_template(&self) -> bool {
        self.change.template
    }

    pub(super) fn pages(&self) -> u64 {
        self.change.pages
    }

    /// Returns the state of its edits.
    pub(super) fn state(&self) -> EditState {
        match self.change.by {
            SharedBy::Shift => EditState::Shifted,
            _ if self.change.template => EditState::Template,
            _ => EditState::Shared,
        }
    }

    /// Shows the heaviest edit whose texts are known; of several, the first in the order of their texts, so that every
    /// store shows the same.
    pub(super) fn take_texts(&mut self, edit: &Edit) {
        let Some((went, came)) = &edit.texts else { return };
        // Of pages that are back, what stood there meanwhile is the same; what they say is their own.
        let came = if self.change.by == SharedBy::Return { "" } else { came.as_str() };
        if self.change.by == SharedBy::Return && went.is_empty() {
            return;
        }
        let words = edit.words().max(1);
        let is_earlier = (went.as_str(), came) < (self.change.went.as_str(), self.change.came.as_str());
        if words > self.shown || words == self.shown && is_earlier {
            self.shown = words;
            (self.change.went, self.change.came) = (went.clone(), came.to_owned());
        }
    }

    /// Tells whether one more of its pages is archived: `most` where it stands in the content, one sample elsewhere.
    pub(super) fn has_room_in_archive(&self, most: u64) -> bool {
        let most = if self.change.tier == Tier::Content { most } else { most.min(1) };
        self.change.is_told() && self.archived < most
    }

    /// Notes that a page is archived.
    pub(super) fn archive(&mut self) {
        self.archived += 1;
    }

    /// Adds a page.
    pub(super) fn add(&mut self, page: &PageUrl, weight: u32) {
        self.change.pages += 1;
        self.change.weight = self.change.weight.max(weight);
        keep_first(&mut self.change.urls, page, most_urls(self.change.tier));
    }

    pub(super) fn finish(self) -> SharedChange {
        self.change
    }
}

/// Keeps the first addresses in their order, so that every store shows the same, in whatever order it reads its records.
pub(super) fn keep_first(urls: &mut Vec<PageUrl>, page: &PageUrl, most: usize) {
    if let Err(place) = urls.binary_search(page)
        && place < most
    {
        urls.insert(place, page.clone());
        urls.truncate(most);
    }
}
