//! The one table of settings.
//!
//! A setting is one row in [`table`]: its name, type, default, reader, help and home. Everything else follows from
//! the row: the field of [`CrawlSettings`], the flag, the variable `RECRAWL_*`, the key in `recrawl.toml`, the entry in
//! docs/REFERENCE.md, and the list of variables that `infra/` passes on.
//!
//! * [`Setting`] is a row. [`table::CRAWL`] lists what can be set about a crawl, [`table::PROCESS`] what the environment
//!   alone says about a process.
//! * [`Layers`] holds what somebody said and who said it: flags, environment, file, preset.
//! * [`CrawlSettings`] and [`ProcessSettings`] are the typed values that programs use.
//! * [`variables`] finds names of variables that nobody reads, and [`mod@reference`] writes the documents.

mod crawl;
mod file;
mod layers;
mod preset;
mod read;
pub mod reference;
mod setting;
pub mod table;
pub mod variables;

pub use self::crawl::{Timetable, user_agent};
pub use self::file::SettingsFile;
pub use self::layers::{Flags, InForce, Layers, SiteSettings, Sources};
pub use self::preset::Preset;
pub use self::read::{Bad, page};
pub use self::setting::{DefaultValue, Flag, Group, Home, Setting};
pub use self::table::{CrawlSettings, ProcessSettings};

/// The part of our user agent that robots.txt names.
pub const PRODUCT: &str = "recrawl";

/// Variables by name.
pub type Environment = std::collections::HashMap<String, String>;
