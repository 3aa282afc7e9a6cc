//! The sites of a deployment: how their crawls stand, and what a crawl would meet. The service keeps the pace of the hosts,
//! so none is asked while it crawls there.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use recrawl_core::decide::{is_overlong, overdue_since};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::finding::Finding;
use recrawl_core::model::service_report::ServiceReport;
use recrawl_core::ports::StateKey;
use recrawl_core::words::counted;
use recrawl_stores::{Access, AnyStore, StoreAddress, open};
use recrawl_supervisor::crawl::{PreviewedSite, Previewer};

use crate::output::day_and_time;
use crate::settings;

/// How long a site is looked at: a few requests at its own pace.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a crawl may be open, and a site without one, as the alerts of `infra/` have it.
const OVERLONG: Duration = Duration::from_hours(24);
const OVERDUE: Duration = Duration::from_hours(8 * 24);

/// Looks at every site of the store.
pub(super) async fn look(address: &StoreAddress) -> anyhow::Result<Vec<Finding>> {
    let store = open(address, Access::Read).await?.ports();
    let sites = store.sites().await?;
    if sites.is_empty() {
        let advice = "the service writes its site when it starts: see what its log says";
        return Ok(vec![Finding::wrong("sites", "there is no site yet", advice)]);
    }
    let reported = store.state(&StateKey::service_report()).await?;
    let report: Option<ServiceReport> = reported.and_then(|entry| serde_json::from_str(&entry.value).ok());
    let mut found = Vec::new();
    for site in &sites {
        let crawls = store.crawls(&site.id).await?;
        let open = crawls.iter().find(|crawl| crawl.is_open());
        found.push(crawl(site, &crawls, open, Timestamp::now()));
        match open {
            Some(_) => {
                let left_alone = "not asked for: the service crawls the site now, and keeps its pace alone";
                found.push(Finding::ok(of(site, "root"), format!("{}, {left_alone}", site.root)));
            }
            None => found.extend(preview(site, &store, report.as_ref()).await?),
        }
    }
    Ok(found)
}

fn of(site: &Site, what: &str) -> String {
    format!("{what} of {}", site.id)
}

fn crawl(site: &Site, crawls: &[Crawl], open: Option<&Crawl>, now: Timestamp) -> Finding {
    let what = of(site, "crawl");
    if let Some(open) = open {
        let found = format!("{} is open since {} UTC", open.id, day_and_time(open.opened_at));
        return if is_overlong(open, OVERLONG, now) {
            Finding::wrong(what, found, "docs/DEPLOY.md, Trouble, says why a crawl does not close")
        } else {
            Finding::ok(what, found)
        };
    }
    let found = match crawls.last() {
        Some(last) => format!("{} was the last of {}", last.id, counted(crawls.len() as u64, "crawl")),
        None => "there was none yet".to_owned(),
    };
    match overdue_since(site, crawls, OVERDUE, now) {
        Some(since) => {
            let found = format!("{found}, and none began since {} UTC", day_and_time(since));
            Finding::wrong(
                what,
                found,
                "is the job weekly there, and not paused? See docs/DEPLOY.md, Trouble",
            )
        }
        None => Finding::ok(what, found),
    }
}

/// Asks for robots.txt, the root and the sitemaps under the name of the service.
async fn preview(
    site: &Site,
    store: &Arc<dyn AnyStore>,
    report: Option<&ServiceReport>,
) -> anyhow::Result<Vec<Finding>> {
    let mut settings = recrawl_supervisor::settings::of_site(site, &settings::read_file(None)?)?;
    if let Some(report) = report {
        settings.crawl.user_agent = Some(report.user_agent.clone());
    }
    let mut preview = PreviewedSite::default();
    let previewer = Previewer::new(&settings, "check", Some(store.clone()))?;
    let is_whole = tokio::time::timeout(PATIENCE, previewer.fill(&mut preview, &|_| {})).await.is_ok();
    Ok(judge(site, &preview, is_whole))
}

fn judge(site: &Site, preview: &PreviewedSite, is_whole: bool) -> Vec<Finding> {
    let root = match &preview.root_page {
        Some(page) => format!("{}: {page}", site.root),
        None => format!("{} was not asked for", site.root),
    };
    let delay = preview.delay.as_secs_f64();
    let robots = if preview.robots.is_empty() { "no answer yet" } else { &preview.robots };
    let robots = Finding::ok(of(site, "robots.txt"), format!("{robots}; {delay} s between requests"));
    let root = match (&preview.trouble, &preview.instead) {
        (Some(trouble), Some(instead)) => {
            Finding::wrong(of(site, "root"), format!("{root}. {trouble}"), format!("this answers: {instead}"))
        }
        (Some(trouble), None) => {
            let advice = "set root_url in terraform.tfvars to a page that answers, and apply";
            Finding::wrong(of(site, "root"), format!("{root}. {trouble}"), advice)
        }
        (None, _) if preview.root_page.is_none() => {
            let words = format!("{root}: no answer within {} s", PATIENCE.as_secs());
            Finding::wrong(of(site, "root"), words, "try again; the service asks again by itself")
        }
        (None, _) => Finding::ok(of(site, "root"), root),
    };
    let more = if is_whole { "" } else { "; there may be more" };
    let sitemaps = if preview.sitemaps.is_empty() {
        "none: pages are found by links".to_owned()
    } else {
        preview.sitemaps.join("; ")
    };
    vec![robots, root, Finding::ok(of(site, "sitemap"), format!("{sitemaps}{more}"))]
}
