//! What a target wants to hear of.

use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::kind::{Kinds, Tier};
use recrawl_core::model::scope::{Pattern, ScopeError};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_reports::changes::{Conditions, NotWords, Words};
use recrawl_reports::{ChangeEntry, ChangesFilter, Digest, DigestDetail};
use thiserror::Error;
use url::Url;

use crate::notification::{Notification, Part, Stage};
use crate::settings::{SelectionSettings, WhenSuspect};

/// No change matters more.
const MOST_WEIGHT: u32 = 1_000;

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
    verdicts: Vec<Verdict>,
    kinds: Kinds,
    aspects: Aspects,
    tier: Tier,
    min_weight: u32,
    include: Vec<Pattern>,
    exclude: Vec<Pattern>,
    words: Conditions,
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
    /// A pattern of words cannot be read.
    #[error("{0}: {1}")]
    Words(&'static str, NotWords),
    /// A weight is from 0 to 1,000.
    #[error("min-weight is {0}, and no change weighs more than 1000")]
    Weight(u32),
}

impl Selection {
    pub(crate) fn new(settings: SelectionSettings) -> Result<Self, SelectionError> {
        let verdicts: Vec<Verdict> = settings.kinds.iter().filter_map(|kind| kind.verdict()).collect();
        let kinds: Kinds = settings.kinds.iter().filter_map(|kind| kind.kind()).collect();
        if let Some(kind) = verdicts.iter().find(|kind| kind.change().is_none() && **kind != Verdict::Shared)
        {
            return Err(SelectionError::Kind(*kind));
        }
        if settings.min_weight > MOST_WEIGHT {
            return Err(SelectionError::Weight(settings.min_weight));
        }
        let aspects: Aspects = settings.aspects.into();
        // Who asks for links alone means also those around the content, as in the lists.
        let filter = ChangesFilter { tier: settings.tier, kinds, aspects, ..ChangesFilter::default() };
        Ok(Self {
            sites: settings.sites,
            verdicts,
            kinds,
            aspects,
            tier: filter.most_tier(),
            min_weight: settings.min_weight,
            include: Pattern::read_all(settings.include)?,
            exclude: Pattern::read_all(settings.exclude)?,
            words: Conditions {
                either: words("match", settings.r#match.as_deref())?,
                added: words("match-added", settings.match_added.as_deref())?,
                removed: words("match-removed", settings.match_removed.as_deref())?,
                exclude: words("exclude-match", settings.exclude_match.as_deref())?,
            },
            min_changes: settings.min_changes,
            min_difference: settings.min_difference,
            quiet: settings.quiet,
            suspect: settings.suspect,
        })
    }

    /// Tells whether it is for this site.
    pub(crate) fn is_for(&self, site: &SiteId) -> bool {
        self.sites.is_empty() || self.sites.contains(site)
    }

    /// Tells whether it hears of crawls that are unusual.
    pub(crate) fn hears_of_unusual(&self) -> bool {
        self.suspect != WhenSuspect::Skip
    }

    /// Returns how much must be read to choose.
    pub(crate) fn detail(&self) -> DigestDetail {
        DigestDetail { tier: self.tier, has_words: !self.words.is_empty() }
    }

    /// Picks what is told of `digest`, or says why nothing is. A test is told whole.
    pub(crate) fn notification<'a>(
        &self,
        digest: &'a Digest,
        web: Option<&'a Url>,
    ) -> Result<Notification<'a>, Silence> {
        let (stage, part) = self.part(digest)?;
        if stage == Stage::Findings {
            self.is_enough([&part])?;
        }
        Ok(Notification::of_crawl(stage, part, web))
    }

    /// Picks what is told of `digest`, however little that is.
    pub(crate) fn part<'a>(&self, digest: &'a Digest) -> Result<(Stage, Part<'a>), Silence> {
        let part = |changes: Vec<&'a ChangeEntry>, first_found| {
            let wanted = |change: &&ChangeEntry| change.tier.is_none_or(|tier| tier <= self.tier);
            let told = digest.changes.iter().filter(wanted).count();
            let withheld = told.saturating_sub(changes.len());
            Part { digest, crawls: vec![digest], changes, first_found, withheld }
        };
        if digest.is_test {
            return Ok((Stage::Test, part(digest.changes.iter().collect(), 0)));
        }
        if !self.is_for(&digest.site) {
            return Err(Silence::OtherSite);
        }
        if digest.suspicion.is_some() {
            match self.suspect {
                WhenSuspect::Skip => return Err(Silence::Suspect),
                WhenSuspect::Warn => return Ok((Stage::Warning, part(Vec::new(), 0))),
                WhenSuspect::Tell => {}
            }
        }
        let changes: Vec<&ChangeEntry> = digest.changes.iter().filter(|change| self.wants(change)).collect();
        // Nobody looks for words in what is only counted.
        let is_counted = self.wants_verdict(Verdict::New) && self.words.is_empty();
        let first_found = if is_counted { digest.first_found() } else { 0 };
        Ok((Stage::Findings, part(changes, first_found)))
    }

    /// Says why nothing is told of these parts, if that is so.
    pub(crate) fn is_enough<'a>(&self, parts: impl IntoIterator<Item = &'a Part<'a>>) -> Result<(), Silence> {
        let found = parts.into_iter().fold(0, |found, part| {
            let first = usize::try_from(part.first_found).unwrap_or(usize::MAX);
            part.changes.len().saturating_add(first).saturating_add(found)
        });
        match found {
            0 if !self.quiet => Err(Silence::Quiet),
            found if found > 0 && found < self.min_changes => {
                Err(Silence::TooFew { found, wanted: self.min_changes })
            }
            _ => Ok(()),
        }
    }

    fn wants(&self, change: &ChangeEntry) -> bool {
        self.wants_kind(change)
            && (change.shared.is_some() || change.tier.is_none_or(|tier| tier <= self.tier))
            && change.weight >= self.min_weight
            && self.wants_page(change)
            && self.wants_sides(change)
            && self.is_large_enough(change)
            && self.wants_words(change)
    }

    /// Of a shared change, one of its pages that are known must be wanted.
    fn wants_page(&self, change: &ChangeEntry) -> bool {
        let wants = |url: &PageUrl| {
            let by_page = self.include.is_empty() || self.include.iter().any(|pattern| pattern.matches(url));
            by_page && !self.exclude.iter().any(|pattern| pattern.matches(url))
        };
        let others = change
            .shared
            .as_ref()
            .map_or(&[][..], |shared| shared.urls.as_deref().unwrap_or(&shared.samples));
        wants(&change.url) || others.iter().any(wants)
    }

    fn wants_kind(&self, change: &ChangeEntry) -> bool {
        let is_named = self.verdicts.contains(&change.kind);
        let has_kind = change.kinds.iter().any(|kind| self.kinds.contains(kind));
        self.verdicts.is_empty() && self.kinds.is_empty() || is_named || has_kind
    }

    fn wants_verdict(&self, verdict: Verdict) -> bool {
        self.verdicts.is_empty() && self.kinds.is_empty() || self.verdicts.contains(&verdict)
    }

    fn wants_words(&self, change: &ChangeEntry) -> bool {
        self.words.is_empty() || change.texts.as_ref().is_some_and(|texts| texts.are_admitted_by(&self.words))
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

fn words(setting: &'static str, pattern: Option<&str>) -> Result<Option<Words>, SelectionError> {
    let words = pattern.map(str::parse::<Words>).transpose();
    words.map_err(|error| SelectionError::Words(setting, error))
}

#[cfg(test)]
mod tests;
