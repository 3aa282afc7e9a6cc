//! Brings messages to the service as Pub/Sub does, but as a test wants it: often, late, in disorder, cut off.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::cloud::Cloud;
use crate::messages::Pulled;

/// How messages are brought.
#[derive(Debug, Clone)]
pub struct Manner {
    /// How often each message is delivered, whatever is answered.
    pub times: usize,
    /// After how long an unanswered push is cut off and delivered anew.
    pub deadline: Duration,
    /// How long a refused message waits.
    pub backoff: Duration,
    /// How many pushes are under way at a time.
    pub at_once: usize,
    /// How many of them the service takes; the others are answered 429 in its place, as Cloud Run does.
    pub places: usize,
}

impl Default for Manner {
    fn default() -> Self {
        let (deadline, backoff) = (Duration::from_mins(10), Duration::from_millis(500));
        Self { times: 1, deadline, backoff, at_once: 100, places: 550 }
    }
}

/// What was seen while messages were brought.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Brought {
    /// Pushes that were acknowledged.
    pub acknowledged: usize,
    /// Pushes that were refused, those that found no place among them.
    pub refused: usize,
    /// Pushes that were cut off.
    pub cut_off: usize,
}

impl Brought {
    /// Returns which share of the deliveries was refused.
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than seven digits")]
    pub fn share_refused(&self) -> f64 {
        self.refused as f64 / (self.acknowledged + self.refused + self.cut_off).max(1) as f64
    }
}

impl std::ops::AddAssign for Brought {
    fn add_assign(&mut self, other: Self) {
        self.acknowledged += other.acknowledged;
        self.refused += other.refused;
        self.cut_off += other.cut_off;
    }
}

/// Brings every message of topic `crawl` until none has come and none is under way for two seconds.
///
/// `drops` tells of a message whether it is lost on the way.
pub async fn bring_all(cloud: &Cloud, manner: &Manner, drops: impl Fn(&Pulled) -> bool) -> Result<Brought> {
    let client = Client::new();
    let endpoint = cloud.service.at("/pubsub/crawl");
    let mut waiting: Vec<(Instant, Value)> = Vec::new();
    let mut under_way = JoinSet::new();
    let places = Arc::new(Semaphore::new(manner.places));
    let mut brought = Brought::default();
    let mut quiet_since = Instant::now();
    while quiet_since.elapsed() < Duration::from_secs(2) || !under_way.is_empty() || !waiting.is_empty() {
        let pulled = cloud.messages.pull("crawl", 1000).await?;
        cloud.messages.acknowledge("crawl", &pulled).await?;
        for message in pulled.iter().filter(|message| !drops(message)) {
            for _ in 0..manner.times {
                waiting.push((Instant::now(), message.message.clone()));
            }
        }
        // The newest first, and copies apart: an order that Pub/Sub may choose as well.
        waiting.sort_by_key(|(due, message)| (*due, message["messageId"].as_str().map(str::len)));
        while under_way.len() < manner.at_once
            && let Some(index) = waiting.iter().rposition(|(due, _)| *due <= Instant::now())
        {
            let (_, message) = waiting.remove(index);
            let (client, endpoint, deadline) = (client.clone(), endpoint.clone(), manner.deadline);
            let place = places.clone().try_acquire_owned();
            under_way.spawn(async move {
                let answer = match place {
                    Ok(_place) => push(&client, &endpoint, &message, deadline).await,
                    Err(_) => Answer::Refused,
                };
                (message, answer)
            });
            quiet_since = Instant::now();
        }
        if under_way.is_empty() {
            sleep(Duration::from_millis(50)).await;
            continue;
        }
        let finished = tokio::time::timeout(Duration::from_millis(50), under_way.join_next()).await;
        if let Ok(Some(finished)) = finished {
            let (message, answer) = finished?;
            quiet_since = Instant::now();
            match answer {
                Answer::Acknowledged => brought.acknowledged += 1,
                Answer::Refused => {
                    brought.refused += 1;
                    waiting.push((Instant::now() + manner.backoff, message));
                }
                Answer::CutOff => {
                    brought.cut_off += 1;
                    waiting.push((Instant::now() + manner.backoff, message));
                }
            }
        }
    }
    Ok(brought)
}

enum Answer {
    Acknowledged,
    Refused,
    CutOff,
}

async fn push(client: &Client, endpoint: &str, message: &Value, deadline: Duration) -> Answer {
    let body = json!({ "subscription": "projects/demo/subscriptions/crawl", "message": message });
    let request = client.post(endpoint).header("content-type", "application/json").body(body.to_string());
    match tokio::time::timeout(deadline, request.send()).await {
        Ok(Ok(answer)) if answer.status().is_success() => Answer::Acknowledged,
        Ok(_) => Answer::Refused,
        Err(_) => Answer::CutOff,
    }
}
