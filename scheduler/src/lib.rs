//! A thin command over `recrawl-engine`: starts crawls on Google Cloud on time, and looks after them.
//!
//! * [`Schedule`] is a cron expression in a time zone, and [`Weekly`] a clock that starts crawls by it.
//! * [`Arguments`] and [`run`] are the command.

mod command;
mod weekly;

pub use command::{Arguments, run};
pub use recrawl_schedule::{Schedule, ScheduleError};
pub use weekly::{Trigger, Weekly};
