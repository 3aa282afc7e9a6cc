//! What a target wants to hear of.

use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::scope::{Pattern, ScopeError};
use recrawl_core::model::verdict::Verdict;
use thiserror::Error;
use url::Url;

use crate::notification::{Notification, Stage};
use crate::settings::{SelectionSettings, WhenSuspect};
use recrawl_reports::{ChangeEntry, Digest};

/// Why a target is told nothing of a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Silence {
    /// The target is for other sites.
    #[error("it is not for this site")]
    OtherSite,
    /// There is nothing to tell, and it does not want to hear that.
    #[error("nothing that it follows changed")]
    Quiet,
    /// There are fewer changes than it wants to hear of.
    #[error("{found} changed of what it follows, and it wants {wanted} at least")]
    TooFew {
        /// How many there are.
        found: usize,
        /// How many it wants.
        wanted: usize,
    },
    /// The crawl is unusual, and it does not want to hear of such.
    #[error("the crawl is unusual, and it is told no such crawl")]
    Suspect,
}

/// What a target wants to hear of, checked.
#[derive(Debug)]
pub(crate) struct Selection {
    sites: Vec<SiteId>,
    kinds: Vec<Verdict>,
    aspects: Aspects,
    include: Vec<Pattern>,
    exclude: Vec<Pattern>,
    min_changes: usize,
    min_difference: usize,
    quiet: bool,
    suspect: WhenSuspect,
}

/// Why settings select nothing.
#[derive(Debug, Error)]
pub enum SelectionError {
    /// Only changes are told.
    #[error("{0} is no kind of change: new, changed, moved, gone or shared")]
    Kind(Verdict),
    /// A glob cannot be read.
    #[error(transparent)]
    Pattern(#[from] ScopeError),
}

impl Selection {
    pub(crate) fn new(settings: SelectionSettings) -> Result<Self, SelectionError> {
        if let Some(kind) =
            settings.kinds.iter().find(|kind| kind.change().is_none() && **kind != Verdict::Shared)
        {
            return Err(SelectionError::Kind(*kind));
        }
        Ok(Self {
            sites: settings.sites,
            kinds: settings.kinds,
            aspects: settings.aspects.into(),
            include: Pattern::read_all(settings.include)?,
            exclude: Pattern::read_all(settings.exclude)?,
            min_changes: settings.min_changes,
            min_difference: settings.min_difference,
            quiet: settings.quiet,
            suspect: settings.suspect,
        })
    }

    /// Picks what is told of `digest`, or says why nothing is. A test is told whole.
    pub(crate) fn notification<'a>(
        &self,
        digest: &'a Digest,
        web: Option<&'a Url>,
    ) -> Result<Notification<'a>, Silence> {
        let notification = |stage, changes: Vec<&'a ChangeEntry>, first_found| {
            let withheld = digest.changes.len() - changes.len();
            Notification { digest, stage, changes, first_found, withheld, web }
        };
        if digest.is_test {
            return Ok(notification(Stage::Test, digest.changes.iter().collect(), 0));
        }
        if !self.sites.is_empty() && !self.sites.contains(&digest.site) {
            return Err(Silence::OtherSite);
        }
        if digest.suspicion.is_some() {
            match self.suspect {
                WhenSuspect::Skip => return Err(Silence::Suspect),
                WhenSuspect::Warn => return Ok(notification(Stage::Warning, Vec::new(), 0)),
                WhenSuspect::Tell => {}
            }
        }
        let changes: Vec<&ChangeEntry> = digest.changes.iter().filter(|change| self.wants(change)).collect();
        let first_found = if self.wants_kind(Verdict::New) { digest.first_found() } else { 0 };
        match changes.len().saturating_add(usize::try_from(first_found).unwrap_or(usize::MAX)) {
            0 if !self.quiet => Err(Silence::Quiet),
            found if found > 0 && found < self.min_changes => {
                Err(Silence::TooFew { found, wanted: self.min_changes })
            }
            _ => Ok(notification(Stage::Findings, changes, first_found)),
        }
    }

    fn wants(&self, change: &ChangeEntry) -> bool {
        let by_kind = self.wants_kind(change.kind);
        let by_page =
            self.include.is_empty() || self.include.iter().any(|pattern| pattern.matches(&change.url));
        let but_not = self.exclude.iter().any(|pattern| pattern.matches(&change.url));
        by_kind && by_page && !but_not && self.wants_sides(change) && self.is_large_enough(change)
    }

    fn wants_kind(&self, kind: Verdict) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// Only changed pages have sides, and of some it is not known which ones changed.
    fn wants_sides(&self, change: &ChangeEntry) -> bool {
        self.aspects.is_empty() || change.aspects.is_empty() || !change.aspects.among(self.aspects).is_empty()
    }

    /// Only text has a size: a page whose links changed, too, is told however little of its text did.
    fn is_large_enough(&self, change: &ChangeEntry) -> bool {
        let text_alone = change.aspects == Aspects::TEXT || change.aspects.is_empty();
        let size = change.difference.as_ref().filter(|_| text_alone).map(|difference| difference.size);
        size.is_none_or(|size| size >= self.min_difference)
    }
}

#[cfg(test)]
mod tests;
