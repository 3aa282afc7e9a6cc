//! Adds a site from the web page: a table in the settings file.

use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::StateKey;
use recrawl_web::crawl_control::NewSite;

use crate::settings::{self, Edit, Settings};
use crate::supervisor::Supervisor;
use crate::{schedules, usage};

/// Returns the settings that a new site makes, and the file with them: neither is written.
pub(super) async fn proposed(
    supervisor: &Supervisor,
    new_site: &NewSite,
) -> anyhow::Result<(Edit, Settings)> {
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
            return Err(usage(format!("you already watch {root} as {}", known.id)));
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

/// Adds the new site.
pub(super) async fn add(supervisor: &Supervisor, new_site: &NewSite) -> anyhow::Result<Site> {
    let _alone = supervisor.editing.lock().await;
    let (edit, settings) = proposed(supervisor, new_site).await?;
    // The crawl need not wait for a look at what it will see itself.
    supervisor.looks.end(&settings.root);
    let now = supervisor.now();
    let Settings { site: id, root, scope, .. } = settings;
    let site = Site { id, root, scope, created_at: now };
    edit.write()?;
    schedules::settle(&**supervisor.store(), &site.id, now).await?;
    supervisor.store().delete_state(&StateKey::former_name(&site.id)).await?;
    supervisor.store().save_site(&site).await?;
    Ok(site)
}
