//! The head of a difference, which stays in sight: what changed, where in the list it is, and what people did with it.

use axum::http::Uri;
use maud::{Markup, html};
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::review::ReviewMark;
use recrawl_core::words::grouped;
use recrawl_reports::difference::{DiffRow, Review, Told};

use crate::address::{self, Compared, MARKS};
use crate::listing::{LIST, Listing, Step};
use crate::pages::components::{Choice, Icon, icon, segments, verdict_kind};
use crate::pages::forms::proof;
use crate::pages::layout::title;
use crate::visitor::Visitor;
use crate::words::counted;

/// How many marks stand for the changes of a list at most.
const MOST_STEPS: usize = 12;

/// What the head shows beside the change.
pub(super) struct Head<'a> {
    pub(super) review: &'a Review,
    pub(super) visitor: &'a Visitor,
    pub(super) mark: &'a ReviewMark,
    /// The list that it came from, what the list is called, and where in it the change is.
    pub(super) list: Option<(&'a Listing, String, Option<Step>)>,
    pub(super) way: Compared,
    /// The address of the page itself.
    pub(super) own: &'a Uri,
}

impl Head<'_> {
    pub(super) fn shown(&self) -> Markup {
        let view = &self.review.view;
        let url = &view.url;
        let name = view.title.as_deref().filter(|title| !title.trim().is_empty());
        html! {
            header.review data-review {
                div.line1 {
                    span.where {
                        a href=(address::site(&view.site)) { (view.site) }
                        @if let Some((list, name, _)) = &self.list {
                            " › " a href=(list.address) data-back { (name) }
                        }
                    }
                    (self.stepper())
                }
                div.line2 {
                    (verdict_kind(self.kind()))
                    h1 dir="auto" { (title(name.unwrap_or_else(|| url.path_and_query()))) }
                    (self.acts())
                }
                div.line3 {
                    span {
                        a.mono href=(url) rel="noreferrer noopener external" { (crate::pages::layout::readable(url.path_and_query())) }
                        @if let Some(what) = what(self.review) { " " span.soft { "· " (what) } }
                    }
                    (self.views())
                }
            }
        }
    }

    fn kind(&self) -> recrawl_core::model::verdict::Verdict {
        use recrawl_core::model::verdict::Verdict;
        match self.review.told {
            Told::Gone { .. } => Verdict::Gone,
            Told::New { .. } => Verdict::New,
            Told::Moved { .. } => Verdict::Moved,
            Told::Unchanged { .. } if self.review.visit.kind == Verdict::Touched => Verdict::Touched,
            Told::Unchanged { .. } => Verdict::Shared,
            Told::Changed => Verdict::Changed,
        }
    }

    fn stepper(&self) -> Markup {
        let Some((_, _, Some(step))) = &self.list else { return html! {} };
        html! {
            span.stepper {
                (way("prev", "Previous", "Previous (p)", Icon::Left, step.previous.as_deref()))
                span.place { (grouped(step.place as u64)) " of " (grouped(step.of as u64)) }
                @if step.of > 1 && step.of <= MOST_STEPS {
                    span.steps aria-hidden="true" {
                        @for place in 1..=step.of { i.at[place == step.place] {} }
                    }
                }
                (way("next", "Next", "Next (n)", Icon::Right, step.next.as_deref()))
            }
        }
    }

    /// Returns what people do with a change: a form each, which leads on, or back here.
    fn acts(&self) -> Markup {
        if !self.visitor.may_act() {
            return html! {};
        }
        let ReviewMark { seen, starred, note } = self.mark;
        let name = self.name();
        let here = self.own.to_string();
        let next = self.list.as_ref().map_or_else(
            || here.clone(),
            |(list, _, step)| {
                let next = step.as_ref().and_then(|step| step.next.clone());
                next.unwrap_or_else(|| list.address.clone())
            },
        );
        let has_next = self
            .list
            .as_ref()
            .is_some_and(|(.., step)| step.as_ref().is_some_and(|step| step.next.is_some()));
        let star = if *starred { "unstar" } else { "star" };
        html! {
            div.acts {
                form action=(MARKS) method="post" data-mark="star" {
                    (proof(self.visitor))
                    input type="hidden" name="back" value=(here);
                    button.icon.star name="mark" value={ (star) " " (name) } aria-pressed=(starred)
                        aria-label="Star" title="Star (s)" { (icon(Icon::Star)) }
                }
                details.note-form data-note-form {
                    summary.button { @if note.is_some() { "Note ✓" } @else { "Note" } }
                    form.pop action=(MARKS) method="post" {
                        (proof(self.visitor))
                        input type="hidden" name="back" value=(here);
                        input type="hidden" name="note-of" value=(name);
                        label for="note" { "Note" }
                        textarea #note name="note" rows="4" maxlength="1000" dir="auto" {
                            // The parser drops the first line feed of a text.
                            "\n" @if let Some(note) = note { (note) }
                        }
                        div.buttons { button.main type="submit" { "Save the note" } }
                    }
                }
                form action=(MARKS) method="post" data-mark="seen" {
                    (proof(self.visitor))
                    @if *seen && !has_next {
                        input type="hidden" name="back" value=(here);
                        button.seen name="mark" value={ "unseen " (name) } aria-pressed="true" { "Seen" }
                    } @else {
                        input type="hidden" name="back" value=(next);
                        button.main.seen name="mark" value={ "seen " (name) } aria-pressed=(seen)
                            data-seen-name=(name) {
                            @if has_next { "Seen, next" } @else if self.list.is_some() { "Seen, back" } @else { "Seen" }
                            " " kbd aria-hidden="true" { "e" }
                        }
                    }
                }
            }
        }
    }

    /// Returns the change as forms name it.
    fn name(&self) -> String {
        name(&self.review.view.site, self.review)
    }

    fn views(&self) -> Markup {
        let choices: Vec<Choice> = Compared::ALL
            .into_iter()
            .filter(|way| *way != Compared::Side || !is_one_sided(self.review))
            .map(|way| Choice {
                label: html! {
                    @match way {
                        Compared::Inline => "Inline", Compared::Side => "Side by side", Compared::Raw => "HTML",
                    }
                },
                address: self.with("view", if way == Compared::Inline { "" } else { way.word() }),
                count: None,
                is_chosen: way == self.way,
            })
            .collect();
        segments("View", &choices)
    }

    /// Returns the address of this page with another value for one parameter.
    pub(super) fn with(&self, name: &str, value: &str) -> String {
        let parameters = crate::parameters::Parameters::read(self.own.query().unwrap_or_default());
        let kept = parameters.pairs().filter(|(key, _)| *key != name && *key != "done");
        let pairs: Vec<(&str, &str)> = kept.chain([(name, value)]).collect();
        address::with_query(self.own.path(), &pairs)
    }
}

/// Returns a change as forms name it.
pub(super) fn name(site: &SiteId, review: &Review) -> String {
    format!("{site} {}/{}", review.visit.crawl, review.visit.event)
}

/// Tells whether there is nothing to stand beside the lines.
pub(super) fn is_one_sided(review: &Review) -> bool {
    matches!(review.told, Told::Gone { .. } | Told::New { .. })
}

fn way(rel: &str, word: &str, hint: &str, picture: Icon, address: Option<&str>) -> Markup {
    let said = html! {
        @if picture == Icon::Left { (icon(picture)) }
        (word)
        @if picture == Icon::Right { (icon(picture)) }
    };
    html! {
        @match address {
            Some(address) => a.button.plain href=(address) rel=(rel) title=(hint) { (said) },
            None => span.button.plain.off { (said) },
        }
    }
}

/// Says how large the change is, and where: `4 of 612 words: 2 lines changed`.
fn what(review: &Review) -> Option<String> {
    let words = review.visit.words;
    let size = match &review.told {
        _ if !review.is_of_visit => None,
        Told::Gone { .. } | Told::New { .. } if words.of > 0 => Some(counted(u64::from(words.of), "word")),
        Told::Changed if words.changed > 0 => {
            Some(format!("{} of {}", grouped(u64::from(words.changed)), counted(u64::from(words.of), "word")))
        }
        Told::Gone { .. }
        | Told::New { .. }
        | Told::Moved { .. }
        | Told::Unchanged { .. }
        | Told::Changed => None,
    };
    let lines = if is_one_sided(review) || review.view.of_markup { None } else { lines(&review.rows) };
    match (size, lines) {
        (Some(size), Some(lines)) => Some(format!("{size}: {lines}")),
        (Some(one), None) | (None, Some(one)) => Some(one),
        (None, None) => None,
    }
}

/// Says how many lines changed, came and went.
fn lines(rows: &[DiffRow]) -> Option<String> {
    let (mut changed, mut came, mut went) = (0_u64, 0_u64, 0_u64);
    for row in rows {
        match row {
            DiffRow::Edit(Some(_), Some(_)) => changed += 1,
            DiffRow::Edit(Some(_), None) => went += 1,
            DiffRow::Edit(None, _) => came += 1,
            DiffRow::Same(_) | DiffRow::Unchanged(..) | DiffRow::Folded(_) | DiffRow::Around(_) => {}
        }
    }
    let parts: Vec<String> = [(changed, "changed"), (came, "came"), (went, "went")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .enumerate()
        .map(|(place, (count, what))| {
            if place == 0 {
                format!("{} {what}", counted(count, "line"))
            } else {
                format!("{} {what}", grouped(count))
            }
        })
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The name of the parameter of lists, for forms that carry it on.
pub(super) const CARRIED: &str = LIST;
