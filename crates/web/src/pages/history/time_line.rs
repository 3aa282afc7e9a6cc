//! The versions of a page and what lay between them, the newest first; any two can be compared.

use jiff::Timestamp;
use maud::{Markup, html};
use recrawl_core::model::archive::{Archive, ArchiveState};
use recrawl_core::model::verdict::Verdict;
use recrawl_reports::history::timeline::{Moment, Rest, moments};
use recrawl_reports::history::{FailuresEntry, HistoryView, VersionEntry};
use recrawl_reports::marks::{Mark, marks};

use crate::address::{self, Compared, Form};
use crate::pages::components::{Icon, icon, verdict_kind, weight};
use crate::pages::layout::readable;
use crate::words::{counted, date, duration, number, time};

/// The most characters of an excerpt.
const LONGEST: usize = 160;

/// Returns the time line, as a form that compares two versions.
pub(super) fn time_line(view: &HistoryView, now: Timestamp) -> Markup {
    let moments = moments(view);
    let shown = || {
        moments.iter().filter_map(|moment| match moment {
            Moment::Version(version) => Some(*version),
            Moment::Rest(_) | Moment::Gone(_) => None,
        })
    };
    let newest = shown().next().map(|version| version.number);
    let before = shown().nth(1).or(shown().next()).map(|version| version.number);
    let several = view.versions.len() > 1;
    html! {
        @if view.versions.is_empty() { p { "No version was seen." } }
        form.block action={ (address::site(&view.site)) "/diff" } method="get" aria-labelledby="versions" {
            div.heading {
                h2 #versions { (counted(shown().count() as u64, "version")) }
                @if several {
                    div.acts {
                        span.soft.small { "choose an older and a newer one" }
                        input type="hidden" name="url" value=(view.url);
                        button.main type="submit" data-compare { "Compare" }
                    }
                }
            }
            @if several {
                div.timeline-head aria-hidden="true" { span { "old" } span { "new" } span { "since" } }
            }
            ol.timeline {
                @for moment in &moments {
                    @match moment {
                        Moment::Version(version) => (item(view, version, (before, newest), several, now)),
                        Moment::Rest(between) => (rest(view, between, now)),
                        Moment::Gone(at) => li.gone { p { (verdict_kind(Verdict::Gone)) " " (date(*at, now)) } },
                    }
                }
            }
        }
    }
}

fn item(
    view: &HistoryView,
    version: &VersionEntry,
    (before, newest): (Option<usize>, Option<usize>),
    several: bool,
    now: Timestamp,
) -> Markup {
    let number_of = version.number;
    let radio = |name: &str, label: &str, is_chosen: bool| {
        html! {
            label {
                input type="radio" name=(name) value=(version.crawl) checked[is_chosen];
                span.only-read { (label) ": version " (number_of) }
            }
        }
    };
    let target = if number_of > 1 {
        address::difference(&view.site, &view.url, None, Some(version.crawl), Compared::Inline)
    } else {
        address::version(&view.site, &view.url, version.crawl, Form::Text)
    };
    let text = address::version(&view.site, &view.url, version.crawl, Form::Text);
    html! {
        li class=(version.kind.word()) id={ "version-" (number_of) } data-stop {
            div.version.alone[!several] {
                @if several {
                    (radio("from", "Older", before == Some(number_of)))
                    (radio("to", "Newer", newest == Some(number_of)))
                }
                span.when {
                    a href=(target) { (date(version.first_seen, now)) }
                    small { (lasted(view, version, now)) }
                }
                (verdict_kind(version.kind))
                span.said dir="auto" { (said(version)) }
                span.size {
                    (size(version))
                    @if version.weight > 0 && number_of > 1 { (weight(version.weight, "")) }
                }
                span.archived.small.soft {
                    a href=(text) { "text" span.only-read { " of version " (number_of) } }
                    @if let Some(archive) = &version.archive { (archived(archive)) }
                }
            }
            @if let Some(unusual) = &version.unusual { p.soft.small { (unusual) } }
        }
    }
}

/// Says how long a version stood.
fn lasted(view: &HistoryView, version: &VersionEntry, now: Timestamp) -> Markup {
    let next = view.versions.iter().rev().find(|other| other.number == version.number + 1);
    html! {
        @match (version.gone_at, next) {
            (Some(gone), _) => { "until " (date(gone, now)) },
            (None, Some(next)) => (long(next.first_seen.duration_since(version.first_seen).as_secs())),
            (None, None) => "until now",
        }
    }
}

/// Returns a stretch of days in the unit that people would use.
fn long(seconds: i64) -> String {
    let days = u64::try_from(seconds / 86_400).unwrap_or(0);
    match days {
        0 => duration(seconds),
        1..14 => counted(days, "day"),
        14..365 => counted(days / 7, "week"),
        _ => counted(days / 365, "year"),
    }
}

/// Returns what is most worth knowing of a version.
fn said(version: &VersionEntry) -> Markup {
    if let Some(location) = &version.location {
        return html! { span.soft { "leads to " } (readable(location)) };
    }
    if version.number == 1 {
        return html! { span.soft { "first seen" } };
    }
    let (went, came) = (version.went.as_deref(), version.came.as_deref());
    html! {
        @match (went, came) {
            (None, None) => @if let Some(status) = version.status.filter(|status| *status != 200) {
                span.soft { "answered " (status) }
            },
            (None, Some(_)) => ins.whole { (plain(&marks(went, came, LONGEST))) },
            (Some(_), None) => del.whole { (plain(&marks(went, came, LONGEST))) },
            (Some(_), Some(_)) => @for mark in marks(went, came, LONGEST) {
                @match mark {
                    Mark::Same(text) => (text),
                    Mark::Went(text) => { del { (text) } " " },
                    Mark::Came(text) => ins { (text) },
                }
            },
        }
    }
}

fn plain(marks: &[Mark]) -> String {
    let text = |mark: &Mark| match mark {
        Mark::Same(text) | Mark::Went(text) | Mark::Came(text) => text.clone(),
    };
    marks.iter().map(text).collect()
}

fn size(version: &VersionEntry) -> Markup {
    let of = u64::from(version.words.of);
    html! {
        @if of > 0 {
            @if version.number > 1 && version.words.changed > 0 { (number(u64::from(version.words.changed))) " of " }
            (counted(of, "word"))
        }
    }
}

fn archived(archive: &Archive) -> Markup {
    let capture = archive.wayback_url.as_deref().filter(|capture| capture.starts_with("https://"));
    html! {
        " · "
        @match (archive.state, capture) {
            (ArchiveState::Captured, Some(capture)) => {
                (icon(Icon::Check)) " " a href=(capture) rel="noreferrer noopener external" { "capture" }
            },
            (ArchiveState::Captured, None) => { (icon(Icon::Check)) " archived" },
            (ArchiveState::Queued | ArchiveState::Submitted, _) => { (icon(Icon::Wait)) " asked for" },
            (ArchiveState::Failed, _) => span title=[&archive.error] { (icon(Icon::Cross)) " not archived" },
        }
    }
}

/// Returns what lay between two versions, in sentences.
fn rest(view: &HistoryView, rest: &Rest<'_>, now: Timestamp) -> Markup {
    html! {
        li.rest.failed[rest.failed.is_some()] {
            p {
                @if rest.same > 0 {
                    (counted(rest.same as u64, "visit")) " without a change"
                    @if let Some((from, until)) = rest.same_from {
                        ", " (date(from, now))
                        @if from != until { " to " (date(until, now)) }
                    }
                    ". "
                }
                (folded(view, &rest.around, "only around the content, or on many pages alike", now))
                (folded(view, &rest.noise, "only by noise", now))
                @if let Some(failures) = rest.failed { (failed(failures)) }
            }
        }
    }
}

fn folded(view: &HistoryView, versions: &[&VersionEntry], how: &str, now: Timestamp) -> Markup {
    html! {
        @if !versions.is_empty() {
            "Changed " (how) ": "
            @for (place, version) in versions.iter().enumerate() {
                @if place > 0 { ", " }
                a href=(address::difference(&view.site, &view.url, None, Some(version.crawl), Compared::Inline)) {
                    (date(version.first_seen, now))
                }
            }
            ". "
        }
    }
}

fn failed(failures: &FailuresEntry) -> Markup {
    html! {
        (counted(failures.visits as u64, "visit")) " could not read it, " (time(failures.first))
        @if failures.visits > 1 { " to " (time(failures.last)) }
        @if let Some(reason) = &failures.reason { ": " (reason) }
        @if failures.ongoing { ", and still cannot" }
        "."
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_a_version_stood_is_said_in_one_unit() {
        for (days, expected) in [(1, "1 day"), (13, "13 days"), (56, "8 weeks"), (800, "2 years")] {
            assert_eq!(long(days * 86_400), expected);
        }
        assert_eq!(long(3_600), "1 h");
    }
}
