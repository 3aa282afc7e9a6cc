//! Webhooks: JSON by POST, signed where there is a secret.

use std::error::Error;
use std::time::SystemTime;

use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use recrawl_core::ports::Source;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response};
use sha2::Sha256;

use super::SendError;
use super::resolver::WebhookResolver;
use crate::notification::NotificationId;
use crate::retry::{Reply, RetryLimits, http_reply, persist, wish};
use crate::text::{Hex, plain, shortened};
use crate::webhook_url::WebhookUrl;
use recrawl_core::secret::Secret;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const SIGNATURE: HeaderName = HeaderName::from_static("x-recrawl-signature");

/// How much of an answer is read: enough for a word of explanation.
const LONGEST_ANSWER: usize = 2_000;

/// What all webhooks of a process share.
#[derive(Debug, Clone)]
pub(crate) struct Poster {
    client: Client,
}

impl Poster {
    pub(crate) fn new(user_agent: &str, patience: &RetryLimits) -> Result<Self, Source> {
        let client = Client::builder()
            .user_agent(user_agent)
            // A redirect could lead a secret astray.
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .timeout(patience.time_out)
            .connect_timeout(patience.time_out)
            .dns_resolver(WebhookResolver)
            .build()?;
        Ok(Self { client })
    }
}

/// One webhook, or one address of a service.
#[derive(Debug)]
pub(crate) struct Hook {
    pub(crate) poster: Poster,
    pub(crate) address: WebhookUrl,
    /// What messages are signed with.
    pub(crate) secret: Option<Secret>,
    /// What says who we are to a service.
    pub(crate) bearer: Option<Secret>,
    /// What else is never told to people.
    pub(crate) hidden: Option<Secret>,
    /// What else a service wants to be asked with.
    pub(crate) headers: &'static [(&'static str, &'static str)],
}

impl Hook {
    /// Returns an address that needs nothing else.
    pub(crate) const fn new(poster: Poster, address: WebhookUrl) -> Self {
        Self { poster, address, secret: None, bearer: None, hidden: None, headers: &[] }
    }

    /// Posts `body`; returns after how many attempts it was taken.
    pub(crate) async fn post(
        &self,
        body: String,
        id: NotificationId,
        patience: &RetryLimits,
    ) -> Result<u32, SendError> {
        persist(patience, || self.attempt(Method::POST, &self.address, &body, id)).await
    }

    /// Puts `body` under the name `id` below the address: a service that has it already takes it for the same.
    pub(crate) async fn put(
        &self,
        body: String,
        id: NotificationId,
        patience: &RetryLimits,
    ) -> Result<u32, SendError> {
        let address = self.address.clone().below(&[&id.to_string()]);
        persist(patience, || self.attempt(Method::PUT, &address, &body, id)).await
    }

    async fn attempt(&self, method: Method, address: &WebhookUrl, body: &str, id: NotificationId) -> Reply {
        let mut request = self.poster.client.request(method, address.url().clone());
        if let Some(bearer) = &self.bearer {
            request = request.bearer_auth(bearer.expose());
        }
        let request = request.headers(self.headers(body, id)).body(body.to_owned());
        match request.send().await {
            Ok(response) => self.reply(response).await,
            Err(error) => Reply::Trouble { what: self.hidden(&in_words(error)), wait: None },
        }
    }

    fn headers(&self, body: &str, id: NotificationId) -> HeaderMap {
        let value = |text: String| HeaderValue::from_str(&text).expect("digits and letters are a header");
        let mut headers = HeaderMap::from_iter([
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (IDEMPOTENCY_KEY, value(id.to_string())),
        ]);
        for (name, value) in self.headers {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if let Some(secret) = &self.secret {
            headers.insert(SIGNATURE, value(signature(secret, Timestamp::now().as_second(), body)));
        }
        headers
    }

    async fn reply(&self, response: Response) -> Reply {
        let status = response.status();
        let headers = response.headers().clone();
        // Who has taken it has taken it, whatever becomes of the rest of the answer.
        let says = if status.is_success() { String::new() } else { beginning(response).await };
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let wait = wish(&header, &says, SystemTime::now());
        http_reply(status.as_u16(), wait, &self.hidden(&says))
    }

    /// Takes what is secret out of what is told to people.
    fn hidden(&self, text: &str) -> String {
        let text = self.address.hide_in(text);
        let secrets = [&self.secret, &self.bearer, &self.hidden];
        let text = secrets.into_iter().flatten().fold(text, |text, secret| secret.hide_in(&text));
        shortened(&plain(&text), 200)
    }
}

/// Signs a body at a time: `t=SECONDS,v1=HEX`, an HMAC-SHA256 over `SECONDS.BODY`.
fn signature(secret: &Secret, seconds: i64, body: &str) -> String {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes()).expect("HMAC takes keys of any length");
    mac.update(format!("{seconds}.{body}").as_bytes());
    format!("t={seconds},v1={}", Hex(&mac.finalize().into_bytes()))
}

async fn beginning(mut response: Response) -> String {
    let mut body = Vec::new();
    while body.len() < LONGEST_ANSWER
        && let Ok(Some(chunk)) = response.chunk().await
    {
        body.extend_from_slice(&chunk);
    }
    body.truncate(LONGEST_ANSWER);
    String::from_utf8_lossy(&body).into_owned()
}

fn in_words(error: reqwest::Error) -> String {
    let error = error.without_url();
    if error.is_timeout() {
        return "no answer in time".to_owned();
    }
    let mut cause: &dyn Error = &error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let what = if error.is_connect() { "it cannot be reached" } else { "the connection broke" };
    format!("{what} ({cause})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_other_programs() {
        // printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac secret
        let expected = "49f24e537407743fa4a0242bb63b94b9a47ee99cbbe071ccd8a22550ae411686";
        let signed = signature(&Secret::new("secret"), 1_700_000_000, r#"{"a":1}"#);
        assert_eq!(signed, format!("t=1700000000,v1={expected}"));
    }
}
