//! Bodies of which only the beginning was received: what can be said of them, and compared.

use super::{CrawlStep, StepError};
use recrawl_core::model::content::{Content, Extracted};
use recrawl_core::model::ids::SemanticHash;
use recrawl_core::model::record::ContentRef;
use recrawl_core::ports::Response;
use recrawl_core::words::grouped;

/// What a page said before, as the rules in force read it.
#[derive(Debug)]
pub(super) struct Before {
    pub(super) reference: ContentRef,
    /// Its text, where that is at hand.
    pub(super) text: Option<String>,
}

impl CrawlStep {
    /// Tells whether two contents, of which at least one breaks off, say the same as far as both go.
    ///
    /// Where both break off, the new one takes over the meaning of the old: that the limit fell a few lines earlier
    /// or later is no other version of the page.
    pub(super) async fn is_same_so_far(
        &self,
        before: &Before,
        content: &mut Content,
    ) -> Result<bool, StepError> {
        let Before { reference, text } = before;
        let was_beginning = reference.rules.is_of_beginning();
        let is_beginning = content.extracted.rules.is_of_beginning();
        if !was_beginning && !is_beginning || reference.semantic == content.extracted.semantic {
            return Ok(false);
        }
        let stored = match text {
            Some(text) => Some(text.clone()),
            None => self.ports.store.text(&self.site.id, &reference.semantic).await?,
        };
        let Some(said) = stored else { return Ok(false) };
        let says = &content.extracted.text;
        let is_same = match (was_beginning, is_beginning) {
            (true, true) => begins_with(says, &said) || begins_with(&said, says),
            (true, false) => begins_with(says, &said),
            (false, true) => begins_with(&said, says),
            (false, false) => false,
        };
        if is_same && was_beginning && is_beginning {
            content.extracted.semantic = reference.semantic;
            content.extracted.text = said;
        }
        Ok(is_same)
    }
}

/// Returns what is to be said of a visit, where only the beginning of the body was received.
pub(super) fn remark(response: &Response, bytes: u64) -> Option<String> {
    let remark = || format!("truncated: only the first {} bytes were compared", grouped(bytes));
    response.truncated.then(remark)
}

/// Makes what was read out of the beginning of a body independent of where exactly it breaks off.
///
/// The last line may be half a line, and which links and images came before the limit says nothing of the page. What
/// is not HTML stays what it is: its bytes.
pub(super) fn of_beginning(extracted: Extracted) -> Extracted {
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
