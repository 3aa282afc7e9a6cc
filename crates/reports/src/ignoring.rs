//! Ignoring by a click: by which rules a line can be left out of every page, and what each of them would have hidden.
//!
//! The effect is no guess: stored versions are read again, by the rules in force and by the one that is tried. Where there
//! are too many, evenly spread ones are read, and the figures say how many.

mod choices;
mod effect;

use std::sync::Arc;
use std::time::Duration;

use recrawl_core::decide::opened_before;
use recrawl_core::model::content::Extractor;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::region::Region;
use recrawl_core::url::PageUrl;
use recrawl_extract::HtmlExtractor;
use serde::Serialize;
use utoipa::ToSchema;

pub use self::choices::{Candidates, Choice, IgnoreRule, Wide};
pub use self::effect::{Counted, Effect};
use self::effect::{Pages, pages_of};
use crate::cache::Reports;
use crate::error::ReportError;

/// How long before a crawl its site is looked back at.
const LOOK_BACK: jiff::SignedDuration = jiff::SignedDuration::from_hours(24 * 7 * 8);

/// A line that went or came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedLine {
    /// The page.
    pub url: PageUrl,
    /// The crawl that found it.
    pub crawl: CrawlId,
    /// It came; otherwise it went.
    pub came: bool,
    /// Its words.
    pub text: String,
}

/// How much is read to find out what a rule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The most pages of the crawl, and the most of the weeks before.
    pub pages: usize,
    /// The longest time for each of the two.
    pub patience: Duration,
}

impl Bounds {
    /// As long as somebody waits for a page.
    pub const PAGE: Self = Self { pages: 3_000, patience: Duration::from_millis(2_500) };

    /// As long as somebody waits who asked for all of it.
    pub const WHOLE: Self = Self { pages: 20_000, patience: Duration::from_mins(10) };
}

/// By which rules a line can be ignored, with what each would have hidden.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct IgnoreView {
    /// The page.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// The crawl.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// The line.
    pub line: String,
    /// Where it stands.
    #[schema(value_type = String)]
    pub region: Region,
    /// The rules, from narrow to wide; none where the page cannot be read again.
    pub effects: Vec<Effect>,
    /// The place of the rule among them that is proposed: the narrowest that hides the line wherever it was seen.
    pub proposed: usize,
    /// How many crawls of the eight weeks before were looked at.
    pub crawls_before: usize,
}

impl Reports<'_> {
    /// Counts what each of the rules that are tried would have hidden, those that hide the line on its own page; `base` reads
    /// pages by the rules in force.
    pub async fn ignoring(
        &self,
        site: &Site,
        line: &EditedLine,
        region: Region,
        base: &HtmlExtractor,
        tried: Vec<(Choice, Arc<HtmlExtractor>)>,
        bounds: Bounds,
    ) -> Result<IgnoreView, ReportError> {
        let crawls = self.history.crawls(&site.id).await?;
        let crawl = crawls.iter().find(|crawl| crawl.id == line.crawl);
        let crawl =
            crawl.ok_or_else(|| ReportError::Absent(format!("site {} has no {}", site.id, line.crawl)))?;
        let tried = self.fitting_choices(site, line, tried).await?;
        let readers: Vec<&dyn Extractor> =
            tried.iter().map(|(_, reader)| &**reader as &dyn Extractor).collect();
        let of_crawl = pages_of(self, site, &[crawl]).await?;
        let now = self.counted(&of_crawl, line, base, &readers, bounds).await?;
        let earlier = before(&crawls, crawl);
        let of_weeks = pages_of(self, site, &earlier).await?;
        let then = self.counted(&of_weeks, line, base, &readers, bounds).await?;
        let effects: Vec<Effect> = tried
            .into_iter()
            .zip(now.into_iter().zip(then))
            .map(|((choice, _), (crawl, before))| Effect { choice, crawl, before })
            .collect();
        let most = effects.iter().map(|effect| effect.crawl.line).max().unwrap_or(0);
        let proposed = effects.iter().position(|effect| effect.crawl.line == most).unwrap_or(0);
        Ok(IgnoreView {
            url: line.url.clone(),
            crawl: line.crawl,
            line: line.text.clone(),
            region,
            effects,
            proposed,
            crawls_before: earlier.len(),
        })
    }

    async fn counted(
        &self,
        pages: &Pages,
        line: &EditedLine,
        base: &dyn Extractor,
        tried: &[&dyn Extractor],
        bounds: Bounds,
    ) -> Result<Vec<Counted>, ReportError> {
        Ok(effect::counted(self.history, pages, line, base, tried, bounds).await?)
    }
}

/// Returns the believed crawls of the weeks before one.
fn before<'a>(crawls: &'a [Crawl], crawl: &Crawl) -> Vec<&'a Crawl> {
    let since = crawl.opened_at - LOOK_BACK;
    let is_meant =
        |earlier: &&Crawl| earlier.opened_at >= since && !earlier.is_open() && earlier.is_trusted();
    opened_before(crawls, crawl.id).iter().filter(is_meant).collect()
}
