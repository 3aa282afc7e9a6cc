//! What the service of a deployment says of itself.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What the service of a deployment says of itself with each tick, so that somebody elsewhere can tell whether it works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceReport {
    /// When it handled the tick, by its own clock.
    pub at: Timestamp,
    /// When its process began.
    pub started_at: Timestamp,
    /// The version of the program.
    pub version: String,
    /// The revision of Cloud Run that it is; `None` elsewhere.
    pub revision: Option<String>,
    /// Under which name it asks for pages.
    pub user_agent: String,
    /// How long it lets pass between two captures, in milliseconds; `None` where nothing is archived.
    pub between_captures_ms: Option<u64>,
    /// What it logged last with severity ERROR, in this process or one before.
    pub last_error: Option<LoggedError>,
}

/// Something that was logged with severity ERROR.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedError {
    /// When.
    pub at: Timestamp,
    /// What, cut to a line.
    pub what: String,
}
