//! Subscriptions: whether they call the service, and what waits in them.

use futures_util::future::join_all;
use jiff::{SignedDuration, Timestamp};
use recrawl_core::model::finding::Finding;
use serde_json::Value;
use url::Url;

use super::{Google, Refusal, not_looked_at};
use crate::service::roughly;

/// Those that call the service.
const PUSHED: [&str; 3] = ["crawl", "archive", "tick"];

/// What is in none of the others: messages that nobody could work off.
const DEAD: [&str; 3] = ["crawl-dead", "archive-dead", "changed-pages-dead"];

/// A message is worked off within minutes; the alert of `infra/` waits for longer.
const OLD: SignedDuration = SignedDuration::from_hours(1);

/// Metrics come a few minutes late.
const LOOKED_AT: SignedDuration = SignedDuration::from_mins(15);

const TROUBLE: &str = "docs/DEPLOY.md, Trouble, says where to look";

impl Google {
    /// Looks whether each subscription is there and calls the service, whose description is needed for the latter.
    pub(super) async fn subscriptions(&self, service: Option<&Value>) -> Vec<Finding> {
        let looks = PUSHED.map(|name| {
            let (pubsub, project) = (&self.endpoints.pubsub, &self.project);
            let url = format!("{pubsub}/v1/projects/{project}/subscriptions/{name}");
            async move { (name, self.get(&url).await) }
        });
        let mut wrong = Vec::new();
        for (name, found) in join_all(looks).await {
            match found {
                Ok(subscription) => wrong.extend(fault(name, &subscription, service)),
                Err(Refusal::Absent) => wrong.push(format!("{name} is not there")),
                Err(refusal) => return vec![not_looked_at("subscriptions", &refusal)],
            }
        }
        if wrong.is_empty() {
            return vec![Finding::ok("subscriptions", format!("{} call the service", PUSHED.join(", ")))];
        }
        vec![Finding::wrong("subscriptions", wrong.join("; "), "`terraform apply` puts them right")]
    }

    /// Looks how old the oldest message is, and whether there are dead letters.
    pub(super) async fn waiting(&self) -> Vec<Finding> {
        let (ages, dead) = tokio::join!(
            self.latest("oldest_unacked_message_age", &PUSHED),
            self.latest("num_undelivered_messages", &DEAD)
        );
        vec![oldest(ages), dead_letters(dead)]
    }

    /// Returns the latest value of a metric for those of the subscriptions that have one.
    async fn latest(&self, metric: &str, names: &[&str]) -> Result<Vec<(String, i64)>, Refusal> {
        let (now, one_of) = (Timestamp::now(), names.join("\",\""));
        let filter = format!(
            "metric.type=\"pubsub.googleapis.com/subscription/{metric}\" AND \
             resource.labels.subscription_id=one_of(\"{one_of}\")"
        );
        let (since, until) = ((now - LOOKED_AT).to_string(), now.to_string());
        let base = format!("{}/v3/projects/{}/timeSeries", self.endpoints.monitoring, self.project);
        let url = Url::parse_with_params(
            &base,
            [
                ("filter", filter.as_str()),
                ("interval.startTime", since.as_str()),
                ("interval.endTime", until.as_str()),
            ],
        );
        let url = url.map_err(|error| Refusal::Failed(error.to_string()))?;
        let answer = self.get(url.as_str()).await?;
        let series = answer["timeSeries"].as_array().cloned().unwrap_or_default();
        let read = |one: Value| {
            let name = one["resource"]["labels"]["subscription_id"].as_str()?.to_owned();
            // The newest comes first; whole numbers are texts.
            let value = one["points"][0]["value"]["int64Value"].as_str()?.parse().ok()?;
            Some((name, value))
        };
        Ok(series.into_iter().filter_map(read).collect())
    }
}

/// Says what is wrong with a subscription, if anything is.
fn fault(name: &str, subscription: &Value, service: Option<&Value>) -> Option<String> {
    let endpoint = subscription["pushConfig"]["pushEndpoint"].as_str().unwrap_or_default();
    if endpoint.is_empty() {
        return Some(format!("{name} calls nobody"));
    }
    if !endpoint.ends_with(&format!("/pubsub/{name}")) {
        return Some(format!("{name} calls {endpoint}, where nobody takes it"));
    }
    if subscription["state"].as_str().is_some_and(|state| state == "RESOURCE_ERROR") {
        return Some(format!("{name} cannot deliver: its topic or its account is not as it should be"));
    }
    let urls = service.and_then(|service| service["urls"].as_array());
    let is_ours = |urls: &Vec<Value>| {
        urls.is_empty() || urls.iter().filter_map(Value::as_str).any(|url| endpoint.starts_with(url))
    };
    urls.filter(|urls| !is_ours(urls)).map(|_| format!("{name} calls {endpoint}, which is not the service"))
}

fn oldest(ages: Result<Vec<(String, i64)>, Refusal>) -> Finding {
    let ages = match ages {
        Ok(ages) => ages,
        Err(refusal) => return not_looked_at("oldest message", &refusal),
    };
    let Some((name, seconds)) = ages.into_iter().max_by_key(|(_, seconds)| *seconds) else {
        return Finding::ok("oldest message", "no message has waited lately");
    };
    let age = SignedDuration::from_secs(seconds);
    let found = format!("{} old, in {name}", roughly(age));
    if age < OLD {
        return Finding::ok("oldest message", found);
    }
    Finding::wrong(
        "oldest message",
        found,
        format!("the service fails, or the site asked for patience: {TROUBLE}"),
    )
}

fn dead_letters(dead: Result<Vec<(String, i64)>, Refusal>) -> Finding {
    let dead = match dead {
        Ok(dead) => dead,
        Err(refusal) => return not_looked_at("dead letters", &refusal),
    };
    let told: Vec<String> = dead
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| format!("{count} in {name}"))
        .collect();
    if told.is_empty() {
        return Finding::ok("dead letters", "none");
    }
    Finding::wrong(
        "dead letters",
        told.join(", "),
        format!("`terraform output -raw dead_letters_command`; {TROUBLE}"),
    )
}
