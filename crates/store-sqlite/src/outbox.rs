//! The outbox: announcements and archive requests, kept in the file until someone carries them out.

use async_trait::async_trait;
use jiff::Timestamp;
use recrawl_core::model::archive::Archive;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::{Change, Verdict};
use recrawl_core::ports::{
    Announcement, AnnouncementDetails, Announcer, ArchiveQueue, ArchiveRequest, ArchiveStore, QueueError,
    Store, StoreError,
};
use recrawl_core::url::PageUrl;
use rusqlite::{Connection, Row};

use crate::error::{queue_error, unreadable};
use crate::records::crawls::read_name;
use crate::records::row::{read_count, read_time, read_url};
use crate::records::visits::read_unarchived;
use crate::store::SqliteStore;
use crate::writer::Command;

#[async_trait]
impl Announcer for SqliteStore {
    async fn announce(&self, announcements: &[Announcement]) -> Result<(), QueueError> {
        if announcements.is_empty() {
            return Ok(());
        }
        let mut keyed = Vec::with_capacity(announcements.len());
        for told in announcements {
            keyed.push((self.expect_queue(&told.site, told.crawl)?, told.clone()));
        }
        self.writer()?.write(Command::Announce(keyed)).await?;
        Ok(())
    }

    async fn announce_recorded(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        kinds: &[Verdict],
    ) -> Result<Option<u64>, QueueError> {
        let key = self.expect_queue(site, crawl)?;
        self.writer()?.write(Command::AnnounceRecorded { key, crawl, kinds: kinds.to_vec() }).await?;
        let count = |connection: &Connection| {
            let sql = "SELECT count(*) FROM announcement WHERE site = ?1 AND crawl = ?2";
            connection.prepare_cached(sql)?.query_row([key.site, key.crawl], |row| read_count(row, 0))
        };
        Ok(Some(self.readers.read(count).map_err(queue_error)?))
    }
}

#[async_trait]
impl ArchiveQueue for SqliteStore {
    async fn request(&self, requests: &[ArchiveRequest]) -> Result<(), QueueError> {
        for request in requests {
            let key = self.expect_queue(&request.site, request.crawl)?;
            let ArchiveRequest { id: event, page, requested_at, .. } = request.clone();
            self.writer()?.post(Command::Request { key, event, page, requested_at })?;
        }
        Ok(())
    }
}

#[async_trait]
impl ArchiveStore for SqliteStore {
    async fn save_archive(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
        archive: &Archive,
    ) -> Result<(), StoreError> {
        let key = self.expect_crawl(site, crawl)?;
        if self.page(site, crawl, url).await?.is_none() {
            return Err(StoreError::Absent(format!("record of {url} in {crawl}")));
        }
        let event = EventId::new(crawl, url);
        let command = Command::SaveArchive { key, event, page: url.clone(), archive: archive.clone() };
        self.write(command).await.map(drop)
    }

    async fn unarchived(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        self.read(|connection| read_unarchived(&self.keys, connection, site, crawl, now, limit))
    }
}

impl SqliteStore {
    /// Returns what was announced, in order, each change once.
    pub async fn announcements(&self) -> Result<Vec<Announcement>, StoreError> {
        self.flush().await?;
        self.read(read_announcements)
    }

    /// Returns the archive requests that wait to be carried out, in order.
    pub async fn archive_requests(&self) -> Result<Vec<ArchiveRequest>, StoreError> {
        self.flush().await?;
        self.read(read_requests)
    }
}

fn read_announcements(connection: &Connection) -> rusqlite::Result<Vec<Announcement>> {
    let sql = "SELECT a.event, s.name, c.name, p.url, a.change, a.diff, a.aspects FROM announcement AS a
        JOIN site AS s ON s.id = a.site JOIN crawl AS c ON c.site = a.site AND c.number = a.crawl
        JOIN url AS p ON p.id = a.page ORDER BY a.id";
    let mut select = connection.prepare_cached(sql)?;
    let rows = select.query_map([], |row| {
        let (id, site, crawl, page) = event(row)?;
        Ok(Announcement {
            id,
            site,
            crawl,
            page,
            change: change(row.get_ref(4)?.as_str()?)?,
            diff: row.get(5)?,
            aspects: Aspects::from_bits(row.get(6)?),
            details: AnnouncementDetails::default(),
        })
    })?;
    rows.collect()
}

fn read_requests(connection: &Connection) -> rusqlite::Result<Vec<ArchiveRequest>> {
    let sql = "SELECT a.event, s.name, c.name, p.url, a.requested_at FROM archive_request AS a
        JOIN site AS s ON s.id = a.site JOIN crawl AS c ON c.site = a.site AND c.number = a.crawl
        JOIN url AS p ON p.id = a.page WHERE a.state = 'queued' ORDER BY a.id";
    let mut select = connection.prepare_cached(sql)?;
    let rows = select.query_map([], |row| {
        let (id, site, crawl, page) = event(row)?;
        Ok(ArchiveRequest { id, site, crawl, page, requested_at: read_time(row, 4)? })
    })?;
    rows.collect()
}

fn event(row: &Row) -> rusqlite::Result<(EventId, SiteId, CrawlId, PageUrl)> {
    let id = EventId::from(row.get::<_, [u8; 32]>(0)?);
    let site = row.get_ref(1)?.as_str()?.parse().map_err(unreadable)?;
    Ok((id, site, read_name(row, 2)?, read_url(row, 3)?))
}

fn change(word: &str) -> rusqlite::Result<Change> {
    let all = [Change::Add, Change::Change, Change::Delete, Change::Move];
    let found = all.into_iter().find(|change| change.word() == word);
    found.ok_or_else(|| unreadable(format!("change {word}")))
}
