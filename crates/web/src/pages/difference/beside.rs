//! What stands below the lines of a difference: links and images, stored files, facts for evidence.

use jiff::Timestamp;
use maud::{Markup, html};
use recrawl_core::url::PageUrl;
use recrawl_reports::difference::{Beside, DifferenceView, ForeignAddresses, Review, Told};
use recrawl_reports::marks::{Mark, marks};
use recrawl_reports::text_diff::Tag;

use crate::address;
use crate::pages::components::{Icon, icon};
use crate::pages::layout::{readable, scrolled, spoken, tag_class};
use crate::words::{bytes, counted, stamp};

/// How many addresses are listed before the rest is folded.
const LISTED: usize = 20;

/// Returns the links and images that came and went.
pub(super) fn came_and_went(review: &Review) -> Markup {
    html! {
        @for beside in &review.view.beside {
            section.came {
                h2 { (capitalised(&beside.what)) }
                (addresses(beside, &review.view.url))
                @for foreign in review.foreign.iter().filter(|foreign| foreign.beside.what == beside.what) {
                    (folded(foreign, review))
                }
            }
        }
        @for foreign in &review.foreign {
            @if review.view.beside.iter().all(|beside| beside.what != foreign.beside.what) {
                section.came {
                    h2 { (capitalised(&foreign.beside.what)) }
                    (folded(foreign, review))
                }
            }
        }
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Returns addresses that are not the page's own, folded with their count.
fn folded(foreign: &ForeignAddresses, review: &Review) -> Markup {
    let ForeignAddresses { beside, pages } = foreign;
    let count = (beside.went.len() + beside.came.len()) as u64;
    let what = if beside.what == "links" { "shared link" } else { "shared address" };
    let only = match (beside.went.as_slice(), beside.came.as_slice()) {
        ([went], []) => Some((Tag::Removed, went)),
        ([], [came]) => Some((Tag::Added, came)),
        _ => None,
    };
    html! {
        div.difference {
            details.fold.many {
                summary {
                    b { (counted(count, what).replace("addresss", "addresses")) }
                    @if *pages > 1 { " the same on " (counted(*pages, "page")) }
                    @if let Some((tag, address)) = only {
                        " " span { (spoken(tag)) " " span dir="auto" { (place(address, &review.view.url)) } }
                    }
                }
                div.inside { (addresses(beside, &review.view.url)) }
            }
        }
    }
}

/// Returns what the head of the page says otherwise: it is seen in tabs and in what searches find.
pub(super) fn of_the_head(review: &Review) -> Markup {
    let side = |tag: Tag, other: &str, text: &str| {
        let (sign, class) = if tag == Tag::Removed { ("−", "went") } else { ("+", "came") };
        let (went, came) = if tag == Tag::Removed { (text, other) } else { (other, text) };
        html! {
            @if !text.is_empty() {
                div.line.(class) {
                    span.no {} span.no {}
                    span.sign { span aria-hidden="true" { (sign) } span.only-read { @if tag == Tag::Removed { "removed: " } @else { "added: " } } }
                    span.text dir="auto" {
                        @for mark in marks(Some(went), Some(came), text.len() * 2 + other.len()) {
                            @match (mark, tag) {
                                (Mark::Same(text), _) => (text),
                                (Mark::Went(text), Tag::Removed) => del { (text) },
                                (Mark::Came(text), Tag::Added) => ins { (text) },
                                (Mark::Went(_) | Mark::Came(_), _) => {},
                            }
                        }
                    }
                }
            }
        }
    };
    html! {
        @for change in &review.head {
            section.came {
                h2 { (capitalised(change.what)) }
                div.difference.digits-0 {
                    (side(Tag::Removed, &change.came, &change.went))
                    (side(Tag::Added, &change.went, &change.came))
                }
            }
        }
    }
}

/// Returns an address without the host where that is the one of the page.
fn place<'a>(address: &'a str, page: &PageUrl) -> &'a str {
    let origin = page.as_str().strip_suffix(page.path_and_query()).unwrap_or_default();
    let rest = address.strip_prefix(origin).filter(|rest| !origin.is_empty() && rest.starts_with('/'));
    rest.unwrap_or(address)
}

fn addresses(beside: &Beside, page: &PageUrl) -> Markup {
    let went = beside.went.iter().map(|address| (Tag::Removed, address));
    let all: Vec<(Tag, &String)> =
        went.chain(beside.came.iter().map(|address| (Tag::Added, address))).collect();
    let list = |part: &[(Tag, &String)]| {
        html! {
            ul.addresses {
                @for (tag, address) in part {
                    li class=(tag_class(*tag)) { span.mark { (spoken(*tag)) } span dir="auto" { (readable(place(address, page))) } }
                }
            }
        }
    };
    html! {
        @if all.len() <= LISTED { (list(&all)) }
        @else {
            (list(&all[..LISTED]))
            details.rest {
                summary { (counted((all.len() - LISTED) as u64, "more address").replace("addresss", "addresses")) }
                (list(&all[LISTED..]))
            }
        }
    }
}

/// Offers both stored versions of a file whose text is not compared.
pub(super) fn files(review: &Review, now: Timestamp) -> Markup {
    let view = &review.view;
    if review.files.is_empty() || matches!(review.told, Told::Moved { .. }) {
        return html! {};
    }
    html! {
        section.files {
            p.lead { "Recrawl does not read the text of this kind of file. The stored versions:" }
            ul.downloads {
                @for file in &review.files {
                    li {
                        @if file.is_kept {
                            a href=(address::stored(&view.site, file.crawl, &view.url)) {
                                (icon(Icon::Down)) " Version of " (stamp(file.fetched_at, now))
                            }
                        } @else {
                            "Version of " (stamp(file.fetched_at, now)) ", not kept"
                        }
                        " " span.soft {
                            (bytes(file.size)) @if !file.media_type.is_empty() { ", " (file.media_type) }
                        }
                    }
                }
            }
        }
    }
}

/// Returns status, headers and hashes of both versions, folded.
pub(super) fn facts(view: &DifferenceView) -> Markup {
    let dash = |value: &Option<String>| value.clone().unwrap_or_else(|| "–".to_owned());
    let table = html! {
        table.cards.values {
            thead { tr { th scope="col" { "What" } th scope="col" { "Older" } th scope="col" { "Newer" } } }
            tbody {
                @for fact in &view.facts {
                    tr.differs[fact.older != fact.newer] {
                        th scope="row" { (fact.name) }
                        td.code data-label="Older" { (dash(&fact.older)) }
                        td.code data-label="Newer" { (dash(&fact.newer)) }
                    }
                }
            }
        }
    };
    html! {
        details.more.evidence {
            summary { "Status, headers and hashes of both versions, for evidence" }
            (scrolled("Status and headers", &table))
        }
    }
}
