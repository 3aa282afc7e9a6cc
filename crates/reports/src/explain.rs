//! Why a visit got its verdict: what was compared, by which rules, and what did not count.

mod reading;
mod why;

use jiff::Timestamp;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::content::Extractor;
use recrawl_core::model::crawl::{Crawl, Mode};
use recrawl_core::model::ids::{CrawlId, RulesVersion};
use recrawl_core::model::record::{Check, ContentRef, PageRecord, PageState, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_extract::HtmlExtractor;
use serde::Serialize;

use self::reading::Reading;
use self::why::why;
use crate::frequency::Frequency;

/// The rules in force for a site.
pub struct RulesInForce<'a> {
    /// What reads its pages.
    pub extractor: &'a HtmlExtractor,
    /// The sides from which they can change.
    pub compare: Aspects,
}

/// Gathers what bears on the verdict of a visit, by the rules in force and the stored bodies.
pub async fn explain(
    history: &dyn History,
    crawls: &[Crawl],
    record: &PageRecord,
    rules: &RulesInForce<'_>,
) -> Result<Account, StoreError> {
    let previous = history.latest_before(&record.site, record.crawl, &record.url).await?;
    let crawl = crawls.iter().find(|crawl| crawl.id == record.crawl);
    let now = Reading::of(history, rules.extractor, record).await?;
    let before = match &previous {
        Some(previous) => Reading::of(history, rules.extractor, previous).await?,
        None => Reading::Nothing,
    };
    Ok(Account::new(record, previous.as_ref(), crawl, rules, &before, &now))
}

/// Everything that bears on a verdict; its JSON form is stable.
#[derive(Debug, Serialize)]
pub struct Account {
    /// The page.
    pub url: PageUrl,
    /// The crawl that visited it.
    pub crawl: CrawlId,
    /// The crawl that it was compared with.
    pub compared_with: Option<CrawlId>,
    /// When.
    pub visited_at: Timestamp,
    /// What was found.
    pub verdict: Verdict,
    /// What differs.
    pub aspects: Aspects,
    /// The rule, in words.
    pub why: String,
    /// Why the crawl is unusual, if it is and was not accepted.
    pub suspect: Option<String>,
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// Why the visit failed or did not take place.
    pub reason: Option<String>,
    /// What is said beside the name of a document, such as `PDF, 12 pages`, or why its text could not be read.
    pub document: Option<String>,
    /// How many requests it took.
    pub requests: u32,
    /// The server said 304.
    pub not_modified: bool,
    /// What a check of a 304 showed.
    pub check: Check,
    /// What a conditional request carries or would have carried, in words.
    pub conditional: String,
    /// What was compared: before and after.
    pub compared: Vec<ComparedValue>,
    /// The rules of reading.
    pub rules: RulesVersions,
    /// The sides that count here.
    pub compare: Aspects,
    /// What the rules in force leave out of the body as it is now; `null` where it cannot be read again.
    pub removed: Option<Vec<RemovedPart>>,
    /// What can be told only of a body that was kept, in words.
    pub notes: Vec<String>,
    /// How often the page changes.
    pub frequency: Frequency,
}

/// A value before and after a visit.
#[derive(Debug, Serialize)]
pub struct ComparedValue {
    /// What it is.
    pub what: &'static str,
    /// Its value before.
    pub before: Option<String>,
    /// Its value after.
    pub after: Option<String>,
    /// Both are the same.
    pub same: bool,
}

/// The versions of the rules of reading.
#[derive(Debug, Serialize)]
pub struct RulesVersions {
    /// Those by which the hash before the visit was made.
    pub before: Option<String>,
    /// Those by which the hash after it was made.
    pub after: Option<String>,
    /// Those in force here.
    pub in_force: String,
}

/// Something that does not count.
#[derive(Debug, Serialize)]
pub struct RemovedPart {
    /// The rule that left it out.
    pub rule: String,
    /// What it is.
    pub what: String,
    /// It was left out of the page before, too.
    pub was_there_before: Option<bool>,
}

impl Account {
    /// Gathers what bears on the verdict of `record`, compared with `previous`.
    fn new(
        record: &PageRecord,
        previous: Option<&PageRecord>,
        crawl: Option<&Crawl>,
        rules: &RulesInForce<'_>,
        before: &Reading,
        now: &Reading,
    ) -> Self {
        let in_force = rules.extractor.rules();
        let visit = &record.visit;
        let doubted =
            crawl.and_then(|crawl| crawl.closed.as_ref()).and_then(|closed| closed.suspicion.as_ref());
        let rules_of = |known: Option<&PageState>| {
            known.and_then(|known| known.content.as_ref()).map(|content| content.rules.0.clone())
        };
        let before_known = previous.map(|previous| &previous.known);
        Self {
            url: record.url.clone(),
            crawl: record.crawl,
            compared_with: previous.map(|previous| previous.crawl),
            visited_at: visit.fetched_at,
            verdict: visit.verdict,
            aspects: visit.aspects,
            why: why(record, previous),
            suspect: doubted.filter(|doubt| doubt.accepted_at.is_none()).map(|doubt| doubt.reason.clone()),
            status: visit.status,
            reason: visit.reason.clone(),
            document: record.document().map(str::to_owned),
            requests: visit.requests,
            not_modified: visit.not_modified,
            check: visit.check,
            conditional: conditional(record, before_known, crawl.map(|crawl| crawl.mode)),
            compared: compared(before_known, &record.known),
            compare: rules.compare,
            rules: RulesVersions {
                before: rules_of(before_known),
                after: rules_of(Some(&record.known)),
                in_force: in_force.0.clone(),
            },
            removed: removed(before, now),
            notes: notes(record, previous, in_force, before, now),
            frequency: Frequency::of(&record.known),
        }
    }
}

/// Says what a conditional request carried, as far as it follows from what is stored.
fn conditional(record: &PageRecord, before: Option<&PageState>, mode: Option<Mode>) -> String {
    if record.visit.requests == 0 {
        return "not at all".to_owned();
    }
    let present = before.filter(|before| before.presence == Presence::Present);
    let Some(validators) = present.and_then(|before| before.headers.validators()) else {
        return "without conditions: no ETag and no Last-Modified was known".to_owned();
    };
    let etag = validators.etag.map(|etag| format!("If-None-Match: {etag}"));
    let date = validators.last_modified.map(|date| format!("If-Modified-Since: {date}"));
    let carried = [etag, date].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let visit = &record.visit;
    match (visit.not_modified || visit.is_same_by_head() || visit.check != Check::None, mode) {
        (true, _) => format!("with {carried}"),
        (false, Some(Mode::Full)) => format!("without conditions, in mode full ({carried} was known)"),
        (false, Some(Mode::Incremental | Mode::Smart) | None) => {
            format!("with {carried}, unless the host's 304s were not believed")
        }
    }
}

fn compared(before: Option<&PageState>, after: &PageState) -> Vec<ComparedValue> {
    let content = |known: &PageState| known.content.clone().filter(|_| known.presence != Presence::Unknown);
    let before_content = before.and_then(content);
    let after_content = content(after);
    let of = |what, value: fn(&ContentRef) -> Option<String>| {
        let (before, after) =
            (before_content.as_ref().and_then(value), after_content.as_ref().and_then(value));
        ComparedValue { what, same: before == after, before, after }
    };
    let header = |what, value: fn(&PageState) -> Option<String>| {
        let (before, after) = (before.and_then(value), value(after));
        ComparedValue { what, same: before == after, before, after }
    };
    let all = [
        header("etag", |known| known.headers.etag.clone()),
        header("last-modified", |known| known.headers.last_modified.clone()),
        header("location", |known| known.headers.location.clone()),
        of("bytes (sha-256)", |content| Some(content.hash.to_string())),
        of("text id (sha-256)", |content| Some(content.semantic.to_string())),
        of("rules", |content| Some(content.rules.0.clone())),
        of("links", |content| content.signatures.map(|signatures| format!("{:016x}", signatures.links.0))),
        of("media", |content| content.signatures.map(|signatures| format!("{:016x}", signatures.media.0))),
    ];
    all.into_iter().filter(|comparison| comparison.before.is_some() || comparison.after.is_some()).collect()
}

fn removed(before: &Reading, now: &Reading) -> Option<Vec<RemovedPart>> {
    let earlier = before.explanation();
    let removed = |removal: &recrawl_extract::Removal| RemovedPart {
        rule: removal.rule.clone(),
        what: removal.what.clone(),
        was_there_before: earlier.map(|earlier| earlier.removals.contains(removal)),
    };
    now.explanation().map(|now| now.removals.iter().map(removed).collect())
}

fn notes(
    record: &PageRecord,
    previous: Option<&PageRecord>,
    in_force: &RulesVersion,
    before: &Reading,
    now: &Reading,
) -> Vec<String> {
    let mut notes = Vec::new();
    let stored = record.known.content.as_ref().map(|content| &content.rules);
    let is_same_content = |previous: &PageRecord| {
        let hash = |record: &PageRecord| record.known.content.as_ref().map(|content| content.hash);
        hash(previous) == hash(record)
    };
    match now {
        Reading::NotKept => notes.push(
            "What the rules leave out is not known: the body was not kept (`recrawl crawl --keep-bodies` decides that)."
                .to_owned(),
        ),
        Reading::Opaque if stored.is_some_and(RulesVersion::is_of_document) => {
            notes.push("It is a document: of the noise rules, document-furniture alone is about it.".to_owned());
        }
        Reading::Opaque => notes.push("The page is not HTML: no noise rule is about it.".to_owned()),
        Reading::Unreadable(reason) => notes.push(format!("What the rules leave out is not known: {reason}.")),
        Reading::Read(_) => {
            if record.visit.verdict == Verdict::Failed {
                notes.push("This is of the last body that could be read, not of this visit.".to_owned());
            }
            if let (Reading::NotKept, Some(_)) = (before, previous.filter(|previous| !is_same_content(previous))) {
                notes.push("Whether it was left out before is not known: the earlier body was not kept.".to_owned());
            }
        }
        Reading::Nothing => {}
    }
    if let Some(stored) =
        stored.filter(|stored| stored.of_whole() != *in_force && !stored.is_comparable_with(in_force))
    {
        notes.push(format!(
            "The stored hash was made by rules {}, and those in force here are {in_force}: the next visit reads the \
             stored body again, or rebases the page without a report.",
            stored.0,
            in_force = in_force.0
        ));
    }
    notes
}
