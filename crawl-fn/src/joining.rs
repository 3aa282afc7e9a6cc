//! Which site a message is about: the one that it names, or the one that admits its page.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::model::site_plan::SitePlan;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use recrawl_queue_pubsub::message::{CrawlMessage, Delivery};
use recrawl_sites::SiteError;
use tokio::time::Instant;

use crate::answer::{Answer, chain};
use crate::parts::Parts;
use crate::site_parts::SiteParts;

/// Returns the site that a message is about.
///
/// What somebody asks for and no site admits is refused, and kept as a dead letter for a person to look at; a page of a crawl
/// that its site does not admit any more is not kept.
pub(crate) async fn site_of(
    parts: &Parts,
    message: &CrawlMessage,
    delivery: &Delivery,
) -> Result<Arc<SiteParts>, Answer> {
    if let Some(site) = find(parts, message) {
        return admitted(parts, site, message, delivery).await;
    }
    // Somebody may have written a site since it was last looked.
    parts.sites.look_again(Instant::now()).await.map_err(|error| not_now(parts, &error))?;
    if let Some(site) = find(parts, message) {
        return admitted(parts, site, message, delivery).await;
    }
    match &message.site {
        Some(site) => {
            let reason = format!("no site {site} is watched here");
            Err(refuse(parts, delivery, message, reason).await)
        }
        None if parts.config.process.adopt => adopt(parts, &message.url).await,
        None => {
            let reason = format!("no site admits {}", message.url);
            Err(refuse(parts, delivery, message, reason).await)
        }
    }
}

fn find(parts: &Parts, message: &CrawlMessage) -> Option<Arc<SiteParts>> {
    match (&message.site, message.crawl) {
        (Some(site), _) => parts.sites.named(site),
        // Earlier versions did not name the site of a crawl.
        (None, Some(_)) => Some(parts.sites.own()),
        (None, None) => parts.sites.admitting(&message.url),
    }
}

/// Checks that a site admits the page that a message names.
async fn admitted(
    parts: &Parts,
    site: Arc<SiteParts>,
    message: &CrawlMessage,
    delivery: &Delivery,
) -> Result<Arc<SiteParts>, Answer> {
    let scope = &site.config.scope;
    let in_scope = scope.admits(&message.url).and_then(|()| scope.admits_depth(message.found.depth));
    match in_scope {
        Ok(()) => Ok(site),
        Err(reason) => Err(refuse(parts, delivery, message, reason.to_string()).await),
    }
}

/// Refuses a message: what a person published is kept as a dead letter.
async fn refuse(parts: &Parts, delivery: &Delivery, message: &CrawlMessage, reason: String) -> Answer {
    if message.crawl.is_some() {
        return Answer::foreign(reason);
    }
    match parts.deps.dead_letters.bury(delivery, &reason).await {
        Ok(()) => Answer::foreign(format!("{reason}; it is kept as a dead letter")),
        // Delivered often enough, it becomes one by itself.
        Err(error) => Answer::unavailable(format!("{reason}; {}", chain(&error)), parts.config.hold),
    }
}

/// Lets a page that no site admits be the root of a site of its own.
async fn adopt(parts: &Parts, root: &PageUrl) -> Result<Arc<SiteParts>, Answer> {
    // One at a time: of two messages about one page, the second finds the site.
    let _alone = parts.adopting.lock().await;
    let plan = SitePlan { settings: BTreeMap::new(), ..SitePlan::default() };
    match recrawl_sites::add(&*parts.deps.store, None, root, &plan, Timestamp::now()).await {
        Ok(added) => tracing::info!(site = %added.id, %root, "a site is adopted"),
        // It is watched already: by the message before this one.
        Err(SiteError::Refused(reason)) => tracing::info!(%root, reason, "no site is adopted"),
        Err(SiteError::Store(error)) => return Err(not_now(parts, &error)),
    }
    parts.sites.reload().await.map_err(|error| not_now(parts, &error))?;
    let adopted = parts.sites.admitting(root);
    adopted.ok_or_else(|| Answer::foreign(format!("{root} cannot be watched as a site of its own")))
}

fn not_now(parts: &Parts, error: &StoreError) -> Answer {
    match error {
        StoreError::Unavailable(_) => Answer::unavailable(chain(error), parts.config.hold),
        StoreError::Corrupt(_) | StoreError::Absent(_) => Answer::broken(chain(error)),
    }
}

/// Returns the attributes of a dead letter: those of the message, and why it is one.
pub(crate) fn epitaph(delivery: &Delivery, reason: &str) -> HashMap<String, String> {
    /// No attribute of Pub/Sub is longer.
    const LONGEST: usize = 1_024;
    let mut attributes = delivery.attributes.clone();
    let cut = &reason[..reason.floor_char_boundary(LONGEST)];
    attributes.insert("reason".to_owned(), cut.to_owned());
    if let Some(id) = &delivery.message_id {
        attributes.insert("message-id".to_owned(), id.clone());
    }
    attributes
}
