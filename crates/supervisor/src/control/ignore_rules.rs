//! Ignore rules of a site: what they are, and what others would make of a page's last difference.

use std::sync::Arc;
use std::time::{Duration, Instant};

use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::record::PageRecord;
use recrawl_core::url::PageUrl;
use recrawl_core::versions::versions;
use recrawl_extract::HtmlExtractor;
use recrawl_reports::history::PageVisits;
use recrawl_web::crawl_control::{IgnoreRules, RulesReading};

use crate::settings::{Edit, Settings};
use crate::supervisor::Supervisor;
use crate::usage;

/// Returns the file with these rules for a site, and the settings that it makes: neither is written.
fn proposed(supervisor: &Supervisor, site: &Site, rules: &IgnoreRules) -> anyhow::Result<(Edit, Settings)> {
    let mut edit = supervisor.sites.edit()?;
    let table = edit.table_for(site)?;
    edit.set_list(&table, "ignore-selector", &rules.selectors);
    edit.set_list(&table, "ignore-regex", &rules.patterns);
    let settings = edit.check(&table)?;
    Ok((edit, settings))
}

/// Returns the rules in force for a site.
pub(super) async fn in_force(supervisor: &Supervisor, site: &SiteId) -> anyhow::Result<IgnoreRules> {
    let settings = supervisor.sites.settings(&supervisor.sites.site(site).await?)?;
    Ok(IgnoreRules { selectors: settings.crawl.ignore_selector, patterns: settings.crawl.ignore_regex })
}

/// Replaces the rules of a site.
pub(super) async fn save(supervisor: &Supervisor, site: &SiteId, rules: &IgnoreRules) -> anyhow::Result<()> {
    let _alone = supervisor.editing.lock().await;
    let (edit, _) = proposed(supervisor, &supervisor.sites.site(site).await?, rules)?;
    edit.write()
}

/// Reads the two versions of a page's last difference by these rules.
pub(super) async fn preview(
    supervisor: &Supervisor,
    site: &SiteId,
    url: &PageUrl,
    rules: &IgnoreRules,
) -> anyhow::Result<RulesReading> {
    let (_, settings) = proposed(supervisor, &supervisor.sites.site(site).await?, rules)?;
    let extractor = settings.extractor();
    let none = || usage(format!("{url} has no version yet"));
    let visits = PageVisits::read(&**supervisor.store(), site, url).await?.ok_or_else(none)?;
    let judged = visits.judged(None);
    let versions = versions(&judged.visits);
    let mut newest = versions.iter().rev();
    let newer = newest.next().ok_or_else(none)?;
    let unusual = judged.remark_of(newer);
    let older = match newest.next() {
        Some(older) => read(supervisor, &extractor, older.last).await?,
        None => (String::new(), Duration::ZERO),
    };
    let newer = read(supervisor, &extractor, newer.first).await?;
    Ok(RulesReading { older: older.0, newer: newer.0, took: older.1 + newer.1, unusual })
}

/// Returns what reads the pages of a site by each of these rules.
pub(super) async fn readers(
    supervisor: &Supervisor,
    site: &SiteId,
    rules: &[IgnoreRules],
) -> anyhow::Result<Vec<Arc<HtmlExtractor>>> {
    let site = supervisor.sites.site(site).await?;
    let reader = |rules| Ok(Arc::new(proposed(supervisor, &site, rules)?.1.extractor()));
    rules.iter().map(reader).collect()
}

/// Reads the stored body of a record, and tells how long that took; a page that was not there says nothing.
async fn read(
    supervisor: &Supervisor,
    extractor: &HtmlExtractor,
    record: &PageRecord,
) -> anyhow::Result<(String, Duration)> {
    let Some(content) = record.offered_content() else { return Ok((String::new(), Duration::ZERO)) };
    let body = supervisor.store().body(&record.site, content).await?;
    let not_kept = || usage(format!("the body of {} in {} was not kept", record.url, record.crawl));
    let body = body.ok_or_else(not_kept)?;
    let content_type = record.known.headers.content_type.as_deref();
    let begin = Instant::now();
    let explained = extractor
        .explain(&record.url, content_type, &body)
        .map_err(|unreadable| usage(format!("{} cannot be read: {unreadable}", record.url)))?;
    let explained =
        explained.ok_or_else(|| usage(format!("{} is no HTML: rules do not touch it", record.url)))?;
    Ok((explained.extracted.text, begin.elapsed()))
}
