//! A crawl from its opening to its end: open or join one, audit it, announce what it found.

mod announcing;
mod audit;
mod due;
mod notes;
mod open;

pub use self::announcing::{AnnouncingError, announce};
pub use self::audit::{Audit, AuditError, audit, audit_memory, figures};
pub use self::due::{DueCrawl, DueError, is_of_due_pages, open_due};
pub use self::notes::forget_notes;
pub use self::open::open;
