//! What one target is told of a crawl, before it is written in the target's format.

use std::fmt;

use recrawl_core::model::verdict::Verdict;
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::figures::{bytes, counted, duration, grouped};
use crate::target::TargetName;
use crate::text::{Hex, plain};
use recrawl_reports::{ChangeEntry, Digest};

/// Which of the messages that a crawl can give rise to a notification is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// What the crawl found.
    Findings,
    /// That it is unusual, and why. Where it is accepted, the findings follow.
    Warning,
    /// A try.
    Test,
}

impl Stage {
    /// Returns the word by which it is remembered.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Findings => "findings",
            Self::Warning => "warning",
            Self::Test => "test",
        }
    }
}

/// What one target is told of a crawl.
#[derive(Debug, Clone)]
pub struct Notification<'a> {
    /// What the crawl found.
    pub digest: &'a Digest,
    /// Which message it is.
    pub stage: Stage,
    /// The changes that the target wants to hear of; none in a warning.
    pub changes: Vec<&'a ChangeEntry>,
    /// How many pages that are new to a first crawl it is told of, as a number; none in a warning.
    pub first_found: u64,
    /// How many changes the target does not want to hear of.
    pub withheld: usize,
    /// The address of the web page, where there is one.
    pub web: Option<&'a Url>,
}

impl Notification<'_> {
    /// Returns the one line that says most.
    pub fn headline(&self) -> String {
        let (digest, counts) = (self.digest, self.counts());
        let says = match self.stage {
            Stage::Warning => format!("{} is unusual", digest.crawl),
            Stage::Findings | Stage::Test if !counts.is_empty() => counts,
            Stage::Findings | Stage::Test if self.withheld > 0 => {
                "nothing changed among what is followed here".to_owned()
            }
            Stage::Findings | Stage::Test => match &digest.state {
                Some(state) => plain(&state.line()),
                None => "nothing changed".to_owned(),
            },
        };
        let test = if digest.is_test { "[test] " } else { "" };
        let unusual = if digest.told_as_unusual.is_some() { "unusual, " } else { "" };
        format!("{test}{}: {unusual}{says}", digest.site)
    }

    /// Returns what must be known to read the rest, a sentence or two each; often nothing.
    pub fn cautions(&self) -> Vec<String> {
        let digest = self.digest;
        let mut cautions = Vec::new();
        if digest.is_test {
            cautions.push("This is a test with made-up pages: nothing was crawled.".to_owned());
        }
        if let Some(reason) = &digest.suspicion {
            let until = match self.stage {
                Stage::Warning => {
                    "No change was sent yet. If the next whole crawl finds the same, it is accepted by itself."
                }
                Stage::Findings | Stage::Test => "Nobody has accepted the crawl yet.",
            };
            cautions.push(format!("The crawl is unusual: {}. {until}", plain(reason)));
        }
        if let Some(reason) = &digest.told_as_unusual {
            let why = "It is told all the same, because the crawl before was unusual, too.";
            cautions.push(format!("The crawl is unusual: {}. {why}", plain(reason)));
        }
        if let Some(state) = &digest.state {
            cautions.push(format!("{}: {}. {}", digest.root, plain(&state.sentence()), state.advice()));
        } else if let Some(reason) = &digest.partial {
            let reason = plain(reason);
            cautions.push(format!("The crawl ended early ({reason}) and did not see the whole site."));
        }
        if self.first_found > 0 {
            let counted =
                "No crawl before this one saw the whole site, so new pages are counted and not listed.";
            cautions.push(counted.to_owned());
        }
        cautions
    }

    /// Returns the figures of the crawl in a sentence or two.
    pub fn figures(&self) -> String {
        let (digest, figures) = (self.digest, &self.digest.statistics);
        let seconds = digest.closed_at.duration_since(digest.opened_at).as_secs();
        let seconds = u64::try_from(seconds).unwrap_or_default();
        let mut parts = vec![format!("{} visited in {}", counted(figures.total, "page"), duration(seconds))];
        let failed = figures.counts[Verdict::Failed];
        if failed > 0 {
            parts.push(format!("{} failed", grouped(failed)));
        }
        parts.push(format!("{} received", bytes(figures.received_bytes)));
        parts.push(format!("{} saved", bytes(figures.saved_bytes)));
        let sentence = format!("{}: {}.", digest.crawl, parts.join(", "));
        if self.withheld == 0 || self.stage == Stage::Warning {
            return sentence;
        }
        format!("{sentence} {} not followed here.", counted(self.withheld as u64, "other change"))
    }

    /// Returns how many changes of each kind there are: `2 new, 1 gone`; nothing where there are none.
    pub fn counts(&self) -> String {
        let mut counts = Vec::new();
        if self.first_found > 0 {
            counts.push(format!("{} {}", grouped(self.first_found), Verdict::New));
        }
        for (kind, changes) in self.by_kind() {
            counts.push(format!("{} {kind}", grouped(changes.len() as u64)));
        }
        counts.join(", ")
    }

    /// Returns the changes by kind, without kinds that have none.
    pub fn by_kind(&self) -> Vec<(Verdict, Vec<&ChangeEntry>)> {
        let mut kinds: Vec<(Verdict, Vec<&ChangeEntry>)> = Vec::new();
        for kind in Verdict::ALL {
            let changes: Vec<&ChangeEntry> =
                self.changes.iter().copied().filter(|change| change.kind == kind).collect();
            if !changes.is_empty() {
                kinds.push((kind, changes));
            }
        }
        kinds
    }

    /// Returns the address of the web page that shows the crawl.
    pub fn link(&self) -> Option<Url> {
        if self.digest.is_test {
            return None;
        }
        let mut url = self.web?.clone();
        let (site, crawl) = (self.digest.site.as_str(), self.digest.crawl.to_string());
        url.path_segments_mut().ok()?.pop_if_empty().extend(["sites", site, "crawls", crawl.as_str()]);
        Some(url)
    }

    /// Returns the id under which `target` is told, the same however often it is.
    pub fn id(&self, target: &TargetName) -> NotificationId {
        let digest = self.digest;
        let stage = match self.stage {
            Stage::Findings | Stage::Warning => self.stage.word().to_owned(),
            // One try is not another.
            Stage::Test => digest.closed_at.to_string(),
        };
        let text = format!("{target}\n{}\n{}\n{stage}", digest.site, digest.crawl);
        NotificationId(Sha256::digest(text.as_bytes()).into())
    }
}

/// The stable id of a notification: of target, site, crawl and stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NotificationId([u8; 32]);

impl fmt::Display for NotificationId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(formatter)
    }
}
