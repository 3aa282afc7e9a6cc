//! What changes by itself, with the evidence, and what people say of it.

use jiff::Timestamp;
use maud::{Markup, html};
use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::ids::SiteId;
use recrawl_reports::day;
use recrawl_reports::noise::NoiseRow;

use crate::address;
use crate::pages::forms::{Weight, act};
use crate::pages::layout::scrolled;
use crate::visitor::Visitor;
use crate::words::{counted, number, shortened};

/// Returns the noise of a site; nothing where none is known.
pub(super) fn noise_section(
    visitor: &Visitor,
    site: &SiteId,
    rows: &[NoiseRow],
    crawls: &[Crawl],
    now: Timestamp,
) -> Markup {
    let (denied, shown): (Vec<&NoiseRow>, Vec<&NoiseRow>) = rows.iter().partition(|row| row.by == "no-noise");
    html! {
        section.block aria-labelledby="noise" {
            div.heading {
                h2 #noise { "Learnt noise " span.soft.small { "changes by itself, so it is counted and not listed" } }
                @if visitor.may_set() { a href=(address::rules(site, None)) { "Ignore rules" } }
            }
            @if shown.is_empty() {
                p.soft { "None so far. Lines that change again and again by nothing but numbers, dates and ids are learnt." }
            } @else { (table(visitor, site, &shown, crawls, now)) }
            @for row in denied {
                p.small.soft {
                    "You said that " code { (row.what) } " is no noise. "
                    (judge(visitor, site, row, "", "Undo", Weight::Plain))
                }
            }
            @if !rows.is_empty() { p.small.soft { "What is not seen in 5 crawls is forgotten." } }
        }
    }
}

fn table(visitor: &Visitor, site: &SiteId, rows: &[&NoiseRow], crawls: &[Crawl], now: Timestamp) -> Markup {
    let table = html! {
        table.stack.noise-table {
            caption.only-read { "What changes by itself" }
            thead { tr {
                th scope="col" { "What, and as last seen" }
                th scope="col" { "Where" }
                th.figure scope="col" { "Pages" }
                th scope="col" { "Last 4 crawls" }
                @if visitor.may_act() { th scope="col" { span.only-read { "Decide" } } }
            } }
            tbody { @for row in rows { (noise_row(visitor, site, row, crawls, now)) } }
        }
    };
    scrolled("Learnt noise", &table)
}

fn noise_row(visitor: &Visitor, site: &SiteId, row: &NoiseRow, crawls: &[Crawl], now: Timestamp) -> Markup {
    let times = row.crawls.iter().filter(|seen| **seen).count();
    let evidence = format!("seen in {times} of the last {}", counted(row.crawls.len() as u64, "crawl"));
    html! {
        tr {
            th.wide scope="row" {
                code { (shortened(&row.what, 100, 0)) }
                @if let Some(line) = row.line.as_deref().filter(|line| !line.is_empty()) {
                    br; span.small.soft dir="auto" { (shortened(line, 140, 0)) }
                }
            }
            td data-label="where" { (row.r#where) }
            td.figure data-label="pages" { (number(row.pages)) }
            td data-label="evidence" {
                span.weeks role="img" aria-label=(evidence) {
                    @for seen in &row.crawls { i.yes[*seen] {} }
                }
                " " span.small.soft.nowrap { (since(row, crawls, now)) }
            }
            @if visitor.may_act() {
                td {
                    @match row.by {
                        "learnt" => (judge(visitor, site, row, "no-noise", "This is no noise", Weight::Quiet)),
                        "noise" => (judge(visitor, site, row, "", "Undo", Weight::Quiet)),
                        _ => span.small.soft { "known beforehand" },
                    }
                }
            }
        }
    }
}

fn since(row: &NoiseRow, crawls: &[Crawl], now: Timestamp) -> String {
    let rests = if row.crawls.last() == Some(&false) { ", rests" } else { "" };
    match (row.by, &row.since) {
        ("noise", _) => "you said so".to_owned(),
        ("rule", _) => "a rule".to_owned(),
        (_, Some(crawl)) => {
            let found = crawls.iter().find(|other| other.id.to_string() == *crawl);
            let learnt = found.map_or_else(|| crawl.clone(), |found| day(found.opened_at, now));
            format!("learnt {learnt}{rests}")
        }
        (_, None) => String::new(),
    }
}

fn judge(
    visitor: &Visitor,
    site: &SiteId,
    row: &NoiseRow,
    said: &str,
    label: &str,
    weight: Weight,
) -> Markup {
    let fields = [("shape", row.what.as_str()), ("said", said)];
    let label = html! { (label) span.only-read { ": " (row.what) } };
    act(visitor, &format!("/sites/{site}/noise"), &fields, &label, weight)
}
