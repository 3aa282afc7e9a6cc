//! Where the database is, and how long it may take.

use std::env;
use std::sync::Arc;
use std::time::Duration;

use object_store::ObjectStore;
use object_store::gcp::GoogleCloudStorageBuilder;
use recrawl_core::ports::StoreError;

/// Which bodies go into the bucket, where there is one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BucketUse {
    /// Those that do not fit into a document.
    #[default]
    LongBodies,
    /// All of them.
    AllBodies,
}

/// Where the database is, and how long it may take.
#[derive(Debug, Clone)]
pub struct FirestoreSettings {
    /// The project whose default database is used.
    pub project: String,
    /// The `host:port` of an emulator to use in place of the service.
    pub emulator: Option<String>,
    /// A bucket for bodies; without one, those that do not fit into a document are not kept.
    pub bodies: Option<Arc<dyn ObjectStore>>,
    /// Which bodies go there. Wherever one is, it is found.
    pub bucket_use: BucketUse,
    /// How long one call may take, further attempts included.
    pub time_out: Duration,
}

impl FirestoreSettings {
    /// Returns the settings for the service, with a time-out of 10 seconds and without a bucket.
    pub fn new(project: impl Into<String>) -> Self {
        Self {
            project: project.into(),
            emulator: None,
            bodies: None,
            bucket_use: BucketUse::default(),
            time_out: Duration::from_secs(10),
        }
    }

    /// Returns the same for the emulator that `FIRESTORE_EMULATOR_HOST` names, where it does.
    pub fn from_environment(project: impl Into<String>) -> Self {
        let emulator = env::var("FIRESTORE_EMULATOR_HOST").ok().filter(|address| !address.is_empty());
        Self { emulator, ..Self::new(project) }
    }

    /// Keeps bodies in this bucket of Cloud Storage.
    ///
    /// Credentials are those that the environment names, or the machine's own.
    pub fn with_bucket(self, name: &str) -> Result<Self, StoreError> {
        let bucket = GoogleCloudStorageBuilder::from_env().with_bucket_name(name).build();
        let bucket = bucket.map_err(|error| StoreError::Unavailable(Box::new(error)))?;
        Ok(Self { bodies: Some(Arc::new(bucket)), ..self })
    }
}
