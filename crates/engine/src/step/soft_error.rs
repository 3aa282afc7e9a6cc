//! Answers that look like a page and are none.

use super::{CrawlStep, StepError};
use recrawl_core::decide::judge::redirect_target;
use recrawl_core::decide::soft_error;
use recrawl_core::model::content::Content;
use recrawl_core::model::ids::SemanticHash;
use recrawl_core::model::record::{ContentRef, PageState, Presence};
use recrawl_core::panics::{Panic, caught};
use recrawl_core::ports::{NotFoundAnswer, QueuedPage, Response, StateEntry, StateKey};
use recrawl_core::url::{PageUrl, UrlRules};

impl CrawlStep {
    /// Returns why `content` is not the page that was asked for, in words, if it is not.
    pub(super) async fn doubt(
        &self,
        url: &PageUrl,
        previous: Option<&ContentRef>,
        content: &Content,
    ) -> Result<Option<String>, StepError> {
        let extracted = &content.extracted;
        // What it said before, it may say again.
        if previous.is_some_and(|previous| previous.semantic == extracted.semantic) {
            return Ok(None);
        }
        if content.size == 0 {
            return Ok(Some("an empty body".to_owned()));
        }
        if let Some(block_page) = &extracted.block_page {
            return Ok(Some(block_page.clone()));
        }
        let is_html = extracted.signatures.is_some();
        let silence = SemanticHash::of(b"");
        let is_silenced = previous.is_some_and(|previous| previous.semantic != silence);
        if is_html && is_silenced && extracted.text.is_empty() {
            return Ok(Some("a page without any text".to_owned()));
        }
        if extracted.breaks_off
            && let Some(previous) = previous
            && let Some(before) = self.ports.store.text(&self.site.id, &previous.semantic).await?
            && soft_error::is_beginning_of(&extracted.text, &before)
        {
            return Ok(Some("the page breaks off".to_owned()));
        }
        if is_html
            && *url != self.site.root
            && let NotFoundAnswer::Page { asked, text } = self.absence(url).await
            && soft_error::is_answer_for_absent(url, &extracted.text, &asked, &text)
        {
            return Ok(Some(
                "a soft 404: what the host answers for any page that it does not have".to_owned(),
            ));
        }
        Ok(None)
    }

    /// Returns why a redirect says nothing of the page that was asked for, in words, if it does not.
    pub(super) async fn doubt_redirect(
        &self,
        url: &PageUrl,
        known: Option<&PageState>,
        response: &Response,
    ) -> Option<String> {
        let rules = UrlRules::keep_all_parameters();
        let target = redirect_target(url, &response.headers, &rules)?;
        let redirected = known.filter(|known| known.presence == Presence::Redirect);
        let before = redirected.and_then(|known| redirect_target(url, &known.headers, &rules));
        if before.as_ref() == Some(&target) {
            return None;
        }
        if soft_error::asks_for_login(&target) && !soft_error::asks_for_login(url) {
            return Some(format!("asks for a login at {target}"));
        }
        if *url == self.site.root {
            return None;
        }
        match self.absence(url).await {
            NotFoundAnswer::Redirect(elsewhere) if elsewhere == target => Some(format!(
                "a soft 404: redirects to {target}, as any page does that the host does not have"
            )),
            NotFoundAnswer::Redirect(_) | NotFoundAnswer::Page { .. } | NotFoundAnswer::Honest => None,
        }
    }

    /// Tells how the host of `url` answers for pages that it does not have, as far as that can be found out.
    async fn absence(&self, url: &PageUrl) -> NotFoundAnswer {
        caught(self.ports.absence.absence(url)).await.unwrap_or_else(|Panic { message, place }| {
            tracing::error!(%url, message, place, "Recrawl stumbled over an answer for a page that is not there");
            NotFoundAnswer::Honest
        })
    }

    /// Tells whether the absence of a known page was seen before in this crawl; remembers it if not.
    pub(super) async fn is_confirmed_absent(
        &self,
        page: &QueuedPage,
        at: jiff::Timestamp,
    ) -> Result<bool, StepError> {
        let key = StateKey::first_absence(&self.site.id, &page.url);
        let value = self.crawl.id.to_string();
        let seen = self.ports.memos.state(&key).await?;
        if seen.is_some_and(|memo| memo.value == value) {
            return Ok(true);
        }
        self.ports.memos.save_state(&key, &StateEntry { saved_at: at, value }).await?;
        Ok(false)
    }
}
