//! Words by which sites name the parts of their frame, in the classes and ids of elements.

use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

use recrawl_core::model::region::Region;

use crate::html::text::TextRulesError;

/// The words that are known, by the region that they name. The names of loud places end in an exclamation mark: not even
/// a long sentence is content there, because promotions are sentences, too.
const KNOWN: [(Region, &str); 5] = [
    (
        Region::Nav,
        "nav! navbar! navigation! menu! menus! submenu! megamenu! breadcrumb breadcrumbs toolbar pagination pager",
    ),
    (Region::Header, "masthead topbar"),
    (Region::Footer, "footer foot copyright"),
    (Region::Aside, "sidebar related recommended recommendations trending"),
    (
        Region::Other,
        "consent onetrust didomi popup! popin! newsletter! subscribe social share sharing carousel! slider! swiper! \
         search ads advert advertisement login signin cart basket language languages locale ticker banner! banners! \
         promo! promos! promotion! announcement! announcements!",
    ),
];

/// A user may add so many: each word has a bit.
const MAX_ADDED: usize = 64;

/// Longer words are names of something else.
const MAX_LENGTH: usize = 31;

/// A set of frame words, by their places in the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct WordSet(u128);

impl WordSet {
    /// Tells whether no word is in it.
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the places of the words.
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let place = rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
            (place < u128::BITS).then_some(place as usize)
        })
    }

    /// Returns the set of one word.
    pub(crate) const fn of(place: usize) -> Self {
        Self(1 << place)
    }
}

impl BitOr for WordSet {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for WordSet {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAnd for WordSet {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Not for WordSet {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// The frame words in force.
#[derive(Debug, Clone)]
pub(crate) struct FrameWords {
    /// Sorted, so that those with one first letter stand together.
    words: Vec<Word>,
    /// By first letter: where its words begin.
    starts: [u8; 27],
    /// By first letter: bit n says that a word of n letters starts with it. Most names are refused by this alone.
    lengths: [u32; 26],
    loud: WordSet,
}

#[derive(Debug, Clone)]
struct Word {
    text: String,
    region: Region,
    is_loud: bool,
}

impl FrameWords {
    /// Returns the known words as a user changed them: `+sponsor` adds one, `-search` drops one.
    pub(crate) fn new(changes: &[String]) -> Result<Self, TextRulesError> {
        let mut words: Vec<Word> = KNOWN.iter().flat_map(|(region, words)| known(*region, words)).collect();
        let count = words.len();
        for change in changes {
            let error = |reason| TextRulesError::FrameWord { entry: change.clone(), reason };
            let (is_added, text) = match (change.strip_prefix('+'), change.strip_prefix('-')) {
                (Some(text), _) => (true, text),
                (None, Some(text)) => (false, text),
                (None, None) => return Err(error("it begins with neither + nor -")),
            };
            if !(2..=MAX_LENGTH).contains(&text.len()) || !text.bytes().all(|byte| byte.is_ascii_lowercase())
            {
                return Err(error("a frame word has 2 to 31 letters, all from a to z"));
            }
            let is_this = |word: &Word| word.text == text;
            match (is_added, words.iter().position(is_this)) {
                (true, None) => {
                    words.push(Word { text: text.to_owned(), region: Region::Other, is_loud: false });
                }
                (false, Some(place)) => {
                    words.remove(place);
                }
                (true, Some(_)) => {}
                (false, None) => return Err(error("this is no frame word, so it cannot be dropped")),
            }
            if words.len() > count + MAX_ADDED {
                return Err(error("there are too many frame words"));
            }
        }
        Ok(Self::of(words))
    }

    fn of(mut words: Vec<Word>) -> Self {
        words.sort_unstable_by(|one, other| one.text.cmp(&other.text));
        let mut lengths = [0; 26];
        let mut counts = [0_u8; 27];
        let mut loud = WordSet::default();
        for (place, word) in words.iter().enumerate() {
            let letter = letter_of(word.text.as_bytes());
            lengths[letter] |= 1 << word.text.len();
            counts[letter + 1] += 1;
            if word.is_loud {
                loud |= WordSet::of(place);
            }
        }
        let mut starts = counts;
        for letter in 1..starts.len() {
            starts[letter] += starts[letter - 1];
        }
        Self { words, starts, lengths, loud }
    }

    /// Returns the words that are whole tokens of a class or id: these are divided at everything that is no letter, and
    /// before capitals.
    pub(crate) fn of_names(&self, bytes: &[u8]) -> WordSet {
        let end_of = |from: usize, kind: Kind| {
            let rest = &bytes[from..];
            from + rest.iter().position(|byte| KINDS[usize::from(*byte)] != kind).unwrap_or(rest.len())
        };
        let mut found = WordSet::default();
        let mut at = 0;
        while at < bytes.len() {
            let mut start = end_of(at, Kind::Divider);
            let capitals_end = end_of(start, Kind::Capital);
            at = end_of(capitals_end, Kind::Small);
            // The last capital before small letters begins a word: `HTMLMenu`.
            if capitals_end > start + 1 && at > capitals_end {
                found |= self.of_token(&bytes[start..capitals_end - 1]);
                start = capitals_end - 1;
            }
            found |= self.of_token(&bytes[start..at]);
        }
        found
    }

    fn of_token(&self, token: &[u8]) -> WordSet {
        let none = WordSet::default();
        if !(2..=MAX_LENGTH).contains(&token.len()) || !token[0].is_ascii_alphabetic() {
            return none;
        }
        let letter = letter_of(token);
        if self.lengths[letter] & (1 << token.len()) == 0 {
            return none;
        }
        let (start, end) = (usize::from(self.starts[letter]), usize::from(self.starts[letter + 1]));
        let is_this = |word: &Word| word.text.as_bytes().eq_ignore_ascii_case(token);
        self.words[start..end].iter().position(is_this).map_or(none, |place| WordSet::of(start + place))
    }

    /// Returns the words of places where not even a long sentence is content.
    pub(crate) fn loud(&self) -> WordSet {
        self.loud
    }

    /// Returns the number of words.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns the region that these words name. A menu in a footer is a menu.
    pub(crate) fn region_of(&self, words: WordSet) -> Option<Region> {
        words.iter().filter_map(|place| self.words.get(place)).map(|word| word.region).min()
    }

    /// Returns the words, sorted.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| word.text.as_str())
    }
}

fn known(region: Region, words: &'static str) -> impl Iterator<Item = Word> {
    words.split_ascii_whitespace().map(move |word| {
        let text = word.trim_end_matches('!');
        Word { text: text.to_owned(), region, is_loud: text.len() < word.len() }
    })
}

/// Returns the place of the first letter in the alphabet.
fn letter_of(word: &[u8]) -> usize {
    usize::from((word[0] | 0x20) - b'a')
}

/// What a byte is in a class or an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Divider,
    Small,
    Capital,
}

/// The kinds of all bytes. A table, because every class of a page is looked through.
const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Divider; 256];
    let mut byte = 0_u8;
    loop {
        kinds[byte as usize] = match byte {
            b'A'..=b'Z' => Kind::Capital,
            // Letters beyond ASCII are in no word, but divide none either.
            b'a'..=b'z' | 0x80..=0xFF => Kind::Small,
            _ => Kind::Divider,
        };
        if byte == u8::MAX {
            break kinds;
        }
        byte += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(changes: &[&str]) -> Result<FrameWords, TextRulesError> {
        FrameWords::new(&changes.iter().map(|&change| change.to_owned()).collect::<Vec<_>>())
    }

    fn found(words: &FrameWords, names: &str) -> Vec<String> {
        words.of_names(names.as_bytes()).iter().map(|place| words.words[place].text.clone()).collect()
    }

    #[test]
    fn words_are_whole_tokens_of_names() {
        let words = changed(&[]).unwrap();
        for (names, expected) in [
            ("nav", &["nav"] as &[&str]),
            ("main-nav item", &["nav"]),
            ("nav_main2", &["nav"]),
            ("mainNav", &["nav"]),
            ("NAV", &["nav"]),
            ("HTMLMenu", &["menu"]),
            ("Menu", &["menu"]),
            ("site-footer menu__item--share", &["footer", "menu", "share"]),
            ("navy canvas unavailable shared bannered", &[]),
            ("col3search4", &["search"]),
            ("men\u{fc} \u{fc}menu", &[]),
            ("header content article", &[]),
            ("", &[]),
            ("- _ 1", &[]),
        ] {
            assert_eq!(found(&words, names), expected, "{names}");
        }
    }

    #[test]
    fn every_known_word_is_found_and_names_its_region() {
        let words = changed(&[]).unwrap();
        for (region, texts) in KNOWN {
            for text in texts.split_ascii_whitespace() {
                let set = words.of_names(text.trim_end_matches('!').as_bytes());
                assert_eq!(words.region_of(set), Some(region), "{text}");
                assert_eq!(set & words.loud() == set, text.ends_with('!'), "{text}");
            }
        }
        assert_eq!(words.region_of(words.of_names(b"footer-menu")), Some(Region::Nav));
        assert_eq!(words.region_of(WordSet::default()), None);
    }

    #[test]
    fn users_add_and_drop_words() {
        let words = changed(&["+sponsor", "-search", "+nav"]).unwrap();
        assert_eq!(found(&words, "sponsor search nav"), ["nav", "sponsor"]);
        assert_eq!(words.region_of(words.of_names(b"sponsor")), Some(Region::Other));
        for bad in ["sponsor", "+", "-", "+a", "+two words", "+Sponsor", "+ad1", "-sponsor", ""] {
            let error = changed(&[bad]).unwrap_err().to_string();
            assert!(error.contains(&format!("`{bad}`")), "{error}");
        }
        let many: Vec<String> = (0..65)
            .map(|number: u8| {
                format!(
                    "+x{}",
                    char::from(b'a' + number % 26).to_string().repeat(1 + usize::from(number / 26))
                )
            })
            .collect();
        assert!(FrameWords::new(&many[..64]).is_ok());
        assert!(FrameWords::new(&many).is_err());
    }
}
