//! A site: what changed lately, its crawls, what is known of its noise; how it is, and what is wrong with it.

mod cost;
mod crawls;
mod faults;
mod news;
mod noise_table;
mod side;

use std::collections::BTreeMap;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use recrawl_core::decide::dated_ahead;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_reports::archiving::backlog;
use recrawl_reports::site_report::{AGES, Figure, Freshness, SiteReport};
use recrawl_reports::sites::{self, SiteView};
use recrawl_reports::usage::Usage;
use recrawl_reports::{CrawlState, CrawlView, noise};

use self::cost::cost;
use self::crawls::crawls_section;
use self::faults::{faults, faults_in_words};
use self::news::this_week;
use self::noise_table::noise_section;
use self::side::side;
use super::changes::section_name;
use super::charts::{Bar, Bars, bars, shares};
use super::components::{Icon, icon};
use super::layout::{Frame, NavigationPlace, page, readable, root_link, scrolled};
use super::standing::Standing;
use super::states::card;
use crate::address;
use crate::app::Served;
use crate::crawl_control::Activity;
use crate::error::WebError;
use crate::parameters::Parameters;
use crate::visitor::Visitor;
use crate::words::{bytes, counted, number, rate};

/// How many weeks and crawls the charts show.
const SHOWN: usize = 26;

/// `GET /sites/{site}`: `crawls=all` lists all of its crawls
pub(super) async fn site(
    State(served): State<Served>,
    Path(site): Path<String>,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let app = &served.app;
    let id: SiteId = site.parse()?;
    let stored = sites::found_site(&*app.library, &id).await?;
    let view = sites::described(&*app.library, stored.clone()).await?;
    let standing = Standing::of(app, &id, Some(&view.root), view.open().cloned()).await?;
    let report = served.reports().site_report(&*app.library, &stored).await?;
    let crawls = app.library.crawls(&id).await?;
    let noise = noise::learnt(&*app.library, &id).await?;
    let noise = noise::rows(&*app.library, &stored, &noise, &crawls).await?;
    let news = this_week(&served, &visitor, &stored, &crawls).await?;
    let usage = Usage::read(&*app.library, std::slice::from_ref(&stored), SHOWN, app.prices).await?;
    let archiving = backlog(&*app.library, &*app.library, &crawls).await?;
    let now = (app.clock)();
    let latest = view.crawls.first();
    let ahead = latest.and_then(|latest| dated_ahead(latest.opened_at, now));
    let all_crawls = parameters.get("crawls") == Some("all");
    let frame = Frame::new(stored.shown_name(), NavigationPlace::Sites)
        .under_sites()
        .at(stored.shown_name())
        .with_feed(format!("Changes of {}", stored.shown_name()), address::site_feed(&id))
        .for_visitor(app, &headers)
        .saying(parameters.message());
    Ok(visitor.answer(page(
        &frame,
        &html! {
            (heading(&view, &standing, &visitor))
            (standing.shown())
            @if let Some(ahead) = ahead { p.notice { (ahead) "." } }
            div.with-side.block {
                div {
                    @if let Some(state) = &view.state { (card(&visitor, &view, state, now)) }
                    (news)
                    (crawls_section(&view, all_crawls, now))
                    (noise_section(&visitor, &id, &noise, &crawls, now))
                    (folded("Figures", "answers, freshness by section, slowest and liveliest pages, bytes", &html! {
                        (over_time(&view))
                        @if let Some(report) = &report { (figures_of(&id, report)) }
                    }))
                    @if let Some(usage) = &usage {
                        (folded("What it costs", "operations, storage, processor and dollars beside what is free", &cost(usage)))
                    }
                    @if let Some(report) = &report {
                        (folded("What is wrong", &faults_in_words(report), &faults(&id, report)))
                    }
                }
                aside aria-label="State and schedule" { (side(&view, archiving.as_ref(), &standing, &visitor, now)) }
            }
        },
    )))
}

fn heading(view: &SiteView, standing: &Standing, visitor: &Visitor) -> Markup {
    let pages = view.crawls.iter().find_map(|crawl| crawl.statistics.as_ref()).map(|counts| counts.total);
    let at = address::site(&view.id);
    html! {
        div.heading {
            div {
                h1 { (view.shown_name()) }
                p.inline-facts {
                    span { (root_link(&view.root, &icon(Icon::Out))) }
                    @if let Some(pages) = pages.filter(|_| view.state.is_none()) { span { (counted(pages, "page")) } }
                    a href=(address::site_feed(&view.id)) { (icon(Icon::Feed)) "Feed" }
                }
            }
            div.acts {
                @if visitor.may_set() && matches!(standing.activity(), Activity::Idle) {
                    a.button href={ (at) "/rename" } { "Rename" }
                    a.button.danger href={ (at) "/delete" } { "Delete…" }
                }
                (standing.buttons(visitor))
            }
        }
    }
}

/// Returns a part of the page that is folded behind its name, and what is in it.
fn folded(name: &str, hint: &str, content: &Markup) -> Markup {
    html! {
        details.fold-line {
            summary { strong { (name) } " " span.soft { (hint) } }
            div.inside { (content) }
        }
    }
}

fn over_time(view: &SiteView) -> Markup {
    let series = Verdict::CHANGES.map(|kind| (kind.word(), kind.word()));
    let traffic = [("received", "received"), ("saved", "saved")];
    let weeks = Bars { title: "Changes per week", series: &series, columns: by_week(view), written: number };
    let crawls =
        Bars { title: "Bytes per crawl", series: &traffic, columns: by_crawl(&view.crawls), written: bytes };
    html! { div.charts { (bars(&weeks)) (bars(&crawls)) } }
}

fn by_week(view: &SiteView) -> Vec<Bar> {
    let mut weeks: BTreeMap<(i16, i8), Vec<u64>> = BTreeMap::new();
    for crawl in view.crawls.iter().filter(|crawl| crawl.state != CrawlState::Suspect) {
        let Some(statistics) = &crawl.statistics else { continue };
        let is_first = view.first.contains(&crawl.id);
        // What is new to a first crawl is no change.
        let found = Verdict::CHANGES
            .map(|kind| if is_first && kind == Verdict::New { 0 } else { statistics.counts[kind] });
        if is_first && found == [0; Verdict::CHANGES.len()] {
            continue;
        }
        let week = crawl.id.day().iso_week_date();
        let sum = weeks.entry((week.year(), week.week())).or_insert_with(|| vec![0; Verdict::CHANGES.len()]);
        for (sum, count) in sum.iter_mut().zip(found) {
            *sum += count;
        }
    }
    let skipped = weeks.len().saturating_sub(SHOWN);
    let bar = |((year, week), parts)| Bar { name: format!("{year}-W{week:02}"), parts };
    weeks.into_iter().skip(skipped).map(bar).collect()
}

fn by_crawl(crawls: &[CrawlView]) -> Vec<Bar> {
    let closed = crawls.iter().filter_map(|crawl| Some((crawl, crawl.statistics.as_ref()?)));
    let bar = |(crawl, statistics): (&CrawlView, &Statistics)| Bar {
        name: crawl.id.to_string().trim_start_matches("crawl-").to_owned(),
        parts: vec![statistics.received_bytes, statistics.saved_bytes],
    };
    let mut bars: Vec<Bar> = closed.take(SHOWN).map(bar).collect();
    bars.reverse();
    bars
}

fn figures_of(site: &SiteId, report: &SiteReport) -> Markup {
    let statuses: Vec<(String, u64, &str)> = report
        .statuses
        .iter()
        .map(|row| (row.answer.clone(), row.pages, status_class(&row.answer)))
        .collect();
    let a_day = |figure| format!("{} a day", rate(figure));
    html! {
        p { "As of " a href=(address::crawl(site, report.crawl)) { (report.crawl) } "." }
        @if !report.is_whole {
            p.notice { "This crawl did not see the whole site, or is unusual: much may be missing." }
        }
        (shares("Answers", &statuses))
        (heat_map(site, report.crawl, &report.freshness))
        div.columns {
            (figures(site, "Slowest pages", &report.slowest, |figure| format!("{figure:.0} ms")))
            (figures(site, "Most changing pages", &report.most_changing, a_day))
        }
    }
}

fn status_class(answer: &str) -> &'static str {
    match answer.as_bytes().first() {
        Some(b'2') => "good",
        Some(b'3') => "moved",
        Some(b'4') => "gone",
        Some(b'5') => "failed",
        Some(_) | None => "none",
    }
}

/// Returns a table whose cells are shaded by their share of the section.
fn heat_map(site: &SiteId, crawl: CrawlId, freshness: &[Freshness]) -> Markup {
    let all = address::crawl(site, crawl);
    let listed = |name: &str| address::with_query(&all, &[("section", address::section_word(name))]);
    let shade = |pages: u64, whole: u64| if pages == 0 { 0 } else { 1 + (pages * 4 - 1) / whole.max(1) };
    let table = html! {
        table.heat {
            thead { tr {
                th scope="col" { "Section" } th.figure scope="col" { "Pages" }
                @for (_, words) in AGES { th.figure scope="col" { (words) } }
            } }
            tbody {
                @for row in freshness {
                    tr {
                        th scope="row" {
                            a href=(listed(&row.section)) { (section_name(&row.section)) }
                            " " a.feed href=(address::section_feed(site, &row.section)) {
                                "feed" span.only-read { " of " (section_name(&row.section)) }
                            }
                        }
                        td.figure data-label="Pages" { (number(row.pages)) }
                        @for (pages, (_, words)) in row.by_age.into_iter().zip(AGES) {
                            @let class = format!("figure heat-{}", shade(pages, row.pages));
                            td class=(class) data-label=(words) { (number(pages)) }
                        }
                    }
                }
            }
        }
    };
    html! {
        section {
            h3 { "Freshness by section" }
            p.muted {
                "How long before the end of the crawl each page last changed; what was never seen to change "
                "counts as longer. Darker cells hold a larger share of their section."
            }
            (scrolled("Freshness by section", &table))
        }
    }
}

fn figures(site: &SiteId, title: &str, rows: &[Figure], written: impl Fn(f64) -> String) -> Markup {
    html! {
        section {
            h3 { (title) }
            @if rows.is_empty() { p.muted { "None." } }
            ol.ranked {
                @for row in rows { li { span.value { ((written)(row.figure)) } " " (link(site, &row.url)) } }
            }
        }
    }
}

/// Returns a link to the history of a page, by its path.
fn link(site: &SiteId, url: &PageUrl) -> Markup {
    html! { a href=(address::page(site, url)) { (readable(url.path_and_query())) } }
}
