//! Tells others what crawls found, by itself: when a crawl ends, and again where that failed.

use std::sync::Arc;
use std::time::Duration;

use super::say;
use super::supervisor::Supervisor;
use crate::notify::{self, Telling};

/// How often it is looked whether something is to be told: other processes leave something, too.
const LOOK: Duration = Duration::from_secs(5);

/// Tells until the command shall stop; what is being told then is finished.
pub(super) async fn keep_telling(supervisor: Arc<Supervisor>) {
    let mut said = None;
    while !supervisor.stop.is_set() {
        let trouble =
            tell_due(&supervisor).await.err().map(|error| format!("others are not told: {error:#}"));
        // Once, and not every few seconds.
        if let Some(trouble) = trouble.as_deref().filter(|_| trouble != said) {
            say(trouble);
        }
        said = trouble;
        tokio::select! {
            () = supervisor.stop.wait() => {}
            () = supervisor.telling.notified() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

async fn tell_due(supervisor: &Supervisor) -> anyhow::Result<()> {
    let store = supervisor.store();
    if !recrawl_notify::is_anything_due(&**store, &**store, supervisor.now()).await? {
        return Ok(());
    }
    let targets = notify::known_with(&supervisor.sites.file()?, supervisor.web.clone())?;
    Telling { targets: &targets, store: &**store }.take_up().await
}

/// Returns what people should know: which sites are not here, and who could not be told so far.
pub(super) async fn notices(supervisor: &Supervisor) -> anyhow::Result<Vec<String>> {
    let names = notify::names(&supervisor.sites.file()?)?;
    let mut failed = recrawl_notify::pending(&**supervisor.store()).await?;
    failed.retain(|pending| pending.failure.is_some() && names.contains(&pending.target));
    let mut notices = supervisor.sites.of_other_stores().await?;
    notices.extend(failed.iter().map(ToString::to_string));
    Ok(notices)
}
