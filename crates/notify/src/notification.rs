//! What one target is told of a crawl, or of several together, before it is written in the target's format.

mod part;

use std::fmt;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_reports::told::headline;
use recrawl_reports::{ChangeEntry, Digest, day};
use sha2::{Digest as _, Sha256};
use url::Url;

pub use self::part::Part;
use crate::figures::counted;
use crate::target::TargetName;
use crate::text::{Hex, plain};

/// The longest change that is told in a subject.
const LONGEST_CHANGE: usize = 120;

/// Which of the messages that crawls can give rise to a notification is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// What a crawl found.
    Findings,
    /// That it is unusual, and why. Where it is accepted, the findings follow.
    Warning,
    /// What several crawls found, on the schedule of the target.
    Digest,
    /// A try.
    Test,
}

impl Stage {
    /// Returns the word by which it is remembered.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Findings => "findings",
            Self::Warning => "warning",
            Self::Digest => "digest",
            Self::Test => "test",
        }
    }
}

/// What one target is told.
#[derive(Debug, Clone)]
pub struct Notification<'a> {
    /// Which message it is.
    pub stage: Stage,
    /// What was found, site by site; one site in all but digests.
    pub parts: Vec<Part<'a>>,
    /// What only digests have.
    pub together: Option<Together>,
    /// The address of the web page, where there is one.
    pub web: Option<&'a Url>,
}

/// What is said of all sites of a digest together.
#[derive(Debug, Clone)]
pub struct Together {
    /// When the digest was put together.
    pub at: Timestamp,
    /// When the first of its crawls ended.
    pub since: Timestamp,
    /// Where days begin for its reader.
    pub zone: TimeZone,
    /// The crawls that it tells, in the order in which they were noted.
    pub crawls: Vec<(SiteId, CrawlId)>,
    /// Sites that need somebody to look at them.
    pub looks: Vec<Look>,
    /// How many sites it is about.
    pub sites: usize,
}

/// A site that needs somebody to look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// The site.
    pub site: SiteId,
    /// It could not be read; otherwise it is unusual.
    pub is_failed: bool,
    /// The mark that people see: `failed`, `unusual`.
    pub mark: String,
    /// What happened, in whole sentences.
    pub sentence: String,
}

impl<'a> Notification<'a> {
    /// Returns what is told of one crawl.
    pub fn of_crawl(stage: Stage, part: Part<'a>, web: Option<&'a Url>) -> Self {
        Self { stage, parts: vec![part], together: None, web }
    }

    /// Returns all changes, site by site.
    pub fn changes(&self) -> impl Iterator<Item = (&Part<'a>, &'a ChangeEntry)> {
        self.parts.iter().flat_map(|part| part.changes.iter().map(move |change| (part, *change)))
    }

    /// Returns how many changes there are.
    pub fn count(&self) -> usize {
        self.parts.iter().map(|part| part.changes.len()).sum()
    }

    /// Returns the sites that need somebody to look at them.
    pub fn looks(&self) -> &[Look] {
        self.together.as_ref().map_or(&[], |together| &together.looks)
    }

    /// Returns the one line that says most: the change itself, or how many there are.
    pub fn headline(&self) -> String {
        let (changes, looks) = (self.changed(), self.looks());
        let Some(together) = &self.together else {
            let Some(part) = self.parts.first() else { return changes };
            let test = if part.digest.is_test { "[test] " } else { "" };
            let doubt = part.doubt().word();
            let unusual =
                if part.digest.told_as_unusual.is_some() { format!("{doubt}, ") } else { String::new() };
            let says = match self.stage {
                Stage::Warning => format!("{doubt}, nothing was sent yet"),
                Stage::Findings | Stage::Digest | Stage::Test => changes,
            };
            return format!("{test}{}: {unusual}{says}", part.digest.site);
        };
        let when = together.when();
        let told: Vec<&Part<'_>> = self.parts.iter().filter(|part| part.has_something()).collect();
        let found = match (told.as_slice(), looks) {
            ([], _) => None,
            ([part], []) => Some(format!("{}: {changes}", part.digest.site)),
            ([part], _) => Some(format!("{}: {}", part.digest.site, self.counted())),
            (parts, _) => {
                let own: u64 = parts.iter().map(|part| part.own()).sum();
                let numbers = if own > 0 { counted(own, "change") } else { self.counted() };
                Some(format!("{numbers} on {} {when}", counted(parts.len() as u64, "site")))
            }
        };
        let needs = match looks {
            [] => None,
            [look] => Some(format!("{} needs a look", look.site)),
            looks => Some(format!("{} need a look", counted(looks.len() as u64, "site"))),
        };
        let lines: Vec<String> = found.into_iter().chain(needs).collect();
        if lines.is_empty() { format!("nothing changed {when}") } else { lines.join("; ") }
    }

    /// Says what changed: the change itself where it is one.
    fn changed(&self) -> String {
        let changes: Vec<&ChangeEntry> = self.changes().map(|(_, change)| change).collect();
        let first: u64 = self.parts.iter().map(|part| part.first_found).sum();
        match (changes.as_slice(), first, self.parts.as_slice()) {
            ([change], 0, _) => plain(&headline(change, LONGEST_CHANGE)),
            ([], 0, [part]) if part.withheld > 0 => "nothing changed among what is followed here".to_owned(),
            ([], 0, [Part { digest: Digest { state: Some(state), .. }, .. }]) => plain(&state.line()),
            ([], 0, _) => "nothing changed".to_owned(),
            _ => self.counted(),
        }
    }

    fn counted(&self) -> String {
        let parts = || self.parts.iter();
        let first = parts().map(|part| part.first_found).sum();
        part::in_numbers(first, parts().map(Part::own).sum(), parts().map(Part::shared).sum())
    }

    /// Returns what must be known to read the rest, a sentence or two each; often nothing.
    pub fn cautions(&self) -> Vec<String> {
        if self.together.is_some() {
            let looks = self.looks().iter();
            return looks
                .map(|look| format!("{}: {}: {}", look.site, look.mark, plain(&look.sentence)))
                .collect();
        }
        self.parts.iter().flat_map(|part| part.cautions(self.stage)).collect()
    }

    /// Returns the figures of the crawl, or of the digest, in a sentence or two.
    pub fn figures(&self) -> String {
        match &self.together {
            Some(together) => together.figures(),
            None => self.parts.first().map(|part| part.figures(self.stage)).unwrap_or_default(),
        }
    }

    /// Returns the address of the web page that shows it: the crawl, or for several the home page.
    pub fn link(&self) -> Option<Url> {
        match (&self.together, self.parts.as_slice()) {
            (Some(_), _) => self.web.cloned(),
            (None, [part]) => part.link(self.web),
            (None, _) => None,
        }
    }

    /// Returns the id under which `target` is told, the same however often it is.
    pub fn id(&self, target: &TargetName) -> NotificationId {
        let text = match (&self.together, self.parts.first()) {
            (Some(together), _) => {
                let crawls: Vec<String> =
                    together.crawls.iter().map(|(site, crawl)| format!("{site} {crawl}")).collect();
                format!("{target}\n{}\n{}", self.stage.word(), crawls.join("\n"))
            }
            (None, Some(Part { digest, .. })) => {
                let stage = match self.stage {
                    Stage::Findings | Stage::Warning | Stage::Digest => self.stage.word().to_owned(),
                    // One try is not another.
                    Stage::Test => digest.closed_at.to_string(),
                };
                format!("{target}\n{}\n{}\n{stage}", digest.site, digest.crawl)
            }
            (None, None) => target.to_string(),
        };
        NotificationId(Sha256::digest(text.as_bytes()).into())
    }
}

impl Together {
    /// Returns the stretch of time in words: `10 to 17 November 2026`.
    pub fn stretch(&self) -> String {
        let (begin, end) = (self.since.to_zoned(self.zone.clone()), self.at.to_zoned(self.zone.clone()));
        let whole = end.strftime("%-d %B %Y").to_string();
        if begin.date() == end.date() {
            whole
        } else if (begin.year(), begin.month()) == (end.year(), end.month()) {
            format!("{} to {whole}", begin.day())
        } else if begin.year() == end.year() {
            format!("{} to {whole}", begin.strftime("%-d %B"))
        } else {
            format!("{} to {whole}", begin.strftime("%-d %B %Y"))
        }
    }

    /// Returns when that was, as a subject says it: `this week`.
    fn when(&self) -> String {
        let date = |time: Timestamp| time.to_zoned(self.zone.clone()).date();
        match date(self.since).until(date(self.at)).map(|span| span.get_days()) {
            Ok(0) => "today".to_owned(),
            Ok(1) => "since yesterday".to_owned(),
            Ok(2..=7) => "this week".to_owned(),
            Ok(_) | Err(_) => format!("since {}", day(self.since, self.at)),
        }
    }

    fn figures(&self) -> String {
        let crawls = counted(self.crawls.len() as u64, "crawl");
        let look = match self.looks.len() {
            0 => String::new(),
            looks => format!(" {looks} of {} need a look.", counted(self.sites as u64, "site")),
        };
        format!("{crawls}, {}.{look}", self.stretch())
    }
}

/// The stable id of a notification: of target, site, crawl and stage, or of the crawls of a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NotificationId([u8; 32]);

impl fmt::Display for NotificationId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(formatter)
    }
}
