//! A small harness for tests of what is done: a store, settings, and a clock that stands still.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::scope::ScopeSettings;
use recrawl_engine::StopHandle;
use recrawl_stores::{Access, open_file};
use recrawl_web::Clock;

use crate::sites::Sites;
use crate::supervisor::Supervisor;

/// A supervisor with a clock that tests set, in a folder of its own.
pub(crate) struct Harness {
    folder: tempfile::TempDir,
    pub(crate) supervisor: Arc<Supervisor>,
    time: Arc<Mutex<Timestamp>>,
}

impl Harness {
    pub(crate) fn new(settings: &str, now: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("recrawl.toml");
        std::fs::write(&config, settings).unwrap();
        let path = folder.path().join("recrawl.db");
        let store = open_file(&path, Access::Write).unwrap();
        let time = Arc::new(Mutex::new(now.parse().unwrap()));
        let clock = time.clone();
        let sites = Sites { store, path, config: Some(config) };
        let clock: Clock = Arc::new(move || *clock.lock().unwrap());
        Self {
            folder,
            supervisor: Supervisor::new(sites, clock, None, StopHandle::default(), Arc::new(|_: &str| {})),
            time,
        }
    }

    pub(crate) async fn add(&self, name: &str) -> SiteId {
        let id: SiteId = name.parse().unwrap();
        let site = Site {
            id: id.clone(),
            root: format!("https://{name}.example/").parse().unwrap(),
            scope: ScopeSettings::default(),
            created_at: self.supervisor.now(),
        };
        self.supervisor.store().save_site(&site).await.unwrap();
        id
    }

    pub(crate) async fn at(&self, time: &str) -> BTreeSet<String> {
        *self.time.lock().unwrap() = time.parse().unwrap();
        self.supervisor.look_at_schedules().await.unwrap()
    }

    pub(crate) fn settings(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("recrawl.toml")).unwrap()
    }
}
