//! Where documents are.

use recrawl_core::ports::StateKey;
use std::fmt::Write;

use recrawl_core::model::ids::{ContentHash, CrawlId, SemanticHash, SiteId};
use recrawl_core::url::PageUrl;
use sha2::{Digest, Sha256};

/// The site that lives at the root of the database.
const DEFAULT_SITE: &str = "default";

/// The names of documents and of the parents of collections in one database.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    documents: String,
}

impl Paths {
    /// Takes the name under which the database has its documents.
    pub(crate) fn new(documents: impl Into<String>) -> Self {
        Self { documents: documents.into() }
    }

    /// Returns the parent of the collections that all sites share.
    pub(crate) fn root(&self) -> &str {
        &self.documents
    }

    /// Returns the parent of the collections of a site.
    pub(crate) fn base(&self, site: &SiteId) -> String {
        if site.as_str() == DEFAULT_SITE { self.documents.clone() } else { self.site(site) }
    }

    pub(crate) fn site(&self, site: &SiteId) -> String {
        format!("{}/sites/{site}", self.documents)
    }

    pub(crate) fn crawl(&self, site: &SiteId, crawl: CrawlId) -> String {
        format!("{}/crawls/{crawl}", self.base(site))
    }

    pub(crate) fn page_index(&self, site: &SiteId, crawl: CrawlId, number: usize) -> String {
        format!("{}/roll/{number}", self.crawl(site, crawl))
    }

    /// Returns where shared changes of a crawl are; names are in the order of their numbers.
    pub(crate) fn shared(&self, site: &SiteId, crawl: CrawlId, number: usize) -> String {
        format!("{}/shared/{number:06}", self.crawl(site, crawl))
    }

    pub(crate) fn stumble(&self, site: &SiteId, crawl: CrawlId, url: &PageUrl) -> String {
        format!("{}/stumbles/{}", self.crawl(site, crawl), hex(&url.digest()))
    }

    pub(crate) fn operations(&self, site: &SiteId, crawl: CrawlId, instance: &str) -> String {
        // An instance is named by the platform, in whatever characters.
        format!("{}/operations/{}", self.crawl(site, crawl), hex(&Sha256::digest(instance)))
    }

    pub(crate) fn page(&self, site: &SiteId, crawl: CrawlId, url: &PageUrl) -> String {
        format!("{}/{crawl}/{}", self.base(site), hex(&url.digest()))
    }

    pub(crate) fn content(&self, site: &SiteId, content: &ContentHash) -> String {
        format!("{}/content/{content}", self.base(site))
    }

    pub(crate) fn text(&self, site: &SiteId, meaning: &SemanticHash) -> String {
        format!("{}/texts/{meaning}", self.base(site))
    }

    pub(crate) fn state(&self, key: &StateKey) -> String {
        format!("{}/memos/{}", self.documents, hex(&Sha256::digest(key.as_str())))
    }

    /// Returns where the bucket has the body of a content.
    pub(crate) fn body(site: &SiteId, content: &ContentHash) -> object_store::path::Path {
        let file = format!("bodies/{content}.zst");
        let path = if site.as_str() == DEFAULT_SITE { file } else { format!("sites/{site}/{file}") };
        object_store::path::Path::from(path)
    }
}

/// Returns the last part of the name of a document.
pub(crate) fn id(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, id)| id)
}

/// Writes bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string does not fail");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_site_lives_at_the_root_and_others_below_their_name() {
        let paths = Paths::new("d");
        let url: PageUrl = "http://a/".parse().unwrap();
        for (site, base) in [("default", "d"), ("other", "d/sites/other")] {
            let site: SiteId = site.parse().unwrap();
            let crawl = "crawl-2026-11-16-2".parse().unwrap();
            assert_eq!(paths.crawl(&site, crawl), format!("{base}/crawls/crawl-2026-11-16-2"));
            let page = paths.page(&site, crawl, &url);
            let (collection, digits) = page.rsplit_once('/').unwrap();
            assert_eq!(collection, format!("{base}/crawl-2026-11-16-2"));
            assert!(digits.starts_with("282a35d7") && digits.len() == 64, "{digits}");
            assert_eq!(paths.site(&site), format!("d/sites/{site}"));
        }
    }
}
