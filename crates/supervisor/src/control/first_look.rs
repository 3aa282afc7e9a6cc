//! The first look at a site that somebody would like to add: robots.txt, the first page, sitemaps. It goes on by itself, and
//! nobody has to wait for it.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use recrawl_core::url::PageUrl;
use recrawl_reports::SiteStateView;
use recrawl_web::crawl_control::{FirstPage, NewSite, RefusedPage, SitePreview};
use tokio::task::JoinHandle;

use super::add_site::proposed;
use crate::crawl::{PreviewedSite, Previewer};
use crate::settings::Settings;
use crate::supervisor::Supervisor;

/// How long a look may take.
const LONGEST: Duration = Duration::from_mins(1);

/// How long it is believed.
const BELIEVED: Duration = Duration::from_mins(10);

/// How many looks are kept at most.
const MOST: usize = 8;

/// Looks that go on or have ended lately, the newest last.
#[derive(Debug, Default)]
pub(crate) struct Looks(Mutex<VecDeque<Look>>);

#[derive(Debug)]
struct Look {
    wish: NewSite,
    root: PageUrl,
    begun: Instant,
    seen: Arc<Mutex<SitePreview>>,
    /// It did not take place, and will as soon as a crawl has ended.
    is_put_off: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

impl Looks {
    /// Returns what was seen of a site, if it was looked at lately.
    fn seen(&self, wish: &NewSite) -> Option<SitePreview> {
        let mut looks = self.locked();
        looks.retain(|look| look.begun.elapsed() < BELIEVED);
        let place = looks.iter().position(|look| look.wish == *wish)?;
        let (seen, is_put_off) = (lock(&looks[place].seen).clone(), looks[place].is_put_off.load(Relaxed));
        if is_put_off {
            looks.remove(place);
        }
        Some(seen)
    }

    fn begin(&self, look: Look) {
        let mut looks = self.locked();
        while looks.len() >= MOST {
            looks.pop_front().iter().for_each(|look| look.task.abort());
        }
        looks.push_back(look);
    }

    /// Ends the looks at a root.
    pub(crate) fn end(&self, root: &PageUrl) {
        self.locked().retain(|look| {
            if look.root == *root {
                look.task.abort();
            }
            look.root != *root
        });
    }

    fn locked(&self) -> MutexGuard<'_, VecDeque<Look>> {
        lock(&self.0)
    }
}

/// Returns what is known by now of the site that a new site would be. The name, and when it is crawled, do not matter.
pub(super) async fn look(supervisor: &Arc<Supervisor>, new_site: &NewSite) -> anyhow::Result<SitePreview> {
    let (_, settings) = proposed(supervisor, new_site).await?;
    let wish = NewSite { root: settings.root.to_string(), name: None, schedule: None, ..new_site.clone() };
    if let Some(seen) = supervisor.looks.seen(&wish) {
        return Ok(SitePreview { site: settings.site, ..seen });
    }
    let seen = Arc::new(Mutex::new(preview(&settings, &PreviewedSite::default())));
    let first = lock(&seen).clone();
    let root = settings.root.clone();
    let is_put_off = Arc::new(AtomicBool::new(false));
    let task = tokio::spawn(go_on(supervisor.clone(), settings, seen.clone(), is_put_off.clone()));
    supervisor.looks.begin(Look { wish, root, begun: Instant::now(), seen, is_put_off, task });
    Ok(first)
}

async fn go_on(
    supervisor: Arc<Supervisor>,
    settings: Settings,
    seen: Arc<Mutex<SitePreview>>,
    is_put_off: Arc<AtomicBool>,
) {
    let tell = |so_far: &PreviewedSite| *lock(&seen) = preview(&settings, so_far);
    let trouble = |words: String| {
        let mut seen = lock(&seen);
        seen.trouble.get_or_insert(words);
        seen.done = true;
    };
    // One look at a time, and no crawl begins meanwhile: so nobody else asks the host.
    let _alone = supervisor.looking.lock().await;
    let host = settings.root.host_key();
    if supervisor.jobs.asks(&host) {
        is_put_off.store(true, Relaxed);
        return trouble(format!("{host} is being crawled; look again when that has ended"));
    }
    let previewer = match Previewer::new(&settings, "look", Some(supervisor.store().clone())) {
        Ok(previewer) => previewer,
        Err(error) => return trouble(format!("{error:#}")),
    };
    previewer.wait_first();
    let mut so_far = PreviewedSite::default();
    if tokio::time::timeout(LONGEST, previewer.fill(&mut so_far, &tell)).await.is_err() {
        trouble(format!("the look was stopped after {} s", LONGEST.as_secs()));
    }
}

fn preview(settings: &Settings, so_far: &PreviewedSite) -> SitePreview {
    let delay = so_far.delay.as_secs() + u64::from(so_far.delay.subsec_nanos() > 0);
    let refused = so_far.refused.iter();
    let took = |took: Duration| u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    SitePreview {
        site: settings.site.clone(),
        root: settings.root.clone(),
        robots: so_far.robots.clone(),
        delay_seconds: delay,
        sitemaps: so_far.sitemaps.clone(),
        known: so_far.known,
        admitted: so_far.admitted.clone(),
        refused: refused
            .map(|(url, reason)| RefusedPage { url: url.clone(), reason: reason.clone() })
            .collect(),
        trouble: so_far.trouble.clone(),
        state: so_far.state.as_ref().map(SiteStateView::from),
        first_page: so_far.first_page.as_ref().map(|page| FirstPage {
            took_ms: took(page.took),
            title: page.title.clone(),
            words: page.words,
            links: page.links,
        }),
        instead: so_far.instead.clone(),
        done: so_far.is_done,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is behind it is replaced as a whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
