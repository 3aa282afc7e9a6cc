//! The state of an archive request for a page at the Wayback Machine.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::decide::told_singly;
use crate::model::verdict::Verdict;

/// Which changes are offered to the Wayback Machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArchivePolicy {
    /// None.
    Never,
    /// Those that are told one by one: not the whole site, which is new to a first crawl.
    #[default]
    Changes,
    /// Also what is new to a first crawl.
    All,
}

impl ArchivePolicy {
    /// Tells whether a page is offered of which a crawl found this.
    pub fn includes(self, verdict: Verdict, is_first_crawl: bool) -> bool {
        verdict.wants_archiving()
            && match self {
                Self::Never => false,
                Self::Changes => told_singly(is_first_crawl).contains(&verdict),
                Self::All => true,
            }
    }
}

/// The archiving of one change of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Archive {
    /// How far it has come.
    pub state: ArchiveState,
    /// When the change was seen.
    pub requested_at: Timestamp,
    /// The job of Save Page Now, once it is submitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    /// When the page was captured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captured_at: Option<Timestamp>,
    /// Where the capture can be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wayback_url: Option<String>,
    /// What went wrong last, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How often a capture was begun and failed.
    #[serde(default)]
    pub attempts: u32,
    /// Not to be tried before this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Timestamp>,
}

/// How far the archiving of a page has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArchiveState {
    /// It is asked for, and waits.
    Queued,
    /// Save Page Now works on it.
    Submitted,
    /// There is a capture.
    Captured,
    /// There will be none.
    Failed,
}

impl ArchiveState {
    /// Every state, in the order in which they are passed.
    pub const ALL: [Self; 4] = [Self::Queued, Self::Submitted, Self::Captured, Self::Failed];

    /// Returns the word used in stores and output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Submitted => "submitted",
            Self::Captured => "captured",
            Self::Failed => "failed",
        }
    }

    /// Returns the state of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }

    /// Tells whether nothing more is to be done.
    pub const fn is_over(self) -> bool {
        match self {
            Self::Queued | Self::Submitted => false,
            Self::Captured | Self::Failed => true,
        }
    }
}

impl Archive {
    /// Returns a wish that nobody has looked at yet.
    pub const fn queued(requested_at: Timestamp) -> Self {
        Self {
            state: ArchiveState::Queued,
            requested_at,
            job_id: None,
            captured_at: None,
            wayback_url: None,
            error: None,
            attempts: 0,
            not_before: None,
        }
    }

    /// Tells whether something is to be done about it at `now`.
    pub fn is_due(&self, now: Timestamp) -> bool {
        !self.state.is_over() && self.not_before.is_none_or(|time| time <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_reads_back_from_its_word() {
        for state in ArchiveState::ALL {
            assert_eq!(ArchiveState::from_word(state.word()), Some(state));
        }
        assert_eq!(ArchiveState::from_word("archived"), None);
    }

    #[test]
    fn a_wish_is_due_until_it_is_over_and_not_before_its_time() {
        let now = Timestamp::UNIX_EPOCH;
        let later = "1970-01-02T00:00:00Z".parse().unwrap();
        let queued = Archive::queued(now);
        assert!(queued.is_due(now));
        assert!(!Archive { not_before: Some(later), ..queued.clone() }.is_due(now));
        assert!(Archive { not_before: Some(later), ..queued.clone() }.is_due(later));
        assert!(!Archive { state: ArchiveState::Failed, ..queued }.is_due(now));
    }
}
