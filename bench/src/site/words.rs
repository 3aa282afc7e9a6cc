//! Deterministic prose: a small random generator and a vocabulary to draw from.

const VOCABULARY_SIZE: usize = 4_000;
const ONSETS: [&str; 20] =
    ["b", "br", "c", "d", "f", "g", "gr", "h", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "tr", "v", "w"];
const VOWELS: [&str; 8] = ["a", "e", "i", "o", "u", "ea", "ou", "io"];
const CODAS: [&str; 8] = ["", "", "", "n", "r", "s", "l", "ng"];

/// A `SplitMix64` generator: the same seed gives the same sequence everywhere.
pub(crate) struct Random(u64);

impl Random {
    /// Starts the sequence of `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `limit`, which must not be zero.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).expect("usize is at most 64 bits wide");
        usize::try_from(self.next() % limit).expect("a remainder is below its usize limit")
    }
}

/// A few thousand made-up words, the first ones drawn most often.
pub(crate) struct Vocabulary(Vec<String>);

impl Vocabulary {
    /// Builds the vocabulary, which is always the same.
    pub(crate) fn new() -> Self {
        let mut random = Random::new(20_250_101);
        let word = |_| {
            (0..=random.below(4)).fold(String::new(), |word, _| {
                word + ONSETS[random.below(ONSETS.len())]
                    + VOWELS[random.below(VOWELS.len())]
                    + CODAS[random.below(CODAS.len())]
            })
        };
        Self((0..VOCABULARY_SIZE).map(word).collect())
    }

    /// Appends `count` words parted by blanks.
    pub(crate) fn push_words(&self, text: &mut String, random: &mut Random, count: usize) {
        for position in 0..count {
            if position > 0 {
                text.push(' ');
            }
            // The least of three draws favours early words, as common words dominate real prose.
            let rank = (0..3).map(|_| random.below(self.0.len())).min();
            text.push_str(&self.0[rank.unwrap_or_default()]);
        }
    }

    /// Appends a sentence of 8 to 20 words, with a full stop and a blank behind it.
    pub(crate) fn push_sentence(&self, text: &mut String, random: &mut Random) {
        let start = text.len();
        let count = 8 + random.below(13);
        self.push_words(text, random, count);
        if let Some(first) = text.get_mut(start..=start) {
            first.make_ascii_uppercase();
        }
        text.push_str(". ");
    }
}
