//! Previews a site without crawling it (dry run): robots.txt, the root page and the sitemaps.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recrawl_core::decide::{FirstAnswer, state_of_answer, unreachable};
use recrawl_core::model::scope::Scope;
use recrawl_core::model::site_state::{Obstacle, SiteState};
use recrawl_core::panics::caught_in;
use recrawl_core::ports::{Fetcher, Permission, Request, RobotsError, RobotsGate, StateStore};
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_core::words::short_title;
use recrawl_engine::StopHandle;
use recrawl_extract::robots::product_token;
use recrawl_stores::file::Scratch;
use recrawl_stores::{Access, open_file};

use super::assembly::{Assembly, extractor};
use crate::settings::{self, Settings};

/// How many pages are named, of those that would be visited and of those that would not.
const NAMED: usize = 20;

/// What was seen of a site; more by and by.
#[derive(Debug, Default)]
pub struct PreviewedSite {
    /// What robots.txt says about the root, in words.
    pub robots: String,
    /// The time between two requests, robots.txt heeded.
    pub delay: Duration,
    /// What the root page is, in words.
    pub root_page: Option<String>,
    /// What was read of the root page, where it could be read.
    pub first_page: Option<FirstPage>,
    /// An address that answers, where the root does not show the site.
    pub instead: Option<PageUrl>,
    /// Nothing is looked for any more.
    pub is_done: bool,
    /// What each sitemap lists, in words.
    pub sitemaps: Vec<String>,
    /// How many pages of the sitemaps would be visited.
    pub listed: usize,
    /// How many pages would be visited, as far as they are known.
    pub known: usize,
    /// Some of them.
    pub admitted: Vec<PageUrl>,
    /// Some that would not be visited, and why.
    pub refused: Vec<(PageUrl, String)>,
    /// What stands in the way of a crawl, in words.
    pub trouble: Option<String>,
    /// Why the site cannot be read, if that is so.
    pub state: Option<SiteState>,
    seen: HashSet<u128>,
}

/// The root page, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstPage {
    /// How long the answer took.
    pub took: Duration,
    /// Its title.
    pub title: Option<String>,
    /// The words of its text.
    pub words: usize,
    /// Its links.
    pub links: usize,
}

/// Is told whenever more was seen.
pub type OnMore<'a> = &'a (dyn Fn(&PreviewedSite) + Send + Sync);

impl PreviewedSite {
    fn note(&mut self, obstacle: Obstacle) {
        self.set_state(Some(SiteState { obstacle, read: 0 }));
    }

    fn set_state(&mut self, state: Option<SiteState>) {
        if let Some(state) = state {
            self.trouble = Some(format!("{}. {}", state.sentence(), state.advice()));
            self.state = Some(state);
        }
    }
}

/// Previews a site; what it fetches is kept in a temporary store.
pub struct Previewer<'a> {
    settings: &'a Settings,
    scope: Scope,
    assembly: Assembly,
    _scratch: Scratch,
}

impl<'a> Previewer<'a> {
    /// Prepares a preview of the site of `settings`; nothing that it fetches is written where the person keeps things.
    ///
    /// Where there is a `memory`, it knows which hosts want to be left alone.
    pub fn new(
        settings: &'a Settings,
        purpose: &str,
        memory: Option<Arc<dyn StateStore>>,
    ) -> anyhow::Result<Self> {
        let scratch = Scratch::new(purpose);
        let scratch_store = open_file(scratch.path(), Access::Write)?;
        let assembly = Assembly::new(settings, scratch_store, StopHandle::default(), None)?;
        if let Some(memory) = memory {
            assembly.remember_in(memory);
        }
        Ok(Self { settings, scope: settings::scope(settings)?, assembly, _scratch: scratch })
    }

    /// Lets the first request wait, because this process may just have asked the site.
    pub fn wait_first(&self) {
        self.assembly.hold_first_turn(self.settings);
    }

    /// Asks for robots.txt, the root page and the sitemaps. Who breaks it off keeps what `preview` has so far.
    pub async fn fill(&self, preview: &mut PreviewedSite, more: OnMore<'_>) {
        let Self { settings, assembly, .. } = self;
        preview.delay = settings.crawl.pace().delay_for(None);
        let permission = assembly.robots.permits(&settings.root).await;
        preview.robots = match &permission {
            Ok(Permission::Allowed) => "allows the root".to_owned(),
            Ok(Permission::Disallowed(rule)) => format!("disallows the root: {rule}"),
            Err(error) => error.to_string(),
        };
        if let Ok(rules) = assembly.robots.rules(&settings.root).await {
            preview.delay = settings
                .crawl
                .pace()
                .delay_for(rules.crawl_delay(product_token(&settings.crawl.user_agent())));
        }
        more(preview);
        match permission {
            Ok(Permission::Allowed) => self.look_at_root(preview).await,
            Ok(Permission::Disallowed(rule)) => preview.note(Obstacle::ForbiddenByRobots { rule }),
            Err(RobotsError::Unreachable { reason, .. }) => {
                preview.note(unreachable(&settings.root, &reason));
            }
            Err(error @ RobotsError::Paused { .. }) => preview.trouble = Some(error.to_string()),
        }
        more(preview);
        if preview.state.as_ref().is_some_and(|state| matches!(state.obstacle, Obstacle::RootMissing { .. }))
        {
            self.look_above(preview).await;
            more(preview);
        }
        // Of a site that cannot be read, its sitemaps tell nothing that helps.
        if settings.crawl.sitemaps && preview.state.as_ref().is_none_or(|state| !state.hides_site()) {
            self.look_at_sitemaps(preview, more).await;
        }
        preview.is_done = true;
        more(preview);
    }

    /// Looks whether the first page of the host is there, where that of the site is not.
    async fn look_above(&self, preview: &mut PreviewedSite) {
        let Self { settings, assembly, .. } = self;
        let above = UrlRules::keep_all_parameters().page("/", Some(&settings.root.to_url())).ok();
        let Some(above) = above.filter(|above| *above != settings.root) else { return };
        if matches!(assembly.robots.permits(&above).await, Ok(Permission::Allowed))
            && let Ok(response) = assembly.fetcher.fetch(Request::get(&above)).await
            && response.status == 200
        {
            preview.instead = Some(above);
        }
    }

    async fn look_at_root(&self, preview: &mut PreviewedSite) {
        let Self { settings, assembly, .. } = self;
        let begin = Instant::now();
        let response = match assembly.fetcher.fetch(Request::get(&settings.root)).await {
            Ok(response) => response,
            Err(error) => {
                preview.root_page = Some(error.to_string());
                preview.note(unreachable(&settings.root, &error.to_string()));
                return;
            }
        };
        if let Some(location) = &response.headers.location {
            let words = format!("status {}, redirects to {location}", response.status);
            let target = UrlRules::keep_all_parameters().page(location, Some(&settings.root.to_url())).ok();
            let leads_outside = target.as_ref().is_some_and(|target| self.scope.admits(target).is_err());
            let (status, target) = (response.status, target.as_ref());
            let answer = FirstAnswer { status, target, leads_outside, ..FirstAnswer::default() };
            preview.set_state(state_of_answer(&settings.root, &answer));
            preview.instead = target.filter(|_| leads_outside).cloned();
            preview.root_page = Some(words);
            return;
        }
        let took = begin.elapsed();
        let extractor = extractor(settings);
        let content_type = response.headers.content_type.as_deref();
        let reading = || extractor.extract(&settings.root, content_type, &response.body);
        let mut answer = FirstAnswer { status: response.status, ..FirstAnswer::default() };
        let (links, trouble) = match caught_in(reading) {
            Ok(Ok(extracted)) => {
                answer.needs_scripts = extracted.needs_scripts;
                answer.block_page = extracted.block_page.as_deref();
                preview.set_state(state_of_answer(&settings.root, &answer));
                preview.first_page = Some(FirstPage {
                    took,
                    title: extracted.title.map(short_title),
                    words: extracted.text.split_whitespace().count(),
                    links: extracted.links.len(),
                });
                (extracted.links, None)
            }
            Ok(Err(unreadable)) => (Vec::new(), Some(unreadable.to_string())),
            Err(panic) => (Vec::new(), Some(format!("Recrawl stumbled over it: {panic}"))),
        };
        if let Some(trouble) = trouble {
            preview.trouble = Some(format!("the root page cannot be read: {trouble}"));
        }
        let admitted = links.iter().filter(|link| self.scope.admits(link).is_ok()).count();
        preview.root_page =
            Some(format!("status {}, {} links, {admitted} of them in scope", response.status, links.len()));
        for page in std::iter::once(&settings.root).chain(&links) {
            self.sort(page, preview).await;
        }
    }

    async fn look_at_sitemaps(&self, preview: &mut PreviewedSite, more: OnMore<'_>) {
        let mut search = self.assembly.sitemaps.search(&self.settings.root, &self.scope).await;
        while let Some(found) = search.next().await {
            if found.is_only_warnings() {
                let warnings = found.warnings.join("; ");
                preview.sitemaps.push(format!("{}: {warnings}", found.sitemap));
                continue;
            }
            let admitted = found.pages.iter().filter(|page| self.scope.admits(&page.url).is_ok()).count();
            preview.listed += admitted;
            let pages = found.pages.len();
            preview
                .sitemaps
                .push(format!("{} lists {pages} pages, {admitted} of them in scope", found.sitemap));
            for page in &found.pages {
                self.sort(&page.url, preview).await;
            }
            more(preview);
        }
    }

    /// Counts a page among those that would be visited or those that would not.
    async fn sort(&self, page: &PageUrl, preview: &mut PreviewedSite) {
        if !preview.seen.insert(page.fingerprint()) {
            return;
        }
        match self.obstacle(page).await {
            None => {
                preview.known += 1;
                if preview.admitted.len() < NAMED {
                    preview.admitted.push(page.clone());
                }
            }
            Some(reason) if preview.refused.len() < NAMED => preview.refused.push((page.clone(), reason)),
            Some(_) => {}
        }
    }

    async fn obstacle(&self, page: &PageUrl) -> Option<String> {
        if let Err(reason) = self.scope.admits(page) {
            return Some(reason.to_string());
        }
        // The robots.txt of other hosts is asked for by the crawl.
        if page.host_key() != self.settings.root.host_key() {
            return None;
        }
        match self.assembly.robots.permits(page).await {
            Ok(Permission::Allowed) => None,
            Ok(Permission::Disallowed(rule)) => Some(format!("robots.txt: {rule}")),
            Err(error) => Some(error.to_string()),
        }
    }
}
