//! How hosts answer for pages that they do not have, asked at most once a day.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use recrawl_core::decide::answer::Answer;
use recrawl_core::decide::judge::redirect_target;
use recrawl_core::model::content::Extractor;
use recrawl_core::panics::caught_in;
use recrawl_core::ports::{
    Fetcher, NotFoundAnswer, Permission, Request, Response, RobotsGate, SoftErrorProbe, StateEntry, StateKey,
    StateStore,
};
use recrawl_core::url::{HostKey, PageUrl, UrlRules};
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex, OnceCell};

use crate::robots::RobotsCache;

/// How long an answer is believed.
const LIFETIME: Duration = Duration::from_hours(24);

/// How long a host that could not be asked is not asked again.
const PATIENCE: Duration = Duration::from_mins(10);

/// An [`SoftErrorProbe`] that asks no host: every absence counts as honest.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProbe;

#[async_trait]
impl SoftErrorProbe for NoProbe {
    async fn absence(&self, _: &PageUrl) -> NotFoundAnswer {
        NotFoundAnswer::Honest
    }
}

/// An [`SoftErrorProbe`] over a [`Fetcher`].
pub struct SoftErrorCache {
    fetcher: Arc<dyn Fetcher>,
    state_store: Arc<dyn StateStore>,
    robots: Arc<RobotsCache>,
    extractor: Arc<dyn Extractor>,
    root: PageUrl,
    clock: fn() -> Timestamp,
    hosts: Mutex<HashMap<HostKey, Arc<OnceCell<Entry>>>>,
}

/// What is known of one host, and since when.
struct Entry {
    asked_at: Timestamp,
    absence: Option<NotFoundAnswer>,
}

impl Entry {
    fn is_fresh(&self, now: Timestamp) -> bool {
        let lifetime = if self.absence.is_some() { LIFETIME } else { PATIENCE };
        now.duration_since(self.asked_at).unsigned_abs() < lifetime
    }
}

/// An absence as it is remembered between runs.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Remembered {
    Honest,
    Page { asked: PageUrl, text: String },
    Redirect(PageUrl),
}

impl From<Remembered> for NotFoundAnswer {
    fn from(remembered: Remembered) -> Self {
        match remembered {
            Remembered::Honest => Self::Honest,
            Remembered::Page { asked, text } => Self::Page { asked, text },
            Remembered::Redirect(target) => Self::Redirect(target),
        }
    }
}

impl From<NotFoundAnswer> for Remembered {
    fn from(absence: NotFoundAnswer) -> Self {
        match absence {
            NotFoundAnswer::Honest => Self::Honest,
            NotFoundAnswer::Page { asked, text } => Self::Page { asked, text },
            NotFoundAnswer::Redirect(target) => Self::Redirect(target),
        }
    }
}

impl SoftErrorCache {
    /// Asks through `fetcher`, below the path of `root` on its host, as far as `robots` permits.
    pub fn new(
        fetcher: Arc<dyn Fetcher>,
        state_store: Arc<dyn StateStore>,
        robots: Arc<RobotsCache>,
        extractor: Arc<dyn Extractor>,
        root: PageUrl,
        clock: fn() -> Timestamp,
    ) -> Self {
        Self { fetcher, state_store, robots, extractor, root, clock, hosts: Mutex::default() }
    }

    async fn find_out(&self, url: &PageUrl, host: &HostKey) -> Entry {
        let now = (self.clock)();
        let key = StateKey::soft_error_probe(host);
        if let Some(memo) = self.state_store.state(&key).await.ok().flatten()
            && now.duration_since(memo.saved_at).unsigned_abs() < LIFETIME
            && let Ok(remembered) = serde_json::from_str::<Remembered>(&memo.value)
        {
            return Entry { asked_at: memo.saved_at, absence: Some(remembered.into()) };
        }
        let absence = self.ask(url, host).await;
        if let Some(absence) = absence.clone()
            && let Ok(value) = serde_json::to_string(&Remembered::from(absence))
            && let Err(error) = self.state_store.save_state(&key, &StateEntry { saved_at: now, value }).await
        {
            // Only the next run pays for it, with one more request.
            tracing::warn!(%host, %error, "an answer for an absent page could not be remembered");
        }
        Entry { asked_at: now, absence }
    }

    /// Asks for a page that nobody has; `None` where the host is in trouble.
    async fn ask(&self, url: &PageUrl, host: &HostKey) -> Option<NotFoundAnswer> {
        let Some(asked) = self.nowhere(url, host) else {
            return Some(NotFoundAnswer::Honest);
        };
        match self.robots.permits(&asked).await {
            Ok(Permission::Allowed) => {}
            Ok(Permission::Disallowed(_)) => return Some(NotFoundAnswer::Honest),
            Err(_) => return None,
        }
        // Whoever wants to know keeps the page that is doubted.
        let request = Request { nested: true, ..Request::get(&asked) };
        let response = self.fetcher.fetch(request).await.ok()?;
        match response.answer {
            Answer::Content => self.read(asked, &response),
            Answer::Redirect => {
                let target = redirect_target(&asked, &response.headers, &UrlRules::keep_all_parameters());
                Some(target.map_or(NotFoundAnswer::Honest, NotFoundAnswer::Redirect))
            }
            Answer::NotThePage | Answer::Absent { .. } | Answer::Denied | Answer::Wants(_) => {
                Some(NotFoundAnswer::Honest)
            }
            Answer::NotModified | Answer::Trouble => None,
        }
    }

    fn read(&self, asked: PageUrl, response: &Response) -> Option<NotFoundAnswer> {
        let content_type = response.headers.content_type.as_deref();
        let reading = || self.extractor.extract(&asked, content_type, &response.body);
        let extracted = match caught_in(reading) {
            Ok(extracted) => extracted.ok()?,
            Err(panic) => {
                tracing::error!(url = %asked, %panic, "Recrawl stumbled over an answer for a page that is not there");
                return None;
            }
        };
        if extracted.block_page.is_some() {
            return None;
        }
        let is_page = extracted.signatures.is_some() && !response.truncated && !extracted.text.is_empty();
        Some(if is_page {
            NotFoundAnswer::Page { asked, text: extracted.text }
        } else {
            NotFoundAnswer::Honest
        })
    }

    /// Returns an address that nobody gave out.
    fn nowhere(&self, url: &PageUrl, host: &HostKey) -> Option<PageUrl> {
        let below = if self.root.host_key() == *host { directory(self.root.path()) } else { "" };
        // The keys of each state are drawn from the randomness of the system.
        let number = RandomState::new().build_hasher().finish();
        format!("{}://{}{below}/recrawl-{number:016x}", url.scheme(), url.authority()).parse().ok()
    }
}

/// Returns the path without a slash at its end, and without the name of a file.
fn directory(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some((directory, name)) if name.is_empty() || name.contains('.') => directory,
        Some(_) | None => path,
    }
}

#[async_trait]
impl SoftErrorProbe for SoftErrorCache {
    async fn absence(&self, url: &PageUrl) -> NotFoundAnswer {
        let host = url.host_key();
        let cell = {
            let mut hosts = self.hosts.lock().await;
            let cell = hosts.entry(host.clone()).or_default();
            if cell.get().is_some_and(|entry| !entry.is_fresh((self.clock)())) {
                *cell = Arc::default();
            }
            cell.clone()
        };
        let entry = cell.get_or_init(|| self.find_out(url, &host)).await;
        entry.absence.clone().unwrap_or(NotFoundAnswer::Honest)
    }
}
