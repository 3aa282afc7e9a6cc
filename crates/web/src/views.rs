//! What is shown, as types that are computed from the ports: by pages, API and feeds alike.

mod beside;
mod changes;
mod comparison;
mod crawl;
mod difference;
mod excerpts;
mod history;
mod recent;
mod report;
mod rules;
mod search;
mod section;
mod side;
mod site;
mod version;

pub use self::beside::{Beside, Surroundings, compare_beside};
pub use self::changes::{ChangeView, ChangesView, ListedSection};
pub(crate) use self::changes::{ChangesFilter, NO_SECTION, PER_PAGE, Slice, changes, described, listing};
pub(crate) use self::comparison::ComparisonOptions;
pub(crate) use self::crawl::crawl;
pub use self::crawl::{Counts, CrawlState, CrawlView};
pub(crate) use self::difference::{Asked, difference};
pub use self::difference::{Compared, DifferenceView, SideView};
pub use self::history::{FailuresView, FrequencyView, HistoryView, VersionRow, VisitRow};
pub(crate) use self::history::{history, visited};
pub(crate) use self::recent::{Reading, Recent};
pub(crate) use self::report::report;
pub use self::report::{
    AGES, BrokenRow, ChainEnd, Figure, Freshness, RedirectRow, Rows, SiteReport, StatusRow,
};
pub use self::rules::RulesEffect;
pub(crate) use self::rules::{candidates, effect};
pub(crate) use self::search::search;
pub use self::search::{ComparedWith, HitView, PieceView, SearchView};
pub(crate) use self::section::section_of;
pub use self::side::Fact;
pub(crate) use self::side::content_of;
pub use self::site::SiteView;
pub(crate) use self::site::{described as described_site, found_site, site, sites};
pub(crate) use self::version::version;
pub use self::version::{Form, VersionView};
