//! Adds a site from the web page: first a preview of it, then a table in the settings file.

use std::time::Duration;

use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::SiteId;
use recrawl_reports::SiteStateView;
use recrawl_web::crawl_control::{NewSite, RefusedPage, SitePreview};

use crate::crawl::{PreviewedSite, Previewer};
use crate::settings::{self, Edit, Settings};
use crate::supervisor::Supervisor;
use crate::{schedules, usage};

/// How long a preview of a site may take.
const LONGEST: Duration = Duration::from_secs(30);

/// Returns the settings that a new site makes, and the file with them: neither is written.
async fn proposed(supervisor: &Supervisor, new_site: &NewSite) -> anyhow::Result<(Edit, Settings)> {
    let root = settings::page(new_site.root.trim())?;
    let name: SiteId = match new_site.name.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => name.parse().map_err(|error| usage(format!("{error}")))?,
        None => SiteId::from_root(&root),
    };
    for known in supervisor.store().sites().await? {
        if known.id == name {
            return Err(usage(format!("there is a site {name} already; give this one another name")));
        }
        if known.root == root {
            return Err(usage(format!("{root} is the site {} already", known.id)));
        }
    }
    let mut edit = supervisor.sites.edit()?;
    edit.add_site(&name, &root)?;
    edit.set_list(name.as_str(), "include", &new_site.include);
    edit.set_list(name.as_str(), "exclude", &new_site.exclude);
    if let Some(schedule) = &new_site.schedule {
        edit.set_text(name.as_str(), "schedule", Some(&schedule.cron));
        edit.set_text(name.as_str(), "time-zone", Some(&schedule.time_zone));
    }
    let settings = edit.check(name.as_str())?;
    Ok((edit, Settings { site: name, ..settings }))
}

/// Looks at the site that a new site would add; nothing is written.
pub(super) async fn preview(supervisor: &Supervisor, new_site: &NewSite) -> anyhow::Result<SitePreview> {
    let (_, settings) = proposed(supervisor, new_site).await?;
    // One preview at a time, and no crawl begins meanwhile: so nobody else asks the host.
    let _alone = supervisor.looking.lock().await;
    if supervisor.jobs.asks(&settings.root.host_key()) {
        return Err(usage(format!(
            "{} is being crawled; preview this site when that has ended",
            settings.root.host_key()
        )));
    }
    let previewer = Previewer::new(&settings, "preview", Some(supervisor.store().clone()))?;
    previewer.wait_first();
    let mut preview = PreviewedSite::default();
    let in_time = tokio::time::timeout(LONGEST, previewer.fill(&mut preview)).await.is_ok();
    if !in_time && preview.trouble.is_none() {
        preview.trouble = Some(format!("the preview was stopped after {} s", LONGEST.as_secs()));
    }
    let delay = preview.delay.as_secs() + u64::from(preview.delay.subsec_nanos() > 0);
    Ok(SitePreview {
        site: settings.site.clone(),
        root: settings.root.clone(),
        robots: preview.robots,
        delay_seconds: delay,
        sitemaps: preview.sitemaps,
        known: preview.known,
        admitted: preview.admitted,
        refused: preview.refused.into_iter().map(|(url, reason)| RefusedPage { url, reason }).collect(),
        trouble: preview.trouble,
        state: preview.state.as_ref().map(SiteStateView::from),
    })
}

/// Adds the new site.
pub(super) async fn add(supervisor: &Supervisor, new_site: &NewSite) -> anyhow::Result<Site> {
    let _alone = supervisor.editing.lock().await;
    let (edit, settings) = proposed(supervisor, new_site).await?;
    let now = supervisor.now();
    let Settings { site: id, root, scope, .. } = settings;
    let site = Site { id, root, scope, created_at: now };
    edit.write()?;
    schedules::settle(&**supervisor.store(), &site.id, now).await?;
    supervisor.store().save_site(&site).await?;
    Ok(site)
}
