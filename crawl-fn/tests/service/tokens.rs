//! Who may push: the claims of a token, and its signature where nobody has checked it before.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair};
use axum::Router;
use axum::http::StatusCode as Answer;
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use crawl_fn::Config;
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;
use serde_json::json;
use tokio::net::TcpListener;

use crate::lines::Lines;
use crate::stage::{Stage, config_with, delivery, wrapped};

const AUDIENCE: &str = "https://service";
const EMAIL: &str = "push@project";

fn named(site: &Site, further: &[(&str, &str)]) -> Config {
    let named = [("RECRAWL_PUSH_AUDIENCE", AUDIENCE), ("RECRAWL_PUSH_EMAIL", EMAIL)];
    config_with(site, &[&named[..], further].concat())
}

fn claims(audience: &str, email: &str) -> String {
    json!({
        "iss": "https://accounts.google.com", "aud": audience, "email": email, "email_verified": true,
        "exp": jiff::Timestamp::now().as_second() + 3_600,
    })
    .to_string()
}

fn unsigned(header: &serde_json::Value, claims: &str) -> String {
    format!("{}.{}", URL_SAFE_NO_PAD.encode(header.to_string()), URL_SAFE_NO_PAD.encode(claims))
}

impl Stage {
    /// Pushes a tick with a token.
    async fn tick_with(&self, token: &str) -> StatusCode {
        let request = self.pusher.client.post(format!("{}/pubsub/tick", self.pusher.url)).bearer_auth(token);
        request.send().await.unwrap().status()
    }
}

#[tokio::test]
async fn only_the_subscription_is_let_in_where_it_is_named() {
    let site = Site::start().await;
    site.page("/", Page::html("root"));
    let stage = Stage::with(named(&site, &[]), Arc::default()).await;
    let lines = Lines::default();
    let _capturing = lines.capture();
    let body = wrapped(&delivery(&site.url(), "weekly"));
    let token = |audience: &str, email: &str| {
        let unsigned = unsigned(&json!({"alg": "RS256"}), &claims(audience, email));
        Some(format!("Bearer {unsigned}.SIGNATURE_REMOVED_BY_GOOGLE"))
    };
    for (authorization, status) in [
        (None, 403),
        (Some("Bearer nonsense".to_owned()), 403),
        (token("https://other", EMAIL), 403),
        (token(AUDIENCE, "other@project"), 403),
        (token(AUDIENCE, EMAIL), 204),
    ] {
        for path in ["/pubsub/tick", "/pubsub/archive", "/pubsub/crawl"] {
            let request = stage.pusher.client.post(format!("{}{path}", stage.pusher.url)).body(body.clone());
            let request = match &authorization {
                Some(value) => request.header("Authorization", value),
                None => request,
            };
            let response = request.send().await.unwrap();
            assert_eq!(response.status().as_u16(), status, "{path} {authorization:?}");
            if status == 403 {
                assert_eq!(response.text().await.unwrap(), "not the subscription\n");
            }
        }
    }
    assert_eq!(stage.pusher.get("/healthz").await.0, StatusCode::OK);
    let told = lines.text();
    assert!(!told.contains("Bearer") && !told.contains("eyJ"), "{told}");
    assert!(told.contains("the token is of another account"), "{told}");
}

/// One who signs tokens, and shows the public key as Google does.
struct Signer {
    key: RsaKeyPair,
    address: String,
    asked: Arc<AtomicUsize>,
}

impl Signer {
    async fn start() -> Self {
        let key = RsaKeyPair::generate(KeySize::Rsa2048).unwrap();
        let public = |number: &[u8]| URL_SAFE_NO_PAD.encode(number);
        let modulus = public(key.public_key().modulus().big_endian_without_leading_zero());
        let exponent = public(key.public_key().exponent().big_endian_without_leading_zero());
        let keys = json!({"keys": [
            {"kid": "old", "kty": "RSA", "alg": "RS256", "use": "sig", "n": "AQAB", "e": "AQAB"},
            {"kid": "new", "kty": "RSA", "alg": "RS256", "use": "sig", "n": modulus, "e": exponent},
        ]});
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked);
        let answer = move || {
            counted.fetch_add(1, Ordering::Relaxed);
            std::future::ready(([("cache-control", "public, max-age=20000")], keys.to_string()))
        };
        let routes = Router::new().route("/certs", get(answer));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/certs", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { key, address, asked }
    }

    fn sign(&self, header: &serde_json::Value, claims: &str) -> String {
        let unsigned = unsigned(header, claims);
        let mut signature = vec![0; self.key.public_modulus_len()];
        self.key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), unsigned.as_bytes(), &mut signature).unwrap();
        format!("{unsigned}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

async fn stage_that_checks(site: &Site, certificates: &str) -> Stage {
    let mut config = named(site, &[("RECRAWL_PUSH_SIGNATURE", "true")]);
    config.certificates = certificates.to_owned();
    Stage::with(config, Arc::default()).await
}

#[tokio::test]
async fn a_signature_is_checked_where_nobody_has_done_so_before() {
    let site = Site::start().await;
    let (google, stranger) = (Signer::start().await, Signer::start().await);
    let stage = stage_that_checks(&site, &google.address).await;
    let header = json!({"alg": "RS256", "kid": "new", "typ": "JWT"});
    let right = claims(AUDIENCE, EMAIL);
    let good = google.sign(&header, &right);
    let (message, signature) = good.rsplit_once('.').unwrap();
    let other = unsigned(&header, &right.replace(':', ": "));
    let table = [
        (good.clone(), 204),
        (stranger.sign(&header, &right), 403),
        (google.sign(&header, &claims(AUDIENCE, "other@project")), 403),
        (format!("{other}.{signature}"), 403),
        (format!("{message}."), 403),
        (format!("{message}.SIGNATURE_REMOVED_BY_GOOGLE"), 403),
        (google.sign(&json!({"alg": "none", "kid": "new"}), &right), 403),
        (google.sign(&json!({"alg": "HS256", "kid": "new"}), &right), 403),
        (google.sign(&json!({"alg": "RS256", "kid": "old"}), &right), 403),
        (google.sign(&json!({"alg": "RS256", "kid": "made-up"}), &right), 403),
        (google.sign(&json!({"alg": "RS256"}), &right), 403),
        (good.clone(), 204),
    ];
    for (token, status) in table {
        assert_eq!(stage.tick_with(&token).await.as_u16(), status, "{token}");
    }
    assert_eq!(google.asked.load(Ordering::Relaxed), 1, "the keys are kept");
}

#[tokio::test]
async fn a_push_comes_again_while_the_keys_cannot_be_had() {
    let site = Site::start().await;
    let google = Signer::start().await;
    let routes = Router::new()
        .route("/broken", get(|| async { Answer::INTERNAL_SERVER_ERROR }))
        .route("/endless", get(|| async { " ".repeat(70_000) }))
        .route("/elsewhere", get(|| async { axum::response::Redirect::to("/broken") }))
        .route("/nonsense", get(|| async { "keys" }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let token = google.sign(&json!({"alg": "RS256", "kid": "new"}), &claims(AUDIENCE, EMAIL));
    for path in ["/broken", "/endless", "/elsewhere", "/nonsense"] {
        let stage = stage_that_checks(&site, &format!("http://{address}{path}")).await;
        assert_eq!(stage.tick_with(&token).await.as_u16(), 503, "{path}");
    }
}
