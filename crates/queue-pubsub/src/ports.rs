//! The ports of the core over the topics.

use async_trait::async_trait;
use google_cloud_pubsub::model::Message;
use recrawl_core::model::crawl::{Closed, Site};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::ports::{
    Announcement, Announcer, ArchiveQueue, ArchiveRequest, Frontier, QueueError, QueuedPage, Summaries,
};

use crate::message::{ArchiveMessage, ChangeMessage, CrawlMessage};
use crate::topics::{TopicName, Topics};

#[async_trait]
impl Frontier for Topics {
    async fn queue(&self, pages: &[QueuedPage]) -> Result<(), QueueError> {
        let message = |page| {
            let message = CrawlMessage::from(page);
            Message::new().set_data(message.to_json()).set_attributes(message.attributes())
        };
        self.publish(TopicName::Crawl, pages.iter().map(message).collect()).await
    }
}

#[async_trait]
impl Announcer for Topics {
    async fn announce(&self, announcements: &[Announcement]) -> Result<(), QueueError> {
        self.tell(announcements.iter().map(|announcement| ChangeMessage::of(announcement, self.web()))).await
    }
}

#[async_trait]
impl ArchiveQueue for Topics {
    async fn request(&self, requests: &[ArchiveRequest]) -> Result<(), QueueError> {
        let message = |request: &ArchiveRequest| {
            let attributes = [("crawl", request.crawl.to_string()), ("site", request.site.to_string())];
            Message::new().set_data(ArchiveMessage::from(request).to_json()).set_attributes(attributes)
        };
        self.publish(TopicName::Archive, requests.iter().map(message).collect()).await
    }
}

#[async_trait]
impl Summaries for Topics {
    async fn summarise(&self, site: &Site, crawl: CrawlId, closed: &Closed) -> Result<(), QueueError> {
        self.tell([ChangeMessage::summary(site, crawl, closed, self.web())]).await
    }
}

impl Topics {
    async fn tell(&self, messages: impl IntoIterator<Item = ChangeMessage>) -> Result<(), QueueError> {
        let message = |message: ChangeMessage| {
            Message::new().set_data(message.to_json()).set_attributes(message.attributes())
        };
        self.publish(TopicName::ChangedPages, messages.into_iter().map(message).collect()).await
    }
}
