//! What an audit gathered, for the next one of the same crawl: it reads what was recorded since, and nothing else.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::scope::Scope;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::url::{PageUrl, UrlRules};

use super::{Audit, AuditError, CHUNK, Gathered, Records};

/// The most pages that are remembered, about 10 MB. Where there are more, an audit reads everything again.
const MOST_PAGES: usize = 100_000;

/// What the last audits of open crawls gathered, by their sites. After a restart they are not there, and everything is read.
#[derive(Debug, Default)]
pub struct GatheredAudits(Mutex<HashMap<SiteId, (CrawlId, Gathered)>>);

impl GatheredAudits {
    /// Audits a crawl as [`audit`](super::audit) does, going on from what the last audit gathered where that is possible.
    ///
    /// Nobody may be at work on the crawl: a visit that began before the last audit and ended after it would be missed.
    pub async fn audit(
        &self,
        store: &dyn History,
        site: &SiteId,
        crawl: CrawlId,
        scope: &Scope,
        url_rules: &UrlRules,
        listed: Vec<PageUrl>,
    ) -> Result<Audit, AuditError> {
        let records = Records { store, site, crawl, scope, url_rules };
        let gathered = match self.take(site, crawl) {
            Some(gathered) => gathered.go_on(&records, store).await?,
            None => None,
        };
        let gathered = match gathered {
            Some(mut gathered) => {
                // The sitemaps may have been searched since.
                records.expect(listed, &mut gathered.accounted);
                gathered
            }
            None => Gathered::of(&records, listed, &|_| false).await?,
        };
        let audit = gathered.audit(site, crawl);
        self.keep(site, crawl, gathered, scope);
        Ok(audit)
    }

    /// Forgets what was gathered of a site: somebody was at work on its crawl meanwhile, or it is closed.
    pub fn forget(&self, site: &SiteId) {
        self.locked().remove(site);
    }

    fn take(&self, site: &SiteId, crawl: CrawlId) -> Option<Gathered> {
        let (of, gathered) = self.locked().remove(site)?;
        (of == crawl).then_some(gathered)
    }

    fn keep(&self, site: &SiteId, crawl: CrawlId, gathered: Gathered, scope: &Scope) {
        // Where depth is limited, a new page can bring all others nearer; where there was no room, others are missing, too.
        let is_whole = !scope.limits_depth() && gathered.accounted.has_room();
        let mut kept = self.locked();
        let others: usize = kept.values().map(|(_, gathered)| gathered.accounted.count()).sum();
        if is_whole && others + gathered.accounted.count() <= MOST_PAGES {
            kept.insert(site.clone(), (crawl, gathered));
        }
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<SiteId, (CrawlId, Gathered)>> {
        // Entries are taken out and put in whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gathered {
    /// Takes in what was recorded since; `None` where a page that was taken in before was visited again.
    async fn go_on(mut self, records: &Records<'_>, store: &dyn History) -> Result<Option<Self>, StoreError> {
        let Some(before) = self.statistics.last_visit else { return Ok(None) };
        let mut since = before;
        loop {
            let visited = store.visits_since(records.site, records.crawl, since, CHUNK).await?;
            let last: Option<Timestamp> = visited.last().map(|record| record.visit.fetched_at);
            let mut new = Vec::with_capacity(visited.len());
            for record in &visited {
                let is_known = self.accounted.is_recorded(&record.url);
                match (is_known, record.visit.fetched_at) {
                    (false, _) => new.push(record.clone()),
                    // It was the last one, or the last of the answer before this.
                    (true, at) if at == since => {}
                    (true, _) => return Ok(None),
                }
            }
            for record in &new {
                self.statistics.add(record);
                self.accounted.record(&record.url, record.found.depth, false);
            }
            if !records.lead_on(&new, &mut self.accounted).await? {
                return Ok(None);
            }
            match last {
                Some(_) if visited.len() < CHUNK => return Ok(Some(self)),
                Some(last) if last > since => since = last,
                // The last one is gone, or more pages have one time than are read at once.
                Some(_) | None => return Ok(None),
            }
        }
    }
}
