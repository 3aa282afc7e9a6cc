//! Obeying what somebody decides about open crawls while this process visits their pages.
//!
//! A decision is stored; a tick that its author publishes brings this process to look at once. If that message is lost, the
//! process sees it by itself within [`LOOK`].

use std::sync::Arc;
use std::time::Duration;

use recrawl_core::ports::StoreError;
use recrawl_engine::{CrawlCommand, CrawlCommands};

use crate::answer::chain;
use crate::parts::Parts;

/// How often this process looks by itself while pages are about to be asked for: one read for all sites, 900 an hour.
const LOOK: Duration = Duration::from_secs(4);

/// How long a tick waits until the visits that it halted have ended.
const PATIENCE: Duration = Duration::from_secs(2);

/// Halts the crawls that somebody stopped or paused; returns what was decided.
pub(crate) async fn obey(parts: &Parts) -> Result<CrawlCommands, StoreError> {
    // One after the other: nobody obeys a pause that was read before the resume that another has obeyed.
    let _turn = parts.obeying.lock().await;
    let commands = CrawlCommands::read(&*parts.deps.store).await?;
    for crawl in parts.sessions.keys() {
        if commands.of(&crawl.0, crawl.1).is_some_and(CrawlCommand::halts) {
            parts.sessions.halt(&crawl);
            parts.windows.forget(&crawl);
            tracing::info!(site = %crawl.0, crawl.id = %crawl.1, "a crawl is halted");
            parts.in_flight.idle(&crawl, PATIENCE).await;
        }
    }
    for crawl in parts.sessions.known_not_open() {
        if commands.of(&crawl.0, crawl.1) == Some(CrawlCommand::Resume) {
            parts.sessions.opened(&crawl);
        }
    }
    Ok(commands)
}

/// Looks for decisions for as long as the process lives.
pub(crate) async fn watch(parts: Arc<Parts>) {
    while !parts.work.is_stopping() {
        parts.work.pause(LOOK).await;
        if is_about_to_ask(&parts)
            && let Err(error) = obey(&parts).await
        {
            tracing::warn!(error = chain(&error), "whether a crawl was stopped is not known");
        }
    }
}

/// Tells whether a request may begin before the next look: where a delay is a minute, a look each four seconds is a waste.
fn is_about_to_ask(parts: &Parts) -> bool {
    let sessions = parts.sessions.keys().into_iter().filter_map(|crawl| parts.sessions.in_memory(&crawl));
    sessions.into_iter().any(|session| {
        let hosts = parts.in_flight.hosts(&session.key());
        hosts.iter().any(|host| session.site.fetcher.next_turn(host) < 2 * LOOK)
    })
}
