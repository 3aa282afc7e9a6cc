//! Temporary stores, which are deleted when they are not needed any more.

use std::path::{Path, PathBuf};

/// The path of a store among the temporary files; dropping it deletes the store, and the settings beside it.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Names a store for `purpose` that no other process uses.
    pub fn new(purpose: &str) -> Self {
        Self(std::env::temp_dir().join(format!("recrawl-{purpose}-{}.db", std::process::id())))
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the path of a settings file that belongs to the store.
    pub fn settings(&self) -> PathBuf {
        with_suffix(&self.0, SETTINGS)
    }
}

/// What the name of a settings file beside a store ends with.
const SETTINGS: &str = ".toml";

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

impl Drop for Scratch {
    fn drop(&mut self) {
        for suffix in ["", "-wal", "-shm", ".lock", SETTINGS] {
            // What cannot be removed is a small file among temporary ones.
            let _ = std::fs::remove_file(with_suffix(&self.0, suffix));
        }
    }
}
