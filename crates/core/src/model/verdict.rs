//! What a visit found out about a page, in one word.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What a visit found out, compared with what was known before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The page was not known, or had gone and is back.
    New,
    /// The page says something else.
    Changed,
    /// The page says something else that other pages say, too: the frame of the site changed, not the page.
    Shared,
    /// The bytes changed, the meaning did not.
    Touched,
    /// The page is what it was.
    Unchanged,
    /// A known page answered 404 or 410 for the first time.
    Gone,
    /// A redirect appeared or leads elsewhere.
    Moved,
    /// Nothing there, and nothing was there before: a broken link.
    Missing,
    /// No evidence this time.
    Failed,
    /// Not fetched, by rule.
    Excluded,
}

impl Verdict {
    /// Every verdict, in the order in which people read them.
    pub const ALL: [Self; 10] = [
        Self::New,
        Self::Changed,
        Self::Moved,
        Self::Gone,
        Self::Shared,
        Self::Touched,
        Self::Unchanged,
        Self::Missing,
        Self::Failed,
        Self::Excluded,
    ];

    /// The changes worth telling, in the same order.
    pub const CHANGES: [Self; 4] = [Self::New, Self::Changed, Self::Moved, Self::Gone];

    /// Returns the kind of change to announce, if this verdict is one.
    pub const fn change(self) -> Option<Change> {
        match self {
            Self::New => Some(Change::Add),
            Self::Changed => Some(Change::Change),
            Self::Gone => Some(Change::Delete),
            Self::Moved => Some(Change::Move),
            Self::Shared
            | Self::Unchanged
            | Self::Touched
            | Self::Missing
            | Self::Failed
            | Self::Excluded => None,
        }
    }

    /// Tells whether the Wayback Machine should be asked to archive the page.
    pub const fn wants_archiving(self) -> bool {
        match self.change() {
            Some(Change::Add | Change::Change | Change::Move) => true,
            Some(Change::Delete) | None => false,
        }
    }

    /// Returns what the visit saw at the address.
    pub const fn sight(self) -> Sight {
        match self {
            Self::New | Self::Changed | Self::Shared | Self::Touched | Self::Unchanged | Self::Moved => {
                Sight::There
            }
            Self::Gone | Self::Missing => Sight::Absent,
            Self::Failed | Self::Excluded => Sight::Nothing,
        }
    }

    /// Tells whether the content of the page was compared with what it was.
    pub const fn compares_content(self) -> bool {
        match self {
            Self::Changed | Self::Shared | Self::Touched | Self::Unchanged => true,
            Self::New | Self::Gone | Self::Moved | Self::Missing | Self::Failed | Self::Excluded => false,
        }
    }

    /// Tells whether only a page that was live before can get this verdict.
    pub const fn is_of_known_page(self) -> bool {
        self.compares_content() || matches!(self, Self::Gone | Self::Moved)
    }

    /// Says which pages have this verdict.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::New => "Pages that were new.",
            Self::Changed => "Pages that say something else.",
            Self::Shared => "Pages on which nothing but the frame of the site changed.",
            Self::Touched => "Pages on which only noise changed.",
            Self::Unchanged => "Pages that are what they were.",
            Self::Gone => "Pages that have gone.",
            Self::Moved => "Redirects that appeared or lead elsewhere.",
            Self::Missing => "Broken links.",
            Self::Failed => "Visits without evidence.",
            Self::Excluded => "Pages not fetched, by rule.",
        }
    }

    /// Returns what people read: the word that is stored, or where that says little, plainer ones.
    pub const fn said(self) -> &'static str {
        match self {
            Self::Touched => "only noise changed",
            Self::Missing => "broken link",
            Self::New
            | Self::Changed
            | Self::Shared
            | Self::Unchanged
            | Self::Gone
            | Self::Moved
            | Self::Failed
            | Self::Excluded => self.word(),
        }
    }

    /// Returns the word used in stores and by programs.
    pub const fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Shared => "shared",
            Self::Unchanged => "unchanged",
            Self::Touched => "touched",
            Self::Gone => "gone",
            Self::Moved => "moved",
            Self::Missing => "missing",
            Self::Failed => "failed",
            Self::Excluded => "excluded",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

/// The text is none of the verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is not a verdict: one of {words}", words = Verdict::ALL.map(Verdict::word).join(", "))]
pub struct NotAVerdict(String);

impl FromStr for Verdict {
    type Err = NotAVerdict;

    fn from_str(text: &str) -> Result<Self, NotAVerdict> {
        let found = Self::ALL.into_iter().find(|verdict| verdict.word() == text);
        found.ok_or_else(|| NotAVerdict(text.to_owned()))
    }
}

/// What a visit saw at the address of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// The page: content or a redirect.
    There,
    /// That there is no page.
    Absent,
    /// Nothing that says whether there is a page.
    Nothing,
}

/// A change worth telling others, in the words of the `changed-pages` message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Change {
    /// The page is new.
    #[serde(rename = "ADD")]
    Add,
    /// The page says something else.
    #[serde(rename = "CHANGE")]
    Change,
    /// The page has gone.
    #[serde(rename = "DEL")]
    Delete,
    /// The page redirects elsewhere.
    #[serde(rename = "MOVE")]
    Move,
}

impl Change {
    /// Returns the word of the `changed-pages` message.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Add => "ADD",
            Self::Change => "CHANGE",
            Self::Delete => "DEL",
            Self::Move => "MOVE",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_reads_back_from_its_word() {
        for verdict in Verdict::ALL {
            assert_eq!(verdict.word().parse(), Ok(verdict));
        }
        assert!("newish".parse::<Verdict>().is_err());
    }

    #[test]
    fn changes_are_what_is_announced() {
        let announced = Verdict::ALL.into_iter().filter(|verdict| verdict.change().is_some());
        assert!(announced.eq(Verdict::CHANGES));
    }

    #[test]
    fn only_what_can_be_fetched_is_archived() {
        for verdict in Verdict::ALL {
            let announced = verdict.change().is_some();
            assert_eq!(verdict.wants_archiving(), announced && verdict != Verdict::Gone, "{verdict}");
        }
    }
}
