//! What one request brings to light, before it is judged.

use std::time::Duration;

use jiff::Timestamp;

use super::partial::{self, Before};
use super::progress::{KeptContent, VisitProgress};
use super::{Attempt, CrawlStep, StepError};
use recrawl_core::decide::answer::Answer;
use recrawl_core::decide::judge::{Observation, redirect_target};
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::content::{Content, Directives, Extracted, Unreadable};
use recrawl_core::model::ids::ContentHash;
use recrawl_core::model::record::{Check, ContentRef, Headers, PageState, Presence};
use recrawl_core::panics::{Panic, caught_in};
use recrawl_core::ports::{BodyMemory, FetchError, Request, Response, StoreError};
use recrawl_core::url::PageUrl;

/// What one request brought to light.
#[derive(Debug)]
pub(super) struct Evidence {
    pub(super) observation: Observation,
    pub(super) headers: Headers,
    pub(super) status: Option<u16>,
    pub(super) requests: u32,
    pub(super) not_modified: bool,
    pub(super) check: Check,
    pub(super) fresh_until: Option<Timestamp>,
    pub(super) rebased: bool,
    pub(super) reason: Option<String>,
    /// Where the page leads. Stored links that were queued before are left out; links of a body may be queued already.
    pub(super) links: Vec<PageUrl>,
    pub(super) content: Option<KeptContent>,
    pub(super) fetched_at: Timestamp,
    pub(super) fetch_ms: u32,
    pub(super) received_bytes: u64,
    pub(super) truncated: bool,
    /// Counts the memory of the body that the content was read from.
    pub(super) memory: BodyMemory,
}

/// Evidence, or the wish to ask again later.
pub(super) enum Gathered {
    Evidence(Box<Evidence>),
    Retry { reason: String, next: Attempt },
}

impl Evidence {
    pub(super) fn passed_over(reason: String, now: Timestamp) -> Self {
        Self { reason: Some(reason), ..Self::nothing(Observation::PassedOver, now) }
    }

    pub(super) fn gave_up(reason: String, requests: u32, now: Timestamp) -> Self {
        Self { reason: Some(reason), requests, ..Self::nothing(Observation::NoEvidence, now) }
    }

    pub(super) fn presumed(reason: String, links: Vec<PageUrl>, now: Timestamp) -> Self {
        let status = Some(200);
        Self { reason: Some(reason), links, status, ..Self::nothing(Observation::Presumed, now) }
    }

    fn nothing(observation: Observation, now: Timestamp) -> Self {
        Self {
            observation,
            headers: Headers::default(),
            status: None,
            requests: 0,
            not_modified: false,
            check: Check::None,
            fresh_until: None,
            rebased: false,
            reason: None,
            links: Vec::new(),
            content: None,
            fetched_at: now,
            fetch_ms: 0,
            received_bytes: 0,
            truncated: false,
            memory: BodyMemory::default(),
        }
    }

    pub(super) fn answered(response: &Response, observation: Observation) -> Self {
        Self {
            headers: response.headers.clone(),
            fresh_until: response.fresh_until,
            requests: 1,
            status: Some(response.status),
            fetch_ms: response.fetch_ms,
            received_bytes: response.received_bytes,
            truncated: response.truncated,
            memory: response.memory.clone(),
            ..Self::nothing(observation, response.fetched_at)
        }
    }

    pub(super) fn no_evidence(response: &Response, reason: String) -> Self {
        Self { reason: Some(reason), ..Self::answered(response, Observation::NoEvidence) }
    }
}

impl CrawlStep {
    /// Finds out about a page: by asking its server, unless it is believed to be what it was.
    pub(super) async fn gather(
        &self,
        progress: &VisitProgress<'_>,
        known: Option<&PageState>,
        attempt: Attempt,
        now: Timestamp,
    ) -> Result<Gathered, StepError> {
        if let Some(reason) = self.presumption(progress.url, known, now)
            && let Some(links) = self.stored_links(known).await?
        {
            return Ok(Gathered::Evidence(Box::new(Evidence::presumed(reason, links, now))));
        }
        let gathered = self.ask(progress, known, attempt, now).await?;
        Ok(match gathered {
            Gathered::Evidence(evidence) => {
                let requests = attempt.number + evidence.requests;
                Gathered::Evidence(Box::new(Evidence { requests, ..*evidence }))
            }
            Gathered::Retry { .. } => gathered,
        })
    }

    async fn ask(
        &self,
        progress: &VisitProgress<'_>,
        known: Option<&PageState>,
        attempt: Attempt,
        now: Timestamp,
    ) -> Result<Gathered, StepError> {
        let present = known.filter(|known| known.presence == Presence::Present);
        let conditional = present.filter(|_| self.asks_conditionally(progress.url));
        let validators = conditional.and_then(|known| known.headers.validators());
        let mut asked = 0;
        if let Some(known) = conditional.filter(|_| self.settings.head_first) {
            asked += 1;
            if let Some(evidence) = self.ask_for_headers(progress, known, validators.as_ref()).await? {
                return Ok(Gathered::Evidence(Box::new(evidence)));
            }
        }
        let request = Request { validators: validators.as_ref(), ..Request::get(progress.url) };
        let response = match self.fetch(progress, request).await {
            Ok(response) => response,
            Err(error @ (FetchError::Paused { .. } | FetchError::Stopped)) => {
                return Err(StepError::NotBegun(error));
            }
            Err(FetchError::NoAnswer { reason, after, .. }) if self.tries_again(attempt, after) => {
                return Ok(Gathered::Retry { reason, next: attempt.following(after) });
            }
            Err(error @ (FetchError::Refused(_) | FetchError::NoAnswer { .. })) => {
                let evidence = Evidence::gave_up(error.to_string(), 1 + asked, now);
                return Ok(Gathered::Evidence(Box::new(evidence)));
            }
        };
        let took = Duration::from_millis(response.fetch_ms.into());
        if Answer::of(response.status) == Answer::Trouble && self.tries_again(attempt, took) {
            let reason = format!("status {}", response.status);
            return Ok(Gathered::Retry { reason, next: attempt.following(took) });
        }
        let evidence = self.understand(progress, known, validators.is_some(), attempt, response).await?;
        let requests = evidence.requests + asked;
        Ok(Gathered::Evidence(Box::new(Evidence { requests, ..evidence })))
    }

    async fn understand(
        &self,
        progress: &VisitProgress<'_>,
        known: Option<&PageState>,
        was_conditional: bool,
        attempt: Attempt,
        mut response: Response,
    ) -> Result<Evidence, StepError> {
        let (url, status) = (progress.url, response.status);
        Ok(match Answer::of(status) {
            Answer::Trouble => {
                let reason = format!("status {status} to {} requests", attempt.number + 1);
                Evidence::no_evidence(&response, reason)
            }
            Answer::Denied => Evidence::no_evidence(&response, format!("status {status}")),
            Answer::NotThePage => Evidence::no_evidence(&response, oddity(status)),
            Answer::Absent { for_good } => Evidence::answered(&response, Observation::Absent { for_good }),
            Answer::Redirect => match self.doubt_redirect(url, known, &response).await {
                Some(reason) => Evidence::no_evidence(&response, reason),
                None => self.redirect(url, &response),
            },
            Answer::NotModified => match known.filter(|_| was_conditional) {
                Some(known) => {
                    let unchanged = self.not_modified(known, &response).await?;
                    if self.checks(url) { self.check(progress, known, unchanged).await? } else { unchanged }
                }
                None => Evidence::no_evidence(&response, "status 304 to an unconditional request".to_owned()),
            },
            Answer::Content => {
                let body = std::mem::take(&mut response.body);
                self.read(progress, known, &response, body).await?
            }
        })
    }

    /// Tells whether a page is asked for again after an attempt that took this long.
    fn tries_again(&self, attempt: Attempt, took: Duration) -> bool {
        attempt.number < self.settings.retries && attempt.spent + took < self.settings.page_time_out
    }

    fn redirect(&self, url: &PageUrl, response: &Response) -> Evidence {
        let target = redirect_target(url, &response.headers, &self.settings.url_rules);
        Evidence {
            reason: target.is_none().then(|| "a redirect that leads nowhere".to_owned()),
            links: target.into_iter().collect(),
            ..Evidence::answered(response, Observation::Redirect)
        }
    }

    pub(super) async fn not_modified(
        &self,
        known: &PageState,
        response: &Response,
    ) -> Result<Evidence, StepError> {
        let lost = || StoreError::Corrupt("a page is known, and its content is not stored".into());
        Ok(Evidence {
            // Only an answer of 200 carries the validators that led here.
            status: Some(200),
            not_modified: true,
            links: self.stored_links(Some(known)).await?.ok_or_else(lost)?,
            ..Evidence::answered(response, Observation::NotModified)
        })
    }

    /// Returns those links of the content of a page that were not queued yet, or `None` if it is not stored.
    pub(super) async fn stored_links(
        &self,
        known: Option<&PageState>,
    ) -> Result<Option<Vec<PageUrl>>, StoreError> {
        match known.and_then(|known| known.content.as_ref()) {
            Some(content) => self.unseen_links(&content.hash).await,
            None => Ok(None),
        }
    }

    async fn unseen_links(&self, content: &ContentHash) -> Result<Option<Vec<PageUrl>>, StoreError> {
        let links = self.ports.store.unqueued_links(&self.site.id, self.crawl.id, content).await?;
        Ok(links.map(|links| self.seen.unseen(links)))
    }

    pub(super) async fn read(
        &self,
        progress: &VisitProgress<'_>,
        known: Option<&PageState>,
        response: &Response,
        body: Vec<u8>,
    ) -> Result<Evidence, StepError> {
        let url = progress.url;
        let mut content = progress.hold(unread(response, body));
        let previous = known.and_then(|known| known.content.as_ref());
        let transfer_bytes = response.received_bytes;
        let whole = self.ports.extractor.rules();
        let current = if response.truncated { whole.of_beginning() } else { whole.clone() };
        let same = previous
            .filter(|previous| previous.hash == content.hash && previous.rules.is_comparable_with(&current));
        let remark = partial::remark(response, content.size);
        if let Some(reference) = same
            && let Some(links) = self.unseen_links(&reference.hash).await?
        {
            let (reference, difference) = (reference.clone(), Some(Aspects::NONE));
            let observation = Observation::Content { reference, difference, transfer_bytes };
            return Ok(Evidence { links, reason: remark, ..Evidence::answered(response, observation) });
        }
        if let Err(unreadable) = self.extract(url, response, &mut content) {
            content.put_body_aside();
            return Err(StepError::Stumbled(unreadable.into()));
        }
        let before = match known {
            Some(known) => self.previous_meaning(url, known, &content.reference()).await?,
            None => None,
        };
        let is_same = match &before {
            Some(before) => self.is_same_so_far(before, &mut content).await?,
            None => false,
        };
        let (reference, before) = (content.reference(), before.map(|before| before.reference));
        if let Some(reason) = self.doubt(url, before.as_ref(), &content).await? {
            return Ok(Evidence::no_evidence(response, reason));
        }
        let difference = |before: ContentRef| match before.differences(&reference) {
            _ if is_same => Aspects::NONE,
            differences => differences.among(self.settings.compare),
        };
        let difference = before.map(difference);
        Ok(Evidence {
            rebased: previous.is_some_and(|previous| previous.rules != content.extracted.rules),
            links: content.extracted.links.clone(),
            truncated: response.truncated || content.extracted.cut.is_some(),
            reason: remark.or_else(|| content.extracted.cut.clone()),
            content: Some(content),
            ..Evidence::answered(response, Observation::Content { reference, difference, transfer_bytes })
        })
    }

    /// Reads a content that nobody has read yet.
    fn extract(&self, url: &PageUrl, response: &Response, content: &mut Content) -> Result<(), Unreadable> {
        let content_type = response.headers.content_type.as_deref();
        let body = content.body.as_deref().unwrap_or_default();
        let mut extracted = self.ports.extractor.extract(url, content_type, body)?;
        if response.truncated {
            extracted = partial::of_beginning(extracted);
        }
        let headers = response.headers.robots_tag.as_deref().unwrap_or_default();
        let asked = Directives::from_headers(headers, &self.settings.product_token);
        extracted.directives = extracted.directives.or(asked);
        if extracted.directives.nofollow && self.settings.obey_nofollow {
            extracted.links.clear();
        }
        if self.settings.full_history.contains(&content.media_type) {
            let Extracted { semantic, rules, .. } = Extracted::opaque(content.hash);
            extracted = Extracted { semantic, rules, ..extracted };
        }
        content.extracted = extracted;
        Ok(())
    }

    /// Returns the previous content as the rules in force read it, where that can be known.
    async fn previous_meaning(
        &self,
        url: &PageUrl,
        known: &PageState,
        current: &ContentRef,
    ) -> Result<Option<Before>, StepError> {
        let Some(previous) = &known.content else {
            return Ok(None);
        };
        if previous.rules.is_comparable_with(&current.rules) {
            return Ok(Some(Before { reference: previous.clone(), text: None }));
        }
        let Some(body) = self.ports.store.body(&self.site.id, previous).await? else {
            return Ok(None);
        };
        let content_type = known.headers.content_type.as_deref();
        let extracted = match caught_in(|| self.ports.extractor.extract(url, content_type, &body)) {
            Ok(extracted) => extracted.ok(),
            // What the page says now shall not fail for ever because of what it said before.
            Err(Panic { message, place }) => {
                tracing::error!(%url, message, place, "Recrawl stumbled over the stored body of a page");
                None
            }
        };
        Ok(extracted.map(|mut extracted| {
            if previous.rules.is_of_beginning() {
                extracted = partial::of_beginning(extracted);
            }
            let Extracted { semantic, rules, signatures, text, .. } = extracted;
            let reference = ContentRef { hash: previous.hash, semantic, rules, signatures };
            Before { reference, text: Some(text) }
        }))
    }
}

/// Returns why a success is not the page, in words.
fn oddity(status: u16) -> String {
    let why = match status {
        202 => "the answer is not ready",
        204 | 205 => "no content",
        206 => "a part of the page, and nobody asked for a part",
        _ => "not the page itself",
    };
    format!("status {status}: {why}")
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
