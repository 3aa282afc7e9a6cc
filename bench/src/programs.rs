//! The programs that are measured: where they are and how they are called.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// Finds a program in `PATH` or where system servers live.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let system = ["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from);
    let mut places = std::env::split_paths(&path).chain(system);
    places.find_map(|folder| Some(folder.join(name)).filter(|file| file.is_file()))
}

/// Builds `recrawl` into the folder of this program, so that no stale one is measured.
pub(crate) fn build_recrawl() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder = own.parent().context("this program is in no folder")?;
    let target = folder.parent().context("this program is in no target folder")?;
    let status = Command::new("cargo")
        .args(["build", "--profile", "dist", "--package", "recrawl", "--target-dir"])
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .context("cannot run cargo; give the program with --recrawl")?;
    ensure!(status.success(), "recrawl does not build; give the program with --recrawl");
    Ok(target.join("dist/recrawl"))
}

/// Returns the crawl of `url` into an embedded store, as fast as it goes.
pub(crate) fn crawl(recrawl: &Path, url: &str, store: &Path) -> Command {
    crawl_at(recrawl, url, store, "unlimited")
}

/// Returns the crawl of `url` into an embedded store at so many requests a second.
pub(crate) fn crawl_at(recrawl: &Path, url: &str, store: &Path, rate: &str) -> Command {
    let mut command = polite_crawl(recrawl, url, store);
    command.args(["--rate", rate]);
    command
}

/// Returns the crawl of `url` into an embedded store at the default rate.
pub(crate) fn polite_crawl(recrawl: &Path, url: &str, store: &Path) -> Command {
    let mut command = Command::new(recrawl);
    command.args(["crawl", url, "--store", &locator(store)]);
    command
}

/// Returns the web page over an embedded store, on a free port.
pub(crate) fn web_page(recrawl: &Path, store: &Path) -> Command {
    let mut command = Command::new(recrawl);
    command.args(["serve", "--read-only", "--listen", "127.0.0.1:0", "--store", &locator(store)]);
    command
}

/// Returns the web page as whoever owns the machine sees it, with everything that can be done there.
pub(crate) fn whole_web_page(recrawl: &Path, store: &Path) -> Command {
    let mut command = Command::new(recrawl);
    command.args(["serve", "--listen", "127.0.0.1:0", "--store", &locator(store)]);
    command
}

/// Returns how many pages `recrawl changes` says have changed in the last crawl.
pub(crate) fn count_changes(recrawl: &Path, store: &Path) -> Result<usize> {
    let output = Command::new(recrawl)
        .args([
            "changes",
            "--kind",
            "changed",
            "--tier",
            "3",
            "--expand",
            "--format",
            "json",
            "--store",
            &locator(store),
        ])
        .output()
        .context("cannot run recrawl changes")?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "recrawl changes ended with {}: {complaint}", output.status);
    let changes: Vec<serde_json::Value> =
        serde_json::from_slice(&output.stdout).context("recrawl changes printed no JSON array")?;
    Ok(changes.len())
}

/// Returns what a query on the views of a store finds, a JSON object a row.
pub(crate) fn query(recrawl: &Path, store: &Path, sql: &str) -> Result<Vec<serde_json::Value>> {
    let output = Command::new(recrawl)
        .args(["sql", sql, "--format", "json", "--store", &locator(store)])
        .output()
        .context("cannot run recrawl sql")?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "recrawl sql ended with {}: {complaint}", output.status);
    serde_json::from_slice(&output.stdout).context("recrawl sql printed no JSON array")
}

/// Returns the bytes of an SQLite file with its write-ahead log.
pub(crate) fn store_size(store: &Path) -> Result<u64> {
    let mut size = store.metadata().context("the crawl left no database")?.len();
    for suffix in ["-wal", "-shm"] {
        let mut name = store.as_os_str().to_owned();
        name.push(suffix);
        size += Path::new(&name).metadata().map_or(0, |found| found.len());
    }
    Ok(size)
}

/// Returns the mirroring of `url` into `folder` with 32 threads, as deep as it goes.
pub(crate) fn mirror(wget: &Path, url: &str, folder: &Path) -> Command {
    let mut command = Command::new(wget);
    command
        .args(["--no-config", "--quiet", "--recursive", "--level=0", "--max-threads=32"])
        .arg("--directory-prefix")
        .arg(folder)
        .arg(url);
    command
}

/// Returns a store as the command line names it.
pub(crate) fn locator(store: &Path) -> String {
    format!("sqlite:{}", store.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_store_includes_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("a.db");
        assert!(store_size(&store).is_err());
        std::fs::write(&store, [0; 100]).unwrap();
        assert_eq!(store_size(&store).unwrap(), 100);
        std::fs::write(folder.path().join("a.db-wal"), [0; 11]).unwrap();
        assert_eq!(store_size(&store).unwrap(), 111);
    }

    #[test]
    fn programs_are_found_where_they_are() {
        assert!(find("sh").is_some());
        assert!(find("no-such-program-anywhere").is_none());
    }
}
