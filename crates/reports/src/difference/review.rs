//! A change as somebody reviews it: what happened to the page, and its lines, with what is not its own folded.

use jiff::Timestamp;
use recrawl_core::decide::Order;
use recrawl_core::model::archive::Archive;
use recrawl_core::model::aspect::Aspect;
use recrawl_core::model::content::Reading;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::edit::EditState;
use recrawl_core::model::ids::{CrawlId, EventId};
use recrawl_core::model::kind::{Kinds, Tier, WordCount};
use recrawl_core::model::record::{ContentRef, PageRecord, Presence};
use recrawl_core::model::region::Mark;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use recrawl_core::versions::{Version, versions};

use super::foreign::{ForeignAddresses, take_foreign};
use super::side::{Stored, text_of};
use super::{
    Asked, ComparisonOptions, DiffRow, DifferenceView, Reader, SideView, chosen, fold_frame, only_folded,
    rows, side,
};
use crate::cache::Reports;
use crate::changes::LineEdits;
use crate::error::ReportError;
use crate::faults::redirect_targets;
use crate::history::{Judged, PageVisits};
use crate::text_diff::{Context, Difference};

/// A text with more letters on both sides is shown around its changes only.
const LARGE: usize = 600_000;

/// How many unchanged lines are shown around a change.
const AROUND: usize = 3;

/// A change as somebody reviews it.
#[derive(Debug, Clone)]
pub struct Review {
    /// What differs between both versions, and what is known of them beside.
    pub view: DifferenceView,
    /// What happened to the page.
    pub told: Told,
    /// What the visit found that is reviewed.
    pub visit: ReviewedVisit,
    /// The lines, where the page has a text.
    pub rows: Vec<DiffRow>,
    /// Links and images that came and went, and are not the page's own; `view.beside` has the others.
    pub foreign: Vec<ForeignAddresses>,
    /// What its head says otherwise, such as its title.
    pub head: Vec<HeadChange>,
    /// What each noise rule removed otherwise than before: its name, and how many pieces.
    pub known_noise: Vec<(String, u32)>,
    /// The bodies of both versions, where they are kept and no text of theirs can be compared.
    pub files: Vec<Stored>,
    /// The newer lines are those of the visit, so that they can be named by its crawl and their numbers.
    pub is_of_visit: bool,
}

/// A part of a page's head that says something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadChange {
    /// Which part: `title`.
    pub what: &'static str,
    /// What it said; empty where there was none.
    pub went: String,
    /// What it says; empty where there is none.
    pub came: String,
}

/// What happened to a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// It is gone.
    Gone {
        /// Since when.
        since: Timestamp,
        /// What it answers.
        status: Option<u16>,
        /// It was asked twice in one crawl.
        asked_twice: bool,
        /// When it was last there.
        last_seen: Timestamp,
    },
    /// It is new.
    New {
        /// Since when.
        since: Timestamp,
    },
    /// It leads to another page.
    Moved {
        /// Since when.
        since: Timestamp,
        /// Where it leads: a page, or an address that is none.
        target: Option<String>,
    },
    /// It says what it said before, but for what is folded.
    Unchanged {
        /// Since when.
        since: Timestamp,
    },
    /// It says something else.
    Changed,
}

/// What a visit found.
#[derive(Debug, Clone)]
pub struct ReviewedVisit {
    /// The crawl.
    pub crawl: CrawlId,
    /// When.
    pub at: Timestamp,
    /// What was found.
    pub kind: Verdict,
    /// The stable id of the change.
    pub event: EventId,
    /// How near it is to what the page is about.
    pub tier: Option<Tier>,
    /// What kinds of change it is.
    pub kinds: Kinds,
    /// How large it is.
    pub words: WordCount,
    /// What became of the wish to have it archived.
    pub archive: Option<Archive>,
}

impl ReviewedVisit {
    fn of(record: &PageRecord) -> Self {
        let visit = &record.visit;
        Self {
            crawl: record.crawl,
            at: visit.fetched_at,
            kind: visit.verdict,
            event: EventId::new(record.crawl, &record.url),
            tier: visit.tier,
            kinds: visit.kinds,
            words: visit.words,
            archive: record.archive.clone(),
        }
    }
}

impl Reports<'_> {
    /// Compares two versions of a page as somebody reviews a change.
    ///
    /// Where only the newer version is asked for, it is the visit of that crawl that is told: of a page that is gone, what
    /// it said; of one that is new, what it says; of one that has nothing of its own, since when.
    pub async fn review(
        &self,
        reader: &Reader,
        site: &Site,
        url: &PageUrl,
        asked: &Asked,
    ) -> Result<Review, ReportError> {
        let visits = PageVisits::found(self.history, &site.id, url).await?;
        let judged = visits.judged(asked.to);
        let versions = versions(&judged.visits);
        let newer = chosen(&versions, asked.to, &visits.order)?;
        let visit = reviewed(&judged, asked.to, &visits.order).unwrap_or(newer.first);
        let from = asked.from.map(|from| visits.judged(Some(from)));
        let earlier = from.as_ref().map(|from| recrawl_core::versions::versions(&from.visits));
        let previous = newer.number.checked_sub(2).and_then(|place| versions.get(place));
        let named = match &earlier {
            Some(earlier) => Some(chosen(earlier, asked.from, &visits.order)?),
            None => None,
        };
        // A list names what was believed before: mostly that is the version before.
        let is_far = |older: &Version<'_>| older.number + 1 < newer.number || older.number > newer.number;
        let far = named.filter(|older| is_far(older));
        let older = far.or(previous);
        let told = told(newer, visit, older.is_some(), far.is_some());
        let is_next = far.is_none();
        let (before, after) = match told {
            Told::Gone { .. } => (Some(newer.last), visit),
            Told::Unchanged { .. } => (before(&judged, visit), visit),
            Told::New { .. } | Told::Moved { .. } | Told::Changed => {
                (older.map(|version| version.last), newer.first)
            }
        };
        let compared = self.fitting(reader, site, before, after, asked.options).await?;
        let mut difference = compared.difference.clone();
        if let Told::Gone { .. } = told
            && let Some(text) = text_of(self.history, &site.id, newer.last.known.content.as_ref()).await?
        {
            difference = said(&text);
        }
        let is_of_record = after.crawl == visit.crawl && is_next;
        let is_compared = matches!(told, Told::Changed | Told::Unchanged { .. }) && !asked.options.markup;
        let edits = if is_of_record && is_compared {
            LineEdits::read(self.history, visit).await?
        } else {
            LineEdits::default()
        };
        let shared = match visits.crawls.iter().find(|crawl| crawl.id == visit.crawl) {
            Some(crawl) => self.shared_changes(site, crawl).await?,
            None => std::sync::Arc::default(),
        };
        let hash = before
            .filter(|_| after.content_hash().is_none())
            .map_or_else(|| after.content_hash(), PageRecord::content_hash);
        let number = |record: &PageRecord| number(&versions, record).unwrap_or(newer.number);
        let mut view = DifferenceView {
            site: site.id.clone(),
            url: url.clone(),
            title: self.titles(&site.id, hash.as_slice()).await?.into_values().next(),
            older: before.map(|record| SideView {
                number: older
                    .filter(|_| asked.from.is_some())
                    .map_or_else(|| number(record), |older| older.number),
                ..plain_side(record, compared.older_has_text)
            }),
            newer: side(newer, after, compared.newer_has_text),
            unusual: judged.remark(after.crawl),
            difference: Difference { hunks: Vec::new(), ..difference.clone() },
            of_markup: asked.options.markup,
            facts: compared.facts.clone(),
            beside: compared.beside.clone(),
            notes: compared.notes.clone(),
            versions: versions.iter().rev().map(|version| version.first.crawl).collect(),
        };
        if matches!(told, Told::Gone { .. }) {
            // What went with the page is what it said.
            view.beside.clear();
            view.notes.clear();
        }
        let has_text = compared.older_has_text || compared.newer_has_text;
        let whole = shown_whole(&told, newer, after).filter(|_| !asked.options.markup);
        let rows = self.without_frame(site, whole, rows(difference, &edits, &shared, AROUND)).await?;
        let foreign = if is_of_record { take_foreign(&mut view.beside, visit, &shared) } else { Vec::new() };
        let files = if has_text || asked.options.markup {
            Vec::new()
        } else {
            Stored::of(self.history, before.into_iter().chain([after])).await?
        };
        let told = match told {
            // What is folded is not its own, however its visit was judged.
            Told::Changed if is_of_record && has_text && is_folded(&rows) && compared.beside.is_empty() => {
                Told::Unchanged { since: since(visit) }
            }
            told => told,
        };
        let known_noise = visit.visit.edits.as_ref().filter(|_| is_of_record);
        Ok(Review {
            view,
            told,
            visit: ReviewedVisit::of(visit),
            rows,
            foreign,
            head: if is_of_record { head(visit) } else { Vec::new() },
            known_noise: known_noise.map(|edits| edits.noise.clone()).unwrap_or_default(),
            files,
            is_of_visit: after.crawl == visit.crawl,
        })
    }

    /// Folds what stands around the content of a page that came or went as a whole.
    async fn without_frame(
        &self,
        site: &Site,
        content: Option<&ContentRef>,
        rows: Vec<DiffRow>,
    ) -> Result<Vec<DiffRow>, StoreError> {
        let Some(content) = content else { return Ok(rows) };
        let readings = self.history.readings(&site.id, std::slice::from_ref(content)).await?;
        let Some(Reading { text, outline: Some(outline) }) = readings.into_iter().flatten().next() else {
            return Ok(rows);
        };
        let marks: Vec<Mark> = outline.marks().take(text.lines().count()).collect();
        Ok(fold_frame(rows, &marks))
    }

    /// Compares two versions whole, or, where that is too much, around what changed.
    async fn fitting(
        &self,
        reader: &Reader,
        site: &Site,
        before: Option<&PageRecord>,
        after: &PageRecord,
        options: ComparisonOptions,
    ) -> Result<std::sync::Arc<super::Comparison>, StoreError> {
        let whole = ComparisonOptions { context: Context::All, ..options };
        let compared = self.comparison(reader, site, before, after, whole).await?;
        let lines = compared.difference.hunks.iter().flat_map(|hunk| &hunk.lines);
        let letters: usize = lines.flat_map(|line| &line.pieces).map(|piece| piece.text.len()).sum();
        if letters <= LARGE && compared.difference.omitted_lines == 0 {
            return Ok(compared);
        }
        let around = ComparisonOptions { context: Context::Lines(AROUND), ..options };
        self.comparison(reader, site, before, after, around).await
    }
}

/// Returns the visit that is reviewed: that of the crawl that is asked for, or the last one before it.
fn reviewed<'a>(judged: &'a Judged, to: Option<CrawlId>, order: &Order) -> Option<&'a PageRecord> {
    let Some(to) = to else { return judged.visits.last() };
    let place = order.place(to);
    judged.visits.iter().rev().find(|visit| order.place(visit.crawl) <= place)
}

/// Returns the visit before another one that found the page there.
fn before<'a>(judged: &'a Judged, visit: &PageRecord) -> Option<&'a PageRecord> {
    let earlier = judged.visits.iter().take_while(|other| other.crawl != visit.crawl);
    earlier.filter(|other| other.known.presence == Presence::Present).last()
}

/// Decides what is told of a visit, given the version that was current after it.
fn told(newer: &Version<'_>, visit: &PageRecord, has_older: bool, is_far: bool) -> Told {
    let at = visit.visit.fetched_at;
    match visit.visit.verdict {
        Verdict::Gone | Verdict::Missing => {
            let gone = newer.gone.unwrap_or(visit);
            Told::Gone {
                since: gone.visit.fetched_at,
                status: gone.visit.status,
                asked_twice: gone.visit.requests > 1,
                last_seen: newer.last_seen(),
            }
        }
        _ if is_far => Told::Changed,
        Verdict::Moved => Told::Moved {
            since: at,
            target: redirect_targets(visit).into_iter().next().map(String::from).or_else(|| visit.location()),
        },
        Verdict::Shared | Verdict::Touched => Told::Unchanged { since: since(visit) },
        _ if !has_older => Told::New { since: newer.first_seen() },
        Verdict::New | Verdict::Changed | Verdict::Unchanged | Verdict::Failed | Verdict::Excluded => {
            Told::Changed
        }
    }
}

/// Returns the content of which every line is shown: what a page said that is gone, or what a new one says.
fn shown_whole<'a>(told: &Told, newer: &Version<'a>, after: &'a PageRecord) -> Option<&'a ContentRef> {
    match told {
        Told::Gone { .. } => newer.last.known.content.as_ref(),
        Told::New { .. } => after.known.content.as_ref(),
        Told::Moved { .. } | Told::Unchanged { .. } | Told::Changed => None,
    }
}

/// Returns what the head of a page says otherwise, and no other page with it.
fn head(visit: &PageRecord) -> Vec<HeadChange> {
    let edits = visit.visit.edits.iter().flat_map(|edits| &edits.list);
    let own = edits.filter(|edit| edit.aspect == Aspect::Meta && edit.state == EditState::Own);
    own.filter_map(|edit| {
        let (went, came) = edit.texts.clone()?;
        Some(HeadChange { what: edit.traits.kinds.iter().next()?.word(), went, came })
    })
    .collect()
}

/// Returns since when a page says what it says.
fn since(visit: &PageRecord) -> Timestamp {
    visit.known.last_changed.unwrap_or(visit.known.first_seen)
}

fn is_folded(rows: &[DiffRow]) -> bool {
    only_folded(rows).is_some_and(|folds| !folds.is_empty())
}

/// Returns what a page said that is gone, as lines that went.
fn said(text: &str) -> Difference {
    let later = std::time::Instant::now() + std::time::Duration::from_secs(1);
    crate::text_diff::compare_within(text, "", Context::All, later, crate::text_diff::Limit::PAGE)
}

fn number(versions: &[Version<'_>], record: &PageRecord) -> Option<usize> {
    let is_of = |version: &&Version<'_>| version.first.visit.fetched_at <= record.visit.fetched_at;
    versions.iter().rev().find(is_of).map(|version| version.number)
}

fn plain_side(record: &PageRecord, has_text: bool) -> SideView {
    SideView {
        number: 0,
        crawl: record.crawl,
        fetched_at: record.visit.fetched_at,
        wayback_url: record.archive.as_ref().and_then(|archive| archive.wayback_url.clone()),
        has_text,
    }
}
