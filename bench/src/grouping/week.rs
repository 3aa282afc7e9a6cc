//! The records of a week in which every page of a site changed.

use jiff::Timestamp;
use recrawl_core::changes::edits::{OwnMarks, content_words, edits};
use recrawl_core::decide::judge::{Observation, judge};
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::content::Reading;
use recrawl_core::model::ids::{ContentHash, CrawlId, RulesVersion, SemanticHash, SiteId};
use recrawl_core::model::kind::{Kinds, WordCount};
use recrawl_core::model::outline::Outline;
use recrawl_core::model::record::{Check, ContentRef, Found, FoundBy, Headers, PageRecord, Visit};
use recrawl_core::model::region::{Mark, Region};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use serde::Serialize;

use crate::site::{Random, Vocabulary};

/// What changed on the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Shape {
    /// An entry of the menu on all pages, a line of the build on a tenth, a sentence on a hundredth.
    Menu,
    /// Six lines of the frame on all pages, and three sentences of each.
    Redesign,
    /// As many sentences of each page as a visit records, none of them shared.
    Rewritten,
}

impl Shape {
    /// All of them.
    pub(super) const ALL: [Self; 3] = [Self::Menu, Self::Redesign, Self::Rewritten];

    /// Returns what the table calls it.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Menu => "a menu entry on all, a build line on a tenth, a sentence on a hundredth",
            Self::Redesign => "six lines of the frame and three sentences of each page",
            Self::Rewritten => "64 sentences of each page",
        }
    }

    /// Tells whether a site of this size is measured: no large one is written anew in a week.
    pub(super) const fn is_measured(self, pages: u32) -> bool {
        !matches!(self, Self::Rewritten) || pages <= 10_000
    }

    /// Returns how many sentences differ on a page.
    const fn sentences(self, page: u32) -> u32 {
        match self {
            Self::Menu => page.is_multiple_of(100) as u32,
            Self::Redesign => 3,
            Self::Rewritten => 64,
        }
    }
}

/// The records of one crawl, made one by one.
pub(super) struct Week {
    shape: Shape,
    vocabulary: Vocabulary,
    pub(super) crawl: CrawlId,
    site: SiteId,
    visited: Timestamp,
}

impl Week {
    /// Begins a week.
    pub(super) fn new(shape: Shape) -> Self {
        Self {
            shape,
            vocabulary: Vocabulary::new(),
            crawl: "crawl-2026-11-16".parse().expect("it is a crawl's name"),
            site: "town".parse().expect("it is a site's name"),
            visited: Timestamp::UNIX_EPOCH,
        }
    }

    /// Returns the record of a page, always the same.
    pub(super) fn record(&self, page: u32) -> PageRecord {
        let url: PageUrl =
            format!("https://example.org/part-{}/page-{page}", page % 20).parse().expect("it is an address");
        let (before, after) = (self.reading(page, false), self.reading(page, true));
        let seen = Observation::Content {
            reference: ContentRef {
                hash: ContentHash::of(after.text.as_bytes()),
                semantic: SemanticHash::of(after.text.as_bytes()),
                rules: RulesVersion("1".to_owned()),
                signatures: None,
            },
            difference: None,
            transfer_bytes: 0,
        };
        let judgement = judge(&url, None, &seen, &Headers::default(), self.visited);
        let own = OwnMarks::new(&url, &[]);
        PageRecord {
            site: self.site.clone(),
            crawl: self.crawl,
            found: Found { by: FoundBy::Link, depth: 2, referrer: None },
            visit: Visit {
                verdict: Verdict::Changed,
                aspects: Aspects::TEXT,
                tier: None,
                weight: 0,
                words: WordCount { changed: 0, of: content_words(&after) },
                kinds: Kinds::default(),
                edits: Some(Box::new(edits(&before, &after, &own, Aspects::ALL))),
                status: Some(200),
                not_modified: false,
                check: Check::None,
                reason: None,
                fetched_at: self.visited,
                fetch_ms: 0,
                requests: 1,
                received_bytes: 0,
                saved_bytes: 0,
                truncated: false,
            },
            known: judgement.known,
            archive: None,
            url,
        }
    }

    /// Returns what a page says before or after the change.
    fn reading(&self, page: u32, is_after: bool) -> Reading {
        let (mut text, mut outline) = (String::new(), Outline::default());
        let mut line = |region: Region, line: &str| {
            outline.push_line(Mark::of(region));
            text.push_str(line);
            text.push('\n');
        };
        let version = if is_after { "new" } else { "old" };
        line(Region::Nav, "Home");
        match self.shape {
            Shape::Menu if is_after => line(Region::Nav, "Jobs"),
            Shape::Redesign => {
                (0..6).for_each(|entry| line(Region::Nav, &format!("The {version} part {entry}")));
            }
            Shape::Menu | Shape::Rewritten => {}
        }
        let differing = self.shape.sentences(page);
        for number in 0..differing.max(4) {
            let week = u64::from(is_after && number < differing);
            let mut random = Random::new((u64::from(page) << 16 | u64::from(number)) << 1 | week);
            let mut sentence = String::new();
            self.vocabulary.push_sentence(&mut sentence, &mut random);
            line(Region::Content, sentence.trim_end());
        }
        if self.shape == Shape::Menu && page.is_multiple_of(10) {
            let run = u64::from(page) * 2 + u64::from(is_after);
            line(Region::Footer, &format!("Made in run {run} of the press"));
        }
        Reading { text, outline: Some(outline) }
    }
}
