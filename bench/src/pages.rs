//! The pages of `recrawl serve` over a year of crawls: how fast they are, and how large.

mod report;
mod town;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::{Context as _, Result, anyhow, ensure};

use self::report::Page;
pub(crate) use self::report::PagesReport;
use self::town::Town;
use crate::listener::Listener;
use crate::measure::measure_ending;
use crate::report::{Spread, machine};
use crate::web::Served;
use crate::{false_clock, programs};

/// How many changes a page of a list has.
const PER_PAGE: u64 = 50;

/// What is to be measured.
pub(crate) struct Plan {
    /// The program.
    pub(crate) recrawl: PathBuf,
    /// Pages of the site.
    pub(crate) pages: usize,
    /// Crawls, a week apart.
    pub(crate) weeks: usize,
    /// Pages that are edited in the last week.
    pub(crate) changes: usize,
    /// Requests for each page.
    pub(crate) requests: u32,
    /// A store that an earlier run has kept; made where it is not there.
    pub(crate) store: Option<PathBuf>,
}

/// Crawls the site week after week, then asks for its pages.
pub(crate) fn run(plan: &Plan) -> Result<PagesReport> {
    let machine = machine();
    let folder = tempfile::tempdir()?;
    let store = plan.store.clone().unwrap_or_else(|| folder.path().join("pages.db"));
    if !store.exists() {
        fill(plan, &store)?;
    }
    let served = Served::start(programs::whole_web_page(&plan.recrawl, &store))?;
    let mut pages = Vec::new();
    for (name, address, most_ms) in addresses(&served)? {
        eprintln!("{} requests: {name}", plan.requests);
        let asked = served.ask(&address, plan.requests, &["</html>", "</feed>"])?;
        let ms = Spread::of(asked.times).context("at least one request is made")?;
        pages.push(Page { name, address, first_ms: asked.first_ms, ms, bytes: asked.bytes, most_ms });
    }
    Ok(PagesReport { machine, pages: plan.pages, weeks: plan.weeks, requests: plan.requests, answers: pages })
}

/// Crawls once a week, the last time now.
fn fill(plan: &Plan, store: &Path) -> Result<()> {
    let library = false_clock::library().map_err(|reason| anyhow!(reason))?;
    let town = Town::new(plan.pages, plan.weeks, plan.changes);
    let week = town.week();
    let server = Listener::start(town)?;
    let log = store.with_extension("log");
    for number in 0..plan.weeks {
        eprintln!("crawl {} of {}", number + 1, plan.weeks);
        week.store(number, Ordering::Relaxed);
        let offset = format!("-{}d", 7 * (plan.weeks - 1 - number));
        let crawl = programs::crawl(&plan.recrawl, &server.url(), store);
        measure_ending(&mut false_clock::at(crawl, &library, &offset), &log, &[0])?;
    }
    Ok(())
}

/// Returns the pages to measure, each with what it is called and how long it may take.
fn addresses(served: &Served) -> Result<Vec<(&'static str, String, f64)>> {
    let sites = served.json("/api/v1/sites")?;
    let site = sites["items"][0]["id"].as_str().context("the API lists a site")?.to_owned();
    let crawls = served.json(&format!("/api/v1/sites/{site}/crawls?limit=2"))?;
    let crawl = crawls["items"][0]["id"].as_str().context("the site has a crawl")?;
    let changes =
        served.json(&format!("/api/v1/sites/{site}/crawls/{crawl}/changes?kind=changed&limit=1"))?;
    let url = changes["changes"][0]["url"].as_str().context("the crawl found a change")?;
    let query = reqwest::Url::parse_with_params("http://none/", [("url", url)])?;
    let url = query.query().context("a query was given")?;
    let total = changes["total"].as_u64().unwrap_or_default();
    ensure!(total > 0, "the last crawl found nothing");
    eprintln!("the last crawl found {total} changes");
    let (of_site, list) = (format!("/sites/{site}"), format!("/sites/{site}/crawls/{crawl}"));
    let end = total.div_ceil(PER_PAGE);
    Ok(vec![
        ("first screen", "/".to_owned(), 100.0),
        ("first screen, 30 days", "/?since=30d".to_owned(), 300.0),
        ("list of a crawl", list.clone(), 300.0),
        ("its last page", format!("{list}?page={end}"), 300.0),
        ("unseen of it, by path", format!("{list}?unseen=true&path=%2Fpart-3%2F"), 300.0),
        ("with what is around and noise", format!("{list}?tier=3"), 300.0),
        ("sites", "/sites".to_owned(), 100.0),
        ("a site", of_site.clone(), 300.0),
        ("all its crawls", format!("{of_site}?crawls=all"), 300.0),
        (
            "a difference, from the list",
            format!("{of_site}/diff?{url}&to={crawl}&list={}", list.replace('/', "%2F")),
            300.0,
        ),
        ("a history", format!("{of_site}/page?{url}"), 300.0),
        ("search", "/search?q=town".to_owned(), 300.0),
        // Every stored text is read.
        ("search in old versions", "/search?q=town&when=ever".to_owned(), 10_000.0),
        ("a feed", "/feeds.atom".to_owned(), 1_000.0),
    ])
}
