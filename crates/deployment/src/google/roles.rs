//! Who may do what: the roles that `infra/iam.tf` gives.

use recrawl_core::model::finding::Finding;
use serde_json::{Value, json};

use super::{Endpoints, Google, Refusal, not_looked_at};

/// Roles that include every other that is looked for.
const ALL: [&str; 2] = ["roles/owner", "roles/editor"];

/// The topics that the service publishes to.
const PUBLISHED: [&str; 3] = ["crawl", "changed-pages", "archive"];

impl Google {
    /// Looks whether the service may write, publish, and be called.
    pub(super) async fn roles(&self, region: &str, service: &Value) -> Vec<Finding> {
        let found = self.lacking(region, service).await;
        vec![match found {
            Ok(lacking) if lacking.is_empty() => Finding::ok(
                "permissions",
                "the service may use the database and publish, and Pub/Sub may call the service",
            ),
            Ok(lacking) => Finding::wrong(
                "permissions",
                lacking.join("; "),
                "`terraform apply` gives them, with image_built = true once the image is there",
            ),
            Err(refusal) => not_looked_at("permissions", &refusal),
        }]
    }

    async fn lacking(&self, region: &str, service: &Value) -> Result<Vec<String>, Refusal> {
        let Endpoints { pubsub, resource_manager, run, .. } = &self.endpoints;
        let project = &self.project;
        let of_project =
            self.post(&format!("{resource_manager}/v1/projects/{project}:getIamPolicy"), &json!({})).await?;
        let runs_as = service["template"]["serviceAccount"].as_str().unwrap_or_default();
        let runs_as = format!("serviceAccount:{runs_as}");
        let mut lacking = Vec::new();
        if !gives(&of_project, "roles/datastore.user", &runs_as) {
            lacking.push("the service may not use the database (roles/datastore.user)".to_owned());
        }
        for topic in PUBLISHED {
            let url = format!("{pubsub}/v1/projects/{project}/topics/{topic}:getIamPolicy");
            let of_topic = self.get(&url).await?;
            let publishes = |policy| gives(policy, "roles/pubsub.publisher", &runs_as);
            if !publishes(&of_topic) && !publishes(&of_project) {
                lacking.push(format!("the service may not publish to {topic} (roles/pubsub.publisher)"));
            }
        }
        let url = format!("{pubsub}/v1/projects/{project}/subscriptions/crawl");
        let subscription = self.get(&url).await?;
        let caller =
            subscription["pushConfig"]["oidcToken"]["serviceAccountEmail"].as_str().unwrap_or_default();
        let caller = format!("serviceAccount:{caller}");
        let url = format!("{run}/v2/projects/{project}/locations/{region}/services/crawl-fn:getIamPolicy");
        let of_service = self.get(&url).await?;
        let invokes = |policy| gives(policy, "roles/run.invoker", &caller);
        if !invokes(&of_service) && !invokes(&of_project) {
            lacking.push("Pub/Sub may not call the service (roles/run.invoker)".to_owned());
        }
        Ok(lacking)
    }
}

/// Tells whether a policy gives a role, or one that includes it, to a member.
fn gives(policy: &Value, role: &str, member: &str) -> bool {
    let bindings = policy["bindings"].as_array().into_iter().flatten();
    let of_role = |binding: &&Value| {
        let given = binding["role"].as_str().unwrap_or_default();
        given == role || ALL.contains(&given)
    };
    let has_member = |binding: &Value| {
        let members = binding["members"].as_array().into_iter().flatten();
        members.filter_map(Value::as_str).any(|one| one == member || one == "allUsers")
    };
    bindings.filter(of_role).any(has_member)
}
