//! URLs of pages: parsing by the URL Standard, and the normal form that names a page (normalisation, canonical URL).

mod fast;
mod gemini;
mod host;
mod page;
mod resolve;
mod rules;
mod spelling;

use thiserror::Error;

pub use self::fast::Origin;
pub use self::host::HostKey;
pub use self::page::PageUrl;
pub use self::resolve::{resolve, resolve_with_encoding};
pub use self::rules::{DROPPED_PARAMETERS, UrlRules};

/// Why a text is not the address of a page.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UrlError {
    /// The URL Standard refuses the text.
    #[error("not a URL: {0}")]
    Syntax(#[from] ::url::ParseError),
    /// Only `http`, `https` and `gemini` addresses are pages.
    #[error("not an http, https or gemini URL but {0}:")]
    Scheme(String),
    /// The text is longer than [`PageUrl::MAX_LENGTH`].
    #[error("longer than {} bytes", PageUrl::MAX_LENGTH)]
    TooLong,
    /// The text is longer than a request of a capsule may be.
    #[error("longer than {} bytes, which no capsule takes", PageUrl::MAX_GEMINI_LENGTH)]
    TooLongForGemini,
    /// The text claims to be in normal form and is not.
    #[error("not in normal form, which would be {0}")]
    NotNormal(String),
    /// The text is more or less than a host with an optional port.
    #[error("not a host or host:port: {0}")]
    Host(String),
}
