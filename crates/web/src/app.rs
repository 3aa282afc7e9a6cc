//! What is served, and where.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::get;
use jiff::Timestamp;
use recrawl_core::ports::{History, Memos};
use recrawl_extract::HtmlExtractor;
use url::Url;

use crate::access::Access;
use crate::controls::Controls;
use crate::search::Search;
use crate::{api, assets, etag, events, feeds, memento, pages, security, stored};

/// The history that is shown, and a memory for figures that are dear to compute.
pub trait Library: History + Memos {}

impl<T: History + Memos + ?Sized> Library for T {}

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
    pub controls: Option<Arc<dyn Controls>>,
    /// Who may do things.
    pub access: Arc<Access>,
    /// Reads the pages of the sites, to compare what they lead to and show.
    pub extractor: Arc<HtmlExtractor>,
    /// Where people find these pages, without a slash at the end, for feeds and Memento; where it is not
    /// set, the `Host` of each request says it.
    pub public_url: Option<Url>,
    /// Tells the time.
    pub clock: Clock,
}

/// Returns the router over all addresses. Every answer carries the headers that protect its reader.
pub fn router(app: App) -> Router {
    let documents = Router::new().merge(api::routes()).merge(feeds::routes()).layer(from_fn(etag::answer));
    Router::new()
        .merge(pages::routes())
        .merge(memento::routes())
        .merge(documents)
        .route("/stored/{site}/{crawl}", get(stored::stored))
        .route("/events/{site}", get(events::events))
        .route("/assets/{name}", get(assets::asset))
        .route("/favicon.ico", get(assets::favicon))
        .fallback(pages::not_found)
        .method_not_allowed_fallback(pages::method_not_allowed)
        .layer(from_fn(security::guard))
        .with_state(app)
}
