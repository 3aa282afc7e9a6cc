//! The message of topic `changed-pages`: a change, or the figures of a crawl that has ended.

use std::collections::HashMap;

use recrawl_core::model::aspect::{Aspect, Aspects};
use recrawl_core::model::crawl::{Closed, Ending, Site};
use recrawl_core::model::ids::{CrawlId, EventId};
use recrawl_core::model::kind::Tier;
use recrawl_core::ports::Announcement;
use recrawl_core::web_address;
use serde::{Deserialize, Serialize};
use url::Url;

/// The word of a message that tells the figures of a crawl.
pub const SUMMARY: &str = "SUMMARY";

/// The word of a change that several pages share, which is told once for all of them.
pub const SHARED: &str = "SHARED";

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
    /// The page; the first of them where several share the change, and the root of the site in a summary.
    pub page: String,
    /// `ADD`, `CHANGE`, `DEL`, `MOVE`, [`SHARED`] or [`SUMMARY`].
    pub change: String,
    /// From which sides the page changed, where contents were compared: some of `text,links,media`.
    #[serde(default)]
    pub aspects: Option<String>,
    /// What changed in the text, where that is known; in a summary, the figures as JSON.
    pub diff: Option<String>,
    /// The title of the page.
    #[serde(default)]
    pub title: Option<String>,
    /// The status that it answered.
    #[serde(default)]
    pub status: Option<u16>,
    /// The number of the tier: 1 is content.
    #[serde(default)]
    pub tier: Option<u8>,
    /// How much the change matters, from 0 to 1,000.
    #[serde(default)]
    pub weight: Option<u32>,
    /// Where the page leads now, if it moved.
    #[serde(default)]
    pub target: Option<String>,
    /// How many pages share the change, if several do.
    #[serde(default)]
    pub pages: Option<u64>,
    /// Where the web page shows the change, or the crawl in a summary; where there is a web page.
    #[serde(default)]
    pub link: Option<String>,
}

impl ChangeMessage {
    /// Tells of a change, with where the web page at `web` shows it.
    pub fn of(announcement: &Announcement, web: Option<&Url>) -> Self {
        let Announcement { id, site, crawl, page, change, aspects, diff, details } = announcement;
        let shortened = |diff: &String| diff[..diff.floor_char_boundary(LONGEST_DIFF)].to_owned();
        let word = if details.shared_by.is_some() { SHARED } else { change.word() };
        let shown = |web| match details.shared_by {
            Some(_) => web_address::of_crawl(web, site, *crawl),
            None => web_address::of_change(web, site, *crawl, page, *change),
        };
        Self {
            id: id.among_sites(site),
            site: site.to_string(),
            crawl: crawl.to_string(),
            page: page.to_string(),
            change: word.to_owned(),
            aspects: words(*aspects),
            diff: diff.as_ref().map(shortened),
            title: details.title.clone(),
            status: details.status,
            tier: details.tier.map(Tier::number),
            weight: details.weight,
            target: details.target.clone(),
            pages: details.shared_by,
            link: web.and_then(shown).map(String::from),
        }
    }

    /// Tells that `crawl` of `site` has ended; where its findings are doubted, and so not announced, also why.
    pub fn summary(site: &Site, crawl: CrawlId, closed: &Closed, web: Option<&Url>) -> Self {
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
            id: EventId::of(format!("{crawl}\nsummary of {}", site.root).as_bytes()).among_sites(&site.id),
            site: site.id.to_string(),
            crawl: crawl.to_string(),
            page: site.root.to_string(),
            change: SUMMARY.to_owned(),
            aspects: None,
            diff: Some(figures.to_string()),
            title: None,
            status: None,
            tier: None,
            weight: None,
            target: None,
            pages: None,
            link: web.and_then(|web| web_address::of_crawl(web, &site.id, crawl)).map(String::from),
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

fn words(aspects: Aspects) -> Option<String> {
    let words: Vec<&str> = aspects.iter().map(Aspect::word).collect();
    (!words.is_empty()).then(|| words.join(","))
}

#[cfg(test)]
mod tests;
