//! `recrawl diff`: what changed between two versions of a page.

mod brief;
mod html;
mod passages;
mod side;
mod side_by_side;
mod terminal;
mod unified;

use std::io::Write;

use anyhow::bail;
use jiff::Timestamp;
use recrawl_core::decide::{Order, is_first_crawl};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::History;
use recrawl_core::url::PageUrl;
use recrawl_core::versions::{Version, versions};
use recrawl_extract::HtmlExtractor;
use recrawl_reports::difference::compare_beside;

use self::brief::Brief;
use self::passages::{Passage, passages};
use self::side::Side;
use super::rules::default_extractor;
use super::source::SourceArguments;
use super::wait_for;
use super::when::Point;
use crate::exit::ExitStatus;
use crate::output::{self, day, sanitize_for_terminal};

/// The width of a side-by-side comparison that nothing limits.
const UNLIMITED_WIDTH: usize = 160;

/// Show what changed on a page, between its two latest versions or any others
///
/// This compares the canonical text, without noise; then the links, and the images if both bodies were kept.
/// A document such as PDF is compared as a page is. An image, a redirect, or a document that cannot be read is compared by
/// its size, hash and headers.
#[derive(Debug, clap::Args)]
pub(crate) struct DiffArguments {
    /// The page: its URL, or its path below the site
    url: String,

    #[command(flatten)]
    source: SourceArguments,

    /// The older version: as of a crawl or a time (a date: its end, UTC) [default: the one before]
    #[arg(long, value_name = "CRAWL|TIME")]
    from: Option<Point>,

    /// The newer version: as of a crawl or a time (a date: its end, UTC) [default: the latest]
    #[arg(long, value_name = "CRAWL|TIME")]
    to: Option<Point>,

    /// Show the whole page, with every line that is the same, shared or noise
    #[arg(long)]
    all: bool,

    /// How to print [default: for people on a terminal, unified elsewhere]
    #[arg(long, value_enum)]
    format: Option<DiffFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum DiffFormat {
    /// For people: what is the page's own, the rest folded with its counts
    Brief,
    /// Lines taken out and put in, with three lines around them
    Unified,
    /// Both versions in two columns
    SideBySide,
    /// A page of its own, for a browser
    Html,
}

impl DiffArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let now = Timestamp::now();
        wait_for(async {
            let source = self.source.open().await?;
            let page = source.page(&self.url).await?;
            let judged = page.visits.judged(self.to.as_ref().and_then(Point::crawl));
            let all = versions(&judged.visits);
            let from = self.from.as_ref().map(|from| page.visits.judged(from.crawl()));
            let earlier = from.as_ref().map_or_else(|| all.clone(), |from| versions(&from.visits));
            let is_default = self.from.is_none() && self.to.is_none();
            let flag = source.flag();
            let brief = Brief { history: &*source.history, page: &page, flag: &flag, all: self.all, now };
            if let Some(last) = all.last().filter(|_| is_default && self.is_brief())
                && brief.tell_one(last, &judged.visits).await?
            {
                return Ok(ExitStatus::Success);
            }
            let extractor = default_extractor(&page.site)?;
            if let Some(last) = all.last().filter(|_| is_default)
                && let Some((older, newer)) = one_sided(&*source.history, &extractor, last, now).await?
            {
                self.print(&older, &newer)?;
                return Ok(ExitStatus::Success);
            }
            let Some((older, newer)) = self.chosen(&earlier, &all, &page.visits.order, now)? else {
                output::note(&unchanged(&page.url, &all, now))?;
                if let Some(remark) = all.last().and_then(|version| judged.remark_of(version)) {
                    output::note(&sanitize_for_terminal(&remark))?;
                }
                return Ok(ExitStatus::Success);
            };
            if let Some(remark) = judged.remark_of(newer) {
                output::note(&sanitize_for_terminal(&remark))?;
            }
            if self.is_brief() && brief.compare(older, newer).await? {
                return Ok(ExitStatus::Success);
            }
            let older = Side::older(&*source.history, &extractor, older).await?;
            let newer = Side::newer(&*source.history, &extractor, newer).await?;
            self.print(&older, &newer)?;
            Ok(ExitStatus::Success)
        })
    }

    fn is_brief(&self) -> bool {
        match self.format {
            Some(format) => format == DiffFormat::Brief,
            None => output::is_terminal(),
        }
    }

    /// Returns the two versions to compare; `None` if they are one.
    fn chosen<'v, 'a>(
        &self,
        earlier: &'v [Version<'a>],
        all: &'v [Version<'a>],
        of_crawls: &Order,
        now: Timestamp,
    ) -> anyhow::Result<Option<(&'v Version<'a>, &'v Version<'a>)>> {
        let newer = match &self.to {
            Some(point) => Some(at(all, point, of_crawls, now)?),
            None => all.last(),
        };
        let Some(newer) = newer else { return Ok(None) };
        let older = match &self.from {
            Some(point) => Some(at(earlier, point, of_crawls, now)?),
            None => all.iter().rev().find(|version| version.number < newer.number),
        };
        Ok(older.filter(|older| older.first.crawl != newer.first.crawl).map(|older| (older, newer)))
    }

    fn print(&self, older: &Side, newer: &Side) -> anyhow::Result<()> {
        let (mut passages, is_coarse) = passages(&older.text, &newer.text);
        let (beside, mut notes) = compare_beside(&older.surroundings, &newer.surroundings);
        if is_coarse {
            notes.push(
                "The versions are too large to be compared line by line: whole blocks are shown as replaced, which may \
                 have lines in common."
                    .to_owned(),
            );
        }
        passages.extend(beside.iter().map(Passage::of_addresses));
        match self.format.unwrap_or(DiffFormat::Unified) {
            DiffFormat::Brief | DiffFormat::Unified => {
                let mut out = output::styled();
                unified::write(&mut out, older, newer, &passages)?;
                out.flush()?;
            }
            DiffFormat::SideBySide => {
                let mut out = output::styled();
                let width = output::terminal_width().unwrap_or(UNLIMITED_WIDTH);
                side_by_side::write(&mut out, older, newer, &passages, width)?;
                out.flush()?;
            }
            DiffFormat::Html => {
                let mut out = output::raw();
                html::write(&mut out, older, newer, &passages, &notes)?;
                out.flush()?;
            }
        }
        if passages.is_empty() && !older.is_absent && !newer.is_absent {
            output::note("The two versions have the same text.")?;
        }
        notes.iter().try_for_each(|note| output::note(note))?;
        Ok(())
    }
}

/// Returns both sides of a page that is gone, or that no earlier crawl saw: what it said, and what it says. Says which of
/// the two it is.
async fn one_sided(
    history: &dyn History,
    extractor: &HtmlExtractor,
    last: &Version<'_>,
    now: Timestamp,
) -> anyhow::Result<Option<(Side, Side)>> {
    if let Some(gone) = last.gone {
        let status = gone.visit.status.map_or_else(String::new, |status| format!(" ({status})"));
        let since = day(gone.visit.fetched_at, now);
        output::note(&format!("{} is gone since {since}{status}; it said:", gone.url))?;
        return Ok(Some((Side::older(history, extractor, last).await?, Side::absent(gone))));
    }
    let (first, site) = (last.first, &last.first.site);
    let is_seen_once = first.visit.verdict == Verdict::New && last.last.crawl == first.crawl;
    if !is_seen_once || is_first_crawl(&history.crawls(site).await?, first.crawl) {
        return Ok(None);
    }
    output::note(&format!("{} is new since {}; it says:", first.url, day(first.visit.fetched_at, now)))?;
    Ok(Some((Side::absent(first), Side::newer(history, extractor, last).await?)))
}

fn at<'v, 'a>(
    all: &'v [Version<'a>],
    point: &Point,
    of_crawls: &Order,
    now: Timestamp,
) -> anyhow::Result<&'v Version<'a>> {
    match (point.version(all, of_crawls, now), all.first()) {
        (Some(version), _) => Ok(version),
        (None, Some(first)) => {
            bail!("the page was not seen by {}, but first in {}", point.shown(now), first.first.crawl)
        }
        (None, None) => bail!("the page was visited and never had content"),
    }
}

/// Says why there is nothing to compare.
fn unchanged(url: &PageUrl, all: &[Version<'_>], now: Timestamp) -> String {
    match all {
        [] => format!("{url} was visited and never had content: nothing to compare."),
        [only] => match only.gone {
            Some(gone) => {
                format!(
                    "{url} is gone since {}; it never said anything else.",
                    day(gone.visit.fetched_at, now)
                )
            }
            None => format!("{url} has not changed since {}.", day(only.first_seen(), now)),
        },
        [..] => {
            format!("{url} has no other version then: nothing to compare (see `recrawl history`).")
        }
    }
}
