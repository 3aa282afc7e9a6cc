//! What differs between two texts, in brief.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

/// The most that is said of a difference, in bytes.
const LONGEST: usize = 4_000;

/// How long the smallest difference is sought; what is found until then is not the smallest, and true all the same.
const PATIENCE: Duration = Duration::from_millis(200);

/// Returns the lines that went and came, each after `-` or `+`, shortened to a few thousand bytes.
pub fn in_brief(before: &str, after: &str) -> String {
    let mut brief = String::new();
    // Without their ends: the last line has none, and is the same line when another follows it.
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let difference = TextDiff::configure().timeout(PATIENCE).diff_slices(&before, &after);
    for change in difference.iter_all_changes() {
        let sign = match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        let line = change.value().trim_end();
        let room = LONGEST.saturating_sub(brief.len() + 2);
        if line.len() > room {
            brief.push(sign);
            brief.push_str(&line[..line.floor_char_boundary(room)]);
            brief.push('…');
            break;
        }
        brief.push(sign);
        brief.push_str(line);
        brief.push('\n');
    }
    brief.truncate(brief.trim_end().len());
    brief
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_went_or_came_are_told() {
        assert_eq!(in_brief("a\nb\nc\n", "a\nB\nc\nd"), "-b\n+B\n+d");
        assert_eq!(in_brief("same", "same"), "");
    }

    #[test]
    fn a_line_added_at_the_end_removes_none() {
        assert_eq!(in_brief("a\nb", "a\nb\nc"), "+c");
        assert_eq!(in_brief("a\nb\nc", "a\nb"), "-c");
        assert_eq!(in_brief("a\nb", "a\nb\n"), "");
        assert_eq!(in_brief("", "a"), "+a");
    }

    #[test]
    fn texts_that_have_little_in_common_take_no_longer_than_others() {
        let text = |step: usize| -> String {
            let line = |number: usize| format!("line {}\n", number * step % 99_991);
            (0..300_000).map(line).collect::<Vec<_>>().concat()
        };
        // Without a limit this takes hours.
        let brief = in_brief(&text(3), &text(7));
        assert!(brief.starts_with("-line") || brief.starts_with("+line"), "{}", &brief[..20]);
    }

    #[test]
    fn a_long_difference_is_cut_between_characters() {
        let brief = in_brief("", &"é".repeat(10_000));
        assert!(brief.len() <= LONGEST + '…'.len_utf8(), "{}", brief.len());
        assert!(brief.starts_with("+é") && brief.ends_with('…'));
    }
}
