//! What ignore rules do to the last difference of a page.

use std::time::{Duration, Instant};

use recrawl_core::model::crawl::Site;
use recrawl_core::url::PageUrl;
use recrawl_reports::text_diff::{Context, Difference, Limit, compare_within};
use serde::Serialize;
use utoipa::ToSchema;

use crate::crawl_control::{ControlError, CrawlControl, IgnoreRules, RulesReading};

/// How long each of the two comparisons may take before it gets coarse.
const LONGEST: Duration = Duration::from_millis(50);

/// How many unchanged lines are shown around a change.
const AROUND: usize = 2;

/// What ignore rules do to the last difference of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct RulesEffect {
    /// The page.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// What differs by the rules as they are saved.
    pub saved: Difference,
    /// What differs by the rules that are tried.
    pub tried: Difference,
    /// How long reading the two versions by the saved rules took, in milliseconds.
    pub saved_ms: u64,
    /// How long reading the two versions by the rules that are tried took, in milliseconds.
    pub tried_ms: u64,
    /// That the crawl that found the last version is unusual and why, where no change of it was sent yet.
    pub unusual: Option<String>,
}

/// Compares the last two versions of a page, read by the saved rules and by `tried`. What is refused is the
/// fault of the rules that are tried, or of the page.
pub(crate) async fn effect(
    crawl_control: &dyn CrawlControl,
    site: &Site,
    url: &PageUrl,
    tried: &IgnoreRules,
) -> Result<RulesEffect, ControlError> {
    let saved = crawl_control.rules(&site.id).await?;
    let by = |rules: IgnoreRules| async move {
        let reading = crawl_control.preview_rules(&site.id, url, &rules).await?;
        let RulesReading { older, newer, took, unusual } = reading;
        let until = Instant::now() + LONGEST;
        let difference = compare_within(&older, &newer, Context::Lines(AROUND), until, Limit::PAGE);
        Ok::<_, ControlError>((difference, u64::try_from(took.as_millis()).unwrap_or(u64::MAX), unusual))
    };
    let is_same = saved == *tried;
    let (saved, saved_ms, unusual) = by(saved).await?;
    let (tried, tried_ms) = if is_same {
        (saved.clone(), saved_ms)
    } else {
        let (tried, tried_ms, _) = by(tried.clone()).await?;
        (tried, tried_ms)
    };
    Ok(RulesEffect { url: url.clone(), saved, tried, saved_ms, tried_ms, unusual })
}
