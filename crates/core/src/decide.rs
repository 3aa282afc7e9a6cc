//! What is decided: functions of their arguments, with table tests. One decision, one file.

mod acceptance;
mod admission;
pub mod answer;
pub mod back_off;
mod baseline;
mod belief;
pub mod certificate;
mod crawl_order;
mod first_crawl;
mod give_up;
mod image;
pub mod interpret;
pub mod judge;
mod last_look;
mod lateness;
pub mod learnt;
mod opening;
pub mod partial;
pub mod request_plan;
mod retention;
mod site_state;
pub mod soft_error;
mod suspicion;
pub mod traps;

pub use self::acceptance::{Acceptance, acceptance, newest_unusual};
pub use self::admission::site_of;
pub use self::baseline::{baseline, left_out};
pub use self::belief::{
    Answered, Belief, Confirmation, belief, is_doubted, unusual_before, unusual_since_believed,
};
pub use self::crawl_order::{CrawlPosition, Order, dated_ahead, opened_after, opened_before};
pub use self::first_crawl::{is_first_crawl, told_singly};
pub use self::give_up::{Audited, Conclusion, Patience, finish, is_audit_due};
pub use self::image::{FIRST_SEEN, image_verdict};
pub use self::last_look::{Looks, last_looked, look};
pub use self::lateness::{is_overlong, overdue_since};
pub use self::opening::{Opening, opening};
pub use self::retention::{Keep, deletable, forgotten};
pub use self::site_state::{
    FirstAnswer, FirstPage, is_block_page, silence, site_state, state_of_answer, unreachable,
};
pub use self::suspicion::{Doubt, DoubtWord, suspicion};
