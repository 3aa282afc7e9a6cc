//! Whether a deployment works: its database, its service, and what Google knows of both.

use jiff::Timestamp;
use recrawl_core::model::finding::Finding;
use recrawl_core::model::service_report::ServiceReport;
use recrawl_core::ports::StateKey;
use recrawl_deployment::service::{self, Kept};
use recrawl_deployment::{Endpoints, Google};
use recrawl_store_firestore::{FirestoreSettings, FirestoreStore};

use super::reason;
use crate::error::AccessError;

const LOG_IN: &str =
    "log in with `gcloud auth application-default login`, or name an emulator in FIRESTORE_EMULATOR_HOST";

/// Checks the deployment of a project; nothing is written. Where the environment names an emulator, only what emulators
/// have is looked at.
pub(crate) async fn check(project: String) -> Result<Vec<Finding>, AccessError> {
    let settings = FirestoreSettings::from_environment(&project);
    let is_emulator = settings.emulator.is_some();
    let (of_store, of_google) = tokio::join!(of_store(settings), of_google(&project, is_emulator));
    Ok(of_store.into_iter().chain(of_google).collect())
}

async fn of_store(settings: FirestoreSettings) -> Vec<Finding> {
    let looked = async {
        let store = FirestoreStore::connect(settings).await?;
        store.timed_state(&StateKey::service_report()).await
    };
    match looked.await {
        Ok(look) => {
            let kept = look.entry.and_then(|(entry, written_at)| {
                let report: ServiceReport = serde_json::from_str(&entry.value).ok()?;
                Some(Kept { report, written_at })
            });
            let mut found = vec![Finding::ok("database", "it answers")];
            found.push(service::clock(Timestamp::now(), look.at));
            found.extend(service::findings(kept.as_ref(), look.at));
            found
        }
        Err(error) => vec![Finding::wrong("database", reason(&error), LOG_IN)],
    }
}

async fn of_google(project: &str, is_emulator: bool) -> Vec<Finding> {
    if !is_emulator {
        return match Google::new(project) {
            Ok(google) => google.look().await,
            Err(refusal) => vec![Finding::wrong("credentials", refusal.to_string(), LOG_IN)],
        };
    }
    let left_out =
        "an emulator has no image, jobs, permissions, log and ages of messages: they were not looked at";
    let mut found = Vec::new();
    let pubsub = std::env::var("PUBSUB_EMULATOR_HOST").ok().filter(|address| !address.is_empty());
    if let Some(address) = pubsub {
        let endpoints = Endpoints { pubsub: format!("http://{address}"), ..Endpoints::default() };
        match Google::anonymous(endpoints, project) {
            Ok(google) => found.extend(google.look_at_subscriptions().await),
            Err(refusal) => found.push(Finding::wrong("subscriptions", refusal.to_string(), LOG_IN)),
        }
    }
    found.push(Finding::ok("emulator", left_out));
    found
}
