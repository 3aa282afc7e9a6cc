//! Whether and how a page is asked for: not at all, presumed unchanged, or by which requests (HEAD, conditional GET with
//! `If-None-Match` and `If-Modified-Since`, a check of a 304).

use jiff::{SignedDuration, Timestamp};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::learnt::Learnt;
use crate::model::crawl::Mode;
use crate::model::policy::CrawlPolicy;
use crate::model::record::{Found, FoundBy, PageState, Presence, Validators};
use crate::model::scope::Scope;
use crate::plan::sample::SmartDecision;
use crate::plan::visit_planner::VisitPlanner;
use crate::url::PageUrl;

/// A page that answered 410 is asked for in every crawl of this number: a 410 may be a mistake.
const ASKED_EVERY: u32 = 8;

const GONE: &str = "gone for good (410), asked again in ";

const IMAGES_ARE_NOT_WATCHED: &str = "images are not watched (watch-images)";

/// What one visit does about a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// It is not asked for, by rule.
    Exclude(String),
    /// It is believed to be what it was; asked for by these questions if its stored content is lost.
    Presume(String, Questions),
    /// It is asked for.
    Ask(Questions),
}

/// The requests that a visit makes, at most three: HEAD, GET, and a check of a 304.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Questions {
    /// What makes the requests conditional.
    pub validators: Option<Validators>,
    /// Whether the headers are asked for first.
    pub head_first: bool,
    /// Whether an answer that nothing changed is checked by an unconditional request.
    pub checks_unchanged: bool,
}

/// The page that a visit is about.
#[derive(Debug, Clone, Copy)]
pub struct Planned<'a> {
    /// Its address.
    pub url: &'a PageUrl,
    /// How it was found.
    pub found: &'a Found,
    /// How far from the root it is by the shortest way known.
    pub depth: u32,
    /// What is known of it.
    pub known: Option<&'a PageState>,
    /// What an unusual crawl fetched since, where that is something else: it is not fetched again.
    pub fetched: Option<&'a PageState>,
    /// The reason in its last record, where it is gone for good.
    pub last_reason: Option<&'a str>,
}

/// What a crawl goes by.
#[derive(Debug, Clone, Copy)]
pub struct PlanRules<'a> {
    /// The root of the site.
    pub root: &'a PageUrl,
    /// How known pages are asked for.
    pub mode: Mode,
    /// What the crawl draws pages by.
    pub draw: u64,
    /// What belongs to the site.
    pub scope: &'a Scope,
    /// What a person set.
    pub policy: &'a CrawlPolicy,
    /// What is expected of pages.
    pub planner: &'a VisitPlanner,
}

/// Decides what a visit of `page` at `now` does. Of the pages that it would ask for, robots.txt has the last word.
pub fn request_plan(page: &Planned<'_>, rules: &PlanRules<'_>, learnt: &Learnt, now: Timestamp) -> Plan {
    if let Some(reason) = exclusion(page, rules, learnt) {
        return Plan::Exclude(reason);
    }
    let present = page.fetched.or(page.known).filter(|known| known.presence == Presence::Present);
    let conditional = present.filter(|_| asks_conditionally(page.url, rules, learnt));
    let questions = Questions {
        validators: conditional.and_then(|known| known.headers.validators()),
        // Capsules know no such request.
        head_first: conditional.is_some() && rules.policy.head_first && !page.url.is_gemini(),
        // What is checked is compared with what is believed.
        checks_unchanged: page.fetched.is_none() && is_drawn(page.url, rules),
    };
    // Where two crawls saw something different, somebody must ask.
    let settled = present.filter(|_| page.fetched.is_none());
    match settled.and_then(|known| presumption(page.url, known, rules, learnt, now)) {
        Some(reason) => Plan::Presume(reason, questions),
        None => Plan::Ask(questions),
    }
}

/// Tells whether the last record of a page must be read for its plan.
pub fn needs_last_reason(known: Option<&PageState>, mode: Mode) -> bool {
    known.is_some_and(|known| known.presence == Presence::GoneForGood) && mode != Mode::Full
}

fn exclusion(page: &Planned<'_>, rules: &PlanRules<'_>, learnt: &Learnt) -> Option<String> {
    if let Err(reason) = rules.scope.admits_found(page.url, page.found.by) {
        return Some(reason.to_string());
    }
    if page.found.by == FoundBy::Image && !rules.policy.watch_images {
        return Some(IMAGES_ARE_NOT_WATCHED.to_owned());
    }
    if let Err(reason) = rules.scope.admits_depth(page.depth) {
        return Some(reason.to_string());
    }
    if needs_last_reason(page.known, rules.mode)
        && let Some(reason) = gone_for_good(page.last_reason)
    {
        return Some(reason);
    }
    let was_live = page.known.is_some_and(|known| known.presence.is_live());
    let trap = if was_live { None } else { learnt.traps().around(page.url, page.found) };
    trap.map(|trap| trap.to_string())
}

/// Returns why a page that answered 410 is not asked for, given the reason of its last record; `None` if it is.
///
/// The reason counts the crawls down, which needs no other memory and survives the pruning of old crawls.
fn gone_for_good(last: Option<&str>) -> Option<String> {
    let number = |reason: &str| reason.strip_prefix(GONE)?.split(' ').next()?.parse::<u32>().ok();
    let left = last.and_then(number).map_or(ASKED_EVERY, |left| left.min(ASKED_EVERY)).saturating_sub(1);
    let crawls = if left == 1 { "crawl" } else { "crawls" };
    (left > 0).then(|| format!("{GONE}{left} {crawls}"))
}

fn asks_conditionally(url: &PageUrl, rules: &PlanRules<'_>, learnt: &Learnt) -> bool {
    let by_mode = match rules.mode {
        Mode::Full => false,
        Mode::Incremental => true,
        Mode::Smart => learnt.turn() != Some(SmartDecision::Full),
    };
    by_mode && !learnt.distrusts(url)
}

/// Tells whether a 304 for `url` is checked: a fixed share of the pages, others in every crawl.
fn is_drawn(url: &PageUrl, rules: &PlanRules<'_>) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
    let place = xxh3_64_with_seed(url.as_str().as_bytes(), rules.draw) as f64 / u64::MAX as f64;
    place < rules.policy.checked_share
}

/// Returns why a known page is believed to be what it was, in words, where nobody needs to ask.
fn presumption(
    url: &PageUrl,
    known: &PageState,
    rules: &PlanRules<'_>,
    learnt: &Learnt,
    now: Timestamp,
) -> Option<String> {
    if rules.mode == Mode::Full || url == rules.root || learnt.is_sampled(url) {
        return None;
    }
    // What was seen ahead of now was seen while a clock was wrong: nobody knows when.
    let age = now.duration_since(known.last_seen);
    if age.is_negative() {
        return None;
    }
    let days = rules.policy.skip_if_visited_days;
    if age < SignedDuration::from_hours(24 * i64::from(days)) {
        return Some(format!("not asked: visited on {}, less than {days} days ago", known.last_seen));
    }
    if let Some(until) = known.fresh_until.filter(|until| rules.policy.trust_freshness && now < *until) {
        return Some(format!("not asked: fresh until {until}, the server said"));
    }
    if rules.mode == Mode::Smart
        && learnt.turn() != Some(SmartDecision::Full)
        && let Some(changed) = rules.planner.unchanged_since(url, known.last_seen)
    {
        return Some(format!("not asked: last changed by {changed}, the sitemap says"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crawls_until_the_next_question_after_a_410_are_counted_down() {
        for (last, next) in [
            (None, Some("gone for good (410), asked again in 7 crawls")),
            (
                Some("gone for good (410) in an earlier crawl"),
                Some("gone for good (410), asked again in 7 crawls"),
            ),
            (
                Some("gone for good (410), asked again in 7 crawls"),
                Some("gone for good (410), asked again in 6 crawls"),
            ),
            (
                Some("gone for good (410), asked again in 2 crawls"),
                Some("gone for good (410), asked again in 1 crawl"),
            ),
            (Some("gone for good (410), asked again in 1 crawl"), None),
            (Some("gone for good (410), asked again in 0 crawls"), None),
            (
                Some("gone for good (410), asked again in 4000 crawls"),
                Some("gone for good (410), asked again in 7 crawls"),
            ),
        ] {
            assert_eq!(gone_for_good(last).as_deref(), next, "{last:?}");
        }
    }
}
