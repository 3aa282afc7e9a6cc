//! Ignoring by a click: from a line of a difference to a rule, with its effect before it is saved.

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::SiteId;
use recrawl_reports::ignoring::{Bounds, Counted, EditedLine, Effect, IgnoreRule, IgnoreView, Wide};
use recrawl_reports::sites::found_site;
use recrawl_reports::told;

use super::forms::{proof, refused};
use super::layout::{Frame, NavigationPlace, page, readable};
use crate::address::{self, own_address, with_message};
use crate::app::{App, Served};
use crate::crawl_control::{ControlError, CrawlControl, IgnoreRules};
use crate::error::WebError;
use crate::message::Message;
use crate::parameters::{Parameters, Typed};
use crate::visitor::{Visitor, permitted_write};
use crate::words::{counted, number, shortened};

/// Asks for all pages to be counted, however long that takes.
const ALL: &str = "all";

/// `GET /sites/{site}/ignore`, with `url`, `crawl` and `line`, such as `came-30`; `count=all` where not as many pages as can be
/// read soon, but all of them are to be counted; `fragment` for the script
pub(super) async fn ask(
    State(served): State<Served>,
    Path(site): Path<String>,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let app = &served.app;
    let crawl_control = visitor.crawl_control(app)?;
    if !app.access.admits_preview((app.clock)()) {
        return Err(WebError::TooMany);
    }
    let site = found_site(&*app.library, &site.parse()?).await?;
    let line = named(&served, &site, &parameters).await?;
    let back = own_address(parameters.get("back").unwrap_or("/"))?;
    let bounds = if parameters.get("count") == Some(ALL) { Bounds::WHOLE } else { Bounds::PAGE };
    let (url, text) = (line.url.clone(), line.text.clone());
    let view = served.turns.beside({
        let (served, site) = (served.clone(), site.clone());
        async move { effect(&served, &*crawl_control, &site, &line, bounds).await }
    });
    let view = view.await??;
    let asked = ["url", "crawl", "line", "back"].map(|name| (name, parameters.get(name).unwrap_or_default()));
    let whole =
        address::and_query(&address::with_query(&address::ignore(&site.id), &asked), &[("count", ALL)]);
    let shown = form(&visitor, &site.id, &view, back, (bounds == Bounds::PAGE).then_some(&*whole));
    if parameters.get("fragment").is_some() {
        return Ok(visitor.answer(shown));
    }
    let frame = Frame::new("Ignore this", NavigationPlace::Sites)
        .below(&site.id, site.shown_name(), &[("Difference".to_owned(), back.to_owned())])
        .for_visitor(app, &headers);
    Ok(visitor.answer(page(
        &frame,
        &html! {
            h1 { "Ignore this?" }
            p.where { (readable(url.as_str())) }
            blockquote.line dir="auto" { (shortened(&text, 400, 0)) }
            (shown)
        },
    )))
}

/// `POST /sites/{site}/ignore`, with the `rule` that was chosen
pub(super) async fn save(
    State(app): State<App>,
    Path(site): Path<String>,
    headers: HeaderMap,
    Typed(typed): Typed,
) -> Result<Response, WebError> {
    let crawl_control = permitted_write(&app, &headers, typed.get("form_token").unwrap_or_default())?;
    let site = found_site(&*app.library, &site.parse()?).await?.id;
    let back = own_address(typed.get("back").unwrap_or("/"))?;
    let rule = typed.get("rule").and_then(read);
    let rule = rule.ok_or_else(|| WebError::BadRequest("choose what to ignore".to_owned()))?;
    let saved = async {
        let rules = with(crawl_control.rules(&site).await?, &rule);
        crawl_control.save_rules(&site, &rules).await
    };
    Ok(match saved.await {
        Ok(()) => Redirect::to(&with_message(back, Message::Ignored)).into_response(),
        Err(error) => refused(error.into(), back),
    })
}

/// Returns the line that is named: `came-30` is the 30th line of what the page says.
async fn named(served: &Served, site: &Site, parameters: &Parameters) -> Result<EditedLine, WebError> {
    let url = parameters.page()?;
    let crawl = parameters.crawl("crawl")?;
    let crawl = crawl.ok_or_else(|| WebError::BadRequest("the parameter crawl is missing".to_owned()))?;
    let place = parameters.get("line").and_then(|text| text.split_once('-')).and_then(|(side, number)| {
        let came = match side {
            "came" => true,
            "went" => false,
            _ => return None,
        };
        Some((came, number.parse().ok()?))
    });
    let place =
        place.ok_or_else(|| WebError::BadRequest("line must be such as came-30 or went-4".to_owned()))?;
    let line = served.reports().edited_line(site, &url, crawl, place).await?;
    line.ok_or_else(|| WebError::NotFound("the page has no such line there".to_owned()))
}

async fn effect(
    served: &Served,
    crawl_control: &dyn CrawlControl,
    site: &Site,
    line: &EditedLine,
    bounds: Bounds,
) -> Result<IgnoreView, WebError> {
    let rules = crawl_control.rules(&site.id).await?;
    let base = crawl_control.readers(&site.id, std::slice::from_ref(&rules)).await?;
    let base =
        base.first().ok_or_else(|| WebError::NotFound("nothing reads the pages of this site".to_owned()))?;
    let reports = served.reports();
    let candidates = reports.candidates(site, line, base).await?;
    let mut tried = Vec::new();
    for choice in candidates.choices {
        match crawl_control.readers(&site.id, &[with(rules.clone(), &choice.rule)]).await {
            Ok(readers) => tried.extend(readers.into_iter().map(|reader| (choice.clone(), reader))),
            // A rule that the settings refuse is none.
            Err(ControlError::Refused(_)) => {}
            Err(ControlError::Store(error)) => return Err(error.into()),
        }
    }
    Ok(reports.ignoring(site, line, candidates.region, base, tried, bounds).await?)
}

/// Returns rules with one more.
fn with(mut rules: IgnoreRules, rule: &IgnoreRule) -> IgnoreRules {
    let (list, text) = match rule {
        IgnoreRule::Selector(selector) => (&mut rules.selectors, selector),
        IgnoreRule::Pattern(pattern) => (&mut rules.patterns, pattern),
    };
    if !list.contains(text) {
        list.push(text.clone());
    }
    rules
}

/// Returns a rule as forms carry it.
fn written(rule: &IgnoreRule) -> String {
    match rule {
        IgnoreRule::Selector(selector) => format!("selector {selector}"),
        IgnoreRule::Pattern(pattern) => format!("pattern {pattern}"),
    }
}

fn read(text: &str) -> Option<IgnoreRule> {
    match text.split_once(' ')? {
        ("selector", selector) => Some(IgnoreRule::Selector(selector.to_owned())),
        ("pattern", pattern) => Some(IgnoreRule::Pattern(pattern.to_owned())),
        _ => None,
    }
}

/// Returns what can be chosen; `whole` is where all pages are counted.
fn form(visitor: &Visitor, site: &SiteId, view: &IgnoreView, back: &str, whole: Option<&str>) -> Markup {
    let is_sample = |effect: &Effect| effect.crawl.is_sample() || effect.before.is_sample();
    let whole = whole.filter(|_| view.effects.iter().any(is_sample));
    if view.effects.is_empty() {
        return html! {
            div.pop {
                p { "No rule was found that leaves this line out: the stored page has no element for it that has a name." }
                p { a href=(address::rules(site, Some(&view.url))) { "Write a rule" } }
            }
        };
    }
    html! {
        form.pop action=(address::ignore(site)) method="post" aria-labelledby="ignore-what" {
            (proof(visitor))
            input type="hidden" name="back" value=(back);
            h2 #ignore-what { "Ignore where this stands, on every page" }
            div.options role="radiogroup" aria-labelledby="ignore-what" {
                @for (place, effect) in view.effects.iter().enumerate() {
                    label {
                        input type="radio" name="rule" value=(written(&effect.choice.rule))
                            checked[place == view.proposed];
                        span {
                            (what(effect, view))
                            small { (hides(effect)) }
                            span.effect {
                                (stay(effect)) " " (before(&effect.before, view.crawls_before))
                            }
                        }
                    }
                }
            }
            div.buttons {
                button.main type="submit" { "Ignore from now on" }
                a.button href=(back) data-close { "Cancel" }
                @if let Some(whole) = whole { a.small href=(whole) { "Count all pages" } }
                a.small href=(address::rules(site, Some(&view.url))) { "All ignore rules" }
            }
        }
    }
}

fn what(effect: &Effect, view: &IgnoreView) -> Markup {
    let (IgnoreRule::Selector(rule) | IgnoreRule::Pattern(rule)) = &effect.choice.rule;
    html! {
        @match effect.choice.wide {
            Wide::Line => { "This line only: “" span dir="auto" { (shortened(&view.line, 60, 10)) } "”" },
            Wide::Shape => { "Lines like this, whatever their numbers: " code { (shortened(rule, 60, 10)) } },
            Wide::Element => { (capitalised(told::region(view.region))) ", this part of it: " code { (rule) } },
            Wide::Frame => { "Everything around the content: " code { (rule) } },
        }
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| format!("The {first}{}", characters.as_str()))
}

/// Says what the rule would hide of the crawl.
fn hides(effect: &Effect) -> String {
    let Counted { differ, read, hidden, line } = effect.crawl;
    let sample = if effect.crawl.is_sample() {
        format!(" (of {} that were read, of {} that differ)", number(read), number(differ))
    } else {
        String::new()
    };
    let of = if effect.crawl.is_sample() { read } else { differ };
    format!(
        "hides this line on {}, and would hide {} of {} that differ this time{sample}",
        counted(line, "page"),
        number(hidden),
        counted(of, "page")
    )
}

/// Says what stays.
fn stay(effect: &Effect) -> Markup {
    let stay = effect.crawl.read - effect.crawl.hidden;
    html! { strong { (number(stay)) @if stay == 1 { " stays." } @else { " stay." } } }
}

/// Says what the rule would have hidden before.
fn before(counted_before: &Counted, crawls: usize) -> String {
    let Counted { differ, read, hidden, .. } = *counted_before;
    if crawls == 0 {
        return "There is no crawl in the 8 weeks before.".to_owned();
    }
    if differ == 0 {
        return "In the 8 weeks before no page differed.".to_owned();
    }
    let sample = if counted_before.is_sample() {
        format!(" ({} read of {} that differed)", number(read), number(differ))
    } else {
        String::new()
    };
    format!("In the 8 weeks before it would have hidden {} of {}{sample}.", number(hidden), number(read))
}
