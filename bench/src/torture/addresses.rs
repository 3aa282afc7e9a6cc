//! Names whose addresses move: in a network of its own, where a public address is this machine.

use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use super::program::{Ended, Program, Running, run};
use super::report::Row;
use super::weeks::Weeks;
use crate::listener::Listener;

const LIMIT: Duration = Duration::from_mins(1);
const PAGES: usize = 60;
const NAME: &str = "moving.example.com";
/// Somebody else's address, which in this network is ours.
const PUBLIC: Ipv4Addr = Ipv4Addr::new(93, 184, 216, 34);
const METADATA: Ipv4Addr = Ipv4Addr::new(169, 254, 169, 254);
const INSIDE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 5);
const FLAGS: &[&str] =
    &["--delay", "0.02", "--retries", "1", "--back-off", "0.1", "--time-out", "3", "--soft-404", "false"];

const ID: &str = "addresses";
const WHAT: &str = "a name that moves inside, between crawls and within one";

/// Starts this program again in a network and with names of its own, where that is allowed.
pub(crate) fn torture(program: &Program) -> Result<Row> {
    let row = Row::new(ID, WHAT);
    let own = std::env::current_exe()?;
    let mut command = Command::new("unshare");
    command.args(["--net", "--mount"]).arg(own).args(["addresses", "--recrawl"]).arg(&program.path);
    command.env("TMPDIR", tempfile::env::temp_dir());
    let Ok(output) = command.output() else {
        return Ok(row.left_out("there is no `unshare` to make a network of its own"));
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("unshare:") {
        return Ok(row.left_out(said.trim().to_owned()));
    }
    serde_json::from_slice(&output.stdout).with_context(|| format!("it said {said}"))
}

/// Tries everything, within a network of its own; prints the row as JSON.
pub(crate) fn run_inside(recrawl: &Path) -> Result<()> {
    let program = Program { path: recrawl.to_owned(), slack: 1.0 };
    let place = Place::make()?;
    let mut row = Row::new(ID, WHAT);
    for (what, attempt) in ATTEMPTS {
        let broken = attempt(&place, &program).unwrap_or_else(|error| vec![format!("{error:#}")]);
        row.tried(broken.into_iter().map(|line| format!("{what}: {line}")).collect());
    }
    row.worst = format!("{} requests inside", place.inside_requests.load(Ordering::Relaxed));
    println!("{}", serde_json::to_string(&row)?);
    Ok(())
}

type Attempt = fn(&Place, &Program) -> Result<Vec<String>>;

const ATTEMPTS: [(&str, Attempt); 7] = [
    ("moved to this machine between crawls", |place, program| moved(place, program, Ipv4Addr::LOCALHOST)),
    ("moved inside between crawls", |place, program| moved(place, program, INSIDE)),
    ("moved to the metadata service between crawls", |place, program| moved(place, program, METADATA)),
    ("moved within a crawl", within),
    ("a public and a private address", both),
    ("the metadata service as the root", metadata),
    ("an address that the user wrote", written),
];

/// The network: a public address, some inside, and a file of names.
struct Place {
    hosts: PathBuf,
    folder: tempfile::TempDir,
    inside_requests: AtomicUsize,
}

impl Place {
    fn make() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let hosts = folder.path().join("hosts");
        fs::write(&hosts, "127.0.0.1 localhost\n")?;
        command("ip", &["link", "set", "lo", "up"])?;
        for address in [PUBLIC, METADATA, INSIDE] {
            command("ip", &["address", "add", &format!("{address}/32"), "dev", "lo"])?;
        }
        let path = hosts.to_str().context("the folder has a name")?;
        command("mount", &["--bind", path, "/etc/hosts"])?;
        Ok(Self { hosts, folder, inside_requests: AtomicUsize::new(0) })
    }

    /// Says where the name leads from now on.
    fn point(&self, addresses: &[Ipv4Addr]) -> Result<()> {
        let lines = addresses.iter().map(|address| format!("{address} {NAME}\n"));
        Ok(fs::write(&self.hosts, lines.fold("127.0.0.1 localhost\n".to_owned(), |text, line| text + &line))?)
    }

    fn store(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.db"))
    }

    fn expect_untouched(&self, inside: &Listener) -> Vec<String> {
        let log = inside.log();
        self.inside_requests.fetch_add(log.len(), Ordering::Relaxed);
        log.first().map(|path| format!("{path} was asked for inside")).into_iter().collect()
    }
}

fn command(name: &str, arguments: &[&str]) -> Result<()> {
    let output =
        Command::new(name).args(arguments).output().with_context(|| format!("there is no `{name}`"))?;
    ensure!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}

fn url(port: u16) -> String {
    format!("http://{NAME}:{port}/")
}

fn expect_sentence(ended: &Ended) -> Vec<String> {
    let mut broken = ended.complaints(&[1, 2, 3]);
    if broken.is_empty() && ended.err.trim().is_empty() {
        broken.push("nothing was said".to_owned());
    }
    broken
}

fn moved(place: &Place, program: &Program, to: Ipv4Addr) -> Result<Vec<String>> {
    let public = Listener::start_at(PUBLIC, Weeks::new(PAGES))?;
    let inside = Listener::start_on(to, public.port(), Weeks::new(PAGES))?;
    let store = place.store(&format!("moved-{to}"));
    place.point(&[PUBLIC])?;
    let ended = run(&mut program.crawl(&url(public.port()), &store, FLAGS), LIMIT)?;
    let mut broken = ended.complaints(&[0]);
    place.point(&[to])?;
    let ended = run(&mut program.crawl(&url(public.port()), &store, FLAGS), LIMIT)?;
    broken.extend(expect_sentence(&ended));
    broken.extend(place.expect_untouched(&inside));
    Ok(broken)
}

fn within(place: &Place, program: &Program) -> Result<Vec<String>> {
    let public = Listener::start_at(PUBLIC, Weeks::new(PAGES))?;
    let inside = Listener::start_on(Ipv4Addr::LOCALHOST, public.port(), Weeks::new(PAGES))?;
    place.point(&[PUBLIC])?;
    let running = Running::start(&mut program.crawl(&url(public.port()), &place.store("within"), FLAGS))?;
    public.wait_for_requests(10, LIMIT);
    place.point(&[Ipv4Addr::LOCALHOST])?;
    // Connections that are open lead where they led; new ones do not.
    drop(public);
    let ended = running.wait(LIMIT)?;
    let mut broken = ended.complaints(&[0, 1, 3]);
    broken.extend(place.expect_untouched(&inside));
    Ok(broken)
}

fn both(place: &Place, program: &Program) -> Result<Vec<String>> {
    let public = Listener::start_at(PUBLIC, Weeks::new(PAGES))?;
    let inside = Listener::start_on(Ipv4Addr::LOCALHOST, public.port(), Weeks::new(PAGES))?;
    let mut broken = Vec::new();
    for (name, order) in [("one", [PUBLIC, Ipv4Addr::LOCALHOST]), ("other", [Ipv4Addr::LOCALHOST, PUBLIC])] {
        place.point(&order)?;
        let ended = run(&mut program.crawl(&url(public.port()), &place.store(name), FLAGS), LIMIT)?;
        broken.extend(ended.complaints(&[0, 1, 3]));
    }
    broken.extend(place.expect_untouched(&inside));
    Ok(broken)
}

fn metadata(place: &Place, program: &Program) -> Result<Vec<String>> {
    let inside = Listener::start_at(METADATA, Weeks::new(PAGES))?;
    let root = format!("http://{METADATA}:{}/", inside.port());
    let ended = run(&mut program.crawl(&root, &place.store("metadata"), FLAGS), LIMIT)?;
    let mut broken = expect_sentence(&ended);
    broken.extend(place.expect_untouched(&inside));
    Ok(broken)
}

fn written(place: &Place, program: &Program) -> Result<Vec<String>> {
    let inside = Listener::start_at(Ipv4Addr::LOCALHOST, Weeks::new(PAGES))?;
    let root = format!("http://localhost:{}/", inside.port());
    let ended = run(&mut program.crawl(&root, &place.store("written"), FLAGS), LIMIT)?;
    Ok(ended.complaints(&[0]))
}
