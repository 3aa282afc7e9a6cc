//! Digests delivered to real servers on this machine.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod digests;
mod email;
mod files;
mod formats;
mod later;
mod mail_server;
mod mails;
mod once;
mod receiver;
mod secrets;
mod services;
mod together;
mod webhook;
mod world;
