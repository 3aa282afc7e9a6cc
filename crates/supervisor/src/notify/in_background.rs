//! Sends notifications in the background: when a crawl ends, and again where that failed.

use std::sync::Arc;
use std::time::Duration;

use super::{Notifier, target_names, targets, timings};
use crate::supervisor::Supervisor;

/// How often it looks whether something waits: other processes leave something, too.
const LOOK: Duration = Duration::from_secs(5);

/// Sends notifications until the process stops; those under way then are finished.
pub(crate) async fn keep_notifying(supervisor: Arc<Supervisor>) {
    let mut said = None;
    while !supervisor.is_stopping() {
        let trouble = send_due(&supervisor).await.err().map(|error| format!("nobody is notified: {error:#}"));
        // Once, and not every few seconds.
        if let Some(trouble) = trouble.as_deref().filter(|_| trouble != said) {
            supervisor.say(trouble);
        }
        said = trouble;
        tokio::select! {
            () = supervisor.stopping() => {}
            () = supervisor.notify.notified() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

async fn send_due(supervisor: &Supervisor) -> anyhow::Result<()> {
    let store = supervisor.store();
    if recrawl_notify::pending(&**store).await?.is_empty() {
        return Ok(());
    }
    let file = supervisor.sites.file()?;
    let timings = timings(&file)?;
    if !recrawl_notify::is_anything_due(&**store, &**store, &timings, supervisor.now()).await? {
        return Ok(());
    }
    let targets = targets(&file, supervisor.web.clone())?;
    let notified = Notifier { targets: &targets, store: &**store }.send_due().await?;
    notified.lines.iter().for_each(|line| supervisor.say(line));
    Ok(())
}

/// Returns what people should know: which sites are not here, and who could not be notified so far.
pub(crate) async fn notices(supervisor: &Supervisor) -> anyhow::Result<Vec<String>> {
    let names = target_names(&supervisor.sites.file()?)?;
    let mut failed = recrawl_notify::pending(&**supervisor.store()).await?;
    failed.retain(|pending| pending.failure.is_some() && names.contains(&pending.target));
    let mut notices = supervisor.sites.of_other_stores().await?;
    notices.extend(failed.iter().map(ToString::to_string));
    Ok(notices)
}
