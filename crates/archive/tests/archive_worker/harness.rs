//! A store with archive requests, the service, and who works for both.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use recrawl_archive::{ArchiveWorker, PaceSettings, SavePageNow, SavePageNowSettings};
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::archive::Archive;
use recrawl_core::model::ids::EventId;
use recrawl_core::ports::{ArchiveRequest, ArchiveStore, Store};
use recrawl_testkit::contract::samples::{self, FIRST, crawl_id, page, site_id};
use recrawl_testkit::save_page_now::{Limits, SavePageNow as Fake};

pub(crate) struct Harness {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) fake: Fake,
}

impl Harness {
    /// A store with a site and its crawls, and a service without limits.
    pub(crate) async fn new() -> Self {
        let store = Arc::new(MemoryStore::default());
        samples::open(&*store, "a").await;
        let fake = Fake::start();
        fake.limits(Limits::NONE);
        Self { store, fake }
    }

    /// Records a change of a page, seen just now in the first crawl.
    pub(crate) async fn change(&self, path: &str) -> ArchiveRequest {
        self.change_in(FIRST, path, Timestamp::now()).await
    }

    pub(crate) async fn change_in(&self, crawl: &str, path: &str, at: Timestamp) -> ArchiveRequest {
        self.change_of("a", crawl, path, at).await;
        request(crawl, path, at)
    }

    /// Records a change of a page of a site.
    pub(crate) async fn change_of(&self, site: &str, crawl: &str, path: &str, at: Timestamp) {
        let mut record = samples::bare_record(site, crawl, path);
        record.archive = Some(Archive::queued(at));
        self.store.record(&record, None).await.unwrap();
    }

    pub(crate) async fn archive(&self, request: &ArchiveRequest) -> Archive {
        let record = self.store.page(&request.site, request.crawl, &request.page).await.unwrap();
        record.unwrap().archive.unwrap()
    }

    /// Lets the time come at which a request is to be tried again.
    pub(crate) async fn come_due(&self, request: &ArchiveRequest) {
        let mut archive = self.archive(request).await;
        archive.not_before = archive.not_before.map(|_| Timestamp::now() - SignedDuration::from_secs(1));
        self.store.save_archive(&request.site, request.crawl, &request.page, &archive).await.unwrap();
    }

    pub(crate) fn service(&self, keys: Option<&str>) -> SavePageNow {
        self.service_with(keys, Duration::from_mins(1))
    }

    fn service_with(&self, keys: Option<&str>, time_out: Duration) -> SavePageNow {
        let settings = SavePageNowSettings {
            base: self.fake.url(),
            keys: keys.map(|keys| keys.parse().unwrap()),
            time_out,
            ..SavePageNowSettings::new("recrawl/0 (+https://example.org/)")
        };
        SavePageNow::new(settings).unwrap()
    }

    /// Returns an archive worker who waits a second for an answer, for a service that hangs.
    pub(crate) fn impatient_archivist(&self, pace: PaceSettings) -> ArchiveWorker {
        let service = self.service_with(Some(Fake::KEYS), Duration::from_secs(1));
        ArchiveWorker::with_pace(self.store.clone(), service, pace)
    }

    pub(crate) fn archive_worker(&self) -> ArchiveWorker {
        self.archivist_with(quick())
    }

    pub(crate) fn archivist_with(&self, pace: PaceSettings) -> ArchiveWorker {
        ArchiveWorker::with_pace(self.store.clone(), self.service(Some(Fake::KEYS)), pace)
    }

    /// Returns how many captures there are of a page.
    pub(crate) fn captures(&self, request: &ArchiveRequest) -> usize {
        self.fake.captures().get(request.page.as_str()).copied().unwrap_or_default()
    }
}

pub(crate) fn request(crawl: &str, path: &str, requested_at: Timestamp) -> ArchiveRequest {
    let (crawl, page) = (crawl_id(crawl), page(path));
    ArchiveRequest { id: EventId::new(crawl, &page), site: site_id("a"), crawl, page, requested_at }
}

/// Ends the service, and waits until nobody listens at its address any more.
pub(crate) async fn shut_down(fake: Fake) {
    let url = fake.url();
    let address = url.trim_start_matches("http://").trim_end_matches('/').to_owned();
    drop(fake);
    while tokio::net::TcpStream::connect(&address).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// A pace for tests: nobody waits for long, unless the machine is slow.
pub(crate) fn quick() -> PaceSettings {
    PaceSettings { first_look: Duration::from_millis(2), ..PaceSettings::local() }
}

/// A pace for tests with a job that does not end.
pub(crate) fn brief_watch() -> PaceSettings {
    PaceSettings { watch: Duration::from_millis(300), ..quick() }
}
