//! `recrawl sites`: where every site stands, those that need a look first.

use std::collections::HashMap;
use std::io::Write;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::site_plan::SitePlan;
use recrawl_reports::sites::SiteLine;
use recrawl_reports::{ReportCache, Reports};
use recrawl_settings::Environment;
use recrawl_sites::SiteConfig;
use recrawl_stores::{Access, OpenStore, StoreAddress, open};

use super::source::SourceArguments;
use super::wait_for;
use crate::exit::ExitStatus;
use crate::output::{self, Column, PlainFormat, Sheet, day, grouped};
use crate::settings;
use crate::sites::SitesAction;

/// List sites and where each stands, those that need a look first; add, change, rename or remove one
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct SitesArguments {
    #[command(subcommand)]
    action: Option<SitesAction>,

    #[command(flatten)]
    source: SourceArguments,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

impl SitesArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        if let Some(action) = self.action {
            return action.run();
        }
        let now = Timestamp::now();
        wait_for(async {
            let source = self.source.open().await?;
            let sites = source.sites().await?;
            let cache = ReportCache::default();
            let reports = Reports {
                history: &*source.history,
                reviews: Some(&*source.state_store),
                cache: &cache,
                now,
            };
            let plans = plans(self.source.address()).await?;
            let mut rows = reports.site_lines(&sites).await?;
            for row in &mut rows {
                let site = sites.iter().find(|site| site.id == row.site);
                let planned = plans.get(&row.site);
                row.next_crawl = match planned {
                    Some(plan) => next_by_plan(&row.site, plan, now),
                    None => site.map(|site| next_crawl(site, now)).transpose()?.flatten(),
                };
            }
            match self.format {
                PlainFormat::Json => output::print_json(&rows)?,
                PlainFormat::Table => {
                    let mut out = output::styled();
                    let width = output::terminal_width();
                    sheet(&rows, now)
                        .narrowed(width, &["next crawl", "last crawl"])
                        .write_table(&mut out, width)?;
                    out.flush()?;
                }
            }
            Ok(ExitStatus::Success)
        })
    }
}

/// Returns what is written about sites that a service watches.
async fn plans(address: &StoreAddress) -> anyhow::Result<HashMap<SiteId, SitePlan>> {
    if address.file().is_some() {
        return Ok(HashMap::new());
    }
    let OpenStore::Remote(store) = open(address, Access::Read).await? else { return Ok(HashMap::new()) };
    let planned = store.planned_sites().await?.into_iter();
    Ok(planned.filter_map(|stored| Some((stored.site.id, stored.plan?))).collect())
}

/// Returns when a service crawls a site next by what is written about it.
fn next_by_plan(site: &SiteId, plan: &SitePlan, now: Timestamp) -> Option<Timestamp> {
    let anywhere = "https://example.org/".parse().ok()?;
    let config = SiteConfig::read(site, &anywhere, &plan.settings, &Environment::default(), false).ok()?;
    config.crawl.timetable()?.schedule.next_run(now)
}

/// Returns when a site is crawled next by its schedule, where it has one.
fn next_crawl(site: &Site, now: Timestamp) -> anyhow::Result<Option<Timestamp>> {
    let file = settings::read_file(None)?;
    let in_force = recrawl_supervisor::settings::of_site(site, &file).ok();
    let timetable = in_force.and_then(|settings| settings.crawl.timetable());
    Ok(timetable.and_then(|timetable| timetable.schedule.next_run(now)))
}

fn sheet(rows: &[SiteLine], now: Timestamp) -> Sheet {
    let mut sheet = Sheet::new([
        Column::new("site"),
        Column::new("state"),
        Column::number("pages"),
        Column::new("last crawl"),
        Column::new("next crawl"),
        Column::flexible("what"),
    ]);
    let time = |time: Option<Timestamp>| time.map(|time| moment(time, now)).unwrap_or_default();
    for row in rows {
        sheet.push([
            row.site.as_str().into(),
            row.word.as_str().into(),
            grouped(row.pages).into(),
            time(row.last_crawl).into(),
            time(row.next_crawl).into(),
            row.what.as_str().into(),
        ]);
    }
    sheet
}

/// Writes a time as people say it: `today, 05:30`, `16 November, 06:00`; in UTC.
fn moment(time: Timestamp, now: Timestamp) -> String {
    let date = |time: Timestamp| time.to_zoned(TimeZone::UTC).date();
    let clock = time.to_zoned(TimeZone::UTC).strftime("%H:%M").to_string();
    let day = match (date(time) - date(now)).get_days() {
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        -1 => "yesterday".to_owned(),
        _ => day(time, now),
    };
    format!("{day}, {clock}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_days_have_names() {
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        let now = time("2026-11-18T12:00:00Z");
        for (text, expected) in [
            ("2026-11-18T05:30:00Z", "today, 05:30"),
            ("2026-11-19T04:00:00Z", "tomorrow, 04:00"),
            ("2026-11-17T23:59:00Z", "yesterday, 23:59"),
            ("2026-11-16T06:00:00Z", "16 November, 06:00"),
        ] {
            assert_eq!(moment(time(text), now), expected);
        }
    }
}
