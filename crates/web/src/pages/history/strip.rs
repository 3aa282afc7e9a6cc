//! A year of a page, a mark a week: darker where the change weighs more.

use jiff::tz::TimeZone;
use maud::{Markup, html};
use recrawl_reports::history::HistoryView;
use recrawl_reports::history::timeline::{Mark, Week, weeks, years};

use crate::address;
use crate::pages::components::{Choice, segments};

/// From which weights on a change is some, and much.
const SOME: u32 = 350;
const MUCH: u32 = 650;

/// Returns the calendar strip of a year; of the last one, unless another is asked for that the page was visited in.
pub(super) fn strip(view: &HistoryView, asked: Option<i16>) -> Markup {
    let years = years(view);
    let Some(year) = asked.filter(|year| years.contains(year)).or(years.last().copied()) else {
        return html! {};
    };
    let weeks = weeks(view, year);
    let choices: Vec<Choice> = years
        .iter()
        .map(|other| Choice {
            label: html! { (other) },
            address: format!("{}&year={other}", address::page(&view.site, &view.url)),
            count: None,
            is_chosen: *other == year,
        })
        .collect();
    html! {
        section.block aria-labelledby="calendar" {
            div.heading {
                h2 #calendar { (year) " " span.soft.small { "one mark a week, darker where the change weighs more" } }
                @if choices.len() > 1 { (segments("Year", &choices)) }
            }
            div.strip role="group" aria-label={ "Visits of " (year) } {
                @for (place, week) in weeks.iter().enumerate() { (mark(place, week, &weeks)) }
            }
            p.legend aria-hidden="true" {
                span { i {} "no change, or shared and noise only" }
                span { i.v1 {} "little" }
                span { i.v2 {} "some" }
                span { i.v3 {} "much" }
                span { i.first {} "first seen" }
                span { i.missed {} "not read" }
            }
        }
    }
}

fn mark(place: usize, week: &Week, weeks: &[Week]) -> Markup {
    // A month begins in the first week that begins in it.
    let month = (place == 0 || weeks[place - 1].begins.month() != week.begins.month())
        .then(|| week.begins.strftime("%b").to_string());
    let day = week.at.map_or_else(
        || week.begins.strftime("%-d %B").to_string(),
        |at| at.to_zoned(TimeZone::UTC).strftime("%-d %B").to_string(),
    );
    let (class, words) = match week.mark {
        Mark::Nothing => ("none", "not visited"),
        Mark::Same => ("same", "no change"),
        Mark::Missed => ("missed", "not read"),
        Mark::First => ("first", "first seen"),
        Mark::Gone => ("was-gone", "gone"),
        Mark::Changed(weight) if weight >= MUCH => ("v3", "changed, much"),
        Mark::Changed(weight) if weight >= SOME => ("v2", "changed, some"),
        Mark::Changed(_) => ("v1", "changed, little"),
    };
    let said = format!("{day}: {words}");
    html! {
        @match week.version {
            Some(version) => a class=(class) href={ "#version-" (version) } title=(said) data-month=[month] {
                span.only-read { (said) }
            },
            None => span class=(class) title=(said) data-month=[month] {},
        }
    }
}
