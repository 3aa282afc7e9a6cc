//! Whether a site could be read: by its first page, which may be some redirects away from its root.

use recrawl_core::decide::{self, FirstPage};
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::model::scope::Scope;
use recrawl_core::model::site_state::SiteState;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::{Sight, Verdict};
use recrawl_core::ports::{Store, StoreError};
use recrawl_core::url::{PageUrl, UrlRules};

/// How many redirects of the root are followed.
const REDIRECTS: usize = 5;

/// What is known of a crawl that says whether the site could be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'a> {
    /// The record of the root, where it is at hand.
    pub(crate) root: Option<&'a PageRecord>,
    /// Why the host did not answer at all, if it did not.
    pub(crate) silence: Option<&'a str>,
    /// The figures of the crawl.
    pub(crate) statistics: &'a Statistics,
}

/// Says why the site could not be read in `crawl`, or not all of it, if that is so.
pub(crate) async fn site_state(
    store: &dyn Store,
    site: &Site,
    crawl: CrawlId,
    url_rules: &UrlRules,
    seen: Seen<'_>,
) -> Result<Option<SiteState>, StoreError> {
    let decided = |first: FirstPage<'_>| Ok(decide::site_state(&site.root, first, seen.statistics));
    let root = match seen.root {
        Some(root) => Some(root.clone()),
        None => store.page(&site.id, crawl, &site.root).await?,
    };
    let Some(mut record) = root else {
        return decided(seen.silence.map_or(FirstPage::NotVisited, FirstPage::Silent));
    };
    let scope = Scope::new(&site.root, site.scope.clone()).ok();
    let mut passed = vec![record.url.clone()];
    // Redirects that are no news: those that are count as moved.
    let mut known = 0;
    while is_redirect(&record) && passed.len() <= REDIRECTS {
        let Some(location) = record.location() else { break };
        known += u64::from(record.visit.verdict != Verdict::Moved);
        let target = url_rules.page(&location, None);
        let is_inside = |target: &PageUrl| scope.as_ref().is_none_or(|scope| scope.admits(target).is_ok());
        let Some(target) = target.ok().filter(is_inside) else {
            return decided(FirstPage::Outside(&location, known));
        };
        if passed.contains(&target) {
            return decided(FirstPage::Loop);
        }
        let Some(next) = store.page(&site.id, crawl, &target).await? else { break };
        record = next;
        passed.push(target);
    }
    decided(FirstPage::Visited(&record, known))
}

fn is_redirect(record: &PageRecord) -> bool {
    record.visit.verdict.sight() == Sight::There && record.known.presence == Presence::Redirect
}
