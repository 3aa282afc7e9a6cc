//! Which changes are asked for.

use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::kind::{Kind, Kinds, Tier};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::shared_change::SharedChange;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;

use super::ListedRecord;
use super::conditions::Conditions;
use super::tiers::{edits_of, own_tier};

/// Which changes are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangesFilter {
    /// Verdicts; those worth telling and shared changes where none is named.
    pub verdicts: Vec<Verdict>,
    /// The sides of the page of which one must have changed; any where none is named.
    pub aspects: Aspects,
    /// The kinds of change of which it must have one; any where none is named.
    pub kinds: Kinds,
    /// Up to which tier; where it is not named, the content, and what stands around it where aspects or kinds are named
    /// that are nothing else.
    pub tier: Option<Tier>,
    /// Pages that differ only by shared changes are asked for, too.
    pub expand: bool,
    /// Pages that came or went together below one folder are listed singly.
    pub open_folders: bool,
    /// How much it must matter.
    pub min_weight: u32,
    /// What the path must begin with.
    pub path: Option<String>,
    /// The section of the page.
    pub section: Option<String>,
    /// Text that address or title must contain, in any case.
    pub text: Option<String>,
    /// What must have come or gone.
    pub conditions: Conditions,
    /// What people did with them.
    pub review: ReviewFilter,
}

/// What people did, or not, with the changes that are asked for; nothing where nothing is named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReviewFilter {
    /// Nobody has seen them.
    pub unseen: bool,
    /// Somebody starred them.
    pub starred: bool,
}

impl ReviewFilter {
    /// Tells whether a row is asked for, by whether it is seen and whether it is starred.
    pub(super) const fn admits(self, (seen, starred): (bool, bool)) -> bool {
        (!self.unseen || !seen) && (!self.starred || starred)
    }
}

impl ChangesFilter {
    /// Returns the filter that admits these verdicts.
    pub fn of_verdicts(verdicts: &[Verdict]) -> Self {
        Self { verdicts: verdicts.to_vec(), ..Self::default() }
    }

    /// Returns up to which tier changes are asked for.
    pub fn most_tier(&self) -> Tier {
        let is_around = |kind: Kind| match kind {
            Kind::Links | Kind::Media | Kind::Description | Kind::Canonical => true,
            Kind::Title
            | Kind::Headings
            | Kind::Text
            | Kind::Numbers
            | Kind::Dates
            | Kind::Robots
            | Kind::Document => false,
        };
        let names_around =
            self.kinds.iter().any(is_around) || !self.aspects.is_empty() && self.aspects != Aspects::TEXT;
        self.tier.unwrap_or(if names_around { Tier::Around } else { Tier::Content })
    }

    /// Returns the verdicts of the pages that are asked for.
    pub fn page_verdicts(&self) -> Vec<Verdict> {
        if !self.verdicts.is_empty() {
            return self.verdicts.clone();
        }
        let mut verdicts = Verdict::CHANGES.to_vec();
        verdicts.extend(self.expand.then_some(Verdict::Shared));
        verdicts.extend((self.most_tier() == Tier::Noise).then_some(Verdict::Touched));
        verdicts
    }

    /// Tells whether anything is left out beside what is not worth telling.
    pub fn is_narrow(&self) -> bool {
        let verdicts = if self.verdicts == Verdict::CHANGES { Vec::new() } else { self.verdicts.clone() };
        let open = Self { open_folders: self.open_folders, ..Self::default() };
        Self { verdicts, ..self.clone() } != open
    }

    /// Tells whether address, words, kinds or weight leave something out.
    pub fn has_conditions(&self) -> bool {
        Self { tier: self.tier, ..self.broad() } != *self
    }

    /// Returns the same filter without the choices that a list offers one by one, with their counts: a verdict, what is
    /// unseen, what is starred.
    pub(super) fn widened(&self) -> Self {
        let is_told = |verdict: &Verdict| *verdict == Verdict::Shared || Verdict::CHANGES.contains(verdict);
        let verdicts = if self.verdicts.iter().all(is_told) { Vec::new() } else { self.verdicts.clone() };
        Self { verdicts, review: ReviewFilter::default(), ..self.clone() }
    }

    /// Tells whether shared changes are asked for: with everything else, or by name.
    pub(crate) fn wants_shared(&self) -> bool {
        self.verdicts.contains(&Verdict::Shared)
            || Verdict::CHANGES.iter().all(|verdict| self.page_verdicts().contains(verdict))
    }

    /// Tells whether a record is asked for, whatever it says.
    pub(super) fn admits(&self, listed: &ListedRecord) -> bool {
        let record = &listed.record;
        self.admits_tier(record)
            && (self.aspects.is_empty() || !record.visit.aspects.among(self.aspects).is_empty())
            && (self.kinds.is_empty() || record.visit.kinds.iter().any(|kind| self.kinds.contains(kind)))
            && record.visit.weight >= self.min_weight
            && self.admits_address(&record.url)
            && self.section.as_ref().is_none_or(|wanted| *wanted == listed.section)
    }

    fn admits_tier(&self, record: &PageRecord) -> bool {
        match record.visit.verdict {
            Verdict::Changed => match own_tier(record) {
                Some(tier) => tier <= self.most_tier(),
                None => self.expand,
            },
            Verdict::Shared => self.expand,
            Verdict::Touched => self.verdicts.contains(&Verdict::Touched) || !edits_of(record).is_empty(),
            Verdict::New
            | Verdict::Gone
            | Verdict::Moved
            | Verdict::Unchanged
            | Verdict::Missing
            | Verdict::Failed
            | Verdict::Excluded => true,
        }
    }

    fn admits_address(&self, url: &PageUrl) -> bool {
        self.path.as_ref().is_none_or(|path| url.path().starts_with(path))
    }

    /// Tells whether a shared change is asked for. One that an earlier crawl had is not told again.
    pub(super) fn admits_shared(
        &self,
        change: &SharedChange,
        section_of: impl Fn(&PageUrl) -> String,
    ) -> bool {
        let is_listed = if change.noise { self.most_tier() == Tier::Noise } else { change.since.is_none() };
        let any = |is_one: &dyn Fn(&PageUrl) -> bool| change.urls.iter().any(is_one);
        is_listed
            && self.wants_shared()
            && (self.aspects.is_empty() || self.aspects.contains(change.aspect))
            && (self.kinds.is_empty() || change.kinds.iter().any(|kind| self.kinds.contains(kind)))
            && change.weight >= self.min_weight
            && (self.path.is_none() || any(&|url| self.admits_address(url)))
            && self.section.as_ref().is_none_or(|wanted| any(&|url| section_of(url) == *wanted))
            && self.text.as_ref().is_none_or(|text| any(&|url| contains(url.as_str(), text)))
            && self.conditions.admit(&[change.went.as_str()], &[change.came.as_str()])
    }
}

/// Tells whether a text contains another, in any case.
pub(super) fn contains(text: &str, wanted: &str) -> bool {
    text.to_lowercase().contains(&wanted.to_lowercase())
}
