//! Kills of the commands that change a store beside crawls: what a second run makes of it is what one would have made.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Result, ensure};

use super::program::{Program, Running, run};
use super::report::Row;
use super::store::{self, Record};
use super::weeks::{DISASTER, Weeks};
use crate::listener::{Answer, Connection, Listener, Request, Then};
use crate::programs::locator;
use crate::site::Random;

const LIMIT: Duration = Duration::from_mins(1);
const PAGES: usize = 200;
const WEEKS: usize = 4;

/// A command that is killed.
pub(crate) struct Killed {
    pub(crate) id: &'static str,
    pub(crate) what: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Prune,
    Copy,
    Accept,
    Notify,
}

/// All of them.
pub(crate) const COMMANDS: [Killed; 4] = [
    Killed { id: "kill-prune", what: "kills of `prune`", kind: Kind::Prune },
    Killed { id: "kill-copy", what: "kills of `copy`", kind: Kind::Copy },
    Killed { id: "kill-accept", what: "kills of `accept`", kind: Kind::Accept },
    Killed { id: "kill-notify", what: "kills of `notify` with a webhook", kind: Kind::Notify },
];

/// What a store comes to: its records, the states of its crawls, how much was announced.
type State = (BTreeSet<Record>, Vec<String>, Vec<String>);

/// A store of some weeks, the last of them a disaster, and somebody who is told.
struct Stage {
    origin: String,
    folder: tempfile::TempDir,
    hook: Listener,
    told: Arc<Mutex<Vec<String>>>,
}

impl Stage {
    fn set(program: &Program) -> Result<Self> {
        let site = Weeks::new(PAGES);
        let week = site.week();
        let server = Listener::start(site)?;
        let folder = tempfile::tempdir()?;
        let template = folder.path().join("template.db");
        for number in (0..WEEKS).chain([DISASTER]) {
            week.store(number, Ordering::Relaxed);
            let mut crawl = program.crawl(&server.url(), &template, &["--rate", "unlimited"]);
            let complaints = run(&mut crawl, LIMIT)?.complaints(&[0, 3, 4]);
            ensure!(complaints.is_empty(), "an undisturbed crawl: {}", complaints.join("; "));
        }
        let states = store::crawl_states(&template)?;
        ensure!(states.last().is_some_and(|state| state == "suspect"), "no crawl is unusual: {states:?}");
        let told = Arc::<Mutex<Vec<String>>>::default();
        let hook = Listener::start(Hook(Arc::clone(&told)))?;
        Ok(Self { origin: server.url(), folder, hook, told })
    }

    /// Returns a folder with a copy of the store, and with who is told.
    fn place(&self) -> Result<(tempfile::TempDir, PathBuf)> {
        let place = tempfile::tempdir()?;
        let store = place.path().join("recrawl.db");
        store::copy(&self.folder.path().join("template.db"), &store)?;
        Ok((place, store))
    }

    fn command(&self, program: &Program, kind: Kind, store: &Path) -> Result<std::process::Command> {
        let folder = store.parent().unwrap_or(Path::new("/"));
        if kind == Kind::Notify {
            let hook = self.hook.url();
            let settings = format!(
                "[notify.hook]\nkind = \"webhook\"\nurl = \"{hook}\"\nsuspect = \"tell\"\nquiet = true\n"
            );
            std::fs::write(folder.join("recrawl.toml"), settings)?;
        }
        Ok(match kind {
            Kind::Prune => program.on(store, &["prune", "--keep-crawls", "2"]),
            Kind::Copy => {
                let from = locator(&self.folder.path().join("template.db"));
                program.command(folder, &["copy", "--from", &from, "--to", &locator(&folder.join("copy.db"))])
            }
            Kind::Accept => program.on(store, &["accept"]),
            Kind::Notify => program.on(store, &["notify"]),
        })
    }

    /// Returns the store that the command makes or changes.
    fn result(kind: Kind, store: &Path) -> PathBuf {
        if kind == Kind::Copy { store.with_file_name("copy.db") } else { store.to_owned() }
    }

    fn state(&self, store: &Path) -> Result<State> {
        let announced = store::query(store, "SELECT count(*) FROM announcement")?;
        Ok((store::records(store, &self.origin)?, store::crawl_states(store)?, announced))
    }

    fn take_told(&self) -> Vec<String> {
        std::mem::take(&mut self.told.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Takes messages, and keeps the ids under which they came.
struct Hook(Arc<Mutex<Vec<String>>>);

impl Answer for Hook {
    fn answer(&self, request: &Request, connection: &mut Connection) -> std::io::Result<Then> {
        let id = request.header("idempotency-key").unwrap_or("no id").to_owned();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(id);
        connection.respond("200 OK", &[], b"")
    }
}

/// Kills a command again and again, each time on a fresh copy, and lets a second run finish.
pub(crate) fn torture(program: &Program, killed: &Killed, seed: u64, kills: usize) -> Result<Row> {
    let mut row = Row::new(killed.id, killed.what);
    let mut random = Random::new(seed);
    let stage = Stage::set(program)?;
    let (_undisturbed, store) = stage.place()?;
    let ended = run(&mut stage.command(program, killed.kind, &store)?, LIMIT)?;
    let complaints = ended.complaints(&[0]);
    ensure!(complaints.is_empty(), "undisturbed: {}", complaints.join("; "));
    let expected = stage.state(&Stage::result(killed.kind, &store))?;
    let told = stage.take_told();
    ensure!(killed.kind != Kind::Notify || told.len() == 1, "undisturbed, {} were told", told.len());
    let (mut cut, mut twice) = (0, 0);
    for _ in 0..kills {
        let (_place, store) = stage.place()?;
        let result = Stage::result(killed.kind, &store);
        let running = Running::start(&mut stage.command(program, killed.kind, &store)?)?;
        let share = f64::from(u32::try_from(random.below(1_100))?) / 1_000.0;
        std::thread::sleep(Duration::from_secs_f64(ended.usage.wall_s * share));
        cut += usize::from(running.kill()?.is_killed());
        let mut broken = store::faults(&result)?;
        // What was done before the kill is not done again: then there is nothing to accept, and that is said.
        let again = run(&mut stage.command(program, killed.kind, &store)?, LIMIT)?;
        broken.extend(again.complaints(&[0]));
        broken.extend(store::faults(&result)?);
        let found = stage.state(&result)?;
        broken.extend(store::differences(&expected.0, &found.0));
        if (&found.1, &found.2) != (&expected.1, &expected.2) {
            broken.push(format!(
                "{:?} announced {:?}, not {:?} {:?}",
                found.1, found.2, expected.1, expected.2
            ));
        }
        let ids = stage.take_told();
        if ids.iter().any(|id| !told.contains(id)) || (killed.kind == Kind::Notify && ids.is_empty()) {
            broken.push(format!("told as {ids:?}, not as {told:?}"));
        }
        twice += usize::from(ids.len() > 1);
        row.tried(broken);
    }
    row.worst = match killed.kind {
        Kind::Prune | Kind::Copy | Kind::Accept => format!("{cut} killed before the end"),
        Kind::Notify => format!("{cut} killed before the end; {twice} told twice under one id"),
    };
    Ok(row)
}
