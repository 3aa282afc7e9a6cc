//! The patterns of noise in text.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::packed::Searcher;
use aho_corasick::{AhoCorasick, Input, MatchKind, Span};
use regex::Regex;

use super::NoiseRule;

/// How a rule is applied to a line of canonical text, in which white space is a single space.
pub(super) enum Way {
    /// Every match is removed but for what the group `keep` matches.
    Anywhere(&'static Regex),
    /// The line, or a part of it between bars, is removed if it matches as a whole.
    Part(&'static Regex),
}

impl Way {
    /// Returns how a rule works on text, if it does.
    pub(super) fn of(rule: NoiseRule) -> Option<Self> {
        match rule {
            NoiseRule::Ads
            | NoiseRule::CacheBusting
            | NoiseRule::CookieBanners
            | NoiseRule::FormTokens
            | NoiseRule::SessionLinks => None,
            NoiseRule::BuildTimes => Some(Self::Part(&BUILD_TIMES)),
            NoiseRule::Counters => Some(Self::Part(&COUNTERS)),
            NoiseRule::GenerationTimes => Some(Self::Anywhere(&GENERATION_TIMES)),
            NoiseRule::Monitoring => Some(Self::Anywhere(&MONITORING)),
            NoiseRule::RelativeTimes => Some(Self::Anywhere(&RELATIVE_TIMES)),
            NoiseRule::ViewIds => Some(Self::Anywhere(&VIEW_IDS)),
        }
    }
}

/// Compiles every pattern.
pub(super) fn compile_all() {
    LazyLock::force(&TRIGGERS);
    LazyLock::force(&TRIGGERS_BESIDE_DIGITS);
    for rule in NoiseRule::ALL {
        // Whoever asks for a pattern gets it compiled.
        let _ = Way::of(rule);
    }
}

/// A line without any of these, and without both a digit and one of [`TRIGGERS_BESIDE_DIGITS`], holds no noise.
///
/// Plain strings are found an order of magnitude faster than the patterns are matched. First letters are missing, because
/// they come in both cases. The fewer they are, and the more letters the shortest has, the faster they are sought.
pub(super) static TRIGGERS: LazyLock<Triggers> = LazyLock::new(|| {
    Triggers::new(&words(
        "_ago _Ago _AGO oday ODAY rday RDAY ime: dom-id- orm- ust_now ust_Now UST_NOW enerated endered ached \
        NREUM dataLayer",
    ))
});

/// What begins noise of which a number is a part; most lines of prose have none.
pub(super) static TRIGGERS_BESIDE_DIGITS: LazyLock<Triggers> = LazyLock::new(|| {
    let digits = ('0'..='9').flat_map(|digit| [format!("d in {digit}"), format!("ime {digit}")]);
    let others = "ime= uild_ erved_by _view View isitor ownloads its: _times nline _currently";
    Triggers::new(&digits.chain(words(others)).collect::<Vec<_>>())
});

fn words(words: &str) -> Vec<String> {
    words.split_whitespace().map(|word| word.replace('_', " ")).collect()
}

/// Strings that are sought together.
pub(super) enum Triggers {
    /// In vectors.
    Packed(Searcher),
    /// Byte by byte, where the processor has no such vectors.
    Automaton(AhoCorasick),
}

impl Triggers {
    fn new(words: &[String]) -> Self {
        Searcher::new(words).map_or_else(|| Self::automaton(words), Self::Packed)
    }

    fn automaton(words: &[String]) -> Self {
        let strings = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(words);
        Self::Automaton(strings.expect("there are few, and they are short"))
    }

    /// Returns where the first of them begins in a part of `text`.
    pub(super) fn find(&self, text: &str, part: Range<usize>) -> Option<usize> {
        let part = Span::from(part);
        let found = match self {
            Self::Packed(searcher) => searcher.find_in(text, part),
            Self::Automaton(strings) => strings.find(Input::new(text).span(part)),
        };
        found.map(|found| found.start())
    }
}

/// A day, an hour, or what stands between them.
const STAMP_WORD: &str = r"(?:
    (?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?
    | jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?
    | oct(?:ober)?|nov(?:ember)?|dec(?:ember)?
    | [0-9]{1,2}(?:st|nd|rd|th)|[0-9]{4}|[0-9]{1,2}
    | [0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}
    | [0-9]{1,2}-(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)-[0-9]{2,4}
    | (?:gmt|utc|[ecmp][sd]t|ce?s?t|bst|z)(?:[+-][0-9]{1,2}(?::?[0-9]{2})?)?
    | [+-][0-9]{2}:?[0-9]{2} | [ap]\.?m\.? | at|on|of|the|@|-
    )";

/// An hour with its minutes, with or without the day before it.
const CLOCK: &str = r"(?:(?:[0-9]{4}-[0-9]{2}-[0-9]{2}t)?
    [0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)? (?:z|[+-][0-9]{2}:?[0-9]{2})?)";

static BUILD_TIMES: LazyLock<Regex> = LazyLock::new(|| {
    let word = format!(r"(?:{CLOCK}|{STAMP_WORD})[,.]?\x20?");
    let any = format!(r"(?:{word})+");
    // A day alone may be when somebody made something; an hour with minutes is when a machine did.
    let exact = format!(r"(?:\(?(?:{word})*{CLOCK}[,.]?\x20?(?:{word})*\)?)");
    let made = "(?:generated|rendered|cached)";
    let tail = r"(?:(?:by|using|with|from|in|for)\x20.{1,60})?";
    let day = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day
        | (?:january|february|march|april|may|june|july|august|september|october|november|december)
        | [0-9]{1,2}(?:st|nd|rd|th)?\x20(?:of\x20)?
          (?:january|february|march|april|may|june|july|august|september|october|november|december)
        | [0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4})[,.]?\x20?";
    compile(&format!(
        r"(?xi) ^ (?:
        (?:this\x20|the\x20)? page \x20 (?:was\x20)? (?:last\x20|auto-?|automatically\x20)? {made}
            (?::|\x20on|\x20at)? \x20 {any} {tail}
        | (?:(?:this\x20)?(?:site|document|content|file|html|output|index) \x20 (?:was\x20)?)?
            (?:last\x20|auto-?|automatically\x20)? {made} (?::|\x20on|\x20at)? \x20 {exact} {tail}
        | (?:served|rendered|generated) \x20 by \x20 [a-z0-9._-]*[0-9][a-z0-9._-]*
            \x20 (?:at|on) \x20 {exact}
        | build (?:\x20(?:date|time|number|id))? :? \x20 {exact}
        | (?:the\x20)? current (?:\x20(?:local|server|site|system|utc|gmt))? \x20
            (?:time|date\x20(?:and|&)\x20time|date/time) : \x20 {any}
        | (?:server|system) \x20 time : \x20 {exact}
        | it \x20 is \x20 currently \x20 {exact}
        | today \x20 is \x20 (?:the\x20)? {day} (?:{word})*
        | today['’]s \x20 date (?:\x20is|:|\x20is:)? \x20 {day} (?:{word})*
        ) \.? $"
    ))
});

static COUNTERS: LazyLock<Regex> = LazyLock::new(|| {
    let number = r"(?:[0-9]{1,3}(?:[,.\x20'’][0-9]{3})+|[0-9]+(?:[.,][0-9]+)?\x20?[km]?)";
    let people = "(?:users?|guests?|visitors?|members?|people)";
    compile(&format!(
        r"(?xi) ^ (?:
        {number} \x20 (?:(?:total|unique|page|profile|post|article|video)\x20)*
            (?:views?|visitors?|downloads) (?:\x20(?:today|so\x20far|in\x20total))?
        | (?:(?:total|unique|page|profile|post|site|monthly|daily|online)\x20)*
            (?:views|hits|visits|visitors?|downloads|visitor\x20counter|visitor\x20count|visitors\x20today
              | {people}\x20(?:currently\x20)?online)
            \x20? : \x20? {number}
        | page \x20? views \x20 {number}
        | (?:you\x20are\x20(?:the\x20)?)? visitor \x20? (?:number|no\.?|nr\.?|\#) :? \x20? \#? {number}
        | you \x20 are \x20 (?:our\x20|the\x20)? {number} (?:st|nd|rd|th)? \x20 visitor
            (?:\x20(?:since|to|of)\x20.{{1,40}})?
        | (?:this\x20(?:page|site|article|post|document|file|item)\x20)? (?:has\x20been\x20|was\x20)?
            (?:viewed|visited|accessed|read|downloaded) \x20 {number} \x20 times (?:\x20since\x20.{{1,40}})?
        | (?:there\x20(?:are|is)\x20)? (?:currently\x20)? {number} \x20 (?:registered\x20)? {people}
            (?:(?:,|\x20and)\x20{number}\x20{people})* \x20 (?:are\x20|is\x20)? (?:currently\x20|now\x20)?
            (?:online|viewing\x20this(?:\x20page)?) (?:\x20now)?
        ) \.? $"
    ))
});

static GENERATION_TIMES: LazyLock<Regex> = LazyLock::new(|| {
    // Whole seconds count only after the word «page»: «loaded in 30 seconds» may be about lorries.
    compile(
        r"(?xi-u)
        \b page \x20 (?:was \x20)? (?:generated|rendered|created|loaded|served|processed)
            \x20 in \x20 \d+(?:[.,]\d+)? \x20? (?:ms|milliseconds?|s|secs?|seconds?) \b
        | \b (?:generated|rendered|loaded|served|processed|executed) \x20 in \x20
            (?: \d+[.,]\d+ \x20? (?:ms|milliseconds?|s|secs?|seconds?)
              | \d+ \x20? (?:ms|milliseconds?) ) \b
        | \b (?:(?:page|server) \x20)?
            (?:execution|generation|rendering|render|load|processing|response) \x20 time
            \x20? [:=]? \x20? \d+(?:[.,]\d+)? \x20? (?:ms|milliseconds?|s|secs?|seconds?) \b",
    )
});

/// The code itself, and not what somebody writes about it: that rarely begins a line.
static MONITORING: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?x-u)
        ^ [;(!]* (?: window\.NREUM \|\| | NREUM\.(?:info|init|loader_config) \x20? =
            | window\.dataLayer \x20? = \x20? window\.dataLayer \x20? \|\|
            | function\(w,d,s,l,i\)\{w\[l\] ) [[:ascii:]]* $",
    )
});

static RELATIVE_TIMES: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?xi-u)
        \b (?:(?:about|almost|over|less \x20 than) \x20)?
            (?:(?:\d{1,3}|an?) \x20?
                (?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)
                ,? \x20 (?:and \x20)?)+
            ago \b
        | ^ (?P<keep> (?: (?:last \x20)?
                (?:posted|published|updated|modified|edited|changed|submitted|created|added|seen)
                :? \x20 )? )
            (?:just \x20 now|(?:a \x20)? (?:few \x20)? moments? \x20 ago|today|yesterday) \.? $",
    )
});

static VIEW_IDS: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?x)
        \b (?:js-)? view-dom-id- [0-9a-f]{32,64} \b
        | \b form- [A-Za-z0-9_-]{43} (?P<keep> [^A-Za-z0-9_-] | $ )",
    )
});

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant, compiled by the tests")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triggers_are_found_alike_with_and_without_vectors() {
        let words = ["ago", "oday", "ime: ", "d in 1"].map(str::to_owned);
        let text = "Posted 5 minutes ago\nToday is the day\nTime: 12:00\nloaded in 1 s, long ago";
        let all = |triggers: &Triggers| {
            let mut found = Vec::new();
            while let Some(at) = triggers.find(text, found.last().map_or(0, |last| last + 1)..text.len()) {
                found.push(at);
            }
            found
        };
        assert_eq!(all(&Triggers::automaton(&words)), [17, 22, 39, 55, 70]);
        assert_eq!(all(&Triggers::new(&words)), all(&Triggers::automaton(&words)));
        assert_eq!(Triggers::new(&words).find("nothing", 0..7), None);
        assert_eq!(Triggers::new(&words).find(text, 18..39), Some(22));
        assert_eq!(Triggers::new(&words).find(text, 23..39), None);
    }
}
