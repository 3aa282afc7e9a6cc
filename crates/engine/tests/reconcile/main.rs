//! The tick on a memory store with planted crawls.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod alarms;
mod announcing;
mod archiving;
mod commands;
mod crashes;
mod due;
mod forgetting;
mod harness;
mod opening;
mod reconciling;
mod suspect;
