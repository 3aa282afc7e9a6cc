//! Sentences of a page's own: the same for the same page, and for no other.

const WHO: [&str; 16] = [
    "the planning office",
    "the council",
    "a working group",
    "the harbour master",
    "every resident",
    "the school board",
    "the fire brigade",
    "a neighbour",
    "the library",
    "the treasurer",
    "the market hall",
    "the parish",
    "the water board",
    "the mayor",
    "a surveyor",
    "the archive",
];
const DOES: [&str; 16] = [
    "looks after",
    "reports on",
    "has rebuilt",
    "watches over",
    "asks about",
    "keeps",
    "repairs",
    "describes",
    "collects",
    "measures",
    "welcomes",
    "opens",
    "protects",
    "plans",
    "remembers",
    "paints",
];
const WHAT: [&str; 16] = [
    "the old bridge",
    "the tram sheds",
    "the lower meadow",
    "the stone pier",
    "the town wall",
    "the fountain",
    "the rose garden",
    "the post road",
    "the mill pond",
    "the clock tower",
    "the customs house",
    "the orchard",
    "the ferry landing",
    "the north gate",
    "the bathing place",
    "the covered stairs",
];
const HOW: [&str; 16] = [
    "with great care",
    "for the coming winter",
    "together with the guilds",
    "as the charter asks",
    "after a long debate",
    "whenever the river rises",
    "without any haste",
    "on behalf of the town",
    "in spite of the weather",
    "for everyone who walks there",
    "with the help of volunteers",
    "as it has always been done",
    "at the edge of the forest",
    "before the summer fair",
    "beside the railway",
    "under the eyes of the public",
];

/// Returns a word that only this number has.
pub(super) fn name(number: usize) -> String {
    const SYLLABLES: [&str; 10] = ["ba", "do", "fe", "gi", "ku", "la", "mo", "ne", "ri", "su"];
    format!("{number:04}").bytes().map(|digit| SYLLABLES[usize::from(digit - b'0')]).collect()
}

/// Returns a sentence about a page: number and place in the page decide it.
pub(super) fn sentence(number: usize, place: usize) -> String {
    let mut state = (number * 7_919 + place * 104_729 + 1) as u64;
    let mut draw = |words: &[&'static str; 16]| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        words[usize::try_from(state >> 60).unwrap_or_default()]
    };
    let (who, does, what, how) = (draw(&WHO), draw(&DOES), draw(&WHAT), draw(&HOW));
    format!("In {} {who} {does} {what} {how}.", capitalised(&name(number)))
}

/// Returns a paragraph of three sentences.
pub(super) fn paragraph(number: usize, place: usize) -> String {
    [0, 1, 2].map(|more| sentence(number, place * 3 + more)).join(" ")
}

pub(super) fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
