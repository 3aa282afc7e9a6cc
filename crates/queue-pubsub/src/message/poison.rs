//! Messages that no redelivery makes readable.

use recrawl_core::model::ids::IdError;
use recrawl_core::url::UrlError;
use thiserror::Error;

/// Why a delivered message can never be used.
///
/// The text quotes no more of the message than a scheme or the beginning of a name: it goes into logs.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Poison {
    /// The data of the envelope is not base64.
    #[error("the data is not base64")]
    Base64,
    /// The data is not text.
    #[error("the data is not UTF-8")]
    Text,
    /// The data begins like JSON and is not, or lacks what the message needs.
    #[error("the data is not the JSON of this message (line {line}, column {column})")]
    Json {
        /// Where reading failed.
        line: usize,
        /// Where reading failed.
        column: usize,
    },
    /// There is no data.
    #[error("there is no data")]
    Empty,
    /// What should be a page is not one.
    #[error("{0}")]
    Url(UrlError),
    /// There are several lines where one address is expected.
    #[error("several lines are not one address")]
    Lines,
    /// What should name a site or a crawl does not.
    #[error("the name of the {0} cannot be read")]
    Name(&'static str),
}

impl Poison {
    /// Returns the word under which messages of this kind are counted.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Base64 => "base64",
            Self::Text => "text",
            Self::Json { .. } => "json",
            Self::Empty => "empty",
            Self::Url(_) | Self::Lines => "url",
            Self::Name(_) => "name",
        }
    }
}

impl From<serde_json::Error> for Poison {
    fn from(error: serde_json::Error) -> Self {
        // The error's own text quotes values of the message.
        Self::Json { line: error.line(), column: error.column() }
    }
}

impl From<UrlError> for Poison {
    fn from(error: UrlError) -> Self {
        Self::Url(error)
    }
}

impl From<IdError> for Poison {
    fn from(error: IdError) -> Self {
        Self::Name(match error {
            IdError::Site(_) => "site",
            IdError::Crawl(_) => "crawl",
            IdError::Hash(_) => "event",
        })
    }
}
