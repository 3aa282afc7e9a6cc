//! What forms have in common.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

use super::capitalised;
use super::layout::{Frame, NavigationPlace, page};
use crate::error::WebError;
use crate::schedule_form::{DAYS, Often, ScheduleFields, time_zones};
use crate::visitor::Visitor;

/// How a button looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// What most people want here.
    Main,
    /// What is there, too.
    Quiet,
    /// What is there for the few who want it.
    Plain,
    /// What takes something away.
    Danger,
}

impl Weight {
    const fn class(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Quiet => "quiet",
            Self::Plain => "plain",
            Self::Danger => "danger",
        }
    }
}

/// Returns what proves that a form is ours.
pub(super) fn proof(visitor: &Visitor) -> Markup {
    html! { input type="hidden" name="form_token" value=(visitor.form_token()); }
}

/// Returns a form of one button; nothing for those who may not use it.
pub(super) fn act(
    visitor: &Visitor,
    action: &str,
    fields: &[(&str, &str)],
    label: &Markup,
    weight: Weight,
) -> Markup {
    html! {
        @if visitor.may_act() {
            form.act action=(action) method="post" {
                (proof(visitor))
                @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
                button class=(weight.class()) type="submit" { (label) }
            }
        }
    }
}

/// Returns why a form was not taken, above its fields.
pub(super) fn fault(reason: Option<&str>) -> Markup {
    html! {
        @if let Some(reason) = reason { p.notice.fault role="alert" { (capitalised(reason)) "." } }
    }
}

/// Returns a text of several lines, with a hint below.
pub(super) fn lines(name: &str, label: &str, hint: &Markup, typed: &[String]) -> Markup {
    let id = format!("{name}-hint");
    html! {
        div.field {
            label for=(name) { (label) }
            textarea id=(name) name=(name) rows="4" spellcheck="false" aria-describedby=(id) {
                // The parser drops the first line feed of a text.
                "\n" @for line in typed { (line) "\n" }
            }
            small.muted id=(id) { (hint) }
        }
    }
}

/// Returns the fields of a schedule.
pub(super) fn schedule(fields: &ScheduleFields) -> Markup {
    html! {
        fieldset.schedule {
            legend { "Schedule" }
            label { "Crawl it "
                select name="often" data-often {
                    @for often in Often::ALL {
                        option value=(often.word()) selected[often == fields.often] { (often.text()) }
                    }
                }
            }
            label data-for="weekly" { "Day "
                select name="day" {
                    @for (number, day) in DAYS.iter().enumerate() {
                        option value=(number) selected[number == fields.day] { (day) }
                    }
                }
            }
            label data-for="weekly daily" { "Hour "
                select name="hour" {
                    @for hour in 0..24 {
                        option value=(hour) selected[hour == fields.hour] { (format!("{hour:02}:00")) }
                    }
                }
            }
            label data-for="cron" {
                "Cron expression "
                input type="text" name="cron" value=(fields.cron) placeholder="0 3 * * 0" spellcheck="false";
            }
            label data-for="weekly daily cron" {
                "Time zone "
                input type="text" name="time_zone" value=(fields.time_zone) list="time-zones"
                    placeholder="America/Los_Angeles" spellcheck="false" autocomplete="off"
                    data-own-zone[fields.is_untouched];
            }
            datalist #time-zones { @for name in time_zones() { option value=(name) {} } }
        }
    }
}

/// Answers for a button whose wish was refused; other errors answer as always.
pub(super) fn refused(error: WebError, back: &str) -> Response {
    let WebError::Refused(reason) = error else { return error.into_response() };
    let content = page(
        &Frame::new("Not done", NavigationPlace::Elsewhere),
        &html! {
            h1 { "This was not done" }
            p.lead { (capitalised(&reason)) "." }
            p { a href=(back) { "Back" } }
        },
    );
    (StatusCode::CONFLICT, content).into_response()
}
