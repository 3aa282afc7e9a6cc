//! An unusual crawl as a small report: where, what instead, what else, and three decisions with their effect.

use axum::http::HeaderMap;
use axum::response::Response;
use jiff::tz::TimeZone;
use maud::{Markup, html};
use recrawl_core::decide::Doubt;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::words::grouped;
use recrawl_reports::changes::ChangeCounts;
use recrawl_reports::unusual::{Example, FolderShare, UnusualReport};
use recrawl_reports::{Detail, day_among};

use super::changes::day_of;
use super::components::{Icon, KeysOf, Rows, bar, icon};
use super::forms::{Weight, act};
use super::layout::{Frame, NavigationPlace, page, scrolled};
use super::marks::marks_form;
use super::sites::doubt;
use crate::address;
use crate::app::Served;
use crate::error::WebError;
use crate::listing::{Listed, Listing};
use crate::parameters::Parameters;
use crate::visitor::Visitor;
use crate::words::{counted, number};

/// How many other changes are listed.
const MOST: usize = 50;

/// Shows an unusual crawl that nobody accepted.
pub(super) async fn unusual(
    served: &Served,
    (site, crawls, crawl): (&Site, &[Crawl], &Crawl),
    visitor: &Visitor,
    headers: &HeaderMap,
    parameters: &Parameters,
    report: UnusualReport,
) -> Result<Response, WebError> {
    let app = &served.app;
    let now = (app.clock)();
    let decisions = Decisions::read(served, site, &report).await?;
    let listing = Listing::crawl(site.id.clone(), crawl.id, &Parameters::default())?;
    let rows = &report.otherwise.rows;
    let described =
        served.reports().described_rows(site, &rows[..rows.len().min(MOST)], Detail::Excerpts).await?;
    let listed = Listed {
        sites: vec![site.clone()],
        changes: report.otherwise.clone(),
        counts: ChangeCounts::of(rows),
        first: Vec::new(),
        kinds: Vec::new(),
    };
    let shown = Rows {
        listing: &listing,
        listed: &listed,
        names_sites: false,
        can_pick: false,
        may_mark: visitor.may_act(),
    };
    let day = day_of(crawl, crawls, now);
    let title = format!("{}: {} crawl, {day}", site.shown_name(), report.word.word());
    let frame = Frame::new(title.as_str(), NavigationPlace::Sites)
        .below(&site.id, site.shown_name(), &[])
        .at(day)
        .with_keys(KeysOf::List)
        .for_visitor(app, headers)
        .saying(parameters.message());
    let among = |at| day_among(at, crawls.iter().map(|other| other.opened_at), now);
    let compared = report.compared.map(|(id, at)| (id, among(at)));
    Ok(visitor.answer(page(
        &frame,
        &html! {
            div.heading {
                h1 { (title) }
                @if let Some((id, day)) = &compared {
                    div.acts { a.button rel="prev" href=(address::crawl(&site.id, *id)) { (icon(Icon::Left)) (day) } }
                }
            }
            article.report aria-labelledby="unusual" {
                header {
                    h2 #unusual { (doubt(report.word)) " " (report.reason) }
                    p { (meaning(&report, compared.as_ref().map(|(_, day)| day.as_str()))) }
                }
                section.two aria-label="Evidence" {
                    (where_it_is(&report, &listing))
                    (instead(&report, site))
                }
                section aria-labelledby="otherwise" {
                    h3 #otherwise { (otherwise(&report)) }
                    @if !described.is_empty() {
                        (shown.shown(&described.iter().collect::<Vec<_>>()))
                        (marks_form(visitor, &listing.address))
                    }
                    @if rows.len() > MOST { p.small { "And " (number((rows.len() - MOST) as u64)) " more." } }
                }
                section aria-labelledby="decide" {
                    h3 #decide { "What should happen?" }
                    (decisions.shown(visitor, site, crawl, &report))
                }
            }
        },
    )))
}

/// Says what is doubted in a sentence.
fn meaning(report: &UnusualReport, compared: Option<&str>) -> Markup {
    let before = compared.map_or_else(|| "before".to_owned(), |day| format!("on {day}"));
    html! {
        @match report.doubt {
            Some(Doubt::Lost) => { "What they had " (before) " is gone, or they keep less than half of their lines. " },
            Some(Doubt::Failed) => { "They were there " (before) ", and could not be read. " },
            Some(Doubt::Changed) => { "Their own text is another one than " (before) ". " },
            None => {},
        }
        strong { "Nothing was sent or archived yet." }
        " Until you decide, the text of " (compared.unwrap_or("before")) " counts."
    }
}

fn where_it_is(report: &UnusualReport, listing: &Listing) -> Markup {
    let what = match report.doubt {
        Some(Doubt::Changed) => "Changed",
        Some(Doubt::Failed) => "Failed",
        Some(Doubt::Lost) | None => "Lost",
    };
    let table = html! {
        table {
            thead {
                tr {
                    th scope="col" { "Section" }
                    th.figure scope="col" { "Pages" }
                    th.figure scope="col" { (what) }
                    th scope="col" { span.only-read { "Share" } }
                }
            }
            tbody {
                @for share in &report.folders {
                    tr {
                        th scope="row" {
                            @match share.section.as_deref().filter(|section| !section.is_empty()) {
                                Some(section) => {
                                    a href=(listing.with(&[("section", section), ("all", "1")])) { (share.name()) }
                                },
                                None => (share.name()),
                            }
                        }
                        td.figure { (number(share.pages)) }
                        td.figure.zero[share.doubted == 0] { (number(share.doubted)) }
                        td { (bar(share.doubted, share.pages)) }
                    }
                }
            }
        }
    };
    html! {
        div {
            h3 { "Where" }
            (scrolled("Where", &table))
            p.small.soft {
                @if report.failed == 0 { "No page failed. " } @else { (counted(report.failed, "page")) " failed. " }
                @if report.asked_again > 0 {
                    (number(report.asked_again)) " of the " (number(report.doubted))
                    " were asked again at the end of the crawl, and said the same."
                }
            }
        }
    }
}

fn instead(report: &UnusualReport, site: &Site) -> Markup {
    html! {
        div {
            @if let Some(instead) = &report.instead {
                h3 { "What stands there instead" }
                div.difference.digits-0 {
                    div.line.came {
                        span.no {} span.no {}
                        span.sign { span aria-hidden="true" { "+" } span.only-read { "added: " } }
                        span.text dir="auto" { ins { (instead.line) } }
                    }
                }
                p.small { "One line, the same on " strong { (counted(instead.pages, "page")) } ". For example:" }
            } @else {
                h3 { "For example" }
            }
            ul.small.examples { @for example in &report.examples { (self::example(example, report, site)) } }
            @if report.doubted > report.examples.len() as u64 {
                p.small {
                    a href=(address::with_query(&address::crawl(&site.id, report.crawl), &[("all", "1")])) {
                        "and " (number(report.doubted - report.examples.len() as u64)) " more"
                    }
                }
            }
        }
    }
}

fn example(example: &Example, report: &UnusualReport, site: &Site) -> Markup {
    let address =
        address::difference(&site.id, &example.url, None, Some(report.crawl), address::Compared::Inline);
    html! {
        li {
            a href=(address) dir="auto" { (example.title.as_deref().unwrap_or(example.url.path_and_query())) }
            " " span.soft {
                (example.url.path_and_query())
                @if example.words_before > 0 { " · " (counted(u64::from(example.words_before), "word")) }
                @match example.words {
                    Some(words) => { ", now " (grouped(u64::from(words))) },
                    None => { ", " (example.kind) },
                }
            }
        }
    }
}

fn otherwise(report: &UnusualReport) -> Markup {
    let figures = &report.otherwise.figures;
    let named: Vec<String> =
        report.folders.iter().filter(|share| share.section.is_some()).map(FolderShare::name).collect();
    html! {
        @if report.otherwise.rows.is_empty() { "Nothing else changed" }
        @else { "What else changed: " (counted(figures.changes as u64, "change")) }
        @if figures.shared > 0 { ", " (number(figures.shared as u64)) " shared" }
        @if !named.is_empty() && named.len() <= 3 { " " span.soft { "outside of what is doubted in " (listed(&named)) } }
    }
}

/// Returns names as a sentence has them: `one, two and three`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

/// What each decision comes to.
struct Decisions {
    targets: Vec<String>,
    next: Option<String>,
}

impl Decisions {
    async fn read(served: &Served, site: &Site, _: &UnusualReport) -> Result<Self, WebError> {
        let Some(crawl_control) = &served.app.crawl_control else {
            return Ok(Self { targets: Vec::new(), next: None });
        };
        let next = crawl_control.state(&site.id).await?.next_crawl;
        let next = next.map(|next| next.to_zoned(TimeZone::UTC).strftime("%A, %-d %B").to_string());
        Ok(Self { targets: crawl_control.targets().await?, next })
    }

    fn shown(&self, visitor: &Visitor, site: &Site, crawl: &Crawl, report: &UnusualReport) -> Markup {
        html! {
            div.decide {
                @if let Some(instead) = &report.instead {
                    div {
                        p {
                            strong { "It is an outage of theirs." }
                            " The line is known from now on as one that stands in for content, and the "
                            (counted(instead.pages, "page")) " that show it count as unchanged. If the rest is as in any week, "
                            (self.sent(report.otherwise.figures.changes, report.otherwise.figures.shared)) "."
                        }
                        (act(visitor, &address::outage(&site.id, crawl.id), &[("line", &instead.line)],
                            &html! { "It is an outage" }, Weight::Quiet))
                    }
                }
                div {
                    p {
                        strong { "It is real." } " " (self.sent(report.told.changes, report.told.shared))
                        @if report.archived.0 > 0 { ", and " (counted(report.archived.0, "page")) " may be archived" }
                        ". Later crawls are compared with this one."
                    }
                    @let label = html! {
                        "Accept" @if !self.targets.is_empty() { " and notify " (counted(report.told.changes as u64, "change")) }
                    };
                    (act(visitor, &format!("{}/accept", address::crawl(&site.id, crawl.id)), &[], &label, Weight::Main))
                }
                div {
                    p {
                        strong { "Not sure yet." } " Nothing is sent. If "
                        @match &self.next {
                            Some(next) => { "the crawl of " (next) },
                            None => "the next whole crawl",
                        }
                        " finds the same, it is accepted by itself; whatever it finds is told."
                    }
                    a.button href=(address::site(&site.id)) { "Leave it" }
                }
            }
        }
    }

    /// Says what is sent, and to whom.
    fn sent(&self, changes: usize, shared: usize) -> String {
        let mut what = counted(changes as u64, "change");
        if shared > 0 {
            what = format!("{what} and {}", counted(shared as u64, "shared change"));
        }
        match self.targets.as_slice() {
            [] => format!("{what} count as found (nobody is told, because no target is set)"),
            [only] => format!("{what} go to {only}"),
            several => {
                let places = several.len();
                format!("{what} go to {places} places: {}", several.join(", "))
            }
        }
    }
}
