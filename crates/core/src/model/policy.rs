//! What a person can set about how pages are visited.

use std::time::Duration;

use crate::changes::settle::SharingRules;
use crate::model::archive::ArchivePolicy;
use crate::model::aspect::Aspects;
use crate::model::content::KeepBodies;
use crate::url::UrlRules;

/// What a person can set about how pages are visited.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct CrawlPolicy {
    /// Which bodies are kept.
    pub keep_bodies: KeepBodies,
    /// Media types of which every body with other bytes is a version, and kept.
    pub full_history: Vec<String>,
    /// The sides from which a page can change.
    pub compare: Aspects,
    /// How links become pages.
    pub url_rules: UrlRules,
    /// Whether `nofollow` is obeyed.
    pub obey_nofollow: bool,
    /// Which changes are offered to the Wayback Machine.
    pub archive: ArchivePolicy,
    /// Whether the crawl is a first one, to which most pages are new.
    pub is_first_crawl: bool,
    /// Whether a page is not asked for while its server says that it stays fresh.
    pub trust_freshness: bool,
    /// A page visited less than this many days ago is not asked for.
    pub skip_if_visited_days: u32,
    /// Whether known pages are asked for their headers first.
    pub head_first: bool,
    /// The share of 304s that are checked by an unconditional request.
    pub checked_share: f64,
    /// The share of the pages of a crawl that may be asked for again because they changed by a few words; 0 is none.
    pub recheck_share: f64,
    /// Whether images that pages show are asked for, too, to see whether they were replaced at the same address.
    pub watch_images: bool,
    /// In mode smart, the share of sampled pages that must have changed to make the crawl a full one.
    pub smart_threshold: f64,
    /// How often a page is asked for again when a server is in trouble.
    pub retries: u32,
    /// How long all requests for a page may take together.
    pub page_time_out: Duration,
    /// How many addresses of one shape may have the same text before further ones are left out; 0 is any number.
    pub trap_limit: u32,
    /// When the same edit on several pages is one change.
    pub sharing: SharingRules,
    /// Our name in robots.txt and `X-Robots-Tag`.
    pub product_token: String,
}
