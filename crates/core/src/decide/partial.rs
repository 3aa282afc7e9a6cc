//! Bodies of which only the beginning was received (truncation): what can be said of them, and compared.

use crate::model::content::Extracted;
use crate::model::ids::SemanticHash;
use crate::words::grouped;

/// Returns what is to be said of a visit, where only the first `bytes` of the body were received.
pub fn remark(truncated: bool, bytes: u64) -> Option<String> {
    truncated.then(|| format!("truncated: only the first {} bytes were compared", grouped(bytes)))
}

/// Makes what was read out of the beginning of a body independent of where exactly it breaks off.
///
/// The last line may be half a line, and which links and images came before the limit says nothing of the page. What
/// is not HTML stays what it is: its bytes.
pub fn of_beginning(extracted: Extracted) -> Extracted {
    if extracted.signatures.is_none() {
        return extracted;
    }
    let mut text = extracted.text;
    let end = text.rfind('\n').or_else(|| text.rfind(' ')).unwrap_or(0);
    text.truncate(end);
    Extracted {
        semantic: SemanticHash::of(text.as_bytes()),
        rules: extracted.rules.of_beginning(),
        signatures: None,
        breaks_off: false,
        text,
        ..extracted
    }
}

/// Tells whether two texts, of which at least one may break off, say the same as far as both go.
pub fn is_same_so_far((said, was_beginning): (&str, bool), (says, is_beginning): (&str, bool)) -> bool {
    match (was_beginning, is_beginning) {
        (true, true) => begins_with(says, said) || begins_with(said, says),
        (true, false) => begins_with(says, said),
        (false, true) => begins_with(said, says),
        (false, false) => false,
    }
}

/// Tells whether a text begins with all the words of another, which must have some.
fn begins_with(text: &str, beginning: &str) -> bool {
    let rest = text.strip_prefix(beginning).filter(|_| !beginning.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['\n', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_begins_with_whole_words_of_another() {
        for (text, beginning, expected) in [
            ("one\ntwo", "one\ntwo", true),
            ("one\ntwo", "one", true),
            ("one two", "one", true),
            ("one\ntwo", "one\ntw", false),
            ("one\ntwo", "", false),
            ("one", "one\ntwo", false),
        ] {
            assert_eq!(begins_with(text, beginning), expected, "{text:?} {beginning:?}");
        }
    }
}
