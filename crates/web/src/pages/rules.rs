//! The ignore rules of a site, with a look at what they do.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use recrawl_core::model::crawl::Site;
use recrawl_core::url::PageUrl;
use recrawl_reports::changes::lately_changed;
use recrawl_reports::sites::found_site;

use super::difference::plain;
use super::forms::{fault, lines, proof};
use super::layout::{Frame, NavigationPlace, page, readable};
use crate::address::{self, with_message};
use crate::app::App;
use crate::crawl_control::{ControlError, CrawlControl, IgnoreRules};
use crate::error::WebError;
use crate::message::Message;
use crate::parameters::{Parameters, Typed};
use crate::rules_effect::{self, RulesEffect};
use crate::visitor::{Visitor, permitted, permitted_write};
use crate::words::{counted, number};
use recrawl_reports::text_diff::Difference;

/// `GET /sites/{site}/rules`, with `url` for the page on which they are tried
pub(super) async fn form(
    State(app): State<App>,
    Path(site): Path<String>,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let crawl_control = visitor.crawl_control(&app)?;
    let site = found_site(&*app.library, &site.parse()?).await?;
    let rules = crawl_control.rules(&site.id).await?;
    let tried = tried(&*crawl_control, &site, &rules, chosen(&app, &site, &parameters).await?).await?;
    let shown =
        RulesForm { site: &site, rules: &rules, tried: &tried, reason: None, message: parameters.message() };
    Ok(visitor.answer(written(&app, &visitor, &headers, &shown).await?))
}

/// `POST /sites/{site}/rules`: `step` is `preview`, `fragment` for the script, or `save`
pub(super) async fn save(
    State(app): State<App>,
    Path(site): Path<String>,
    visitor: Visitor,
    headers: HeaderMap,
    Typed(typed): Typed,
) -> Result<Response, WebError> {
    let form_token = typed.get("form_token").unwrap_or_default();
    let is_wanted = typed.get("step") == Some("save");
    let crawl_control = if is_wanted {
        permitted_write(&app, &headers, form_token)?
    } else {
        permitted(&app, &headers, form_token)?
    };
    if !is_wanted && !app.access.admits_preview((app.clock)()) {
        return Err(WebError::TooMany);
    }
    let site = found_site(&*app.library, &site.parse()?).await?;
    let rules = IgnoreRules { selectors: typed.lines("selectors"), patterns: typed.lines("patterns") };
    let url = chosen(&app, &site, &typed).await?;
    let mut reason = None;
    if is_wanted {
        match crawl_control.save_rules(&site.id, &rules).await {
            Ok(()) => {
                let page = address::rules(&site.id, url.as_ref());
                return Ok(Redirect::to(&with_message(&page, Message::RulesSaved)).into_response());
            }
            Err(ControlError::Refused(refused)) => reason = Some(refused),
            Err(ControlError::Store(error)) => return Err(error.into()),
        }
    }
    let tried = tried(&*crawl_control, &site, &rules, url).await?;
    if typed.get("step") == Some("fragment") {
        return Ok(visitor.answer(effect(&tried)));
    }
    let shown =
        RulesForm { site: &site, rules: &rules, tried: &tried, reason: reason.as_deref(), message: None };
    let content = written(&app, &visitor, &headers, &shown).await?;
    let status = if reason.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    Ok((status, visitor.answer(content)).into_response())
}

/// What the page shows.
#[derive(Clone, Copy)]
struct RulesForm<'a> {
    site: &'a Site,
    rules: &'a IgnoreRules,
    tried: &'a Tried,
    reason: Option<&'a str>,
    message: Option<Message>,
}

/// What trying the rules came to.
enum Tried {
    /// No page of the site has changed yet.
    OnNothing,
    /// Their effect.
    Seen(RulesEffect),
    /// They cannot be tried on this page, for this reason.
    Refused(PageUrl, String),
}

async fn tried(
    crawl_control: &dyn CrawlControl,
    site: &Site,
    rules: &IgnoreRules,
    url: Option<PageUrl>,
) -> Result<Tried, WebError> {
    let Some(url) = url else { return Ok(Tried::OnNothing) };
    match rules_effect::effect(crawl_control, site, &url, rules).await {
        Ok(effect) => Ok(Tried::Seen(effect)),
        Err(ControlError::Refused(reason)) => Ok(Tried::Refused(url, reason)),
        Err(ControlError::Store(error)) => Err(error.into()),
    }
}

/// Returns the page on which rules are tried: the one that was chosen, or the first that changed lately.
async fn chosen(app: &App, site: &Site, parameters: &Parameters) -> Result<Option<PageUrl>, WebError> {
    if parameters.get("url").is_some() {
        return Ok(Some(parameters.page()?));
    }
    Ok(lately_changed(&*app.library, site).await?.into_iter().next())
}

async fn written(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    shown: &RulesForm<'_>,
) -> Result<Markup, WebError> {
    let RulesForm { site, rules, tried, reason, message } = *shown;
    let mut pages = lately_changed(&*app.library, site).await?;
    let current = match tried {
        Tried::OnNothing => None,
        Tried::Seen(effect) => Some(&effect.url),
        Tried::Refused(url, _) => Some(url),
    };
    if let Some(current) = current.filter(|current| !pages.contains(current)) {
        pages.insert(0, current.clone());
    }
    let selectors = html! { "CSS selectors, one a line: " code { ".visitor-count" } };
    let patterns = html! { "Regular expressions, one a line: " code { r"\d+ people are online" } };
    let title = format!("Ignore rules of {}", site.shown_name());
    let frame = Frame::new(title.as_str(), NavigationPlace::Sites)
        .below(&site.id, site.shown_name(), &[])
        .at("ignore rules")
        .for_visitor(app, headers);
    Ok(page(
        &frame.saying(message),
        &html! {
            h1 { (title) }
            p {
                "What these rules match is left out of every page before it is compared: a clock, a counter, "
                "an advertisement. The next crawl reads pages by them, and reports no change because of them."
            }
            (fault(reason))
            form.sheet.wide action=(address::rules(&site.id, None)) method="post" data-preview="effect" {
                (proof(visitor))
                div.columns {
                    (lines("selectors", "Elements", &selectors, &rules.selectors))
                    (lines("patterns", "Text", &patterns, &rules.patterns))
                }
                @if !pages.is_empty() {
                    div.field {
                        label for="url" { "Try them on" }
                        select #url name="url" {
                            @for url in &pages {
                                option value=(url) selected[Some(url) == current] { (url.path_and_query()) }
                            }
                        }
                    }
                }
                div.buttons {
                    button.main type="submit" name="step" value="save" { "Save" }
                    button.quiet type="submit" name="step" value="preview" { "Preview" }
                    a href=(address::site(&site.id)) { "Cancel" }
                }
            }
            div #effect aria-live="polite" { (effect(tried)) }
        },
    ))
}

fn effect(tried: &Tried) -> Markup {
    match tried {
        Tried::OnNothing => html! {
            p.muted { "No page of this site has changed yet, so there is nothing to try them on." }
        },
        Tried::Refused(url, reason) => html! {
            h2 { "Effect on " (readable(url.as_str())) }
            (fault(Some(reason)))
        },
        Tried::Seen(effect) => html! {
            h2 { "Effect on " (readable(effect.url.as_str())) }
            @if let Some(unusual) = &effect.unusual { p.notice.doubt { (unusual) } }
            p.lead { (summed_up(effect)) }
            p.muted {
                "Reading the two versions took " (effect.tried_ms) " ms by these rules, "
                (effect.saved_ms) " ms by the saved ones."
            }
            div.columns.effects {
                (side("By these rules", &effect.tried)) (side("By the saved rules", &effect.saved))
            }
        },
    }
}

fn summed_up(effect: &RulesEffect) -> &'static str {
    match (effect.saved.hunks.is_empty(), effect.tried.hunks.is_empty()) {
        (true, true) => "The last two versions say the same, by both.",
        (false, true) => "By these rules, the last change would not have been reported.",
        (true, false) => "By these rules, a change would be reported that is ignored now.",
        (false, false) if effect.saved == effect.tried => "The last change looks the same by both.",
        (false, false) => "The last change would still be reported, but look different.",
    }
}

fn side(title: &str, difference: &Difference) -> Markup {
    html! {
        section {
            h3 { (title) }
            @if difference.hunks.is_empty() { p.muted { "No difference." } } @else {
                p.muted {
                    (counted(difference.added as u64, "line")) " added, "
                    (number(difference.removed as u64)) " removed."
                }
                (plain(difference.clone(), title))
            }
        }
    }
}
