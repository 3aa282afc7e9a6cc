//! The jobs of Cloud Scheduler.

use recrawl_core::model::finding::Finding;
use serde_json::Value;

use super::{Google, Refusal, not_looked_at};

impl Google {
    pub(super) async fn jobs(&self, region: &str) -> Vec<Finding> {
        let (scheduler, project) = (&self.endpoints.scheduler, &self.project);
        let at = |job: &str| format!("{scheduler}/v1/projects/{project}/locations/{region}/jobs/{job}");
        let (weekly, tick) = (at("weekly"), at("tick"));
        let (weekly, tick) = tokio::join!(self.get(&weekly), self.get(&tick));
        vec![judge("job weekly", weekly), judge("job tick", tick)]
    }
}

fn judge(what: &'static str, job: Result<Value, Refusal>) -> Finding {
    let job = match job {
        Ok(job) => job,
        Err(refusal) => return not_looked_at(what, &refusal),
    };
    let text = |field: &str| job[field].as_str().unwrap_or("unknown");
    if text("state") != "ENABLED" {
        let advice =
            "image_built = true and paused = false in terraform.tfvars switch it on, with `terraform apply`";
        return Finding::wrong(what, format!("it is {}", text("state").to_lowercase()), advice);
    }
    // 0 and nothing both mean that it went well.
    if let Some(code) = job["status"]["code"].as_i64().filter(|code| *code != 0) {
        let message = job["status"]["message"].as_str().unwrap_or("no reason given");
        let found = format!("its last attempt failed with code {code}: {message}");
        return Finding::wrong(what, found, "is the topic there? `terraform apply` makes it");
    }
    let (schedule, zone) = (text("schedule"), text("timeZone"));
    let last = job["lastAttemptTime"].as_str().map_or_else(
        || "has not run yet".to_owned(),
        |at| format!("ran at {}", at.split('.').next().unwrap_or(at)),
    );
    Finding::ok(what, format!("{schedule} ({zone}), {last}"))
}
