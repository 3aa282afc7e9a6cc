//! Names of projects, each an empty world of its own in an emulator.

use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use jiff::Timestamp;

static NEXT: AtomicU32 = AtomicU32::new(0);

/// Returns the id of a project that nobody has used: its databases, topics and subscriptions are its own.
///
/// Also in an emulator that was running before.
pub fn fresh_project() -> String {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("demo-{:x}-{:x}-{number}", Timestamp::now().as_millisecond(), process::id())
}
