//! The clients behind a fetcher: one for `http`, and one for `https` from the first time that it is needed.
//!
//! Reading the certificates that a system trusts takes longer than fetching hundreds of pages from a server nearby.
//! Requests that may reach inside have clients of their own: a resolver is told the name and not the port, so the
//! right of one port must not be found by a request to another.

use std::sync::{Arc, OnceLock};

use http::header::{ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, HeaderMap, HeaderValue, USER_AGENT};
use recrawl_core::address::Reach;
use recrawl_core::model::http_settings::HttpSettings;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};
use thiserror::Error;
use url::Url;

use crate::guard::{AddressGuard, PageResolver};
use crate::http::connect_time::NoteConnections;

const ACCEPTED: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// Why there is no fetcher.
#[derive(Debug, Clone, Error)]
pub enum BuildError {
    /// It cannot be sent as a header.
    #[error("the {0} {1:?} has characters that no header may have")]
    Header(&'static str, String),
    /// The client could not be made.
    #[error("cannot set up the HTTP client")]
    Client(#[source] Arc<reqwest::Error>),
    /// TLS for capsules could not be set up.
    #[error("cannot set up TLS")]
    Tls(#[source] Arc<rustls::Error>),
}

#[derive(Debug)]
pub(super) struct Clients {
    public: Pair,
    inside: OnceLock<Result<Pair, BuildError>>,
    maker: Maker,
}

/// The clients of one reach.
#[derive(Debug)]
struct Pair {
    /// Trusts no certificate, and so never speaks TLS.
    plain: Client,
    secure: OnceLock<Result<Client, BuildError>>,
}

/// What clients are made of.
#[derive(Debug)]
struct Maker {
    headers: HeaderMap,
    settings: HttpSettings,
    guard: Arc<AddressGuard>,
}

impl Clients {
    pub(super) fn new(settings: &HttpSettings, guard: &Arc<AddressGuard>) -> Result<Self, BuildError> {
        let maker =
            Maker { headers: headers(settings)?, settings: settings.clone(), guard: Arc::clone(guard) };
        Ok(Self { public: maker.pair(Reach::Public)?, inside: OnceLock::new(), maker })
    }

    /// Returns the client for the scheme of `url`, whose request may reach this far.
    pub(super) fn of(&self, url: &Url, reach: Reach) -> Result<&Client, BuildError> {
        let pair = self.pair(reach)?;
        if url.scheme() == "http" { Ok(&pair.plain) } else { self.secure(reach) }
    }

    /// Returns the client that knows certificates. The first call reads them.
    pub(super) fn secure(&self, reach: Reach) -> Result<&Client, BuildError> {
        let make = || build(self.maker.builder(reach));
        self.pair(reach)?.secure.get_or_init(make).as_ref().map_err(Clone::clone)
    }

    fn pair(&self, reach: Reach) -> Result<&Pair, BuildError> {
        match reach {
            Reach::Public => Ok(&self.public),
            Reach::Inside | Reach::AllButMetadata => {
                let make = || self.maker.pair(Reach::Inside);
                self.inside.get_or_init(make).as_ref().map_err(Clone::clone)
            }
        }
    }
}

impl Maker {
    fn pair(&self, reach: Reach) -> Result<Pair, BuildError> {
        let plain = build(self.builder(reach).tls_certs_only([]))?;
        Ok(Pair { plain, secure: OnceLock::new() })
    }

    fn builder(&self, reach: Reach) -> ClientBuilder {
        let Self { headers, settings, guard } = self;
        let client = Client::builder()
            .default_headers(headers.clone())
            // Decoding is ours, with limits; another crate of the same program may have switched this on.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .no_proxy()
            .dns_resolver(PageResolver { guard: Arc::clone(guard), reach })
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
}

/// Returns what every request says: who asks, and what is understood.
fn headers(settings: &HttpSettings) -> Result<HeaderMap, BuildError> {
    let value =
        |name, text: &str| HeaderValue::from_str(text).map_err(|_| BuildError::Header(name, text.to_owned()));
    let mut headers = HeaderMap::from_iter([
        (USER_AGENT, value("user agent", &settings.user_agent)?),
        (ACCEPT, HeaderValue::from_static(ACCEPTED)),
        (ACCEPT_ENCODING, HeaderValue::from_static("gzip, br, zstd, deflate")),
    ]);
    if let Some(languages) = &settings.accept_language {
        headers.insert(ACCEPT_LANGUAGE, value("accept-language", languages)?);
    }
    Ok(headers)
}

fn build(builder: ClientBuilder) -> Result<Client, BuildError> {
    builder.build().map_err(|error| BuildError::Client(Arc::new(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_are_read_for_https_only() {
        let guard = Arc::new(AddressGuard::public_only());
        let settings = HttpSettings::new("recrawl/0 (+http://test.example/)");
        let clients = Clients::new(&settings, &guard).unwrap();
        clients.of(&"http://a.example/".parse().unwrap(), Reach::Public).unwrap();
        assert!(clients.public.secure.get().is_none() && clients.inside.get().is_none());
        clients.of(&"https://a.example/".parse().unwrap(), Reach::Public).unwrap();
        assert!(clients.public.secure.get().is_some() && clients.inside.get().is_none());
    }
}
