//! Figures as people read them.

pub(crate) use recrawl_core::words::{bytes, counted, grouped};

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
        for (seconds, words) in [(59, "59 s"), (3_599, "59 min"), (7_500, "2 h 5 min")] {
            assert_eq!(duration(seconds), words);
        }
    }
}
