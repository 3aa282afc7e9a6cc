//! Dates as HTTP writes them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

const FORM: &str = "%a, %d %b %Y %H:%M:%S GMT";

/// Writes a time, cut to whole seconds.
pub(super) fn write(time: Timestamp) -> String {
    time.strftime(FORM).to_string()
}

/// Reads a time; none if it is written in another way.
pub(super) fn read(text: &str) -> Option<Timestamp> {
    let time = DateTime::strptime(FORM, text).ok()?;
    TimeZone::UTC.to_timestamp(time).ok()
}
