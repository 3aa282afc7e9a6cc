//! The main measurement: floor, wget2 and recrawl on one site, round after round.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::measure::measure;
use crate::programs;
use crate::report::{Changes, Row, RunReport, Scenario, machine};
use crate::server::SiteServer;

const CHANGED_PERCENT: u32 = 5;

/// What is to be measured on what.
pub(crate) struct Plan {
    /// Pages of the site.
    pub(crate) pages: u32,
    /// Timed rounds.
    pub(crate) repeat: u32,
    /// nginx, or none for the built-in server.
    pub(crate) nginx: Option<PathBuf>,
    /// wget2, where it is installed.
    pub(crate) wget: Option<PathBuf>,
    /// recrawl, unless it is left out.
    pub(crate) recrawl: Option<PathBuf>,
}

/// Runs one round that counts requests and bytes, then the timed rounds with counting off.
pub(crate) fn run(plan: &Plan) -> Result<RunReport> {
    let machine = machine();
    let mut rows = BTreeMap::new();
    let mut server = SiteServer::start(plan.nginx.as_deref(), plan.pages, true)?;
    let changes = Round { plan, server: &mut server, rows: &mut rows, counted: true }.run(0)?;
    drop(server);
    let mut server = SiteServer::start(plan.nginx.as_deref(), plan.pages, false)?;
    for number in 1..=plan.repeat {
        eprintln!("round {number} of {}", plan.repeat);
        Round { plan, server: &mut server, rows: &mut rows, counted: false }.run(number)?;
    }
    Ok(RunReport {
        machine,
        pages: plan.pages,
        server: if plan.nginx.is_some() { "nginx" } else { "builtin" },
        rows: rows.into_values().collect(),
        changes,
    })
}

/// One pass over all scenarios.
struct Round<'run> {
    plan: &'run Plan,
    server: &'run mut SiteServer,
    rows: &'run mut BTreeMap<Scenario, Row>,
    counted: bool,
}

impl Round<'_> {
    fn run(&mut self, number: u32) -> Result<Option<Changes>> {
        let folder = tempfile::tempdir()?;
        let folder = folder.path();
        let url = self.server.url();
        self.step(Scenario::FloorDownload, self.floor(&url, false)?, folder)?;
        self.step(Scenario::FloorRevalidate, self.floor(&url, true)?, folder)?;
        if let Some(wget) = &self.plan.wget {
            let mirror = folder.join("mirror");
            let first = programs::mirror(wget, &url, &mirror);
            self.step(Scenario::WgetFirst, first, folder)?;
            let mut again = programs::mirror(wget, &url, &mirror);
            again.arg("--timestamping");
            self.step(Scenario::WgetAgain, again, folder)?;
            fs::remove_dir_all(mirror)?;
        }
        let Some(recrawl) = &self.plan.recrawl else {
            return Ok(None);
        };
        let store = folder.join("recrawl.db");
        let crawl = |round: &mut Self, scenario| -> Result<()> {
            round.step(scenario, programs::crawl(recrawl, &url, &store), folder)?;
            let row = round.rows.entry(scenario).or_insert_with(|| Row::new(scenario));
            row.store_bytes = Some(programs::store_size(&store)?);
            Ok(())
        };
        crawl(self, Scenario::CrawlFirst)?;
        crawl(self, Scenario::CrawlUnchanged)?;
        let planted = self.server.change(CHANGED_PERCENT, number.into())?;
        crawl(self, Scenario::CrawlChanged)?;
        let found = programs::count_changes(recrawl, &store)?;
        Ok(Some(Changes { planted, found }))
    }

    fn floor(&self, url: &str, revalidate: bool) -> Result<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["floor", url, "--pages", &self.plan.pages.to_string()]);
        if revalidate {
            command.arg("--revalidate");
        }
        Ok(command)
    }

    fn step(&mut self, scenario: Scenario, mut command: Command, folder: &Path) -> Result<()> {
        // What the last step wrote is not to be flushed on this one's time.
        rustix::fs::syncfs(File::open(folder)?)?;
        let row = self.rows.entry(scenario).or_insert_with(|| Row::new(scenario));
        let log = folder.join("output.log");
        if !self.counted {
            row.usages.push(measure(&mut command, &log)?);
            return Ok(());
        }
        let before = self.server.counters()?;
        measure(&mut command, &log)?;
        let counters = self.server.counters()?.since(before);
        row.counters = Some(counters);
        // A crawler that misses pages is fast for the wrong reason.
        let visited = counters.ok + counters.not_modified;
        let name = scenario.name();
        ensure!(visited >= self.plan.pages.into(), "{name} visited only {visited} pages");
        Ok(())
    }
}
