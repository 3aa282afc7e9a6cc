//! What is served, and where.

use std::sync::Arc;

use axum::Router;
use axum::extract::FromRef;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use jiff::Timestamp;
use recrawl_core::model::prices::PriceTable;
pub use recrawl_core::ports::Library;
use recrawl_core::ports::Search;
pub use recrawl_reports::difference::Reader;
use recrawl_reports::{ReportCache, Reports};
use url::Url;

use crate::access::Access;
use crate::blocking::Turns;
use crate::crawl_control::CrawlControl;
use crate::error::WebError;
use crate::{api, assets, etag, events, feeds, former_names, memento, pages, security, stored};

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Everything that the pages need.
#[derive(Clone)]
pub struct App {
    /// What is shown.
    pub library: Arc<dyn Library>,
    /// Finds pages by what they say, where the home can.
    pub search: Option<Arc<dyn Search>>,
    /// Does things; without it everything is read-only, and no button is shown.
    pub crawl_control: Option<Arc<dyn CrawlControl>>,
    /// Who may do things.
    pub access: Arc<Access>,
    /// Tells by what rules the pages of a site are read, to compare what they lead to and show.
    pub reader: Reader,
    /// Where people find these pages, without a slash at the end, for feeds and Memento; where it is not
    /// set, the `Host` of each request says it.
    pub public_url: Option<Url>,
    /// What the provider of the store charges, where it is billed.
    pub prices: PriceTable,
    /// Tells the time.
    pub clock: Clock,
}

impl App {
    /// Returns what does things, or that nothing is done here.
    pub(crate) fn found_controls(&self) -> Result<Arc<dyn CrawlControl>, WebError> {
        self.crawl_control.clone().ok_or_else(|| {
            WebError::Forbidden("these pages only show what was found: nothing can be done here".to_owned())
        })
    }

    /// Tells whether people reach the pages by https.
    pub(crate) fn is_secure(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.scheme() == "https")
    }
}

/// What the handlers share: what is served, and what was read for it lately.
#[derive(Clone)]
pub(crate) struct Served {
    /// What is served.
    pub(crate) app: App,
    cache: Arc<ReportCache>,
    /// For work that takes a processor for long.
    pub(crate) turns: Turns,
}

impl Served {
    /// Returns the history, to be read through what was read lately.
    pub(crate) fn reports(&self) -> Reports<'_> {
        Reports {
            history: &*self.app.library,
            reviews: Some(&*self.app.library),
            cache: &self.cache,
            now: (self.app.clock)(),
        }
    }
}

impl FromRef<Served> for App {
    fn from_ref(served: &Served) -> Self {
        served.app.clone()
    }
}

/// Returns the router over all addresses. Every answer carries the headers that protect its reader.
pub fn router(app: App) -> Router {
    let documents = Router::new().merge(api::routes()).merge(feeds::routes()).layer(from_fn(etag::answer));
    Router::new()
        .merge(pages::routes())
        .merge(memento::routes().with_state(app.clone()))
        .merge(documents)
        .route("/stored/{site}/{crawl}", get(stored::stored))
        .route("/events/{site}", get(events::events))
        .route("/assets/{name}", get(assets::asset))
        .route("/favicon.ico", get(assets::favicon))
        .fallback(pages::not_found)
        .method_not_allowed_fallback(pages::method_not_allowed)
        .layer(from_fn_with_state(app.clone(), former_names::follow))
        .layer(from_fn(security::guard))
        .with_state(Served { app, cache: Arc::default(), turns: Turns::default() })
}
