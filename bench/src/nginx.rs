//! The site as files behind nginx, as the targets were measured.

use std::fs::{self, File};
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use crate::counters::Counters;
use crate::measure::Guard;
use crate::site::{self, ROBOTS, Shape, Site};

const START_LIMIT: Duration = Duration::from_secs(5);
/// The client may read an answer a moment before nginx writes its line about it.
const LOG_DELAY: Duration = Duration::from_millis(100);

/// A running nginx with its own folder; both go when it is dropped.
pub(crate) struct Nginx {
    // Dropped in this order: the process first, then its files.
    _process: Guard,
    folder: TempDir,
    site: Site,
    address: SocketAddr,
}

impl Nginx {
    /// Writes the pages and starts nginx; `counted` turns its access log on.
    pub(crate) fn start(program: &Path, pages: u32, counted: bool) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let site = Site::new(Shape::Full, pages);
        fs::create_dir_all(folder.path().join("site/p"))?;
        fs::write(folder.path().join("site/robots.txt"), ROBOTS)?;
        for page in site.pages() {
            write_page(folder.path(), &site, page)?;
        }
        let address = free_address()?;
        let configuration = folder.path().join("nginx.conf");
        fs::write(&configuration, configure(folder.path(), address, counted))?;
        let process = Command::new(program)
            .arg("-p")
            .arg(folder.path())
            .arg("-c")
            .arg(&configuration)
            .arg("-e")
            .arg(folder.path().join("error.log"))
            .stdin(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let mut process = Guard(process);
        let started = Instant::now();
        while TcpStream::connect(address).is_err() {
            let is_running = process.0.try_wait()?.is_none() && started.elapsed() < START_LIMIT;
            ensure!(is_running, "nginx does not answer on {address}");
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(Self { _process: process, folder, site, address })
    }

    /// Returns where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Rewrites `percent` of the pages and returns how many.
    pub(crate) fn change(&mut self, percent: u32, seed: u64) -> Result<usize> {
        let changed = self.site.change(percent, seed);
        for &page in &changed {
            write_page(self.folder.path(), &self.site, page)?;
        }
        Ok(changed.len())
    }

    /// Counts the access log, which must be on.
    pub(crate) fn counters(&self) -> Result<Counters> {
        std::thread::sleep(LOG_DELAY);
        let log = fs::read_to_string(self.folder.path().join("access.log"))
            .context("cannot read the access log")?;
        count(&log)
    }
}

fn count(log: &str) -> Result<Counters> {
    let mut counters = Counters::default();
    for line in log.lines() {
        let (status, bytes) = line.split_once(' ').context("a strange line in the access log")?;
        counters.count(status.parse()?, bytes.parse()?);
    }
    Ok(counters)
}

/// Writes one page and dates it by its version: two versions within a second, or of one
/// size, must not share the entity tag that nginx makes of date and size.
fn write_page(folder: &Path, site: &Site, page: u32) -> Result<()> {
    let name = match page {
        0 => PathBuf::from("index.html"),
        _ => PathBuf::from(site::path(page).trim_start_matches('/')),
    };
    let mut file = File::create(folder.join("site").join(name))?;
    file.write_all(site.render(page).as_bytes())?;
    Ok(file.set_modified(site.modified(page))?)
}

fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

fn configure(folder: &Path, address: SocketAddr, counted: bool) -> String {
    let folder = folder.display();
    let log = if counted { format!("{folder}/access.log count") } else { "off".to_owned() };
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("    {kind}_temp_path {folder}/{kind};\n"))
        .concat();
    // One process in the foreground: one worker's speed, and nothing left when it is killed.
    format!(
        "daemon off;
master_process off;
pid {folder}/nginx.pid;
events {{ worker_connections 1024; }}
http {{
{temporary}    log_format count '$status $bytes_sent';
    access_log {log};
    types {{ text/html html; text/plain txt; }}
    charset utf-8;
    sendfile on;
    tcp_nopush on;
    etag on;
    keepalive_requests 1000000;
    server {{ listen {address}; root {folder}/site; }}
}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_access_log_is_counted_by_status() {
        let counters = count("200 1000\n304 200\n404 300\n304 200\n").unwrap();
        assert_eq!(counters, Counters { requests: 4, ok: 1, not_modified: 2, bytes: 1_700 });
        assert!(count("nonsense\n").is_err());
    }

    #[test]
    fn a_changed_file_is_dated_by_its_version() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("site/p")).unwrap();
        let mut site = Site::new(Shape::Small, 20);
        for expected in ["index.html", "p/7.html"] {
            let page = if expected == "index.html" { 0 } else { 7 };
            let file = folder.path().join("site").join(expected);
            write_page(folder.path(), &site, page).unwrap();
            let (text, date) = (fs::read(&file).unwrap(), file.metadata().unwrap().modified());
            site.change(100, 1);
            write_page(folder.path(), &site, page).unwrap();
            assert_ne!(fs::read(&file).unwrap(), text);
            assert!(file.metadata().unwrap().modified().unwrap() > date.unwrap());
        }
    }
}
