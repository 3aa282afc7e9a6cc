//! Temporary stores, which are deleted when they are not needed any more.

use std::path::{Path, PathBuf};

/// The path of a store among the temporary files; dropping it deletes the store.
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
}

impl Drop for Scratch {
    fn drop(&mut self) {
        for suffix in ["", "-wal", "-shm", ".lock"] {
            let mut path = self.0.as_os_str().to_owned();
            path.push(suffix);
            // What cannot be removed is a small file among temporary ones.
            let _ = std::fs::remove_file(path);
        }
    }
}
