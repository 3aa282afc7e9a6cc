//! What people do with changes: seen, starred, a note. Rows and differences send it here.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use jiff::Timestamp;
use maud::{Markup, html};
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::review::{ChangeId, Note, ReviewEdit};
use recrawl_reports::changes::{ChangeCounts, ChangeName};
use recrawl_reports::{reviews, sites};

use super::components::MARKS_FORM;
use super::forms::proof;
use super::layout::{Frame, NavigationPlace, page};
use crate::address::{self, MARK_ALL, MARKS, with_message};
use crate::app::Served;
use crate::error::WebError;
use crate::listing::{self, LIST, Listing};
use crate::message::Message;
use crate::parameters::{Parameters, Typed};
use crate::visitor::{Visitor, permitted};
use crate::words::counted;

/// The name of the parameter that says when a list was drawn.
const DRAWN_AT: &str = "drawn-at";

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

/// Returns where it is asked whether everything of a list, as it is drawn now, is to be marked as seen.
pub(super) fn address_of_all(listing: &Listing, now: Timestamp) -> String {
    let list = listing.pinned(now);
    address::with_query(MARK_ALL, &[(LIST, &list), (DRAWN_AT, &now.to_string())])
}

/// `GET /marks/all`, with `list` and `drawn-at`: asks before everything of a list is marked as seen.
pub(super) async fn ask_all(
    State(served): State<Served>,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    visitor.crawl_control(&served.app)?;
    let Drawn { list, at, unseen, .. } = Drawn::read(&served, &parameters).await?;
    let frame = Frame::new("Mark all as seen", NavigationPlace::Home).for_visitor(&served.app, &headers);
    Ok(visitor.answer(page(
        &frame,
        &html! {
            @if unseen == 0 {
                h1 { "Everything of this list is seen" }
                p { a href=(list.address) { "Back to the list" } }
            } @else {
                h1 { "Mark " (counted(unseen, "change")) " as seen?" }
                p.lead {
                    "All of the list are marked, also on its other pages. What came since you opened it stays unseen. "
                    "Stars and notes stay."
                }
                form.acts action=(MARK_ALL) method="post" {
                    (proof(&visitor))
                    input type="hidden" name=(LIST) value=(list.address);
                    input type="hidden" name=(DRAWN_AT) value=(at);
                    button.main type="submit" { "Mark " (counted(unseen, "change")) " as seen" }
                    a.button href=(list.address) { "Back to the list" }
                }
            }
        },
    )))
}

/// `POST /marks/all`, with `list` and `drawn-at`: marks as seen what stood in a list then.
pub(super) async fn mark_all(
    State(served): State<Served>,
    headers: HeaderMap,
    Typed(typed): Typed,
) -> Result<Response, WebError> {
    permitted(&served.app, &headers, typed.get("form_token").unwrap_or_default())?;
    let drawn = Drawn::read(&served, &typed).await?;
    let library = &*served.app.library;
    for (site, names) in &drawn.changes {
        reviews::edit(library, site, names, &ReviewEdit::SEEN, (served.app.clock)()).await?;
    }
    Ok(Redirect::to(&with_message(&drawn.list.address, Message::AllSeen)).into_response())
}

/// A list as somebody saw it.
struct Drawn {
    list: Listing,
    /// When it was drawn.
    at: Timestamp,
    /// What stood there, by site.
    changes: Vec<(SiteId, Vec<ChangeId>)>,
    /// How many of its rows nobody has seen.
    unseen: u64,
}

impl Drawn {
    /// Reads the list that is named, and what of it stood there when it was drawn; now unless that is given.
    async fn read(served: &Served, parameters: &Parameters) -> Result<Self, WebError> {
        let list = Listing::named(served, parameters).await?;
        let list = list.ok_or_else(|| WebError::BadRequest("the parameter list names no list".to_owned()))?;
        let at = parameters.get(DRAWN_AT).map(str::parse::<Timestamp>).transpose();
        let at = at.map_err(|_| WebError::BadRequest(format!("{DRAWN_AT} must be a time")))?;
        let at = at.unwrap_or_else(|| (served.app.clock)());
        let listed = list.read(served).await?;
        let (mut changes, mut counted) = (Vec::new(), Vec::new());
        for site in &listed.sites {
            let crawls = served.app.library.crawls(&site.id).await?;
            let mut names: Vec<ChangeId> = Vec::new();
            for row in listed.changes.rows.iter().filter(|row| *row.site() == site.id) {
                let stood_there = |change: &ChangeId| {
                    let crawl = crawls.iter().find(|crawl| crawl.id == change.crawl);
                    crawl.is_some_and(|crawl| list.had(row, crawl, at))
                };
                let before = names.len();
                names.extend(row.changes().into_iter().filter(stood_there));
                counted.extend((names.len() > before).then_some(row));
            }
            changes.push((site.id.clone(), names));
        }
        let unseen = ChangeCounts::of(counted).unseen as u64;
        Ok(Self { list, at, changes, unseen })
    }
}
