//! The crawl itself: what every home does with a page, a crawl and its end.
//!
//! * `session`: a crawl from its opening to its closing: open, resume, seed, audit, close.
//! * [`step`]: one page, from the queue to its record.
//! * `drain`: the loop that visits pages until a crawl is over, for the embedded home.
//! * `reconcile`: what the tick of the cloud does, where pages are pushed one by one.
//! * robots.txt, sitemaps, soft 404s and request budgets, each in a file of its name.
//!
//! The pure readers of `recrawl-extract` meet the ports of `recrawl-core` here; adapters are passed in.

mod budget;
mod documents;
mod drain;
mod observer;
mod reconcile;
mod robots;
pub mod seen;
mod session;
mod sitemaps;
mod soft404;
pub mod step;
mod stop_handle;
mod text_rules;
mod thrifty;

pub use budget::{BudgetedFetcher, RequestBudget};
pub use drain::{Budget, Choice, Choose, Ended, List, ListItem, Run, Runner, RunnerError, Waiting};
pub use observer::{Event, Observer};
pub use reconcile::{
    Accepted, ClosedCrawl, CloudStore, Maintenance, MaintenanceError, MaintenanceSettings, TickReport,
};
pub use robots::{RobotsCache, RobotsPolicy};
pub use session::{
    Archiving, Audit, AuditError, Closing, ClosingError, CommandError, Commanded, CrawlCommand,
    CrawlCommands, DueCrawl, DueError, Findings, GatheredAudits, History, JudgedAgain, ListedNotes,
    ListedPages, Resumed, announce, announce_once_accepted, audit, audit_memory, command_crawl, figures,
    forget_notes, judge_again, learn_accepted, learnt_noise, open, open_due, queue_root, resume,
    save_learnt_noise, save_stand_in,
};
pub use sitemaps::{ListedPage, Search, SitemapFinder, SitemapPages, remember_reliability};
pub use soft404::{NoProbe, SoftErrorCache};
pub use stop_handle::{StopHandle, StopMode};
pub use text_rules::text_rules;
pub use thrifty::ThriftyExtractor;
