//! What the writer is asked to do.

use jiff::Timestamp;
use recrawl_core::model::archive::Archive;
use recrawl_core::model::content::Content;
use recrawl_core::model::crawl::{Closed, Crawl, Site};
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::stumble::Stumble;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Announcement, QueuedPage, Recorded, StateEntry};
use recrawl_core::url::PageUrl;
use tokio::sync::oneshot;

use crate::error::WriteError;
use crate::keys::CrawlKey;
use crate::retention::sweeps::{Since, Sweep};
use crate::search::Version;

/// A command, and whom to tell when it is committed.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) command: Command,
    pub(super) answer: Option<oneshot::Sender<Result<Recorded, WriteError>>>,
}

/// Something to write.
#[derive(Debug)]
pub(crate) enum Command {
    /// Nothing: the answer tells that all before it is committed.
    Nothing,
    SaveSite(Box<Site>),
    /// A crawl of a site, which gets the next number.
    OpenCrawl {
        site: i64,
        crawl: Box<Crawl>,
    },
    CloseCrawl {
        key: CrawlKey,
        closed: Box<Closed>,
    },
    AcceptCrawl {
        key: CrawlKey,
        at: Timestamp,
    },
    /// What an unusual crawl came to when it was judged again.
    JudgeCrawlAgain {
        key: CrawlKey,
        reason: String,
        statistics: Box<Statistics>,
    },
    ConfirmCrawl {
        key: CrawlKey,
        by: CrawlId,
    },
    Record {
        key: CrawlKey,
        record: Box<PageRecord>,
        content: Option<Box<NewContent>>,
    },
    /// What settling made of records.
    Settle {
        key: CrawlKey,
        records: Vec<PageRecord>,
    },
    /// The shared changes of a crawl, as JSON.
    SaveSharedChanges {
        key: CrawlKey,
        changes: Vec<String>,
    },
    /// A shorter way to pages.
    LowerDepth {
        key: CrawlKey,
        pages: Vec<PageUrl>,
        depth: u32,
    },
    Queue(Vec<(CrawlKey, QueuedPage)>),
    Announce(Vec<(CrawlKey, Announcement)>),
    AnnounceRecorded {
        key: CrawlKey,
        crawl: CrawlId,
        kinds: Vec<Verdict>,
    },
    Request {
        key: CrawlKey,
        event: EventId,
        page: PageUrl,
        requested_at: Timestamp,
    },
    SaveArchive {
        key: CrawlKey,
        event: EventId,
        page: PageUrl,
        archive: Archive,
    },
    SaveState {
        key: String,
        entry: StateEntry,
    },
    /// An entry, if what is there is `before`.
    ReplaceState {
        key: String,
        before: Option<StateEntry>,
        entry: StateEntry,
    },
    SaveStumble {
        key: CrawlKey,
        stumble: Box<Stumble>,
        /// How long the body is, if one had come.
        bytes: Option<u64>,
        /// The compressed body.
        frame: Option<Vec<u8>>,
    },
    DeleteStates(Vec<String>),
    /// A pass over the index of a site, which ends every other.
    BeginIndexing {
        site: i64,
        pass: i64,
    },
    Index(Box<IndexedPages>),
    DeleteVisits {
        key: CrawlKey,
        visits: Vec<i64>,
    },
    /// Rows of a table that nothing named when `since` was taken.
    Sweep {
        of: &'static Sweep,
        rows: Vec<i64>,
        since: Since,
    },
    DeleteQueues(CrawlKey),
    DeleteCrawl(CrawlKey),
    /// A site, by its number, unless it has a crawl.
    DeleteSite(i64),
    /// Another name for a site, unless it has an open crawl or the name is taken.
    RenameSite {
        site: i64,
        to: SiteId,
    },
}

impl Command {
    /// Tells whether somebody waits for this alone, so that waiting for company would only cost time.
    pub(super) fn is_urgent(&self) -> bool {
        match self {
            Self::Nothing
            | Self::DeleteStates(_)
            | Self::SaveSite(_)
            | Self::OpenCrawl { .. }
            | Self::CloseCrawl { .. }
            | Self::AcceptCrawl { .. }
            | Self::ConfirmCrawl { .. }
            | Self::JudgeCrawlAgain { .. }
            | Self::Settle { .. }
            | Self::SaveSharedChanges { .. }
            | Self::LowerDepth { .. }
            | Self::Announce(_)
            | Self::AnnounceRecorded { .. }
            | Self::SaveArchive { .. }
            | Self::SaveState { .. }
            | Self::ReplaceState { .. }
            | Self::SaveStumble { .. }
            | Self::BeginIndexing { .. }
            | Self::Index(_)
            | Self::DeleteVisits { .. }
            | Self::Sweep { .. }
            | Self::DeleteQueues(_)
            | Self::DeleteCrawl(_)
            | Self::DeleteSite(_)
            | Self::RenameSite { .. } => true,
            Self::Record { .. } | Self::Queue(_) | Self::Request { .. } => false,
        }
    }

    /// Returns how many addresses it has: pages that are queued, links of a content, or one.
    pub(super) fn load(&self) -> usize {
        match self {
            Self::Queue(pages) => pages.len(),
            Self::Settle { records, .. } => records.len(),
            Self::Record { content: Some(new), .. } => 1 + new.content.extracted.links.len(),
            _ => 1,
        }
    }

    /// Returns how many bytes it writes, roughly: a few pages of tables and indexes, and the frames.
    pub(super) fn weight(&self) -> usize {
        const PAGE: usize = 4096;
        match self {
            Self::Record { content, .. } => {
                let frames = content.as_ref().map_or(0, |new| {
                    let length = |frame: &Option<Vec<u8>>| frame.as_ref().map_or(0, Vec::len);
                    length(&new.body) + length(&new.text) + length(&new.outline)
                });
                2 * PAGE + frames
            }
            Self::SaveState { entry, .. } | Self::ReplaceState { entry, .. } => entry.value.len(),
            Self::SaveStumble { frame, .. } => frame.as_ref().map_or(0, Vec::len),
            Self::Index(index) => index.pages.iter().map(IndexedPage::bytes).sum(),
            Self::Announce(announcements) => announcements.len() * PAGE / 4,
            Self::LowerDepth { pages, .. } => pages.len() * PAGE,
            Self::Settle { records, .. } => records.len() * PAGE,
            Self::SaveSharedChanges { changes, .. } => changes.iter().map(String::len).sum(),
            Self::DeleteVisits { visits: rows, .. } | Self::Sweep { rows, .. } => rows.len() * PAGE,
            Self::Queue(_) | Self::Request { .. } | Self::SaveArchive { .. } => PAGE / 2,
            Self::Nothing
            | Self::SaveSite(_)
            | Self::OpenCrawl { .. }
            | Self::CloseCrawl { .. }
            | Self::AcceptCrawl { .. }
            | Self::ConfirmCrawl { .. }
            | Self::JudgeCrawlAgain { .. }
            | Self::AnnounceRecorded { .. }
            | Self::BeginIndexing { .. }
            | Self::DeleteQueues(_)
            | Self::DeleteCrawl(_)
            | Self::DeleteSite(_)
            | Self::RenameSite { .. }
            | Self::DeleteStates(_) => 0,
        }
    }
}

/// A content to store, with what takes time already done.
#[derive(Debug)]
pub(crate) struct NewContent {
    /// The content without its text, outline and body.
    pub(crate) content: Content,
    /// The compressed text, where it is not stored yet.
    pub(crate) text: Option<Vec<u8>>,
    /// The compressed body, where there is one that is not stored yet.
    pub(crate) body: Option<Vec<u8>>,
    /// The compressed outline, where it stands behind no body and is not stored yet.
    pub(crate) outline: Option<Vec<u8>>,
    /// The fingerprint of the outline, where there is one that is not stored yet.
    pub(crate) outline_fingerprint: Option<i64>,
    /// Whether text and outline stand behind the body, which is right where the content itself is new.
    pub(crate) rest_is_behind: bool,
}

/// A part of the index of a site.
#[derive(Debug)]
pub(crate) struct IndexedPages {
    /// The site.
    pub(crate) site: i64,
    /// The pass that it belongs to; it counts for nothing when another one has begun.
    pub(crate) pass: i64,
    /// Rows of the index that go.
    pub(crate) surplus: Vec<i64>,
    /// Pages that come, or come in another version.
    pub(crate) pages: Vec<IndexedPage>,
    /// The visits that the index was made from, where nothing is missing any more.
    pub(crate) state: Option<String>,
}

/// A page in the index: its words, as they are compared.
#[derive(Debug)]
pub(crate) struct IndexedPage {
    pub(crate) version: Version,
    pub(crate) title: String,
    pub(crate) address: String,
    pub(crate) text: String,
}

impl IndexedPage {
    /// Returns how many bytes of words it has.
    pub(crate) fn bytes(&self) -> usize {
        self.title.len() + self.address.len() + self.text.len()
    }
}
