//! A panic in the thread that writes the database: the run stops with a sentence, and the next one goes on.
//!
//! A subscriber of what the program logs is the only code of a test that runs on that thread.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "stumbling/harness.rs"]
mod harness;
mod world;

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};

use recrawl_core::model::crawl::Ending;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::Store;
use recrawl_engine::Ended;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use self::harness::Harness;

/// How many transactions are begun before the one that breaks.
static LEFT: AtomicI64 = AtomicI64::new(i64::MAX);

struct Breaking;

impl Subscriber for Breaking {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("recrawl_store_sqlite::writer") && metadata.is_event()
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        assert!(LEFT.fetch_sub(1, Ordering::SeqCst) != 0, "on purpose");
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_of_the_writer_stops_the_crawl_and_the_next_run_goes_on() {
    tracing::subscriber::set_global_default(Breaking).unwrap();
    let paths: Vec<String> = (0..60).map(|page| format!("/{page}")).collect();
    let harness = Harness::new(&paths).await;
    for transactions in [3, 5, 10] {
        LEFT.store(transactions, Ordering::SeqCst);
        let (ended, _) = harness.run(&[]).await;
        let error = ended.unwrap_err();
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(source.starts_with("the writer of the database stumbled: "), "{error}: {source}");
        assert!(source.contains("on purpose (crates/engine/tests/broken_writer.rs:"), "{source}");
    }
    LEFT.store(i64::MAX, Ordering::SeqCst);
    let (ended, crawl) = harness.run(&[]).await;
    let Ok(Ended::Closed(closed)) = ended else { panic!("{ended:?}") };
    assert_eq!(closed.ending, Ending::Complete);
    let figures = &closed.statistics;
    assert_eq!((figures.total, figures.counts[Verdict::New], figures.stumbled), (61, 61, 0));
    assert_eq!(harness.listener.warnings(), Vec::<String>::new());
    let records =
        harness.world.store().records(&harness.world.site.id, crawl.id, &[], None, 100).await.unwrap();
    assert_eq!(records.len(), 61);
    let mut asked: HashMap<String, u32> = HashMap::new();
    for logged in harness.world.server.log() {
        *asked.entry(logged.path).or_default() += 1;
    }
    // Two visits are under way at a time, and three runs broke.
    let again: u32 = paths.iter().map(|path| asked[path] - 1).sum();
    assert!(again <= 6, "{again} pages were asked for again");
}
