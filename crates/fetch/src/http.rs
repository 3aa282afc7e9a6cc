//! One HTTP request: conditional headers, time-outs, limits, no redirects.

pub(crate) mod body;
pub(crate) mod body_budget;
mod clients;
mod connect_time;
pub(crate) mod deadline;
pub(crate) mod failure;
pub(crate) mod freshness;
pub(crate) mod headers;

use std::sync::Arc;
use std::time::Instant;

use http::StatusCode;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use recrawl_core::address::Reach;
use recrawl_core::decide::answer::Answer;
use recrawl_core::model::document::DocumentFormat;
use recrawl_core::model::http_settings::HttpSettings;
use recrawl_core::ports::{BodyMemory, Method, Request, Response, StateStore};
use recrawl_core::url::PageUrl;
use url::Url;

use self::body::Limits;
use self::body_budget::{BodyBudget, Reservation};
pub use self::clients::BuildError;
use self::clients::Clients;
use self::connect_time::noting;
use self::deadline::Deadline;
use crate::guard::AddressGuard;
use crate::pace::retry_after;
use crate::transport::{Exchange, Transport, TransportError};

/// Makes requests over HTTP, within limits of time and size, and only to addresses the guard admits.
///
/// Redirects are not followed, cookies are not kept, proxies are not used: behind one the address that
/// is connected to could not be checked. Connections are kept and used again.
#[derive(Debug)]
pub struct HttpFetcher {
    clients: Clients,
    settings: HttpSettings,
    guard: Arc<AddressGuard>,
    bodies: Arc<BodyBudget>,
}

/// What is reserved for a body before it is asked for: as much as most pages have.
pub(crate) const FIRST: u64 = 64 << 10;

impl HttpFetcher {
    /// Makes a fetcher.
    pub fn new(settings: HttpSettings, guard: AddressGuard) -> Result<Self, BuildError> {
        let guard = Arc::new(guard);
        let clients = Clients::new(&settings, &guard)?;
        let bodies = BodyBudget::new(settings.body_memory);
        Ok(Self { clients, settings, guard, bodies })
    }

    /// Makes a fetcher for another site of the same process: the bodies of both have one budget.
    pub fn beside(&self, settings: HttpSettings, guard: AddressGuard) -> Result<Self, BuildError> {
        Ok(Self { bodies: Arc::clone(&self.bodies), ..Self::new(settings, guard)? })
    }

    /// Reads the certificates that the system trusts now, and not when `root` is asked for.
    pub fn read_certificates(&self, root: &PageUrl) -> Result<(), BuildError> {
        let reach = self.guard.admit(root).unwrap_or(Reach::Public);
        self.clients.secure(reach).map(drop)
    }

    /// Returns what tells which addresses may be connected to.
    pub(crate) fn guard(&self) -> Arc<AddressGuard> {
        Arc::clone(&self.guard)
    }

    /// Returns what limits the memory of bodies.
    pub(crate) fn bodies(&self) -> Arc<BodyBudget> {
        Arc::clone(&self.bodies)
    }

    /// Returns the settings.
    pub fn settings(&self) -> &HttpSettings {
        &self.settings
    }

    async fn ask(
        &self,
        request: &Request<'_>,
        url: Url,
        reach: Reach,
        memory: &mut Reservation,
        deadline: &mut Deadline,
    ) -> Result<RawResponse, TransportError> {
        let method = match request.method {
            Method::Get => http::Method::GET,
            Method::Head => http::Method::HEAD,
        };
        let mut asked = reqwest::Request::new(method, url);
        if let Some(validators) = request.validators {
            headers::make_conditional(asked.headers_mut(), validators);
        }
        let client = self.clients.of(asked.url(), reach).map_err(|error| failure::of_set_up(&error))?;
        let mut answer = deadline.within(client.execute(asked)).await?.map_err(failure::of_client)?;
        let answered_at = Instant::now();
        memory.answered();
        let limits = self.limits(request, answer.headers());
        let codings = headers::joined(answer.headers(), &CONTENT_ENCODING);
        let body = match (request.method, answer.status()) {
            // Such an answer has no body, whatever its headers say.
            (Method::Head, _) | (_, StatusCode::NOT_MODIFIED | StatusCode::NO_CONTENT) => {
                memory.shrink_to(0);
                body::Body::default()
            }
            (Method::Get, _) => body::read(&mut answer, codings.as_deref(), limits, memory, deadline).await?,
        };
        Ok(RawResponse {
            status: answer.status().as_u16(),
            headers: std::mem::take(answer.headers_mut()),
            body,
            answered_at,
        })
    }
}

impl HttpFetcher {
    /// Returns how much of an answer is read, which depends on what it is.
    fn limits(&self, request: &Request<'_>, headers: &HeaderMap) -> Limits {
        let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let is_document = DocumentFormat::of(content_type, request.url.path()).is_some();
        let of_kind = if is_document { self.settings.document_limit } else { self.settings.body_limit };
        let raw = if is_document { self.settings.document_limit } else { self.settings.raw_limit };
        Limits { body: request.body_limit.unwrap_or(of_kind), raw: raw.max(request.body_limit.unwrap_or(0)) }
    }
}

/// What came back, before it is read.
struct RawResponse {
    answered_at: Instant,
    status: u16,
    headers: HeaderMap,
    body: body::Body,
}

impl Transport for HttpFetcher {
    async fn exchange(&self, request: Request<'_>) -> Result<Exchange, TransportError> {
        let url = request.url.to_url();
        let reach = self.guard.admit(request.url).map_err(failure::of_guard)?;
        let mut memory =
            if request.nested { self.bodies.begin_without_waiting() } else { self.bodies.begin() };
        if request.method == Method::Get {
            // Before the request, so that no server waits for us if it can be helped.
            memory.ask(FIRST).await;
        }
        let started = Instant::now();
        let mut deadline = Deadline::after(self.settings.total_time_out);
        // Apart, because it is large, and what is around it would hold it several times.
        let asking = Box::pin(self.ask(&request, url, reach, &mut memory, &mut deadline));
        let (answer, connected_at) = noting(asking).await;
        let RawResponse { status, headers, body, answered_at } = answer?;
        let took = started.elapsed().saturating_sub(deadline.waited());
        let (now, system_now) = headers::clock();
        let fetched_at = headers::believable_date(&headers, now, self.settings.date_tolerance);
        let response = Response {
            answer: Answer::of(status),
            status,
            status_in_words: None,
            received_bytes: headers::head_bytes(&headers) + body.raw,
            body: body.bytes,
            truncated: body.truncated,
            fetched_at,
            fetch_ms: u32::try_from(took.as_millis()).unwrap_or(u32::MAX),
            memory: BodyMemory::new(memory),
            fresh_until: freshness::fresh_until(&headers, fetched_at),
            headers: headers::stored(&headers),
        };
        let retry_after = headers
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| retry_after::read(value, system_now));
        let (sent_at, answered_at) = (Some(started), Some(answered_at));
        Ok(Exchange { response, retry_after, connected_at, sent_at, answered_at })
    }

    /// Remembers nothing: authorities vouch for certificates.
    fn remember_in(&self, _: &Arc<dyn StateStore>) {}
}

#[cfg(test)]
mod tests;
