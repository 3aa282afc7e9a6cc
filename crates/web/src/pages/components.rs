//! What pages are made of: small pieces with one look, wherever they stand.

mod choices;
mod fold;
mod icons;
mod keys;
mod marks;
mod rows;

pub(super) use self::choices::{Choice, chips, segments};
pub(super) use self::fold::{Fold, fold_line};
pub(super) use self::icons::{Icon, icon, sprite};
pub(super) use self::keys::{KeysOf, all_keys, foot_keys};
pub(super) use self::marks::{Pill, bar, kind, pill, tag, verdict_kind, weight};
pub(super) use self::rows::{MARKS_FORM, Rows};
