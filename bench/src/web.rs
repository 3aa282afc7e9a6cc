//! The web page: how fast it answers, and whether crawling and looking disturb each other.

mod load;
mod report;
mod served;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use self::load::Load;
pub(crate) use self::report::WebReport;
use self::report::{Answer, Round};
pub(crate) use self::served::Served;
use crate::measure::{measure, measure_ending};
use crate::programs;
use crate::report::{Spread, machine};
use crate::server::Builtin;
use crate::site::{self, Shape};

/// What a page must hold to be the one that was meant: a list of changes, a difference.
const CHANGE: &str = "data-change";
const DIFFERENCE: &str = "class=\"difference";

/// What is to be measured.
pub(crate) struct Plan {
    /// The program.
    pub(crate) recrawl: PathBuf,
    /// Pages of the site that is shown, and of the one that is crawled meanwhile.
    pub(crate) pages: u32,
    /// Requests for each page while nothing else happens.
    pub(crate) requests: u32,
    /// Rounds of crawling with and without load.
    pub(crate) repeat: u32,
    /// Crawls of the other site in each half of a round.
    pub(crate) crawls: u32,
    /// Requests a second at which the other site is crawled.
    pub(crate) rate: String,
}

/// Makes a store, asks each page alone, then crawls into copies of the store with and without load.
pub(crate) fn run(plan: &Plan) -> Result<WebReport> {
    let machine = machine();
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("shown.db");
    let shown = Builtin::start(Shape::Full, plan.pages)?;
    let large = Builtin::start(Shape::Large, 2)?;
    eprintln!("crawling what is shown");
    fill(plan, &store, &shown, &large)?;

    let mut answers = Vec::new();
    let addresses = {
        let page = Served::start(programs::web_page(&plan.recrawl, &store))?;
        let addresses =
            page.addresses(&shown.url(), &format!("{}{}", large.url().trim_end_matches('/'), site::path(1)))?;
        for (name, address) in &addresses {
            eprintln!("{} requests: {name}", plan.requests);
            let served::Asked { first_ms, times, .. } =
                page.ask(address, plan.requests, &[CHANGE, DIFFERENCE])?;
            let ms = Spread::of(times).context("at least one request is made")?;
            answers.push(Answer { name, first_ms, ms });
        }
        addresses
    };

    let crawled = Builtin::start(Shape::Full, plan.pages)?;
    let mut rounds = Vec::new();
    for number in 1..=plan.repeat {
        eprintln!("round {number} of {}", plan.repeat);
        let half = |is_loaded: bool| -> Result<(f64, Option<Load>)> {
            let copy = folder.path().join("copy.db");
            fs::copy(&store, &copy)?;
            let page = Served::start(programs::web_page(&plan.recrawl, &copy))?;
            let load = is_loaded
                .then(|| load::start(&page, addresses.iter().map(|(_, address)| address.clone()).collect()));
            let wall = crawl_often(plan, &crawled, &copy, number)?;
            let load = load.map(load::Running::end).transpose()?;
            drop(page);
            remove(&copy)?;
            Ok((wall, load))
        };
        // Whichever comes first may find the machine in another mood.
        let (alone, loaded) = if number % 2 == 1 {
            let alone = half(false)?;
            (alone, half(true)?)
        } else {
            let loaded = half(true)?;
            (half(false)?, loaded)
        };
        let load = loaded.1.context("a load was started")?;
        rounds.push(Round { alone_s: alone.0, loaded_s: loaded.0, load });
    }
    Ok(WebReport {
        machine,
        pages: plan.pages,
        rate: plan.rate.clone(),
        requests: plan.requests,
        answers,
        rounds,
    })
}

/// Crawls the site that is shown three times, with 5 % and then all of its pages changed, and a large page twice.
fn fill(plan: &Plan, store: &Path, shown: &Builtin, large: &Builtin) -> Result<()> {
    let log = store.with_extension("log");
    // A crawl that finds everything changed may be unusual, and ends with 4.
    let crawl = |url: &str| measure_ending(&mut programs::crawl(&plan.recrawl, url, store), &log, &[0, 3, 4]);
    crawl(&large.url())?;
    large.change(100, 1)?;
    crawl(&large.url())?;
    crawl(&shown.url())?;
    for (percent, seed) in [(5, 1), (100, 2)] {
        let planted = shown.change(percent, seed)?;
        crawl(&shown.url())?;
        ensure!(planted > 0, "no page was changed");
    }
    Ok(())
}

/// Crawls the other site for the first time, then again after half of it changed; returns the seconds of all crawls.
fn crawl_often(plan: &Plan, crawled: &Builtin, store: &Path, round: u32) -> Result<f64> {
    let mut wall = 0.0;
    for crawl in 0..plan.crawls {
        if crawl > 0 {
            crawled.change(50, u64::from(round * plan.crawls + crawl))?;
        }
        rustix::fs::syncfs(File::open(store.parent().context("a store is in a folder")?)?)?;
        let mut command = programs::crawl_at(&plan.recrawl, &crawled.url(), store, &plan.rate);
        wall += measure(&mut command, &store.with_extension("log"))?.wall_s;
    }
    Ok(wall)
}

fn remove(store: &Path) -> Result<()> {
    let name = store.file_name().and_then(|name| name.to_str()).context("a store has a name")?;
    for entry in fs::read_dir(store.parent().context("a store is in a folder")?)? {
        let path = entry?.path();
        if path.file_name().and_then(|other| other.to_str()).is_some_and(|other| other.starts_with(name)) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
