//! A crawl under way: how far it is, how fast, what it reads now, and what pausing and stopping keep.

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use jiff::Timestamp;
use maud::{Markup, html};
use recrawl_core::model::verdict::Verdict;
use recrawl_reports::sites;

use super::components::{Pill, pill};
use super::forms::{Weight, act};
use super::layout::{Frame, NavigationPlace, page, readable, with_code};
use super::standing::Standing;
use crate::address;
use crate::app::App;
use crate::crawl_control::{Activity, LatestPage, Progress};
use crate::error::WebError;
use crate::parameters::Parameters;
use crate::visitor::Visitor;
use crate::words::{counted, duration, moment, number, time};

/// `GET /sites/{site}/crawling`: `part` is `progress` for what changes on the page, `stop=ask` asks before stopping
pub(super) async fn crawling(
    State(app): State<App>,
    Path(site): Path<String>,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let site = sites::site(&*app.library, &site.parse()?).await?;
    let known =
        site.crawls.iter().filter_map(|crawl| crawl.statistics.as_ref()).map(|counts| counts.total).max();
    let standing = Standing::of(&app, &site.id, Some(&site.root), site.open().cloned()).await?;
    let shown = Shown { standing: &standing, known, now: (app.clock)() };
    if parameters.get("part") == Some("progress") {
        return Ok(visitor.answer(shown.progress()));
    }
    if standing.activity() == Activity::Idle {
        return Ok(Redirect::to(&address::site(&site.id)).into_response());
    }
    let asks = parameters.get("stop") == Some("ask");
    let frame = Frame::new(format!("{}: crawl under way", site.shown_name()), NavigationPlace::Sites)
        .below(&site.id, site.shown_name(), &[])
        .at("crawl under way")
        .for_visitor(&app, &headers)
        .saying(parameters.message());
    Ok(visitor.answer(page(
        &frame,
        &html! {
            div.heading {
                h1 data-title { (site.shown_name()) ": " (shown.title()) }
                div.acts { (shown.buttons(&visitor)) }
            }
            @if asks { (shown.stop(&visitor)) }
            (standing.listening(&html! {
                div data-progress=(format!("{}/crawling?part=progress", address::site(&site.id))) { (shown.progress()) }
            }))
            p.without-script { a href={ (address::site(&site.id)) "/crawling" } { "Look again" } }
        },
    )))
}

struct Shown<'a> {
    standing: &'a Standing,
    /// How many pages the largest crawl before had.
    known: Option<u64>,
    now: Timestamp,
}

impl Shown<'_> {
    fn counted(&self) -> Option<(u64, u64)> {
        let progress = self.standing.progress()?;
        let (done, waiting) = (progress.done?, progress.waiting?);
        // Pages that are known from before and not queued yet are read as well.
        Some((done, (done + waiting).max(self.known.unwrap_or(0))))
    }

    fn title(&self) -> String {
        match (self.standing.activity(), self.counted()) {
            (Activity::TriedLater, _) => "waits for its next try".to_owned(),
            (Activity::Waiting, _) => "waits for the crawl of another site".to_owned(),
            (Activity::Removing, _) => "is being deleted".to_owned(),
            (_, Some((done, all))) if all > done => format!("{} of {} pages read", number(done), number(all)),
            (_, Some((done, _))) => format!("{} read", counted(done, "page")),
            (Activity::Paused, None) => "paused".to_owned(),
            (_, None) => "a crawl is under way".to_owned(),
        }
    }

    fn buttons(&self, visitor: &Visitor) -> Markup {
        let site = self.standing.site();
        let button = |verb: &str, label: &str, weight| {
            act(visitor, &format!("/sites/{site}/{verb}"), &[], &html! { (label) }, weight)
        };
        let ask = html! {
            @if visitor.may_act() { a.button href={ (address::site(site)) "/crawling?stop=ask" } { "Stop…" } }
        };
        match self.standing.activity() {
            Activity::Crawling => html! { (button("pause", "Pause", Weight::Quiet)) (ask) },
            Activity::Paused => html! { (button("start", "Go on", Weight::Main)) (ask) },
            Activity::TriedLater => html! {
                (button("start", "Try now", Weight::Main)) (button("pause", "Do not wait", Weight::Quiet))
            },
            Activity::Waiting => button("pause", "Do not wait", Weight::Quiet),
            Activity::Idle | Activity::Ending | Activity::Removing | Activity::CrawledElsewhere => html! {},
        }
    }

    /// Asks before a crawl is stopped: what becomes of what.
    fn stop(&self, visitor: &Visitor) -> Markup {
        let site = self.standing.site();
        html! {
            section.card.asks aria-label="Stop the crawl?" {
                header { (pill(Pill::Quiet, "stop?")) }
                @match self.counted() {
                    Some((done, all)) if all > done => {
                        p.happened { "Stop at " (number(done)) " of " (counted(all, "page")) "?" }
                        p.soft {
                            "What was read is kept and its changes are listed. The " (counted(all - done, "page"))
                            " not read count as unknown, never as gone."
                        }
                    },
                    _ => {
                        p.happened { "Stop the crawl?" }
                        p.soft {
                            "What was read is kept and its changes are listed. Pages not read count as unknown, never as gone."
                        }
                    },
                }
                div.acts {
                    (act(visitor, &format!("/sites/{site}/stop"), &[], &html! { "Stop" }, Weight::Danger))
                    a href={ (address::site(site)) "/crawling" } { "Go on reading" }
                }
            }
        }
    }

    /// Returns what changes while one looks.
    fn progress(&self) -> Markup {
        let progress = self.standing.progress();
        html! {
            span hidden data-new-title { (self.standing.site()) ": " (self.title()) }
            section aria-label="Progress" {
                @if let Some((done, all)) = self.counted() {
                    progress value=(done) max=(all.max(1)) aria-label={ (number(done)) " of " (counted(all, "page")) } {
                        (number(done)) " of " (number(all))
                    }
                }
                (self.moment())
                @if let Some(page) = progress.and_then(|progress| progress.latest.first()) {
                    p.now { span.soft { "last read " } (readable(page.url.path_and_query())) }
                }
                @if let Some(progress) = progress { (self.figures(progress)) }
            }
            @if let Some(progress) = progress { (found(progress)) (latest(progress)) }
        }
    }

    /// Says why it stands still, if it does.
    fn moment(&self) -> Markup {
        let rests = |words: &str| html! { div.card { header { (pill(Pill::Quiet, words)) } } };
        match self.standing.activity() {
            Activity::Paused => html! {
                div.card {
                    header { (pill(Pill::Quiet, "paused")) }
                    p.happened {
                        "Paused" @if let Some(open) = self.standing.open() {
                            ", opened " (time(open.opened_at))
                        }
                        "."
                    }
                    p.soft { "What was read is kept. Going on reads the rest, and no page twice." }
                }
            },
            Activity::Ending => html! {
                div.card {
                    header { (pill(Pill::Quiet, "ending")) }
                    p.happened { "It ends as soon as the pages in flight are recorded." }
                }
            },
            Activity::CrawledElsewhere => html! {
                div.card {
                    header { (pill(Pill::Running, "crawling")) }
                    p.happened { "Another program crawls this site, such as " code { "recrawl crawl" } "." }
                    p.soft { "It can be paused and stopped there." }
                }
            },
            Activity::Waiting => rests("waiting"),
            Activity::TriedLater => html! {
                div.card {
                    header { (pill(Pill::Running, "waiting")) }
                    @if let Some(next) = self.standing.next_try() {
                        p.happened { (with_code(&next.why)) "." }
                        p.soft { "It is tried again " (moment(next.at, self.now)) ". What was read is kept, and no page counts as gone." }
                    }
                }
            },
            Activity::Removing => rests("being deleted"),
            Activity::Idle => rests("over"),
            Activity::Crawling => html! {
                @if let Some(waits) = self.standing.progress().and_then(|progress| progress.waits.as_deref()) {
                    div.card {
                        header { (pill(Pill::Running, "waiting")) }
                        p.happened { (waits) "." }
                        p.soft { "It goes on by itself." }
                    }
                }
            },
        }
    }

    fn figures(&self, progress: &Progress) -> Markup {
        let left = self.counted().zip(progress.pace.and_then(|pace| pace.pages_a_second));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "an estimate, and a cast of a float saturates"
        )]
        let left = left.map(|((done, all), rate)| ((all - done) as f64 / rate.max(0.001)).ceil() as i64);
        let figure = |name: &str, value: &str| html! { div { dt { (name) } dd { (value) } } };
        html! {
            dl.figures {
                @if let Some(left) = left { (figure("left, about", &rounded(left))) }
                @if let Some(rate) = progress.pace.and_then(|pace| pace.pages_a_second) {
                    (figure("pages a second", &format!("{rate:.1}")))
                }
                @if let Some(pace) = progress.pace {
                    (figure("running for", &duration(self.now.duration_since(pace.since).as_secs())))
                }
                @if let Some(found) = progress.found {
                    (figure("not fetched again (304)", &number(found.not_modified)))
                    (figure("failed", &number(found.failed)))
                }
            }
        }
    }
}

/// Returns an estimate in minutes, or in seconds where it is short.
fn rounded(seconds: i64) -> String {
    if seconds < 90 { duration(seconds) } else { duration((seconds + 59) / 60 * 60) }
}

fn found(progress: &Progress) -> Markup {
    html! {
        @if let Some(found) = progress.found {
            p.notice {
                strong { "Found so far: " } (number(found.new)) " new, " (number(found.changed)) " changed"
                @if found.gone > 0 { ", " (number(found.gone)) " gone" }
                ". Shared changes and noise are sorted out when all pages are read, so these numbers may still fall. "
                "Nothing is sent before that."
            }
        }
    }
}

fn latest(progress: &Progress) -> Markup {
    html! {
        @if !progress.latest.is_empty() {
            section.block aria-labelledby="latest" {
                h2.small #latest { "Latest pages" }
                table.latest {
                    thead.only-read { tr {
                        th scope="col" { "Answer" } th scope="col" { "Page" } th scope="col" { "Found" } th scope="col" { "Took" }
                    } }
                    tbody { @for page in &progress.latest { (latest_page(page)) } }
                }
            }
        }
    }
}

fn latest_page(page: &LatestPage) -> Markup {
    let found = match page.kind {
        Verdict::New
        | Verdict::Changed
        | Verdict::Moved
        | Verdict::Gone
        | Verdict::Failed
        | Verdict::Excluded => page.kind.word(),
        Verdict::Touched => "only noise",
        Verdict::Missing => "never there",
        Verdict::Unchanged | Verdict::Shared => "",
    };
    html! {
        tr {
            td.mono.figure { (page.status.map_or_else(|| "–".to_owned(), |status| status.to_string())) }
            td.wide { span.mono { (readable(page.url.path_and_query())) } }
            td.soft { (found) }
            td.figure.soft.ms { (number(u64::from(page.fetch_ms))) " ms" }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_in_minutes_once_it_is_more_than_one() {
        for (seconds, expected) in
            [(5, "5 s"), (89, "1 min 29 s"), (90, "2 min"), (444, "8 min"), (3600, "1 h")]
        {
            assert_eq!(rounded(seconds), expected);
        }
    }
}
