//! The first screen of somebody who watches nothing yet: one field, and what happens then.

use maud::{Markup, html};

use super::components::{verdict_kind, weight};
use super::forms::proof;
use crate::address::ADD_SITE;
use crate::visitor::Visitor;
use recrawl_core::model::verdict::Verdict;

/// What is asked, as the heading of the page.
pub(super) const QUESTION: &str = "Which web site do you want to watch?";

/// Returns the field that adds the first site, and what happens today, in a week and from then on.
pub(super) fn first_run(visitor: &Visitor) -> Markup {
    html! {
        div.first-run {
            p.lead {
                "Recrawl reads all of it once a week and tells you what is new, changed, moved or gone, the most important first."
            }
            form action=(ADD_SITE) method="post" {
                (proof(visitor))
                input type="hidden" name="often" value="weekly";
                input type="hidden" name="day" value="1";
                input type="hidden" name="hour" value="6";
                label.only-read for="root" { "Address" }
                div.big-field {
                    input #root type="url" name="root" required autocomplete="url" placeholder="https://www.example.org/";
                    button.main type="submit" name="step" value="crawl" { "Add and crawl" }
                }
                p.small.soft {
                    "It asks politely: one request a second, and only what robots.txt allows. Then every Monday at 06:00 (UTC). "
                    a href=(ADD_SITE) { "Look at it first, or choose another time" }
                }
            }
            ol.checks.block {
                li {
                    span.badge { "1" }
                    span {
                        strong { "Today" } " the first crawl reads every page: 1,200 pages take about 20 minutes. "
                        "You can close this page meanwhile."
                    }
                }
                li {
                    span.badge { "2" }
                    span { strong { "In a week" } " the second crawl tells what changed. What did not change is not fetched again." }
                }
                li {
                    span.badge { "3" }
                    span { strong { "From then on" } " you get one row for each change, by web page, feed or e-mail." }
                }
            }
            section.block aria-labelledby="example" {
                h2.small #example { "An example" }
                ol.rows inert {
                    (example(
                        Verdict::Changed, "Budget 2026/27", "/budget/2026-27", "4 of 612 words", 820,
                        &html! { "Consultants " del { "95,000" } " " ins { "195,000" } },
                    ))
                    (example(
                        Verdict::Gone, "Rental assistance program", "/housing/rental-assistance", "418 words", 800,
                        &html! { del.whole { "Households earning up to 60 % of the area median income may apply" } },
                    ))
                }
            }
            p.block.small.soft {
                "Rather in the terminal? " code { "recrawl crawl https://www.example.org/" }
                " · Nothing at hand? " code { "recrawl demo" } " serves a small site and shows a week of it."
            }
        }
    }
}

fn example(kind: Verdict, title: &str, path: &str, size: &str, weighs: u32, said: &Markup) -> Markup {
    html! {
        li.row.fresh {
            span.dot {}
            (verdict_kind(kind))
            span.page { strong.title { (title) } span.path { (path) } }
            span.said { (said) }
            span.size { (size) (weight(weighs, "")) }
        }
    }
}
