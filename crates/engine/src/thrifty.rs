//! A reader of pages that keeps no memory of long ones.

use std::sync::Arc;

use recrawl_core::model::content::{Extracted, Extractor, Unreadable};
use recrawl_core::model::ids::RulesVersion;
use recrawl_core::url::PageUrl;

/// From this length on, what was freed after reading a page is given back to the system.
const LONG_PAGE: usize = 1 << 20;

/// An [`Extractor`] that gives memory back to the system when it is made, and before and after it reads a long page.
///
/// An allocator keeps what was freed for a while. After a page of 10 MB that is as much again as the next one needs.
pub struct ThriftyExtractor {
    extractor: Arc<dyn Extractor>,
    give_back: fn(),
}

impl ThriftyExtractor {
    /// Reads by `extractor`; `give_back` makes the allocator return what it keeps.
    ///
    /// That is done here, too: rules take much more memory while they are made, on the thread that made them and that
    /// does little else, than when they are there.
    pub fn new(extractor: Arc<dyn Extractor>, give_back: fn()) -> Self {
        give_back();
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use recrawl_core::model::ids::ContentHash;

    use super::*;

    static GIVEN_BACK: AtomicUsize = AtomicUsize::new(0);

    struct Opaque(RulesVersion);

    impl Extractor for Opaque {
        fn rules(&self) -> &RulesVersion {
            &self.0
        }

        fn extract(&self, _: &PageUrl, _: Option<&str>, body: &[u8]) -> Result<Extracted, Unreadable> {
            Ok(Extracted::opaque(ContentHash::of(body)))
        }
    }

    #[test]
    fn memory_is_given_back_after_the_rules_are_made_and_around_long_pages() {
        let given_back = || GIVEN_BACK.load(Ordering::SeqCst);
        let rules = Arc::new(Opaque(RulesVersion("none".to_owned())));
        let extractor = ThriftyExtractor::new(rules, || {
            GIVEN_BACK.fetch_add(1, Ordering::SeqCst);
        });
        assert_eq!(given_back(), 1);
        let url: PageUrl = "https://example.org/".parse().unwrap();
        extractor.extract(&url, None, &vec![0; LONG_PAGE - 1]).unwrap();
        assert_eq!(given_back(), 1);
        extractor.extract(&url, None, &vec![0; LONG_PAGE]).unwrap();
        assert_eq!(given_back(), 3);
    }
}
