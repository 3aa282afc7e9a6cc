//! Which image the service runs.

use recrawl_core::model::finding::Finding;
use serde_json::Value;

use super::{Google, Refusal, not_looked_at};

/// Google's placeholder, which `infra/` begins with.
const PLACEHOLDER: &str = "cloudrun/container/hello";

const BUILD: &str = "build and deploy it: eval \"$(terraform -chdir=infra output -raw build_command)\"";

impl Google {
    /// Returns the service as Cloud Run describes it.
    pub(super) async fn service(&self, region: &str) -> Result<Value, Refusal> {
        let (run, project) = (&self.endpoints.run, &self.project);
        self.get(&format!("{run}/v2/projects/{project}/locations/{region}/services/crawl-fn")).await
    }
}

/// Judges a service that could not be looked at.
pub(super) fn of_none(refusal: &Refusal) -> Finding {
    match refusal {
        Refusal::Absent => {
            let advice = "run `terraform apply` (docs/DEPLOY.md, Infrastructure)";
            Finding::wrong("image", "there is no service crawl-fn beside the database", advice)
        }
        Refusal::Forbidden | Refusal::Failed(_) => not_looked_at("image", refusal),
    }
}

/// Judges which image a service runs, and whether it starts.
pub(super) fn judge(service: &Value) -> Finding {
    let image = service["template"]["containers"][0]["image"].as_str().unwrap_or("no image");
    let condition = &service["terminalCondition"];
    if image.contains(PLACEHOLDER) {
        return Finding::wrong("image", "still Google's placeholder, which does nothing", BUILD);
    }
    if condition["state"].as_str().is_some_and(|state| state == "CONDITION_FAILED") {
        let message = condition["message"].as_str().unwrap_or("no reason given");
        let advice = "look at its log: eval \"$(terraform -chdir=infra output -raw logs_command)\"";
        return Finding::wrong("image", format!("{image} does not start: {message}"), advice);
    }
    Finding::ok("image", image)
}
