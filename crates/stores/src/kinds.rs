//! The kinds of store there are: one row each.

use std::fmt;
#[cfg(feature = "sqlite")]
use std::path::Path;

use futures_util::future::BoxFuture;
use recrawl_core::model::finding::Finding;

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
    /// Checks the store of this name, and whatever crawls into it.
    pub(crate) check: fn(String) -> BoxFuture<'static, Result<Vec<Finding>, AccessError>>,
    /// Who crawls into stores of this kind; `None` where `recrawl crawl` does.
    pub(crate) crawled_by: Option<CrawledBy>,
}

/// Who crawls into a store that `recrawl crawl` does not crawl into.
pub(crate) struct CrawledBy {
    /// Its name.
    pub(crate) program: &'static str,
    /// Returns the command that asks it for a crawl of a root into the store of this name.
    pub(crate) start: fn(&str, &str) -> String,
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
        check: |path| Box::pin(async move { crate::file::check(Path::new(&path)) }),
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
        #[cfg(feature = "cloud")]
        check: |project| Box::pin(crate::cloud::check(project)),
        #[cfg(not(feature = "cloud"))]
        check: |_| Box::pin(async { Err(AccessError::without_cloud()) }),
        // One process keeps the pace of a host, and there that is the service.
        crawled_by: Some(CrawledBy {
            program: "crawl-fn",
            start: |project, root| {
                format!("gcloud pubsub topics publish crawl --message={root} --project={project}")
            },
        }),
    },
];

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.scheme, self.name)
    }
}
