//! What the writer is asked to do.

use jiff::Timestamp;
use recrawl_core::archive::Archive;
use recrawl_core::content::Content;
use recrawl_core::crawl::{Closed, Crawl, Site};
use recrawl_core::ids::EventId;
use recrawl_core::ports::{Announcement, Memo, QueuedPage, Recorded};
use recrawl_core::record::PageRecord;
use recrawl_core::url::PageUrl;
use tokio::sync::oneshot;

use crate::error::WriteError;
use crate::keys::CrawlKey;
use crate::sweeps::{Since, Sweep};

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
    OpenCrawl {
        key: CrawlKey,
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
    Record {
        key: CrawlKey,
        record: Box<PageRecord>,
        content: Option<Box<NewContent>>,
    },
    Queue(Vec<(CrawlKey, QueuedPage)>),
    Announce(Vec<(CrawlKey, Announcement)>),
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
    SaveMemo {
        key: String,
        memo: Memo,
    },
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
}

impl Command {
    /// Tells whether somebody waits for this alone, so that waiting for company would only cost time.
    pub(super) fn is_urgent(&self) -> bool {
        match self {
            Self::Nothing
            | Self::SaveSite(_)
            | Self::OpenCrawl { .. }
            | Self::CloseCrawl { .. }
            | Self::AcceptCrawl { .. }
            | Self::Announce(_)
            | Self::SaveArchive { .. }
            | Self::SaveMemo { .. }
            | Self::DeleteVisits { .. }
            | Self::Sweep { .. }
            | Self::DeleteQueues(_)
            | Self::DeleteCrawl(_) => true,
            Self::Record { .. } | Self::Queue(_) | Self::Request { .. } => false,
        }
    }

    /// Returns how many bytes it writes, roughly: a few pages of tables and indexes, and the frames.
    pub(super) fn weight(&self) -> usize {
        const PAGE: usize = 4096;
        match self {
            Self::Record { content, .. } => {
                let frames = content.as_ref().map_or(0, |new| {
                    let length = |frame: &Option<Vec<u8>>| frame.as_ref().map_or(0, Vec::len);
                    length(&new.body) + length(&new.text)
                });
                2 * PAGE + frames
            }
            Self::SaveMemo { memo, .. } => memo.value.len(),
            Self::Announce(announcements) => announcements.len() * PAGE / 4,
            Self::DeleteVisits { visits: rows, .. } | Self::Sweep { rows, .. } => rows.len() * PAGE,
            Self::Queue(_) | Self::Request { .. } | Self::SaveArchive { .. } => PAGE / 2,
            Self::Nothing
            | Self::SaveSite(_)
            | Self::OpenCrawl { .. }
            | Self::CloseCrawl { .. }
            | Self::AcceptCrawl { .. }
            | Self::DeleteQueues(_)
            | Self::DeleteCrawl(_) => 0,
        }
    }
}

/// A content to store, with what takes time already done.
#[derive(Debug)]
pub(crate) struct NewContent {
    /// The content without its text and body.
    pub(crate) content: Content,
    /// The compressed text, where it is not stored yet.
    pub(crate) text: Option<Vec<u8>>,
    /// The compressed body, where there is one that is not stored yet.
    pub(crate) body: Option<Vec<u8>>,
    /// Whether the text stands behind the body, which is right where the content itself is new.
    pub(crate) text_is_behind: bool,
}
