//! Crawls of a list: exactly these pages, on any number of hosts, which are worked in parallel.
//!
//! Pages and hosts may come while the crawl runs ([`ListItem`]); it ends when no more can come and all were visited.
//! New links are not followed, redirects are. A host that cannot be visited keeps no crawl open: its pages are recorded
//! as failed, with the reason.

use std::collections::VecDeque;
use std::sync::Arc;

use recrawl_core::model::crawl::{CrawlKind, Ending};
use recrawl_core::model::record::{Found, FoundBy};
use recrawl_core::model::scope::{Scope, ScopeSettings};
use recrawl_core::ports::{FetchError, Priority, QueueError, QueuedPage};
use recrawl_core::url::PageUrl;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::sleep_until;

use super::list_queue::ListQueue;
use super::queue::{Task, WorkQueue};
use super::visiting::GRACE;
use super::{Account, Done, Ended, Runner, RunnerError};
use crate::observer::Event;
use crate::session::{self, Findings};
use crate::sitemaps::{ListedPage, SteadySearch, remember_reliability};
use crate::step::{Attempt, Outcome, StepError};
use crate::stop_handle::StopMode;

/// How many pages are visited at a time, over all hosts.
const VISITS: usize = 256;

/// How many hosts are searched for sitemaps at a time.
const SEARCHES: usize = 64;

/// What a crawl of a list is given.
#[derive(Debug)]
pub enum ListItem {
    /// Pages to visit.
    Pages(Vec<PageUrl>),
    /// A host, by any of its pages, whose sitemaps are searched for pages to visit.
    SitemapsOf(PageUrl),
}

/// What becomes of a page that a sitemap lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// It is visited.
    First,
    /// It is visited once no page of its host that comes first waits.
    Later,
    /// It is left out.
    Skip,
}

/// Chooses among the pages that sitemaps list.
pub trait Choose: Send + Sync {
    /// Says what becomes of `page`, which a sitemap of the host of `root` lists.
    fn choose(&self, page: &ListedPage, root: &PageUrl) -> Choice;
}

/// What a crawl of a list visits.
pub struct List {
    /// What is given, as it comes. The crawl ends when nobody can send more.
    pub items: UnboundedReceiver<ListItem>,
    /// Chooses among the pages that sitemaps list.
    pub choose: Arc<dyn Choose>,
    /// How many pages of a host are visited at a time.
    pub at_a_time: usize,
}

/// What is left of a list.
struct Left {
    list: List,
    queue: ListQueue,
    /// Hosts whose sitemaps are still to be searched.
    hosts: VecDeque<PageUrl>,
    searching: usize,
    is_given: bool,
}

/// The priorities of what was given, and of what sitemaps list and can wait. A redirect goes before both.
const FIRST: Priority = Priority(2);
const LATER: Priority = Priority(1);

impl Runner {
    /// Runs a crawl of the kind [`CrawlKind::List`] until all pages that it is given are visited, the budget is spent
    /// or somebody stops it.
    pub async fn run_list(self, list: List) -> Result<Ended, RunnerError> {
        let ended = Box::pin(self.run_list_on(list)).await;
        remember_reliability(&*self.state_store, self.step.planner(), (self.clock)()).await;
        ended
    }

    async fn run_list_on(&self, list: List) -> Result<Ended, RunnerError> {
        let deadline = self.run.budget.max_time.map(|time| tokio::time::Instant::now() + time);
        let mut account = Account { deadline, rechecks: self.step.rechecks(), ..Account::default() };
        let history = session::History::load(
            &*self.store,
            &self.run.crawl,
            self.step.scope(),
            self.step.planner(),
            0,
            false,
        );
        account.page_limit = self.run.budget.max_pages.of(history.await?.known);
        if self.run.resumed {
            self.resume(&mut account).await?;
        }
        let queue = ListQueue::new(list.at_a_time);
        let mut left = Left { list, queue, hosts: VecDeque::new(), searching: 0, is_given: false };
        loop {
            let spent = self.drain_list(&mut account, &mut left).await?;
            let spent = match self.stop_mode(&account) {
                Some(StopMode::Pause) => return Ok(Ended::Stopped),
                Some(StopMode::Close(reason)) => Some(reason.to_owned()),
                None => spent,
            };
            if let Some(findings) = self.finish_list(&mut account, spent).await? {
                return Ok(Ended::Closed(Box::new(self.close(findings).await?)));
            }
            while let Some(task) = account.queue.pop_retry() {
                left.queue.push(task);
            }
        }
    }

    /// Visits what is given, until nothing more can be given and nothing waits; returns why it ended early if the
    /// budget is spent.
    async fn drain_list(
        &self,
        account: &mut Account,
        left: &mut Left,
    ) -> Result<Option<String>, RunnerError> {
        loop {
            if self.may_begin(account) {
                self.take_waiting(left).await?;
                self.begin_searches(account, left);
                self.begin_visits(account, left).await?;
            }
            let is_idle = account.tasks.is_empty();
            if is_idle && self.may_begin(account) && self.confirm_early(account, left) {
                continue;
            }
            let takes_more = !left.is_given && self.may_begin(account);
            if is_idle && !takes_more {
                return Ok(self.overrun(account));
            }
            let is_stopped = self.stop_handle.asked().is_some();
            let deadline = account.deadline.filter(|_| !account.confirming);
            tokio::select! {
                Some(done) = account.tasks.join_next(), if !is_idle => self.note_of_list(account, left, done?).await?,
                item = left.list.items.recv(), if takes_more => match item {
                    Some(ListItem::Pages(pages)) => self.queue_given(&pages).await?,
                    Some(ListItem::SitemapsOf(root)) => left.hosts.push_back(root),
                    None => left.is_given = true,
                },
                () = self.stop_handle.wait(), if !is_stopped => {}
                () = at(deadline), if deadline.is_some() => {
                    self.cut(account).await?;
                    return Ok(self.overrun(account));
                }
            }
        }
    }

    /// Lets pages that seem to be gone or empty be visited again while nothing else waits, as who gives the pages may
    /// wait for what becomes of them; tells whether there are any.
    fn confirm_early(&self, account: &mut Account, left: &mut Left) -> bool {
        if left.is_given || account.unconfirmed.is_empty() {
            return false;
        }
        self.observer.on(Event::Confirming(account.unconfirmed.len()));
        for task in std::mem::take(&mut account.unconfirmed) {
            left.queue.push(task);
        }
        true
    }

    /// Queues pages that were given, unless they were before.
    async fn queue_given(&self, pages: &[PageUrl]) -> Result<(), QueueError> {
        self.step.queue_first(pages.iter().map(|url| self.listed(url, FoundBy::Seed, FIRST)).collect()).await
    }

    fn listed(&self, url: &PageUrl, by: FoundBy, priority: Priority) -> QueuedPage {
        let found = Found { by, depth: 0, referrer: None };
        let (site, crawl) = (self.run.site.id.clone(), self.run.crawl.id);
        QueuedPage { site, crawl, url: url.clone(), found, priority }
    }

    /// Takes over what was queued: pages that were given, and where they redirect.
    async fn take_waiting(&self, left: &mut Left) -> Result<(), QueueError> {
        let (site, crawl) = (&self.run.site.id, self.run.crawl.id);
        loop {
            let taken = self.pull_frontier.take(site, crawl, WorkQueue::REFILL).await?;
            if taken.is_empty() {
                return Ok(());
            }
            for page in taken {
                left.queue.push(Task { page, attempt: Attempt::default() });
            }
        }
    }

    async fn begin_visits(&self, account: &mut Account, left: &mut Left) -> Result<(), RunnerError> {
        while account.tasks.len() < VISITS + left.searching && self.may_begin(account) {
            let Some(task) = left.queue.next() else {
                if self.begin_recheck(account) {
                    continue;
                }
                return Ok(());
            };
            if let Some(reason) = account.hosts.why_held(&task.page.url).map(str::to_owned) {
                left.queue.done(&task.page.url.host_key());
                self.give_up(account, task, reason).await?;
                continue;
            }
            self.begin(account, task);
        }
        Ok(())
    }

    /// Takes in what a task came back with.
    async fn note_of_list(
        &self,
        account: &mut Account,
        left: &mut Left,
        done: Done,
    ) -> Result<(), RunnerError> {
        match done {
            Done::Searched(result) => {
                result?;
                left.searching -= 1;
            }
            Done::Visited(task, outcome) => {
                left.queue.done(&task.page.url.host_key());
                self.note(account, task, outcome).await?;
                // Others of the host come first.
                while let Some(task) = account.queue.pop_retry() {
                    left.queue.push(task);
                }
            }
            Done::Rechecked(outcome) => Self::note_rechecked(account, outcome)?,
        }
        Ok(())
    }

    fn begin_searches(&self, account: &mut Account, left: &mut Left) {
        let Some(finder) = &self.sitemaps else {
            left.hosts.clear();
            return;
        };
        while left.searching < SEARCHES {
            let Some(root) = left.hosts.pop_front() else { return };
            left.searching += 1;
            let (step, observer, stop_handle) =
                (self.step.clone(), self.observer.clone(), self.stop_handle.clone());
            let (finder, choose) = (finder.clone(), left.list.choose.clone());
            let listed = [(Choice::First, FIRST), (Choice::Later, LATER)];
            let page = {
                let (site, crawl) = (self.run.site.id.clone(), self.run.crawl.id);
                move |url: PageUrl, priority| {
                    let found = Found { by: FoundBy::Sitemap, depth: 0, referrer: None };
                    QueuedPage { site: site.clone(), crawl, url, found, priority }
                }
            };
            account.tasks.spawn(async move {
                let Ok(scope) = scope_of(&root) else { return Done::Searched(Ok(())) };
                let mut search = SteadySearch::new(&finder, &root, &scope);
                while let Some(found) = search.next().await {
                    let found = match found {
                        Ok(found) => found,
                        Err(panic) => {
                            let host = root.host_key();
                            let warning = format!("Recrawl stumbled over a sitemap of {host}: {panic}");
                            observer.on(Event::Warning(warning));
                            continue;
                        }
                    };
                    if !found.is_only_warnings() {
                        observer.on(Event::Sitemap { url: &found.sitemap, pages: found.pages.len() });
                    }
                    for warning in &found.warnings {
                        observer.on(Event::Warning(format!("{}: {warning}", found.sitemap)));
                    }
                    let mut chosen = Vec::new();
                    for listed_page in found.pages {
                        if scope.admits(&listed_page.url).is_err() {
                            continue;
                        }
                        step.planner().list(&listed_page.url, listed_page.listing(), found.read_at);
                        let choice = choose.choose(&listed_page, &root);
                        if let Some((_, priority)) = listed.iter().find(|(named, _)| *named == choice) {
                            chosen.push(page(listed_page.url, *priority));
                        }
                    }
                    if let Err(error) = step.queue_first(chosen).await {
                        return Done::Searched(Err(error));
                    }
                    if stop_handle.asked().is_some() {
                        break;
                    }
                }
                Done::Searched(Ok(()))
            });
        }
    }

    /// Returns how the crawl ends, or nothing where pages wait for a second visit; `spent` is why nothing more can be
    /// visited, if that is so.
    async fn finish_list(
        &self,
        account: &mut Account,
        spent: Option<String>,
    ) -> Result<Option<Findings>, RunnerError> {
        let (site, crawl, scope) = (&self.run.site.id, self.run.crawl.id, self.step.scope());
        let mut ending = if let Some(reason) = spent {
            Ending::Partial(reason)
        } else {
            let is_recorded = |page: &PageUrl| self.step.seen().is_finished(page);
            let doubted = |page: &PageUrl| account.unconfirmed.iter().any(|task| task.page.url == *page);
            let is_settled = |page: &PageUrl| is_recorded(page) || doubted(page);
            match session::audit_memory(&*self.store, site, crawl, scope, &is_settled).await?.len() {
                0 => Ending::Complete,
                pages => Ending::Partial(format!("{pages} pages of earlier lists are not on this one")),
            }
        };
        if self.stop_handle.asked().is_none() {
            match self.confirm(account, None) {
                Ok(0) => {}
                Ok(_) => return Ok(None),
                Err(reason) => ending = Ending::Partial(reason),
            }
            if self.overrun(account).is_none() && self.choose_rechecks(account) {
                return Ok(None);
            }
        }
        if !account.given_up.is_empty() {
            ending =
                Ending::Partial(format!("{} of the pages could not be recorded", account.given_up.len()));
        }
        let audit = self.add_up(account).await?;
        Ok(Some(Findings::new(ending, audit.statistics)))
    }

    /// Returns why a page of a list is not asked for, where nobody waits until its host can be visited.
    pub(super) fn refusal_of_list(&self, outcome: &Result<Outcome, StepError>) -> Option<String> {
        if self.run.crawl.kind != CrawlKind::List {
            return None;
        }
        match outcome {
            Ok(_)
            | Err(
                StepError::NotBegun(FetchError::Stopped)
                | StepError::Store(_)
                | StepError::Queue(_)
                | StepError::Stumbled(_),
            ) => None,
            // A request for rules that was broken off says nothing of the host.
            Err(StepError::Robots(_)) if self.stop_handle.asked().is_some() => None,
            Err(StepError::NotBegun(error)) => Some(error.to_string()),
            Err(StepError::Robots(error)) => Some(error.to_string()),
        }
    }
}

/// Returns what the sitemaps of a host may list: its pages, and those of hosts below it, with or without `www.`.
fn scope_of(root: &PageUrl) -> Result<Scope, Box<dyn std::error::Error + Send + Sync>> {
    let authority = root.authority();
    let host = authority.strip_prefix("www.").unwrap_or(authority);
    let above: PageUrl = format!("{}://{host}/", root.scheme()).parse()?;
    Ok(Scope::new(&above, ScopeSettings { subdomains: true, ..ScopeSettings::default() })?)
}

/// Waits until the visits that are under way have had their time after the deadline.
async fn at(deadline: Option<tokio::time::Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline + GRACE).await,
        None => std::future::pending().await,
    }
}
