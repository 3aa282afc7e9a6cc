//! Why a site could not be read, as the API and pages have it.

use recrawl_core::model::site_state::{Obstacle, SiteState};
use serde::Serialize;
use utoipa::ToSchema;

/// Why a site could not be read, or not all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SiteStateView {
    /// What it is, in one word: `needs-password`, `forbidden`, `login`, `cookie-wall`, `root-missing`, `root-elsewhere`,
    /// `block-page`, `needs-scripts`, `unreachable`, `certificate-changed`, `forbidden-by-robots` or `unreadable`.
    pub word: &'static str,
    /// What happened, without a capital letter and a full stop.
    pub sentence: String,
    /// What to do, in whole sentences.
    pub advice: &'static str,
    /// How many pages could be read all the same.
    pub read: u64,
    /// The mark that people see.
    #[serde(skip)]
    pub mark: &'static str,
    /// What happened, as a line of a list has it.
    #[serde(skip)]
    pub line: String,
    /// Where the site seems to be, where it is elsewhere.
    #[serde(skip)]
    pub elsewhere: Option<String>,
}

impl From<&SiteState> for SiteStateView {
    fn from(state: &SiteState) -> Self {
        Self {
            word: state.word(),
            sentence: state.sentence(),
            advice: state.advice(),
            read: state.read,
            mark: state.mark(),
            line: state.line(),
            elsewhere: match &state.obstacle {
                Obstacle::RootElsewhere { location } => Some(location.clone()),
                _ => None,
            },
        }
    }
}
