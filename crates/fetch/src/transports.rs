//! The transports of a process: HTTP for web sites, Gemini for capsules, over one guard and one memory for bodies.

use std::sync::Arc;

use recrawl_core::model::http_settings::HttpSettings;
use recrawl_core::ports::{Request, StateStore};
use recrawl_core::url::PageUrl;

use crate::gemini::GeminiFetcher;
use crate::guard::AddressGuard;
use crate::http::{BuildError, HttpFetcher};
use crate::transport::{Exchange, Transport, TransportError};

/// Makes each request as the scheme of its page has it.
#[derive(Debug)]
pub struct Transports {
    http: HttpFetcher,
    gemini: GeminiFetcher,
}

impl Transports {
    /// Makes the transports.
    pub fn new(settings: HttpSettings, guard: AddressGuard) -> Result<Self, BuildError> {
        let http = HttpFetcher::new(settings.clone(), guard)?;
        let gemini = GeminiFetcher::new(settings, http.guard(), http.bodies())
            .map_err(|error| BuildError::Tls(Arc::new(error)))?;
        Ok(Self { http, gemini })
    }

    /// Makes the transports for another site of the same process: the bodies of both have one budget, and a certificate that
    /// one pins is known to the other.
    pub fn beside(&self, settings: HttpSettings, guard: AddressGuard) -> Result<Self, BuildError> {
        let http = self.http.beside(settings.clone(), guard)?;
        let gemini = self.gemini.beside(settings, http.guard());
        Ok(Self { http, gemini })
    }

    /// Reads what is needed to ask for `root` now, and not when it is asked for: what is wrong with it shall be known
    /// before the crawl.
    pub fn prepare(&self, root: &PageUrl) -> Result<(), BuildError> {
        if root.scheme() == "https" { self.http.read_certificates(root) } else { Ok(()) }
    }
}

impl Transport for Transports {
    async fn exchange(&self, request: Request<'_>) -> Result<Exchange, TransportError> {
        if request.url.is_gemini() {
            self.gemini.exchange(request).await
        } else {
            self.http.exchange(request).await
        }
    }

    fn remember_in(&self, memory: &Arc<dyn StateStore>) {
        self.gemini.remember_in(memory);
    }
}
