//! The sample site of `recrawl demo`: a small town's pages, in a first and in a second week.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use recrawl_core::model::ids::ContentHash;
use tokio::net::TcpListener;

/// How long the slow page takes.
const SLOW: Duration = Duration::from_millis(400);

/// The site, being served on a port of its own.
pub(super) struct DemoSite {
    pub(super) root: String,
    town: Arc<Town>,
}

#[derive(Default)]
struct Town {
    week: AtomicU32,
    requests: AtomicU32,
}

impl DemoSite {
    /// Serves the first week on a free port, until the process ends.
    pub(super) async fn serve() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let root = format!("http://{}/", listener.local_addr()?);
        let town = Arc::new(Town::default());
        town.week.store(1, Ordering::Relaxed);
        let router = Router::new().fallback(answer).with_state(town.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { root, town })
    }

    /// Goes on to the second week.
    pub(super) fn change(&self) {
        self.town.week.store(2, Ordering::Relaxed);
    }
}

async fn answer(State(town): State<Arc<Town>>, request: Request) -> Response {
    let visit = town.requests.fetch_add(1, Ordering::Relaxed);
    let second = town.week.load(Ordering::Relaxed) == 2;
    let path = request.uri().path();
    if path == "/slow" {
        tokio::time::sleep(SLOW).await;
    }
    let headers = request.headers();
    match (path, second) {
        ("/", false) => page(headers, "Willow Bend", HOME),
        ("/", true) => page(headers, "Willow Bend", &HOME.replace("</ul>", NEW_LINK)),
        ("/bridge", false) => page(headers, "Mill Bridge repairs", BRIDGE),
        ("/bridge", true) => {
            page(headers, "Mill Bridge repairs", &BRIDGE.replace(BRIDGE_BEFORE, BRIDGE_AFTER))
        }
        ("/parking", false) => page(headers, "Parking", PARKING),
        ("/fair", false) => page(headers, "Harvest fair", FAIR),
        ("/bike-lane", true) => page(headers, "A new bike lane", BIKE_LANE),
        ("/streets", _) => page(headers, "Streets", STREETS),
        ("/slow", _) => page(headers, "Town archive", "<p>Minutes of every council meeting since 1921.</p>"),
        ("/hours", _) => noisy(visit),
        ("/archive", _) => page(headers, "Old notices", "<p>Listed in the sitemap, linked from nowhere.</p>"),
        ("/old-streets", _) | ("/parking", true) => redirect("/streets"),
        ("/budget.pdf", _) => tagged(headers, "application/pdf", PDF.to_owned()),
        ("/robots.txt", _) => tagged(headers, "text/plain", ROBOTS.to_owned()),
        ("/sitemap.xml", _) => tagged(headers, "application/xml", SITEMAP.to_owned()),
        _ => (StatusCode::NOT_FOUND, "not found").into_response(),
    }
}

fn page(headers: &HeaderMap, title: &str, main: &str) -> Response {
    tagged(headers, "text/html; charset=utf-8", html(title, main))
}

fn html(title: &str, main: &str) -> String {
    format!(
        "<!doctype html><html lang=en><title>{title}</title><nav><a href=/>Home</a></nav><h1>{title}</h1>{main}"
    )
}

/// Answers with an entity tag, or 304 where the client has this body.
fn tagged(headers: &HeaderMap, media_type: &str, body: String) -> Response {
    let tag = format!("\"{}\"", &ContentHash::of(body.as_bytes()).to_string()[..16]);
    let same = headers.get(header::IF_NONE_MATCH).is_some_and(|value| value.as_bytes() == tag.as_bytes());
    let fields = [(header::ETAG, tag), (header::CONTENT_TYPE, media_type.to_owned())];
    if same { (StatusCode::NOT_MODIFIED, fields).into_response() } else { (fields, body).into_response() }
}

/// Answers with other bytes each time, and the same meaning.
fn noisy(visit: u32) -> Response {
    let main = format!(
        "<p>The town hall is open from 9 to 5.</p><form><input type=hidden name=form_build_id value=form-{visit:08x}></form>\
         <p>Updated {} minutes ago</p><!-- served by node {visit} -->",
        visit + 2
    );
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], html("Opening hours", &main)).into_response()
}

fn redirect(target: &'static str) -> Response {
    (StatusCode::MOVED_PERMANENTLY, [(header::LOCATION, target)]).into_response()
}

const HOME: &str = "<p>Welcome to Willow Bend, population 4,210.</p><ul>\
    <li><a href=/bridge>Mill Bridge repairs</a><li><a href=/parking>Parking</a><li><a href=/fair>Harvest fair</a>\
    <li><a href=/hours>Opening hours</a><li><a href=/slow>Town archive</a><li><a href=/old-streets>Streets</a>\
    <li><a href=/budget.pdf>Budget (PDF)</a><li><a href=/private/council>Council only</a></ul>";
const NEW_LINK: &str = "<li><a href=/bike-lane>A new bike lane</a></ul>";
const BRIDGE: &str = "<p>The bridge is closed for repairs.</p><p>It is expected to reopen on 12 March.</p>\
    <p>Use the ford at Tanner Street meanwhile.</p>";
const BRIDGE_BEFORE: &str = "reopen on 12 March";
const BRIDGE_AFTER: &str = "reopen on 30 April, seven weeks late";
const PARKING: &str = "<p>Parking in the centre costs two coins an hour.</p>";
const FAIR: &str = "<p>The harvest fair is on Saturday, behind the mill.</p>";
const BIKE_LANE: &str = "<p>Main Street has a bike lane now, from the mill to the school.</p>";
const STREETS: &str = "<p>Main Street, Mill Lane, Tanner Street.</p>";
const PDF: &str = "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";
const ROBOTS: &str = "User-agent: *\nDisallow: /private/\nSitemap: /sitemap.xml\n";
const SITEMAP: &str = "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
    <url><loc>/</loc></url><url><loc>/archive</loc></url></urlset>";
