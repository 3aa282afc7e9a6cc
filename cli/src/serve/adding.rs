//! Adding a site from the web page: first a look at it, then a table in the settings file.

use std::time::Duration;

use recrawl_core::crawl::Site;
use recrawl_core::ids::SiteId;
use recrawl_core::ports::{History, Store};
use recrawl_web::controls::{RefusedPage, SitePreview, SiteWish};

use super::due;
use super::engine::Engine;
use crate::crawl::{Look, Looker};
use crate::exit::usage;
use crate::settings::{self, Edit, Settings};

/// How long a look at a site may take.
const LONGEST: Duration = Duration::from_secs(30);

/// Returns the settings that a wish makes, and the file with them: neither is written.
async fn proposed(engine: &Engine, wish: &SiteWish) -> anyhow::Result<(Edit, Settings)> {
    let root = settings::page(wish.root.trim())?;
    let name: SiteId = match wish.name.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => name.parse().map_err(|error| usage(format!("{error}")))?,
        None => SiteId::from_root(&root),
    };
    for known in engine.store().sites().await? {
        if known.id == name {
            return Err(usage(format!("there is a site {name} already; give this one another name")));
        }
        if known.root == root {
            return Err(usage(format!("{root} is the site {} already", known.id)));
        }
    }
    let mut edit = engine.sites.edit()?;
    edit.add_site(&name, &root)?;
    edit.set_list(name.as_str(), "include", &wish.include);
    edit.set_list(name.as_str(), "exclude", &wish.exclude);
    if let Some(schedule) = &wish.schedule {
        edit.set_text(name.as_str(), "schedule", Some(&schedule.cron));
        edit.set_text(name.as_str(), "time-zone", Some(&schedule.time_zone));
    }
    let settings = edit.check(name.as_str())?;
    Ok((edit, Settings { site: name, ..settings }))
}

/// Looks at the site that a wish would add; nothing is written.
pub(super) async fn preview(engine: &Engine, wish: &SiteWish) -> anyhow::Result<SitePreview> {
    let (_, settings) = proposed(engine, wish).await?;
    // One look at a time, and no crawl begins meanwhile: so nobody else asks the host.
    let _alone = engine.looking.lock().await;
    if engine.line.asks(&settings.root.host_key()) {
        return Err(usage(format!(
            "{} is being crawled; look at this site when that has ended",
            settings.root.host_key()
        )));
    }
    let looker = Looker::new(&settings, "preview", Some(engine.store().clone()))?;
    looker.wait_first();
    let mut look = Look::default();
    let in_time = tokio::time::timeout(LONGEST, looker.fill(&mut look)).await.is_ok();
    if !in_time && look.trouble.is_none() {
        look.trouble = Some(format!("the look was broken off after {} s", LONGEST.as_secs()));
    }
    let delay = look.delay.as_secs() + u64::from(look.delay.subsec_nanos() > 0);
    Ok(SitePreview {
        site: settings.site.clone(),
        root: settings.root.clone(),
        robots: look.robots,
        delay_seconds: delay,
        sitemaps: look.sitemaps,
        known: look.known,
        admitted: look.admitted,
        refused: look.refused.into_iter().map(|(url, reason)| RefusedPage { url, reason }).collect(),
        trouble: look.trouble,
    })
}

/// Adds the site of a wish.
pub(super) async fn add(engine: &Engine, wish: &SiteWish) -> anyhow::Result<Site> {
    let _alone = engine.editing.lock().await;
    let (edit, settings) = proposed(engine, wish).await?;
    let now = engine.now();
    let Settings { site: id, root, scope, .. } = settings;
    let site = Site { id, root, scope, created_at: now };
    edit.write()?;
    due::settle(&**engine.store(), &site.id, now).await?;
    engine.store().save_site(&site).await?;
    Ok(site)
}
