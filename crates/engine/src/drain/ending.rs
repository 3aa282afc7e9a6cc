//! Whether a crawl is over: the audit, the second look at pages that seem to be gone or empty, and the closing.

use std::collections::HashSet;

use recrawl_core::model::crawl::{Closed, CrawlKind, Ending};
use recrawl_core::model::site_state::SiteState;
use recrawl_core::ports::{QueueError, QueuedPage, StoreError};
use recrawl_core::url::PageUrl;

use super::{Account, Runner, RunnerError};
use crate::observer::Event;
use crate::session::{self, Audit, Closing, Findings, Seen};

impl Runner {
    /// Closes the crawl, or queues what is missing; `spent` is why nothing more can be visited, if that is so, and
    /// `silence` why nothing was answered at all.
    pub(super) async fn finish(
        &self,
        account: &mut Account,
        spent: Option<String>,
        silence: Option<String>,
    ) -> Result<Option<Closed>, RunnerError> {
        let (site, crawl) = (&self.run.site.id, self.run.crawl.id);
        // Nobody needs to look for pages that lack a record where some wait that will not be visited.
        let is_spent = spent.is_some();
        let some_wait = is_spent && self.pull_frontier.waiting(site, crawl).await? > 0;
        let audit = if some_wait { self.add_up(account).await? } else { self.audit(account).await? };
        let mut ending = match (self.run.crawl.kind, spent) {
            (CrawlKind::Due, _) => Ending::Partial("only pages that were due were visited".to_owned()),
            (CrawlKind::List, _) => Ending::Partial("only the pages of a list were visited".to_owned()),
            (CrawlKind::Full, Some(reason)) if some_wait || !audit.missing.is_empty() => {
                Ending::Partial(reason)
            }
            (CrawlKind::Full, Some(_) | None) => Ending::Complete,
        };
        if ending == Ending::Complete {
            if self.queue_missing(account, audit.missing).await? {
                return Ok(None);
            }
            match self.confirm(account, self.state(account).await?) {
                Ok(0) => {}
                Ok(_) => return Ok(None),
                Err(reason) => ending = Ending::Partial(reason),
            }
            if !account.given_up.is_empty() {
                let pages = account.given_up.len();
                ending = Ending::Partial(format!("{pages} of the pages could not be recorded"));
            }
        }
        if !is_spent && self.choose_rechecks(account) {
            return Ok(None);
        }
        let findings = Findings { silence, ..Findings::new(ending, audit.statistics) };
        self.close(findings).await.map(Some)
    }

    /// Closes the crawl with what was found.
    pub(super) async fn close(&self, findings: Findings) -> Result<Closed, RunnerError> {
        let closing = Closing {
            store: &*self.store,
            state_store: &*self.state_store,
            announcer: &*self.announcer,
            // The records are the queue.
            archiving: None,
            summaries: None,
            url_rules: self.step.url_rules(),
            // Nobody reads announcements of this store; differences are made when somebody asks.
            described_by: None,
            sharing: self.step.sharing(),
            awaits_acceptance: false,
        };
        let closed = closing.close(&self.run.site, &self.run.crawl, findings, (self.clock)());
        let (closed, _) = Box::pin(closed).await?;
        Ok(closed)
    }

    /// Returns the figures of the crawl so far, without looking for what is missing.
    pub(super) async fn add_up(&self, account: &Account) -> Result<Audit, StoreError> {
        let statistics = if account.is_cut {
            // Of a visit that was broken off nobody knows whether it was recorded.
            session::figures(&*self.store, &self.run.site.id, self.run.crawl.id).await?
        } else {
            account.recorded.clone()
        };
        Ok(Audit { missing: Vec::new(), statistics, root: None })
    }

    /// Finds what is missing, and the figures of the crawl so far.
    async fn audit(&self, account: &Account) -> Result<Audit, RunnerError> {
        let (store, site, crawl) = (&*self.store, &self.run.site.id, self.run.crawl.id);
        let scope = self.step.scope();
        // Where depth is limited, only the records tell which way to a page is the shortest.
        let reads_records =
            self.run.resumed || account.is_cut || self.step.seen().has_left_out() || scope.limits_depth();
        if reads_records {
            let rules = self.step.url_rules();
            let doubted: HashSet<&PageUrl> = account.unconfirmed.iter().map(|task| &task.page.url).collect();
            let are_settled = |url: &PageUrl| doubted.contains(url) || account.given_up.contains(url);
            let audit = session::audit(store, site, crawl, scope, rules, Vec::new(), &are_settled);
            return Ok(audit.await?);
        }
        // This store takes links and record in one transaction: what this process recorded needs no audit.
        let is_recorded = |page: &PageUrl| self.step.seen().is_finished(page);
        let missing = session::audit_memory(store, site, crawl, scope, &is_recorded).await?;
        Ok(Audit { missing, statistics: account.recorded.clone(), root: None })
    }

    /// Queues pages that the audit missed; tells whether there were any but those that are doubted.
    ///
    /// A page that the last audit had queued, and that has no record when nothing waits any more, is given up: in a
    /// damaged file one list may name what another one does not, for ever.
    async fn queue_missing(
        &self,
        account: &mut Account,
        missing: Vec<QueuedPage>,
    ) -> Result<bool, QueueError> {
        let doubted: HashSet<&PageUrl> = account.unconfirmed.iter().map(|task| &task.page.url).collect();
        let is_missed =
            |page: &QueuedPage| !doubted.contains(&page.url) && !account.given_up.contains(&page.url);
        let before = std::mem::take(&mut account.audited);
        let was_queued = |page: &QueuedPage| before.contains(&page.url.fingerprint());
        let (stuck, missing): (Vec<QueuedPage>, Vec<QueuedPage>) =
            missing.into_iter().filter(is_missed).partition(was_queued);
        if let Some(QueuedPage { url, .. }) = stuck.first() {
            let who = match stuck.len() {
                1 => url.to_string(),
                pages => format!("{pages} pages, {url} among them,"),
            };
            self.observer.on(Event::Warning(format!(
                "{who} cannot be recorded: the store may be damaged, and `recrawl check` tells"
            )));
        }
        account.given_up.extend(stuck.into_iter().map(|page| page.url));
        if missing.is_empty() {
            return Ok(false);
        }
        account.audited = missing.iter().map(|page| page.url.fingerprint()).collect();
        self.observer.on(Event::Audited(missing.len()));
        self.step.seen().not_yet_queued(missing.iter().map(|page| &page.url), |_| true);
        self.pull_frontier.queue(&missing).await?;
        Ok(true)
    }

    /// Queues pages that seem to be gone or empty for a second visit and returns how many there are, or why that cannot be.
    ///
    /// All of them or none: some pages gone and others not looked at would be neither a whole crawl nor a
    /// partial one. The root comes first: where the site cannot be read, no other page counts as gone.
    pub(super) fn confirm(&self, account: &mut Account, state: Option<SiteState>) -> Result<usize, String> {
        if let Some(state) = state {
            return Err(state.sentence());
        }
        let pages = account.unconfirmed.len();
        if let Some(request_budget) =
            self.run.budget.requests.as_ref().filter(|left| left.left() < pages as u64)
        {
            return Err(format!("the budget of {} requests was spent", request_budget.limit()));
        }
        if pages > 0 {
            self.observer.on(Event::Confirming(pages));
            account.confirming = true;
            let root = account.unconfirmed.iter().position(|task| task.page.url == self.run.site.root);
            let tasks = match root {
                Some(place) => vec![account.unconfirmed.swap_remove(place)],
                None => std::mem::take(&mut account.unconfirmed),
            };
            account.queue.confirm(tasks);
        }
        Ok(pages)
    }

    /// Returns why the site cannot be read, if that is so and pages seem to be gone.
    async fn state(&self, account: &Account) -> Result<Option<SiteState>, StoreError> {
        let (store, site, crawl) = (&*self.store, &self.run.site, self.run.crawl.id);
        if account.unconfirmed.is_empty() {
            return Ok(None);
        }
        let seen = Seen { root: None, silence: None, statistics: &account.recorded };
        let state = Box::pin(session::site_state(store, site, crawl, self.step.url_rules(), seen)).await?;
        Ok(state.filter(SiteState::hides_site))
    }
}
