//! Small documents that guide a crawl, fetched conditionally and remembered between runs.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use recrawl_core::decide::answer::Answer;
use recrawl_core::decide::judge::redirect_target;
use recrawl_core::model::record::Headers;
use recrawl_core::ports::{FetchError, Fetcher, Request, Response, StateEntry, StateKey, StateStore};
use recrawl_core::url::{PageUrl, UrlRules};
use serde::{Deserialize, Serialize};

/// How many redirects of a guiding document are followed (RFC 9309 asks for five).
const REDIRECTS: usize = 5;

/// How often a server in trouble is asked again for a document that it should have.
pub(crate) const RETRIES: usize = 5;

/// What came of asking for a document.
#[derive(Debug)]
pub(crate) enum Answered<T> {
    /// It is here.
    Document(T),
    /// The server says that there is none, or that it is not for us.
    None,
    /// It redirects to this address on another host.
    Elsewhere(PageUrl),
    /// The server is in trouble, or we do not go there.
    Unreachable(String),
    /// We are stopping.
    Stopped,
}

/// Where redirects of a document are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follows {
    /// To any host.
    Anywhere,
    /// On the host that was asked; another may not want to be.
    OnOneHost,
}

/// A document, and when it was read.
#[derive(Debug)]
pub(crate) struct Read<T> {
    pub(crate) at: Timestamp,
    pub(crate) document: T,
}

/// A document as remembered: what was read out of it, and what makes the next request conditional.
#[derive(Serialize, Deserialize)]
struct Remembered<T> {
    headers: Headers,
    document: T,
}

/// Fetches guiding documents.
#[derive(Clone)]
pub(crate) struct Documents {
    pub(crate) fetcher: Arc<dyn Fetcher>,
    pub(crate) state_store: Arc<dyn StateStore>,
    pub(crate) body_limit: usize,
    /// How long a document is believed without asking.
    pub(crate) lifetime: Duration,
    /// How often a server in trouble is asked again.
    pub(crate) retries: usize,
    /// Where redirects are followed.
    pub(crate) follows: Follows,
    /// Is told of each request that failed and is made again: the reason, and how many failed.
    pub(crate) on_retry: Option<OnRetry>,
}

/// Is told why a request for a document failed, and how many did.
pub(crate) type OnRetry = Arc<dyn Fn(&PageUrl, &str, usize) + Send + Sync>;

impl Documents {
    /// Returns what `read` makes of the document at `url`, or what it made of it the last time if that was lately,
    /// or if the server says that nothing changed.
    pub(crate) async fn get<T>(
        &self,
        url: &PageUrl,
        now: Timestamp,
        read: impl Fn(&PageUrl, &Response) -> T + Send,
    ) -> Answered<Read<T>>
    where
        T: Serialize + for<'de> Deserialize<'de> + Send,
    {
        let key = StateKey::document(url);
        let remembered = match self.remembered::<T>(&key).await {
            Some((at, memo)) if now.duration_since(at).unsigned_abs() < self.lifetime => {
                return Answered::Document(Read { at, document: memo.document });
            }
            Some((_, memo)) => Some(memo),
            None => None,
        };
        let response = match self.follow(url, remembered.as_ref().map(|memo| &memo.headers)).await {
            Answered::Document(response) => response,
            Answered::None => return Answered::None,
            Answered::Elsewhere(target) => return Answered::Elsewhere(target),
            Answered::Unreachable(reason) => return Answered::Unreachable(reason),
            Answered::Stopped => return Answered::Stopped,
        };
        let memo = match (response.status, remembered) {
            (304, Some(memo)) => memo,
            (304, None) => return Answered::None,
            (_, _) => Remembered { headers: response.headers.clone(), document: read(url, &response) },
        };
        if (response.status != 304 || !self.lifetime.is_zero())
            && let Ok(value) = serde_json::to_string(&memo)
            && let Err(error) = self.state_store.save_state(&key, &StateEntry { saved_at: now, value }).await
        {
            // Only the next run pays for it, with one more answer.
            tracing::warn!(%url, %error, "a document could not be remembered");
        }
        Answered::Document(Read { at: now, document: memo.document })
    }

    async fn remembered<T: for<'de> Deserialize<'de>>(
        &self,
        key: &StateKey,
    ) -> Option<(Timestamp, Remembered<T>)> {
        let memo = self.state_store.state(key).await.ok().flatten()?;
        Some((memo.saved_at, serde_json::from_str(&memo.value).ok()?))
    }

    /// Asks for a document, following redirects; the last answer is 200 or 304.
    async fn follow(&self, url: &PageUrl, remembered: Option<&Headers>) -> Answered<Response> {
        let mut url = url.clone();
        let mut validators = remembered.and_then(Headers::validators);
        for _ in 0..=REDIRECTS {
            let (validators_sent, body_limit) = (validators.as_ref(), Some(self.body_limit));
            let request = Request { validators: validators_sent, body_limit, ..Request::get(&url) };
            let response = match self.ask(request).await {
                Answered::Document(response) => response,
                other => return other,
            };
            match response.answer {
                Answer::Content | Answer::NotModified => return Answered::Document(response),
                Answer::Redirect => {
                    let target = redirect_target(&url, &response.headers, &UrlRules::keep_all_parameters());
                    let Some(target) = target else {
                        return Answered::None;
                    };
                    if self.follows == Follows::OnOneHost && target.host_key() != url.host_key() {
                        return Answered::Elsewhere(target);
                    }
                    url = target;
                    validators = None;
                }
                Answer::Absent { .. } | Answer::Denied | Answer::Wants(_) => return Answered::None,
                // Nothing in it is nothing; a part of it may lack what matters most.
                Answer::NotThePage if matches!(response.status, 204 | 205) => return Answered::None,
                Answer::NotThePage | Answer::Trouble => {
                    return Answered::Unreachable(response.said());
                }
            }
        }
        Answered::None
    }

    async fn ask(&self, request: Request<'_>) -> Answered<Response> {
        let mut attempt = 0;
        loop {
            let reason = match self.fetcher.fetch(request.clone()).await {
                Ok(response) if response.answer != Answer::Trouble => {
                    return Answered::Document(response);
                }
                Ok(response) => response.said(),
                Err(FetchError::Stopped) => return Answered::Stopped,
                Err(error @ (FetchError::Refused(_) | FetchError::Paused { .. })) => {
                    return Answered::Unreachable(error.to_string());
                }
                Err(error @ FetchError::NoAnswer { .. }) => error.to_string(),
            };
            if attempt == self.retries {
                return Answered::Unreachable(reason);
            }
            attempt += 1;
            if let Some(on_retry) = &self.on_retry {
                on_retry(request.url, &reason, attempt);
            }
        }
    }
}
