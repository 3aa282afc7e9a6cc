//! Commands that read what crawls have stored.

pub(crate) mod changes;
pub(crate) mod crawls;
pub(crate) mod diff;
pub(crate) mod history;
pub(crate) mod noise;
pub(crate) mod page;
pub(crate) mod pages;
pub(crate) mod report;
pub(crate) mod rules;
pub(crate) mod search;
pub(crate) mod show;
pub(crate) mod sites;
pub(crate) mod source;
pub(crate) mod stats;
pub(crate) mod status;
pub(crate) mod when;

use std::future::Future;

use anyhow::Context;

/// Waits for what a reading command does.
pub(crate) fn wait_for<T>(future: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("cannot start")?.block_on(future)
}
