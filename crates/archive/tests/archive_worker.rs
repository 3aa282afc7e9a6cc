//! Archive requests against a Save Page Now that behaves as documented.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "archive_worker/drain.rs"]
mod drain;
#[path = "archive_worker/harness.rs"]
mod harness;
#[path = "archive_worker/once.rs"]
mod once;
#[path = "archive_worker/outcomes.rs"]
mod outcomes;
#[path = "archive_worker/secrets.rs"]
mod secrets;
