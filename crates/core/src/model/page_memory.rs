//! What a page's record carries forward to tell noise from news: which lines went and came lately.

use serde::{Deserialize, Serialize};

use crate::model::region::Region;

/// How many versions are remembered.
pub const VERSIONS: usize = 4;

/// In how many crawls shapes are remembered.
pub const CRAWLS: usize = 3;

/// How many shapes of noise are remembered.
pub const MAX_NOISE: usize = 32;

/// How many numbers are remembered in all: with brackets and commas some 2 kB.
pub const MAX_NUMBERS: usize = 240;

/// Lines and shapes that a page's last visits saw go and come, by half their fingerprints: within one page that is
/// enough. Visits with the same bytes, and 304 responses, leave it as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageMemory {
    /// The lines that went and came with each of the last [`VERSIONS`] versions, the newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<LinesOfVersion>,
    /// The shapes of edits with equal shapes, of the last [`CRAWLS`] crawls with other bytes, the newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<Vec<u32>>,
    /// Regions in which all lines that went had come with the visit before: a bit a visit, the newest lowest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lively: Vec<(Region, u8)>,
    /// The shapes of edits that were seen between two answers of the same hour: they are noise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub noise: Vec<u32>,
    /// The page has next to no text without JavaScript.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_scripts: bool,
    /// What is said beside the name of a document, such as "PDF, 12 pages", or why it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
}

/// The lines that went and came with one version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinesOfVersion {
    /// Those that went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub went: Vec<u32>,
    /// Those that came.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub came: Vec<u32>,
}

impl PageMemory {
    /// Tells whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
