//! Connects the stores of Google Cloud: for the services, and for `firestore:PROJECT`.

mod check;

use std::sync::Arc;

use async_trait::async_trait;
use recrawl_core::model::crawl::Operations;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::StoreError;
use recrawl_settings::ProcessSettings;
use recrawl_store_firestore::{BucketUse, FirestoreSettings, FirestoreStore};

pub(crate) use self::check::check;
use crate::error::AccessError;
use crate::open::{OpenStore, RemoteStore};

/// Where the database of a project is.
#[derive(Debug, Clone)]
pub struct CloudSettings {
    /// The Google Cloud project.
    pub project: String,
    /// The `host:port` of an emulator to use in place of Firestore.
    pub emulator: Option<String>,
    /// A bucket for bodies that do not fit into a document; without one they are not kept.
    pub bodies_bucket: Option<String>,
    /// Whether all bodies go into the bucket.
    pub all_bodies_in_bucket: bool,
}

/// A store whose provider bills its operations.
#[async_trait]
pub trait BilledStore: Send + Sync {
    /// Returns the operations since this store was connected.
    fn counted(&self) -> Operations;

    /// Adds operations to those that `instance` has saved for a crawl.
    async fn save_operations(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        instance: &str,
        operations: Operations,
    ) -> Result<(), StoreError>;
}

/// Connects to the database of a project.
pub async fn connect(
    settings: &CloudSettings,
) -> Result<Arc<impl RemoteStore + BilledStore + 'static>, StoreError> {
    Ok(Arc::new(FirestoreStore::connect(firestore(settings)?).await?))
}

/// Connects to the database of a project, by what the environment says about emulator and bucket.
pub(crate) async fn open(project: String) -> Result<OpenStore, AccessError> {
    let FirestoreSettings { emulator, .. } = FirestoreSettings::from_environment(&project);
    let ProcessSettings { bodies_bucket, all_bodies_in_bucket, .. } = ProcessSettings::of_this_process();
    let settings = CloudSettings { project, emulator, bodies_bucket, all_bodies_in_bucket };
    match connect(&settings).await {
        Ok(store) => Ok(OpenStore::Remote(store)),
        Err(error) => Err(AccessError::Failed(
            format!(
                "cannot open firestore:{}: {} (log in with `gcloud auth application-default login`, or name an emulator in \
                 FIRESTORE_EMULATOR_HOST)",
                settings.project,
                reason(&error)
            )
            .into(),
        )),
    }
}

fn firestore(settings: &CloudSettings) -> Result<FirestoreSettings, StoreError> {
    let CloudSettings { project, emulator, bodies_bucket, all_bodies_in_bucket } = settings;
    let bucket_use = if *all_bodies_in_bucket { BucketUse::AllBodies } else { BucketUse::LongBodies };
    let emulator = emulator.clone();
    let settings = FirestoreSettings { emulator, bucket_use, ..FirestoreSettings::new(project) };
    match bodies_bucket {
        Some(bucket) => settings.with_bucket(bucket).map_err(|error| {
            StoreError::Unavailable(format!("cannot use the bucket {bucket}: {}", reason(&error)).into())
        }),
        None => Ok(settings),
    }
}

/// Returns why a connection failed: the last thing quoted in the many words of the client, if there is one.
fn reason(error: &StoreError) -> String {
    let text = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    text.rsplit('"').nth(1).map_or_else(|| text.clone(), str::to_owned)
}

#[async_trait]
impl BilledStore for FirestoreStore {
    fn counted(&self) -> Operations {
        self.counted()
    }

    async fn save_operations(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        instance: &str,
        operations: Operations,
    ) -> Result<(), StoreError> {
        self.save_operations(site, crawl, instance, operations).await
    }
}
