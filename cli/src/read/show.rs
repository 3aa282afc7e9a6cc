//! `recrawl show`: one version of a page.

use std::fmt::Write as _;

use anyhow::{anyhow, bail};
use jiff::Timestamp;
use recrawl_core::model::ids::RulesVersion;
use recrawl_core::model::record::{ContentRef, PageRecord, Presence};
use recrawl_core::versions::{failures, versions};
use recrawl_reports::file_name;
use recrawl_reports::history::Judged;

use super::page::Page;
use super::source::{Source, SourceArguments};
use super::wait_for;
use super::when::Point;
use crate::exit::ExitStatus;
use crate::output::{self, day_and_time, sanitize_for_terminal};

/// Show one version of a page: its text, body, headers or links
#[derive(Debug, clap::Args)]
pub(crate) struct ShowArguments {
    /// The page: its URL, or its path below the site
    url: String,

    #[command(flatten)]
    source: SourceArguments,

    /// The version at this time: 2026-11-16T03:12:00Z, 2026-11-16 (end of day, UTC), "3 weeks ago", or as of a crawl
    /// [default: the latest]
    #[arg(long, value_name = "TIME|CRAWL")]
    at: Option<Point>,

    /// What to show of it
    #[arg(long = "as", value_enum, default_value_t)]
    part: Part,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// What a person reads on the page
    #[default]
    Text,
    /// The body as it was received, where it was kept; also of files such as PDF
    #[value(alias = "html")]
    Body,
    /// The status and the headers that are stored
    Headers,
    /// The pages it links to, one a line
    Links,
}

impl ShowArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let now = Timestamp::now();
        wait_for(async {
            let source = self.source.open().await?;
            let page = source.page(&self.url).await?;
            let judged = page.visits.judged(self.at.as_ref().and_then(Point::crawl));
            let all = versions(&judged.visits);
            let version = match &self.at {
                Some(at) => at.version(&all, &page.visits.order, now),
                None => all.last(),
            };
            let Some(version) = version else {
                bail!(match all.first() {
                    Some(first) =>
                        format!("{} was not seen before {} (UTC)", page.url, day_and_time(first.first_seen())),
                    None => format!("{} was visited and never had content", page.url),
                });
            };
            if let Some(remark) = judged.remark_of(version) {
                output::note(&sanitize_for_terminal(&remark))?;
            }
            if let Some(gone_at) = version.gone_at() {
                output::note(&format!(
                    "This is the last version before the page was gone, {} (UTC).",
                    day_and_time(gone_at)
                ))?;
            }
            if let Some(failed) = failed_since(&page, &judged, version.number, self.at.as_ref(), now) {
                output::note(&failed)?;
            }
            let shown = match self.part {
                Part::Headers => headers(version.last).into_bytes(),
                Part::Text => text(&source, version.last).await?.into_bytes(),
                Part::Body => body(&source, version.last).await?,
                Part::Links => links(&source, version.last).await?.into_bytes(),
            };
            output::print_text(&shown)?;
            Ok(ExitStatus::Success)
        })
    }
}

/// Says that visits failed after a version was last seen, and by the time that is asked for.
fn failed_since(
    page: &Page,
    judged: &Judged,
    version: usize,
    at: Option<&Point>,
    now: Timestamp,
) -> Option<String> {
    let (visits, order) = (&judged.visits, &page.visits.order);
    let by_then: Vec<PageRecord> = match at {
        Some(at) => visits.iter().filter(|visit| at.includes(visit, order, now)).cloned().collect(),
        None => visits.clone(),
    };
    let failures = failures(&by_then);
    let failed = failures.last().filter(|failed| failed.after == version)?;
    let (since, visits) = failed.since?;
    Some(format!(
        "This is the last version that could be read: {} failed since {} (UTC): {}.",
        output::counted(visits as u64, "visit"),
        day_and_time(since.visit.fetched_at),
        sanitize_for_terminal(failed.last.visit.reason.as_deref().unwrap_or("no reason is known"))
    ))
}

/// Returns the status and the stored headers, a line each.
pub(super) fn headers(record: &PageRecord) -> String {
    let headers = &record.known.headers;
    let mut lines = format!("url: {}\n", record.url);
    let status = record.visit.status.map(|status| status.to_string());
    for (name, value) in [
        ("status", status.as_ref()),
        ("content-type", headers.content_type.as_ref()),
        ("etag", headers.etag.as_ref()),
        ("last-modified", headers.last_modified.as_ref()),
        ("location", headers.location.as_ref()),
        ("x-robots-tag", headers.robots_tag.as_ref()),
    ] {
        // A header that was sent several times has a line each.
        for value in value.into_iter().flat_map(|value| value.lines()) {
            // Writing into a string cannot fail.
            let _ = writeln!(lines, "{name}: {value}");
        }
    }
    if let Some(document) = record.document() {
        let _ = writeln!(lines, "document: {document}");
    }
    let _ = writeln!(lines, "fetched-at: {}", record.visit.fetched_at);
    lines
}

async fn text(source: &Source, record: &PageRecord) -> anyhow::Result<String> {
    let reference = content(record)?;
    if reference.rules == RulesVersion::bytes() {
        let kind = record.known.headers.content_type.as_deref().unwrap_or("not HTML");
        let kind = output::sanitize_for_terminal(kind);
        if let Some(document) = record.document() {
            let document = output::sanitize_for_terminal(document);
            bail!("{} has no text that could be read ({document}); --as body is the file", record.url);
        }
        bail!("{} is {kind}, which has no text; --as headers tells what is known of it", record.url);
    }
    let mut text = source.history.text(&record.site, &reference.semantic).await?.unwrap_or_default();
    text.push('\n');
    Ok(text)
}

async fn body(source: &Source, record: &PageRecord) -> anyhow::Result<Vec<u8>> {
    let body = source.history.body(&record.site, content(record)?).await?;
    if body.as_ref().is_some_and(|body| output::is_terminal() && std::str::from_utf8(body).is_err()) {
        let name =
            file_name(&record.url, record.visit.fetched_at, record.known.headers.content_type.as_deref());
        bail!(
            "this is no text: write it into a file, as in recrawl show{} {} --as body > {name}",
            source.flag(),
            record.url
        );
    }
    body.ok_or_else(|| {
        anyhow!("the body of {} was not kept (`recrawl crawl --keep-bodies` decides that); its text was: --as text", record.url)
    })
}

async fn links(source: &Source, record: &PageRecord) -> anyhow::Result<String> {
    let links = source.history.links(&record.site, &[content(record)?.hash]).await?;
    let mut text = String::new();
    for link in links.into_iter().flatten().flatten() {
        text.push_str(link.as_str());
        text.push('\n');
    }
    Ok(text)
}

/// Returns the content of a version, unless it is a redirect.
fn content(record: &PageRecord) -> anyhow::Result<&ContentRef> {
    if record.known.presence == Presence::Redirect {
        let target = record.location().unwrap_or_else(|| "nowhere".to_owned());
        bail!(
            "{} redirects to {}; --as headers shows how",
            record.url,
            output::sanitize_for_terminal(&target)
        );
    }
    record.known.content.as_ref().ok_or_else(|| anyhow!("{} has no content", record.url))
}
