//! Looking up what the meaning of an answer depends on: stored links, texts and bodies, what the body says, and how the
//! host answers for pages that it does not have.

use recrawl_core::decide::interpret::{Answers, Asked, Before, Checked, Fact, KnownText};
use recrawl_core::decide::partial;
use recrawl_core::model::content::{Content, Directives, Extracted, Reading, Unreadable};
use recrawl_core::model::ids::{ContentHash, RulesVersion};
use recrawl_core::model::record::{ContentRef, PageState};
use recrawl_core::panics::{Panic, caught};
use recrawl_core::ports::{NotFoundAnswer, Response, StoreError};
use recrawl_core::url::PageUrl;

use super::progress::KeptFacts;
use super::{CrawlStep, StepError};

impl CrawlStep {
    /// Looks up `fact`.
    pub(super) async fn look_up(
        &self,
        fact: Fact,
        asked: &Asked<'_>,
        answers: &mut Answers,
        facts: &mut KeptFacts,
    ) -> Result<(), StepError> {
        match fact {
            Fact::StoredLinks(content) => {
                facts.links = Some((content, self.unqueued_links(&content).await?));
            }
            Fact::Body => self.read_body(asked.url, answers, facts).await?,
            Fact::PreviousContent => facts.before = Some(self.read_again(asked).await?),
            Fact::PreviousReading => {
                let before = asked.known.and_then(|known| known.content.as_ref());
                facts.reading = Some(self.reading_of(before).await?);
            }
            Fact::Text(meaning) => {
                let text = self.ports.store.text(&self.site.id, &meaning).await?;
                facts.text = Some(KnownText { meaning, text });
            }
            Fact::NotFoundAnswer => facts.not_found = Some(self.not_found_answer(asked.url).await),
        }
        Ok(())
    }

    /// Returns what a content says, as far as it is stored.
    pub(super) async fn reading_of(
        &self,
        content: Option<&ContentRef>,
    ) -> Result<Option<Reading>, StoreError> {
        let Some(content) = content else { return Ok(None) };
        let readings = self.ports.store.readings(&self.site.id, std::slice::from_ref(content)).await?;
        Ok(readings.into_iter().next().flatten())
    }

    /// Returns those links of the content of a page that were not queued yet, or `None` if it is not stored.
    pub(super) async fn stored_links(
        &self,
        known: Option<&PageState>,
    ) -> Result<Option<Vec<PageUrl>>, StoreError> {
        match known.and_then(|known| known.content.as_ref()) {
            Some(content) => self.unqueued_links(&content.hash).await,
            None => Ok(None),
        }
    }

    async fn unqueued_links(&self, content: &ContentHash) -> Result<Option<Vec<PageUrl>>, StoreError> {
        let links = self.ports.store.unqueued_links(&self.site.id, self.crawl.id, content).await?;
        Ok(links.map(|links| self.seen.unseen(links)))
    }

    /// Takes the body out of the answer; the second time it is asked for, reads it.
    async fn read_body(
        &self,
        url: &PageUrl,
        answers: &mut Answers,
        facts: &mut KeptFacts,
    ) -> Result<(), StepError> {
        let response = match answers {
            Answers::Answered(response)
            | Answers::Unchanged { check: Some(Checked::Whole(response)), .. } => response,
            Answers::Silence { .. } | Answers::Unchanged { .. } => return Ok(()),
        };
        if facts.content.is_none() {
            let body = std::mem::take(&mut response.body);
            facts.content = Some(unread(response, body));
            return Ok(());
        }
        if let Some(content) = &mut facts.content
            && let Err(unreadable) = self.extract(url, response, content).await
        {
            facts.put_body_aside();
            return Err(StepError::Stumbled(unreadable.into()));
        }
        facts.is_read = true;
        Ok(())
    }

    /// Reads a content that nobody has read yet.
    async fn extract(
        &self,
        url: &PageUrl,
        response: &Response,
        content: &mut Content,
    ) -> Result<(), Unreadable> {
        let content_type = response.headers.content_type.as_deref();
        let body = content.body.as_deref().unwrap_or_default();
        let documents = &self.ports.documents;
        let mut extracted = match documents.extract(url, content_type, body, response.truncated).await? {
            Some(document) => document,
            None => self.ports.extractor.extract(url, content_type, body)?,
        };
        if response.truncated {
            extracted = partial::of_beginning(extracted);
        }
        let headers = response.headers.robots_tag.as_deref().unwrap_or_default();
        let asked = Directives::from_headers(headers, &self.policy.product_token);
        extracted.directives = extracted.directives.or(asked);
        if extracted.directives.nofollow && self.policy.obey_nofollow {
            extracted.links.clear();
        }
        if self.policy.full_history.contains(&content.media_type) {
            // Of text it is told what differs; of pages, how noise is read may change from crawl to crawl.
            let is_text = extracted.rules.is_of_text_file();
            let Extracted { semantic, rules, .. } = Extracted::opaque(content.hash);
            let rules = if is_text { RulesVersion::of_each_visit() } else { rules };
            extracted = Extracted { semantic, rules, ..extracted };
        }
        content.extracted = extracted;
        Ok(())
    }

    /// Reads the previous content by the rules in force, where its body is kept.
    async fn read_again(&self, asked: &Asked<'_>) -> Result<Option<Before>, StepError> {
        let Some((known, previous)) = asked.known.and_then(|known| Some((known, known.content.as_ref()?)))
        else {
            return Ok(None);
        };
        let Some(body) = self.ports.store.body(&self.site.id, previous).await? else {
            return Ok(None);
        };
        let (url, content_type) = (asked.url, known.headers.content_type.as_deref());
        let is_beginning = previous.rules.is_of_beginning();
        let reading = async {
            match self.ports.documents.extract(url, content_type, &body, is_beginning).await? {
                Some(document) => Ok(document),
                None => self.ports.extractor.extract(url, content_type, &body),
            }
        };
        let extracted = match caught(reading).await {
            Ok(extracted) => extracted.ok(),
            // What the page says now shall not fail for ever because of what it said before.
            Err(Panic { message, place }) => {
                tracing::error!(%url, message, place, "Recrawl stumbled over the stored body of a page");
                None
            }
        };
        Ok(extracted.map(|mut extracted| {
            if is_beginning {
                extracted = partial::of_beginning(extracted);
            }
            let Extracted { semantic, rules, signatures, text, outline, .. } = extracted;
            let reference = ContentRef { hash: previous.hash, semantic, rules, signatures };
            Before { reference, reading: Some(Reading { text, outline }) }
        }))
    }

    /// Tells how the host of `url` answers for pages that it does not have, as far as that can be found out.
    async fn not_found_answer(&self, url: &PageUrl) -> NotFoundAnswer {
        caught(self.ports.absence.absence(url)).await.unwrap_or_else(|Panic { message, place }| {
            tracing::error!(%url, message, place, "Recrawl stumbled over an answer for a page that is not there");
            NotFoundAnswer::Honest
        })
    }
}

/// Returns a content of which nothing but its bytes is known.
fn unread(response: &Response, body: Vec<u8>) -> Content {
    let hash = ContentHash::of(&body);
    Content {
        hash,
        size: body.len() as u64,
        media_type: media_type(response.headers.content_type.as_deref()),
        extracted: Extracted::opaque(hash),
        body: Some(body),
    }
}

fn media_type(content_type: Option<&str>) -> String {
    let essence = content_type.and_then(|value| value.split(';').next());
    essence.unwrap_or_default().trim().to_ascii_lowercase()
}
