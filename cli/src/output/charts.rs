//! Small charts of plain characters.

/// What charts are drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    /// Block characters, in steps of an eighth.
    Blocks,
    /// Letters and signs that every program shows.
    Ascii,
}

/// Eighths of a character, from nothing.
const WIDE: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
const HIGH: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const DENSE: [char; 8] = ['_', '.', ':', '-', '=', '+', '*', '#'];

impl Ink {
    /// Returns blocks for people at terminals that did not ask for plain text, and signs for everybody else.
    pub(crate) fn fitting(asks_for_ascii: bool) -> Self {
        let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if asks_for_ascii || is_plain || !super::is_terminal() { Self::Ascii } else { Self::Blocks }
    }
}

/// Draws a bar for `value` where `most` takes `width` characters; what is not 0 is seen.
pub(crate) fn bar(value: f64, most: f64, width: u16, ink: Ink) -> String {
    let share = if most > 0.0 && value > 0.0 { (value / most).min(1.0) } else { 0.0 };
    let steps = match ink {
        Ink::Blocks => 8,
        Ink::Ascii => 1,
    };
    let least = u32::from(share > 0.0);
    let length = rounded(share * f64::from(width) * f64::from(steps)).max(least);
    let (whole, part) = (length / steps, length % steps);
    let full = match ink {
        Ink::Blocks => WIDE[8],
        Ink::Ascii => '#',
    };
    let mut bar: String = (0..whole).map(|_| full).collect();
    if part > 0 {
        bar.push(WIDE[part as usize]);
    }
    bar
}

/// Draws a value a character, from the lowest at 0 to the highest value.
pub(crate) fn sparkline(values: &[f64], ink: Ink) -> String {
    let most = values.iter().copied().fold(0.0, f64::max);
    let signs = match ink {
        Ink::Blocks => HIGH,
        Ink::Ascii => DENSE,
    };
    let sign = |value: &f64| {
        let share = if most > 0.0 { (value / most).clamp(0.0, 1.0) } else { 0.0 };
        signs[(rounded(share * 7.0) as usize).min(7)]
    };
    values.iter().map(sign).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a length of a few hundred at most"
)]
fn rounded(length: f64) -> u32 {
    length.round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        for (value, most, blocks, ascii) in [
            (0.0, 10.0, "", ""),
            (10.0, 10.0, "████", "####"),
            (5.0, 10.0, "██", "##"),
            (3.0, 10.0, "█▎", "#"),
            (0.01, 10.0, "▏", "#"),
            (20.0, 10.0, "████", "####"),
            (1.0, 0.0, "", ""),
            (f64::NAN, 10.0, "", ""),
        ] {
            assert_eq!(bar(value, most, 4, Ink::Blocks), blocks, "{value} of {most}");
            assert_eq!(bar(value, most, 4, Ink::Ascii), ascii, "{value} of {most}");
        }
    }

    #[test]
    fn a_sparkline_rises_from_nothing_to_the_most() {
        let values = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        assert_eq!(sparkline(&values, Ink::Blocks), "▁▂▃▄▅▆▇█");
        assert_eq!(sparkline(&values, Ink::Ascii), "_.:-=+*#");
        assert_eq!(sparkline(&[0.0, 0.0], Ink::Ascii), "__");
        assert_eq!(sparkline(&[], Ink::Blocks), "");
    }
}
