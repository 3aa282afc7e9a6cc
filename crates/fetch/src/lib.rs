//! Fetches pages over HTTP, politely.
//!
//! * [`HttpFetcher`] makes one request: limits, time-outs, decoding, conditional headers.
//! * [`AddressGuard`] keeps it away from addresses that are not public.
//! * [`Polite`] wraps it and waits for the host's turn; it is what implements the ports.

mod budget;
mod connected;
mod decode;
mod freshness;
#[doc(hidden)]
pub mod fuzzing;
mod guard;
mod headers;
mod http;
mod polite;
mod retry_after;
mod settings;
mod transport;

pub use guard::{AddressGuard, Forbidden, GuardError, Lookup, SystemLookup};
pub use http::{BuildError, HttpFetcher};
pub use polite::Polite;
pub use settings::HttpSettings;
pub use transport::{Exchange, Transport, TransportError};
