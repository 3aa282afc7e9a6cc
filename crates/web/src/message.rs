//! What is said on the page that follows a form.

/// What was done. It travels as a word in the address, so that nobody can make us say anything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Message {
    /// A crawl begins or goes on.
    Started,
    /// A crawl will rest.
    Paused,
    /// A crawl will be closed.
    Stopped,
    /// There is a new site.
    Added,
    /// There is a new site, and its crawl begins.
    AddedAndStarted,
    /// The schedule is saved.
    Scheduled,
    /// The ignore rules are saved.
    RulesSaved,
    /// A capture is asked for.
    ArchiveAsked,
    /// The findings of an unusual crawl are accepted.
    Accepted,
    /// Everything of a list is marked as seen.
    AllSeen,
    /// The site has another name.
    Renamed,
    /// The site is being deleted.
    Removed,
    /// What somebody said of noise is noted.
    NoiseNoted,
    /// An unusual crawl is believed without the pages of an outage.
    Believed,
    /// An unusual crawl is unusual without the pages of an outage, too.
    StillUnusual,
    /// A line is ignored from now on.
    Ignored,
}

impl Message {
    const ALL: [Self; 16] = [
        Self::Started,
        Self::Paused,
        Self::Stopped,
        Self::Added,
        Self::AddedAndStarted,
        Self::Scheduled,
        Self::RulesSaved,
        Self::ArchiveAsked,
        Self::Accepted,
        Self::AllSeen,
        Self::Renamed,
        Self::Removed,
        Self::NoiseNoted,
        Self::Believed,
        Self::StillUnusual,
        Self::Ignored,
    ];

    /// Returns the message of this word.
    pub(crate) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|message| message.word() == word)
    }

    /// Returns its word in addresses.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Paused => "paused",
            Self::Stopped => "stopped",
            Self::Added => "added",
            Self::AddedAndStarted => "added-and-started",
            Self::Scheduled => "scheduled",
            Self::RulesSaved => "rules-saved",
            Self::ArchiveAsked => "archive-asked",
            Self::Accepted => "accepted",
            Self::AllSeen => "all-seen",
            Self::Renamed => "renamed",
            Self::Removed => "removed",
            Self::NoiseNoted => "noise-noted",
            Self::Believed => "believed",
            Self::StillUnusual => "still-unusual",
            Self::Ignored => "ignored",
        }
    }

    /// Returns what is shown.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Started => "The site is crawled as soon as no other crawl is under way.",
            Self::Paused => "The crawl rests as soon as the pages in flight are recorded.",
            Self::Stopped => "The crawl is closed as soon as the pages in flight are recorded.",
            Self::Added => "The site is added.",
            Self::AddedAndStarted => "The site is added, and its first crawl begins.",
            Self::Scheduled => "The schedule is saved.",
            Self::RulesSaved => "The rules are saved: the next crawl reads pages by them.",
            Self::ArchiveAsked => "The Wayback Machine is asked for a capture.",
            Self::Accepted => "The findings are accepted.",
            Self::Believed => {
                "These pages count as unchanged. The rest of the crawl is believed, and its changes are sent."
            }
            Self::StillUnusual => {
                "These pages count as unchanged. The rest of the crawl is still unusual: nothing was sent."
            }
            Self::Ignored => {
                "It is ignored from the next crawl on. The rule stands among the ignore rules of the site."
            }
            Self::AllSeen => "All changes of this list are marked as seen.",
            Self::Renamed => {
                "The site is renamed. Its old addresses, feeds among them, lead to the new ones."
            }
            Self::Removed => "The site is being deleted. It disappears when that is done.",
            Self::NoiseNoted => "It is noted, and counts from the next crawl on.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back_and_no_other() {
        for message in Message::ALL {
            assert_eq!(Message::of(message.word()), Some(message));
        }
        assert_eq!(Message::of("<script>"), None);
    }
}
