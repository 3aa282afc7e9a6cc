//! The emulators end with the tests, and projects do not mix.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use emulator_tests::{Emulator, Kind, fresh_project};
use google_cloud_auth::credentials::anonymous;
use google_cloud_pubsub::client::TopicAdmin;

/// Set in the copy of this test that is killed.
const VICTIM: &str = "RECRAWL_TEST_VICTIM";

fn ends_within(address: &str, limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    while TcpStream::connect(address).is_ok() {
        if Instant::now() > deadline {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
    true
}

#[test]
fn an_emulator_ends_when_it_is_dropped() {
    let emulator = Emulator::start(Kind::Pubsub).unwrap();
    let address = emulator.address().to_owned();
    drop(emulator);
    assert!(ends_within(&address, Duration::from_secs(5)));
}

#[test]
fn an_emulator_ends_when_its_test_is_killed() {
    if std::env::var_os(VICTIM).is_some() {
        let emulator = Emulator::start(Kind::Pubsub).unwrap();
        println!("address {}", emulator.address());
        thread::sleep(Duration::from_mins(10));
        return;
    }
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["an_emulator_ends_when_its_test_is_killed", "--exact", "--nocapture"])
        .env(VICTIM, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(victim.stdout.take().unwrap()).lines();
    let address =
        lines.map_while(Result::ok).find_map(|line| Some(line.split_once("address ")?.1.to_owned()));
    let address = address.unwrap();
    assert!(TcpStream::connect(&address).is_ok());
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert!(ends_within(&address, Duration::from_secs(5)));
}

#[tokio::test]
async fn projects_do_not_share_topics() {
    let admin = TopicAdmin::builder()
        .with_endpoint(Emulator::pubsub().url())
        .with_credentials(anonymous::Builder::new().build())
        .build()
        .await
        .unwrap();
    let (one, other) = (fresh_project(), fresh_project());
    admin.create_topic().set_name(format!("projects/{one}/topics/crawl")).send().await.unwrap();
    let missing = admin.get_topic().set_topic(format!("projects/{other}/topics/crawl")).send().await;
    assert!(missing.is_err(), "{missing:?}");
    admin.create_topic().set_name(format!("projects/{other}/topics/crawl")).send().await.unwrap();
}
