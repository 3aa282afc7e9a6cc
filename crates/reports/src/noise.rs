//! What changes by itself on a site, with its evidence: noise that was learnt, and that of the rules.

use recrawl_core::changes::noise::{LearntNoise, NoiseEntry, Said};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::shared_change::SharedBy;
use recrawl_core::ports::{History, StateKey, StateStore, StoreError};
use recrawl_core::url::PageUrl;
use serde::Serialize;

use crate::told::{region, rule};

/// How many crawls are shown.
pub const CRAWLS: usize = 4;

/// Something that changes by itself; its JSON form is stable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoiseRow {
    /// The shape of the line, or what the rule is about.
    pub what: String,
    /// Where it stands.
    pub r#where: String,
    /// On how many pages it last changed.
    pub pages: u64,
    /// Whether it changed in each of the last crawls, the oldest first.
    pub crawls: Vec<bool>,
    /// `learnt`, `rule`, `noise` or `no-noise`, the last two said by somebody.
    pub by: &'static str,
    /// The crawl after which it was noise, or the name of the rule.
    pub since: Option<String>,
    /// The line as it was last seen, where one is known.
    #[serde(skip)]
    pub line: Option<String>,
}

/// Returns the noise that was learnt from a site, as it is remembered.
pub async fn learnt(state_store: &dyn StateStore, site: &SiteId) -> Result<LearntNoise, StoreError> {
    let entry = state_store.state(&StateKey::learnt_noise(site)).await?;
    Ok(entry.and_then(|entry| serde_json::from_str(&entry.value).ok()).unwrap_or_default())
}

/// Returns what is known as noise, what somebody said is none, and what the rules removed lately.
pub async fn rows(
    history: &dyn History,
    site: &Site,
    noise: &LearntNoise,
    crawls: &[Crawl],
) -> Result<Vec<NoiseRow>, StoreError> {
    let known = noise.entries.iter().filter(|entry| entry.is_noise() || entry.said.is_some());
    let mut rows: Vec<NoiseRow> = known.map(row).collect();
    rows.extend(of_rules(history, site, crawls).await?);
    Ok(rows)
}

fn row(entry: &NoiseEntry) -> NoiseRow {
    let seen: Vec<bool> = entry.seen.iter().take(CRAWLS).rev().map(|evidence| evidence.pages > 0).collect();
    let by = match entry.said {
        Some(Said::Noise) => "noise",
        Some(Said::NoNoise) => "no-noise",
        None => "learnt",
    };
    let last = entry.seen.iter().find(|evidence| evidence.pages > 0);
    NoiseRow {
        what: entry.shape.clone(),
        r#where: place(entry),
        pages: last.map_or(0, |evidence| evidence.pages),
        crawls: seen,
        by,
        since: entry.learnt.map(|crawl| crawl.to_string()),
        line: last.map(|evidence| evidence.line.clone()),
    }
}

/// Says where a shape stands: the folder of its pages, and the part of a page.
fn place(entry: &NoiseEntry) -> String {
    let pages = entry.seen.iter().filter_map(|evidence| evidence.page.as_ref());
    let folders: Vec<&str> = pages.map(folder).collect();
    let region = region(entry.region);
    match folders.split_first() {
        Some((first, others)) if *first != "/" && others.iter().all(|other| other == first) => {
            format!("{first}, {region}")
        }
        _ => region.to_owned(),
    }
}

fn folder(page: &PageUrl) -> &str {
    let path = page.path();
    path.rfind('/').map_or("/", |place| &path[..=place])
}

/// Returns the noise rules that removed something else than before in the last crawls.
async fn of_rules(history: &dyn History, site: &Site, crawls: &[Crawl]) -> Result<Vec<NoiseRow>, StoreError> {
    let mut rows: Vec<NoiseRow> = Vec::new();
    let closed: Vec<&Crawl> = crawls.iter().filter(|crawl| !crawl.is_open()).collect();
    let last = &closed[closed.len().saturating_sub(CRAWLS)..];
    for (number, crawl) in last.iter().enumerate() {
        for change in history.shared_changes(&site.id, crawl.id).await? {
            if change.by != SharedBy::Rule {
                continue;
            }
            let known = rows.iter().position(|row| row.since.as_deref() == Some(&change.came));
            let place = known.unwrap_or(rows.len());
            if known.is_none() {
                rows.push(NoiseRow {
                    what: rule(&change.came).to_owned(),
                    r#where: String::new(),
                    pages: 0,
                    crawls: vec![false; last.len()],
                    by: "rule",
                    since: Some(change.came.clone()),
                    line: None,
                });
            }
            rows[place].pages = change.pages;
            rows[place].crawls[number] = true;
        }
    }
    Ok(rows)
}
