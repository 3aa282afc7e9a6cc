//! A damaged file: a crawl of it ends, and says what is wrong.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod world;

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::model::crawl::{Closed, Ending};
use recrawl_core::model::policy::CrawlPolicy;
use recrawl_engine::{Ended, Event, Observer};
use recrawl_store_sqlite::{Value, query};
use recrawl_testkit::contract::samples::policy;

use self::world::{World, ports};

/// Remembers what a run warned of, and how often pages were missing.
#[derive(Default)]
struct Listener(Mutex<(Vec<String>, usize)>);

impl Observer for Listener {
    fn on(&self, event: Event<'_>) {
        let mut seen = self.0.lock().unwrap();
        match event {
            Event::Warning(warning) => seen.0.push(warning),
            Event::Audited(_) => {
                seen.1 += 1;
                assert!(seen.1 < 10, "the same pages are missing again and again");
            }
            _ => {}
        }
    }
}

async fn crawl(world: &World) -> (Closed, Vec<String>) {
    let (store, listener) = (world.store(), Arc::new(Listener::default()));
    let (fetcher, robots) = world.web(&store, PaceSettings::unlimited());
    let policy = CrawlPolicy { archive: ArchivePolicy::Never, ..policy() };
    let runner = world.runner(&store, ports(&store, fetcher, robots), policy, listener.clone()).await;
    let ended = runner.run().await.unwrap();
    let Ended::Closed(closed) = ended else { panic!("{ended:?}") };
    let (warnings, _) = std::mem::take(&mut *listener.0.lock().unwrap());
    (*closed, warnings)
}

fn number_of(file: &Path, url: &str) -> u8 {
    let rows = query(file, &format!("SELECT id FROM url WHERE url = '{url}'")).unwrap().rows;
    let [Value::Integer(number)] = rows[0][..] else { panic!("{rows:?}") };
    number.try_into().unwrap()
}

/// Damages the index of addresses: it finds the number of `other` for `url`.
fn exchange(file: &Path, url: &str, other: &str) {
    let (number, wrong) = (number_of(file, url), number_of(file, other));
    let mut bytes = fs::read(file).unwrap();
    // In the index the number stands behind the address, in the table before it.
    let entry = [url.as_bytes(), &[number]].concat();
    let places: Vec<usize> = bytes
        .windows(entry.len())
        .enumerate()
        .filter(|(_, window)| *window == entry)
        .map(|(at, _)| at)
        .collect();
    for place in places {
        bytes[place + url.len()] = wrong;
    }
    fs::write(file, bytes).unwrap();
    assert_eq!(number_of(file, url), wrong);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_a_damaged_index_hides_do_not_keep_a_crawl_from_ending() {
    let paths: Vec<String> = (10..30).map(|page| format!("/{page}")).collect();
    let world = World::new(&paths, Timestamp::now).await;
    let (closed, warnings) = crawl(&world).await;
    assert_eq!((closed.ending, warnings), (Ending::Complete, vec![]));
    let hidden = world.server.at("/17");
    exchange(&world.path, hidden.as_str(), world.server.at("/23").as_str());
    let (closed, warnings) = crawl(&world).await;
    assert_eq!(closed.ending, Ending::Partial("1 of the pages could not be recorded".to_owned()));
    let warning = format!("{hidden} cannot be recorded: the store may be damaged, and `recrawl check` tells");
    assert_eq!(warnings, [warning]);
}
