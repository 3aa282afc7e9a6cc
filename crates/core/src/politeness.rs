//! How often a server may be asked: the delay between requests, and the pause after trouble.
//!
//! Everything here is a function of the times passed in; the waiting itself is an adapter's.

mod host;
mod remembered;
mod settings;

pub use host::{HostPace, HostSignal, Readiness};
pub use remembered::Hold;
pub use settings::PaceSettings;
