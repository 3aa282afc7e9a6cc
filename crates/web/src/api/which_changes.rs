//! The parameters of lists of changes, as the document describes them; [`Parameters`](crate::parameters::Parameters) reads them.

use utoipa::IntoParams;

/// Which changes are listed, in which order, and which part of the list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it documents what is read elsewhere")]
pub(super) struct WhichChanges {
    /// Verdicts, with commas between them: new, changed, moved, gone, shared (these five unless given), touched, unchanged,
    /// missing, failed, excluded
    kind: Option<String>,
    /// Up to this tier: 1 the content of pages (unless given), 2 also what stands around it, 3 also noise
    tier: Option<u8>,
    /// Also pages that differ only by shared changes, and folders of new or gone pages opened
    expand: Option<bool>,
    /// Kinds of change, with commas between them: title, headings, text, numbers, dates, links, media, description,
    /// canonical, robots, document
    kinds: Option<String>,
    /// What must have changed: text, links, media or meta
    aspect: Option<String>,
    /// A regular expression for what came or went
    r#match: Option<String>,
    /// A regular expression for what came
    #[param(rename = "match-added")]
    match_added: Option<String>,
    /// A regular expression for what went
    #[param(rename = "match-removed")]
    match_removed: Option<String>,
    /// A regular expression for neither what came nor what went
    #[param(rename = "exclude-match")]
    exclude_match: Option<String>,
    /// How much it must matter, from 1 to 1,000
    #[param(rename = "min-weight")]
    min_weight: Option<u32>,
    /// Only what nobody has seen
    unseen: Option<bool>,
    /// Only what somebody starred
    starred: Option<bool>,
    /// `weight` (unless given), `size`, `path` or `time`
    sort: Option<String>,
    /// What the path must begin with
    path: Option<String>,
    /// The section of the site; `-` for the pages at its top
    section: Option<String>,
    /// Text that address or title must contain
    q: Option<String>,
    /// Where to go on: `next` of the answer before
    cursor: Option<String>,
    /// At most so many, up to 500; 100 unless given
    limit: Option<usize>,
}
