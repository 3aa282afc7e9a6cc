//! The same site crawled on one machine by the real command, for comparison.

use std::cell::Cell;
use std::path::PathBuf;
use std::process::{Command, Output};

use emulator_tests::cloud::Cloud;
use emulator_tests::service::program;
use serde_json::Value;

/// A history in one SQLite file.
pub(crate) struct Embedded {
    root: String,
    file: PathBuf,
}

impl Embedded {
    /// Prepares a file for the site of a cloud.
    pub(crate) fn new(cloud: &Cloud) -> Self {
        Self { root: format!("{}/", cloud.site.url()), file: cloud.directory().join("embedded.db") }
    }

    /// Crawls the site once.
    pub(crate) fn crawl(&self) {
        let store = format!("sqlite:{}", self.file.display());
        let output = recrawl(&["crawl", &self.root, "--store", &store, "--rate", "unlimited"], None);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Returns what the last crawl changed.
    pub(crate) fn changes(&self) -> Vec<Value> {
        changes(&format!("sqlite:{}", self.file.display()), None)
    }

    /// Copies the history of the cloud to a file, and that to another project, twice each; nothing is lost.
    pub(crate) fn copies_there_and_back(&self, cloud: &Cloud) {
        let original = format!("firestore:{}", cloud.project);
        let file = format!("sqlite:{}", cloud.directory().join("copy.db").display());
        let other = format!("firestore:{}-copy", cloud.project);
        for (from, to) in [(&original, &file), (&file, &other)] {
            for round in 0..2 {
                let output = recrawl(&["copy", "--from", from, "--to", to], Some(cloud));
                let told = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.status.success(), "{told}");
                assert_eq!(told.contains("copied 0 visits"), round == 1, "{told}");
            }
            assert_eq!(changes(to, Some(cloud)), self.changes(), "{to}");
        }
        let counted = Cell::new(0);
        for command in ["crawls", "stats", "status"] {
            let shown = |store: &str| {
                let output = recrawl(&[command, "--store", store, "--format", "json"], Some(cloud));
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                let mut json: Value = serde_json::from_slice(&output.stdout).unwrap();
                // Only one store is billed, and counts.
                if let Some(object) = json.as_object_mut()
                    && let Some(operations) = object.remove("operations")
                {
                    assert!(
                        operations["reads"].as_u64() > Some(20) && operations["writes"].as_u64() > Some(20)
                    );
                    assert!(operations["messages"].as_u64() > Some(20), "{operations}");
                    let usage = object.remove("usage").expect("a billed store says what it costs");
                    let (week, site) = (&usage["weeks"][0], &usage["weeks"][0]["sites"][0]);
                    assert_eq!(site["site"], "default", "{usage}");
                    assert!(site["reads"].as_u64() > operations["reads"].as_u64(), "two crawls: {usage}");
                    for figure in ["stored_bytes", "vcpu_seconds"] {
                        assert!(site[figure].as_u64() > Some(0), "{figure}: {usage}");
                    }
                    assert!(
                        site["list_price"].as_f64() > Some(0.0) && week["charged_at_most"] == 0.0,
                        "{usage}"
                    );
                    counted.set(counted.get() + 1);
                }
                json
            };
            assert_eq!(shown(&original), shown(&file), "{command}");
        }
        assert_eq!(counted.get(), 1, "`stats` shows what Firestore bills");
        let page = format!("{}text", self.root);
        for command in [
            vec!["history", &page],
            vec!["diff", &page],
            vec!["show", &page],
            vec!["show", &page, "--as", "html"],
        ] {
            let shown = |store: &str| {
                let mut arguments = command.clone();
                arguments.extend(["--store", store]);
                let output = recrawl(&arguments, Some(cloud));
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                String::from_utf8(output.stdout).unwrap()
            };
            let told = shown(&original);
            assert!(!told.is_empty());
            assert_eq!(told, shown(&file), "{command:?}");
        }
    }
}

/// Returns what the last crawl of the cloud changed, read by the same command.
pub(crate) fn changes_of_cloud(cloud: &Cloud) -> Vec<Value> {
    changes(&format!("firestore:{}", cloud.project), Some(cloud))
}

/// Reads the changes of the last crawl, without what differs between any two homes: what it calls the site, when it was,
/// and how far archiving
/// has come, which only the cloud does by itself.
fn changes(store: &str, cloud: Option<&Cloud>) -> Vec<Value> {
    let output = recrawl(&["changes", "--store", store, "--format", "json"], cloud);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    for row in &mut rows {
        for field in ["site", "fetched_at", "archive", "wayback_url"] {
            row.as_object_mut().unwrap().remove(field);
        }
    }
    rows
}

pub(crate) fn recrawl(arguments: &[&str], cloud: Option<&Cloud>) -> Output {
    let mut command = Command::new(program("recrawl").unwrap());
    command.args(arguments).env_remove("RECRAWL_STORE");
    if let Some(cloud) = cloud {
        command.env("FIRESTORE_EMULATOR_HOST", &cloud.firestore).env("PUBSUB_EMULATOR_HOST", &cloud.pubsub);
    }
    command.output().unwrap()
}
