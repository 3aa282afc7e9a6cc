//! Figures as people read them.

pub(crate) use recrawl_core::words::{counted, grouped};

/// Writes a number of bytes in megabytes: `0.1 MB`, `202.3 MB`.
#[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
pub(crate) fn megabytes(count: u64) -> String {
    format!("{:.1} MB", count as f64 / 1_000_000.0)
}

/// Writes a stretch of time: `59 s`, `58 min`, `2 h 5 min`.
pub(crate) fn duration(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{} h {} min", grouped(hours), minutes % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        assert_eq!((megabytes(0).as_str(), megabytes(202_340_000).as_str()), ("0.0 MB", "202.3 MB"));
        for (seconds, words) in [(59, "59 s"), (3_599, "59 min"), (7_500, "2 h 5 min")] {
            assert_eq!(duration(seconds), words);
        }
    }
}
