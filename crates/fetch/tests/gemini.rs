//! Capsules are asked over Gemini, within limits, and known by their certificates.

#![expect(clippy::unwrap_used, reason = "a test that fails panics with what came instead")]

use std::sync::Arc;
use std::time::Duration;

use recrawl_core::decide::answer::{Answer, GeminiStatus};
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::http_settings::HttpSettings;
use recrawl_core::ports::{Request, Response, StateKey, StateStore};
use recrawl_core::url::PageUrl;
use recrawl_fetch::{AddressGuard, Exchange, Transport, TransportError, Transports};
use recrawl_testkit::capsule::{Capsule, Fault, Reply};
use tokio::task::JoinSet;
use tokio::time::timeout;

const LIMIT: usize = 64 << 10;

fn settings() -> HttpSettings {
    HttpSettings {
        connect_time_out: Duration::from_secs(1),
        read_time_out: Duration::from_secs(1),
        total_time_out: Duration::from_secs(2),
        body_limit: LIMIT,
        ..HttpSettings::new("recrawl-test/1")
    }
}

fn fetcher_for(root: &PageUrl) -> Transports {
    Transports::new(settings(), AddressGuard::for_root(root)).unwrap()
}

fn fetcher(capsule: &Capsule) -> Transports {
    fetcher_for(&capsule.at("/"))
}

async fn get(fetcher: &Transports, url: &PageUrl) -> Result<Response, TransportError> {
    fetcher.exchange(Request::get(url)).await.map(|exchange| exchange.response)
}

async fn failure(fetcher: &Transports, url: &PageUrl) -> String {
    get(fetcher, url).await.unwrap_err().to_string()
}

#[tokio::test]
async fn a_request_is_one_line_and_an_answer_a_line_and_a_body() {
    let capsule = Capsule::start();
    capsule
        .page("/a?b=c", "# Title\n")
        .page("/", Reply::raw("20\r\n"))
        .page("/long", Reply::content("text/plain", vec![b'x'; LIMIT]));
    let fetcher = fetcher(&capsule);
    let response = get(&fetcher, &capsule.at("/a?b=c")).await.unwrap();
    assert_eq!(
        (response.answer, response.status, response.body.as_slice()),
        (Answer::Content, 200, &b"# Title\n"[..])
    );
    assert_eq!(response.headers.content_type.as_deref(), Some("text/gemini"));
    assert_eq!((response.truncated, response.received_bytes), (false, 24));
    assert_eq!(capsule.log()[0].line, capsule.at("/a?b=c").as_str());
    let default = get(&fetcher, &capsule.at("/")).await.unwrap();
    assert_eq!(default.headers.content_type.as_deref(), Some("text/gemini; charset=utf-8"));
    let long = get(&fetcher, &capsule.at("/long")).await.unwrap();
    assert_eq!((long.body.len(), long.truncated), (LIMIT, false));
}

#[tokio::test]
async fn each_status_is_an_answer_of_its_own() {
    let capsule = Capsule::start();
    let fetcher = fetcher(&capsule);
    for (line, answer, status) in [
        ("30 /new", Answer::Redirect, 302),
        ("31 ../other", Answer::Redirect, 301),
        ("40 later", Answer::Trouble, 500),
        ("44 60", Answer::Trouble, 429),
        ("51 no", Answer::Absent { for_good: false }, 404),
        ("52 no", Answer::Absent { for_good: true }, 410),
        ("59 what?", Answer::Denied, 400),
    ] {
        capsule.page("/a", Reply::status(line));
        let url = capsule.at("/a");
        let Exchange { response, retry_after, .. } = fetcher.exchange(Request::get(&url)).await.unwrap();
        assert_eq!((response.answer, response.status), (answer, status), "{line}");
        let location = (answer == Answer::Redirect).then(|| line[3..].to_owned());
        assert_eq!(response.headers.location, location, "{line}");
        assert_eq!(retry_after, (status == 429).then(|| Duration::from_mins(1)), "{line}");
        assert_eq!(response.said(), format!("{}", GeminiStatus::new(line[..2].parse().unwrap()).unwrap()));
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_is_no_answer() {
    let capsule = Capsule::start();
    capsule.page("/a", Reply::content("text/gemini", "half a page").cut());
    let fetcher = fetcher(&capsule);
    assert!(failure(&fetcher, &capsule.at("/a")).await.contains("without close_notify"));
}

#[tokio::test]
async fn a_body_is_read_up_to_its_limit() {
    let capsule = Capsule::start();
    capsule.page("/a", Reply::content("text/plain", "x".repeat(1_000)).endless());
    let fetcher = fetcher(&capsule);
    let response = get(&fetcher, &capsule.at("/a")).await.unwrap();
    assert_eq!((response.body.len(), response.truncated), (LIMIT, true));
    let url = capsule.at("/a");
    let short = Request { body_limit: Some(5), ..Request::get(&url) };
    assert_eq!(fetcher.exchange(short).await.unwrap().response.body, b"xxxxx");
}

#[tokio::test]
async fn a_certificate_is_believed_at_first_and_another_when_that_has_expired() {
    let capsule = Capsule::start();
    capsule.page("/", "# Title").change_certificate(2020);
    let (url, memory) = (capsule.at("/"), Arc::new(MemoryStore::default()));
    let fresh = || {
        let fetcher = fetcher(&capsule);
        let memory: Arc<dyn StateStore> = memory.clone();
        fetcher.remember_in(&memory);
        fetcher
    };
    get(&fresh(), &url).await.unwrap();
    capsule.change_certificate(2080);
    get(&fresh(), &url).await.unwrap();
    capsule.clear_log();
    capsule.change_certificate(2090);
    for _ in 0..2 {
        let fetcher = fresh();
        let error = get(&fetcher, &url).await.unwrap_err();
        assert!(matches!(error, TransportError::Refused(_)), "{error:?}");
        let said = error.to_string();
        assert!(
            said.contains("changed before it expires") && said.contains("valid until 2080-01-01"),
            "{said}"
        );
    }
    assert!(capsule.log().is_empty(), "nothing is asked of a server that may be another one");
    memory.delete_state(&StateKey::pinned_certificate(&url.host_key())).await.unwrap();
    get(&fresh(), &url).await.unwrap();
}

#[tokio::test]
async fn a_capsule_elsewhere_does_not_lead_inside() {
    let capsule = Capsule::start();
    capsule.page("/", "# Title");
    let root = "gemini://capsule.example/".parse().unwrap();
    let fetcher = fetcher_for(&root);
    let refused = get(&fetcher, &capsule.at("/")).await.unwrap_err();
    assert!(matches!(refused, TransportError::Refused(_)), "{refused:?}");
    let web: PageUrl = format!("http://{}/", capsule.address()).parse().unwrap();
    let named_for_another_port = fetcher_for(&"gemini://127.0.0.1/".parse().unwrap());
    assert!(matches!(get(&named_for_another_port, &capsule.at("/")).await, Err(TransportError::Refused(_))));
    assert_eq!(web.host_key(), capsule.at("/").host_key(), "one server has one pace");
    assert!(capsule.log().is_empty());
}

#[tokio::test]
async fn nobody_listens_where_nobody_listens() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url: PageUrl = format!("gemini://{}/", closed.local_addr().unwrap()).parse().unwrap();
    drop(closed);
    let fetcher = fetcher_for(&url);
    assert!(matches!(get(&fetcher, &url).await, Err(TransportError::Unreachable { .. })));
}

/// Numbers that look drawn, and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.roll(most)).map(|_| u8::try_from(self.roll(256)).unwrap()).collect()
    }
}

/// Sets up one hostile capsule.
fn hostile(number: u64) -> Capsule {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ (number + 1) << 20);
    let capsule = Capsule::start();
    let status = dice.roll(120);
    let meta = dice.bytes(3_000);
    let line = [format!("{status} ").as_bytes(), &meta, b"\r\n"].concat();
    let body = dice.bytes(3_000);
    let reply = match number % 10 {
        0 => Reply::raw(meta),
        1 => Reply::raw([line, body].concat()),
        2 => Reply::raw([b"20 text/gemini\r\n".to_vec(), body].concat()).endless(),
        3 => Reply::content("text/gemini", body).cut(),
        4 => Reply::raw(b"20 text/gem".to_vec()).stalling(),
        5 => Reply::content("text/gemini", body).stalling(),
        6 => Reply::raw(vec![b'2'; dice.roll(200_000)]).endless(),
        7 => Reply::raw(format!("{status}\n{status}\r\r\n\0")),
        8 => {
            let half_of_tls = [b"\x16\x03\x03\x7f\xff\x02".to_vec(), body].concat();
            capsule.fault(Some(Fault::Bytes(half_of_tls)));
            Reply::raw("")
        }
        _ => {
            capsule.fault(Some(if number % 20 == 9 { Fault::Silence } else { Fault::Bytes(body) }));
            Reply::raw("")
        }
    };
    capsule.page("/", reply);
    capsule
}

#[tokio::test]
async fn two_hundred_hostile_answers_stay_within_limits() {
    let (mut answered, mut failed) = (0, 0);
    for begin in (0..200).step_by(25) {
        let mut asking = JoinSet::new();
        for number in begin..begin + 25 {
            asking.spawn(async move {
                let capsule = hostile(number);
                let fetcher = fetcher(&capsule);
                let outcome = timeout(Duration::from_mins(1), get(&fetcher, &capsule.at("/"))).await;
                let outcome = outcome.unwrap_or_else(|_| panic!("answer {number} has no end"));
                if let Ok(response) = &outcome {
                    assert!(response.body.len() <= LIMIT, "answer {number}");
                    assert!((200..600).contains(&response.status), "answer {number}");
                    let kept = [&response.headers.content_type, &response.headers.location];
                    assert!(kept.into_iter().flatten().all(|meta| meta.len() <= 3 * 1024), "answer {number}");
                }
                outcome.is_ok()
            });
        }
        for is_answered in asking.join_all().await {
            *(if is_answered { &mut answered } else { &mut failed }) += 1;
        }
    }
    assert_eq!(answered + failed, 200);
    assert!(answered >= 20 && failed >= 80, "{answered} answered, {failed} failed");
}
