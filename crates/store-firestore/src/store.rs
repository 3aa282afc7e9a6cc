//! The store: its connection, its caches, and the documents that it reads and writes.

use std::sync::Arc;
use std::time::Duration;

use object_store::ObjectStore;
use recrawl_core::model::crawl::Operations;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::StoreError;

use crate::client::Client;
use crate::document_locks::DocumentLocks;
use crate::page_index::last_scan::LastScan;
use crate::paths::Paths;
use crate::process_cache::ProcessCache;
use crate::settings::{BucketUse, FirestoreSettings};

/// Sites, crawls, records and contents in one Firestore database.
///
/// # Documents
/// The site `default` lives at the root of the database, every other below its document `sites/{site}`. Times
/// are timestamps to the microsecond, bytes are bytes, hashes are hexadecimal digits.
///
/// * `crawl-YYYY-MM-DD/{sha256(url)}`, a page in a crawl: `url`; `new` (the verdict is New); `changed` (a
///   known page says something else or leads elsewhere: the verdict is Changed or Moved, so it is never `new`
///   too); `status`; `headers` with `etag`, `last-modified`, `location`; `content`, a reference to the content; `verdict`;
///   `tier`, of a change; `fetched_at`; `error`; and where it is to be archived `archive` with `state`, `requested_at`,
///   `job_id`, `captured_at`, `wayback_url`, `error`, `attempts`, `not_before`, `due_at`. Everything else is in `details`
///   (JSON, zstd by a dictionary), because each field of its own costs two entries in indexes, which cannot be switched off
///   for collections that are named by their day. `depth` is there where a shorter way was found after the page was
///   recorded. Earlier versions gave most of that fields of their own; they are read.
/// * `content/{sha256(body)}`: `outbound_links`, `semantic_hash`, `rules`, `signatures`, `title`, `text`, `language`,
///   `canonical`, `directives`, `size`, `media_type`, `body` (zstd), `has_body`, `named_at`. What does not fit
///   into 1 MiB is elsewhere: further links in `content/{sha256(body)}/links/{id}` as `more_links` lists, a
///   long text or title compressed in `text_zstd` or `title_zstd`, the body in the bucket as
///   `bodies/{sha256(body)}.zst` (`body_in_bucket`). What fits nowhere is left out, with `text_dropped`,
///   `title_dropped`, `body_dropped` or `links_dropped`.
/// * `texts/{semantic hash}`: `text` or `text_zstd`, of a meaning that stored contents gained by other rules (they list
///   it in `meanings`), and `used_by`, those contents: with the last of them the text goes.
/// * `crawls/{crawl}`: `site`, `root`, `number` (the running number of the crawl in its site, by which crawls are ordered;
///   one that was opened by an older version has none, and comes before all that have one, by its name), `settings`, `opened_at`, `closed_at` (null while it is open), `mode`,
///   `opened_by`, `kind` (`due`; none where it is a whole crawl), `ending` (`complete` or `partial`, with `ending_reason`), `suspicion` with `reason` and, once
///   the findings were accepted or confirmed, `accepted_at` and `confirmed_by`; `site_state` with its `word` where the site could not be read; `statistics`, `duration_seconds`, `rolls`; below it
///   `operations/{instance}`, what it cost, and `roll/{n}`, the page index, for each of `rolls`: `count`, `pages` (their
///   addresses, one a line, zstd) and `sightings` (a line a page in the same order, zstd: presence, way it was
///   found, depth, first and last seen in microseconds since 1970, changes, observations, changes a day). All
///   crawls have one when they are closed. A crawl closed by an older version has a page index without `sightings`, or
///   none; its records are read instead. And `stumbles/{sha256(url)}`, a page that the program itself could not
///   read: `url`, `at`, `message`, `place`, `rules`, `content_type`, `bytes`, and where the body is kept `has_body` and
///   `body` (zstd).
/// * `sites/{site}`: `root`, `scope`, `created_at`; where a deployment watches it, `settings` (a list of texts by the name of
///   a setting), `notify` (a table by the name of a target) and `written_by`. `memos/{sha256(key)}`: `key`, `saved_at`, `value`.
///
/// # Guarantees beside those of the ports
/// * A header over 100,000 bytes is not kept, and a reason is cut at 10,000.
/// * [`ArchiveStore::unarchived`](recrawl_core::ports::ArchiveStore::unarchived) reads no more than its limit: where
///   more are due, those that have been due for longest come, in order of their requests.
/// * A page that is recorded after its crawl was closed is not in the page index of that crawl, and so not found by
///   [`Store::page_summaries`](recrawl_core::ports::Store::page_summaries). One whose record is deleted by itself stays
///   in the page index.
/// * [`Search`](recrawl_core::ports::Search) compares the beginning of addresses, in the newest crawls of a site; it takes
///   a read for each crawl and for each page that it looks at, whatever the size of the site.
/// * A suspect crawl that another process accepts is compared with by this one once it works on a crawl that
///   it has not looked back from yet.
#[derive(Debug)]
pub struct FirestoreStore {
    pub(crate) client: Client,
    pub(crate) paths: Paths,
    pub(crate) bodies: Option<Arc<dyn ObjectStore>>,
    pub(crate) bucket_use: BucketUse,
    pub(crate) time_out: Duration,
    pub(crate) process_cache: ProcessCache,
    pub(crate) last_scan: LastScan,
    pub(crate) locks: DocumentLocks,
}

impl FirestoreStore {
    /// Connects to the database.
    pub async fn connect(settings: FirestoreSettings) -> Result<Self, StoreError> {
        let client = Client::connect(&settings).await?;
        let paths = Paths::new(client.documents());
        Ok(Self {
            client,
            paths,
            bodies: settings.bodies,
            bucket_use: settings.bucket_use,
            time_out: settings.time_out,
            process_cache: ProcessCache::default(),
            last_scan: LastScan::default(),
            locks: DocumentLocks::default(),
        })
    }

    /// Returns the billed operations since this store was connected.
    pub fn counted(&self) -> Operations {
        self.client.counter().operations()
    }
}

/// Says that a site is not there.
pub(crate) fn no_site(site: &SiteId) -> StoreError {
    StoreError::Absent(format!("site {site}"))
}

/// Says that a crawl is not there.
pub(crate) fn no_crawl(site: &SiteId, crawl: CrawlId) -> StoreError {
    StoreError::Absent(format!("{crawl} of site {site}"))
}
