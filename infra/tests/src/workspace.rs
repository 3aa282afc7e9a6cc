//! The packages and programs of this repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

/// The directory of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Reads a file of the repository.
pub fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The members of the workspace.
#[derive(Debug)]
pub struct Workspace {
    /// Programs by package.
    pub programs: BTreeMap<String, BTreeSet<String>>,
    /// Directories of the packages, from the root of the repository.
    pub directories: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

impl Workspace {
    /// Asks cargo.
    pub fn read() -> Result<Self> {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--no-deps", "--format-version=1", "--offline"])
            .current_dir(root())
            .output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: Metadata = serde_json::from_slice(&output.stdout)?;
        let mut workspace = Self { programs: BTreeMap::new(), directories: Vec::new() };
        for package in metadata.packages {
            let directory = package.manifest_path.parent().context("a manifest is in a directory")?;
            workspace.directories.push(directory.strip_prefix(&metadata.workspace_root)?.to_owned());
            let programs =
                package.targets.into_iter().filter(|target| target.kind.iter().any(|kind| kind == "bin"));
            workspace.programs.insert(package.name, programs.map(|target| target.name).collect());
        }
        Ok(workspace)
    }
}
