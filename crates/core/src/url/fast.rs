//! Short cuts around the URL parser, which took most of the time of reading a page or a list of stored pages.
//!
//! The plain twin of each is [`resolve`](super::resolve) with [`UrlRules`](super::UrlRules), and property tests show that
//! both give the same. The feature `plain` switches all of them off.

mod host;
mod normal;
mod origin;

pub(super) use self::host::parse_host;
pub(super) use self::normal::is_plainly_normal;
pub use self::origin::Origin;

/// Whether short cuts are taken.
const ON: bool = !cfg!(feature = "plain");
