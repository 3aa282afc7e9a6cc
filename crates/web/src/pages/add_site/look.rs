//! What the first look at an address has found so far.

use maud::{Markup, html};

use crate::crawl_control::{FirstPage, SitePreview};
use crate::pages::capitalised;
use crate::pages::components::{Icon, icon};
use crate::pages::layout::{readable, with_code};
use crate::pages::states::spelt;
use crate::visitor::Visitor;
use crate::words::{counted, duration, number};

/// Returns what is known by now; before anybody looked, how to.
pub(super) fn look(seen: Option<&SitePreview>, visitor: &Visitor) -> Markup {
    let Some(seen) = seen else {
        return html! {
            p.soft { "It asks for robots.txt, the first page and sitemaps. Nothing is kept." }
            @if visitor.may_act() {
                div.acts { button type="submit" name="step" value="look" formnovalidate { "Look at it" } }
            }
        };
    };
    html! {
        div data-goes-on[!seen.done] {
            p.small.soft { (seen.site) ", " (readable(seen.root.as_str())) }
            ul.checks { (checks(seen)) }
            (outlook(seen))
            @if let Some(instead) = &seen.instead {
                div.acts {
                    button type="submit" name="use" value=(instead) formnovalidate { "Use that address" }
                }
            }
            @if !seen.done {
                p.without-script {
                    button type="submit" name="step" value="again" formnovalidate { "Look again" }
                }
            }
            (sample(seen))
        }
    }
}

fn check(class: &str, sign: Icon, content: &Markup) -> Markup {
    html! { li { span class=(class) { (icon(sign)) } span { (content) } } }
}

fn checks(seen: &SitePreview) -> Markup {
    let yes = |content: &Markup| check("yes", Icon::Check, content);
    let no = |content: &Markup| check("no", Icon::Cross, content);
    let wait = |content: &Markup| check("wait", Icon::Wait, content);
    html! {
        @if let Some(page) = seen.first_page.as_ref().filter(|_| seen.state.is_none()) { (yes(&answers(page))) }
        @match (&seen.state, &seen.trouble) {
            (Some(state), _) => (no(&html! {
                span data-state=(state.word) { strong { (spelt(&state.sentence)) "." } }
                br; (with_code(state.advice))
                @if let Some(instead) = &seen.instead {
                    br; a href=(instead) rel="noreferrer noopener external" { (readable(instead.as_str())) }
                    " answers."
                }
            })),
            (None, Some(trouble)) => (no(&html! { strong { (capitalised(trouble)) "." } })),
            (None, None) if seen.first_page.is_some() => {
                (yes(&html! { strong { "It can be read" } " without JavaScript, password or cookie" }))
            },
            (None, None) if !seen.done => (wait(&html! { strong { "Asking" } " for robots.txt and the first page" })),
            (None, None) => {},
        }
        @if !seen.robots.is_empty() && seen.state.as_ref().is_none_or(|state| state.word != "forbidden-by-robots") {
            (yes(&html! {
                strong { "robots.txt:" } " " (seen.robots)
                "; " (counted(seen.delay_seconds.max(1), "second")) " between requests"
            }))
        }
        @if seen.first_page.is_some() && seen.state.is_none() { (sitemaps(seen, yes, wait)) }
    }
}

fn answers(page: &FirstPage) -> Markup {
    let tenths = page.took_ms.div_ceil(100);
    html! {
        strong { "It answers" } " in " (tenths / 10) "." (tenths % 10) " s"
        @if let Some(title) = &page.title { ": “" (title) "”" }
        ", " (counted(page.words as u64, "word")) ", " (counted(page.links as u64, "link"))
    }
}

fn sitemaps(seen: &SitePreview, yes: impl Fn(&Markup) -> Markup, wait: impl Fn(&Markup) -> Markup) -> Markup {
    let found = html! {
        @for (place, sitemap) in seen.sitemaps.iter().enumerate() { @if place > 0 { br; } (sitemap) }
    };
    match (seen.done, seen.sitemaps.is_empty()) {
        (false, true) => wait(&html! { strong { "Looking for sitemaps" } }),
        (false, false) => wait(&html! { strong { "Looking for sitemaps:" } " " (found) }),
        (true, true) => yes(&html! { strong { "No sitemap" } " was found: pages are found by their links" }),
        (true, false) => yes(&html! { strong { "Sitemaps:" } " " (found) }),
    }
}

/// Says how large the site is, and how long its first crawl takes.
fn outlook(seen: &SitePreview) -> Markup {
    if seen.known < 2 || seen.state.as_ref().is_some_and(|state| state.read == 0) {
        return html! {};
    }
    let pages = seen.known as u64;
    let seconds = i64::try_from(pages.saturating_mul(seen.delay_seconds)).unwrap_or(i64::MAX);
    html! {
        p {
            @if seen.sitemaps.is_empty() { "At least " } @else { "About " }
            strong { (counted(pages, "page")) }
            @if seconds > 0 { ", so the first crawl takes about " strong { (duration(seconds)) } }
            ". The first changes can be told after the second crawl."
        }
    }
}

/// Returns some pages that would be read, and some that would not.
fn sample(seen: &SitePreview) -> Markup {
    html! {
        @if !seen.admitted.is_empty() || !seen.refused.is_empty() {
            details.small {
                summary { "Which pages" }
                ul.addresses {
                    @for url in &seen.admitted { li { (readable(url.as_str())) } }
                    @if seen.known > seen.admitted.len() {
                        li.soft { "and " (number((seen.known - seen.admitted.len()) as u64)) " more" }
                    }
                    @for page in &seen.refused {
                        li { del { (readable(page.url.as_str())) } " " span.soft { (page.reason) } }
                    }
                }
            }
        }
    }
}
