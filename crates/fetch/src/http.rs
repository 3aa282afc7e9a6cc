//! One request over HTTP.

mod body;
mod failure;

use std::time::Instant;

use http::StatusCode;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, HeaderValue, RETRY_AFTER, USER_AGENT,
};
use recrawl_core::ports::{Method, Request, Response};
use reqwest::Client;
use reqwest::redirect::Policy;
use std::sync::Arc;
use thiserror::Error;
use url::Url;

use self::body::Limits;
use crate::connected::{NoteConnections, noting};
use crate::freshness;
use crate::guard::{AddressGuard, GuardedResolver};
use crate::headers;
use crate::retry_after;
use crate::settings::HttpSettings;
use crate::transport::{Exchange, Transport, TransportError};

/// Makes requests over HTTP, within limits of time and size, and only to addresses the guard admits.
///
/// Redirects are not followed, cookies are not kept, proxies are not used: behind one the address that
/// is connected to could not be checked. Connections are kept and used again.
#[derive(Debug)]
pub struct HttpFetcher {
    client: Client,
    settings: HttpSettings,
    guard: Arc<AddressGuard>,
}

/// Why there is no fetcher.
#[derive(Debug, Error)]
pub enum BuildError {
    /// It cannot be sent as a header.
    #[error("the user agent {0:?} has characters that no header may have")]
    UserAgent(String),
    /// The client could not be made.
    #[error("cannot set up the HTTP client")]
    Client(#[source] reqwest::Error),
}

impl HttpFetcher {
    /// Makes a fetcher.
    pub fn new(settings: HttpSettings, guard: AddressGuard) -> Result<Self, BuildError> {
        let agent = HeaderValue::from_str(&settings.user_agent)
            .map_err(|_| BuildError::UserAgent(settings.user_agent.clone()))?;
        let accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        let guard = Arc::new(guard);
        let client = Client::builder()
            .default_headers(HeaderMap::from_iter([
                (USER_AGENT, agent),
                (ACCEPT, HeaderValue::from_static(accept)),
                (ACCEPT_ENCODING, HeaderValue::from_static("gzip, br, zstd, deflate")),
            ]))
            // Decoding is ours, with limits; another crate of the same program may have switched this on.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .no_proxy()
            .dns_resolver(GuardedResolver(Arc::clone(&guard)))
            .connector_layer(NoteConnections)
            .connect_timeout(settings.connect_time_out)
            .read_timeout(settings.read_time_out)
            .http1_ignore_invalid_headers_in_responses(true)
            .http1_allow_spaces_after_header_name_in_responses(true)
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .build()
            .map_err(BuildError::Client)?;
        Ok(Self { client, settings, guard })
    }

    /// Returns the settings.
    pub fn settings(&self) -> &HttpSettings {
        &self.settings
    }

    async fn ask(&self, request: &Request<'_>, url: Url) -> Result<Asked, TransportError> {
        let method = match request.method {
            Method::Get => http::Method::GET,
            Method::Head => http::Method::HEAD,
        };
        let mut asked = reqwest::Request::new(method, url);
        if let Some(validators) = request.validators {
            headers::make_conditional(asked.headers_mut(), validators);
        }
        let mut answer = self.client.execute(asked).await.map_err(failure::of_client)?;
        let limits = Limits {
            body: request.body_limit.unwrap_or(self.settings.body_limit),
            raw: self.settings.raw_limit.max(request.body_limit.unwrap_or(0)),
        };
        let codings = headers::joined(answer.headers(), &CONTENT_ENCODING);
        let body = match (request.method, answer.status()) {
            // Such an answer has no body, whatever its headers say.
            (Method::Head, _) | (_, StatusCode::NOT_MODIFIED | StatusCode::NO_CONTENT) => {
                body::Body::default()
            }
            (Method::Get, _) => body::read(&mut answer, codings.as_deref(), limits).await?,
        };
        Ok(Asked { status: answer.status().as_u16(), headers: std::mem::take(answer.headers_mut()), body })
    }
}

/// What came back, before it is read.
struct Asked {
    status: u16,
    headers: HeaderMap,
    body: body::Body,
}

impl Transport for HttpFetcher {
    async fn exchange(&self, request: Request<'_>) -> Result<Exchange, TransportError> {
        let started = Instant::now();
        let url = request.url.to_url();
        self.guard.admit(request.url, &url).await.map_err(failure::of_guard)?;
        let total = self.settings.total_time_out;
        let (answer, connected_at) = noting(tokio::time::timeout(total, self.ask(&request, url))).await;
        let Asked { status, headers, body } = answer.map_err(|_| failure::too_slow(total))??;
        let (now, system_now) = headers::clock();
        let fetched_at = headers::believable_date(&headers, now, self.settings.date_tolerance);
        let response = Response {
            status,
            received_bytes: headers::head_bytes(&headers) + body.raw,
            body: body.bytes,
            truncated: body.truncated,
            fetched_at,
            fetch_ms: u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX),
            fresh_until: freshness::fresh_until(&headers, fetched_at),
            headers: headers::stored(&headers),
        };
        let retry_after = headers
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| retry_after::read(value, system_now));
        Ok(Exchange { response, retry_after, connected_at })
    }
}
