//! The clients behind a fetcher: one for `http`, and one for `https` from the first time that it is needed.
//!
//! Reading the certificates that a system trusts takes longer than fetching hundreds of pages from a server nearby.

use std::sync::{Arc, OnceLock};

use http::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderValue, USER_AGENT};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};
use thiserror::Error;
use url::Url;

use crate::connected::NoteConnections;
use crate::guard::{AddressGuard, GuardedResolver};
use crate::settings::HttpSettings;

const ACCEPTED: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// Why there is no fetcher.
#[derive(Debug, Clone, Error)]
pub enum BuildError {
    /// It cannot be sent as a header.
    #[error("the user agent {0:?} has characters that no header may have")]
    UserAgent(String),
    /// The client could not be made.
    #[error("cannot set up the HTTP client")]
    Client(#[source] Arc<reqwest::Error>),
}

#[derive(Debug)]
pub(super) struct Clients {
    /// Trusts no certificate, and so never speaks TLS.
    plain: Client,
    secure: OnceLock<Result<Client, BuildError>>,
    agent: HeaderValue,
    settings: HttpSettings,
    guard: Arc<AddressGuard>,
}

impl Clients {
    pub(super) fn new(settings: &HttpSettings, guard: &Arc<AddressGuard>) -> Result<Self, BuildError> {
        let agent = HeaderValue::from_str(&settings.user_agent)
            .map_err(|_| BuildError::UserAgent(settings.user_agent.clone()))?;
        let plain = build(builder(&agent, settings, guard).tls_certs_only([]))?;
        let (secure, settings, guard) = (OnceLock::new(), settings.clone(), Arc::clone(guard));
        Ok(Self { plain, secure, agent, settings, guard })
    }

    /// Returns the client for the scheme of `url`.
    pub(super) fn of(&self, url: &Url) -> Result<&Client, BuildError> {
        if url.scheme() == "http" { Ok(&self.plain) } else { self.secure() }
    }

    /// Returns the client that knows certificates. The first call reads them.
    pub(super) fn secure(&self) -> Result<&Client, BuildError> {
        let make = || build(builder(&self.agent, &self.settings, &self.guard));
        self.secure.get_or_init(make).as_ref().map_err(Clone::clone)
    }
}

fn build(builder: ClientBuilder) -> Result<Client, BuildError> {
    builder.build().map_err(|error| BuildError::Client(Arc::new(error)))
}

fn builder(agent: &HeaderValue, settings: &HttpSettings, guard: &Arc<AddressGuard>) -> ClientBuilder {
    let client = Client::builder()
        .default_headers(HeaderMap::from_iter([
            (USER_AGENT, agent.clone()),
            (ACCEPT, HeaderValue::from_static(ACCEPTED)),
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
        .dns_resolver(GuardedResolver(Arc::clone(guard)))
        .connector_layer(NoteConnections)
        .connect_timeout(settings.connect_time_out)
        .http1_ignore_invalid_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http1_allow_obsolete_multiline_headers_in_responses(true);
    if settings.read_time_out < settings.total_time_out {
        return client.read_timeout(settings.read_time_out);
    }
    client
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_are_read_for_https_only() {
        let guard = Arc::new(AddressGuard::public_only());
        let settings = HttpSettings::new("recrawl/0 (+http://test.example/)");
        let clients = Clients::new(&settings, &guard).unwrap();
        clients.of(&"http://a.example/".parse().unwrap()).unwrap();
        assert!(clients.secure.get().is_none());
        clients.of(&"https://a.example/".parse().unwrap()).unwrap();
        assert!(clients.secure.get().is_some());
    }
}
