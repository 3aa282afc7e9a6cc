//! Everything that bears on a verdict, for people and programs.

use std::io::{self, Write};

use jiff::Timestamp;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::content::Extractor;
use recrawl_core::model::crawl::{Crawl, Mode};
use recrawl_core::model::ids::{CrawlId, RulesVersion};
use recrawl_core::model::record::{Check, ContentRef, PageRecord, PageState, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use serde::Serialize;

use super::reading::Reading;
use super::why::why;
use crate::output::{Cell, Column, Sheet, day_and_time, sanitize_for_terminal, style_of, terminal_width};
use crate::read::changes::kind;
use crate::read::frequency::Frequency;
use crate::read::rules::Rules;

/// Everything that bears on a verdict; its JSON form is stable.
#[derive(Debug, Serialize)]
pub(super) struct Account {
    url: PageUrl,
    crawl: CrawlId,
    /// The crawl that it was compared with.
    compared_with: Option<CrawlId>,
    visited_at: Timestamp,
    verdict: Verdict,
    aspects: Aspects,
    /// The rule, in words.
    why: String,
    /// Why the crawl is doubted, if it is and nobody accepted it.
    suspect: Option<String>,
    status: Option<u16>,
    reason: Option<String>,
    requests: u32,
    not_modified: bool,
    check: Check,
    /// What a conditional request carries or would have carried, in words.
    conditional: String,
    /// What was compared: before and after.
    compared: Vec<Comparison>,
    rules: RulesVersions,
    /// The sides that count here.
    compare: Aspects,
    /// What the rules in force leave out of the body as it is now; `null` where it cannot be read again.
    removed: Option<Vec<Removed>>,
    /// What can be told only of a body that was kept, in words.
    notes: Vec<String>,
    frequency: Frequency,
}

/// A value before and after a visit.
#[derive(Debug, Serialize)]
struct Comparison {
    what: &'static str,
    before: Option<String>,
    after: Option<String>,
    same: bool,
}

/// The versions of the rules of reading.
#[derive(Debug, Serialize)]
struct RulesVersions {
    /// Those by which the stored hashes were made.
    before: Option<String>,
    after: Option<String>,
    /// Those in force here.
    in_force: String,
}

/// Something that does not count.
#[derive(Debug, Serialize)]
struct Removed {
    rule: String,
    what: String,
    /// It was left out of the page before, too.
    was_there_before: Option<bool>,
}

impl Account {
    /// Gathers what bears on the verdict of `record`, compared with `previous`.
    pub(super) fn new(
        record: &PageRecord,
        previous: Option<&PageRecord>,
        crawl: Option<&Crawl>,
        rules: &Rules,
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

    /// Writes the account for people.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let style = style_of(self.verdict);
        let verdict = kind(self.verdict, self.aspects);
        writeln!(out, "{} in {}: {style}{verdict}{style:#}", self.url, self.crawl)?;
        writeln!(out, "{}\n", sanitize_for_terminal(&self.why))?;
        let width = terminal_width();
        self.facts().write_table(out, width)?;
        if !self.compared.is_empty() {
            writeln!(out)?;
            self.comparisons().write_table(out, width)?;
        }
        self.write_removed(out, width)?;
        if !self.notes.is_empty() {
            writeln!(out)?;
        }
        self.notes.iter().try_for_each(|note| writeln!(out, "{}", sanitize_for_terminal(note)))
    }

    fn facts(&self) -> Sheet {
        let mut sheet = Sheet::of_facts();
        sheet.fact("visited (UTC)", day_and_time(self.visited_at));
        let compared_with =
            self.compared_with.map_or_else(|| "nothing before it".to_owned(), |crawl| crawl.to_string());
        sheet.fact("compared with", compared_with);
        if let Some(reason) = &self.suspect {
            sheet.fact("suspect crawl", reason.as_str());
        }
        let status = self.status.map_or_else(|| "none".to_owned(), |status| status.to_string());
        let confirmed = if self.not_modified { " (confirmed by a 304)" } else { "" };
        sheet.fact("status", format!("{status}{confirmed}"));
        if let Some(reason) = &self.reason {
            sheet.fact("reason", reason.as_str());
        }
        sheet.fact("requests", self.requests.to_string());
        sheet.fact("asked", self.conditional.as_str());
        let check = match self.check {
            Check::None => None,
            Check::Confirmed => Some("that nothing changed was checked, and was true"),
            Check::False304 => Some("that nothing changed was checked, and was not true"),
        };
        if let Some(check) = check {
            sheet.fact("check", check);
        }
        sheet.fact("rules in force", format!("{}, for changes of {}", self.rules.in_force, self.compare));
        sheet.fact("change frequency", self.frequency.sentence());
        sheet
    }

    fn comparisons(&self) -> Sheet {
        let mut sheet = Sheet::new([
            Column::new("compared"),
            Column::new(""),
            Column::flexible("before"),
            Column::flexible("after"),
        ]);
        for Comparison { what, before, after, same } in &self.compared {
            let shown = |value: &Option<String>| value.as_deref().map_or_else(|| "-".to_owned(), brief);
            let cells: [Cell; 4] = [
                (*what).into(),
                if *same { "same" } else { "differs" }.into(),
                shown(before).into(),
                shown(after).into(),
            ];
            sheet.push(cells);
        }
        sheet
    }

    fn write_removed(&self, out: &mut dyn Write, width: Option<usize>) -> io::Result<()> {
        let Some(removed) = &self.removed else {
            return Ok(());
        };
        writeln!(out)?;
        if removed.is_empty() {
            return writeln!(out, "No rule leaves anything out of the page.");
        }
        writeln!(out, "The rules in force leave out of the page:")?;
        let mut sheet =
            Sheet::new([Column::new("rule"), Column::new("before"), Column::flexible("left out")]);
        for removed in removed {
            let before = match removed.was_there_before {
                Some(true) => "same",
                Some(false) => "new",
                None => "-",
            };
            sheet.push([removed.rule.as_str().into(), before.into(), removed.what.as_str().into()]);
        }
        sheet.write_table(out, width)
    }
}

/// Shortens a hash: it is to be compared, not to be typed.
fn brief(value: &str) -> String {
    let is_hash = value.len() == 64 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { format!("{}…", &value[..16]) } else { value.to_owned() }
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

fn compared(before: Option<&PageState>, after: &PageState) -> Vec<Comparison> {
    let content = |known: &PageState| known.content.clone().filter(|_| known.presence != Presence::Unknown);
    let before_content = before.and_then(content);
    let after_content = content(after);
    let of = |what, value: fn(&ContentRef) -> Option<String>| {
        let (before, after) =
            (before_content.as_ref().and_then(value), after_content.as_ref().and_then(value));
        Comparison { what, same: before == after, before, after }
    };
    let header = |what, value: fn(&PageState) -> Option<String>| {
        let (before, after) = (before.and_then(value), value(after));
        Comparison { what, same: before == after, before, after }
    };
    let all = [
        header("etag", |known| known.headers.etag.clone()),
        header("last-modified", |known| known.headers.last_modified.clone()),
        header("location", |known| known.headers.location.clone()),
        of("bytes (sha-256)", |content| Some(content.hash.to_string())),
        of("meaning (sha-256)", |content| Some(content.semantic.to_string())),
        of("rules", |content| Some(content.rules.0.clone())),
        of("links", |content| content.signatures.map(|signatures| format!("{:016x}", signatures.links.0))),
        of("media", |content| content.signatures.map(|signatures| format!("{:016x}", signatures.media.0))),
    ];
    all.into_iter().filter(|comparison| comparison.before.is_some() || comparison.after.is_some()).collect()
}

fn removed(before: &Reading, now: &Reading) -> Option<Vec<Removed>> {
    let earlier = before.explanation();
    let removed = |removal: &recrawl_extract::Removal| Removed {
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
        Reading::Opaque => notes.push("The page is not HTML: its bytes count, and nothing is left out.".to_owned()),
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
        stored.filter(|stored| stored.of_whole() != *in_force && **stored != RulesVersion::bytes())
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
