//! The message of topic `changed-pages`: a change, or the figures of a crawl that has ended.

use std::collections::HashMap;

use recrawl_core::model::aspect::{Aspect, Aspects};
use recrawl_core::model::crawl::{Closed, Ending, Site};
use recrawl_core::model::ids::{CrawlId, EventId};
use recrawl_core::ports::Announcement;
use serde::{Deserialize, Serialize};

/// The word of a message that tells the figures of a crawl.
pub const SUMMARY: &str = "SUMMARY";

/// The longest difference that is told, in bytes: a message and a row of a table hold it easily.
const LONGEST_DIFF: usize = 64 * 1024;

/// A change or a summary, flat, so that a `BigQuery` subscription can take it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeMessage {
    /// The same however often the change is told.
    pub id: EventId,
    /// The site.
    pub site: String,
    /// The crawl.
    pub crawl: String,
    /// The page, or the root of the site in a summary.
    pub page: String,
    /// `ADD`, `CHANGE`, `DEL`, `MOVE` or [`SUMMARY`].
    pub change: String,
    /// From which sides the page changed, where contents were compared: some of `text,links,media`.
    #[serde(default)]
    pub aspects: Option<String>,
    /// What changed in the text, where that is known; in a summary, the figures as JSON.
    pub diff: Option<String>,
}

impl ChangeMessage {
    /// Tells that `crawl` of `site` has ended; where its findings are doubted, and so not announced, also why.
    pub fn summary(site: &Site, crawl: CrawlId, closed: &Closed) -> Self {
        let ending = match &closed.ending {
            Ending::Complete => None,
            Ending::Partial(reason) => Some(reason.as_str()),
        };
        let figures = serde_json::json!({
            "closed_at": closed.at,
            "partial": ending,
            "suspicion": closed.suspicion.as_ref().map(|suspicion| &suspicion.reason),
            "statistics": closed.statistics,
        });
        Self {
            // The id of no page: a page address has no white space.
            id: EventId::of(format!("{crawl}\nsummary of {}", site.root).as_bytes()),
            site: site.id.to_string(),
            crawl: crawl.to_string(),
            page: site.root.to_string(),
            change: SUMMARY.to_owned(),
            aspects: None,
            diff: Some(figures.to_string()),
        }
    }

    /// Writes the data of the message.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("texts are always JSON")
    }

    /// Returns the attributes of the message, by which subscriptions can filter.
    pub fn attributes(&self) -> HashMap<String, String> {
        let kind = if self.change == SUMMARY { "summary" } else { "change" };
        [("type", kind), ("crawl", &self.crawl), ("change", &self.change), ("site", &self.site)]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into()
    }
}

impl From<&Announcement> for ChangeMessage {
    fn from(announcement: &Announcement) -> Self {
        let shortened = |diff: &String| diff[..diff.floor_char_boundary(LONGEST_DIFF)].to_owned();
        Self {
            id: announcement.id,
            site: announcement.site.to_string(),
            crawl: announcement.crawl.to_string(),
            page: announcement.page.to_string(),
            change: announcement.change.word().to_owned(),
            aspects: words(announcement.aspects),
            diff: announcement.diff.as_ref().map(shortened),
        }
    }
}

fn words(aspects: Aspects) -> Option<String> {
    let words: Vec<&str> = aspects.iter().map(Aspect::word).collect();
    (!words.is_empty()).then(|| words.join(","))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use recrawl_core::model::crawl::Suspicion;
    use recrawl_core::model::statistics::Statistics;
    use recrawl_core::model::verdict::Change;
    use recrawl_core::url::PageUrl;

    use super::*;

    fn announcement(diff: Option<String>) -> Announcement {
        let crawl = "crawl-2026-11-16".parse().unwrap();
        let page: PageUrl = "https://a.example/x".parse().unwrap();
        let (id, site) = (EventId::new(crawl, &page), "default".parse().unwrap());
        Announcement { id, site, crawl, page, change: Change::Delete, aspects: Aspects::NONE, diff }
    }

    #[test]
    fn a_change_is_flat() {
        let message = ChangeMessage::from(&announcement(Some("-old\n+new".to_owned())));
        let json: serde_json::Value = serde_json::from_str(&message.to_json()).unwrap();
        let expected = serde_json::json!({
            "id": message.id.to_string(),
            "site": "default",
            "crawl": "crawl-2026-11-16",
            "page": "https://a.example/x",
            "change": "DEL",
            "aspects": null,
            "diff": "-old\n+new",
        });
        assert_eq!(json, expected);
        let attributes = message.attributes();
        let mut attributes: Vec<(&str, &str)> =
            attributes.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        attributes.sort_unstable();
        let expected =
            [("change", "DEL"), ("crawl", "crawl-2026-11-16"), ("site", "default"), ("type", "change")];
        assert_eq!(attributes, expected);
    }

    #[test]
    fn the_sides_of_a_change_are_one_text() {
        for (aspects, expected) in [
            (Aspects::NONE, None),
            (Aspects::TEXT, Some("text")),
            (Aspects::TEXT.with(Aspect::Links), Some("text,links")),
            (Aspects::ALL, Some("text,links,media,meta")),
        ] {
            let message = ChangeMessage::from(&Announcement { aspects, ..announcement(None) });
            assert_eq!(message.aspects.as_deref(), expected);
        }
    }

    #[test]
    fn a_message_of_before_is_still_read() {
        let id = announcement(None).id;
        let old = format!(r#"{{"id":"{id}","site":"s","crawl":"c","page":"p","change":"ADD","diff":null}}"#);
        let message: ChangeMessage = serde_json::from_str(&old).unwrap();
        assert_eq!((message.id, message.aspects), (id, None));
    }

    #[test]
    fn a_long_difference_fits_and_ends_between_characters() {
        let message = ChangeMessage::from(&announcement(Some("é".repeat(20_000_000))));
        let diff = message.diff.unwrap();
        assert!((LONGEST_DIFF - 1..=LONGEST_DIFF).contains(&diff.len()), "{}", diff.len());
    }

    #[test]
    fn a_summary_has_the_shape_of_a_change() {
        let site = Site {
            id: "default".parse().unwrap(),
            root: "https://a.example/".parse().unwrap(),
            scope: recrawl_core::model::scope::ScopeSettings::default(),
            created_at: Timestamp::UNIX_EPOCH,
        };
        let ending = Ending::Partial("stopped".to_owned());
        let suspicion = Some(Suspicion::new("much is gone".to_owned()));
        let closed = Closed {
            at: Timestamp::UNIX_EPOCH,
            ending,
            suspicion,
            state: None,
            statistics: Statistics::default(),
        };
        let message = ChangeMessage::summary(&site, "crawl-2026-11-16".parse().unwrap(), &closed);
        assert_eq!((message.change.as_str(), message.page.as_str()), (SUMMARY, "https://a.example/"));
        assert_eq!(message.attributes()["type"], "summary");
        let figures: serde_json::Value = serde_json::from_str(message.diff.as_ref().unwrap()).unwrap();
        assert_eq!((&figures["partial"], &figures["suspicion"]), (&"stopped".into(), &"much is gone".into()));
        assert_eq!(figures["closed_at"], "1970-01-01T00:00:00Z");
        assert!(figures["statistics"].is_object());
    }
}
