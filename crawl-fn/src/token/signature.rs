//! The signature of a token, checked by Google's public keys.
//!
//! The keys are asked for when the first token arrives and kept for as long as Google says. Made-up key ids make for a
//! request a minute at most, and a failure for one in five seconds.

use std::time::Duration;

use axum::http::{HeaderMap, header};
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey, decode_header};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::Refusal;
use crate::answer::chain;

/// Where Google has its public keys.
pub(crate) const GOOGLE: &str = "https://www.googleapis.com/oauth2/v3/certs";

/// How long the keys may take to come.
const PATIENCE: Duration = Duration::from_secs(10);

/// How much is read of them: there are a few, of half a kilobyte each.
const LONGEST: usize = 64 * 1024;

/// How long nobody asks again because of a key that is not there, or after a failure.
const PAUSE: Duration = Duration::from_mins(1);
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(5);

/// Google's public keys.
#[derive(Debug)]
pub(crate) struct Certificates {
    client: Client,
    address: String,
    held: Mutex<Held>,
}

/// What is known of the keys.
#[derive(Debug, Default)]
struct Held {
    keys: JwkSet,
    /// When they were asked for last, and until when they may be used.
    asked: Option<(Instant, Instant)>,
    /// Why they did not come the last time.
    failure: Option<String>,
}

impl Certificates {
    /// Makes a client for the keys at an address. Nothing is asked for yet.
    pub(crate) fn at(address: &str) -> Result<Self, reqwest::Error> {
        let client = Client::builder()
            .https_only(address.starts_with("https:"))
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .timeout(PATIENCE)
            .build()?;
        Ok(Self { client, address: address.to_owned(), held: Mutex::default() })
    }

    /// Tells whether a token was signed by one of the keys.
    pub(crate) async fn verify(&self, token: &str) -> Result<(), Refusal> {
        let denied = Refusal::Denied("the signature of the token is not Google's");
        let id = decode_header(token).ok().filter(|header| header.alg == Algorithm::RS256);
        let Some(id) = id.and_then(|header| header.kid) else { return Err(denied) };
        let key = self.key(&id).await.map_err(Refusal::Unknown)?;
        let parts = token.rsplit_once('.');
        let is_signed = key.zip(parts).is_some_and(|(key, (message, signature))| {
            jsonwebtoken::crypto::verify(signature, message.as_bytes(), &key, Algorithm::RS256)
                .unwrap_or(false)
        });
        if is_signed { Ok(()) } else { Err(denied) }
    }

    async fn key(&self, id: &str) -> Result<Option<DecodingKey>, String> {
        // Held during the request, so that a crowd of pushes asks once.
        let mut held = self.held.lock().await;
        if held.is_to_be_asked_for(id, Instant::now()) {
            let fetched = self.fetch().await;
            held.take(fetched, Instant::now());
        }
        held.key(id, Instant::now())
    }

    async fn fetch(&self) -> Result<(JwkSet, Duration), String> {
        let response = self.client.get(&self.address).send().await.map_err(|error| chain(&error))?;
        let response = response.error_for_status().map_err(|error| chain(&error))?;
        let lifetime = lifetime(response.headers());
        let keys = serde_json::from_slice(&read(response).await?).map_err(|error| chain(&error))?;
        Ok((keys, lifetime))
    }
}

impl Held {
    fn is_to_be_asked_for(&self, id: &str, now: Instant) -> bool {
        let Some((asked_at, good_until)) = self.asked else { return true };
        let pause = if self.failure.is_some() { PAUSE_AFTER_FAILURE } else { PAUSE };
        let is_wanting = now >= good_until || self.keys.find(id).is_none();
        is_wanting && now.duration_since(asked_at) >= pause
    }

    fn take(&mut self, fetched: Result<(JwkSet, Duration), String>, now: Instant) {
        match fetched {
            Ok((keys, lifetime)) => {
                *self = Self { keys, asked: Some((now, now + lifetime)), failure: None };
            }
            Err(why) => {
                let good_until = self.asked.map_or(now, |(_, good_until)| good_until);
                self.asked = Some((now, good_until));
                self.failure = Some(format!("the keys of tokens did not come: {why}"));
            }
        }
    }

    fn key(&self, id: &str, now: Instant) -> Result<Option<DecodingKey>, String> {
        let is_good = self.asked.is_some_and(|(_, good_until)| now < good_until);
        let key = self.keys.find(id).filter(|_| is_good).and_then(|key| DecodingKey::from_jwk(key).ok());
        match (&key, &self.failure) {
            (None, Some(failure)) => Err(failure.clone()),
            (Some(_), _) | (None, None) => Ok(key),
        }
    }
}

/// Returns how long an answer may be used: a minute at least, a day at most.
fn lifetime(headers: &HeaderMap) -> Duration {
    let said = headers.get(header::CACHE_CONTROL).and_then(|value| value.to_str().ok());
    let mut directives = said.unwrap_or_default().split(',').map(str::trim);
    let seconds = directives.find_map(|directive| directive.strip_prefix("max-age=")?.parse().ok());
    Duration::from_secs(seconds.unwrap_or(3_600)).clamp(PAUSE, Duration::from_hours(24))
}

async fn read(mut response: Response) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| chain(&error))? {
        body.extend_from_slice(&chunk);
        if body.len() > LONGEST {
            return Err(format!("there are more than {LONGEST} bytes of them"));
        }
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(ids: &[&str]) -> JwkSet {
        let keys: Vec<_> = ids
            .iter()
            .map(|id| serde_json::json!({"kty": "RSA", "kid": id, "n": "AQAB", "e": "AQAB"}))
            .collect();
        serde_json::from_value(serde_json::json!({ "keys": keys })).unwrap()
    }

    #[test]
    fn keys_are_asked_for_when_they_are_wanting_and_not_too_often() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let hour = || Ok((keys(&["a"]), Duration::from_hours(1)));
        let mut held = Held::default();
        assert!(held.is_to_be_asked_for("a", at(0)));
        held.take(hour(), at(0));
        for (id, seconds, expected) in [
            ("a", 1, false),
            ("a", 3_599, false),
            ("a", 3_600, true),
            ("made-up", 1, false),
            ("made-up", 59, false),
            ("made-up", 60, true),
        ] {
            assert_eq!(held.is_to_be_asked_for(id, at(seconds)), expected, "{id} after {seconds} s");
        }
        held.take(Err("no route".to_owned()), at(3_600));
        assert!(!held.is_to_be_asked_for("a", at(3_604)));
        assert!(held.is_to_be_asked_for("a", at(3_605)));
        held.take(hour(), at(3_605));
        assert!(held.key("a", at(3_606)).unwrap().is_some());
    }

    #[test]
    fn a_failure_spoils_no_key_that_is_there_and_lets_nobody_in() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut held = Held::default();
        held.take(Err("no route".to_owned()), at(0));
        assert!(held.key("a", at(1)).unwrap_err().contains("no route"));
        held.take(Ok((keys(&["a"]), Duration::from_secs(100))), at(5));
        assert!(held.key("b", at(6)).unwrap().is_none());
        held.take(Err("no route".to_owned()), at(70));
        assert!(held.key("a", at(71)).unwrap().is_some());
        assert!(held.key("b", at(71)).is_err());
        assert!(held.key("a", at(105)).is_err(), "it is too old");
    }

    #[test]
    fn keys_are_kept_for_as_long_as_google_says_within_limits() {
        for (said, seconds) in [
            ("public, max-age=22345, must-revalidate, no-transform", 22_345),
            ("max-age=0", 60),
            ("max-age=99999999", 86_400),
            ("max-age=soon", 3_600),
            ("no-store", 3_600),
        ] {
            let headers = HeaderMap::from_iter([(header::CACHE_CONTROL, said.parse().unwrap())]);
            assert_eq!(lifetime(&headers).as_secs(), seconds, "{said}");
        }
        assert_eq!(lifetime(&HeaderMap::new()).as_secs(), 3_600);
    }
}
