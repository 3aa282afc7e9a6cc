//! What of a list of changes is shown, and in which order.

use maud::{Markup, html};
use recrawl_core::model::kind::{Kind, Tier};
use recrawl_reports::Sort;

use crate::listing::{Listed, Listing};
use crate::pages::components::{Choice, chips};
use crate::parameters::Parameters;

/// Returns the form above the list of a crawl. What the chips choose stays as it is.
pub(super) fn filters(listing: &Listing, listed: &Listed, parameters: &Parameters) -> Markup {
    let (action, _) = listing.address.split_once('?').unwrap_or((&listing.address, ""));
    let kept = parameters.pairs().filter(|(name, _)| {
        matches!(*name, "kind" | "kinds" | "aspect" | "section" | "unseen" | "starred" | "expand" | "q")
    });
    let (which, words) = asked_words(parameters);
    html! {
        form.filters action=(action) method="get" role="search" aria-label="Filter changes" {
            @for (name, value) in kept { input type="hidden" name=(name) value=(value); }
            // Folds the fields on phones.
            input.only-read #more type="checkbox" checked[listing.filter.has_conditions()];
            label.more for="more" { "Words, path, order…" }
            div.field.wide {
                label for="words" { "Words" }
                label.only-read for="which" { "Which words" }
                span.joined {
                    select #which name="which" {
                        @for (word, shown) in [("either", "came or went"), ("came", "came"), ("went", "went")] {
                            option value=(word) selected[word == which] { (shown) }
                        }
                    }
                    input #words type="search" name="words" value=(words) placeholder="consultants|closed doors"
                        data-filter="changes";
                }
            }
            div.field {
                label for="path" { "Path" }
                input #path type="text" name="path" value=[&listing.filter.path] placeholder="/council/";
            }
            div.field {
                label for="tier" { "Show" }
                select #tier name="tier" {
                    @for (word, shown, tier) in [
                        ("", "Content only", None),
                        ("2", "and around it", Some(Tier::Around)),
                        ("3", "and noise", Some(Tier::Noise)),
                    ] {
                        option value=(word) selected[listing.filter.tier == tier] { (shown) }
                    }
                }
            }
            div.field {
                label for="sort" { "Order" }
                select #sort name="sort" {
                    @for (word, shown, sort) in [
                        ("", "Heaviest first", Sort::Weight),
                        ("size", "Most words first", Sort::Size),
                        ("path", "By path", Sort::Path),
                        ("time", "Newest first", Sort::Time),
                    ] {
                        option value=(word) selected[listing.sort == sort] { (shown) }
                    }
                }
            }
            button.apply type="submit" { "Filter" }
            (kinds(listing, listed))
        }
    }
}

/// Returns which words were asked for, and where.
fn asked_words(parameters: &Parameters) -> (&str, &str) {
    let named = [("either", "match"), ("came", "match-added"), ("went", "match-removed")];
    let found = named.iter().find_map(|(which, name)| Some((*which, parameters.get(name)?)));
    found
        .unwrap_or((parameters.get("which").unwrap_or("either"), parameters.get("words").unwrap_or_default()))
}

/// Returns the kinds of what differs, where there are several to choose from.
fn kinds(listing: &Listing, listed: &Listed) -> Markup {
    let chosen = &listing.filter.kinds;
    if listed.kinds.len() < 2 && chosen.is_empty() {
        return html! {};
    }
    let choice = |kind: Kind, count: Option<u64>| {
        let is_chosen = chosen.contains(kind);
        let word = if is_chosen { "" } else { kind.word() };
        Choice { label: html! { (kind.word()) }, address: listing.with(&[("kinds", word)]), count, is_chosen }
    };
    let missing = chosen.iter().filter(|kind| listed.kinds.iter().all(|(found, _)| found != kind));
    let choices: Vec<Choice> = listed
        .kinds
        .iter()
        .map(|(kind, count)| choice(*kind, Some(*count as u64)))
        .chain(missing.map(|kind| choice(kind, None)))
        .collect();
    chips("What differs", &choices)
}
