//! An open crawl: audited when it is quiet, then announced and closed, or given what it lacks.

use jiff::Timestamp;
use recrawl_core::decide::{self, Audited, Conclusion, Patience, is_audit_due};
use recrawl_core::model::crawl::{Crawl, CrawlKind, Ending, Site};
use recrawl_core::model::record::{Found, FoundBy, PageSummary};
use recrawl_core::model::scope::Scope;
use recrawl_core::ports::{Priority, QueuedPage};

use super::report::{ClosedCrawl, TickReport};
use super::{Maintenance, MaintenanceError, UnderWay};
use crate::session::{
    self, Audit, Closing, CrawlCommand, CrawlCommands, Findings, forget_command, recall, remember,
};

impl Maintenance {
    /// Audits `crawl` if that is due, and closes it or queues what is missing; tells whether it is closed.
    pub(super) async fn reconcile_crawl(
        &self,
        site: &Site,
        crawl: &Crawl,
        under_way: UnderWay<'_>,
        now: Timestamp,
        report: &mut TickReport,
    ) -> Result<bool, MaintenanceError> {
        let patience = Patience { quiet: self.settings.quiet, give_up_after: self.settings.give_up_after };
        let is_due = |since, last: Option<&Audited>| is_audit_due(crawl.id, since, last, patience, now);
        // What costs no read is asked first.
        if under_way(&site.id, crawl.id) {
            return Ok(false);
        }
        let command = CrawlCommands::read(&*self.store).await?.of(&site.id, crawl.id);
        let is_resumed = match command {
            Some(CrawlCommand::Stop) => {
                self.close_stopped(site, crawl, now, report).await?;
                return Ok(true);
            }
            Some(CrawlCommand::Pause) => return Ok(false),
            Some(CrawlCommand::Resume) => true,
            None => false,
        };
        if !is_resumed && !is_due(crawl.opened_at, None) {
            return Ok(false);
        }
        let last_visit = self.store.last_visit(&site.id, crawl.id).await?;
        let quiet_since = last_visit.map_or(crawl.opened_at, |visit| visit.max(crawl.opened_at));
        if !is_resumed && !is_due(quiet_since, None) {
            return Ok(false);
        }
        // While it rested, nobody waited for its pages in vain.
        let last: Option<Audited> = if is_resumed { None } else { recall(&*self.store, &site.id).await? };
        if !is_resumed && !is_due(quiet_since, last.as_ref()) {
            return Ok(false);
        }
        let is_of_due_pages = crawl.kind == CrawlKind::Due;
        let audit =
            if is_of_due_pages { self.add_up(site, crawl).await? } else { self.audit(site, crawl).await? };
        report.audited += 1;
        // Who visits while the audit reads is not to find the crawl closed behind it.
        if under_way(&site.id, crawl.id) || audit.statistics.last_visit > last_visit {
            self.audits.forget(&site.id);
            return Ok(false);
        }
        let conclusion = if is_of_due_pages {
            Conclusion::Close(Ending::Partial("only pages that were due".to_owned()))
        } else {
            let spent = match self.settings.budget.and_then(|budget| overspent(budget, &audit)) {
                Some(ending) => Some(ending),
                None => self.overlong(site, crawl, &audit).await?,
            };
            let finish = || {
                decide::finish(
                    crawl.id,
                    audit.statistics.total,
                    audit.missing.len() as u64,
                    last.as_ref(),
                    patience,
                    now,
                )
            };
            spent.map_or_else(finish, Conclusion::Close)
        };
        let is_closed = match conclusion {
            Conclusion::Close(ending) => {
                let Audit { statistics, root, .. } = audit;
                // Whoever could not even be asked for robots.txt has no record.
                let silence = (statistics.total == 0).then(|| "nothing was answered".to_owned());
                let findings = Findings { ending, statistics, root, silence };
                self.close(site, crawl, findings, now, report).await?;
                true
            }
            Conclusion::Requeue(audited) => {
                // Queued before it is remembered: a crash between costs messages, never a wait.
                self.frontier.queue(&audit.missing).await?;
                report.requeued += audited.missing;
                remember(&*self.store, &site.id, &audited, now).await?;
                false
            }
        };
        if is_resumed {
            forget_command(&*self.store, &site.id, crawl.id, CrawlCommand::Resume, now).await?;
        }
        Ok(is_closed)
    }

    /// Closes `crawl` if somebody stopped it; tells whether it did.
    ///
    /// Whoever wants to open the next crawl of the site does not wait for a tick.
    pub async fn close_if_stopped(
        &self,
        site: &Site,
        crawl: &Crawl,
        now: Timestamp,
    ) -> Result<bool, MaintenanceError> {
        let command = CrawlCommands::read(&*self.store).await?.of(&site.id, crawl.id);
        let is_stopped = command == Some(CrawlCommand::Stop);
        if is_stopped {
            self.close_stopped(site, crawl, now, &mut TickReport::default()).await?;
        }
        Ok(is_stopped)
    }

    async fn close_stopped(
        &self,
        site: &Site,
        crawl: &Crawl,
        now: Timestamp,
        report: &mut TickReport,
    ) -> Result<(), MaintenanceError> {
        let statistics = session::figures(&*self.store, &site.id, crawl.id).await?;
        let findings = Findings::new(CrawlCommand::stopped(), statistics);
        self.close(site, crawl, findings, now, report).await?;
        // Last: a crash between leaves the command of a closed crawl, which nobody looks at.
        Ok(forget_command(&*self.store, &site.id, crawl.id, CrawlCommand::Stop, now).await?)
    }

    async fn audit(&self, site: &Site, crawl: &Crawl) -> Result<Audit, MaintenanceError> {
        let scope = Scope::new(&site.root, site.scope.clone())
            .map_err(|source| MaintenanceError::Scope { site: site.id.clone(), source })?;
        let rules = &self.settings.url_rules;
        let store = &*self.store;
        let listed = session::listed_pages(store, &site.id, crawl.id).await?;
        let mut audit = self.audits.audit(store, &site.id, crawl.id, &scope, rules, listed).await?;
        // Nothing leads to the root: it is missing where the message that opened the crawl was lost.
        let is_queued = audit.missing.iter().any(|page| page.url == site.root);
        if !is_queued {
            audit.root = store.page(&site.id, crawl.id, &site.root).await?.map(Box::new);
        }
        if !is_queued && audit.root.is_none() {
            audit.missing.push(QueuedPage {
                site: site.id.clone(),
                crawl: crawl.id,
                url: site.root.clone(),
                found: Found { by: FoundBy::Seed, depth: 0, referrer: None },
                priority: Priority::default(),
            });
        }
        Ok(audit)
    }

    /// Returns how a crawl ends that asked for as many pages as it may, and lacks others.
    async fn overlong(
        &self,
        site: &Site,
        crawl: &Crawl,
        audit: &Audit,
    ) -> Result<Option<Ending>, MaintenanceError> {
        let max_pages = self.settings.max_pages;
        let reached = |known| max_pages.of(known).filter(|limit| audit.statistics.asked() >= *limit);
        // What is known costs reads, and only raises the limit.
        if audit.missing.is_empty() || reached(0).is_none() {
            return Ok(None);
        }
        let mut known = 0;
        let mut each = |page: PageSummary| known += u64::from(page.presence.is_live());
        self.store.page_summaries(&site.id, Some(crawl.id), &mut each).await?;
        Ok(reached(known).map(|limit| Ending::Partial(max_pages.words(limit))))
    }

    /// Adds up what a crawl of due pages found. Nothing is missing: a page that was not visited stays due.
    async fn add_up(&self, site: &Site, crawl: &Crawl) -> Result<Audit, MaintenanceError> {
        let statistics = session::figures(&*self.store, &site.id, crawl.id).await?;
        Ok(Audit { missing: Vec::new(), statistics, root: None })
    }

    async fn close(
        &self,
        site: &Site,
        crawl: &Crawl,
        findings: Findings,
        now: Timestamp,
        report: &mut TickReport,
    ) -> Result<(), MaintenanceError> {
        let closing = Closing {
            store: &*self.store,
            state_store: &*self.store,
            announcer: &*self.announcer,
            archiving: Some(self.archiving()),
            summaries: Some(&*self.summaries),
            url_rules: &self.settings.url_rules,
            described_by: Some(&*self.store),
            sharing: self.settings.sharing,
            awaits_acceptance: true,
        };
        // Before it is closed: whatever ends the process then, a later one knows whom to tell.
        self.notices.closing(&site.id, crawl.id).await?;
        // Closing changes records. Where it fails half-way, the next audit reads them again.
        self.audits.forget(&site.id);
        let (closed, announced) = closing.close(site, crawl, findings, now).await?;
        report.announced += announced;
        let suspicion = closed.suspicion.map(|suspicion| suspicion.reason);
        let (site, crawl, ending, pages) =
            (site.id.clone(), crawl.id, closed.ending, closed.statistics.total);
        report.closed.push(ClosedCrawl { site, crawl, ending, suspicion, pages });
        Ok(())
    }
}

/// Returns how a crawl ends that cannot visit what it lacks, if it cannot.
///
/// All of it or nothing: of pages that were absent once, some gone and others not looked at would be neither a
/// whole crawl nor a partial one.
fn overspent(budget: u64, audit: &Audit) -> Option<Ending> {
    let missing = audit.missing.len() as u64;
    let left = budget.saturating_sub(audit.statistics.requests);
    (missing > left).then(|| {
        let pages = if missing == 1 { "page waits" } else { "pages wait" };
        Ending::Partial(format!(
            "the budget of {budget} requests was spent; {missing} {pages} for the next crawl"
        ))
    })
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::statistics::Statistics;

    use super::*;

    #[test]
    fn a_crawl_is_over_when_its_budget_does_not_suffice_for_what_it_lacks() {
        let page = QueuedPage {
            site: "a".parse().unwrap(),
            crawl: "crawl-2026-11-16".parse().unwrap(),
            url: "http://a/".parse().unwrap(),
            found: Found { by: FoundBy::Seed, depth: 0, referrer: None },
            priority: Priority::default(),
        };
        for (budget, requests, missing, is_over) in [
            (10, 10, 0, false),
            (10, 12, 0, false),
            (10, 0, 0, false),
            (10, 10, 1, true),
            (10, 12, 1, true),
            (10, 9, 1, false),
            (10, 9, 2, true),
            (10, 0, 10, false),
            (0, 0, 1, true),
        ] {
            let statistics = Statistics { requests, ..Statistics::default() };
            let audit = Audit { missing: vec![page.clone(); missing], statistics, root: None };
            assert_eq!(overspent(budget, &audit).is_some(), is_over, "{budget} {requests} {missing}");
        }
    }
}
