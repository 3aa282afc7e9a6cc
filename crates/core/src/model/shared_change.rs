//! Shared changes: the same edit on several pages, told once.

use serde::{Deserialize, Serialize};

use crate::model::aspect::Aspect;
use crate::model::edit::EditId;
use crate::model::ids::{CrawlId, EventId};
use crate::model::kind::{Kinds, Tier};
use crate::model::region::Region;
use crate::url::PageUrl;

/// The most addresses that are kept of a shared change of tier 1.
pub const MAX_URLS: usize = 1_000;

/// The most addresses that are kept of any other, and shown as samples.
pub const MAX_SAMPLES: usize = 10;

/// The same edit on several pages of one crawl. Its pages are all those whose record has one of its edits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedChange {
    /// The first of its edits, or of its shapes where it is shared by shape.
    pub id: EditId,
    /// Further edits on the same pages that are part of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<EditId>,
    /// Why it is one.
    pub by: SharedBy,
    /// The tier of the place where it stands.
    pub tier: Tier,
    /// What differs.
    pub aspect: Aspect,
    /// Where it stands.
    pub region: Region,
    /// Its kinds.
    pub kinds: Kinds,
    /// It is an edit of the site's frame.
    pub template: bool,
    /// It happens by itself: learnt noise.
    pub noise: bool,
    /// What went, in short.
    pub went: String,
    /// What came, in short.
    pub came: String,
    /// How many words went and came on one page.
    pub words: u32,
    /// How much it matters, from 0 to 1,000.
    pub weight: u32,
    /// On how many pages.
    pub pages: u64,
    /// Some of its pages: at most [`MAX_URLS`] in tier 1, [`MAX_SAMPLES`] otherwise.
    pub urls: Vec<PageUrl>,
    /// The crawl that first had it, where that is an earlier one: then it is not told again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<CrawlId>,
}

/// Why pages share a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SharedBy {
    /// The same words went and came.
    Edit,
    /// Words of the same shape went and came.
    Shape,
    /// Lines moved on from one page of a list to another.
    Shift,
    /// Pages lost most of their content, and show the same line instead.
    Loss,
    /// Pages say again what they said before they lost their content; [`SharedChange::went`] is what stood there instead.
    Return,
    /// A noise rule removed something else than before; [`SharedChange::came`] is its name.
    Rule,
}

impl SharedChange {
    /// Returns the stable id of what is told of it.
    pub fn event(&self, crawl: CrawlId) -> EventId {
        EventId::of_shared(crawl, self.id)
    }

    /// Tells whether it is news: no noise, and no earlier crawl had it.
    pub const fn is_told(&self) -> bool {
        !self.noise && self.since.is_none()
    }

    /// Tells whether addresses of its pages are missing in [`SharedChange::urls`].
    pub fn is_cut(&self) -> bool {
        self.pages > self.urls.len() as u64
    }
}
