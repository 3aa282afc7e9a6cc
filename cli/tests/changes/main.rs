//! What is told of a site whose changes are planted: exactly the rows that a person would write.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harness;
mod holding;
mod planted;
mod unusual;
