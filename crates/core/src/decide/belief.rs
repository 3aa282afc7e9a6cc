//! What becomes of an unusual crawl: the next whole one confirms it, takes it back, or is told all the same. So what a
//! site shows is never kept from people twice in a row.

use jiff::Timestamp;

use crate::decide::opened_before;
use crate::decide::suspicion::{Doubt, suspicion};
use crate::model::crawl::{Closed, Crawl, Ending, Suspicion};
use crate::model::ids::{CrawlId, SemanticHash};
use crate::model::kind::Tier;
use crate::model::record::{PageRecord, Presence};
use crate::model::statistics::Statistics;
use crate::model::verdict::{Sight, Verdict};

/// An unusual crawl is confirmed if this many of a hundred doubted pages that answered are as they were in it.
const CONFIRMED_PERCENT: u64 = 80;

/// Returns the unusual crawl of which `crawl`, which ended so, has the last word: the newest since a whole one was
/// believed, given the crawls of the site in order of opening.
///
/// A crawl that ended early has no last word of one that did not: it did not look at all of it. Where the unusual one
/// ended early, too, there may never be a whole one.
pub fn unusual_before<'a>(crawls: &'a [Crawl], crawl: CrawlId, ending: &Ending) -> Option<&'a Crawl> {
    let is_whole = |closed: &Closed| closed.is_whole();
    let earlier = opened_before(crawls, crawl).iter().rev();
    let mut since = earlier.take_while(|earlier| !earlier.closed.as_ref().is_some_and(is_whole));
    let unusual = since.find(|earlier| earlier.is_unusual(Some(crawl)))?;
    let ended_early = unusual.closed.as_ref().is_some_and(|closed| closed.ending != Ending::Complete);
    (*ending == Ending::Complete || ended_early).then_some(unusual)
}

/// Returns the unusual crawls between the newest believed one and `crawl`, newest first, given the crawls of the site in
/// order of opening: what they fetched is not fetched again.
pub fn unusual_since_believed(crawls: &[Crawl], crawl: CrawlId) -> Vec<CrawlId> {
    let earlier = opened_before(crawls, crawl).iter().rev();
    earlier.take_while(|earlier| !earlier.is_trusted()).map(|earlier| earlier.id).collect()
}

/// Tells whether a page is one of those for which a crawl is doubted.
pub fn is_doubted(doubt: Doubt, record: &PageRecord) -> bool {
    let visit = &record.visit;
    match doubt {
        Doubt::Changed => visit.verdict == Verdict::Changed && visit.tier == Some(Tier::Content),
        Doubt::Lost | Doubt::Failed => {
            let edits = visit.edits.as_ref();
            visit.verdict == Verdict::Gone
                || visit.verdict == Verdict::Failed && record.known.presence.is_live()
                || edits.is_some_and(|edits| edits.have_lost_content(0))
        }
    }
}

/// What a page answered, as far as another visit can confirm it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answered {
    /// It is not there.
    Absent,
    /// It leads elsewhere.
    Redirect,
    /// It says this.
    Text(SemanticHash),
}

impl Answered {
    /// Returns what a visit found; nothing where the page was not asked for, or did not answer.
    pub fn of(record: &PageRecord) -> Option<Self> {
        let has_answered = record.visit.verdict.sight() != Sight::Nothing && record.visit.requests > 0;
        if !has_answered {
            return None;
        }
        match record.known.presence {
            Presence::Present => record.known.content.as_ref().map(|content| Self::Text(content.semantic)),
            Presence::Redirect => Some(Self::Redirect),
            Presence::Unknown | Presence::Gone | Presence::GoneForGood => Some(Self::Absent),
        }
    }

    /// Returns what a visit of an unusual crawl found, if that is what is doubted and can be confirmed. What failed
    /// cannot.
    pub fn doubted(doubt: Doubt, record: &PageRecord) -> Option<Self> {
        let is_confirmable = record.visit.verdict != Verdict::Failed && is_doubted(doubt, record);
        if is_confirmable { Self::of(record) } else { None }
    }
}

/// How far a crawl confirms an unusual one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Confirmation {
    /// How many of the doubted pages answered.
    pub answered: u64,
    /// How many of them are as they were.
    pub as_then: u64,
}

impl Confirmation {
    /// Takes in a doubted page: what was seen of it, and what is seen now.
    pub fn add(&mut self, then: Answered, now: Option<Answered>) {
        self.answered += u64::from(now.is_some());
        self.as_then += u64::from(now == Some(then));
    }

    /// Tells whether the unusual crawl is confirmed.
    pub const fn is_given(&self) -> bool {
        self.answered > 0 && 100 * self.as_then >= CONFIRMED_PERCENT * self.answered
    }
}

/// What is believed of a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Belief {
    /// Why it is unusual, if it is. One that is told all the same is accepted as it is closed.
    pub suspicion: Option<Suspicion>,
    /// It confirms the unusual one before it, and is told with all that changed since the believed one.
    pub confirms: bool,
}

/// Decides what is believed of a crawl that ended so, saw this and is closed `at`. `confirmation` says how far it confirms
/// the unusual one of which it has the last word, if there is one.
pub fn belief(
    ending: &Ending,
    statistics: &Statistics,
    confirmation: Option<Confirmation>,
    at: Timestamp,
) -> Belief {
    let doubted = suspicion(ending, statistics);
    match confirmation {
        None => Belief { suspicion: doubted, confirms: false },
        // One that ended early looked at too little to confirm anything.
        Some(confirmation) if confirmation.is_given() && *ending == Ending::Complete => {
            Belief { suspicion: None, confirms: true }
        }
        Some(_) => {
            let told = doubted.map(|suspicion| Suspicion { accepted_at: Some(at), ..suspicion });
            Belief { suspicion: told, confirms: false }
        }
    }
}

#[cfg(test)]
mod tests;
