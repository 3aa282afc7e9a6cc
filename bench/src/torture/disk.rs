//! Disks that are full or cannot be written.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Result, ensure};

use super::damage::{self, reading_commands};
use super::kills::Stage;
use super::program::{Ended, Program, run};
use super::report::Row;
use super::{serving, store};
use crate::programs::{find, locator};
use crate::site::Random;

const LIMIT: Duration = Duration::from_mins(1);
const PAGES: usize = 150;
const FLAGS: &[&str] = &["--rate", "unlimited"];
/// Enough for everything here.
const PLENTY: usize = 64 << 20;
/// The user that owns nothing.
const NOBODY: &str = "65534";

/// A file system in memory, unmounted when dropped.
struct Disk(tempfile::TempDir);

impl Disk {
    /// Mounts one of so many bytes; the reason where that is not allowed.
    fn mount(bytes: usize) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let options = format!("size={bytes}");
        mount(&["-t", "tmpfs", "-o", &options, "tmpfs"], folder.path())?;
        Ok(Self(folder))
    }

    fn remount(&self, options: &str) -> Result<(), String> {
        mount(&["-o", &format!("remount,{options}")], self.0.path())
    }

    fn store(&self) -> PathBuf {
        self.0.path().join("recrawl.db")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily, because a process that was killed may still be going.
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).output();
    }
}

fn mount(arguments: &[&str], folder: &Path) -> Result<(), String> {
    let output =
        Command::new("mount").args(arguments).arg(folder).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("nothing can be mounted here: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// Crawls onto disks that become full, and goes on when there is space.
pub(crate) fn torture_full(program: &Program, seed: u64, tries: usize) -> Result<Row> {
    let mut row = Row::new("disk-full", "disks that become full, and then have space again");
    let mut random = Random::new(seed);
    let stage = Stage::set(program, PAGES, FLAGS)?;
    let mut stopped = 0;
    for _ in 0..tries {
        let disk = match Disk::mount(PLENTY) {
            Ok(disk) => disk,
            Err(reason) => return Ok(row.left_out(reason)),
        };
        let mut broken = Vec::new();
        for week in 0..2 {
            stage.week.store(week, Ordering::Relaxed);
            let used =
                fs::metadata(disk.store()).map_or(0, |found| usize::try_from(found.len()).unwrap_or(0));
            disk.remount(&format!("size={}", used + 8_192 + random.below(600_000)))
                .map_err(anyhow::Error::msg)?;
            let ended = run(&mut program.crawl(&stage.server.url(), &disk.store(), FLAGS), LIMIT)?;
            stopped += usize::from(!ended.status.success());
            broken.extend(full_complaints(&ended));
            disk.remount(&format!("size={PLENTY}")).map_err(anyhow::Error::msg)?;
            broken.extend(finish(program, &stage, &disk.store(), week)?);
        }
        broken.extend(stage.compare(&disk.store())?);
        row.tried(broken);
    }
    row.worst = format!("{stopped} crawls stopped for want of space");
    Ok(row)
}

/// Crawls with a limit to the size of files, and goes on without.
pub(crate) fn torture_limit(program: &Program, seed: u64, tries: usize) -> Result<Row> {
    let mut row = Row::new("file-limit", "files that may not grow any further");
    let mut random = Random::new(seed);
    let stage = Stage::set(program, PAGES, FLAGS)?;
    let mut stopped = 0;
    for _ in 0..tries {
        let folder = tempfile::tempdir()?;
        let store = folder.path().join("recrawl.db");
        let mut broken = Vec::new();
        for week in 0..2 {
            stage.week.store(week, Ordering::Relaxed);
            let crawl = program.crawl(&stage.server.url(), &store, FLAGS);
            let ended = run(&mut limited(&crawl, 50 + random.below(1_000)), LIMIT)?;
            stopped += usize::from(!ended.status.success());
            broken.extend(full_complaints(&ended));
            broken.extend(finish(program, &stage, &store, week)?);
        }
        broken.extend(stage.compare(&store)?);
        row.tried(broken);
    }
    row.worst = format!("{stopped} crawls stopped at the limit");
    Ok(row)
}

/// Returns a command whose files may have so many blocks of 512 bytes; writing more is an error and not a signal.
fn limited(command: &Command, blocks: usize) -> Command {
    let mut limited = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    limited.args(["-c", &script, "sh"]).arg(command.get_program()).args(command.get_args()).env_clear();
    for (name, value) in command.get_envs() {
        limited.envs(value.map(|value| (name, value)));
    }
    if let Some(folder) = command.get_current_dir() {
        limited.current_dir(folder);
    }
    limited
}

fn full_complaints(ended: &Ended) -> Vec<String> {
    let mut broken = ended.complaints(&[0, 1]);
    if ended.status.code() == Some(1)
        && (!ended.err.contains("recrawl: ") || ended.err.contains("Error code"))
    {
        broken.push(format!("no clear sentence: {}", ended.last_words()));
    }
    broken
}

/// Crawls on, unless the crawl of this week has ended.
fn finish(program: &Program, stage: &Stage, store: &Path, week: usize) -> Result<Vec<String>> {
    let mut broken = store::faults(store)?;
    if store::crawls_ended(store)? <= week {
        broken.extend(run(&mut program.crawl(&stage.server.url(), store, FLAGS), LIMIT)?.complaints(&[0]));
    }
    Ok(broken)
}

/// Reads a store on a disk that cannot be written: every command says what it says elsewhere.
pub(crate) fn torture_read_only(program: &Program) -> Result<Row> {
    let row = Row::new("read-only-disk", "every reading command on a disk that cannot be written");
    let stage = damage::Stage::set(program)?;
    let disk = match Disk::mount(PLENTY) {
        Ok(disk) => disk,
        Err(reason) => return Ok(row.left_out(reason)),
    };
    store::copy(&stage.store(), &disk.store())?;
    disk.remount("ro").map_err(anyhow::Error::msg)?;
    read_everything(program, &stage, &disk.store(), row, &|command| command)
}

/// Reads a store in a folder that belongs to somebody else.
pub(crate) fn torture_foreign(program: &Program) -> Result<Row> {
    let row = Row::new("read-only-folder", "every reading command in a folder without the right to write");
    let stage = damage::Stage::set(program)?;
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("recrawl.db");
    store::copy(&stage.store(), &store)?;
    // Where nobody but its owner may look, the program could not be started by another user.
    let copied = Program { path: folder.path().join("recrawl"), ..program.clone() };
    // By another process: what this one starts meanwhile would inherit the open file, and it could not be run.
    let copying = Command::new("cp").arg(&program.path).arg(&copied.path).status()?;
    ensure!(copying.success(), "the program cannot be copied: {copying}");
    fs::set_permissions(&store, fs::Permissions::from_mode(0o444))?;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555))?;
    let is_root = rustix::process::geteuid().is_root();
    let row = match (is_root, find("setpriv")) {
        (true, None) => {
            row.left_out("root may write everywhere, and there is no `setpriv` to be somebody else")
        }
        (true, Some(setpriv)) => read_everything(&copied, &stage, &store, row, &move |command| {
            let mut other = Command::new(&setpriv);
            other.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]);
            other.arg(command.get_program()).args(command.get_args()).env_clear().env("HOME", "/");
            other
        })?,
        (false, _) => read_everything(&copied, &stage, &store, row, &|command| command)?,
    };
    // So that it can be removed.
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
    Ok(row)
}

fn read_everything(
    program: &Program,
    stage: &damage::Stage,
    store: &Path,
    mut row: Row,
    by: &dyn Fn(Command) -> Command,
) -> Result<Row> {
    let page = stage.page();
    // A plan to prune takes the right to crawl, which is written down.
    for arguments in reading_commands(&page).into_iter().filter(|arguments| arguments[0] != "prune") {
        let expected = run(&mut program.on(&stage.store(), &arguments), LIMIT)?;
        ensure!(expected.status.success(), "`{}` elsewhere: {}", arguments[0], expected.last_words());
        let ended = run(&mut by(program.on(store, &arguments)), LIMIT)?;
        let mut broken = ended.complaints(&[0]);
        // Hints name the store, each its own.
        let said = String::from_utf8_lossy(&ended.out)
            .replace(&*store.to_string_lossy(), &stage.store().to_string_lossy());
        // A search that cannot keep an index searches less, and says so.
        if broken.is_empty() && arguments[0] != "search" && said.as_bytes() != expected.out {
            broken.push("says something else than where it can be written".to_owned());
        }
        row.tried(
            broken
                .iter()
                .map(|line| format!("`{}`: {line}", arguments[..2.min(arguments.len())].join(" ")))
                .collect(),
        );
    }
    // Writing is refused, with a sentence.
    let refused = run(&mut by(program.crawl(&stage.server.url(), store, FLAGS)), LIMIT)?;
    row.tried(refused.complaints(&[1, 2]).iter().map(|line| format!("`crawl`: {line}")).collect());
    let shown = show(program, store, by);
    row.tried(shown.err().map(|error| format!("`serve --read-only`: {error:#}")).into_iter().collect());
    row.worst = format!("{} commands", row.tried);
    Ok(row)
}

fn show(program: &Program, store: &Path, by: &dyn Fn(Command) -> Command) -> Result<()> {
    let folder = store.parent().unwrap_or(Path::new("/"));
    let arguments = ["serve", "--read-only", "--listen", "127.0.0.1:0", "--store", &locator(store)];
    let (_running, address) = serving::start(&mut by(program.command(folder, &arguments)))?;
    for path in ["/", "/sites", "/api/v1/sites", "/search?q=bridge"] {
        let answer = serving::get(&address, path)?;
        ensure!(answer.starts_with("HTTP/1.1 200"), "{path}: {}", answer.lines().next().unwrap_or_default());
    }
    Ok(())
}
