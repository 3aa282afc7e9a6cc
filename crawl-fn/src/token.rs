//! The token of a push: who sends it, and to whom.
//!
//! Cloud Run has verified the token and taken its signature away before a request arrives here, so this is a
//! second look at its claims and no proof by itself.

use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;

/// Whose pushes are taken. What is not named is not checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sender {
    /// The audience of the token.
    pub(crate) audience: Option<String>,
    /// The account that the subscription pushes with.
    pub(crate) email: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Claims {
    #[serde(default)]
    aud: Option<String>,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    email_verified: Option<bool>,
}

impl Sender {
    /// Tells whether a push with these headers is taken.
    pub(crate) fn admits(&self, headers: &HeaderMap) -> bool {
        if *self == Self::default() {
            return true;
        }
        let Some(claims) = claims(headers) else {
            return false;
        };
        let audience = self.audience.is_none() || claims.aud == self.audience;
        let is_verified = claims.email_verified != Some(false);
        audience && (self.email.is_none() || (claims.email == self.email && is_verified))
    }
}

fn claims(headers: &HeaderMap) -> Option<Claims> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let payload = token.trim().split('.').nth(1).filter(|_| scheme.eq_ignore_ascii_case("bearer"))?;
    let claims = URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?;
    serde_json::from_slice(&claims).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUDIENCE: &str = "https://crawl-fn.example";
    const EMAIL: &str = "push@p.iam.gserviceaccount.com";

    fn headers(authorization: Option<&str>) -> HeaderMap {
        let value = authorization.map(|value| (header::AUTHORIZATION, value.parse().unwrap()));
        value.into_iter().collect()
    }

    fn token(claims: &str) -> String {
        let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"RS256"}"#);
        format!("Bearer {header}.{}.SIGNATURE_REMOVED_BY_GOOGLE", URL_SAFE_NO_PAD.encode(claims))
    }

    fn sender(audience: Option<&str>, email: Option<&str>) -> Sender {
        Sender { audience: audience.map(str::to_owned), email: email.map(str::to_owned) }
    }

    #[test]
    fn the_claims_must_be_those_that_were_named() {
        let right = format!(r#"{{"aud":"{AUDIENCE}","email":"{EMAIL}","email_verified":true,"exp":1}}"#);
        let unverified = right.replace("true", "false");
        let other_email = right.replace("push@", "other@");
        let other_audience = right.replace("crawl-fn", "other");
        let both = sender(Some(AUDIENCE), Some(EMAIL));
        let only_audience = sender(Some(AUDIENCE), None);
        for (sender, authorization, expected) in [
            (&both, Some(token(&right)), true),
            (&both, Some(token(&right).replace("Bearer", "bearer")), true),
            (&both, Some(token(&unverified)), false),
            (&both, Some(token(&other_email)), false),
            (&both, Some(token(&other_audience)), false),
            (&both, Some(token("{}")), false),
            (&both, Some(token("nonsense")), false),
            (&both, Some("Bearer a.?!.c".to_owned()), false),
            (&both, Some("Bearer".to_owned()), false),
            (&both, Some(token(&right).replace("Bearer", "Basic")), false),
            (&both, None, false),
            (&only_audience, Some(token(&other_email)), true),
            (&only_audience, Some(token(&other_audience)), false),
        ] {
            let headers = headers(authorization.as_deref());
            assert_eq!(sender.admits(&headers), expected, "{authorization:?}");
        }
    }

    #[test]
    fn without_settings_the_header_is_ignored() {
        for authorization in [None, Some("Bearer nonsense")] {
            assert!(Sender::default().admits(&headers(authorization)));
        }
    }
}
