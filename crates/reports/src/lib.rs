//! What crawls found, as people and programs read it.
//!
//! One read model over the ports of the core. The command, the web pages, the JSON API, feeds and notifications only
//! render it. The serde form of an entry is its JSON in the command and in the API.
//!
//! * [`changes`]: what a crawl found, one [`ChangeRow`] a distinct change, filtered and with excerpts.
//! * [`reviews`]: what people did with changes: seen, starred, a note; and when they last looked.
//! * [`when`]: times as people give them.
//! * [`csv`]: rows for spreadsheets. [`marks`]: one edit on one line. [`told`]: a change in words.
//! * [`News`]: what is told of sites, crawl by crawl.
//! * [`difference`]: two versions of a page compared (diff); [`text_diff`] is the pure part.
//! * [`history`]: the versions and visits of one page. [`pages`]: the latest state of every page.
//! * [`crawls`], [`sites`], [`status`] and [`stats`]: crawls in figures.
//! * [`faults`]: broken links, redirects, orphans, duplicates; [`site_report`] is the whole of it for a site.
//! * [`noise`]: what changes by itself, with its evidence. [`Extent`]: how much there is of a site.
//! * [`explain`]: why a visit got its verdict. [`digest`]: what a closed crawl tells people. [`search`]: pages found.
//!
//! [`Reports`] reads through a [`ReportCache`], so that what is looked at again costs no reads.

pub mod archiving;
mod cache;
pub mod changes;
pub mod crawls;
pub mod csv;
pub mod difference;
pub mod digest;
mod error;
pub mod explain;
mod extent;
pub mod faults;
mod file_name;
mod frequency;
pub mod history;
pub mod ignoring;
pub mod marks;
mod news;
pub mod noise;
pub mod pages;
pub mod reviews;
mod scan;
pub mod search;
mod section;
pub mod site_report;
pub mod sites;
pub mod stats;
pub mod status;
pub mod text_diff;
pub mod told;
pub mod unusual;
pub mod usage;
pub mod when;
mod words;

pub use cache::{ReportCache, Reports};
pub use changes::{ChangeEntry, ChangeRow, ChangesFilter, Detail, FolderEntry, SharedEntry, Sort};
pub use crawls::{CrawlState, CrawlSummary, CrawlView, SiteStateView};
pub use digest::{BriefDifference, Digest, DigestDetail};
pub use error::ReportError;
pub use extent::Extent;
pub use file_name::file_name;
pub use frequency::{Frequency, figure, figure_if_known};
pub use news::{News, NewsItem, NewsPart, Story, doubt_of, told_at};
pub use scan::Scan;
pub use section::section_of;
pub use words::{day, day_among, day_and_time, duration};
