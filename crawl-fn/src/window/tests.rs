use std::sync::atomic::{AtomicBool, Ordering};

use recrawl_core::model::record::{Found, FoundBy};
use recrawl_core::plan::priority::Weights;

use super::*;

/// A topic that can be out of reach.
#[derive(Default)]
struct Topic {
    published: Mutex<Vec<QueuedPage>>,
    is_down: AtomicBool,
}

#[async_trait]
impl Frontier for Topic {
    async fn queue(&self, pages: &[QueuedPage]) -> Result<(), QueueError> {
        if self.is_down.load(Ordering::Relaxed) {
            return Err(QueueError::Unavailable("down".into()));
        }
        self.published.lock().unwrap().extend_from_slice(pages);
        Ok(())
    }
}

impl Topic {
    /// Returns the paths that were published since the last time.
    fn take(&self) -> Vec<String> {
        let published = std::mem::take(&mut *self.published.lock().unwrap());
        published.iter().map(|page| page.url.path().to_owned()).collect()
    }
}

fn crawl() -> CrawlKey {
    ("news".parse().unwrap(), "crawl-2026-11-16".parse().unwrap())
}

fn page_of(host: &str, number: i64) -> QueuedPage {
    let (site, crawl) = crawl();
    let url = format!("http://{host}/{number}").parse().unwrap();
    let found = Found { by: FoundBy::Link, depth: 3, referrer: None };
    QueuedPage { site, crawl, url, found, priority: Priority(number) }
}

fn page(number: i64) -> QueuedPage {
    page_of("a.example", number)
}

fn paths(numbers: impl IntoIterator<Item = i64>) -> Vec<String> {
    numbers.into_iter().map(|number| format!("/{number}")).collect()
}

/// At a second and with this deadline, ten are on their way at a time.
fn windows() -> (Windows, Arc<Topic>) {
    let topic = Arc::<Topic>::default();
    (Windows::new(topic.clone(), Duration::from_secs(50)), topic)
}

#[tokio::test(start_paused = true)]
async fn as_many_are_published_as_soon_have_their_turn_the_best_first() {
    let (windows, topic) = windows();
    let pages: Vec<QueuedPage> = (1..=30).map(page).collect();
    windows.queue(&pages).await.unwrap();
    assert_eq!(topic.take(), paths((21..=30).rev()));
    // A better one that is found meanwhile comes before the others.
    windows.queue(&[page(99)]).await.unwrap();
    for number in [30, 29] {
        windows.done(&crawl(), &page(number).url);
        assert!(!windows.refill(&crawl()).await, "some at a time");
    }
    windows.done(&crawl(), &page(28).url);
    assert!(windows.refill(&crawl()).await);
    assert_eq!(topic.take(), paths([99, 20, 19]));
}

#[tokio::test(start_paused = true)]
async fn the_slower_a_host_the_fewer_are_published() {
    let (windows, topic) = windows();
    let planner = Arc::new(VisitPlanner::new(Weights::default(), jiff::Timestamp::UNIX_EPOCH));
    windows.guide(&crawl(), planner, Arc::new(|_| Duration::from_secs(5)));
    windows.queue(&(1..=30).map(page).collect::<Vec<_>>()).await.unwrap();
    assert_eq!(topic.take(), paths([30, 29]));
}

#[tokio::test(start_paused = true)]
async fn a_page_is_kept_once_and_by_its_shortest_way() {
    let (windows, topic) = windows();
    let gathering = windows.gather(&crawl());
    let mut near = page(1);
    (near.found.depth, near.priority) = (1, Priority(50));
    for pages in [[page(1), page(2)], [near.clone(), page(2)], [page(1), page(2)]] {
        windows.queue(&pages).await.unwrap();
    }
    drop(gathering);
    assert!(windows.refill(&crawl()).await);
    assert_eq!(*topic.published.lock().unwrap(), [near.clone(), page(2)]);
    topic.take();
    // On its way, it is published again by a shorter way only: another process may get the message.
    windows.queue(&[page(1), page(2)]).await.unwrap();
    assert_eq!(topic.take(), paths([]));
    near.found.depth = 0;
    windows.queue(&[near]).await.unwrap();
    assert_eq!(topic.take(), paths([1]));
}

#[tokio::test(start_paused = true)]
async fn what_was_taken_back_comes_again_when_it_has_its_turn() {
    let (windows, topic) = windows();
    windows.queue(&(1..=20).map(page).collect::<Vec<_>>()).await.unwrap();
    assert_eq!(topic.take(), paths((11..=20).rev()));
    // Messages that others published count, too.
    for number in 30..=40 {
        windows.arrived(&crawl(), &page(number).url, 3);
    }
    windows.take_back(page(40));
    assert!(!windows.refill(&crawl()).await);
    for number in (11..=20).chain(30..=39) {
        windows.done(&crawl(), &page(number).url);
    }
    assert!(windows.refill(&crawl()).await);
    assert_eq!(topic.take(), paths(std::iter::once(40).chain((2..=10).rev())));
}

#[tokio::test(start_paused = true)]
async fn messages_that_are_not_seen_are_taken_for_lost_and_others_published_in_their_place() {
    let (windows, topic) = windows();
    windows.queue(&(1..=15).map(page).collect::<Vec<_>>()).await.unwrap();
    assert_eq!(topic.take().len(), 10);
    let quiet = Duration::from_mins(10);
    tokio::time::advance(Duration::from_mins(9)).await;
    // Refused, they come again.
    for number in 9..=15 {
        windows.refused(&crawl(), &page(number).url);
    }
    assert!(!windows.tend(&crawl(), quiet).await);
    tokio::time::advance(Duration::from_mins(2)).await;
    assert!(windows.tend(&crawl(), quiet).await);
    assert_eq!(topic.take(), paths([5, 4, 3]));
    // Those that are lost are queued anew by the audit.
    windows.queue(&[page(8), page(15)]).await.unwrap();
    for number in 12..=15 {
        windows.done(&crawl(), &page(number).url);
    }
    windows.refill(&crawl()).await;
    assert_eq!(topic.take(), paths([8, 2, 1]));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_published_is_kept_and_whoever_queues_learns_of_it() {
    let (windows, topic) = windows();
    topic.is_down.store(true, Ordering::Relaxed);
    assert!(windows.queue(&[page(1)]).await.is_err());
    assert!(!windows.refill(&crawl()).await);
    topic.is_down.store(false, Ordering::Relaxed);
    assert!(windows.refill(&crawl()).await);
    assert_eq!(topic.take(), paths([1]));
}

#[tokio::test(start_paused = true)]
async fn all_hosts_together_have_no_more_messages_than_there_are_places() {
    let topic = Arc::<Topic>::default();
    let windows = Windows::new(topic.clone(), Duration::from_mins(10));
    let hosts: Vec<String> = (0..12).map(|host| format!("{host}.example")).collect();
    let gathering = windows.gather(&crawl());
    for host in &hosts {
        windows.queue(&(0..200).map(|number| page_of(host, number)).collect::<Vec<_>>()).await.unwrap();
    }
    drop(gathering);
    windows.refill(&crawl()).await;
    assert_eq!(topic.take().len(), MOST);
    windows.forget(&crawl());
    windows.queue(&(0..200).map(page).collect::<Vec<_>>()).await.unwrap();
    assert_eq!(topic.take().len(), 120, "a single host has as many as have their turn within two minutes");
}

#[test]
fn as_many_wait_as_have_their_turn_in_a_share_of_the_deadline() {
    for (deadline, interval, expected) in
        [(600.0, 1.0, 480), (600.0, 2.0, 240), (600.0, 10.0, 48), (600.0, 0.0, 1000), (10.0, 60.0, 1)]
    {
        let (deadline, interval) = (Duration::from_secs_f64(deadline), Duration::from_secs_f64(interval));
        assert_eq!(within(deadline, interval, 0.8), expected, "{interval:?}");
    }
}
