//! A site: how it changes, how it is, and what is wrong with it.

use std::collections::BTreeMap;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use maud::{Markup, html};
use recrawl_core::ids::SiteId;
use recrawl_core::url::PageUrl;

use super::changes::section_name;
use super::charts::{Bar, Bars, bars, shares};
use super::home::progress;
use super::layout::{Frame, Place, page, readable};
use super::sites::crawl_table;
use super::words::{bytes, counted, number, rate};
use crate::address;
use crate::app::App;
use crate::error::WebError;
use crate::views::{
    self, AGES, ChainEnd, Counts, CrawlState, CrawlView, Figure, Freshness, SiteReport, SiteView,
};

/// How many weeks and crawls the charts show.
const SHOWN: usize = 26;

/// `GET /sites/{site}`
pub(super) async fn site(
    State(app): State<App>,
    Path(site): Path<String>,
    headers: HeaderMap,
) -> Result<Markup, WebError> {
    let id: SiteId = site.parse()?;
    let view = views::site(&*app.library, &id).await?;
    let stored = views::found_site(&*app.library, &id).await?;
    let report = views::report(&*app.library, &stored, (app.clock)()).await?;
    let frame = Frame::new(id.as_str(), Place::Sites)
        .with_feed(format!("Changes of {id}"), address::site_feed(&id))
        .for_visitor(&app, &headers);
    Ok(page(
        &frame,
        &html! {
            h1 { (id) }
            p.muted {
                "From " a href=(view.root) rel="noreferrer noopener external" {
                    (readable(view.root.as_str()))
                }
                " · " a href=(address::site_feed(&id)) { "feed" }
            }
            @for open in view.crawls.iter().filter(|crawl| crawl.state == CrawlState::Open) {
                (progress(open))
            }
            (over_time(&view))
            @if let Some(report) = &report { (now(&id, report)) }
            h2 { "Crawls" }
            (crawl_table(&view.crawls))
        },
    ))
}

fn over_time(view: &SiteView) -> Markup {
    let series = [("new", "new"), ("changed", "changed"), ("moved", "moved"), ("gone", "gone")];
    let traffic = [("received", "received"), ("saved by 304s", "saved")];
    html! {
        div.charts {
            (bars(&Bars { title: "Changes per week", series: &series, columns: by_week(&view.crawls), written: number }))
            (bars(&Bars { title: "Bytes per crawl", series: &traffic, columns: by_crawl(&view.crawls), written: bytes }))
        }
    }
}

/// The first crawl of a site finds everything new: that is no change.
fn compared(crawls: &[CrawlView]) -> impl Iterator<Item = (&CrawlView, &Counts)> {
    let first = crawls.last().map(|crawl| crawl.id);
    let later = crawls.iter().filter(move |crawl| Some(crawl.id) != first);
    later.filter_map(|crawl| Some((crawl, crawl.counts.as_ref()?)))
}

fn by_week(crawls: &[CrawlView]) -> Vec<Bar> {
    let mut weeks: BTreeMap<(i16, i8), Vec<u64>> = BTreeMap::new();
    for (crawl, counts) in compared(crawls).filter(|(crawl, _)| crawl.state != CrawlState::Suspect) {
        let week = crawl.id.day().iso_week_date();
        let sum = weeks.entry((week.year(), week.week())).or_insert_with(|| vec![0; 4]);
        for (sum, count) in sum.iter_mut().zip([counts.new, counts.changed, counts.moved, counts.gone]) {
            *sum += count;
        }
    }
    let skipped = weeks.len().saturating_sub(SHOWN);
    let bar = |((year, week), parts)| Bar { name: format!("{year}-W{week:02}"), parts };
    weeks.into_iter().skip(skipped).map(bar).collect()
}

fn by_crawl(crawls: &[CrawlView]) -> Vec<Bar> {
    let closed = crawls.iter().filter_map(|crawl| Some((crawl, crawl.counts.as_ref()?)));
    let bar = |(crawl, counts): (&CrawlView, &Counts)| Bar {
        name: crawl.id.to_string().trim_start_matches("crawl-").to_owned(),
        parts: vec![counts.received_bytes, counts.saved_bytes],
    };
    let mut bars: Vec<Bar> = closed.take(SHOWN).map(bar).collect();
    bars.reverse();
    bars
}

fn now(site: &SiteId, report: &SiteReport) -> Markup {
    let statuses: Vec<(String, u64, &str)> = report
        .statuses
        .iter()
        .map(|row| (row.answer.clone(), row.pages, status_class(&row.answer)))
        .collect();
    html! {
        h2 { "The site in " a href=(address::crawl(site, report.crawl)) { (report.crawl) } }
        @if !report.is_whole {
            p.notice { "This crawl did not see the whole site, or is suspect: much may be missing." }
        }
        (shares("Answers", &statuses))
        (heat_map(site, report.crawl, &report.freshness))
        div.columns {
            (figures(site, "Slowest pages", &report.slowest, |figure| format!("{figure:.0} ms")))
            (figures(site, "Most changing pages", &report.most_changing, |figure| format!("{} a day", rate(figure))))
        }
        (faults(site, report))
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
fn heat_map(site: &SiteId, crawl: recrawl_core::ids::CrawlId, freshness: &[Freshness]) -> Markup {
    let shade = |pages: u64, whole: u64| if pages == 0 { 0 } else { 1 + (pages * 4 - 1) / whole.max(1) };
    html! {
        section {
            h3 { "Freshness by section" }
            p.muted {
                "How long before the end of the crawl each page last changed; what was never seen to change counts as longer. Darker cells hold a larger share of their section."
            }
            div.scroll {
                table.heat {
                    thead { tr {
                        th scope="col" { "Section" } th.figure scope="col" { "Pages" }
                        @for (_, words) in AGES { th.figure scope="col" { (words) } }
                    } }
                    tbody {
                        @for row in freshness {
                            tr {
                                th scope="row" {
                                    @if row.section.is_empty() { (section_name(&row.section)) }
                                    @else {
                                        a href=(address::with_query(&address::crawl(site, crawl), &[("section", &row.section)])) {
                                            (row.section)
                                        }
                                    }
                                    " " a.feed href=(address::section_feed(site, &row.section)) {
                                        "feed" span.unseen { " of " (section_name(&row.section)) }
                                    }
                                }
                                td.figure { (number(row.pages)) }
                                @for pages in row.by_age {
                                    td class=(format!("figure heat-{}", shade(pages, row.pages))) {
                                        (number(pages))
                                    }
                                }
                            }
                        }
                    }
                }
            }
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

fn link(site: &SiteId, url: &PageUrl) -> Markup {
    html! { a href=(address::page(site, url)) { (readable(url.path_and_query())) } }
}

fn faults(site: &SiteId, report: &SiteReport) -> Markup {
    let summary = |count: usize, noun: &str| html! { summary { (counted(count as u64, noun)) } };
    let rest = |total: usize, shown: usize| {
        html! {
            @if total > shown { p.muted { "and " (total - shown) " more: recrawl report lists them all" } }
        }
    };
    html! {
        section {
            h3 { "What is wrong" }
            details.fault {
                (summary(report.broken.total, "broken link"))
                ul.addresses { @for row in &report.broken.rows {
                    li {
                        (link(site, &row.url)) " " span.muted {
                            @if row.is_absent { "not there" } @else { "could not be read" }
                            @if let Some(status) = row.status { " (" (status) ")" }
                            @if row.referrers > 0 { ", on " (counted(row.referrers as u64, "page")) }
                        }
                        @if !row.first_referrers.is_empty() {
                            ul { @for referrer in &row.first_referrers { li { (link(site, referrer)) } } }
                        }
                    }
                } }
                (rest(report.broken.total, report.broken.rows.len()))
            }
            details.fault {
                (summary(report.redirects.total, "redirect"))
                ul.addresses { @for row in &report.redirects.rows {
                    li {
                        @for hop in &row.hops { (link(site, hop)) " → " }
                        @match (row.end, &row.target) {
                            (ChainEnd::Page, Some(target)) => (link(site, target)),
                            (ChainEnd::Broken, Some(target)) => {
                                (link(site, target)) " " span.muted { "broken" }
                            },
                            (ChainEnd::Outside, Some(target)) => {
                                (readable(target.as_str())) " " span.muted { "outside" }
                            },
                            (ChainEnd::Loop, Some(target)) => {
                                (link(site, target)) " " span.muted { "in a circle" }
                            },
                            (ChainEnd::Nowhere, _) | (_, None) => span.muted { "nowhere" },
                        }
                    }
                } }
                (rest(report.redirects.total, report.redirects.rows.len()))
            }
            details.fault {
                (summary(report.orphans.total, "orphan"))
                ul.addresses { @for row in &report.orphans.rows { li { (readable(row)) } } }
                (rest(report.orphans.total, report.orphans.rows.len()))
            }
            details.fault {
                (summary(report.duplicates.total, "duplicate group"))
                p.muted { "Pages that say the same, or are the same byte for byte." }
                ul.addresses {
                    @for group in &report.duplicates.rows {
                        li {
                            @for (place, url) in group.iter().enumerate() {
                                @if place > 0 { br; } (readable(url))
                            }
                        }
                    }
                }
                (rest(report.duplicates.total, report.duplicates.rows.len()))
            }
        }
    }
}
