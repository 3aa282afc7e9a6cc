//! Archive requests against a Save Page Now that behaves as documented.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "archivist/desk.rs"]
mod desk;
#[path = "archivist/drain.rs"]
mod drain;
#[path = "archivist/frail.rs"]
mod frail;
#[path = "archivist/once.rs"]
mod once;
#[path = "archivist/outcomes.rs"]
mod outcomes;
#[path = "archivist/secrets.rs"]
mod secrets;
