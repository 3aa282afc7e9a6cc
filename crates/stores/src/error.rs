//! Why a store cannot be used, in words for people.

use recrawl_core::ports::{Source, StoreError};
use thiserror::Error;

/// Why a store cannot be used.
#[derive(Debug, Error)]
pub enum AccessError {
    /// It is named wrongly, or is not for this program: something else has to be asked for.
    #[error("{0}")]
    Usage(String),
    /// Another process crawls into it, or does something else that only one process may do.
    #[error(transparent)]
    Busy(Source),
    /// It is damaged, or cannot be reached now.
    #[error(transparent)]
    Failed(Source),
    /// A read or a write failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl AccessError {
    /// Returns the error of a build that lacks the feature `cloud`.
    #[cfg(not(feature = "cloud"))]
    pub(crate) fn without_cloud() -> Self {
        Self::Usage(
            "this build has no Google Cloud support: install with `cargo install --path cli --features cloud`"
                .to_owned(),
        )
    }
}

#[cfg(all(test, not(feature = "cloud")))]
mod tests {
    use super::*;
    use crate::{Access, open};

    #[tokio::test]
    async fn a_build_without_google_cloud_says_how_to_get_one_with_it() {
        let address = "firestore:project".parse().unwrap();
        for access in [Access::Read, Access::Write, Access::Crawl] {
            match open(&address, access).await {
                Err(AccessError::Usage(message)) => assert_eq!(
                    message,
                    "this build has no Google Cloud support: install with `cargo install --path cli --features cloud`"
                ),
                Err(error) => panic!("{error}"),
                Ok(_) => panic!("it opened"),
            }
        }
    }
}
