//! What a visit of a watched image comes to. An image is a part of the pages that show it: that one came or went is their
//! change, and only what stands at the same address can be news of its own.

use crate::model::aspect::{Aspect, Aspects};
use crate::model::verdict::Verdict;

/// What is said of an image that was not asked for before.
pub const FIRST_SEEN: &str = "an image that a page shows, asked for the first time";

/// Returns the verdict of a visit of an image, and what differs, given that of a page, of what one wants compared.
pub fn image_verdict(verdict: Verdict, compare: Aspects) -> (Verdict, Aspects) {
    match verdict {
        Verdict::Changed if compare.contains(Aspect::Media) => {
            (Verdict::Changed, Aspects::NONE.with(Aspect::Media))
        }
        Verdict::Changed => (Verdict::Touched, Aspects::NONE),
        Verdict::New | Verdict::Moved => (Verdict::Unchanged, Aspects::NONE),
        Verdict::Gone => (Verdict::Missing, Aspects::NONE),
        Verdict::Shared
        | Verdict::Unchanged
        | Verdict::Touched
        | Verdict::Missing
        | Verdict::Failed
        | Verdict::Excluded => (verdict, Aspects::NONE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_another_image_at_the_same_address_is_news() {
        for verdict in Verdict::ALL {
            let (of_image, aspects) = image_verdict(verdict, Aspects::ALL);
            assert_eq!(of_image.change().is_some(), verdict == Verdict::Changed, "{verdict}");
            assert_eq!(aspects.contains(Aspect::Media), verdict == Verdict::Changed, "{verdict}");
        }
        assert_eq!(image_verdict(Verdict::Gone, Aspects::ALL).0, Verdict::Missing, "a broken link");
        assert_eq!(
            image_verdict(Verdict::Changed, Aspects::TEXT).0,
            Verdict::Touched,
            "nobody compares images"
        );
    }
}
