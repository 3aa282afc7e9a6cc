//! The style sheet, the script and the picture, under names that change with their content.

use std::fmt::Write as _;
use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use crate::error::WebError;

/// A file that pages load.
pub(crate) struct Asset {
    /// Its address, with a hash of its content in it.
    pub(crate) address: String,
    media_type: &'static str,
    content: &'static str,
}

impl Asset {
    fn new(stem: &str, extension: &str, media_type: &'static str, content: &'static str) -> Self {
        let mut hash = String::new();
        for byte in &Sha256::digest(content)[..6] {
            // Writing into a string cannot fail.
            let _ = write!(hash, "{byte:02x}");
        }
        Self { address: format!("/assets/{stem}-{hash}.{extension}"), media_type, content }
    }

    fn answer(&self, caching: &'static str) -> Response {
        let headers = [(header::CONTENT_TYPE, self.media_type), (header::CACHE_CONTROL, caching)];
        (headers, self.content).into_response()
    }
}

/// The style sheet.
pub(crate) static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("style", "css", "text/css; charset=utf-8", STYLE_SHEET));

/// What all pages share comes first, then what belongs to some.
const STYLE_SHEET: &str = concat!(
    include_str!("assets/style/base.css"),
    include_str!("assets/style/rows.css"),
    include_str!("assets/style/difference.css"),
    include_str!("assets/style/unusual.css"),
    include_str!("assets/style/site.css"),
);

/// The script; every page works without it.
pub(crate) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("script", "js", "text/javascript; charset=utf-8", ALL_SCRIPTS));

/// One script: what comes first is known to what follows.
const ALL_SCRIPTS: &str = concat!(
    include_str!("assets/script/frame.js"),
    include_str!("assets/script/keys.js"),
    include_str!("assets/script/list.js"),
    include_str!("assets/script/difference.js"),
    include_str!("assets/script/crawl.js"),
    include_str!("assets/script/forms.js"),
    include_str!("assets/script/api.js"),
);

/// The picture in the browser's tab.
pub(crate) static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("icon", "svg", "image/svg+xml", include_str!("assets/icon.svg")));

/// `GET /assets/{name}`
pub(crate) async fn asset(Path(name): Path<String>) -> Result<Response, WebError> {
    let address = format!("/assets/{name}");
    let asset = [&STYLE, &SCRIPT, &ICON].into_iter().find(|asset| asset.address == address);
    let asset = asset.ok_or_else(|| WebError::NotFound("there is no such file".to_owned()))?;
    Ok(asset.answer("public, max-age=31536000, immutable"))
}

/// `GET /favicon.ico`, which browsers ask for unasked
pub(crate) async fn favicon() -> Response {
    ICON.answer("public, max-age=86400")
}
