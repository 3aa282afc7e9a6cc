//! A number of requests that a crawl may make.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use recrawl_core::ports::{FetchError, Fetcher, Request, Response};

/// How many requests a crawl may make, and how many it made.
#[derive(Debug)]
pub struct RequestBudget {
    limit: u64,
    made: AtomicU64,
}

impl RequestBudget {
    /// Allows this many requests.
    pub fn new(limit: u64) -> Self {
        Self { limit, made: AtomicU64::new(0) }
    }

    /// Returns how many requests are allowed.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns how many requests are left.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.made.load(Ordering::Relaxed))
    }

    /// Counts requests that an earlier run of the crawl made.
    pub fn spend(&self, requests: u64) {
        self.made.fetch_add(requests, Ordering::Relaxed);
    }

    /// Takes one request, if one is left.
    fn take(&self) -> bool {
        let more = |made: u64| (made < self.limit).then_some(made + 1);
        self.made.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    fn give_back(&self) {
        self.made.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A [`Fetcher`] that begins no more requests than are allowed: retries, questions for headers and checks
/// all count. The next one gets [`FetchError::Stopped`].
pub struct BudgetedFetcher {
    fetcher: Arc<dyn Fetcher>,
    request_budget: Arc<RequestBudget>,
}

impl BudgetedFetcher {
    /// Counts what goes through `fetcher`.
    pub fn new(fetcher: Arc<dyn Fetcher>, request_budget: Arc<RequestBudget>) -> Self {
        Self { fetcher, request_budget }
    }
}

#[async_trait]
impl Fetcher for BudgetedFetcher {
    async fn fetch(&self, request: Request<'_>) -> Result<Response, FetchError> {
        if !self.request_budget.take() {
            return Err(FetchError::Stopped);
        }
        let outcome = self.fetcher.fetch(request).await;
        if let Err(FetchError::Refused(_) | FetchError::Paused { .. } | FetchError::Stopped) = &outcome {
            self.request_budget.give_back();
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Never answers.
    struct Silence;

    #[async_trait]
    impl Fetcher for Silence {
        async fn fetch(&self, request: Request<'_>) -> Result<Response, FetchError> {
            if request.url.path() == "/forbidden" {
                return Err(FetchError::Refused("not public".to_owned()));
            }
            Err(FetchError::NoAnswer {
                reason: "silence".to_owned(),
                after: std::time::Duration::ZERO,
                source: None,
            })
        }
    }

    #[tokio::test]
    async fn no_more_requests_are_begun_than_are_allowed() {
        let request_budget = Arc::new(RequestBudget::new(3));
        let fetcher = BudgetedFetcher::new(Arc::new(Silence), request_budget.clone());
        let (page, forbidden) = ("http://a/".parse().unwrap(), "http://a/forbidden".parse().unwrap());
        request_budget.spend(1);
        assert!(matches!(fetcher.fetch(Request::get(&forbidden)).await, Err(FetchError::Refused(_))));
        for left in [1, 0] {
            let outcome = fetcher.fetch(Request::head(&page)).await;
            assert!(matches!(outcome, Err(FetchError::NoAnswer { .. })), "{outcome:?}");
            assert_eq!(request_budget.left(), left);
        }
        assert!(matches!(fetcher.fetch(Request::get(&page)).await, Err(FetchError::Stopped)));
    }
}
