//! How much a change matters, from 0 to 1,000: what people read first.
//!
//! | part | points |
//! |---|---|
//! | a change of the content itself | 150 |
//! | the share of the words that went or came, on a scale of logarithms, by region | up to 400 |
//! | title or heading | 120 |
//! | numbers, money or dates in a line of content | 100 |
//! | what robots are asked, the canonical address | 100 |
//! | a page near the root | up to 40 |
//! | a page that seldom changes | 40 |
//! | a page that is new, gone or moved | 250, 300, 200, and up to 250 by its length |

use crate::model::aspect::Aspect;
use crate::model::edit::Edit;
use crate::model::kind::{Kind, Tier, WordCount};
use crate::model::region::Region;
use crate::model::verdict::Verdict;

/// The largest weight.
pub const MAX_WEIGHT: u32 = 1_000;

/// What is known of a page beside its edits.
#[derive(Debug, Clone, Copy)]
pub struct PageFacts {
    /// Links followed from the root.
    pub depth: u32,
    /// How many words its content has.
    pub words: u32,
    /// It was seen several times and hardly ever changed.
    pub is_calm: bool,
}

/// Returns how much a change by these edits matters.
pub fn of_edits<'e>(edits: impl IntoIterator<Item = &'e Edit>, tier: Tier, facts: PageFacts) -> u32 {
    let mut points = 0.0;
    let (mut title, mut figures, mut robots) = (false, false, false);
    for edit in edits {
        let share = f64::from(edit.words().max(1)) / f64::from(facts.words.max(20));
        points += share * region_factor(edit);
        title |= edit.traits.kinds.contains(Kind::Title) || edit.traits.is_heading;
        figures |= edit.traits.has_figures && edit.place_tier() == Tier::Content;
        robots |= edit.traits.kinds.contains(Kind::Robots) || edit.traits.kinds.contains(Kind::Canonical);
    }
    let size = 400.0 * logarithmic(points.min(1.0));
    let near = 40.0 / f64::from(facts.depth.saturating_add(1));
    let bonus = |is: bool, points: f64| if is { points } else { 0.0 };
    let total = match tier {
        Tier::Content => {
            150.0
                + size
                + bonus(title, 120.0)
                + bonus(figures, 100.0)
                + bonus(robots, 100.0)
                + bonus(facts.is_calm, 40.0)
                + near
        }
        Tier::Around => size / 2.0 + bonus(robots, 100.0) + near / 4.0,
        Tier::Noise => size / 20.0,
    };
    rounded(total)
}

/// Returns how much it matters that a page is new, gone or moved; 0 for every other verdict.
pub fn of_page(verdict: Verdict, words: WordCount, depth: u32) -> u32 {
    let base = match verdict {
        Verdict::New => 250.0,
        Verdict::Gone => 300.0,
        Verdict::Moved => 200.0,
        _ => return 0,
    };
    let length = 250.0 * (f64::from(words.of) / 3_000.0).min(1.0).sqrt();
    rounded(base + length + 60.0 / f64::from(depth.saturating_add(1)))
}

/// Returns how much a change matters of which nobody can say what it is: another file, or a page whose text is not kept.
pub fn of_unknown(words: WordCount) -> u32 {
    of_page(Verdict::Moved, words, u32::MAX)
}

fn region_factor(edit: &Edit) -> f64 {
    match (edit.aspect, edit.region) {
        (Aspect::Text, Region::Content) if edit.traits.is_links => 0.7,
        (Aspect::Text, Region::Content) => 1.0,
        (_, Region::Content) | (Aspect::Text, Region::Aside) => 0.4,
        _ => 0.2,
    }
}

/// Spreads a share from 0 to 1 so that small ones can be told apart.
fn logarithmic(share: f64) -> f64 {
    (1.0 + 200.0 * share).ln() / 201_f64.ln()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a sum of a few hundred points")]
fn rounded(points: f64) -> u32 {
    (points.round() as u32).min(MAX_WEIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::edits::{OwnMarks, edits};
    use crate::model::aspect::Aspects;
    use crate::model::content::Reading;

    fn weight(before: &str, after: &str, tier: Tier, depth: u32, is_calm: bool) -> u32 {
        let reading = |text: &str| Reading { text: text.to_owned(), outline: None };
        let edits = edits(&reading(before), &reading(after), &OwnMarks::default(), Aspects::ALL);
        of_edits(&edits.list, tier, PageFacts { depth, words: 400, is_calm })
    }

    #[test]
    fn what_people_read_first_weighs_most() {
        let rewritten =
            weight(&"old words here ".repeat(20), &"something else now ".repeat(20), Tier::Content, 3, false);
        let price = weight("Consultants 95,000", "Consultants 195,000", Tier::Content, 3, false);
        let word = weight("The hall is open", "The hall is shut", Tier::Content, 3, false);
        let promotion = weight("", &"A long promotion of something ".repeat(5), Tier::Around, 3, false);
        let noise = weight("", &"A long promotion of something ".repeat(5), Tier::Noise, 3, false);
        let order = [rewritten, price, word, promotion, noise];
        assert!(order.is_sorted_by(|more, less| more > less), "{order:?}");
        assert!(
            weight("a b", "a c", Tier::Content, 0, false) > weight("a b", "a c", Tier::Content, 5, false)
        );
        assert!(weight("a b", "a c", Tier::Content, 5, true) > weight("a b", "a c", Tier::Content, 5, false));
    }

    #[test]
    fn pages_that_come_and_go_weigh_by_their_length_and_depth() {
        let words = |of| WordCount { changed: of, of };
        let long = of_page(Verdict::Gone, words(900), 1);
        let order = [long, of_page(Verdict::New, words(900), 1), of_page(Verdict::New, words(20), 4), 0];
        assert!(order.is_sorted_by(|more, less| more > less), "{order:?}");
        assert_eq!(of_page(Verdict::Unchanged, words(900), 0), 0);
        assert!(of_page(Verdict::Gone, words(1_000_000), 0) <= MAX_WEIGHT);
    }
}
