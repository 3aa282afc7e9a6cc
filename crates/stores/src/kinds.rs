//! The kinds of store there are: one row each.

use std::fmt;

use futures_util::future::BoxFuture;

use crate::error::AccessError;
use crate::open::{Access, OpenStore};

/// A kind of store.
pub(crate) struct Kind {
    /// What its addresses begin with.
    pub(crate) scheme: &'static str,
    /// What stands behind the scheme, as the help names it.
    pub(crate) name: &'static str,
    /// A store of this kind is a file of that name.
    pub(crate) is_file: bool,
    /// Opens the store of this name.
    pub(crate) open: fn(String, Access) -> BoxFuture<'static, Result<OpenStore, AccessError>>,
    /// Says how to start a crawl of a root into the store of this name; `None` where `recrawl crawl` does it.
    pub(crate) crawled_by: Option<fn(&str, &str) -> String>,
}

/// All of them. The first is meant where an address has no scheme.
pub(crate) static KINDS: &[Kind] = &[
    #[cfg(feature = "sqlite")]
    Kind {
        scheme: "sqlite",
        name: "PATH",
        is_file: true,
        open: |path, access| {
            Box::pin(async move { Ok(OpenStore::Embedded(crate::open_file(path, access)?)) })
        },
        crawled_by: None,
    },
    Kind {
        scheme: "firestore",
        name: "PROJECT",
        is_file: false,
        #[cfg(feature = "cloud")]
        open: |project, _| Box::pin(crate::cloud::open(project)),
        #[cfg(not(feature = "cloud"))]
        open: |_, _| Box::pin(async { Err(AccessError::without_cloud()) }),
        // One process keeps the pace of a host, and there that is the service.
        crawled_by: Some(|project, root| {
            format!(
                "crawl-fn crawls into firestore:{project}: start a crawl with `gcloud pubsub topics publish crawl \
                 --message={root} --project={project}`"
            )
        }),
    },
];

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.scheme, self.name)
    }
}
