//! Real pages: trees of HTML that nobody here wrote, crawled twice.

mod packages;
mod report;
mod tree;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

pub(crate) use self::packages::DEFAULT as DEFAULT_PACKAGES;
pub(crate) use self::report::RealReport;
use self::report::{Row, Visit};
use self::tree::Tree;
use crate::listener::Listener;
use crate::measure::measure_ending;
use crate::programs;
use crate::report::machine;

/// What is to be crawled.
pub(crate) struct Plan {
    /// The program.
    pub(crate) recrawl: PathBuf,
    /// Folders to crawl in place of those of the packages.
    pub(crate) folders: Vec<PathBuf>,
    /// Debian packages whose documents are crawled.
    pub(crate) packages: Vec<String>,
}

/// Crawls every tree twice, and reports what the program made of it.
pub(crate) fn run(plan: &Plan) -> Result<RealReport> {
    let machine = machine();
    let mut trees = Vec::new();
    for folder in &plan.folders {
        trees.push((folder.display().to_string(), folder.clone()));
    }
    if trees.is_empty() {
        packages::install(&plan.packages)?;
        for package in &plan.packages {
            trees.push((package.clone(), packages::html_folder(package)?));
        }
    }
    let mut rows = Vec::new();
    for (name, folder) in trees {
        eprintln!("crawling {}", folder.display());
        rows.push(crawl_twice(&plan.recrawl, name, &folder)?);
    }
    Ok(RealReport { machine, rows })
}

fn crawl_twice(recrawl: &Path, name: String, folder: &Path) -> Result<Row> {
    let tree = Tree::read(folder)?;
    ensure!(!tree.is_empty(), "there is no HTML file below {}", folder.display());
    let (files, round) = (tree.len(), tree.round());
    let server = Listener::start(tree)?;
    let work = tempfile::tempdir()?;
    let store = work.path().join("recrawl.db");
    let mut row = Row { name, files, ..Row::default() };
    for number in 0..2 {
        round.store(number, std::sync::atomic::Ordering::Relaxed);
        let log = work.path().join("crawl.log");
        let mut command = programs::crawl(recrawl, &server.url(), &store);
        // A crawl that fell is a finding, not an obstacle to the other trees.
        match measure_ending(&mut command, &log, &[0, 3, 4]) {
            Ok(usage) => row.crawls.push(usage),
            Err(error) => {
                row.fell = Some(format!("{error:#}"));
                return Ok(row);
            }
        }
    }
    let visits = programs::query(
        recrawl,
        &store,
        "SELECT crawl, url, verdict, status, reason, received_bytes FROM visits ORDER BY crawl, url",
    )?;
    let visits: Vec<Visit> = visits.iter().map(visit).collect::<Result<_>>()?;
    row.add(&visits);
    Ok(row)
}

fn visit(row: &Value) -> Result<Visit> {
    let text = |name: &str| row[name].as_str().map(str::to_owned);
    Ok(Visit {
        crawl: text("crawl").context("a visit without a crawl")?,
        url: text("url").context("a visit without an address")?,
        verdict: text("verdict").context("a visit without a verdict")?,
        status: row["status"].as_u64(),
        reason: text("reason"),
        bytes: row["received_bytes"].as_u64().unwrap_or_default(),
    })
}
