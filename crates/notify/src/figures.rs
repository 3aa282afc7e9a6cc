//! Figures as people read them.

/// Writes how many there are of something: `1 page`, `3,500 pages`.
pub(crate) fn counted(count: u64, word: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {word}{ending}", grouped(count))
}

/// Writes a number with its thousands apart: `3,500`.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

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
        assert_eq!(
            (counted(1, "page").as_str(), counted(1_234_567, "page").as_str()),
            ("1 page", "1,234,567 pages")
        );
        assert_eq!((megabytes(0).as_str(), megabytes(202_340_000).as_str()), ("0.0 MB", "202.3 MB"));
        for (seconds, words) in [(59, "59 s"), (3_599, "59 min"), (7_500, "2 h 5 min")] {
            assert_eq!(duration(seconds), words);
        }
    }
}
