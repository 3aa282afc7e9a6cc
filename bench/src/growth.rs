//! What a crawl costs as the site grows.

use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde::Serialize;

use crate::measure::measure;
use crate::programs;
use crate::report::{Spread, TARGET_HEAD, float, machine, megabytes, target};
use crate::server::Builtin;
use crate::site::Shape;

/// The outcome of `growth`.
#[derive(Debug, Serialize)]
pub(crate) struct GrowthReport {
    machine: String,
    sizes: Vec<Size>,
}

/// The first crawl of a site of one size.
#[derive(Debug, Serialize)]
struct Size {
    pages: u32,
    wall_s: Spread,
    cpu_s: Spread,
    peak_bytes: Spread,
    store_bytes: u64,
}

impl Size {
    fn wall_per_page(&self) -> f64 {
        1e6 * self.wall_s.median / f64::from(self.pages)
    }

    fn bytes_per_url_beyond(&self, smaller: &Self) -> f64 {
        let urls = f64::from(self.pages) - f64::from(smaller.pages);
        (self.peak_bytes.median - smaller.peak_bytes.median) / urls
    }
}

/// Crawls small-paged sites of the given sizes, each `repeat` times into an empty store.
pub(crate) fn run(recrawl: &Path, sizes: &[u32], repeat: u32) -> Result<GrowthReport> {
    let machine = machine();
    let sizes = sizes.iter().map(|&pages| measure_size(recrawl, pages, repeat));
    Ok(GrowthReport { machine, sizes: sizes.collect::<Result<_>>()? })
}

fn measure_size(recrawl: &Path, pages: u32, repeat: u32) -> Result<Size> {
    let server = Builtin::start(Shape::Small, pages)?;
    let mut usages = Vec::new();
    let mut store_bytes = 0;
    for round in 1..=repeat {
        eprintln!("{pages} pages, round {round} of {repeat}");
        let folder = tempfile::tempdir()?;
        let store = folder.path().join("recrawl.db");
        let before = server.counters()?;
        rustix::fs::syncfs(File::open(folder.path())?)?;
        let mut command = programs::crawl(recrawl, &server.url(), &store);
        usages.push(measure(&mut command, &folder.path().join("output.log"))?);
        let visited = server.counters()?.since(before).ok;
        ensure!(visited >= pages.into(), "the crawl visited only {visited} of {pages} pages");
        store_bytes = programs::store_size(&store)?;
    }
    let spread = |values: Vec<f64>| Spread::of(values).context("at least one round is wanted");
    Ok(Size {
        pages,
        wall_s: spread(usages.iter().map(|usage| usage.wall_s).collect())?,
        cpu_s: spread(usages.iter().map(|usage| usage.cpu_s).collect())?,
        peak_bytes: spread(usages.iter().map(|usage| float(usage.peak_bytes)).collect())?,
        store_bytes,
    })
}

/// Writes the table and the targets as Markdown.
pub(crate) fn markdown(report: &GrowthReport) -> String {
    let GrowthReport { machine, sizes } = report;
    let mut text = format!(
        "first crawl of pages of 1 KB, {machine}\n\n\
        | pages | wall s | µs a page | CPU s | peak MB | bytes of memory a further URL | store MB | store bytes a page |\n\
        |---|---|---|---|---|---|---|---|\n"
    );
    for (position, size) in sizes.iter().enumerate() {
        let smaller = position.checked_sub(1).and_then(|before| sizes.get(before));
        let growth = smaller.map(|smaller| format!("{:.0}", size.bytes_per_url_beyond(smaller)));
        let _ = writeln!(
            text,
            "| {} | {} | {:.0} | {} | {:.1} | {} | {:.1} | {:.0} |",
            size.pages,
            size.wall_s,
            size.wall_per_page(),
            size.cpu_s,
            size.peak_bytes.median / 1e6,
            growth.unwrap_or_default(),
            megabytes(size.store_bytes),
            float(size.store_bytes) / f64::from(size.pages),
        );
    }
    if let [first, .., last] = sizes.as_slice() {
        text.push_str(TARGET_HEAD);
        let cost = last.wall_per_page() / first.wall_per_page();
        text.push_str(&target("time a page, largest ÷ smallest site", cost, "≤", 1.2));
        let memory = last.bytes_per_url_beyond(first);
        text.push_str(&target("bytes of memory a known URL", memory, "≤", 200.0));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(pages: u32, wall: f64, peak: f64) -> Size {
        let spread = |value| Spread { median: value, least: value, most: value };
        Size {
            pages,
            wall_s: spread(wall),
            cpu_s: spread(wall),
            peak_bytes: spread(peak),
            store_bytes: 1_000 * u64::from(pages),
        }
    }

    #[test]
    fn growth_is_judged_between_the_smallest_and_the_largest_site() {
        let text = markdown(&GrowthReport {
            machine: String::new(),
            sizes: vec![size(1_000, 0.1, 20e6), size(11_000, 2.2, 21e6)],
        });
        for line in [
            "| 11000 | 2.200 (2.200..2.200) | 200 | 2.200 (2.200..2.200) | 21.0 | 100 | 11.0 | 1000 |",
            "| time a page, largest ÷ smallest site | 2.000 | ≤ 1.2 | **no** |",
            "| bytes of memory a known URL | 100 | ≤ 200 | yes |",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}
