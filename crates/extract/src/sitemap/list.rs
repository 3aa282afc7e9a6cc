//! Plain lists: an address a line.

use super::EntryKind;
use super::collector::{Collector, Fields};

/// Reads one absolute address from each line; relative ones are prose more often than addresses.
pub(super) fn read(text: &str, collector: &mut Collector) {
    let mut has_prose = false;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let is_absolute = ["http://", "https://"]
            .iter()
            .any(|scheme| line.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
        if !is_absolute {
            has_prose = true;
            continue;
        }
        let fields = Fields { loc: Some(line.to_owned()), ..Fields::default() };
        if !collector.add(EntryKind::Page, &fields) {
            break;
        }
    }
    if has_prose {
        collector.warn("is a plain list with lines that are not http or https addresses");
    }
}
