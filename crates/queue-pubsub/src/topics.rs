//! The topics of a project.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use google_cloud_pubsub::client::Publisher;
use google_cloud_pubsub::model::Message;
use recrawl_core::ports::QueueError;
use url::Url;

use crate::publishing::{self, publish_all};
use crate::settings::PubsubSettings;

/// A topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopicName {
    /// Pages to visit.
    Crawl,
    /// Changes, and the figures of crawls that have ended.
    ChangedPages,
    /// Requests to the Wayback Machine.
    Archive,
    /// The clock of the crawls.
    Tick,
    /// Pages that somebody asked for and that no site admits; and those that could not be delivered.
    CrawlDead,
}

impl TopicName {
    /// Every topic.
    pub const ALL: [Self; 5] = [Self::Crawl, Self::ChangedPages, Self::Archive, Self::Tick, Self::CrawlDead];

    /// Returns the name within a project.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Crawl => "crawl",
            Self::ChangedPages => "changed-pages",
            Self::Archive => "archive",
            Self::Tick => "tick",
            Self::CrawlDead => "crawl-dead",
        }
    }

    /// Returns the full name.
    pub fn path(self, project: &str) -> String {
        format!("projects/{project}/topics/{}", self.word())
    }
}

/// Publishes to the topics of a project.
///
/// What a call has published is confirmed by the service when the call returns.
pub struct Topics {
    crawl: Publisher,
    changed_pages: Publisher,
    archive: Publisher,
    tick: Publisher,
    crawl_dead: Publisher,
    project: String,
    web: Option<Url>,
    time_out: Duration,
    counted: AtomicU64,
}

impl Topics {
    /// Prepares to publish. Whether the topics exist shows when something is published.
    pub async fn connect(settings: PubsubSettings) -> Result<Self, QueueError> {
        Ok(Self {
            crawl: publishing::publisher(TopicName::Crawl, &settings).await?,
            changed_pages: publishing::publisher(TopicName::ChangedPages, &settings).await?,
            archive: publishing::publisher(TopicName::Archive, &settings).await?,
            tick: publishing::publisher(TopicName::Tick, &settings).await?,
            crawl_dead: publishing::publisher(TopicName::CrawlDead, &settings).await?,
            project: settings.project,
            web: settings.web,
            time_out: settings.time_out,
            counted: AtomicU64::new(0),
        })
    }

    /// Asks for a page to be visited, in the open crawl or in one that it opens.
    pub async fn publish_seed(&self, url: &str) -> Result<(), QueueError> {
        self.publish(TopicName::Crawl, vec![Message::new().set_data(url.to_owned())]).await
    }

    /// Asks for a look at the state of the crawls.
    pub async fn publish_tick(&self) -> Result<(), QueueError> {
        self.publish(TopicName::Tick, vec![Message::new().set_data("tick")]).await
    }

    /// Keeps a message of topic `crawl` that nobody can do anything with.
    pub async fn publish_dead(
        &self,
        data: Vec<u8>,
        attributes: HashMap<String, String>,
    ) -> Result<(), QueueError> {
        let message = Message::new().set_data(data).set_attributes(attributes);
        self.publish(TopicName::CrawlDead, vec![message]).await
    }

    /// Returns how many messages were published since the start.
    pub fn counted(&self) -> u64 {
        self.counted.load(Ordering::Relaxed)
    }

    /// Returns where the web page is to which messages link.
    pub(crate) const fn web(&self) -> Option<&Url> {
        self.web.as_ref()
    }

    /// Publishes all of `messages`, or fails.
    pub(crate) async fn publish(&self, topic: TopicName, messages: Vec<Message>) -> Result<(), QueueError> {
        let publisher = match topic {
            TopicName::Crawl => &self.crawl,
            TopicName::ChangedPages => &self.changed_pages,
            TopicName::Archive => &self.archive,
            TopicName::Tick => &self.tick,
            TopicName::CrawlDead => &self.crawl_dead,
        };
        let count = messages.len() as u64;
        publish_all(publisher, messages, &topic.path(&self.project), self.time_out).await?;
        self.counted.fetch_add(count, Ordering::Relaxed);
        Ok(())
    }
}

impl fmt::Debug for Topics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Topics").field("project", &self.project).finish_non_exhaustive()
    }
}
