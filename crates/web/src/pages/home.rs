//! The first screen: what needs me, and what changed, everywhere?

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use maud::{Markup, html};
use recrawl_core::ports::StoreError;
use recrawl_reports::changes::{Bounds, Since, Window};
use recrawl_reports::sites::SiteLine;
use recrawl_reports::{ChangesFilter, Sort, reviews};

use super::changes::{Heading, list_page};
use super::components::{Choice, KeysOf, segments};
use super::first_run::{QUESTION, first_run};
use super::layout::{Frame, NavigationPlace, page};
use super::notices::notices;
use super::site_lines::site_lines;
use crate::address::{self, FEED_OF_EVERYTHING};
use crate::app::Served;
use crate::error::WebError;
use crate::listing::{ListOf, Listed, Listing, days_ago, usual_window};
use crate::parameters::Parameters;
use crate::visitor::Visitor;
use crate::words::counted;

/// How many rows a page of the list has.
const PER_PAGE: usize = 50;

/// The windows that are offered beside "since I last looked", in days.
const WINDOWS: [i64; 2] = [7, 30];

/// `GET /`
pub(super) async fn home(
    State(served): State<Served>,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let app = &served.app;
    let now = (app.clock)();
    let looked = look(&served, &visitor, now).await?;
    let usual = usual_window(&served, now).await?;
    let listing = Listing::window(&parameters, usual, now)?;
    let sites = app.library.sites().await?;
    let notices = notices(app, &visitor).await?;
    let frame = Frame::new("What changed?", NavigationPlace::Home)
        .with_keys(KeysOf::List)
        .for_visitor(app, &headers)
        .with_feed("Changes of all sites".to_owned(), FEED_OF_EVERYTHING.to_owned())
        .saying(parameters.message());
    if sites.is_empty() {
        let heading = if visitor.may_act() { QUESTION } else { "What changed?" };
        let content = html! { h1 { (heading) } (notices) (nothing_yet(&visitor)) };
        return Ok(visitor.answer(page(&frame, &content)));
    }
    let lines = served.reports().site_lines(&sites).await?;
    let listed = listing.read(&served).await?;
    let windows = windows(&served, &listing, looked, now).await?;
    let number = parameters.number("page", 1_000_000)?.unwrap_or(1);
    let unseen: usize = lines.iter().map(|line| line.unseen).sum();
    let content = html! {
        h1 { "What changed?" }
        (lead(&lines, &listed, looked, now))
        (notices)
        (site_lines(&served, &visitor, &lines, now).await?)
        (list_page(&served, &visitor, &listing, &listed, &Heading {
            title: &title(&listing),
            windows: Some(&windows),
            feed: &feed(&listing),
            number,
            per_page: PER_PAGE,
            now,
        }).await?)
    };
    Ok(visitor.answer(page(&frame.with_unseen(unseen as u64), &content)))
}

/// Notes that somebody looks, where that one may do something, and returns since when nobody had.
async fn look(served: &Served, visitor: &Visitor, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
    let library = &*served.app.library;
    if visitor.may_act() {
        reviews::look(library, now).await
    } else {
        reviews::last_looked(library, now).await
    }
}

fn nothing_yet(visitor: &Visitor) -> Markup {
    html! {
        @if visitor.may_act() { (first_run(visitor)) } @else {
            p.lead { "Nothing has been crawled yet." }
            p { "Recrawl visits a web site again and again, and shows here what is new, changed or gone." }
            p { "Begin with " code { "recrawl crawl https://example.org/news" } "; then look here again." }
        }
    }
}

/// Says in a sentence what needs somebody, and how much changed.
fn lead(lines: &[SiteLine], listed: &Listed, looked: Option<Timestamp>, now: Timestamp) -> Markup {
    let needy = lines.iter().filter(|line| line.state.needs_a_look()).count() as u64;
    let unseen: u64 = lines.iter().map(|line| line.unseen as u64).sum();
    let verb = if needy == 1 { "needs" } else { "need" };
    html! {
        p.lead {
            @if needy > 0 { strong { (counted(needy, "site")) " " (verb) " a look." } " " }
            @if unseen > 0 {
                (counted(unseen, "change")) " that nobody has seen"
                @if let Some(looked) = looked { ". You last looked " (on_day(looked, now)) }
                "."
            } @else if listed.counts.all + listed.counts.shared > 0 {
                "Everything that changed is seen."
            } @else if needy == 0 && lines.iter().all(|line| line.state == recrawl_reports::sites::SiteStanding::Quiet) {
                "A quiet week: nothing changed."
            }
        }
    }
}

/// Says on which day something was: `today`, `on Friday 13 November`.
fn on_day(time: Timestamp, now: Timestamp) -> String {
    let (time, now) = (time.to_zoned(TimeZone::UTC), now.to_zoned(TimeZone::UTC));
    match (now.date() - time.date()).get_days() {
        0 => format!("today, {}", time.strftime("%H:%M")),
        1 => "yesterday".to_owned(),
        _ if time.year() == now.year() => format!("on {}", time.strftime("%A %-d %B")),
        _ => format!("on {}", time.strftime("%A %-d %B %Y")),
    }
}

fn title(listing: &Listing) -> String {
    match &listing.of {
        ListOf::Window(_, Some(site)) | ListOf::Crawl(site, _) => format!("Changes, {site}"),
        ListOf::Window(_, None) => "Changes, all sites".to_owned(),
    }
}

fn feed(listing: &Listing) -> String {
    match &listing.of {
        ListOf::Window(_, Some(site)) | ListOf::Crawl(site, _) => address::site_feed(site),
        ListOf::Window(_, None) => FEED_OF_EVERYTHING.to_owned(),
    }
}

/// Returns the windows to choose from, each with its number of changes.
async fn windows(
    served: &Served,
    listing: &Listing,
    looked: Option<Timestamp>,
    now: Timestamp,
) -> Result<Markup, WebError> {
    let ListOf::Window(chosen, site) = &listing.of else { return Ok(html! {}) };
    let of_site = site.as_ref();
    let sites = served.app.library.sites().await?;
    let sites: Vec<_> = sites.into_iter().filter(|site| of_site.is_none_or(|of| site.id == *of)).collect();
    let mut choices = Vec::new();
    let last = looked.map(|looked| ("Since I last looked".to_owned(), looked.to_string(), looked));
    let days = WINDOWS.map(|days| (format!("{days} days"), format!("{days}d"), days_ago(days, now)));
    for (label, word, time) in last.into_iter().chain(days) {
        let since = Since::Time(time);
        let window: Window = served
            .reports()
            .window(&sites, Bounds::since(since), &ChangesFilter::default(), Sort::Weight)
            .await?;
        choices.push(Choice {
            label: html! { (label) },
            address: listing.with(&[("since", &word), ("until", "")]),
            count: Some(window.counts.all as u64),
            is_chosen: chosen.until.is_none() && chosen.since == since,
        });
    }
    let is_other = !choices.iter().any(|choice| choice.is_chosen);
    Ok(html! {
        (segments("Since when", &choices))
        @if is_other { span.soft.small { (bounds_words(chosen, now)) } }
    })
}

/// Says which window is shown where it is none of those that are offered.
fn bounds_words(bounds: &Bounds, now: Timestamp) -> String {
    use recrawl_reports::changes::Until;
    let day = |time: Timestamp| recrawl_reports::day(time, now);
    let since = match bounds.since {
        Since::Time(time) => day(time),
        Since::Crawl(crawl) => crawl.to_string(),
    };
    match bounds.until {
        None => format!("since {since}"),
        Some(Until::Time(time)) => format!("from {since} to {}", day(time)),
        Some(Until::Crawl(crawl)) => format!("from {since} to {crawl}"),
    }
}
