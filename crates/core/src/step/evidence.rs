//! What one request brings to light, before it is judged.

use std::time::Duration;

use jiff::Timestamp;

use super::{Attempt, CrawlStep, StepError};
use crate::answer::Answer;
use crate::content::{Content, Directives, Extracted};
use crate::ids::{ContentHash, SemanticHash};
use crate::judge::{Observation, redirect_target};
use crate::ports::{FetchError, Request, Response, StoreError};
use crate::record::{ContentRef, Headers, Known, Presence};
use crate::url::PageUrl;

/// What one request brought to light.
#[derive(Debug)]
pub(super) struct Evidence {
    pub(super) observation: Observation,
    pub(super) headers: Headers,
    pub(super) status: Option<u16>,
    pub(super) requests: u32,
    pub(super) not_modified: bool,
    pub(super) rebased: bool,
    pub(super) reason: Option<String>,
    pub(super) links: Vec<PageUrl>,
    pub(super) content: Option<Content>,
    pub(super) fetched_at: Timestamp,
    pub(super) fetch_ms: u32,
    pub(super) received_bytes: u64,
    pub(super) truncated: bool,
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

    fn nothing(observation: Observation, now: Timestamp) -> Self {
        Self {
            observation,
            headers: Headers::default(),
            status: None,
            requests: 0,
            not_modified: false,
            rebased: false,
            reason: None,
            links: Vec::new(),
            content: None,
            fetched_at: now,
            fetch_ms: 0,
            received_bytes: 0,
            truncated: false,
        }
    }

    fn answered(response: &Response, observation: Observation) -> Self {
        Self {
            headers: response.headers.clone(),
            status: Some(response.status),
            fetch_ms: response.fetch_ms,
            received_bytes: response.received_bytes,
            truncated: response.truncated,
            ..Self::nothing(observation, response.fetched_at)
        }
    }

    fn no_evidence(response: &Response, reason: String) -> Self {
        Self { reason: Some(reason), ..Self::answered(response, Observation::NoEvidence) }
    }
}

impl CrawlStep {
    /// Asks the server for a page and reads its answer.
    pub(super) async fn gather(
        &self,
        url: &PageUrl,
        known: Option<&Known>,
        attempt: Attempt,
        now: Timestamp,
    ) -> Result<Gathered, StepError> {
        let present = known.filter(|known| known.presence == Presence::Present);
        let validators =
            present.filter(|_| self.crawl.mode.is_conditional()).and_then(|known| known.headers.validators());
        let request = Request { validators: validators.as_ref(), ..Request::get(url) };
        let mut response = match self.ports.fetcher.fetch(request).await {
            Ok(response) => response,
            Err(error @ (FetchError::Paused { .. } | FetchError::Stopped)) => {
                return Err(StepError::NotBegun(error));
            }
            Err(FetchError::NoAnswer { reason, after, .. }) if self.tries_again(attempt, after) => {
                return Ok(Gathered::Retry { reason, next: attempt.following(after) });
            }
            Err(error @ (FetchError::Refused(_) | FetchError::NoAnswer { .. })) => {
                return Ok(Gathered::Evidence(Box::new(Evidence::gave_up(error.to_string(), 0, now))));
            }
        };
        let status = response.status;
        let took = Duration::from_millis(response.fetch_ms.into());
        let evidence = match Answer::of(status) {
            Answer::Trouble if self.tries_again(attempt, took) => {
                let reason = format!("status {status}");
                return Ok(Gathered::Retry { reason, next: attempt.following(took) });
            }
            Answer::Trouble => {
                let reason = format!("status {status} to {} requests", attempt.number + 1);
                Evidence::no_evidence(&response, reason)
            }
            Answer::Denied => Evidence::no_evidence(&response, format!("status {status}")),
            Answer::Absent { for_good } => Evidence::answered(&response, Observation::Absent { for_good }),
            Answer::Redirect => self.redirect(url, &response),
            Answer::NotModified => match present.filter(|_| validators.is_some()) {
                Some(known) => self.not_modified(known, &response).await?,
                None => Evidence::no_evidence(&response, "status 304 to an unconditional request".to_owned()),
            },
            Answer::Content => {
                let body = std::mem::take(&mut response.body);
                self.read(url, known, &response, body).await?
            }
        };
        Ok(Gathered::Evidence(Box::new(evidence)))
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

    async fn not_modified(&self, known: &Known, response: &Response) -> Result<Evidence, StepError> {
        let links = match &known.content {
            Some(content) => self.ports.store.links(&content.hash).await?,
            None => None,
        };
        let lost = || StoreError::Corrupt("a page is known, and its content is not stored".into());
        Ok(Evidence {
            // Only an answer of 200 carries the validators that led here.
            status: Some(200),
            not_modified: true,
            links: links.ok_or_else(lost)?,
            ..Evidence::answered(response, Observation::NotModified)
        })
    }

    async fn read(
        &self,
        url: &PageUrl,
        known: Option<&Known>,
        response: &Response,
        body: Vec<u8>,
    ) -> Result<Evidence, StepError> {
        let hash = ContentHash::of(&body);
        let previous = known.and_then(|known| known.content.as_ref());
        let transfer_bytes = response.received_bytes;
        let current = self.ports.extractor.rules();
        let same =
            previous.filter(|previous| previous.hash == hash && previous.rules.is_comparable_with(current));
        if let Some(reference) = same
            && let Some(links) = self.ports.store.links(&reference.hash).await?
        {
            let observation = Observation::Content {
                previous_meaning: Some(reference.semantic),
                reference: reference.clone(),
                transfer_bytes,
            };
            return Ok(Evidence { links, ..Evidence::answered(response, observation) });
        }
        let content = self.extracted(url, response, hash, body);
        let observation = Observation::Content {
            reference: content.reference(),
            previous_meaning: match known {
                Some(known) => self.previous_meaning(url, known, &content.reference()).await?,
                None => None,
            },
            transfer_bytes,
        };
        Ok(Evidence {
            rebased: previous.is_some_and(|previous| previous.rules != content.extracted.rules),
            links: content.extracted.links.clone(),
            content: Some(content),
            ..Evidence::answered(response, observation)
        })
    }

    fn extracted(&self, url: &PageUrl, response: &Response, hash: ContentHash, body: Vec<u8>) -> Content {
        let content_type = response.headers.content_type.as_deref();
        let mut extracted = if response.truncated {
            Extracted::opaque(hash)
        } else {
            self.ports.extractor.extract(url, content_type, &body)
        };
        let header = response.headers.robots_tag.as_deref().unwrap_or_default();
        let asked = Directives::from_header(header, &self.settings.product_token);
        extracted.directives = extracted.directives.or(asked);
        if extracted.directives.nofollow && self.settings.obey_nofollow {
            extracted.links.clear();
        }
        Content {
            hash,
            size: body.len() as u64,
            media_type: media_type(content_type),
            extracted,
            body: Some(body),
        }
    }

    /// Returns what the previous content means by the rules in force, where that can be known.
    async fn previous_meaning(
        &self,
        url: &PageUrl,
        known: &Known,
        current: &ContentRef,
    ) -> Result<Option<SemanticHash>, StepError> {
        let Some(previous) = &known.content else {
            return Ok(None);
        };
        if previous.rules.is_comparable_with(&current.rules) {
            return Ok(Some(previous.semantic));
        }
        let body = self.ports.store.body(previous).await?;
        let content_type = known.headers.content_type.as_deref();
        Ok(body.map(|body| self.ports.extractor.extract(url, content_type, &body).semantic))
    }
}

fn media_type(content_type: Option<&str>) -> String {
    let essence = content_type.and_then(|value| value.split(';').next());
    essence.unwrap_or_default().trim().to_ascii_lowercase()
}
