//! What is decided: functions of their arguments, with table tests. One decision, one file.

pub mod answer;
pub mod back_off;
mod baseline;
mod crawl_order;
mod first_crawl;
mod give_up;
pub mod interpret;
pub mod judge;
pub mod learnt;
mod opening;
pub mod partial;
pub mod request_plan;
mod retention;
pub mod soft_error;
mod suspicion;
pub mod traps;

pub use self::baseline::{baseline, left_out};
pub use self::crawl_order::{CrawlPosition, Order, dated_ahead, opened_after, opened_before};
pub use self::first_crawl::{is_first_crawl, told_singly};
pub use self::give_up::{Audited, Conclusion, Patience, finish, is_audit_due};
pub use self::opening::{Opening, opening};
pub use self::retention::{Keep, deletable, forgotten};
pub use self::suspicion::suspicion;
