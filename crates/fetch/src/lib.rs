//! Fetches pages over HTTP and Gemini, politely.
//!
//! * `http` makes one request, `gemini` one to a capsule; `decode` undoes gzip, brotli, zstd and deflate within limits.
//! * `guard` refuses private addresses (SSRF), by the decision in [`recrawl_core::address`].
//! * `pace` waits for the turn of a host: delays, backoff after 429 and 503, `Retry-After`.
//!
//! The types:
//!
//! * [`HttpFetcher`] makes one request: limits, time-outs, decoding, conditional headers.
//! * [`Transports`] makes it as the scheme of the page has it, over HTTP or Gemini.
//! * [`AddressGuard`] keeps it away from addresses that are not public.
//! * [`Polite`] wraps it and waits for the host's turn; it is what implements the ports.

mod decode;
#[doc(hidden)]
pub mod fuzzing;
mod gemini;
mod guard;
mod http;
mod pace;
mod transport;
mod transports;

pub use guard::{AddressGuard, Forbidden, GuardError, Lookup, SystemLookup};
pub use http::{BuildError, HttpFetcher};
pub use pace::Polite;
pub use recrawl_core::model::http_settings::HttpSettings;
pub use transport::{Exchange, Transport, TransportError};
pub use transports::Transports;
