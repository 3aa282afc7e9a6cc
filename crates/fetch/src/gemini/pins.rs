//! Trust on first use: certificates are pinned in the store of states, so that the next process knows them, too.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jiff::Timestamp;
use recrawl_core::decide::certificate::{Certificate, Trust, changed, trust};
use recrawl_core::memory::MemoryStore;
use recrawl_core::ports::{StateKey, StateStore, StoreError};
use recrawl_core::url::HostKey;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use super::certificate;
use crate::transport::TransportError;

/// How often somebody else may pin a certificate between our look and our own attempt.
const ATTEMPTS: usize = 5;

/// Knows the certificate of each capsule.
#[derive(Default)]
pub(super) struct Pins {
    memory: OnceLock<Arc<dyn StateStore>>,
    /// What this process found pinned: most connections ask no store.
    known: Mutex<HashMap<HostKey, Certificate>>,
}

impl Pins {
    /// Pins in `memory`; the first call counts.
    pub(super) fn remember_in(&self, memory: &Arc<dyn StateStore>) {
        let _ = self.memory.set(Arc::clone(memory));
    }

    /// Believes the certificate of a connection, or says why not.
    pub(super) async fn check(
        &self,
        host: &HostKey,
        stream: &TlsStream<TcpStream>,
        now: Timestamp,
    ) -> Result<(), TransportError> {
        let chain = stream.get_ref().1.peer_certificates().unwrap_or_default();
        let presented = chain.first().and_then(|first| certificate::read(first));
        let Some(presented) = presented else {
            let reason = format!("the certificate of {host} cannot be read");
            return Err(TransportError::Unreachable { reason, source: None });
        };
        if self.known.lock().unwrap_or_else(PoisonError::into_inner).get(host) == Some(&presented) {
            return Ok(());
        }
        match self.pin(host, &presented, now).await {
            Ok(None) => {
                self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(host.clone(), presented);
                Ok(())
            }
            Ok(Some(pinned)) => Err(TransportError::Refused(changed(host, &pinned, &presented))),
            Err(error) => {
                let reason = format!("it is not known which certificate {host} had before: {error}");
                Err(TransportError::Refused(reason))
            }
        }
    }

    /// Pins a certificate if it is believed; returns the one that is pinned if it is not.
    async fn pin(
        &self,
        host: &HostKey,
        presented: &Certificate,
        now: Timestamp,
    ) -> Result<Option<Certificate>, StoreError> {
        let memory = self.memory.get_or_init(|| Arc::new(MemoryStore::default()));
        let key = StateKey::pinned_certificate(host);
        for _ in 0..ATTEMPTS {
            let before = memory.state(&key).await?;
            let pinned = before.as_ref().and_then(Certificate::from_entry);
            match trust(pinned.as_ref(), presented, now) {
                Trust::Pinned => return Ok(None),
                Trust::Changed => return Ok(pinned),
                Trust::Pin => {
                    if memory.replace_state(&key, before.as_ref(), &presented.to_entry(now)).await? {
                        tracing::info!(%host, fingerprint = presented.fingerprint, "certificate pinned");
                        return Ok(None);
                    }
                }
            }
        }
        Err(StoreError::Unavailable("others pin a certificate at the same time".into()))
    }
}
