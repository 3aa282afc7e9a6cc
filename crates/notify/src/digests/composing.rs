//! What a digest says, from what was read for it.

use std::collections::HashSet;

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_reports::Digest;

use crate::notification::{Look, Notification, Part, Stage, Together};
use crate::selection::Silence;
use crate::target::{Target, Timing};

/// What a digest is made of.
#[derive(Debug)]
pub(crate) struct Ingredients {
    /// When it was put together first.
    pub(crate) at: Timestamp,
    /// What crawls found, site by site, the newest crawl first.
    pub(crate) sites: Vec<Vec<Digest>>,
    /// The crawls that wait to be told.
    pub(crate) crawls: Vec<(SiteId, CrawlId)>,
    /// Those of them whose findings the target was told before.
    pub(crate) told_before: HashSet<(SiteId, CrawlId)>,
    /// Sites that need somebody to look at them.
    pub(crate) looks: Vec<Look>,
    /// How many sites there are.
    pub(crate) watched: usize,
}

impl Ingredients {
    /// Returns when the first of the crawls ended.
    fn since(&self) -> Timestamp {
        let closed = self.sites.iter().flatten().map(|digest| digest.closed_at);
        closed.min().unwrap_or(self.at).min(self.at)
    }
}

/// A digest, and what it tells of which crawl.
#[derive(Debug)]
pub(crate) struct Made<'a> {
    pub(crate) notification: Notification<'a>,
    pub(crate) told: Vec<(SiteId, CrawlId, Stage)>,
}

/// Puts a digest together, or says why there is nothing to tell. An unusual crawl that waits is told among the sites that
/// need a look.
pub(crate) fn together<'a>(
    target: &'a Target,
    timing: &Timing,
    ingredients: &'a Ingredients,
) -> Result<Made<'a>, Silence> {
    let (mut parts, mut told) = (Vec::new(), Vec::new());
    for digests in &ingredients.sites {
        let mut of_site: Vec<Part<'a>> = Vec::new();
        for digest in digests {
            let Ok((stage, part)) = target.selection.part(digest) else { continue };
            if ingredients.told_before.contains(&(digest.site.clone(), digest.crawl)) {
                continue;
            }
            told.push((digest.site.clone(), digest.crawl, stage));
            if stage != Stage::Warning {
                of_site.push(part);
            }
        }
        parts.extend(Part::merged(of_site));
    }
    let enough = target.selection.is_enough(&parts);
    if ingredients.looks.is_empty() {
        enough?;
    }
    parts.retain(Part::has_something);
    let together = Together {
        at: ingredients.at,
        since: ingredients.since(),
        zone: timing.zone.clone(),
        crawls: ingredients.crawls.clone(),
        looks: ingredients.looks.clone(),
        sites: ingredients.watched,
    };
    let (stage, web) = (Stage::Digest, target.web.as_ref());
    Ok(Made { notification: Notification { stage, parts, together: Some(together), web }, told })
}
