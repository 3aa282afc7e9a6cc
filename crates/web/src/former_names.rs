//! Addresses of a site that was renamed: they lead to those of its new name, so that bookmarks and feed readers find it.

use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{StateKey, StoreError};

use crate::app::{App, Library};

/// A site that was renamed more often has lost its oldest addresses.
const MOST: usize = 10;

/// What stands before the name of a site.
const PLACES: [&str; 4] = ["/sites/", "/api/v1/sites/", "/feeds/", "/stored/"];

/// Leads to the new address of what is not there under this one.
pub(crate) async fn follow(State(app): State<App>, request: Request, next: Next) -> Response {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let uri = request.uri().clone();
    let response = next.run(request).await;
    if !is_read || response.status() != StatusCode::NOT_FOUND {
        return response;
    }
    match renamed(&*app.library, &uri).await {
        Ok(Some(address)) => Redirect::permanent(&address).into_response(),
        Ok(None) | Err(_) => response,
    }
}

async fn renamed(library: &dyn Library, uri: &Uri) -> Result<Option<String>, StoreError> {
    let Some((before, name, after)) = split(uri.path()) else { return Ok(None) };
    let Ok(mut site) = name.parse::<SiteId>() else { return Ok(None) };
    for _ in 0..MOST {
        let Some(entry) = library.state(&StateKey::former_name(&site)).await? else { return Ok(None) };
        let Ok(next) = entry.value.parse() else { return Ok(None) };
        site = next;
        if library.site(&site).await?.is_some() {
            let query = uri.query().map_or_else(String::new, |query| format!("?{query}"));
            return Ok(Some(format!("{before}{site}{after}{query}")));
        }
    }
    Ok(None)
}

/// Splits a path into what stands before the name of a site, the name, and what follows.
fn split(path: &str) -> Option<(&str, &str, &str)> {
    let before = PLACES.into_iter().find(|place| path.starts_with(place))?;
    let rest = &path[before.len()..];
    let end = rest.find('/').unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    // Names may have dots; the feed of a whole site ends in this one.
    match name.strip_suffix(".atom").filter(|_| before == "/feeds/" && after.is_empty()) {
        Some(name) => Some((before, name, ".atom")),
        None => Some((before, name, after)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_site_is_found_in_every_address_that_has_one() {
        for (path, expected) in [
            ("/sites/a.b", Some(("/sites/", "a.b", ""))),
            ("/sites/a/crawls/c", Some(("/sites/", "a", "/crawls/c"))),
            ("/feeds/a.b.atom", Some(("/feeds/", "a.b", ".atom"))),
            ("/feeds/a/page.atom", Some(("/feeds/", "a", "/page.atom"))),
            ("/api/v1/sites/a/changes", Some(("/api/v1/sites/", "a", "/changes"))),
            ("/stored/a/c", Some(("/stored/", "a", "/c"))),
            ("/search", None),
        ] {
            assert_eq!(split(path), expected, "{path}");
        }
    }
}
