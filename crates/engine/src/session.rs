//! A crawl from its opening to its closing, once for both homes: open or join it, load what is known, resume what an
//! earlier process did, seed it, audit it, close it.

mod acceptance;
mod announcing;
mod audit;
mod believing;
mod closing;
mod crawl_command;
mod doubts;
mod due;
mod first_page;
mod history;
mod listed;
mod notes;
mod open;
mod outage;
mod remembered;
mod resume;
mod seed;
mod settling;

pub(crate) use self::acceptance::PendingAcceptance;
pub use self::acceptance::announce_once_accepted;
pub use self::announcing::announce;
pub use self::audit::{Audit, AuditError, GatheredAudits, audit, audit_memory, figures};
pub(crate) use self::closing::ask_for_archiving;
pub use self::closing::{Archiving, Closing, ClosingError, Findings};
pub(crate) use self::crawl_command::forget_command;
pub use self::crawl_command::{CommandError, Commanded, CrawlCommand, CrawlCommands, command_crawl};
pub(crate) use self::doubts::{Doubt, FirstDoubt, UNCONFIRMED_COLLAPSE};
pub(crate) use self::due::divide;
pub use self::due::{DueCrawl, DueError, open_due};
pub(crate) use self::first_page::{Seen, site_state};
pub use self::history::History;
pub use self::listed::ListedNotes;
pub(crate) use self::listed::listed_pages;
pub use self::notes::forget_notes;
pub use self::open::open;
pub use self::outage::{JudgedAgain, judge_again, save_stand_in};
pub(crate) use self::remembered::{Persisted, recall, remember};
pub use self::resume::{Resumed, resume};
pub use self::seed::{ListedPages, queue_root};
pub use self::settling::{learn_accepted, learnt_noise, save_learnt_noise};
