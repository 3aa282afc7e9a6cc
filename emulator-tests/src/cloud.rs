//! A whole Google Cloud home: emulators, topics, subscriptions, crawl-fn, a site to crawl, a Save Page Now.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};
use recrawl_store_firestore::{FirestoreSettings, FirestoreStore};
use recrawl_testkit::save_page_now::SavePageNow;
use recrawl_testkit::site::Site;
use serde_json::Value;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use crate::documents::Documents;
use crate::emulator::Emulator;
use crate::messages::{Messages, Subscribing};
use crate::project::fresh_project;
use crate::service::{Service, program};

/// Who brings the messages of topic `crawl` to the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// The emulator pushes them, two at a time.
    Pushed,
    /// The test does, through the pull subscription `crawl`.
    ByTest,
}

/// What a scenario wants otherwise than usual.
#[derive(Debug, Default)]
pub struct Wishes<'a> {
    /// Settings of crawl-fn that replace or add to the usual ones.
    pub settings: Vec<(&'a str, String)>,
    /// An emulator of the scenario's own.
    pub firestore: Option<&'a Emulator>,
}

/// A running home with nothing crawled yet.
#[derive(Debug)]
pub struct Cloud {
    /// Its project.
    pub project: String,
    /// The address of its Firestore emulator.
    pub firestore: String,
    /// The address of its Pub/Sub emulator.
    pub pubsub: String,
    /// The site that it crawls.
    pub site: Site,
    /// The Save Page Now that it asks.
    pub archive: SavePageNow,
    /// Its messages.
    pub messages: Messages,
    /// Its documents.
    pub documents: Documents,
    /// The service.
    pub service: Service,
    directory: TempDir,
}

impl Cloud {
    /// Deploys a home for `site`, as `infra/` does, and starts crawl-fn.
    pub async fn deploy(site: Site, delivery: Delivery, wishes: Wishes<'_>) -> Result<Self> {
        let project = fresh_project();
        let firestore = wishes.firestore.unwrap_or_else(|| Emulator::firestore()).address().to_owned();
        let pubsub = Emulator::pubsub().address().to_owned();
        let archive = SavePageNow::start();
        let directory = tempfile::tempdir()?;
        let mut environment: BTreeMap<&str, String> = BTreeMap::from([
            ("GOOGLE_CLOUD_PROJECT", project.clone()),
            ("FIRESTORE_EMULATOR_HOST", firestore.clone()),
            ("PUBSUB_EMULATOR_HOST", pubsub.clone()),
            ("RECRAWL_ROOT", format!("{}/", site.url())),
            ("RECRAWL_CONTACT", "https://example.org/about-this-crawler".to_owned()),
            ("RECRAWL_DELAY", "0.02".to_owned()),
            ("RECRAWL_QUIET", "1".to_owned()),
            // Which pages are checked depends on the day.
            ("RECRAWL_CHECK_SHARE", "0".to_owned()),
            ("RECRAWL_SAVE_PAGE_NOW", archive.url()),
            ("RECRAWL_ARCHIVE_KEYS", SavePageNow::KEYS.to_owned()),
        ]);
        environment.extend(wishes.settings);
        let environment = environment.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let mut service = Service::new(directory.path(), environment)?;
        let messages = Messages::new(&format!("http://{pubsub}"), &project);
        let documents = Documents::new(&format!("http://{firestore}"), &project);
        messages.create_topics().await?;
        for topic in ["crawl", "archive", "tick"] {
            let push = (topic != "crawl" || delivery == Delivery::Pushed)
                .then(|| service.at(&format!("/pubsub/{topic}")));
            messages.subscribe(topic, topic, &Subscribing { push, dead_after: None }).await?;
        }
        messages.subscribe("changed-pages", "changed-pages", &Subscribing::default()).await?;
        service.start().await?;
        Ok(Self { project, firestore, pubsub, site, archive, messages, documents, service, directory })
    }

    /// Returns a directory that lives as long as the home.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Runs the scheduler command against this home; returns what it printed.
    pub fn scheduler(&self, arguments: &[&str]) -> Result<String> {
        let output = Command::new(program("scheduler")?)
            .args(arguments)
            .env("GOOGLE_CLOUD_PROJECT", &self.project)
            .env("PUBSUB_EMULATOR_HOST", &self.pubsub)
            .env("FIRESTORE_EMULATOR_HOST", &self.firestore)
            .env("RECRAWL_QUIET", "1")
            .output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Does what the weekly job of Cloud Scheduler does.
    pub async fn trigger(&self) -> Result<()> {
        self.messages.publish("crawl", &format!("{}/", self.site.url())).await
    }

    /// Does what the other job of Cloud Scheduler does, only oftener, until this many crawls are closed;
    /// returns the name of the last.
    pub async fn tick_until_closed(&self, crawls: usize, patience: Duration) -> Result<String> {
        let deadline = Instant::now() + patience;
        loop {
            let closed = self.closed_crawls().await?;
            if closed.len() >= crawls {
                return Ok(closed.last().cloned().unwrap_or_default());
            }
            let log = self.service.log();
            let end = &log[log.floor_char_boundary(log.len().saturating_sub(3_000))..];
            ensure!(Instant::now() < deadline, "{} crawls are closed, not {crawls}:\n{end}", closed.len());
            self.messages.publish("tick", "tick").await?;
            sleep(Duration::from_millis(500)).await;
        }
    }

    /// Waits until the figures of the site are made, which follows the closing of a crawl.
    pub async fn figures_of(&self, crawl: &str, patience: Duration) -> Result<()> {
        let deadline = Instant::now() + patience;
        let is_of =
            |memo: &Value| text(memo, "key").starts_with("web-report-") && text(memo, "key").ends_with(crawl);
        while !self.documents.collection("memos").await?.values().any(is_of) {
            ensure!(
                Instant::now() < deadline,
                "the figures after {crawl} are not made:\n{}",
                self.service.log()
            );
            sleep(Duration::from_millis(200)).await;
        }
        Ok(())
    }

    /// Returns the names of the closed crawls, in order.
    pub async fn closed_crawls(&self) -> Result<Vec<String>> {
        let crawls = self.documents.collection("crawls").await?;
        let closed = crawls.into_iter().filter(|(_, crawl)| !crawl["closed_at"].is_null());
        Ok(closed.map(|(name, _)| name).collect())
    }

    /// Returns what a crawl recorded: path to verdict.
    pub async fn verdicts(&self, crawl: &str) -> Result<BTreeMap<String, String>> {
        let pages = self.documents.collection(crawl).await?;
        Ok(pages.values().map(|page| (self.path_of(page), text(page, "verdict"))).collect())
    }

    /// Returns the path of the page that a document is about.
    pub fn path_of(&self, document: &Value) -> String {
        text(document, "url").strip_prefix(&self.site.url()).unwrap_or("foreign").to_owned()
    }

    /// Opens the store as the command line does.
    pub async fn store(&self) -> Result<FirestoreStore> {
        let emulator = Some(self.firestore.clone());
        let settings = FirestoreSettings { emulator, ..FirestoreSettings::new(self.project.clone()) };
        Ok(FirestoreStore::connect(settings).await?)
    }
}

fn text(document: &Value, field: &str) -> String {
    document[field].as_str().unwrap_or_default().to_owned()
}
