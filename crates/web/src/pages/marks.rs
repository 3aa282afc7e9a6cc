//! What people do with changes: seen, starred, a note. Rows and differences send it here.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::review::{ChangeId, Note, ReviewEdit};
use recrawl_reports::changes::ChangeName;
use recrawl_reports::{reviews, sites};

use super::components::MARKS_FORM;
use super::forms::proof;
use super::layout::{Frame, NavigationPlace, page};
use crate::address::{self, MARKS, with_message};
use crate::app::Served;
use crate::error::WebError;
use crate::listing::{self, LIST, Listing};
use crate::message::Message;
use crate::parameters::{Parameters, Typed};
use crate::visitor::{Visitor, permitted};
use crate::words::counted;

/// Returns the form that the buttons of rows send; it leads back to `back`.
pub(super) fn marks_form(visitor: &Visitor, back: &str) -> Markup {
    html! {
        @if visitor.may_act() {
            form id=(MARKS_FORM) action=(MARKS) method="post" {
                (proof(visitor))
                input type="hidden" name="back" value=(back);
            }
        }
    }
}

/// `POST /marks`: `mark`, one button of a row; or `change`, several that were selected, and what to do with `all` of them; or a
/// `note` on one.
pub(super) async fn mark(
    State(served): State<Served>,
    headers: HeaderMap,
    Typed(typed): Typed,
) -> Result<Response, WebError> {
    permitted(&served.app, &headers, typed.get("form_token").unwrap_or_default())?;
    let back = address::own_address(typed.get("back").unwrap_or("/"))?;
    let (edit, wanted) = wish(&typed)?;
    let list = Listing::at(&served, back).await?;
    for (site, name) in with_earlier(&served, list.as_ref(), wanted).await? {
        edit_one(&served, &site, name, &edit).await?;
    }
    if typed.get("in-place").is_some() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(Redirect::to(back).into_response())
}

/// Reads what is wished of which changes.
fn wish(typed: &Parameters) -> Result<(ReviewEdit, Vec<(SiteId, ChangeId)>), WebError> {
    let (act, wanted) = if let Some((act, name)) = typed.get("mark").and_then(|text| text.split_once(' ')) {
        (act, vec![name])
    } else {
        let is_note = typed.get("note-of").is_some();
        let field = if is_note { "note-of" } else { "change" };
        let values = typed.pairs().filter(|(key, _)| *key == field).map(|(_, value)| value.trim());
        (if is_note { "note" } else { typed.get("all").unwrap_or_default() }, values.collect())
    };
    let edit = match act {
        "seen" | "unseen" => ReviewEdit { seen: Some(act == "seen"), ..ReviewEdit::default() },
        "star" | "unstar" => ReviewEdit { starred: Some(act == "star"), ..ReviewEdit::default() },
        "note" => {
            let note = Note::of(typed.get("note").unwrap_or_default());
            let note = note.map_err(|error| WebError::BadRequest(error.to_string()))?;
            ReviewEdit { note: Some(note), ..ReviewEdit::default() }
        }
        _ => {
            return Err(WebError::BadRequest("this form says nothing that is done with a change".to_owned()));
        }
    };
    let changes = wanted.into_iter().map(|name| {
        let refused = || WebError::BadRequest(format!("{name:?} names no change"));
        let (site, change) = name.split_once(' ').ok_or_else(refused)?;
        Ok((site.parse()?, change.parse().map_err(|_| refused())?))
    });
    Ok((edit, changes.collect::<Result<_, WebError>>()?))
}

/// Adds the earlier changes of the same pages in the list: whoever saw the newest, compared with what was before all of them,
/// saw them all.
async fn with_earlier(
    served: &Served,
    list: Option<&Listing>,
    wanted: Vec<(SiteId, ChangeId)>,
) -> Result<Vec<(SiteId, ChangeId)>, WebError> {
    let Some(list) = list else { return Ok(wanted) };
    let listed = list.read(served).await?;
    let mut all = Vec::new();
    for (site, change) in wanted {
        let is_it = |name: &ChangeName| name.crawl == change.crawl && name.id == change.event;
        let row = listed
            .changes
            .rows
            .iter()
            .find(|row| *row.site() == site && listing::names(row).first().is_some_and(is_it));
        match row {
            Some(row) => {
                all.extend(listing::names(row).into_iter().map(|name| (site.clone(), changed(name))));
            }
            None => all.push((site, change)),
        }
    }
    Ok(all)
}

fn changed(name: ChangeName) -> ChangeId {
    ChangeId { crawl: name.crawl, event: name.id }
}

async fn edit_one(
    served: &Served,
    site: &SiteId,
    change: ChangeId,
    edit: &ReviewEdit,
) -> Result<(), WebError> {
    let library = &*served.app.library;
    sites::found_site(library, site).await?;
    reviews::edit(library, site, &[change], edit, (served.app.clock)()).await?;
    Ok(())
}

/// `GET /marks/all`, with `list`: asks before everything of a list is marked as seen.
pub(super) async fn ask_all(
    State(served): State<Served>,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    visitor.crawl_control(&served.app)?;
    let (list, unseen) = all_of(&served, &parameters).await?;
    let frame = Frame::new("Mark all as seen", NavigationPlace::Home).for_visitor(&served.app, &headers);
    Ok(visitor.answer(page(
        &frame,
        &html! {
            @if unseen == 0 {
                h1 { "Everything of this list is seen" }
                p { a href=(list.address) { "Back to the list" } }
            } @else {
                h1 { "Mark " (counted(unseen, "change")) " as seen?" }
                p.lead { "All of the list are marked, also on its other pages. Stars and notes stay." }
                form.acts action=(address::MARK_ALL) method="post" {
                    (proof(&visitor))
                    input type="hidden" name=(LIST) value=(list.address);
                    button.main type="submit" { "Mark " (counted(unseen, "change")) " as seen" }
                    a.button href=(list.address) { "Back to the list" }
                }
            }
        },
    )))
}

/// `POST /marks/all`, with `list`: marks everything of a list as seen.
pub(super) async fn mark_all(
    State(served): State<Served>,
    headers: HeaderMap,
    Typed(typed): Typed,
) -> Result<Response, WebError> {
    permitted(&served.app, &headers, typed.get("form_token").unwrap_or_default())?;
    let (list, _) = all_of(&served, &typed).await?;
    let listed = list.read(&served).await?;
    let library = &*served.app.library;
    for site in &listed.sites {
        let of_site = listed.names().into_iter().filter(|(of, _)| *of == site.id);
        let names: Vec<ChangeId> = of_site.map(|(_, name)| changed(name)).collect();
        reviews::edit(library, &site.id, &names, &ReviewEdit::SEEN, (served.app.clock)()).await?;
    }
    Ok(Redirect::to(&with_message(&list.address, Message::AllSeen)).into_response())
}

/// Returns the list that is named, and how many of its changes nobody has seen.
async fn all_of(served: &Served, parameters: &Parameters) -> Result<(Listing, u64), WebError> {
    let list = Listing::named(served, parameters).await?;
    let list = list.ok_or_else(|| WebError::BadRequest("the parameter list names no list".to_owned()))?;
    let listed = list.read(served).await?;
    Ok((list, listed.unseen() as u64))
}
