//! The history of sites on the web: pages, a JSON API, feeds and Memento, as one router.
//!
//! What is shown is computed once, in `recrawl-reports`, from the ports of the core; pages, API and feeds are ways to
//! write it down. So everything works on every store.
//!
//! * [`App`], [`router`] and [`serve`]: what is served, and how.
//! * [`crawl_control`]: a port that a home may offer, and without which nothing can be done here.
//! * [`access`]: who may do things.

pub mod access;
mod address;
mod api;
mod app;
mod assets;
mod blocking;
mod caller;
pub mod crawl_control;
mod error;
mod etag;
mod events;
mod feeds;
mod former_names;
mod listing;
mod memento;
mod message;
mod pages;
mod parameters;
mod rules_effect;
mod schedule_form;
mod security;
mod server;
mod stored;
mod visitor;
mod words;

pub use app::{App, Clock, Library, Reader, router};
pub use server::serve;
