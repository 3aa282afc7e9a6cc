//! The Cloud Run service: Pub/Sub push to crawl step.
//!
//! * [`run`] serves until it is told to stop; [`router`] has its routes.
//! * [`Config`] is what the environment says, [`Deps`] is everything outside that it uses.
//! * [`assembly`] puts the real ones together: Firestore, Pub/Sub and the Wayback Machine.

pub mod assembly;

mod answer;
mod archive;
mod body;
mod config;
mod crawl;
mod deps;
mod halting;
mod health;
mod in_flight;
mod joining;
mod last_error;
mod line;
mod logging;
mod opening;
mod parts;
mod router;
mod scheduling;
mod serve;
mod service;
mod service_report;
mod session;
mod sessions;
mod site_figures;
mod site_parts;
mod sites;
mod telling;
mod tick;
mod token;
mod trace;
mod turns;
mod visit;
mod window;
mod work;

pub use config::{BadConfig, Config, SiteConfig};
pub use deps::{DeadLetters, Deps, UsageMeter};
pub use last_error::LastError;
pub use logging::{TraceLifting, start_logging};
pub use router::router;
pub use serve::run;
pub use service::Service;
