use std::collections::VecDeque;
use std::sync::{Mutex, OnceLock};

use recrawl_core::decide::answer::Answer;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::record::Headers;
use recrawl_core::ports::{BodyMemory, StateEntry};
use recrawl_core::url::PageUrl;
use tokio::task::JoinHandle;
use tokio::time::{advance, sleep, timeout};

use super::*;

/// Answers after `takes` with the next planned outcome, or with 200; notes when each request started.
#[derive(Default)]
struct Planned {
    epoch: OnceLock<Instant>,
    takes: Duration,
    connects: Duration,
    waits_for_memory: Duration,
    has_only_http: bool,
    /// How much later than others requests reach the server.
    late: Mutex<VecDeque<Duration>>,
    outcomes: Mutex<VecDeque<Outcome>>,
    starts: Mutex<Vec<(String, Duration)>>,
    under_way: Mutex<(u32, u32)>,
}

type Outcome = Result<Exchange, TransportError>;

#[expect(clippy::unnecessary_wraps, reason = "it is one of several outcomes")]
fn answer(status: u16, retry_after: Option<u64>) -> Outcome {
    let response = Response {
        status_in_words: None,
        answer: Answer::of(status),
        status,
        headers: Headers::default(),
        body: Vec::new(),
        truncated: false,
        fetched_at: Timestamp::UNIX_EPOCH,
        fetch_ms: 0,
        received_bytes: 0,
        fresh_until: None,
        memory: BodyMemory::default(),
    };
    let retry_after = retry_after.map(Duration::from_secs);
    Ok(Exchange { response, retry_after, connected_at: None, sent_at: None, answered_at: None })
}

fn broken() -> Outcome {
    Err(TransportError::Broken { reason: "reset".to_owned(), source: None })
}

struct UnderWay<'a>(&'a Mutex<(u32, u32)>);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.lock().unwrap().0 -= 1;
    }
}

impl Transport for Arc<Planned> {
    async fn exchange(&self, request: Request<'_>) -> Result<Exchange, TransportError> {
        let since = now().duration_since(*self.epoch.get().unwrap());
        self.starts.lock().unwrap().push((request.url.path().to_owned(), since));
        {
            let mut under_way = self.under_way.lock().unwrap();
            under_way.0 += 1;
            under_way.1 = under_way.1.max(under_way.0);
        }
        let _under_way = UnderWay(&self.under_way);
        sleep(self.waits_for_memory).await;
        let sent_at = Some(now());
        if self.has_only_http && request.url.scheme() == "https" {
            return Err(TransportError::Unreachable { reason: "refused".to_owned(), source: None });
        }
        sleep(self.connects).await;
        let connected_at = (!self.connects.is_zero()).then(now);
        sleep(self.takes).await;
        let late = self.late.lock().unwrap().pop_front();
        sleep(late.unwrap_or_default()).await;
        let outcome = self.outcomes.lock().unwrap().pop_front();
        let mut exchange = outcome.unwrap_or_else(|| answer(200, None))?;
        exchange.connected_at = connected_at;
        (exchange.sent_at, exchange.answered_at) = (sent_at, Some(now()));
        Ok(exchange)
    }

    fn remember_in(&self, _: &Arc<dyn StateStore>) {}
}

fn polite(planned: Planned, settings: PaceSettings) -> (Arc<Polite<Arc<Planned>>>, Arc<Planned>) {
    planned.epoch.set(now()).unwrap();
    let planned = Arc::new(planned);
    (Arc::new(Polite::new(Arc::clone(&planned), settings)), planned)
}

fn page(path: &str) -> PageUrl {
    format!("http://a.example{path}").parse().unwrap()
}

fn key() -> HostKey {
    page("/").host_key()
}

type Fetching = JoinHandle<Result<Response, FetchError>>;

/// Starts a call for each path, in this order.
async fn call(polite: &Arc<Polite<Arc<Planned>>>, paths: &[&str]) -> Vec<Fetching> {
    let mut calls = Vec::new();
    for path in paths {
        let (polite, page) = (Arc::clone(polite), page(path));
        calls.push(tokio::spawn(async move { polite.fetch(Request::get(&page)).await }));
        tokio::task::yield_now().await;
    }
    calls
}

async fn finish(calls: Vec<Fetching>) {
    for call in calls {
        call.await.unwrap().unwrap();
    }
}

/// Returns the path and the start in milliseconds of every request.
fn starts(planned: &Planned) -> Vec<(String, u128)> {
    let starts = planned.starts.lock().unwrap();
    starts.iter().map(|(path, start)| (path.clone(), start.as_millis())).collect()
}

fn at(path: &str, start: u128) -> (String, u128) {
    (path.to_owned(), start)
}

#[tokio::test(start_paused = true)]
async fn turns_come_in_order_with_the_delay_between_starts() {
    let takes = Duration::from_millis(300);
    let (polite, planned) = polite(Planned { takes, ..Planned::default() }, PaceSettings::default());
    finish(call(&polite, &["/a", "/b", "/c"]).await).await;
    assert_eq!(starts(&planned), [at("/a", 0), at("/b", 1015), at("/c", 2030)]);
}

#[tokio::test(start_paused = true)]
async fn two_sites_on_one_host_share_its_turns_and_each_keeps_its_delay() {
    let (one, planned) = polite(Planned::default(), PaceSettings::default());
    let calm = PaceSettings { delay: Duration::from_secs(3), ..PaceSettings::default() };
    let other = Arc::new(one.beside(|same| Ok::<_, FetchError>(Arc::clone(same)), calm).unwrap());
    let mut calls = call(&one, &["/a"]).await;
    calls.extend(call(&other, &["/calm"]).await);
    calls.extend(call(&one, &["/b", "/c"]).await);
    finish(calls).await;
    let starts = starts(&planned);
    let paths: Vec<&str> = starts.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["/a", "/calm", "/b", "/c"], "in the order in which they came");
    for (pair, delay) in starts.windows(2).zip([3_000, 1_000, 1_000]) {
        assert!((delay..delay + 100).contains(&(pair[1].1 - pair[0].1)), "{starts:?}");
    }
    // Who is stopped is stopped for all.
    one.stop();
    assert!(matches!(other.fetch(Request::get(&page("/x"))).await, Err(FetchError::Stopped)));
}

#[tokio::test(start_paused = true)]
async fn a_site_that_may_ask_oftener_at_a_time_does_not_where_another_came_first() {
    let takes = Duration::from_secs(1);
    let quick = |parallel| PaceSettings { delay: Duration::ZERO, parallel, ..PaceSettings::default() };
    for (first, then) in [(1, 8), (8, 1)] {
        let (one, planned) = polite(Planned { takes, ..Planned::default() }, quick(first));
        let other = Arc::new(one.beside(|same| Ok::<_, FetchError>(Arc::clone(same)), quick(then)).unwrap());
        finish(call(&one, &["/a"]).await).await;
        finish(call(&other, &["/b", "/c", "/d"]).await).await;
        assert_eq!(planned.under_way.lock().unwrap().1, 1, "{first} and {then}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_delay_counts_from_when_the_connection_was_ready() {
    let connects = Duration::from_millis(200);
    let (polite, planned) = polite(Planned { connects, ..Planned::default() }, PaceSettings::default());
    finish(call(&polite, &["/a", "/b"]).await).await;
    assert_eq!(starts(&planned), [at("/a", 0), at("/b", 1215)]);
}

#[tokio::test(start_paused = true)]
async fn the_delay_counts_from_when_there_was_memory_for_the_answer() {
    let planned = Planned { waits_for_memory: Duration::from_secs(2), ..Planned::default() };
    let (polite, planned) = polite(planned, PaceSettings::default());
    finish(call(&polite, &["/a", "/b"]).await).await;
    assert_eq!(starts(&planned), [at("/a", 0), at("/b", 3015)]);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_reached_the_server_late_moves_the_next() {
    let late = [0, 0, 130, 0].map(Duration::from_millis);
    let takes = Duration::from_millis(40);
    let planned = Planned { takes, late: Mutex::new(late.into()), ..Planned::default() };
    let (polite, planned) = polite(planned, PaceSettings::default());
    finish(call(&polite, &["/a", "/b", "/late", "/c", "/d"]).await).await;
    // By the clock of the server, which sees the third at 2160.
    let expected = [at("/a", 0), at("/b", 1015), at("/late", 2030), at("/c", 3175), at("/d", 4190)];
    assert_eq!(starts(&planned), expected);
}

#[tokio::test(start_paused = true)]
async fn an_https_link_to_a_host_that_has_only_http_holds_up_nobody_else() {
    let https: PageUrl = "https://a.example/https".parse().unwrap();
    let planned = Planned { has_only_http: true, ..Planned::default() };
    let (polite, planned) = polite(planned, PaceSettings::default());
    finish(call(&polite, &["/first"]).await).await;
    let link = {
        let (polite, https) = (Arc::clone(&polite), https.clone());
        tokio::spawn(async move {
            for _ in 0..6 {
                polite.fetch(Request::get(&https)).await.unwrap_err();
            }
        })
    };
    while starts(&planned).len() < 2 {
        sleep(Duration::from_millis(100)).await;
    }
    // It is tried three times, 3 and 6 s apart; meanwhile everything else goes on.
    let (began, mut others) = (now(), 0);
    while !link.is_finished() {
        polite.fetch(Request::get(&page("/other"))).await.unwrap();
        others += 1;
    }
    let took = now() - began;
    assert!(took < Duration::from_secs(15) && others >= 8, "{others} other pages in {took:?}");
    assert_eq!(starts(&planned).iter().filter(|(path, _)| path == "/https").count(), 3);
    let error = timeout(Duration::ZERO, polite.fetch(Request::get(&https))).await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "no answer: a.example answers, but not by https");
    assert_eq!((polite.host_failures(&key()), polite.paused_until(&key())), (0, None));
}

#[tokio::test(start_paused = true)]
async fn a_slow_server_is_asked_one_thing_at_a_time() {
    let takes = Duration::from_secs(5);
    let (polite, planned) = polite(Planned { takes, ..Planned::default() }, PaceSettings::default());
    finish(call(&polite, &["/a", "/b"]).await).await;
    assert_eq!(starts(&planned), [at("/a", 0), at("/b", 5000)]);
}

#[tokio::test(start_paused = true)]
async fn other_hosts_do_not_wait() {
    let (polite, planned) = polite(Planned::default(), PaceSettings::default());
    let calls = call(&polite, &["/a"]).await;
    let other: PageUrl = "http://b.example/other".parse().unwrap();
    polite.fetch(Request::get(&other)).await.unwrap();
    finish(calls).await;
    assert_eq!(starts(&planned), [at("/a", 0), at("/other", 0)]);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_waiter_gives_up_its_place_and_nothing_else() {
    let (polite, planned) = polite(Planned::default(), PaceSettings::default());
    let mut calls = call(&polite, &["/a", "/b", "/c", "/d"]).await;
    sleep(Duration::from_millis(500)).await;
    // `/b` sleeps until its permit, `/c` waits behind it.
    calls.remove(2).abort();
    calls.remove(1).abort();
    finish(calls).await;
    assert_eq!(starts(&planned), [at("/a", 0), at("/d", 1015)]);
}

#[tokio::test(start_paused = true)]
async fn a_request_dropped_under_way_keeps_the_delay_and_frees_the_host() {
    let takes = Duration::from_hours(1);
    let (polite, planned) = polite(Planned { takes, ..Planned::default() }, PaceSettings::default());
    let calls = call(&polite, &["/a", "/b"]).await;
    sleep(Duration::from_millis(10)).await;
    calls[0].abort();
    sleep(Duration::from_secs(3)).await;
    assert_eq!(starts(&planned), [at("/a", 0), at("/b", 1015)]);
}

#[tokio::test(start_paused = true)]
async fn parallel_requests_are_counted_and_end_with_a_crawl_delay() {
    for parallel in [1, 3, 8] {
        let takes = Duration::from_millis(100);
        let settings = PaceSettings { parallel, ..PaceSettings::unlimited() };
        let (polite, planned) = polite(Planned { takes, ..Planned::default() }, settings);
        let calls = call(&polite, &["/"; 20]).await;
        finish(calls).await;
        assert_eq!(*planned.under_way.lock().unwrap(), (0, parallel));
        polite.set_crawl_delay(&key(), Some(Duration::ZERO));
        planned.under_way.lock().unwrap().1 = 0;
        finish(call(&polite, &["/"; 20]).await).await;
        assert_eq!(*planned.under_way.lock().unwrap(), (0, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_crawl_delay_holds_also_for_those_who_wait_already() {
    let takes = Duration::from_millis(100);
    let settings = PaceSettings { parallel: 2, ..PaceSettings::unlimited() };
    let (polite, planned) = polite(Planned { takes, ..Planned::default() }, settings);
    let calls = call(&polite, &["/a", "/b", "/c", "/d"]).await;
    sleep(Duration::from_millis(1)).await;
    polite.set_crawl_delay(&key(), Some(Duration::from_secs(2)));
    finish(calls).await;
    assert_eq!(starts(&planned), [at("/a", 0), at("/b", 0), at("/c", 2030), at("/d", 4060)]);
}

#[tokio::test(start_paused = true)]
async fn a_nested_request_has_its_delay_but_waits_for_no_other_to_end() {
    let takes = Duration::from_hours(1);
    let (polite, planned) = polite(Planned { takes, ..Planned::default() }, PaceSettings::default());
    let calls = call(&polite, &["/a", "/b"]).await;
    let asked = page("/nested");
    let request = Request { nested: true, ..Request::get(&asked) };
    polite.fetch(request).await.unwrap();
    assert_eq!(starts(&planned), [at("/a", 0), at("/nested", 1015), at("/b", 3_600_000)]);
    drop(calls);
}

#[tokio::test(start_paused = true)]
async fn trouble_pauses_the_host_longer_and_longer_until_it_answers() {
    let outcomes = [answer(500, None), broken(), answer(429, None), answer(404, None), answer(504, None)];
    let planned = Planned { outcomes: Mutex::new(outcomes.into()), ..Planned::default() };
    let (polite, planned) = polite(planned, PaceSettings::unlimited());
    let mut failures = Vec::new();
    for path in ["/a", "/b", "/c", "/d", "/e", "/f"] {
        let _ = polite.fetch(Request::get(&page(path))).await;
        failures.push(polite.host_failures(&key()));
    }
    assert_eq!(failures, [1, 2, 3, 0, 1, 0]);
    let expected = [at("/a", 0), at("/b", 3_000), at("/c", 9_000), at("/d", 18_000), at("/e", 18_000)];
    assert_eq!(starts(&planned)[..5], expected);
    assert_eq!(starts(&planned)[5], at("/f", 21_000));
}

#[tokio::test(start_paused = true)]
async fn a_host_that_is_asked_too_much_gets_one_request_a_second_from_then_on() {
    for (status, later) in
        [(429, [3_000, 4_015, 5_030]), (503, [3_000, 4_015, 5_030]), (500, [3_000, 3_255, 3_510])]
    {
        let outcomes = [answer(200, None), answer(status, None)];
        let takes = Duration::from_millis(100);
        let planned = Planned { outcomes: Mutex::new(outcomes.into()), takes, ..Planned::default() };
        let settings = PaceSettings {
            delay: Duration::from_millis(250),
            parallel: 8,
            slowed_delay: Duration::from_secs(1),
            ..PaceSettings::default()
        };
        let (polite, planned) = polite(planned, settings);
        finish(call(&polite, &["/"; 5]).await).await;
        let starts: Vec<u128> = starts(&planned).into_iter().map(|(_, start)| start).collect();
        assert_eq!(starts[..2], [0, 255]);
        // The pause begins with the answer, 100 ms after the request.
        assert_eq!(starts[2..], later.map(|start| start + 355), "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_waiter_waits_while_the_host_is_left_alone() {
    let planned = Planned { outcomes: Mutex::new([answer(503, Some(60))].into()), ..Planned::default() };
    let (polite, planned) = polite(planned, PaceSettings::default());
    finish(call(&polite, &["/a", "/b", "/c"]).await).await;
    assert_eq!(starts(&planned), [at("/a", 0), at("/b", 60_000), at("/c", 61_015)]);
}

#[tokio::test(start_paused = true)]
async fn whatever_the_page_is_asked_for_again_after_pauses_its_host_and_may_name_the_time() {
    let cases = [
        (200, 0, 0),
        (301, 0, 0),
        (404, 0, 0),
        (429, 3, 7),
        (500, 3, 7),
        (503, 3, 7),
        (505, 0, 0),
        (519, 0, 0),
        (520, 3, 7),
        (521, 3, 7),
        (524, 3, 7),
        (527, 3, 7),
        (528, 0, 0),
    ];
    let answers = cases.map(|(status, by_itself, _)| (status, None, by_itself));
    let answers = answers.into_iter().chain(cases.map(|(status, _, named)| (status, Some(7), named)));
    for (status, retry_after, pause) in answers {
        let planned =
            Planned { outcomes: Mutex::new([answer(status, retry_after)].into()), ..Planned::default() };
        let (polite, _) = polite(planned, PaceSettings::unlimited());
        polite.fetch(Request::get(&page("/"))).await.unwrap();
        let began = now();
        polite.fetch(Request::get(&page("/"))).await.unwrap();
        assert_eq!((now() - began).as_secs(), pause, "{status} {retry_after:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_that_wants_to_be_left_alone_for_long_is_not_waited_for() {
    let planned = Planned { outcomes: Mutex::new([answer(429, Some(7200))].into()), ..Planned::default() };
    let (polite, planned) = polite(planned, PaceSettings::default());
    let mut calls = call(&polite, &["/a", "/b", "/c"]).await.into_iter();
    assert_eq!(calls.next().unwrap().await.unwrap().unwrap().status, 429);
    let until = polite.paused_until(&key()).unwrap();
    for call in calls {
        let error = timeout(Duration::from_secs(5), call).await.unwrap().unwrap().unwrap_err();
        let FetchError::Paused { host, until: told } = error else { panic!("{error}") };
        assert_eq!(host, key());
        assert!(told.duration_since(until).abs() < SignedDuration::from_secs(5));
    }
    let ahead = until.duration_since(Timestamp::now());
    assert!(ahead > SignedDuration::from_secs(7100) && ahead <= SignedDuration::from_secs(7201));
    advance(Duration::from_hours(2)).await;
    assert_eq!(polite.paused_until(&key()), None);
    polite.fetch(Request::get(&page("/d"))).await.unwrap();
    assert_eq!(starts(&planned).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_was_not_asked_or_not_understood_does_not_blame_the_host() {
    let refused = Err(TransportError::Refused("inside".to_owned()));
    let unreadable = Err(TransportError::Unreadable { reason: "broken".to_owned(), source: None });
    let outcomes = [broken(), refused, unreadable];
    let planned = Planned { outcomes: Mutex::new(outcomes.into()), ..Planned::default() };
    let (polite, _) = polite(planned, PaceSettings::unlimited());
    let mut seen = Vec::new();
    for _ in 0..3 {
        let failed = polite.fetch(Request::get(&page("/"))).await.unwrap_err();
        seen.push((matches!(failed, FetchError::Refused(_)), polite.host_failures(&key())));
    }
    assert_eq!(seen, [(false, 1), (true, 1), (false, 0)]);
}

#[tokio::test(start_paused = true)]
async fn a_resumed_crawl_waits_a_whole_delay_first() {
    let (polite, planned) = polite(Planned::default(), PaceSettings::default());
    polite.hold_first_turn(&key());
    finish(call(&polite, &["/a"]).await).await;
    assert_eq!(starts(&planned), [at("/a", 1015)]);
}

#[tokio::test(start_paused = true)]
async fn the_delay_of_a_host_is_that_of_its_robots_txt() {
    let (polite, _) = polite(Planned::default(), PaceSettings::default());
    assert_eq!(polite.delay(&key()), Duration::from_secs(1));
    polite.set_crawl_delay(&key(), Some(Duration::from_secs(2)));
    assert_eq!(polite.delay(&key()), Duration::from_secs(2));
}

/// Makes what another process has that shares nothing but the memory.
fn with_memory(
    memory: &Arc<MemoryStore>,
    outcomes: Vec<Outcome>,
) -> (Arc<Polite<Arc<Planned>>>, Arc<Planned>) {
    let planned = Planned { outcomes: Mutex::new(outcomes.into()), ..Planned::default() };
    let (polite, planned) = polite(planned, PaceSettings::unlimited());
    polite.remember_in(memory.clone());
    (polite, planned)
}

#[tokio::test(start_paused = true)]
async fn a_host_that_wants_to_be_left_alone_for_a_week_is_not_asked_by_the_next_process() {
    let memory = Arc::default();
    let (first, _) = with_memory(&memory, vec![answer(503, Some(7 * 24 * 3_600))]);
    first.fetch(Request::get(&page("/a"))).await.unwrap();
    for _ in 0..2 {
        let (next, planned) = with_memory(&memory, Vec::new());
        let error = next.fetch(Request::get(&page("/robots.txt"))).await.unwrap_err();
        assert!(matches!(error, FetchError::Paused { .. }), "{error}");
        assert_eq!(starts(&planned), []);
        let ahead = next.left_alone_until(&key()).unwrap().duration_since(Timestamp::now());
        assert!(ahead > SignedDuration::from_hours(7 * 24 - 1), "{ahead}");
        let other: PageUrl = "http://b.example/other".parse().unwrap();
        next.fetch(Request::get(&other)).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_short_pause_is_waited_for_by_the_next_process_and_then_over() {
    let memory = Arc::default();
    let (first, _) = with_memory(&memory, vec![answer(429, Some(600))]);
    first.fetch(Request::get(&page("/a"))).await.unwrap();
    let (next, planned) = with_memory(&memory, Vec::new());
    assert!(next.recall(&key()).await.is_some() && next.left_alone_until(&key()).is_none());
    next.fetch(Request::get(&page("/b"))).await.unwrap();
    let waited = starts(&planned)[0].1;
    assert!((590_000..=600_000).contains(&waited), "{waited} ms");
    assert_eq!(next.recall(&key()).await, None);
}

#[tokio::test(start_paused = true)]
async fn long_back_offs_are_remembered_and_short_ones_are_not() {
    let saved = async |failures: usize| {
        let memory = Arc::<MemoryStore>::default();
        let (polite, _) = with_memory(&memory, (0..failures).map(|_| broken()).collect());
        for _ in 0..failures {
            let _ = polite.fetch(Request::get(&page("/"))).await;
        }
        memory.state(&Hold::key(&key())).await.unwrap().map(|memo| memo.value)
    };
    for (failures, seconds) in [(1, None), (3, None), (4, Some("15")), (5, Some("24"))] {
        assert_eq!(saved(failures).await.as_deref(), seconds, "{failures}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_in_the_memory_holds_nobody_up() {
    let memory = Arc::<MemoryStore>::default();
    let memo = StateEntry { saved_at: Timestamp::now(), value: "for ever".to_owned() };
    memory.save_state(&Hold::key(&key()), &memo).await.unwrap();
    let (polite, planned) = with_memory(&memory, Vec::new());
    polite.fetch(Request::get(&page("/a"))).await.unwrap();
    assert_eq!(starts(&planned), [at("/a", 0)]);
}
