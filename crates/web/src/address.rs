//! The addresses of our own pages, in one place.

use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::verdict::Change;
use recrawl_core::url::PageUrl;
use recrawl_reports::ChangeEntry;
use url::form_urlencoded::Serializer;

use crate::error::WebError;
use crate::message::Message;

/// What stands for itself in one segment of a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What stands for the pages of no section in addresses.
pub(crate) const NO_SECTION: &str = "-";

/// How a difference is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Compared {
    /// Lines of both versions below each other.
    #[default]
    Inline,
    /// The versions beside each other.
    Side,
    /// The markup, below each other.
    Raw,
}

impl Compared {
    /// Every way, in the order in which they are offered.
    pub(crate) const ALL: [Self; 3] = [Self::Inline, Self::Side, Self::Raw];

    /// Returns the word in addresses.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Side => "side",
            Self::Raw => "raw",
        }
    }
}

impl FromStr for Compared {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|view| view.word() == text);
        found.ok_or_else(|| format!("{text:?} is no way to show a difference: one of inline, side, raw"))
    }
}

/// In which form a version is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The canonical text.
    Text,
    /// The stored HTML.
    Html,
    /// Status and headers.
    Headers,
    /// Where it leads.
    Links,
}

impl Form {
    /// Every form, in the order in which they are offered.
    pub(crate) const ALL: [Self; 4] = [Self::Text, Self::Html, Self::Headers, Self::Links];

    /// Returns the word in addresses.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Html => "html",
            Self::Headers => "headers",
            Self::Links => "links",
        }
    }
}

impl FromStr for Form {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|form| form.word() == text);
        found.ok_or_else(|| format!("{text:?} is no form of a version: one of text, html, headers, links"))
    }
}

/// Takes what people do with changes.
pub(crate) const MARKS: &str = "/marks";

/// Asks before everything of a list is marked as seen, and does it.
pub(crate) const MARK_ALL: &str = "/marks/all";

/// A list as a file for spreadsheets.
pub(crate) const SPREADSHEET: &str = "/changes.csv";

/// Returns an address to go back to, if it is one of ours.
pub(crate) fn own_address(text: &str) -> Result<&str, WebError> {
    let is_own = text.starts_with('/') && !text.starts_with("//") && !text.contains(['\\', '\r', '\n']);
    if is_own {
        Ok(text)
    } else {
        Err(WebError::BadRequest("the parameter back is no address here".to_owned()))
    }
}

/// All sites.
pub(crate) const SITES: &str = "/sites";

/// Returns the page of a site.
pub(crate) fn site(site: &SiteId) -> String {
    format!("/sites/{site}")
}

/// Returns the changes of a crawl.
pub(crate) fn crawl(site: &SiteId, crawl: CrawlId) -> String {
    format!("/sites/{site}/crawls/{crawl}")
}

/// Returns the history of a page.
pub(crate) fn page(site: &SiteId, url: &PageUrl) -> String {
    with_query(&format!("/sites/{site}/page"), &[("url", url.as_str())])
}

/// Returns where a change is best seen: the difference, the new page, or else the history of the page.
pub(crate) fn change(site: &SiteId, change: &ChangeEntry) -> String {
    match change.kind.change() {
        Some(Change::Change) => difference(site, &change.url, None, Some(change.crawl), Compared::Inline),
        Some(Change::Add) if change.target.is_none() => version(site, &change.url, change.crawl, Form::Text),
        Some(Change::Add | Change::Move | Change::Delete) | None => page(site, &change.url),
    }
}

/// Returns the difference of two versions of a page; without crawls, of the last two.
pub(crate) fn difference(
    site: &SiteId,
    url: &PageUrl,
    from: Option<CrawlId>,
    to: Option<CrawlId>,
    view: Compared,
) -> String {
    let (from, to) = (text(from), text(to));
    let view = if view == Compared::Inline { "" } else { view.word() };
    let query = [("url", url.as_str()), ("from", &from), ("to", &to), ("view", view)];
    with_query(&format!("/sites/{site}/diff"), &query)
}

/// Returns one version of a page.
pub(crate) fn version(site: &SiteId, url: &PageUrl, crawl: CrawlId, form: Form) -> String {
    let crawl = crawl.to_string();
    let form = if form == Form::Text { "" } else { form.word() };
    with_query(&format!("/sites/{site}/version"), &[("url", url.as_str()), ("crawl", &crawl), ("as", form)])
}

/// Returns the stored HTML of a page.
pub(crate) fn stored(site: &SiteId, crawl: CrawlId, url: &PageUrl) -> String {
    with_query(&format!("/stored/{site}/{crawl}"), &[("url", url.as_str())])
}

/// The feed over all sites.
pub(crate) const FEED_OF_EVERYTHING: &str = "/feeds.atom";

/// Returns the feed of a site.
pub(crate) fn site_feed(site: &SiteId) -> String {
    format!("/feeds/{site}.atom")
}

/// Returns the feed of a section.
pub(crate) fn section_feed(site: &SiteId, section: &str) -> String {
    format!("/feeds/{site}/section/{}.atom", utf8_percent_encode(section_word(section), SEGMENT))
}

/// Returns a section as it stands in addresses, also the one without a name.
pub(crate) fn section_word(section: &str) -> &str {
    if section.is_empty() { NO_SECTION } else { section }
}

/// Returns the page that asks what to ignore of a line.
pub(crate) fn ignore(site: &SiteId) -> String {
    format!("/sites/{site}/ignore")
}

/// Returns where an unusual crawl is judged again without the pages of an outage.
pub(crate) fn outage(site: &SiteId, crawl: CrawlId) -> String {
    format!("/sites/{site}/crawls/{crawl}/outage")
}

/// Returns the page that adds a site.
pub(crate) const ADD_SITE: &str = "/add-site";

/// Returns the schedule of a site.
pub(crate) fn schedule(site: &SiteId) -> String {
    format!("/sites/{site}/schedule")
}

/// Returns the ignore rules of a site, with their effect on a page.
pub(crate) fn rules(site: &SiteId, url: Option<&PageUrl>) -> String {
    with_query(&format!("/sites/{site}/rules"), &[("url", url.map_or("", PageUrl::as_str))])
}

/// Returns `address` with a message that is shown there.
pub(crate) fn with_message(address: &str, message: Message) -> String {
    let sign = if address.contains('?') { '&' } else { '?' };
    format!("{address}{sign}done={}", message.word())
}

/// Returns the feed of a page.
pub(crate) fn page_feed(site: &SiteId, url: &PageUrl) -> String {
    with_query(&format!("/feeds/{site}/page.atom"), &[("url", url.as_str())])
}

/// Returns `path` with those of `pairs` as its query that have a value.
pub(crate) fn with_query(path: &str, pairs: &[(&str, &str)]) -> String {
    let mut query = Serializer::new(String::new());
    query.extend_pairs(pairs.iter().filter(|(_, value)| !value.is_empty()));
    let query = query.finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// Adds to the query of an address.
pub(crate) fn and_query(address: &str, pairs: &[(&str, &str)]) -> String {
    match address.split_once('?') {
        None => with_query(address, pairs),
        Some((_, query)) => {
            let added = with_query("", pairs);
            format!("{}?{query}{}", &address[..address.len() - query.len() - 1], added.replacen('?', "&", 1))
        }
    }
}

fn text(crawl: Option<CrawlId>) -> String {
    crawl.map_or_else(String::new, |crawl| crawl.to_string())
}
