//! What was left out of a page and why, for people who wonder about a verdict.

use recrawl_core::model::content::{Extracted, Unreadable};

use crate::html::page::CountedItems;
use crate::html::removal_log::RemovalLog;
use crate::html::text::TextRules;

/// A page, and everything that was left out before it was compared.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// What was read, the same as in a crawl.
    pub extracted: Extracted,
    /// What was left out, in the order of the page: first of its text, then of its addresses.
    pub removals: Vec<Removal>,
    /// Where the page leads, as counted: sorted, without doubles and noise.
    pub targets: Vec<String>,
    /// What the page shows, as counted.
    pub media: Vec<String>,
}

/// Something that was left out of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removal {
    /// The name of a noise rule, or a setting and its value, such as `ignore-selector .clock`.
    pub rule: String,
    /// The text that does not count, or an address and what counts of it; shortened.
    pub what: String,
}

impl Explanation {
    /// Makes an explanation of what `read` reads by these rules.
    pub(crate) fn new(
        rules: &TextRules,
        read: impl FnOnce(&mut CountedItems, &mut RemovalLog) -> Result<Extracted, Unreadable>,
    ) -> Result<Self, Unreadable> {
        let mut counted = CountedItems::default();
        let mut log = RemovalLog::detailed();
        let extracted = read(&mut counted, &mut log)?;
        let removals = log.into_removals().into_iter();
        Ok(Self {
            extracted,
            removals: removals.map(|(cause, what)| Removal { rule: rules.name_of(cause), what }).collect(),
            targets: counted.links.into_iter().collect(),
            media: counted.media.into_iter().collect(),
        })
    }
}
