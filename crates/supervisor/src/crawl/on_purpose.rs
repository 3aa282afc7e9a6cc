//! A reader that panics over one page, so that tests of the whole command see what becomes of that. Not in releases.

use std::sync::Arc;

use recrawl_core::model::content::{Extracted, Extractor, Unreadable};
use recrawl_core::model::ids::RulesVersion;
use recrawl_core::url::PageUrl;

/// Names a part of the addresses that the reader panics over.
const VARIABLE: &str = "RECRAWL_TEST_PANIC_AT";

struct Panicking {
    reader: Arc<dyn Extractor>,
    at: String,
}

impl Extractor for Panicking {
    fn rules(&self) -> &RulesVersion {
        self.reader.rules()
    }

    fn extract(
        &self,
        url: &PageUrl,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<Extracted, Unreadable> {
        assert!(!url.as_str().contains(&self.at), "a panic on purpose");
        self.reader.extract(url, content_type, body)
    }
}

/// Returns the reader, which panics over pages if the environment says so.
pub(super) fn panicking(reader: Arc<dyn Extractor>) -> Arc<dyn Extractor> {
    match std::env::var(VARIABLE) {
        Ok(at) if !at.is_empty() => Arc::new(Panicking { reader, at }),
        Ok(_) | Err(_) => reader,
    }
}
