//! A reader of pages that keeps no memory of long ones.

use std::sync::Arc;

use recrawl_core::model::content::{Extracted, Extractor, Unreadable};
use recrawl_core::model::ids::RulesVersion;
use recrawl_core::url::PageUrl;

/// From this length on, what was freed after reading a page is given back to the system.
const LONG_PAGE: usize = 1 << 20;

/// An [`Extractor`] that gives memory back to the system before and after it reads a long page.
///
/// An allocator keeps what was freed for a while. After a page of 10 MB that is as much again as the next one needs.
pub struct ThriftyExtractor {
    extractor: Arc<dyn Extractor>,
    give_back: fn(),
}

impl ThriftyExtractor {
    /// Reads by `extractor`; `give_back` makes the allocator return what it keeps.
    pub fn new(extractor: Arc<dyn Extractor>, give_back: fn()) -> Self {
        Self { extractor, give_back }
    }
}

impl Extractor for ThriftyExtractor {
    fn rules(&self) -> &RulesVersion {
        self.extractor.rules()
    }

    fn extract(
        &self,
        url: &PageUrl,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<Extracted, Unreadable> {
        if body.len() < LONG_PAGE {
            return self.extractor.extract(url, content_type, body);
        }
        // Before it what storing the last one took, after it the tree.
        (self.give_back)();
        let extracted = self.extractor.extract(url, content_type, body);
        (self.give_back)();
        extracted
    }
}
