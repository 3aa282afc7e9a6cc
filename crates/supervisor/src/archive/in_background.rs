//! Archives beside crawls: pages that somebody asks for, and after a crawl what waits, where there are keys.

use std::sync::Arc;

use anyhow::Context;
use jiff::Timestamp;
use recrawl_archive::{ArchiveWorker, DrainOptions};
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::ArchiveRequest;
use recrawl_settings::ProcessSettings;
use recrawl_stores::EmbeddedStore;
use recrawl_stores::file::ArchiveLock;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::save_page_now;
use crate::{Say, settings};

enum Job {
    Page(Box<ArchiveRequest>),
    Site(SiteId),
}

/// Has pages archived in the background, at the pace of the service. What is not done when the process ends waits in
/// the store.
pub(crate) struct Archiving {
    jobs: UnboundedSender<Job>,
    has_keys: bool,
}

impl Archiving {
    pub(crate) fn begin(store: Arc<dyn EmbeddedStore>, say: Say) -> Self {
        let (jobs, waiting) = unbounded_channel();
        tokio::spawn(carry_out_all(store, waiting, say));
        Self { jobs, has_keys: ProcessSettings::of_this_process().archive_keys.is_some() }
    }

    /// Has one page archived, whose request is in the store.
    pub(crate) fn page(&self, request: ArchiveRequest) {
        // Without anybody to do it, the request waits in the store.
        let _ = self.jobs.send(Job::Page(Box::new(request)));
    }

    /// Has archived what waits of a site, where there are keys: without, it takes hours and is left to people.
    pub(crate) fn after_crawl(&self, site: &SiteId) {
        if self.has_keys {
            let _ = self.jobs.send(Job::Site(site.clone()));
        }
    }
}

async fn carry_out_all(store: Arc<dyn EmbeddedStore>, mut jobs: UnboundedReceiver<Job>, say: Say) {
    // One for the life of the process: it keeps the pace.
    let mut archive_worker = None;
    while let Some(job) = jobs.recv().await {
        let done = async {
            let archive_worker = match &archive_worker {
                Some(archive_worker) => archive_worker,
                None => archive_worker.insert(make(&store)?),
            };
            let _lock = ArchiveLock::take(store.path())?;
            carry_out(archive_worker, &*store, job).await
        };
        if let Err(error) = done.await {
            say(&format!("not archived yet: {error:#}; `recrawl archive` tries again"));
        }
    }
}

fn make(store: &Arc<dyn EmbeddedStore>) -> anyhow::Result<ArchiveWorker> {
    let contact = std::env::var("RECRAWL_CONTACT").ok();
    let user_agent = settings::user_agent(contact.as_deref())?;
    Ok(ArchiveWorker::new(store.clone(), save_page_now(user_agent)?).remember_in(store.clone()))
}

async fn carry_out(
    archive_worker: &ArchiveWorker,
    store: &dyn EmbeddedStore,
    job: Job,
) -> anyhow::Result<()> {
    match job {
        Job::Page(request) => {
            archive_worker.carry_out(&request, Timestamp::now()).await?;
        }
        Job::Site(site) => {
            let crawls = store.crawls(&site).await?.into_iter().map(|crawl| crawl.id).collect();
            let work = DrainOptions { sites: vec![(site, crawls)], limit: usize::MAX, deadline: None };
            let drained = archive_worker.drain(&work, Timestamp::now, &|_, _| {}).await;
            if let Some(trouble) = drained.context("archiving was broken off")?.trouble {
                anyhow::bail!(trouble);
            }
        }
    }
    Ok(())
}
