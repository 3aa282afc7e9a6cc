//! Signed, retried and refused.

use std::time::{Duration, Instant};

use recrawl_core::memory::MemoryStore;
use recrawl_notify::deliver;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::receiver::{Fault, Received, Receiver};
use crate::world::{digest, read, word};

const SECRET: &str = "a secret of this test";

/// Delivers to one webhook; returns what became of it.
async fn told(receiver: &Receiver) -> String {
    let table = format!("[hook]\nkind = 'webhook'\nurl = '{}'\nsecret-env = 'HOOK'", receiver.url("/hook"));
    let targets = read(&table, &[("HOOK", SECRET)]).unwrap();
    let deliveries = deliver(&targets, &digest(), &MemoryStore::default()).await;
    word(&deliveries[0].outcome)
}

/// HMAC-SHA256 as RFC 2104 writes it, beside the one that signs.
fn hmac(key: &[u8], message: &[u8]) -> String {
    let mut block = [0_u8; 64];
    block[..key.len()].copy_from_slice(key);
    let keyed = |pad: u8, text: &[u8]| {
        let mut hash = Sha256::new();
        hash.update(block.map(|byte| byte ^ pad));
        hash.update(text);
        hash.finalize()
    };
    let outer = keyed(0x5c, &keyed(0x36, message));
    let digits: Vec<String> = outer.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}

/// Returns the seconds of a signature, once it is the right one for the body.
fn signed_at(received: &Received) -> i64 {
    let signature = received.header("x-recrawl-signature");
    let (time, code) = signature.strip_prefix("t=").unwrap().split_once(",v1=").unwrap();
    assert_eq!(code, hmac(SECRET.as_bytes(), format!("{time}.{}", received.body).as_bytes()));
    time.parse().unwrap()
}

#[tokio::test]
async fn a_message_is_signed_and_says_what_changed() {
    let receiver = Receiver::start([]).await;
    assert_eq!(told(&receiver).await, "told 1");
    let [request] = &receiver.received()[..] else { panic!() };
    assert!((jiff::Timestamp::now().as_second() - signed_at(request)).abs() < 60);
    assert_eq!(request.header("content-type"), "application/json");
    assert_eq!(request.header("user-agent"), "recrawl/0 (+https://example.org/)");
    let message: Value = serde_json::from_str(&request.body).unwrap();
    assert_eq!(message["id"], request.header("idempotency-key"));
    assert_eq!((&message["site"], &message["crawl"]), (&"example.org".into(), &"crawl-2026-11-16".into()));
    assert_eq!(message["statistics"]["total"], 120);
    assert_eq!((&message["count"], &message["more"]), (&7.into(), &0.into()));
    let kinds: Vec<&str> = message["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["new", "new", "changed", "changed", "changed", "moved", "gone"]);
}

#[tokio::test]
async fn trouble_passes_and_every_attempt_is_the_same_message() {
    let receiver = Receiver::start([Fault::Status(500), Fault::Status(503)]).await;
    assert_eq!(told(&receiver).await, "told 3");
    let requests = receiver.received();
    assert_eq!(requests.len(), 3);
    for request in &requests {
        signed_at(request);
        assert_eq!(request.body, requests[0].body);
        assert_eq!(request.header("idempotency-key"), requests[0].header("idempotency-key"));
    }
}

#[tokio::test]
async fn broken_connections_and_silence_pass_too() {
    let receiver = Receiver::start([Fault::Hang]).await;
    receiver.reset(2);
    assert_eq!(told(&receiver).await, "told 4");
    assert_eq!(receiver.received().len(), 2, "one was left hanging, one taken");
}

#[tokio::test]
async fn a_retry_after_is_obeyed() {
    let receiver = Receiver::start([Fault::RetryAfter(429, "1"), Fault::RetryAfter(503, "0.2")]).await;
    let start = Instant::now();
    assert_eq!(told(&receiver).await, "told 3");
    assert!(start.elapsed() >= Duration::from_millis(1_200), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_retry_after_beyond_patience_is_left_to_the_next_call() {
    let receiver = Receiver::start([Fault::RetryAfter(429, "3600")]).await;
    assert_eq!(told(&receiver).await, "given up after 1 attempt: it answers 429");
    assert_eq!(receiver.received().len(), 1);
}

#[tokio::test]
async fn what_is_refused_is_not_tried_again() {
    for (fault, expected) in [
        (Fault::Says(400, "invalid_blocks"), "refused: it answers 400: invalid_blocks"),
        (Fault::Says(404, "no\u{1b}[31m\nsuch"), "refused: it answers 404: no\u{fffd}[31m such"),
        (Fault::Status(410), "refused: it answers 410"),
        (Fault::Redirect, "refused: it answers 302: it has moved"),
    ] {
        let receiver = Receiver::start([fault]).await;
        assert_eq!(told(&receiver).await, expected);
        assert_eq!(receiver.received().len(), 1);
    }
}

#[tokio::test]
async fn five_attempts_are_the_end_and_a_later_call_begins_anew() {
    let receiver = Receiver::start([Fault::Status(500); 5]).await;
    assert_eq!(told(&receiver).await, "given up after 5 attempts: it answers 500");
    assert_eq!(receiver.received().len(), 5);
    assert_eq!(told(&receiver).await, "told 1");
}

#[tokio::test]
async fn a_huge_crawl_fits_into_a_message_of_usual_size() {
    let receiver = Receiver::start([]).await;
    let mut many = digest();
    let page = many.changes[2].clone();
    let brief = "+x".repeat(1_900);
    many.changes = (0..2_500)
        .map(|number| {
            let mut page = page.clone();
            page.url = format!("https://example.org/{number}").parse().unwrap();
            page.difference = Some(recrawl_notify::BriefDifference { brief: brief.clone(), size: 1 });
            page
        })
        .collect();
    let targets = read(&format!("[hook]\nkind = 'webhook'\nurl = '{}'", receiver.url("/")), &[]).unwrap();
    let deliveries = deliver(&targets, &many, &MemoryStore::default()).await;
    assert_eq!(word(&deliveries[0].outcome), "told 1");
    let [request] = &receiver.received()[..] else { panic!() };
    assert!(!request.headers.contains_key("x-recrawl-signature"), "there is no secret");
    assert!(request.body.len() < 1_000_000, "{}", request.body.len());
    let message: Value = serde_json::from_str(&request.body).unwrap();
    assert_eq!(message["changes"].as_array().unwrap().len(), 1_000);
    assert_eq!((&message["count"], &message["more"]), (&2_500.into(), &1_500.into()));
    assert_eq!(message["changes"][0]["difference"], brief.as_str());
    assert_eq!(message["changes"][999]["difference"], Value::Null);
}
