//! Renaming and removing a site from the web page: in the store, and in the settings file.

use recrawl_core::model::ids::SiteId;

use crate::site_keeping;
use crate::stored_job::JobKind;
use crate::supervisor::Supervisor;
use crate::usage;

/// Renames a site, and its table in the settings file where there is one.
pub(super) async fn rename(supervisor: &Supervisor, site: &SiteId, name: &str) -> anyhow::Result<SiteId> {
    let _alone = supervisor.editing.lock().await;
    let to: SiteId = name.trim().parse().map_err(|error| usage(format!("{error}")))?;
    refuse_while_busy(supervisor, site, "renamed").await?;
    let mut edit = supervisor.sites.edit()?;
    if supervisor.sites.file()?.root_of(to.as_str()).is_some() {
        return Err(usage(format!("there is a site {to} already; choose another name")));
    }
    let has_table = edit.rename_site(site, &to);
    if has_table {
        edit.check(to.as_str())?;
    }
    site_keeping::rename(&**supervisor.store(), site, &to, supervisor.now()).await?;
    if has_table {
        edit.write()?;
    }
    Ok(to)
}

/// Takes a site out of the settings, and has it forgotten by the worker: that takes a while for a large one.
pub(super) async fn remove(supervisor: &Supervisor, site: &SiteId) -> anyhow::Result<()> {
    let _alone = supervisor.editing.lock().await;
    refuse_while_busy(supervisor, site, "removed").await?;
    let mut edit = supervisor.sites.edit()?;
    // A process that dies in between goes on when it starts again.
    supervisor.queue(site, JobKind::Remove).await?;
    if edit.remove_site(site) {
        edit.write()?;
    }
    Ok(())
}

async fn refuse_while_busy(supervisor: &Supervisor, site: &SiteId, done: &str) -> anyhow::Result<()> {
    if supervisor.jobs.waits(site) || supervisor.jobs.progress(site).is_some() {
        return Err(usage(format!(
            "{site} is being crawled or waits for it: stop that before the site is {done}"
        )));
    }
    site_keeping::refuse_while_crawled(&**supervisor.store(), site, done).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Harness;
    use crate::job_queue::JobState;
    use crate::worker::run_job;

    const SETTINGS: &str = "rate = 2 # mine\n\n# the old one\n[site.old]\nroot = \"https://old.example/\"\nrate = 0.5 # slowly\n";

    #[tokio::test]
    async fn a_new_name_stands_in_the_settings_as_well() {
        let harness = Harness::new(SETTINGS, "2026-11-15T12:00:00Z");
        let old = harness.add("old").await;
        let supervisor = &harness.supervisor;
        for (bad, expected) in [("A B", "is not a site name"), ("old", "there is a site old already")] {
            let error = rename(supervisor, &old, bad).await.unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let new = rename(supervisor, &old, " new ").await.unwrap();
        assert_eq!(new.as_str(), "new");
        assert_eq!(harness.settings(), SETTINGS.replace("[site.old]", "[site.new]"));
        let problems = supervisor.sites.register(supervisor.now()).await.unwrap();
        assert!(problems.is_empty(), "{problems:?}");
        let sites = supervisor.store().sites().await.unwrap();
        assert_eq!(sites.iter().map(|site| site.id.as_str()).collect::<Vec<_>>(), ["new"]);
    }

    #[tokio::test]
    async fn a_removed_site_goes_by_itself_also_after_a_restart_and_does_not_come_back() {
        let harness = Harness::new(SETTINGS, "2026-11-15T12:00:00Z");
        let old = harness.add("old").await;
        let supervisor = &harness.supervisor;
        remove(supervisor, &old).await.unwrap();
        assert_eq!(harness.settings(), "rate = 2 # mine\n");
        assert_eq!(supervisor.jobs.state_of(&old), JobState::Waiting(JobKind::Remove));
        // The process dies, and the next one takes it up.
        supervisor.jobs.leave(&old);
        supervisor.take_up().await.unwrap();
        let handle = supervisor.jobs.take(supervisor.now()).unwrap();
        assert!(supervisor.jobs.removes(&old));
        run_job(supervisor, handle).await;
        assert_eq!(supervisor.store().site(&old).await.unwrap(), None);
        supervisor.sites.register(supervisor.now()).await.unwrap();
        assert_eq!(supervisor.store().sites().await.unwrap(), []);
    }
}
