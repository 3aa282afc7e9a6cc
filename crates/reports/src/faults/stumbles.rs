//! Pages that Recrawl itself could not read (stumbles).

use jiff::Timestamp;
use recrawl_core::model::stumble::{Aside, KeptStumble};
use recrawl_core::url::PageUrl;
use serde::Serialize;

/// A page that could not be read; its JSON form is stable.
#[derive(Debug, Clone, Serialize)]
pub struct StumbleEntry {
    /// The page.
    pub url: PageUrl,
    /// When.
    pub at: Timestamp,
    /// What went wrong.
    pub message: String,
    /// Where in the program.
    pub place: Option<String>,
    /// The rules by which the page was read.
    pub rules: String,
    /// The media type that the server gave.
    pub content_type: Option<String>,
    /// The size of the body.
    pub bytes: Option<u64>,
    /// What became of the body: `none`, `dropped` or `kept`.
    pub body: &'static str,
    /// The file in which the body was saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl StumbleEntry {
    /// The fields in the order of columns.
    pub const FIELDS: [&str; 8] = ["url", "at", "message", "place", "rules", "content_type", "bytes", "body"];
}

impl From<KeptStumble> for StumbleEntry {
    fn from(KeptStumble { stumble, body }: KeptStumble) -> Self {
        Self {
            url: stumble.url,
            at: stumble.at,
            message: stumble.fault.message,
            place: stumble.fault.place,
            rules: stumble.rules.0,
            content_type: stumble.content_type,
            bytes: body.bytes(),
            body: match body {
                Aside::None => "none",
                Aside::Dropped { .. } => "dropped",
                Aside::Kept { .. } => "kept",
            },
            file: None,
        }
    }
}
