//! The token of a push: who sends it, and to whom.
//!
//! Cloud Run has verified the token and taken its signature away before a request arrives here, so what is left to do is
//! a second look at its claims. Where something else stands before the service, [`signature`] does what Cloud Run does.

mod signature;

use std::time::Duration;

use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use serde::Deserialize;

use crate::answer::Answer;
use crate::config::Config;

pub(crate) use self::signature::{Certificates, GOOGLE};

/// Who signs the tokens of pushes: both names are Google's.
const ISSUERS: [&str; 2] = ["https://accounts.google.com", "accounts.google.com"];

/// How far clocks may differ, in seconds.
const LEEWAY: i64 = 60;

/// Whose pushes are taken. What is not named is not checked.
#[derive(Debug, Default)]
pub(crate) struct Sender {
    /// The audience of the token.
    audience: Option<String>,
    /// The account that the subscription pushes with.
    email: Option<String>,
    /// What signatures are checked by, where nobody has done that before.
    certificates: Option<Certificates>,
}

/// Why a push is not taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It does not come from the subscription.
    Denied(&'static str),
    /// That cannot be told at the moment.
    Unknown(String),
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Denied(why) => Self::Denied(why),
            Refusal::Unknown(why) => Self::unavailable(why, Duration::from_secs(10)),
        }
    }
}

#[derive(Debug, Deserialize)]
struct Claims {
    #[serde(default)]
    iss: Option<String>,
    #[serde(default)]
    aud: Option<String>,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    email_verified: Option<bool>,
    #[serde(default)]
    exp: Option<i64>,
}

impl Sender {
    /// Takes from the configuration whose pushes are taken.
    pub(crate) fn new(config: &Config) -> Result<Self, reqwest::Error> {
        let certificates = config.process.push_signature.then(|| Certificates::at(&config.certificates));
        Ok(Self {
            audience: config.process.push_audience.clone(),
            email: config.process.push_email.clone(),
            certificates: certificates.transpose()?,
        })
    }

    /// Takes a push with these headers, or says why not.
    pub(crate) async fn admit(&self, headers: &HeaderMap, now: Timestamp) -> Result<(), Refusal> {
        if self.audience.is_none() && self.email.is_none() {
            return Ok(());
        }
        let token = token(headers).ok_or(Refusal::Denied("there is no token"))?;
        let claims = claims(token).ok_or(Refusal::Denied("the token cannot be read"))?;
        self.judge(&claims, now).map_err(Refusal::Denied)?;
        match &self.certificates {
            Some(certificates) => certificates.verify(token).await,
            None => Ok(()),
        }
    }

    fn judge(&self, claims: &Claims, now: Timestamp) -> Result<(), &'static str> {
        if !claims.iss.as_deref().is_some_and(|issuer| ISSUERS.contains(&issuer)) {
            return Err("the token is not Google's");
        }
        if claims.exp.is_none_or(|expiry| expiry.saturating_add(LEEWAY) <= now.as_second()) {
            return Err("the token has expired");
        }
        if self.audience.is_some() && claims.aud != self.audience {
            return Err("the token is for another service");
        }
        if self.email.is_some() && (claims.email != self.email || claims.email_verified != Some(true)) {
            return Err("the token is of another account");
        }
        Ok(())
    }
}

fn token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn claims(token: &str) -> Option<Claims> {
    let payload = token.split('.').nth(1)?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUDIENCE: &str = "https://crawl-fn.example";
    const EMAIL: &str = "push@p.iam.gserviceaccount.com";
    const NOW: i64 = 1_800_000_000;

    async fn admit(sender: &Sender, authorization: Option<&str>) -> Result<(), Refusal> {
        let value = authorization.map(|value| (header::AUTHORIZATION, value.parse().unwrap()));
        sender.admit(&value.into_iter().collect(), Timestamp::from_second(NOW).unwrap()).await
    }

    fn bearer(claims: &str) -> String {
        let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"RS256"}"#);
        format!("Bearer {header}.{}.SIGNATURE_REMOVED_BY_GOOGLE", URL_SAFE_NO_PAD.encode(claims))
    }

    fn sender(audience: Option<&str>, email: Option<&str>) -> Sender {
        Sender { audience: audience.map(str::to_owned), email: email.map(str::to_owned), certificates: None }
    }

    #[tokio::test]
    async fn the_claims_must_be_those_that_were_named() {
        let right = format!(
            r#"{{"iss":"https://accounts.google.com","aud":"{AUDIENCE}","email":"{EMAIL}","email_verified":true,"exp":{NOW}}}"#
        );
        let without = |claim: &str| {
            let mut claims: serde_json::Value = serde_json::from_str(&right).unwrap();
            claims.as_object_mut().unwrap().remove(claim).unwrap();
            bearer(&claims.to_string())
        };
        let with = |from: &str, to: &str| bearer(&right.replace(from, to));
        let both = sender(Some(AUDIENCE), Some(EMAIL));
        let only_audience = sender(Some(AUDIENCE), None);
        let only_email = sender(None, Some(EMAIL));
        for (sender, authorization, expected) in [
            (&both, bearer(&right), ""),
            (&both, bearer(&right).replace("Bearer", "bearer"), ""),
            (&both, with("https://accounts", "accounts"), ""),
            (&both, with("true", "false"), "another account"),
            (&both, without("email_verified"), "another account"),
            (&both, with("push@", "other@"), "another account"),
            (&both, without("email"), "another account"),
            (&both, with("crawl-fn", "other"), "another service"),
            (&both, without("aud"), "another service"),
            (&both, with("accounts.google.com", "accounts.example"), "not Google's"),
            (&both, without("iss"), "not Google's"),
            // Clocks differ by up to a minute.
            (&both, with(&NOW.to_string(), &(NOW - 59).to_string()), ""),
            (&both, with(&NOW.to_string(), &(NOW - 60).to_string()), "has expired"),
            (&both, with(&NOW.to_string(), &i64::MIN.to_string()), "has expired"),
            (&both, without("exp"), "has expired"),
            (&both, bearer("nonsense"), "cannot be read"),
            (&both, "Bearer a.?!.c".to_owned(), "cannot be read"),
            (&both, "Bearer".to_owned(), "there is no token"),
            (&both, bearer(&right).replace("Bearer", "Basic"), "there is no token"),
            (&only_audience, with("push@", "other@"), ""),
            (&only_audience, with("crawl-fn", "other"), "another service"),
            (&only_email, with("crawl-fn", "other"), ""),
            (&only_email, with("push@", "other@"), "another account"),
        ] {
            let refusal = match admit(sender, Some(&authorization)).await {
                Err(Refusal::Denied(why)) => why,
                other => {
                    assert_eq!(other, Ok(()));
                    ""
                }
            };
            assert!(
                refusal.contains(expected) && refusal.is_empty() == expected.is_empty(),
                "{refusal}: {expected}"
            );
        }
        assert_eq!(admit(&both, None).await, Err(Refusal::Denied("there is no token")));
    }

    #[tokio::test]
    async fn without_settings_the_header_is_ignored() {
        for authorization in [None, Some("Bearer nonsense")] {
            assert_eq!(admit(&Sender::default(), authorization).await, Ok(()));
        }
    }
}
