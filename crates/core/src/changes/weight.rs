//! How much a change matters, from 0 to 1,000: what people read first. [`ChangeWeights`] says how many points each part gives.

use crate::model::aspect::Aspect;
use crate::model::edit::Edit;
use crate::model::kind::{Kind, Tier, WordCount};
use crate::model::region::Region;
use crate::model::verdict::Verdict;

/// The largest weight.
pub const MAX_WEIGHT: u32 = 1_000;

/// How many points each part of a change gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangeWeights {
    /// A change of the content itself.
    pub content: f64,
    /// The share of the words that went or came, on a scale of logarithms: at most so much, where all of them did.
    pub size: f64,
    /// A title or heading.
    pub title: f64,
    /// Numbers, money or dates in a line of content.
    pub figures: f64,
    /// What robots are asked, the canonical address.
    pub robots: f64,
    /// A page at the root; a page below it the less, the more links lead there.
    pub near_root: f64,
    /// A page that seldom changes.
    pub calm: f64,
    /// A page that is new.
    pub new: f64,
    /// A page that is gone.
    pub gone: f64,
    /// A page that moved.
    pub moved: f64,
    /// The length of a page that is new, gone or moved: at most so much.
    pub length: f64,
    /// How much words count that stand in links, from 0 to 1.
    pub links: f64,
    /// How much words count beside the content, and links and images in it, from 0 to 1.
    pub aside: f64,
    /// How much words, links and images count in menus, headers and footers, from 0 to 1.
    pub frame: f64,
}

impl Default for ChangeWeights {
    fn default() -> Self {
        Self {
            content: 150.0,
            size: 400.0,
            title: 120.0,
            figures: 100.0,
            robots: 100.0,
            near_root: 40.0,
            calm: 40.0,
            new: 250.0,
            gone: 300.0,
            moved: 200.0,
            length: 250.0,
            links: 0.7,
            aside: 0.4,
            frame: 0.2,
        }
    }
}

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
pub fn of_edits<'e>(
    weights: &ChangeWeights,
    edits: impl IntoIterator<Item = &'e Edit>,
    tier: Tier,
    facts: PageFacts,
) -> u32 {
    let mut points = 0.0;
    let (mut title, mut figures, mut robots) = (false, false, false);
    for edit in edits {
        let share = f64::from(edit.words().max(1)) / f64::from(facts.words.max(20));
        points += share * region_factor(weights, edit);
        title |= edit.traits.kinds.contains(Kind::Title) || edit.traits.is_heading;
        figures |= edit.traits.has_figures && edit.place_tier() == Tier::Content;
        robots |= edit.traits.kinds.contains(Kind::Robots) || edit.traits.kinds.contains(Kind::Canonical);
    }
    let size = weights.size * logarithmic(points.min(1.0));
    let near = weights.near_root / f64::from(facts.depth.saturating_add(1));
    let bonus = |is: bool, points: f64| if is { points } else { 0.0 };
    let total = match tier {
        Tier::Content => {
            weights.content
                + size
                + bonus(title, weights.title)
                + bonus(figures, weights.figures)
                + bonus(robots, weights.robots)
                + bonus(facts.is_calm, weights.calm)
                + near
        }
        Tier::Around => size / 2.0 + bonus(robots, weights.robots) + near / 4.0,
        Tier::Noise => size / 20.0,
    };
    rounded(total)
}

/// Returns how much it matters that a page is new, gone or moved; 0 for every other verdict.
pub fn of_page(weights: &ChangeWeights, verdict: Verdict, words: WordCount, depth: u32) -> u32 {
    let base = match verdict {
        Verdict::New => weights.new,
        Verdict::Gone => weights.gone,
        Verdict::Moved => weights.moved,
        _ => return 0,
    };
    let length = weights.length * (f64::from(words.of) / 3_000.0).min(1.0).sqrt();
    // Where a page stands says more of the page itself than of a change of it.
    rounded(base + length + 1.5 * weights.near_root / f64::from(depth.saturating_add(1)))
}

/// Returns how much a change matters of which nobody can say what it is: another file, or a page whose text is not kept.
pub fn of_unknown(weights: &ChangeWeights, words: WordCount) -> u32 {
    of_page(weights, Verdict::Moved, words, u32::MAX)
}

fn region_factor(weights: &ChangeWeights, edit: &Edit) -> f64 {
    match (edit.aspect, edit.region) {
        (Aspect::Text, Region::Content) if edit.traits.is_links => weights.links,
        (Aspect::Text, Region::Content) => 1.0,
        (_, Region::Content) | (Aspect::Text, Region::Aside) => weights.aside,
        _ => weights.frame,
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
        of_edits(&ChangeWeights::default(), &edits.list, tier, PageFacts { depth, words: 400, is_calm })
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
        let of_page = |verdict, words, depth| of_page(&ChangeWeights::default(), verdict, words, depth);
        let long = of_page(Verdict::Gone, words(900), 1);
        let order = [long, of_page(Verdict::New, words(900), 1), of_page(Verdict::New, words(20), 4), 0];
        assert!(order.is_sorted_by(|more, less| more > less), "{order:?}");
        assert_eq!(of_page(Verdict::Unchanged, words(900), 0), 0);
        assert!(of_page(Verdict::Gone, words(1_000_000), 0) <= MAX_WEIGHT);
    }

    #[test]
    fn every_weight_counts_in_some_change_and_no_change_weighs_more_than_a_thousand() {
        type Set = fn(&mut ChangeWeights, f64);
        let with = |set: Set, value: f64| {
            let mut weights = ChangeWeights::default();
            set(&mut weights, value);
            weights
        };
        let settings: [(&str, Set); 14] = [
            ("content", |weights, value| weights.content = value),
            ("size", |weights, value| weights.size = value),
            ("title", |weights, value| weights.title = value),
            ("figures", |weights, value| weights.figures = value),
            ("robots", |weights, value| weights.robots = value),
            ("near root", |weights, value| weights.near_root = value),
            ("calm", |weights, value| weights.calm = value),
            ("new", |weights, value| weights.new = value),
            ("gone", |weights, value| weights.gone = value),
            ("moved", |weights, value| weights.moved = value),
            ("length", |weights, value| weights.length = value),
            ("links", |weights, value| weights.links = value),
            ("aside", |weights, value| weights.aside = value),
            ("frame", |weights, value| weights.frame = value),
        ];
        let of_all = |weights: &ChangeWeights| {
            let facts = PageFacts { depth: 2, words: 400, is_calm: true };
            let edited = samples().map(|edit| of_edits(weights, [&edit], edit.place_tier(), facts));
            let words = WordCount { changed: 300, of: 300 };
            let pages = [Verdict::New, Verdict::Gone, Verdict::Moved];
            edited.into_iter().chain(pages.map(|page| of_page(weights, page, words, 2))).collect::<Vec<_>>()
        };
        let usual = of_all(&ChangeWeights::default());
        for (name, set) in settings {
            assert_ne!(of_all(&with(set, 0.0)), usual, "{name}");
            let most = of_all(&with(set, 1_000.0)).into_iter().max();
            assert!(most.is_some_and(|most| most <= MAX_WEIGHT), "{name}: {most:?}");
        }
    }

    /// Edits in all places.
    fn samples() -> [Edit; 5] {
        let reading = |text: &str| Reading { text: text.to_owned(), outline: None };
        let edits = edits(&reading("Fee 20"), &reading("Fee 25"), &OwnMarks::default(), Aspects::ALL);
        let edit = edits.list[0].clone();
        let mut titled = edit.clone();
        titled.traits.is_heading = true;
        let mut robots = edit.clone();
        robots.traits.kinds = robots.traits.kinds.with(Kind::Robots);
        let mut linked = edit.clone();
        linked.traits.is_links = true;
        let beside = |region| Edit { region, ..edit.clone() };
        [titled, robots, linked, beside(Region::Aside), beside(Region::Footer)]
    }
}
