//! An open crawl: audited when it is quiet, then closed or given what it lacks.

use jiff::Timestamp;
use recrawl_core::crawl::{Closed, Crawl, Ending, Site};
use recrawl_core::lifecycle::{self, Audit, Audited, Conclusion, Patience};
use recrawl_core::ports::QueuedPage;
use recrawl_core::record::{Found, FoundBy};
use recrawl_core::scope::Scope;

use super::remembered::{recall, remember};
use super::{Keeper, KeeperError, UnderWay};
use crate::report::{Closing, TickReport};

impl Keeper {
    /// Audits `crawl` if that is due, and closes it or queues what is missing; tells whether it is closed.
    pub(super) async fn tend(
        &self,
        site: &Site,
        crawl: &Crawl,
        under_way: UnderWay<'_>,
        now: Timestamp,
        report: &mut TickReport,
    ) -> Result<bool, KeeperError> {
        let patience = Patience { quiet: self.settings.quiet, give_up_after: self.settings.give_up_after };
        let is_due =
            |since, last: Option<&Audited>| lifecycle::is_audit_due(crawl.id, since, last, patience, now);
        // What costs no read is asked first.
        if under_way(&site.id, crawl.id) || !is_due(crawl.opened_at, None) {
            return Ok(false);
        }
        let last_visit = self.store.last_visit(&site.id, crawl.id).await?;
        let quiet_since = last_visit.map_or(crawl.opened_at, |visit| visit.max(crawl.opened_at));
        if !is_due(quiet_since, None) {
            return Ok(false);
        }
        let last: Option<Audited> = recall(&*self.store, &site.id).await?;
        if !is_due(quiet_since, last.as_ref()) {
            return Ok(false);
        }
        let audit = self.audit(site, crawl).await?;
        report.audited += 1;
        // Who visits while the audit reads is not to find the crawl closed behind it.
        if under_way(&site.id, crawl.id) || audit.statistics.last_visit > last_visit {
            return Ok(false);
        }
        match lifecycle::conclude(crawl.id, &audit, last.as_ref(), patience, now) {
            Conclusion::Close(ending) => {
                self.close(site, crawl, ending, audit, now, report).await?;
                Ok(true)
            }
            Conclusion::Requeue(audited) => {
                // Queued before it is remembered: a crash between costs messages, never a wait.
                self.frontier.queue(&audit.missing).await?;
                report.requeued += audited.missing;
                remember(&*self.store, &site.id, &audited, now).await?;
                Ok(false)
            }
        }
    }

    async fn audit(&self, site: &Site, crawl: &Crawl) -> Result<Audit, KeeperError> {
        let scope = Scope::new(&site.root, site.scope.clone())
            .map_err(|source| KeeperError::Scope { site: site.id.clone(), source })?;
        let crawls = self.store.crawls(&site.id).await?;
        let rules = &self.settings.url_rules;
        let store = &*self.store;
        let mut audit =
            lifecycle::audit(store, &site.id, crawl.id, &crawls, &scope, rules, &|_| false).await?;
        // Nothing leads to the root: it is missing where the message that opened the crawl was lost.
        let is_queued = audit.missing.iter().any(|page| page.url == site.root);
        if !is_queued && store.page(&site.id, crawl.id, &site.root).await?.is_none() {
            audit.missing.push(QueuedPage {
                site: site.id.clone(),
                crawl: crawl.id,
                url: site.root.clone(),
                found: Found { by: FoundBy::Seed, depth: 0, referrer: None },
            });
        }
        Ok(audit)
    }

    async fn close(
        &self,
        site: &Site,
        crawl: &Crawl,
        ending: Ending,
        audit: Audit,
        now: Timestamp,
        report: &mut TickReport,
    ) -> Result<(), KeeperError> {
        let pages = audit.statistics.total;
        let closed = Closed { at: now, ending: ending.clone(), statistics: audit.statistics };
        // Told before it is written: a closed crawl is not looked at again, so after a crash between the
        // other way round nobody would tell of it. Told twice, it has the same id.
        self.summaries.summarise(site, crawl.id, &closed).await?;
        self.store.close_crawl(&site.id, crawl.id, &closed).await?;
        report.closed.push(Closing { site: site.id.clone(), crawl: crawl.id, ending, pages });
        Ok(())
    }
}
