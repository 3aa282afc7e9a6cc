//! The client of Save Page Now 2.

use std::error::Error;
use std::fmt;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use jiff::Timestamp;
use recrawl_core::url::{HostKey, PageUrl};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER, USER_AGENT};
use reqwest::redirect::Policy;
use reqwest::{Body, Client, Method, Request, Response};
use url::{Host, Url, form_urlencoded};

use crate::answer::{self, Progress, Raw, Submission, write_time};
use crate::error::{ServiceError, SetupError};
use crate::keys::Keys;

/// The answer about a job lists everything that a page loads.
const LONGEST_ANSWER: usize = 4 << 20;

/// Where the service is, and who asks.
#[derive(Debug, Clone)]
pub struct SavePageNowSettings {
    /// The address of the service, without `/save`.
    pub base: String,
    /// The keys of the account; without, fewer captures are allowed.
    pub keys: Option<Keys>,
    /// Who we are.
    pub user_agent: String,
    /// How long one request may take.
    pub time_out: Duration,
}

impl SavePageNowSettings {
    /// Where the Internet Archive runs it.
    pub const BASE: &str = "https://web.archive.org";

    /// Returns settings for the service of the Internet Archive, without keys.
    pub fn new(user_agent: impl Into<String>) -> Self {
        Self {
            base: Self::BASE.to_owned(),
            keys: None,
            user_agent: user_agent.into(),
            time_out: Duration::from_secs(30),
        }
    }
}

/// Carries requests to the service.
///
/// # Contract
/// The answer is of the service itself: no redirect is followed, nothing is sent twice.
#[async_trait]
pub trait Wire: fmt::Debug + Send + Sync {
    /// Sends a request, and returns the whole answer.
    async fn send(&self, request: Request) -> Result<Raw, ServiceError>;
}

/// Asks Save Page Now to capture pages, one request a call.
#[derive(Debug)]
pub struct SavePageNow {
    wire: Box<dyn Wire>,
    headers: HeaderMap,
    base: Url,
    keys: Option<Keys>,
}

impl SavePageNow {
    /// Makes a client.
    ///
    /// Keys must not be readable on their way: the address is `https`, or on this machine.
    pub fn new(settings: SavePageNowSettings) -> Result<Self, SetupError> {
        let is_encrypted = base(&settings.base).is_some_and(|base| base.scheme() == "https");
        let wire = Http::new(is_encrypted, settings.time_out)?;
        Self::over(Box::new(wire), settings)
    }

    /// Makes a client that asks by way of `wire`.
    pub fn over(wire: Box<dyn Wire>, settings: SavePageNowSettings) -> Result<Self, SetupError> {
        let base = base(&settings.base).ok_or_else(|| SetupError::Base(settings.base.clone()))?;
        let agent = HeaderValue::from_str(&settings.user_agent)
            .map_err(|_| SetupError::UserAgent(settings.user_agent.clone()))?;
        let mut headers = HeaderMap::from_iter([
            (USER_AGENT, agent),
            (ACCEPT, HeaderValue::from_static("application/json")),
        ]);
        headers.extend(settings.keys.as_ref().map(|keys| (AUTHORIZATION, keys.header())));
        Ok(Self { wire, headers, base, keys: settings.keys })
    }

    /// Tells whether there are keys.
    pub fn is_authenticated(&self) -> bool {
        self.keys.is_some()
    }

    /// Tells whether the service runs on this machine.
    pub fn is_local(&self) -> bool {
        is_local(&self.base)
    }

    /// Returns the host of the service, as other requests are counted for it.
    pub(crate) fn host(&self) -> Option<HostKey> {
        Some(self.base.as_str().parse::<PageUrl>().ok()?.host_key())
    }

    /// Asks for a capture of `page`, unless there is one that is at most `window` seconds old.
    pub async fn submit(&self, page: &PageUrl, window: i64) -> Result<Submission, ServiceError> {
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("url", page.as_str())
            .append_pair("if_not_archived_within", &window.to_string())
            // Whether it is the first capture of a page is of no interest, and costs the service time.
            .append_pair("skip_first_archive", "1")
            // Kind to the service: the capture is indexed within 12 hours, and answers are the same.
            .append_pair("delay_wb_availability", "1")
            .finish();
        let mut request = Request::new(Method::POST, self.at(&["save"]));
        let form_type = HeaderValue::from_static("application/x-www-form-urlencoded");
        request.headers_mut().insert(CONTENT_TYPE, form_type);
        *request.body_mut() = Some(Body::from(form));
        answer::submission(&self.ask(request).await?)
    }

    /// Asks how far a job is.
    pub async fn look_at(&self, job: &str) -> Result<Progress, ServiceError> {
        let request = Request::new(Method::GET, self.at(&["save", "status", job]));
        answer::progress(&self.ask(request).await?)
    }

    /// Returns when the newest capture of `page` since `since` was made, if that can be found out.
    pub async fn newest_capture(&self, page: &PageUrl, since: Timestamp) -> Option<Timestamp> {
        let mut url = self.at(&["cdx", "search", "cdx"]);
        url.query_pairs_mut()
            .append_pair("url", page.as_str())
            .append_pair("output", "json")
            .append_pair("fl", "timestamp")
            .append_pair("limit", "-1")
            .append_pair("from", &write_time(since));
        let raw = self.ask(Request::new(Method::GET, url)).await.ok()?;
        answer::newest_capture(&raw)
    }

    fn at(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        url.path_segments_mut().expect("an http address has a path").pop_if_empty().extend(path);
        url
    }

    async fn ask(&self, mut request: Request) -> Result<Raw, ServiceError> {
        request.headers_mut().extend(self.headers.clone());
        let mut raw = self.wire.send(request).await?;
        if let Some(keys) = &self.keys {
            // What it says is stored and shown: it must not give us away, should it repeat what it was sent.
            let body = String::from_utf8_lossy(&raw.body);
            raw.body = keys.hide_in(&body).into_bytes();
        }
        Ok(raw)
    }
}

/// The wire that there is outside of tests.
#[derive(Debug)]
struct Http(Client);

impl Http {
    fn new(is_encrypted: bool, time_out: Duration) -> Result<Self, SetupError> {
        let client = Client::builder()
            .https_only(is_encrypted)
            // A redirect could lead the keys astray.
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .timeout(time_out)
            .connect_timeout(time_out)
            .build();
        client.map(Self).map_err(|error| SetupError::Client(Box::new(error)))
    }
}

#[async_trait]
impl Wire for Http {
    async fn send(&self, request: Request) -> Result<Raw, ServiceError> {
        let response = self.0.execute(request).await.map_err(failure)?;
        read(response).await.map_err(failure)
    }
}

async fn read(mut response: Response) -> Result<Raw, reqwest::Error> {
    let status = response.status().as_u16();
    let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let retry_after = retry_after.and_then(|value| answer::retry_after(value, SystemTime::now()));
    let mut body = Vec::new();
    while body.len() < LONGEST_ANSWER
        && let Some(chunk) = response.chunk().await?
    {
        body.extend_from_slice(&chunk);
    }
    Ok(Raw { status, retry_after, body })
}

fn failure(error: reqwest::Error) -> ServiceError {
    let error = error.without_url();
    if error.is_connect() {
        return ServiceError::Unreachable(Box::new(error));
    }
    if error.is_timeout() {
        return ServiceError::Trouble("no answer in time".to_owned());
    }
    let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    ServiceError::Trouble(format!("the connection broke ({cause})"))
}

fn base(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let plain = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    let safe = match url.scheme() {
        "https" => url.has_host(),
        "http" => is_local(&url),
        _ => false,
    };
    (plain && safe).then_some(url)
}

fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(base: &str) -> Result<SavePageNow, SetupError> {
        let keys = "abc:def".parse().ok();
        SavePageNow::new(SavePageNowSettings {
            base: base.to_owned(),
            keys,
            ..SavePageNowSettings::new("recrawl/0 (+https://example.org/)")
        })
    }

    #[test]
    fn keys_travel_encrypted_or_not_at_all() {
        for base in
            ["https://web.archive.org", "https://web.archive.org/", "http://127.0.0.1:8080", "http://[::1]:1"]
        {
            assert!(service(base).is_ok(), "{base}");
        }
        for base in
            ["http://web.archive.org", "web.archive.org", "ftp://a", "https://a:b@c/", "https://a/?b", ""]
        {
            assert!(service(base).is_err(), "{base}");
        }
    }

    #[test]
    fn addresses_are_built_below_the_base() {
        for base in ["https://web.archive.org", "https://web.archive.org/"] {
            let url = service(base).unwrap().at(&["save", "status", "a-b"]);
            assert_eq!(url.as_str(), "https://web.archive.org/save/status/a-b");
        }
    }
}
