//! Another time for a program: libfaketime between it and its clock.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Finds the library, and installs it where that is possible.
pub(crate) fn library() -> Result<PathBuf, String> {
    let find = || {
        let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"];
        let files = folders.map(|folder| Path::new(folder).join("faketime/libfaketimeMT.so.1"));
        files.into_iter().find(|file| file.exists())
    };
    if let Some(found) = find() {
        return Ok(found);
    }
    let install = Command::new("apt-get").args(["install", "-y", "-qq", "faketime"]).output();
    let missing = "libfaketime is not there and cannot be installed: `apt-get install faketime`";
    install.ok().and_then(|_| find()).ok_or_else(|| missing.to_owned())
}

/// Has a command run at another time, such as `-7d`.
pub(crate) fn at(mut command: Command, library: &Path, offset: &str) -> Command {
    // Time that only ever goes on is never wrong.
    command.env("LD_PRELOAD", library).env("FAKETIME", offset).env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    command.env("DONT_FAKE_MONOTONIC", "1");
    command
}
