//! The message of topic `archive`: a page that the Wayback Machine should archive.

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::ports::ArchiveRequest;
use recrawl_core::url::PageUrl;
use serde::{Deserialize, Serialize};

use super::{Delivery, Poison};

/// A request for archiving, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveMessage {
    id: EventId,
    site: SiteId,
    crawl: CrawlId,
    page: PageUrl,
    requested_at: Timestamp,
}

impl ArchiveMessage {
    /// Reads the request that a message carries.
    pub fn parse(delivery: &Delivery) -> Result<ArchiveRequest, Poison> {
        let Self { id, site, crawl, page, requested_at } = serde_json::from_str(delivery.text()?)?;
        Ok(ArchiveRequest { id, site, crawl, page, requested_at })
    }

    /// Writes the data of the message.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("texts are always JSON")
    }
}

impl From<&ArchiveRequest> for ArchiveMessage {
    fn from(request: &ArchiveRequest) -> Self {
        let ArchiveRequest { id, site, crawl, page, requested_at } = request.clone();
        Self { id: id.among_sites(&site), site, crawl, page, requested_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_reads_back() {
        let crawl = "crawl-2026-11-16".parse().unwrap();
        let page: PageUrl = "https://a.example/x".parse().unwrap();
        let id = EventId::new(crawl, &page);
        let site = "default".parse().unwrap();
        let request = ArchiveRequest { id, site, crawl, page, requested_at: Timestamp::UNIX_EPOCH };
        let json = ArchiveMessage::from(&request).to_json();
        let delivery = Delivery { data: json.into(), ..Delivery::default() };
        assert_eq!(ArchiveMessage::parse(&delivery), Ok(request));
    }

    #[test]
    fn what_lacks_a_page_or_its_crawl_is_poison() {
        for (data, kind) in [
            ("", "empty"),
            ("https://a.example/x", "json"),
            ("{}", "json"),
            (r#"{"id":"00","site":"default","crawl":"crawl-2026-11-16"}"#, "json"),
        ] {
            let delivery = Delivery { data: data.into(), ..Delivery::default() };
            assert_eq!(ArchiveMessage::parse(&delivery).unwrap_err().kind(), kind, "{data}");
        }
    }
}
