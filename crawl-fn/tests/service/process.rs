//! The real binary.

use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::Client;

#[tokio::test]
async fn the_binary_is_alive_without_its_dependencies_and_ends_when_told_to() {
    // Free a moment ago, so hardly anybody listens there now.
    let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (port, nobody) = (free(), format!("127.0.0.1:{}", free()));
    let mut process = Command::new(env!("CARGO_BIN_EXE_crawl-fn"))
        .env_clear()
        .env("PORT", port.to_string())
        .env("GOOGLE_CLOUD_PROJECT", "demo-process")
        .env("RECRAWL_ROOT", "http://127.0.0.1:1/")
        .env("FIRESTORE_EMULATOR_HOST", &nobody)
        .env("PUBSUB_EMULATOR_HOST", &nobody)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let client = Client::new();
    let url = format!("http://127.0.0.1:{port}/healthz");
    let began = Instant::now();
    let alive = loop {
        match client.get(&url).send().await {
            Ok(response) => break response.status().as_u16() == 200,
            Err(_) if began.elapsed() < Duration::from_secs(20) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(_) => break false,
        }
    };
    let told = Command::new("kill").args(["-TERM", &process.id().to_string()]).status().unwrap();
    let began = Instant::now();
    let ended = loop {
        match process.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if began.elapsed() > Duration::from_secs(15) => {
                process.kill().unwrap();
                break None;
            }
            None => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    };
    assert!(alive && told.success());
    assert_eq!(ended.and_then(|status| status.code()), Some(0));
}

#[test]
fn a_bad_environment_is_told_at_once() {
    let output = Command::new(env!("CARGO_BIN_EXE_crawl-fn")).env_clear().env("PORT", "x").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    for name in ["PORT", "GOOGLE_CLOUD_PROJECT", "RECRAWL_ROOT"] {
        assert!(text.contains(name), "{text}");
    }
}
