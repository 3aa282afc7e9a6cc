//! A line a site: where it stands, and at most one button.

use futures_util::future::try_join_all;
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};
use recrawl_core::model::crawl::shown_name;
use recrawl_reports::sites::{SiteLine, SiteStanding};

use super::components::{Fold, Pill, fold_line, pill};
use super::forms::{Weight, act};
use super::layout::with_code;
use super::standing::tried_again;
use crate::address::{self, ADD_SITE, SITES};
use crate::app::Served;
use crate::crawl_control::{Activity, NextTry, SiteState};
use crate::error::WebError;
use crate::listing::days_ago;
use crate::schedule_form;
use crate::visitor::Visitor;
use crate::words::{counted, moment, number};

/// So many sites are all shown on the first screen.
const FEW: usize = 8;

/// How many of many sites are shown there.
const MOST: usize = 20;

/// A site, and what goes on with it.
pub(super) struct Watched<'a> {
    /// Where it stands.
    pub(super) line: &'a SiteLine,
    /// What goes on with it.
    pub(super) activity: Activity,
    /// When it is crawled by itself, in words, where anybody here crawls.
    pub(super) schedule: Option<String>,
    next: Option<Timestamp>,
    /// When a crawl is tried again that could not go on.
    next_try: Option<NextTry>,
}

impl<'a> Watched<'a> {
    /// Asks what goes on with these sites: who crawls here knows.
    pub(super) async fn all(served: &Served, lines: &'a [SiteLine]) -> Result<Vec<Self>, WebError> {
        try_join_all(lines.iter().map(|line| Self::of(served, line))).await
    }

    async fn of(served: &Served, line: &'a SiteLine) -> Result<Self, WebError> {
        let Some(crawl_control) = &served.app.crawl_control else {
            let is_open = line.state == SiteStanding::Crawling;
            let activity = Activity::seen_from_outside(is_open);
            return Ok(Self { line, activity, schedule: None, next: line.next_crawl, next_try: None });
        };
        let SiteState { activity, schedule, next_crawl, next_try, .. } =
            crawl_control.state(&line.site).await?;
        let schedule = schedule.as_ref().map_or_else(|| "by hand only".to_owned(), schedule_form::words);
        Ok(Self { line, activity, schedule: Some(schedule), next: next_crawl, next_try })
    }

    /// Returns the line, with what stands below its name, and its button.
    pub(super) fn shown(&self, below: &Markup, button: &Markup, now: Timestamp) -> Markup {
        let Self { line, activity, next, next_try, .. } = self;
        let site = address::site(&line.site);
        // Nothing comes of a crawl that rests.
        let goes_on = !matches!(activity, Activity::Idle | Activity::Paused);
        let events = goes_on.then(|| format!("/events/{}", line.site));
        let is_in_trouble = line.state == SiteStanding::Failed
            || line.site_state.is_some() && line.state != SiteStanding::Unusual;
        let what_to_do = line.advice.as_deref().filter(|_| is_in_trouble);
        html! {
            li data-events=[events] data-activity=[goes_on.then(|| activity.word())] {
                @if next_try.is_some() && line.state == SiteStanding::Crawling { (pill(Pill::Running, "waiting")) }
                @else { (pill(look(line), &line.word)) }
                span.name { a href=(site) { (shown_name(&line.site, &line.root)) } (below) }
                span.what {
                    @if next_try.is_none() || line.state != SiteStanding::Crawling { (line.sentence) }
                    @if let Some(next) = next_try { " " (tried_again(next, now)) }
                    @if let Some(advice) = what_to_do { " " span.soft { (with_code(advice)) } }
                    @if goes_on { " " span.soft.progress {} }
                }
                span.when {
                    @if let Some(last) = line.last_crawl { span { (moment(last, now)) } }
                    @if let Some(next) = *next { span { "next " (moment(next, now)) } }
                }
                span.act { (button) }
            }
        }
    }

    /// Returns what is most pressing to do with the site.
    pub(super) fn most_pressing(&self, visitor: &Visitor, now: Timestamp) -> Markup {
        if self.next_try.is_some() && self.line.state == SiteStanding::Crawling {
            let start = format!("{}/start", address::site(&self.line.site));
            let label = html! { "Try now" span.only-read { " " (self.line.site) } };
            return act(visitor, &start, &[], &label, Weight::Quiet);
        }
        button(visitor, self.line, now)
    }
}

/// Returns the sites for the first screen, those that need somebody first. Where there are many, the others are counted.
pub(super) async fn site_lines(
    served: &Served,
    visitor: &Visitor,
    lines: &[SiteLine],
    now: Timestamp,
) -> Result<Markup, WebError> {
    let calm = |line: &&SiteLine| line.state.is_calm();
    let needy = lines.iter().take_while(|line| !line.state.is_calm()).count();
    let count = if lines.len() <= FEW { lines.len() } else { needy.clamp(1, MOST) };
    let (shown, rest) = lines.split_at(count);
    let watched = Watched::all(served, shown).await?;
    let calm = rest.iter().filter(calm).count();
    Ok(html! {
        section.block aria-labelledby="sites" {
            div.heading {
                h2 #sites { "Sites " span.soft.n { (number(lines.len() as u64)) } }
                @if visitor.may_set() { div.acts { a.button.plain href=(ADD_SITE) { "Add a site" } } }
            }
            ul.sites {
                @for site in &watched { (site.shown(&html! {}, &site.most_pressing(visitor, now), now)) }
            }
            @if !rest.is_empty() {
                (fold_line(&Fold {
                    count: &counted(rest.len() as u64, "more site"),
                    words: if calm == rest.len() { "that need nobody now" } else { "" },
                    hint: &standings(rest),
                    address: SITES,
                    inside: None,
                }))
            }
        }
    })
}

/// Counts sites by where they stand: `21 quiet, 2 seen`.
fn standings(lines: &[SiteLine]) -> String {
    let mut counts: Vec<(&'static str, u64)> = Vec::new();
    for line in lines {
        let word = line.state.words();
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    let counts: Vec<String> =
        counts.iter().map(|(word, count)| format!("{} {word}", number(*count))).collect();
    counts.join(", ")
}

const fn look(line: &SiteLine) -> Pill {
    match line.state {
        SiteStanding::Failed => Pill::Failed,
        SiteStanding::Unusual if line.has_failed => Pill::Failed,
        SiteStanding::Unusual => Pill::Unusual,
        SiteStanding::Unseen => Pill::Unseen,
        SiteStanding::Crawling => Pill::Running,
        SiteStanding::Partial
        | SiteStanding::Seen
        | SiteStanding::Quiet
        | SiteStanding::First
        | SiteStanding::New => Pill::Quiet,
    }
}

/// Returns what is most pressing to do with a site.
fn button(visitor: &Visitor, line: &SiteLine, now: Timestamp) -> Markup {
    let site = address::site(&line.site);
    let crawl = line.crawl.map_or_else(|| site.clone(), |crawl| address::crawl(&line.site, crawl));
    let named = html! { span.only-read { " " (shown_name(&line.site, &line.root)) } };
    match line.state {
        SiteStanding::Failed => html! { a.button href=(site) { "What to do" (named) } },
        SiteStanding::Unusual => html! { a.button href=(crawl) { "Review" (named) } },
        SiteStanding::Unseen => {
            // The same address every time, so that a browser shows where one was.
            let is_week = line.since > days_ago(7, now) - SignedDuration::from_mins(1);
            let since = if is_week { "7d".to_owned() } else { line.since.to_string() };
            let window = [("site", line.site.as_str()), ("since", &since), ("unseen", "true")];
            let unseen = address::with_query("/", &window);
            html! { a.button href=(unseen) { "Review " (number(line.unseen as u64)) (named) } }
        }
        SiteStanding::New => {
            let start = format!("{site}/start");
            act(visitor, &start, &[], &html! { "Crawl now" (named) }, Weight::Quiet)
        }
        SiteStanding::Crawling
        | SiteStanding::Partial
        | SiteStanding::Seen
        | SiteStanding::Quiet
        | SiteStanding::First => html! {},
    }
}
