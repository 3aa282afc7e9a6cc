//! Where the emulators are installed, and how they are started.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use anyhow::{Context, Result};
use thiserror::Error;

use super::Kind;

/// An emulator is not installed.
#[derive(Debug, Error)]
#[error(
    "the {0:?} emulator is not installed, and these tests need it: run `gcloud components install \
     cloud-firestore-emulator pubsub-emulator` (or, with apt, install google-cloud-cli-firestore-emulator, \
     google-cloud-cli-pubsub-emulator and a Java runtime of version 11 or later), or set {variable} to the \
     host:port of a running one", variable = .0.variable()
)]
pub(super) struct Missing(Kind);

/// Returns the command that runs an emulator, without the wrapper of gcloud, which leaves it behind when it
/// is killed.
pub(super) fn command(kind: Kind, port: u16) -> Result<Vec<OsString>> {
    let java = program("java").ok_or(Missing(kind))?;
    let platform = PLATFORM.as_deref().ok_or(Missing(kind))?;
    let mut command = vec![java.into_os_string()];
    let address = ["--host=127.0.0.1".to_owned(), format!("--port={port}")];
    match kind {
        Kind::Firestore => {
            let jar = platform.join("cloud-firestore-emulator/cloud-firestore-emulator.jar");
            if !jar.is_file() {
                return Err(Missing(kind).into());
            }
            command.extend(["-Duser.language=en", "-cp"].map(OsString::from));
            command.push(jar.into());
            command.push("com.google.cloud.datastore.emulator.firestore.CloudFirestore".into());
            command.push("start".into());
            command.push("--database-mode=firestore-native".into());
        }
        Kind::Pubsub => {
            let jar = pubsub_jar(platform).context(Missing(kind))?;
            command.push("-jar".into());
            command.push(jar.into());
        }
    }
    command.extend(address.map(OsString::from));
    Ok(command)
}

fn pubsub_jar(platform: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(platform.join("pubsub-emulator/lib")).ok()?;
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.find(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("cloud-pubsub-emulator-") && name.ends_with("-all.jar")
    })
}

static PLATFORM: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let gcloud = program("gcloud")?;
    // Most installations are a link into the SDK, and asking the command takes seconds.
    let linked = fs::canonicalize(&gcloud).ok()?.parent()?.parent()?.join("platform");
    if linked.is_dir() {
        return Some(linked);
    }
    let told = Command::new(gcloud).args(["info", "--format=value(installation.sdk_root)"]).output().ok()?;
    let platform = Path::new(String::from_utf8_lossy(&told.stdout).trim()).join("platform");
    platform.is_dir().then_some(platform)
});

fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|directory| directory.join(name)).find(|file| file.is_file())
}
