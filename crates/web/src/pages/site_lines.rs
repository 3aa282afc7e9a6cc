//! A line a site: where it stands, and at most one button, for what is most pressing.

use futures_util::future::try_join_all;
use jiff::Timestamp;
use maud::{Markup, html};
use recrawl_reports::sites::{SiteLine, SiteStanding};

use crate::address::{self, ADD_SITE};
use crate::app::Served;
use crate::crawl_control::Activity;
use crate::error::WebError;
use crate::pages::components::{Pill, pill};
use crate::pages::forms::{Weight, act};
use crate::visitor::Visitor;
use crate::words::{moment, number};

/// Returns the sites, those that need somebody first.
pub(super) async fn lines(
    served: &Served,
    visitor: &Visitor,
    lines: &[SiteLine],
    now: Timestamp,
) -> Result<Markup, WebError> {
    let states = try_join_all(lines.iter().map(|line| state_of(served, line))).await?;
    Ok(html! {
        section.block aria-labelledby="sites" {
            div.heading {
                h2 #sites { "Sites " span.soft.n { (number(lines.len() as u64)) } }
                @if visitor.may_act() { div.acts { a.button.plain href=(ADD_SITE) { "Add a site" } } }
            }
            ul.sites { @for (line, state) in lines.iter().zip(&states) { (shown(visitor, line, state, now)) } }
        }
    })
}

/// Returns what goes on with a site, and when it is crawled next: who crawls here knows.
async fn state_of(served: &Served, line: &SiteLine) -> Result<(Activity, Option<Timestamp>), WebError> {
    let Some(crawl_control) = &served.app.crawl_control else {
        let is_open = line.state == SiteStanding::Crawling;
        return Ok((Activity::seen_from_outside(is_open), line.next_crawl));
    };
    let state = crawl_control.state(&line.site).await?;
    Ok((state.activity, state.next_crawl))
}

fn shown(
    visitor: &Visitor,
    line: &SiteLine,
    (activity, next): &(Activity, Option<Timestamp>),
    now: Timestamp,
) -> Markup {
    let site = address::site(&line.site);
    // Nothing comes of a crawl that rests.
    let goes_on = !matches!(activity, Activity::Idle | Activity::Paused);
    let events = goes_on.then(|| format!("/events/{}", line.site));
    let what_to_do = line.advice.as_deref().filter(|_| line.state == SiteStanding::Failed);
    html! {
        li data-events=[events] data-activity=[goes_on.then(|| activity.word())] {
            (pill(look(line), &line.word))
            span.name { a href=(site) { (line.site) } }
            span.what {
                (line.sentence)
                @if let Some(advice) = what_to_do { " " span.soft { (advice) } }
                @if goes_on { " " span.soft.progress {} }
            }
            span.when {
                @if let Some(last) = line.last_crawl { span { (moment(last, now)) } }
                @if let Some(next) = *next { span { "next " (moment(next, now)) } }
            }
            span.act { (button(visitor, line)) }
        }
    }
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
fn button(visitor: &Visitor, line: &SiteLine) -> Markup {
    let site = address::site(&line.site);
    let crawl = line.crawl.map_or_else(|| site.clone(), |crawl| address::crawl(&line.site, crawl));
    let named = html! { span.only-read { " " (line.site) } };
    match line.state {
        SiteStanding::Failed => html! { a.button href=(site) { "What to do" (named) } },
        SiteStanding::Unusual => html! { a.button href=(crawl) { "Review" (named) } },
        SiteStanding::Unseen => {
            let unseen = address::with_query("/", &[("site", line.site.as_str()), ("unseen", "true")]);
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
