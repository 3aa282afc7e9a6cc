//! Crawls what waits in the line, one site after the other.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use recrawl_core::archive::ArchiveWish;
use recrawl_core::crawl::Ending;
use recrawl_core::ports::Store;
use recrawl_core::url::HostKey;
use recrawl_crawler::{Ended, Halting, Waiting};
use recrawl_notify::Occasion;
use recrawl_store_sqlite::{OpenError, Options, SqliteStore};

use super::engine::Engine;
use super::line::{Handle, Turn};
use super::say;
use super::watching::Watched;
use super::wishes::{KeptWish, Wish};
use crate::crawl::{self, Manner};
use crate::notify;
use crate::read::source::not_opened;
use crate::settings::Settings;

/// How often it is looked whether somebody's time has come.
const LOOK: Duration = Duration::from_secs(1);

/// How often schedules are looked at, and the settings file with them.
const SCHEDULES: Duration = Duration::from_secs(10);

/// When a crawl is tried again that could not go on.
const AGAIN: SignedDuration = SignedDuration::from_mins(15);

/// When it is tried again where another process crawls.
const AFTER_OTHERS: SignedDuration = SignedDuration::from_secs(5);

/// How a turn ended.
enum Outcome {
    /// What was wished for is done, or a person paused it.
    Over,
    /// Nothing was done about it, or not all, because the process ends; the next one goes on.
    Left,
    /// Another process crawls into the store.
    OthersCrawl,
    /// It cannot go on now.
    NotNow(Waiting),
}

/// Works until the command shall stop; the crawl that is under way then rests.
pub(super) async fn work(engine: Arc<Engine>) {
    let resting = engine.clone();
    let watch = tokio::spawn(async move {
        resting.stop.wait().await;
        resting.line.rest();
    });
    while !engine.stop.is_set() {
        let Some(handle) = engine.line.take(engine.now()) else {
            tokio::select! {
                () = engine.stop.wait() => {}
                () = engine.line.changed() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
            continue;
        };
        take_turn(&engine, handle).await;
    }
    watch.abort();
}

/// Looks at schedules until it is ended.
pub(super) async fn keep_schedules(engine: Arc<Engine>) {
    let mut told = BTreeSet::new();
    loop {
        let problems = engine.look_at_schedules().await;
        let problems = problems
            .unwrap_or_else(|error| BTreeSet::from([format!("no site is crawled by itself: {error:#}")]));
        // Once, and not every few seconds.
        problems.difference(&told).for_each(|problem| say(problem));
        told = problems;
        tokio::time::sleep(SCHEDULES).await;
    }
}

/// Does what is wished for a site.
pub(super) async fn take_turn(engine: &Engine, handle: Handle) {
    let turn = handle.turn.clone();
    let ended = run(engine, handle).await;
    engine.line.end();
    let site = &turn.site;
    match ended {
        Ok(Outcome::Over) => {
            if let Err(error) = engine.fulfil(site).await {
                say(&format!("{site}: that it is done could not be noted: {error:#}"));
            }
            // Whoever searches first would wait for it.
            if let Err(error) = engine.store().index_for_search(Some(site), usize::MAX).await {
                say(&format!("{site}: the index for searching is not up to date: {error:#}"));
            }
        }
        Ok(Outcome::Left) => {}
        Ok(Outcome::OthersCrawl) => put_back(engine, turn, engine.now() + AFTER_OTHERS).await,
        Ok(Outcome::NotNow(Waiting { reasons, until })) => {
            let (time, when) = next_try(until, engine.now());
            say(&format!("{site} cannot go on: {}; it is tried again {when}", reasons.join("; ")));
            put_back(engine, turn, time).await;
        }
        Err(error) => {
            say(&format!("{site} was not crawled: {error:#}; it is tried again in 15 minutes"));
            put_back(engine, turn, engine.now() + AGAIN).await;
        }
    }
}

/// Returns when a crawl is tried again whose hosts may be asked again at this time if they said so, and the words for it.
fn next_try(until: Option<Timestamp>, now: Timestamp) -> (Timestamp, &'static str) {
    match until {
        Some(until) => (until, "then"),
        None => (now + AGAIN, "in 15 minutes"),
    }
}

/// Puts a turn back, unless the wish was taken back meanwhile.
async fn put_back(engine: &Engine, turn: Turn, not_before: Timestamp) {
    let wish = KeptWish::read(&**engine.store(), &turn.site).await;
    if matches!(wish, Ok(None)) {
        return;
    }
    engine.line.put_back(turn, not_before);
}

async fn run(engine: &Engine, handle: Handle) -> anyhow::Result<Outcome> {
    let Handle { turn, halt, progress } = handle;
    let site = engine.sites.site(&turn.site).await?;
    let is_open = engine.store().crawl_under_way(&site.id).await?.is_some();
    if turn.wish == Wish::Close && !is_open {
        return Ok(Outcome::Over);
    }
    let settings = engine.sites.settings(&site)?;
    engine.line.note_hosts(hosts(&settings));
    // Whoever looks at a site now may be asking the same host.
    drop(engine.looking.lock().await);
    if !is_open {
        crawl::expect_host(&settings).await?;
    }
    // A backlog hands out a page once in its life, so each run has a store of its own.
    let store = Arc::new(SqliteStore::open(&engine.sites.path, &Options::default()).map_err(not_opened)?);
    match store.lock_for_crawling() {
        Ok(()) => {}
        Err(OpenError::Crawling { .. }) => return Ok(Outcome::OthersCrawl),
        Err(error) => return Err(not_opened(error)),
    }
    if engine.stop.is_set() {
        return Ok(Outcome::Left);
    }
    if halt.asked() == Some(Halting::Rest) {
        return Ok(Outcome::Over);
    }
    let opened = crawl::open(&settings, &*store).await?;
    let id = opened.crawl.id;
    engine.begin(&site.id, id).await?;
    // Before the crawl can end: whatever happens to this process then, the next one knows whom to tell.
    let targets = notify::names(&engine.sites.file()?)?;
    recrawl_notify::note(&*store, &targets, (&site.id, id), Occasion::Closed, engine.now()).await?;
    if settings.hides_the_person() {
        say(
            "note: the site's owner cannot reach you; name a page or an address as `contact` in the settings",
        );
    }
    say(&format!("{}: {id} {}", site.id, if opened.resumed { "goes on" } else { "begins" }));
    let watched = Arc::new(Watched::begin(&*store, &opened.crawl, progress).await?);
    let manner = Manner { due: false, follows_another: true };
    let crawled = crawl::run(&settings, opened, manner, store.clone(), halt, watched.clone()).await?;
    match crawled.ended {
        Ended::Closed(closed) => {
            watched.close();
            let how = match (&closed.ending, &closed.suspicion) {
                (_, Some(suspicion)) => format!("suspect: {}", suspicion.reason),
                (Ending::Partial(reason), None) => format!("partial: {reason}"),
                (Ending::Complete, None) => "complete".to_owned(),
            };
            say(&format!("{}: {id} is closed, {how}", site.id));
            engine.telling.notify_one();
            if settings.crawl.archive != ArchiveWish::Never {
                engine.archiving.after_crawl(&site.id);
            }
            Ok(Outcome::Over)
        }
        Ended::Stopped if engine.stop.is_set() => Ok(Outcome::Left),
        Ended::Stopped => Ok(Outcome::Over),
        Ended::Waiting(waiting) => Ok(Outcome::NotNow(waiting)),
    }
}

/// Returns the hosts that a crawl asks, as far as they are named.
fn hosts(settings: &Settings) -> Vec<HostKey> {
    let further = settings.scope.extra_hosts.iter().filter_map(|host| host.parse().ok());
    std::iter::once(settings.root.host_key()).chain(further).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crawl_is_tried_again_when_its_hosts_said_or_in_a_quarter_of_an_hour() {
        let time = |seconds| Timestamp::from_second(seconds).unwrap();
        assert_eq!(next_try(Some(time(604_800)), time(0)), (time(604_800), "then"));
        assert_eq!(next_try(None, time(0)), (time(900), "in 15 minutes"));
    }
}
