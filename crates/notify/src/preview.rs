//! What would be told: the same as what is told, as the text of a mail, and nothing is sent or remembered.

use std::fmt;

use recrawl_core::model::crawl::Closed;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{StateKey, StoreError};
use recrawl_reports::Digest;

use crate::delivery::was_notified;
use crate::digests::{Ready, ready_since, together};
use crate::format::mail;
use crate::outbox::{Round, pending};
use crate::pending::{Occasion, Pending};
use crate::target::{Target, TargetName};

/// What one target would be told.
#[derive(Debug)]
pub struct Preview {
    /// The target.
    pub target: TargetName,
    /// What it would be told, or why it would not.
    pub text: Result<String, String>,
}

impl fmt::Display for Preview {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Ok(text) => write!(formatter, "{}:\n\n{text}", self.target),
            Err(why) => write!(formatter, "{}: not told, because {why}", self.target),
        }
    }
}

impl Round<'_> {
    /// Returns what each target would be told now of all that waits, and of the crawl that is `meant`.
    pub async fn preview(&self, meant: Option<(&SiteId, CrawlId)>) -> Result<Vec<Preview>, StoreError> {
        let mut previews = Vec::new();
        let waiting = pending(self.index).await?;
        for target in self.targets {
            let mut of_target: Vec<Pending> =
                waiting.iter().filter(|one| one.target == target.name).cloned().collect();
            if let Some((site, crawl)) = meant
                && !of_target.iter().any(|one| one.site == *site && one.crawl == crawl)
            {
                let (target, site, noted_at) = (target.name.clone(), site.clone(), (self.clock)());
                let occasion = Occasion::Closed;
                of_target.push(Pending { target, site, crawl, occasion, noted_at, failure: None });
            }
            of_target.retain(|one| self.site.is_none_or(|site| *site == one.site));
            let ready = self.ready_of(of_target).await?;
            if target.timing.is_some() {
                previews.push(self.preview_together(target, &ready).await?);
            } else {
                for one in ready {
                    previews.push(self.preview_one(target, &one.pending).await?);
                }
            }
        }
        Ok(previews)
    }

    async fn ready_of(&self, pending: Vec<Pending>) -> Result<Vec<Ready>, StoreError> {
        let mut ready = Vec::new();
        for one in pending {
            let crawls = self.history.crawls(&one.site).await?;
            let closed =
                crawls.into_iter().find(|crawl| crawl.id == one.crawl).and_then(|crawl| crawl.closed);
            let is_tellable = |closed: &Closed| one.occasion == Occasion::Closed || closed.is_trusted();
            if let Some(closed) = closed.filter(is_tellable) {
                ready.push(Ready { since: ready_since(&one, &closed), pending: one });
            }
        }
        Ok(ready)
    }

    async fn preview_together(&self, target: &Target, ready: &[Ready]) -> Result<Preview, StoreError> {
        let name = target.name.clone();
        let (Some(timing), false) = (&target.timing, ready.is_empty()) else {
            return Ok(Preview { target: name, text: Err("nothing waits for it".to_owned()) });
        };
        let ingredients = self.ingredients(target, ready, (self.clock)()).await?;
        let made = together(target, timing, &ingredients);
        let text =
            made.map(|made| mail::write_text(&made.notification)).map_err(|silence| silence.to_string());
        Ok(Preview { target: name, text })
    }

    async fn preview_one(&self, target: &Target, one: &Pending) -> Result<Preview, StoreError> {
        let name = target.name.clone();
        let digest = Digest::read(self.history, &one.site, one.crawl, target.selection.detail()).await?;
        let text = match target.selection.notification(&digest, target.web.as_ref()) {
            Err(silence) => Err(silence.to_string()),
            Ok(notification) => {
                let key = StateKey::notified(&target.name, &one.site, one.crawl);
                if was_notified(self.index, &key, notification.stage).await? {
                    Err(format!("it was told of {} of {} before", one.crawl, one.site))
                } else {
                    Ok(mail::write_text(&notification))
                }
            }
        };
        Ok(Preview { target: name, text })
    }
}
