//! What a noise rule can know: words and a pattern of text, names of elements and attributes, servers.

/// One kind of noise, known in one or several ways. Where nothing else is said, a star at an end stands for anything.
pub(crate) struct Rule {
    /// The name by which settings switch the rule.
    pub(crate) name: &'static str,
    /// What the rule removes, with examples, in Markdown.
    pub(crate) description: &'static str,
    /// Which text is noise, each kind in a way of its own.
    pub(crate) text: &'static [TextRule],
    /// Ids and words of classes by which an element is noise with all that is in it, separated by white space. Whole
    /// words count, never parts.
    pub(crate) elements: &'static str,
    /// Attributes by which an element is noise with all that is in it.
    pub(crate) element_marks: &'static [&'static str],
    /// Attributes that are noise where a user has attributes count as text.
    pub(crate) attributes: &'static [&'static str],
    /// Servers to which links and images are noise, unless they are the page's own.
    pub(crate) servers: &'static [&'static str],
    /// Recognises further addresses that are noise, by host, path and query.
    pub(crate) is_noise: fn(host: &str, path: &str, query: Option<&str>) -> bool,
    /// Recognises further addresses that are noise if an image is loaded from them, and a link to a page otherwise.
    pub(crate) is_noisy_media: fn(host: &str, path: &str, query: Option<&str>) -> bool,
    /// What changes by itself in addresses.
    pub(crate) address: Option<AddressRule>,
}

impl Rule {
    /// A rule that knows nothing: what a rule does not need stays as it is here.
    pub(crate) const NOTHING: Self = Self {
        name: "",
        description: "",
        text: &[],
        elements: "",
        element_marks: &[],
        attributes: &[],
        servers: &[],
        is_noise: |_, _, _| false,
        is_noisy_media: |_, _, _| false,
        address: None,
    };
}

/// A rule about lines of canonical text, in which white space is a single space.
///
/// Plain words are found an order of magnitude faster than patterns are matched, so a line is examined only if it has one
/// of the words. The fewer they are, and the more letters the shortest has, the faster they are sought.
pub(crate) struct TextRule {
    /// Whatever the pattern matches holds one of these, in upper or lower case, or is found by `words_beside_digits`, or
    /// by `lone_words`. Written in lower case.
    pub(crate) words: &'static [&'static str],
    /// Words of matches that hold a digit, too. Most lines of prose have none.
    pub(crate) words_beside_digits: &'static [&'static str],
    /// Whether the pattern can match a single word with a digit that has none of the words.
    pub(crate) lone_words: bool,
    /// What is removed where the pattern matches.
    pub(crate) removes: Removes,
    /// What noise looks like, as a regular expression. Only ASCII letters have two cases (`(?i-u)`), because words are
    /// sought so, too.
    pub(crate) pattern: fn() -> String,
    /// A match that holds one of these, in upper or lower case, is no noise after all. Written in lower case.
    pub(crate) unless: &'static [&'static str],
}

impl TextRule {
    /// A rule without words: what a rule does not need stays as it is here.
    pub(crate) const NOTHING: Self = Self {
        words: &[],
        words_beside_digits: &[],
        lone_words: false,
        removes: Removes::Match,
        pattern: String::new,
        unless: &[],
    };

    /// Tells whether a match is no noise because of what else it says.
    pub(crate) fn spares(&self, matched: &str) -> bool {
        !self.unless.is_empty() && {
            let matched = matched.to_ascii_lowercase();
            self.unless.iter().any(|word| matched.contains(word))
        }
    }
}

/// Ids and versions have no words to seek: a word with a digit that is a whole line, or a part of it between bars, is
/// examined if it is so long. Years, prices and numbers of pages are shorter.
pub(crate) const LONE_WORD: usize = 7;

/// What divides a line into parts that stand for themselves.
pub(crate) const BARS: [char; 3] = ['|', '\u{b7}', '\u{2022}'];

/// What is removed where a pattern matches.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Removes {
    /// Every match, but for what the groups `keep` and `rest` match.
    Match,
    /// The line, or a part of it between bars, if it matches as a whole.
    Part,
}

/// A rule about what changes by itself in addresses. Those about every address are applied before those about media.
pub(crate) struct AddressRule {
    /// Whether only images, sounds and films are meant, and no links.
    pub(crate) only_media: bool,
    /// Returns a host without what changes; `None` if there is nothing of it.
    pub(crate) host: fn(host: &str) -> Option<String>,
    /// Returns a path without what changes; `None` if there is nothing of it.
    pub(crate) path: fn(path: &str) -> Option<String>,
    /// Tells what becomes of a parameter `name=value`.
    pub(crate) parameter: fn(parameter: &str) -> Parameter,
}

/// What becomes of a parameter of an address.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    /// It stays as it is.
    Kept,
    /// It does not count.
    Removed,
    /// It was drawn and does not count. Who draws values often writes parameters in the order of a hash table, so that their
    /// order does not count, either.
    Drawn,
    /// This counts in its place.
    Replaced(String),
}

/// Tells whether one of the names, of which some end in a star, means `text`; upper and lower case are one.
pub(super) fn is_among(names: &[&str], text: &str) -> bool {
    names.iter().any(|known| match known.strip_suffix('*') {
        Some(start) => text.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start)),
        None => text.eq_ignore_ascii_case(known),
    })
}

/// Tells whether a text consists of hexadecimal digits as machines write them.
pub(super) fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
