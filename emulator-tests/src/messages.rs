//! Topics and subscriptions of the Pub/Sub emulator, through its plain HTTP interface.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Client, Method};
use serde_json::{Value, json};

/// Topics that the service reads or writes, as `infra/pubsub.tf` makes them.
pub const TOPICS: [&str; 4] = ["crawl", "changed-pages", "archive", "tick"];

/// The Pub/Sub of one project.
#[derive(Debug, Clone)]
pub struct Messages {
    client: Client,
    root: String,
    project: String,
}

/// A message that was pulled.
#[derive(Debug, Clone)]
pub struct Pulled {
    /// What it says.
    pub data: String,
    /// The whole message as a push would carry it.
    pub message: Value,
    ack_id: String,
}

/// Where a subscription delivers to, and when it gives up.
#[derive(Debug, Clone, Default)]
pub struct Subscribing {
    /// The address that messages are pushed to; without one they are pulled.
    pub push: Option<String>,
    /// After how many attempts a message goes to `TOPIC-dead`.
    pub dead_after: Option<u32>,
}

impl Messages {
    /// Speaks to the emulator at this address, about this project.
    pub fn new(emulator: &str, project: &str) -> Self {
        let root = format!("{emulator}/v1/projects/{project}");
        Self { client: Client::new(), root, project: project.to_owned() }
    }

    /// Makes every topic of the service and its dead-letter topic.
    pub async fn create_topics(&self) -> Result<()> {
        for topic in TOPICS {
            self.call(Method::PUT, &format!("topics/{topic}"), &json!({})).await?;
            self.call(Method::PUT, &format!("topics/{topic}-dead"), &json!({})).await?;
        }
        Ok(())
    }

    /// Makes a subscription to a topic.
    pub async fn subscribe(&self, name: &str, topic: &str, to: &Subscribing) -> Result<()> {
        let mut body = json!({
            "topic": format!("projects/{}/topics/{topic}", self.project),
            // Shorter than in production, where 10 s is the least that makes sense.
            "retryPolicy": { "minimumBackoff": "1s", "maximumBackoff": "2s" },
            "ackDeadlineSeconds": if to.push.is_some() { 600 } else { 10 },
        });
        if let Some(push) = &to.push {
            body["pushConfig"] = json!({ "pushEndpoint": push });
        }
        if let Some(attempts) = to.dead_after {
            let dead = format!("projects/{}/topics/{topic}-dead", self.project);
            body["deadLetterPolicy"] = json!({ "deadLetterTopic": dead, "maxDeliveryAttempts": attempts });
        }
        self.call(Method::PUT, &format!("subscriptions/{name}"), &body).await?;
        Ok(())
    }

    /// Publishes a text.
    pub async fn publish(&self, topic: &str, text: &str) -> Result<()> {
        let body = json!({ "messages": [{ "data": STANDARD.encode(text) }] });
        self.call(Method::POST, &format!("topics/{topic}:publish"), &body).await?;
        Ok(())
    }

    /// Takes up to `limit` messages that wait; they come again unless they are acknowledged.
    pub async fn pull(&self, subscription: &str, limit: usize) -> Result<Vec<Pulled>> {
        let body = json!({ "maxMessages": limit, "returnImmediately": true });
        let answer = self.call(Method::POST, &format!("subscriptions/{subscription}:pull"), &body).await?;
        let received = answer["receivedMessages"].as_array().cloned().unwrap_or_default();
        received.iter().map(Pulled::read).collect()
    }

    /// Acknowledges messages.
    pub async fn acknowledge(&self, subscription: &str, pulled: &[Pulled]) -> Result<()> {
        if pulled.is_empty() {
            return Ok(());
        }
        let ids: Vec<&str> = pulled.iter().map(|one| one.ack_id.as_str()).collect();
        let path = format!("subscriptions/{subscription}:acknowledge");
        self.call(Method::POST, &path, &json!({ "ackIds": ids })).await?;
        Ok(())
    }

    /// Takes and acknowledges messages until `enough` have come or `patience` has passed.
    pub async fn collect(
        &self,
        subscription: &str,
        enough: usize,
        patience: Duration,
    ) -> Result<Vec<Pulled>> {
        let deadline = tokio::time::Instant::now() + patience;
        let mut all = Vec::new();
        loop {
            let pulled = self.pull(subscription, 1000).await?;
            self.acknowledge(subscription, &pulled).await?;
            all.extend(pulled);
            if all.len() >= enough || tokio::time::Instant::now() > deadline {
                return Ok(all);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    async fn call(&self, method: Method, path: &str, body: &Value) -> Result<Value> {
        let request = self.client.request(method, format!("{}/{path}", self.root));
        let request = request.header("content-type", "application/json").body(body.to_string());
        let answer = request.send().await.with_context(|| format!("{path} is not answered"))?;
        let (status, text) = (answer.status(), answer.text().await?);
        ensure!(status.is_success(), "{path}: {status} {text}");
        Ok(serde_json::from_str(&text).unwrap_or(Value::Null))
    }
}

impl Pulled {
    fn read(received: &Value) -> Result<Self> {
        let message = received["message"].clone();
        let data = STANDARD.decode(message["data"].as_str().unwrap_or_default())?;
        let ack_id = received["ackId"].as_str().context("a pulled message has an ackId")?.to_owned();
        Ok(Self { data: String::from_utf8(data)?, message, ack_id })
    }

    /// Returns what it says, as JSON.
    pub fn json(&self) -> Result<Value> {
        serde_json::from_str(&self.data).with_context(|| format!("not JSON: {}", self.data))
    }
}
