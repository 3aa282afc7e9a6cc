//! What Google's log has of errors: also those of a process that died without a word.

use recrawl_core::model::finding::Finding;
use serde_json::{Value, json};

use super::{Google, not_looked_at};

/// What counts as an error is said in `infra/alerts.tf`, too: requests that are told to come again do not.
const ERRORS: &str = "(resource.type=\"cloud_run_revision\" OR resource.type=\"cloud_scheduler_job\") AND severity>=ERROR \
    AND NOT log_id(\"run.googleapis.com/requests\") AND NOT httpRequest.status=429";

/// How much is told of a line.
const SHOWN: usize = 300;

impl Google {
    /// Returns the last error of a day, if there was one.
    pub(super) async fn errors(&self) -> Finding {
        let since = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(24);
        let question = json!({
            "resourceNames": [format!("projects/{}", self.project)],
            "filter": format!("{ERRORS} AND timestamp>=\"{since}\""),
            "orderBy": "timestamp desc",
            "pageSize": 1,
        });
        match self.post(&format!("{}/v2/entries:list", self.endpoints.logging), &question).await {
            Ok(answer) => judge(&answer["entries"][0]),
            Err(refusal) => not_looked_at("log", &refusal),
        }
    }
}

fn judge(entry: &Value) -> Finding {
    if entry.is_null() {
        return Finding::ok("log", "no error for a day");
    }
    let payload = &entry["jsonPayload"];
    let words = [&payload["message"], &entry["textPayload"], &entry["protoPayload"]["status"]["message"]];
    let words = words.into_iter().find_map(Value::as_str).map_or_else(|| payload.to_string(), str::to_owned);
    let line: String = words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SHOWN).collect();
    let at = entry["timestamp"].as_str().unwrap_or("an unknown time");
    let advice =
        "`terraform output -raw errors_command` shows more; docs/DEPLOY.md, Trouble, says where to look";
    Finding::wrong("log", format!("an error at {}: {line}", at.split('.').next().unwrap_or(at)), advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Alerts and the check are not to disagree about what an error is.
    #[test]
    fn errors_are_what_the_alerts_wait_for() {
        let alerts = include_str!("../../../../infra/alerts.tf");
        let written = ERRORS.replace('"', "\\\"");
        assert!(alerts.contains(&format!("errors = \"{written}\"")), "{written}");
    }
}
