//! A list of changes as a file for spreadsheets.

use std::io;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use recrawl_core::model::crawl::Site;
use recrawl_reports::changes::Row;
use recrawl_reports::{ChangeRow, Detail, csv};

use crate::app::Served;
use crate::error::WebError;
use crate::listing::{ListOf, Listing};
use crate::parameters::Parameters;

/// How many rows are read before they are sent.
const AT_ONCE: usize = 100;

/// `GET /changes.csv`, with `list`: all rows of a list, those of its other pages, too, as `recrawl changes --format csv`
/// prints them.
pub(super) async fn spreadsheet(
    State(served): State<Served>,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let list = Listing::named(&served, &parameters).await?;
    let list = list.ok_or_else(|| WebError::BadRequest("the parameter list names no list".to_owned()))?;
    let name = HeaderValue::from_str(&format!("attachment; filename=\"{}.csv\"", name(&list, &served)))
        .map_err(|error| WebError::BadRequest(error.to_string()))?;
    let listed = list.read(&served).await?;
    let sent = Sent { served, sites: listed.sites, rows: listed.changes.rows, next: None };
    let body = Body::from_stream(stream::try_unfold(sent, Sent::lines));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8; header=present")),
        (header::CONTENT_DISPOSITION, name),
    ];
    Ok((headers, body).into_response())
}

/// Returns the name of the file; sites and crawls are named by letters, digits, dots and dashes alone.
fn name(list: &Listing, served: &Served) -> String {
    let today = (served.app.clock)().strftime("%Y-%m-%d");
    match &list.of {
        ListOf::Crawl(site, crawl) => format!("{site}-{crawl}"),
        ListOf::Window(_, Some(site)) => format!("{site}-changes-{today}"),
        ListOf::Window(_, None) => format!("changes-{today}"),
    }
}

/// The rows of a list, read while they are sent.
struct Sent {
    served: Served,
    sites: Vec<Site>,
    rows: Vec<Row>,
    /// The place of the row to go on with; none before the header.
    next: Option<usize>,
}

impl Sent {
    /// Returns the next lines.
    async fn lines(mut self) -> io::Result<Option<(Bytes, Self)>> {
        let Some(start) = self.next else {
            self.next = Some(0);
            return Ok(Some((csv::written([ChangeRow::FIELDS])?.into(), self)));
        };
        let end = (start + AT_ONCE).min(self.rows.len());
        if start == end {
            return Ok(None);
        }
        let reports = self.served.reports();
        let described = reports.described_window(&self.sites, &self.rows[start..end], Detail::All);
        let described = described.await.map_err(io::Error::other)?;
        self.next = Some(end);
        Ok(Some((csv::written(described.iter().map(ChangeRow::cells))?.into(), self)))
    }
}
