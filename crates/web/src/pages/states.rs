//! Why a site could not be read, as a card: what happened, what to do, the evidence, and one button.

use maud::{Markup, html};
use recrawl_core::model::ids::SiteId;
use recrawl_reports::sites::SiteView;
use recrawl_reports::{CrawlState, SiteStateView};

use super::components::{Pill, pill};
use super::forms::{Weight, act};
use super::layout::with_code;
use crate::address::{self, ADD_SITE};
use crate::visitor::Visitor;
use crate::words::{counted, date};

/// Returns the pill of a state.
pub(super) fn state_pill(state: &SiteStateView) -> Markup {
    let look = match state.mark {
        "cannot read" | "leads elsewhere" => Pill::Unusual,
        _ => Pill::Failed,
    };
    html! { span data-state=(state.word) { (pill(look, state.mark)) } }
}

/// Returns the card of a site that could not be read, or not all of it.
pub(super) fn card(
    visitor: &Visitor,
    site: &SiteView,
    state: &SiteStateView,
    now: jiff::Timestamp,
) -> Markup {
    html! {
        section.card.trouble aria-label="Why the site cannot be read" {
            header { (state_pill(state)) }
            p.happened { (spelt(&state.sentence)) "." }
            p { (with_code(state.advice)) }
            p.evidence { (evidence(site, state, now)) }
            div.acts { (help(visitor, &site.id, state)) (robots(site, state)) }
        }
    }
}

/// Returns a sentence with a capital letter; names of hosts and of robots.txt are spelt as they are.
pub(super) fn spelt(sentence: &str) -> String {
    match sentence.split_once("the ") {
        Some(("", rest)) => format!("The {rest}"),
        _ => sentence.to_owned(),
    }
}

/// Says what is known: what was read this time, and when the site was last read.
fn evidence(site: &SiteView, state: &SiteStateView, now: jiff::Timestamp) -> Markup {
    let closed = || site.crawls.iter().filter(|crawl| crawl.state != CrawlState::Open);
    let failed = closed().next();
    let read = closed().find(|crawl| crawl.site_state.is_none());
    html! {
        @if let Some(failed) = failed {
            (date(failed.opened_at, now)) ": "
            @if state.read == 0 { "no page could be read." } @else { (counted(state.read, "page")) " could be read." }
            " "
        }
        @match read.and_then(|read| Some((read.opened_at, read.statistics.as_ref()?.total))) {
            _ if state.word == "root-elsewhere" && state.read > 0 => {},
            Some((at, pages)) => { "Last read on " (date(at, now)) ": " (counted(pages, "page")) ", kept." },
            None => "It was never read before.",
        }
    }
}

/// Returns the button that helps.
fn help(visitor: &Visitor, site: &SiteId, state: &SiteStateView) -> Markup {
    let again = |weight| act(visitor, &format!("/sites/{site}/start"), &[], &html! { "Try again" }, weight);
    let other = |root: &str| {
        html! {
            @if visitor.may_act() {
                a.button.main href=(address::with_query(ADD_SITE, &[("root", root)])) { "Watch another address" }
            }
        }
    };
    match state.word {
        "root-missing" | "login" | "needs-password" | "cookie-wall" => {
            html! { (other("")) (again(Weight::Plain)) }
        }
        "root-elsewhere" => {
            html! { (other(state.elsewhere.as_deref().unwrap_or_default())) (again(Weight::Plain)) }
        }
        "needs-scripts" => html! { (other("")) },
        _ => again(Weight::Main),
    }
}

/// Returns a link to the robots.txt that forbids the site.
fn robots(site: &SiteView, state: &SiteStateView) -> Markup {
    let file = site.root.to_url().join("/robots.txt").ok().filter(|_| state.word == "forbidden-by-robots");
    html! {
        @if let Some(file) = file {
            a href=(file) rel="noreferrer noopener external" { "Read robots.txt" }
        }
    }
}
