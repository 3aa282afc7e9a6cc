//! Opens crawls, audits and closes them, asks again for archives, and forgets old crawls.
//!
//! * [`open`] says which crawl a wish joins, or opens one.
//! * [`Maintenance::tick`] looks after every site, every few minutes; its [`TickReport`] says what it did.
//! * [`open_due`] opens a crawl of the pages that are due.
//! * [`Schedule`] is a cron expression in a time zone, and [`Weekly`] a clock that starts crawls by it.
//! * [`Arguments`] and [`run`] are the command.

mod command;
mod due;
mod maintenance;
mod open;
mod report;
mod weekly;

pub use command::{Arguments, run};
pub use due::{DueCrawl, DueError, is_of_due_pages, open_due};
pub use maintenance::{CloudStore, Maintenance, MaintenanceError, MaintenanceSettings};
pub use open::open;
pub use recrawl_schedule::{Schedule, ScheduleError};
pub use report::{Accepted, Closing, TickReport};
pub use weekly::{Trigger, Weekly};
