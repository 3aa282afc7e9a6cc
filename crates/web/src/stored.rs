//! Stored HTML, as harmless as a picture.

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::url::PageUrl;
use recrawl_extract::charset;
use recrawl_reports::file_name;
use recrawl_reports::sites::found_site;

use crate::app::App;
use crate::error::WebError;
use crate::parameters::Parameters;
use crate::security::STORED_POLICY;

/// `GET /stored/{site}/{crawl}?url=U`
pub(crate) async fn stored(
    State(app): State<App>,
    Path((site, crawl)): Path<(String, String)>,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let (site, crawl): (SiteId, CrawlId) = (site.parse()?, crawl.parse()?);
    let url = parameters.page()?;
    found_site(&*app.library, &site).await?;
    let record = app.library.page(&site, crawl, &url).await?;
    let record = record.ok_or_else(|| WebError::NotFound(format!("{crawl} has no page {url}")))?;
    let body = body_of(&app, &record).await?;
    body.ok_or_else(|| WebError::NotFound("the body of this page was not kept".to_owned()))
}

/// Returns the body of a record so that it can do nothing: no scripts, no forms, no request to anybody, and
/// an origin of its own. What is no HTML is sent as plain text or as a download.
pub(crate) async fn body_of(app: &App, record: &PageRecord) -> Result<Option<Response>, WebError> {
    let Some(content) = record.offered_content() else { return Ok(None) };
    let Some(body) = app.library.body(&record.site, content).await? else { return Ok(None) };
    let content_type = record.known.headers.content_type.as_deref();
    let policy = (header::CONTENT_SECURITY_POLICY, STORED_POLICY);
    if recrawl_extract::page::is_html(content_type, &body) {
        let text = with_base(&charset::decode(&body, content_type).text, &record.url);
        return Ok(Some(
            ([policy, (header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response(),
        ));
    }
    let is_text = content_type.is_some_and(|media_type| media_type.starts_with("text/"));
    let media_type = if is_text { "text/plain; charset=utf-8" } else { "application/octet-stream" };
    let shown = if is_text { "inline" } else { "attachment" };
    // The name has no sign that means something in a header.
    let name = file_name(&record.url, record.visit.fetched_at, content_type);
    let disposition = [(header::CONTENT_DISPOSITION, format!("{shown}; filename=\"{name}\""))];
    Ok(Some(([policy, (header::CONTENT_TYPE, media_type)], disposition, body).into_response()))
}

/// Adds the page's address as the base of its links, unless it names one itself: they lead where they led.
fn with_base(text: &str, url: &PageUrl) -> String {
    let lower = text.to_ascii_lowercase();
    let place = lower.find("<head").and_then(|head| Some(head + lower.get(head..)?.find('>')? + 1));
    match place.filter(|_| !lower.contains("<base")) {
        Some(place) => {
            let address = url.as_str().replace('&', "&amp;").replace('"', "&quot;");
            format!("{}<base href=\"{address}\">{}", &text[..place], &text[place..])
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_where_they_led() {
        let url = "https://example.org/a?b=1&c=2".parse().unwrap();
        for (text, expected) in [
            ("<head x><title>", "<head x><base href=\"https://example.org/a?b=1&amp;c=2\"><title>"),
            ("<HEAD><BASE href=/x>", "<HEAD><BASE href=/x>"),
            ("no head", "no head"),
        ] {
            assert_eq!(with_base(text, &url), expected);
        }
    }
}
