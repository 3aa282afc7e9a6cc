//! A list of changes as pages show it: rows, shared changes, and what is counted instead of shown.

use jiff::Timestamp;
use maud::{Markup, html};
use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::kind::Tier;
use recrawl_core::model::verdict::Verdict;
use recrawl_reports::changes::Row;
use recrawl_reports::crawls::{self, CrawlView};
use recrawl_reports::{ChangeRow, ChangesFilter, Detail, told};

use super::pages_of;
use crate::address::{self, SPREADSHEET};
use crate::app::Served;
use crate::error::WebError;
use crate::listing::{LIST, ListOf, Listed, Listing};
use crate::pages::components::{Choice, Fold, Icon, Rows, chips, fold_line, icon, verdict_kind};
use crate::pages::marks::{address_of_all, marks_form};
use crate::visitor::Visitor;
use crate::words::{counted, number};

/// How many rows an open fold shows.
const IN_FOLD: usize = 30;

/// So many first crawls are told one by one.
const FEW_FIRST: usize = 3;

/// What stands above a list.
pub(in crate::pages) struct Heading<'a> {
    /// What it is a list of.
    pub(in crate::pages) title: &'a str,
    /// The windows to choose from, where it is a list of one.
    pub(in crate::pages) windows: Option<&'a Markup>,
    /// Its feed.
    pub(in crate::pages) feed: &'a str,
    /// Which page of the list is shown, from 1.
    pub(in crate::pages) number: usize,
    /// How many rows a page has.
    pub(in crate::pages) per_page: usize,
    /// When it is drawn.
    pub(in crate::pages) now: Timestamp,
}

/// Returns a list with everything around it.
pub(in crate::pages) async fn list_page(
    served: &Served,
    visitor: &Visitor,
    listing: &Listing,
    listed: &Listed,
    heading: &Heading<'_>,
) -> Result<Markup, WebError> {
    let rows = &listed.changes.rows;
    let pages = rows.len().div_ceil(heading.per_page).max(1);
    let start = ((heading.number - 1) * heading.per_page).min(rows.len());
    let shown = &rows[start..(start + heading.per_page).min(rows.len())];
    let shown = served.reports().described_window(&listed.sites, shown, Detail::Excerpts).await?;
    let (shared, own): (Vec<&ChangeRow>, Vec<&ChangeRow>) =
        shown.iter().partition(|row| matches!(row, ChangeRow::Shared(_)));
    let is_window = matches!(listing.of, ListOf::Window(..));
    let view =
        Rows { listing, listed, names_sites: is_window, can_pick: !is_window, may_mark: visitor.may_act() };
    let is_last = heading.number >= pages;
    let rest = if is_last {
        rest(served, listing, listed, &view).await?
    } else {
        html! {}
    };
    Ok(html! {
        (marks_form(visitor, &listing.address))
        section.block aria-labelledby="changes" data-list=(listing.address) {
            div.heading {
                h2 #changes { (heading.title) (counts(listed)) }
                @if let Some(windows) = heading.windows { div.acts { (windows) } }
                @else { div.acts { (acts(visitor, listing, listed, heading)) } }
            }
            div.heading {
                (verdicts(listing, listed))
                @if heading.windows.is_some() { div.acts { (acts(visitor, listing, listed, heading)) } }
            }
            p.only-read role="status" data-shown {}
            @if own.is_empty() { (none(listing, listed, heading.number, pages)) }
            @else {
                @if view.can_pick && view.may_mark { (picks()) }
                (view.shown(&own))
            }
        }
        @if !shared.is_empty() {
            section.block aria-labelledby="shared" {
                h2.small #shared { "Shared changes " span.soft { "the same edit on many pages, one row each" } }
                (view.shown(&shared))
            }
        }
        (pagination(&listing.address, heading.number, pages))
        (rest)
    })
}

/// Says how many changes there are, shared ones among them, and how many of them nobody has seen.
fn counts(listed: &Listed) -> Markup {
    let figures = &listed.changes.figures;
    let (shown, shared, unseen) =
        (figures.changes as u64, figures.shared as u64, listed.counts.unseen as u64);
    html! {
        @if shown + shared > 0 {
            " " span.soft.n {
                (number(shown)) @if shared > 0 { " and " (number(shared)) " shared" }
                @if unseen > 0 { ", of which " span data-unseen { (number(unseen)) } " unseen" }
            }
        }
    }
}

fn acts(visitor: &Visitor, listing: &Listing, listed: &Listed, heading: &Heading<'_>) -> Markup {
    html! {
        @if visitor.may_act() && listed.unseen() > 0 {
            a.button.plain href=(address_of_all(listing, heading.now)) data-key="Shift+e" {
                (icon(Icon::Check)) "Mark all as seen"
            }
        }
        @if !listed.changes.rows.is_empty() {
            @let list = listing.pinned(heading.now);
            a.button.plain href=(address::with_query(SPREADSHEET, &[(LIST, &list)])) download { (icon(Icon::Down)) "CSV" }
        }
        a.button.plain href=(heading.feed) { (icon(Icon::Feed)) "Feed" }
    }
}

/// Offers the kinds of change that there are, and what people did with them.
fn verdicts(listing: &Listing, listed: &Listed) -> Markup {
    let (filter, counts) = (&listing.filter, &listed.counts);
    let none = [("kind", ""), ("unseen", ""), ("starred", "")];
    let plain = filter.verdicts.is_empty() && !filter.review.unseen && !filter.review.starred;
    let mut choices = vec![Choice {
        label: html! { "All" },
        address: listing.with(&none),
        count: Some(counts.all as u64),
        is_chosen: plain,
    }];
    let kinds = [
        (Verdict::New, counts.new),
        (Verdict::Changed, counts.changed),
        (Verdict::Moved, counts.moved),
        (Verdict::Gone, counts.gone),
    ];
    for (kind, count) in kinds {
        let is_chosen = filter.verdicts == [kind];
        if count > 0 || is_chosen {
            choices.push(Choice {
                label: verdict_kind(kind),
                address: listing.with(&[("kind", kind.word()), ("unseen", ""), ("starred", "")]),
                count: Some(count as u64),
                is_chosen,
            });
        }
    }
    let others = filter.verdicts.iter().filter(|kind| !Verdict::CHANGES.contains(kind));
    choices.extend(others.map(|kind| Choice {
        label: verdict_kind(*kind),
        address: listing.address.clone(),
        count: None,
        is_chosen: filter.verdicts.len() == 1,
    }));
    let people = [
        ("Unseen", "unseen", counts.unseen, filter.review.unseen),
        ("Starred", "starred", counts.starred, filter.review.starred),
    ];
    for (label, name, count, is_chosen) in people {
        let other = if name == "unseen" { "starred" } else { "unseen" };
        choices.push(Choice {
            label: html! { (label) },
            address: listing.with(&[("kind", ""), (other, ""), (name, "true")]),
            count: Some(count as u64),
            is_chosen,
        });
    }
    chips("Kind", &choices)
}

/// Returns the head of a list of which rows can be selected.
fn picks() -> Markup {
    use crate::pages::components::MARKS_FORM;
    html! {
        div.picks {
            span.soft.small { "Selected: " }
            button.plain type="submit" form=(MARKS_FORM) name="all" value="seen" { "Mark as seen" }
            button.plain type="submit" form=(MARKS_FORM) name="all" value="star" { "Star" }
        }
        div.columns-head aria-hidden="true" {
            span {} span {} span { "Kind" } span { "Page" } span { "What changed most" } span { "Size, weight" } span {}
        }
    }
}

/// Says that there is nothing, and why.
fn none(listing: &Listing, listed: &Listed, page: usize, pages: usize) -> Markup {
    let rows = listed.changes.rows.len();
    html! {
        p.lead {
            @if page > pages { "The list has " (counted(pages as u64, "page")) ", and this would be page " (number(page as u64)) ". "
                a href=(listing.address) { "To its beginning" }
            }
            @else if listing.filter.is_narrow() || listing.filter.review.unseen || listing.filter.review.starred {
                "No change matches. " a href=(bare(listing)) { "Show all changes" }
            }
            @else if rows > 0 { "No page changed by itself." }
            @else { "No change." }
        }
    }
}

fn bare(listing: &Listing) -> String {
    let all = [
        "kind",
        "kinds",
        "aspect",
        "section",
        "unseen",
        "starred",
        "expand",
        "q",
        "words",
        "which",
        "path",
        "tier",
        "match",
        "match-added",
        "match-removed",
        "exclude-match",
        "min-weight",
    ];
    listing.with(&all.map(|name| (name, "")))
}

/// Returns what is counted instead of shown, each line of which opens.
async fn rest(
    served: &Served,
    listing: &Listing,
    listed: &Listed,
    view: &Rows<'_>,
) -> Result<Markup, WebError> {
    let figures = &listed.changes.figures;
    let mut lines: Vec<Markup> = Vec::new();
    let can_fold = listing.filter.tier.is_none()
        && listing.filter.verdicts.is_empty()
        && !listing.filter.review.unseen
        && !listing.filter.review.starred;
    if can_fold && figures.around > 0 {
        let inside = inside(served, listing, listed, view, Tier::Around).await?;
        lines.push(fold_line(&Fold {
            count: &counted(figures.around as u64, "page"),
            words: "changed only around their content",
            hint: "menus, sidebars, links and images",
            address: &listing.opening(if inside.is_some() { "" } else { "around" }),
            inside,
        }));
    }
    if can_fold && figures.noise > 0 {
        let inside = inside(served, listing, listed, view, Tier::Noise).await?;
        lines.push(fold_line(&Fold {
            count: &counted(figures.noise, "page"),
            words: "changed only by noise",
            hint: "what changes by itself: build stamps, counters, clocks",
            address: &listing.opening(if inside.is_some() { "" } else { "noise" }),
            inside,
        }));
    }
    if can_fold && let ListOf::Crawl(site, crawl) = &listing.of {
        let (_, crawl) = crawls::crawl(&*served.app.library, site, *crawl).await?;
        lines.extend(of_crawl(listing, &CrawlView::from(&crawl)));
    }
    let rules: Vec<String> = figures
        .rules
        .iter()
        .map(|rule| format!("{} on {}", told::rule(&rule.rule), counted(rule.pages, "page")))
        .collect();
    let first = unlisted(&listed.first);
    Ok(html! {
        @if !lines.is_empty() || !rules.is_empty() || !first.is_empty() || figures.unsearched > 0 {
            section.block aria-labelledby="rest" {
                h2.small #rest { "The rest " span.soft { "counted, never dropped" } }
                @if !lines.is_empty() { div.folds { @for line in &lines { (line) } } }
                @for words in &first { p.soft.small { (words) } }
                @if !rules.is_empty() { p.soft.small { "Known noise: " (rules.join(", ")) "." } }
                @if figures.unsearched > 0 {
                    p.notice.doubt {
                        (counted(figures.unsearched as u64, "page")) " could not be searched for words in time."
                    }
                }
            }
        }
    })
}

/// Says how many pages are new to first crawls, which may have been there for long: site by site where they are few.
fn unlisted(crawls: &[Crawl]) -> Vec<String> {
    let new = |crawl: &Crawl| {
        let new = crawl.closed.as_ref()?.statistics.counts[Verdict::New];
        (new > 0).then(|| (crawl.site.clone(), new))
    };
    let new: Vec<_> = crawls.iter().filter_map(new).collect();
    if new.len() > FEW_FIRST {
        let pages = new.iter().map(|(_, new)| new).sum();
        let sites = counted(new.len() as u64, "site");
        return vec![format!(
            "{} of {sites} not listed, because no crawl before saw them whole.",
            counted(pages, "new page")
        )];
    }
    let line = |(site, new): &(_, u64)| {
        format!(
            "{site}: {} not listed, because no crawl before saw the whole site.",
            counted(*new, "new page")
        )
    };
    new.iter().map(line).collect()
}

/// Returns the counted rest that only one crawl has.
fn of_crawl(listing: &Listing, crawl: &CrawlView) -> Vec<Markup> {
    let rest = [
        (
            Verdict::Shared,
            "page",
            "nothing but the shared changes",
            &[("kind", "shared"), ("expand", "true")][..],
        ),
        (Verdict::Missing, "broken link", "", &[("kind", "missing")]),
        (Verdict::Failed, "page", "failed", &[("kind", "failed")]),
    ];
    rest.into_iter()
        .filter_map(|(kind, noun, words, query)| {
            let count = pages_of(crawl, kind);
            let words = if kind == Verdict::Shared {
                format!("{} {words}", if count == 1 { "has" } else { "have" })
            } else {
                words.to_owned()
            };
            (count > 0).then(|| {
                fold_line(&Fold {
                    count: &counted(count, noun),
                    words: &words,
                    hint: "",
                    address: &listing.with(query),
                    inside: None,
                })
            })
        })
        .collect()
}

/// Returns the rows of one tier, where they are asked for.
async fn inside(
    served: &Served,
    listing: &Listing,
    listed: &Listed,
    view: &Rows<'_>,
    tier: Tier,
) -> Result<Option<Markup>, WebError> {
    let word = if tier == Tier::Around { "around" } else { "noise" };
    if listing.open.as_deref() != Some(word) {
        return Ok(None);
    }
    let of_tier = |tier| Listing {
        filter: ChangesFilter { tier: Some(tier), ..listing.filter.clone() },
        ..listing.clone()
    };
    let (nearer, further) = match tier {
        Tier::Noise => (Tier::Around, Tier::Noise),
        Tier::Content | Tier::Around => (Tier::Content, Tier::Around),
    };
    let nearer = of_tier(nearer).read(served).await?;
    let known: std::collections::HashSet<_> = nearer.names().into_iter().map(|(_, name)| name.id).collect();
    let further = of_tier(further).read(served).await?;
    let is_added =
        |row: &&Row| crate::listing::names(row).first().is_some_and(|name| !known.contains(&name.id));
    let rows: Vec<Row> = further.changes.rows.iter().filter(is_added).cloned().collect();
    let shown = &rows[..rows.len().min(IN_FOLD)];
    let shown = served.reports().described_window(&listed.sites, shown, Detail::Excerpts).await?;
    let of_fold = Rows { can_pick: false, ..*view };
    let all = listing.with(&[("tier", if tier == Tier::Around { "2" } else { "3" })]);
    Ok(Some(html! {
        (of_fold.shown(&shown.iter().collect::<Vec<_>>()))
        @if rows.len() > IN_FOLD {
            p.small { a href=(all) { "All " (number(rows.len() as u64)) ", among the changes of the content" } }
        }
    }))
}

/// Returns links to the pages of a list beside this one.
pub(in crate::pages) fn pagination(address: &str, page: usize, pages: usize) -> Markup {
    let to = |page: usize| {
        address::and_query(address, &[("page", &*if page > 1 { page.to_string() } else { String::new() })])
    };
    html! {
        @if pages > 1 && page <= pages {
            nav.pagination aria-label="Pages of the list" {
                @if page > 1 { a rel="prev" href=(to(page - 1)) { "← Previous" } }
                span.n { "Page " (number(page as u64)) " of " (number(pages as u64)) }
                @if page < pages { a rel="next" href=(to(page + 1)) { "Next →" } }
            }
        }
    }
}
