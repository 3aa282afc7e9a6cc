//! What is wrong with a site: links that lead nowhere, pages that nobody links to.

use maud::{Markup, html};
use recrawl_core::model::ids::SiteId;
use recrawl_reports::faults::{ChainEnd, RedirectChain};
use recrawl_reports::site_report::{BrokenRow, FirstRows, SiteReport};

use super::link;
use crate::pages::layout::readable;
use crate::words::{counted, number};

/// Returns what is wrong with a site, each kind folded behind its number.
pub(super) fn faults(site: &SiteId, report: &SiteReport) -> Markup {
    html! {
        div {
            (fault(&report.broken, "broken link", |row| broken(site, row)))
            (fault(&report.redirects, "redirect", |row| redirect(site, row)))
            (fault(&report.orphans, "orphan", |url| readable(url)))
            (fault(&report.duplicates, "duplicate group", |group| same(group)))
        }
    }
}

/// Says what is wrong in numbers, where it is folded.
pub(super) fn faults_in_words(report: &SiteReport) -> String {
    let told = |total: usize, noun: &str| match total {
        0 => format!("no {noun}s"),
        total => counted(total as u64, noun),
    };
    format!(
        "{}, {}, {}, {}",
        told(report.broken.total, "broken link"),
        told(report.redirects.total, "redirect"),
        told(report.orphans.total, "orphan"),
        told(report.duplicates.total, "duplicate group")
    )
}

fn fault<T>(found: &FirstRows<T>, noun: &str, written: impl Fn(&T) -> Markup) -> Markup {
    let further = found.total.saturating_sub(found.rows.len()) as u64;
    html! {
        @if found.total == 0 { p.fault.muted { "No " (noun) "s" } } @else {
            details.fault {
                summary { (counted(found.total as u64, noun)) }
                ul.addresses { @for row in &found.rows { li { (written(row)) } } }
                @if further > 0 {
                    p.muted { "and " (number(further)) " more: " code { "recrawl report" } " lists them all" }
                }
            }
        }
    }
}

fn broken(site: &SiteId, row: &BrokenRow) -> Markup {
    html! {
        (link(site, &row.url)) " " span.muted {
            @if row.is_absent { "not there" } @else { "could not be read" }
            @if let Some(status) = row.status { " (" (status) ")" }
            @if row.referrers > 0 { ", on " (counted(row.referrers as u64, "page")) }
        }
        @if !row.first_referrers.is_empty() {
            ul { @for referrer in &row.first_referrers { li { (link(site, referrer)) } } }
        }
    }
}

fn redirect(site: &SiteId, row: &RedirectChain) -> Markup {
    html! {
        @for hop in &row.hops { (link(site, hop)) " → " }
        @match (row.end, &row.target) {
            (ChainEnd::Page, Some(target)) => (link(site, target)),
            (ChainEnd::Broken, Some(target)) => { (link(site, target)) " " span.muted { "broken" } },
            (ChainEnd::Outside, Some(target)) => {
                (readable(target.as_str())) " " span.muted { "outside" }
            },
            (ChainEnd::Loop, Some(target)) => { (link(site, target)) " " span.muted { "in a circle" } },
            (ChainEnd::Nowhere, _) | (_, None) => span.muted { "nowhere" },
        }
    }
}

fn same(group: &[String]) -> Markup {
    html! { @for (place, url) in group.iter().enumerate() { @if place > 0 { br; } (readable(url)) } }
}
