//! The sites that a deployment watches: what is written about them, read and checked.
//!
//! A site and its plan are one document of the store ([`SitePlan`](recrawl_core::model::site_plan::SitePlan)). It is
//! written by a command, by the environment of the service, or by the service where it adopts a site.
//!
//! * [`SiteConfig`] is a plan together with what the environment says of all sites, checked.
//! * [`WantedSite`] is a site that the environment names, [`sync`] writes those.
//! * [`add`] and [`change`] write a site that somebody wants to be watched.
//! * [`SiteTargets`] are those who are told.

mod config;
mod keeping;
mod targets;
mod wanted;

pub use config::SiteConfig;
pub use keeping::{Added, SiteError, SiteStore, add, change, of_root};
pub use targets::SiteTargets;
pub use wanted::{WantedSite, sync};
