//! Which words of a line are values, and of which sort.

use super::tokens::{CURRENCIES, Token};

/// The sort of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::changes) enum Value {
    Number,
    Money,
    Date,
    Time,
    Duration,
    Size,
    Id,
}

/// A set of sorts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::changes) struct Values(u8);

impl Values {
    const fn has(self, value: Value) -> bool {
        self.0 & (1 << value as u8) != 0
    }

    const fn are_among(self, values: &[Value]) -> bool {
        let mut rest = self.0;
        let mut at = 0;
        while at < values.len() {
            rest &= !(1 << values[at] as u8);
            at += 1;
        }
        rest == 0 && self.0 != 0
    }

    /// Tells whether they are all drawn by a machine: what a single page can teach.
    pub(in crate::changes) const fn are_drawn(self) -> bool {
        self.are_among(&[Value::Id, Value::Time, Value::Duration, Value::Size])
    }

    /// Tells whether figures are among them that people watch.
    pub(in crate::changes) const fn have_figures(self) -> bool {
        self.has(Value::Number) || self.has(Value::Money) || self.has(Value::Date)
    }

    /// Tells whether they are nothing but numbers and money.
    pub(in crate::changes) const fn are_numbers(self) -> bool {
        self.are_among(&[Value::Number, Value::Money])
    }

    /// Tells whether they are nothing but dates and times.
    pub(in crate::changes) const fn are_dates(self) -> bool {
        self.are_among(&[Value::Date, Value::Time])
    }
}

impl FromIterator<Value> for Values {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        Self(values.into_iter().fold(0, |all, value| all | 1 << value as u8))
    }
}

/// Months in the languages of most sites, by their first letters; a number must stand beside them.
const MONTHS: [&str; 54] = [
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
    "m\u{e4}r",
    "mai",
    "okt",
    "dez",
    "f\u{e9}v",
    "avr",
    "juin",
    "juil",
    "ao\u{fb}",
    "d\u{e9}c",
    "ene",
    "abr",
    "ago",
    "dic",
    "gen",
    "mag",
    "giu",
    "lug",
    "set",
    "ott",
    "fev",
    "out",
    "maa",
    "mei",
    "maj",
    "sty",
    "lut",
    "kwi",
    "cze",
    "lip",
    "sie",
    "wrz",
    "pa\u{17a}",
    "lis",
    "gru",
    "\u{44f}\u{43d}\u{432}",
    "\u{444}\u{435}\u{432}",
    "\u{43c}\u{430}\u{440}",
    "\u{430}\u{43f}\u{440}",
    "\u{438}\u{44e}\u{43d}",
    "\u{438}\u{44e}\u{43b}",
    "\u{430}\u{432}\u{433}",
];

/// Words that begin like a month and are none.
const NO_MONTHS: [&str; 14] = [
    "market", "marked", "mark", "marine", "march's", "maximum", "mayor", "manual", "settings", "setup",
    "set", "decrease", "list", "listing",
];

const DURATIONS: [&str; 22] = [
    "ms", "s", "sec", "secs", "second", "seconds", "min", "mins", "minute", "minutes", "h", "hr", "hrs",
    "hour", "hours", "sekunden", "minuten", "stunden", "secondes", "heures", "segundos", "horas",
];

const SIZES: [&str; 14] =
    ["b", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "bytes", "byte", "ko", "mo", "go", "kbyte"];

const CURRENCY_WORDS: [&str; 14] = [
    "usd", "eur", "gbp", "chf", "cad", "aud", "euro", "euros", "dollars", "pounds", "kr", "sek", "nok", "pln",
];

/// Returns the value that begins with the first token, and how many tokens it has.
pub(super) fn value_at(tokens: &[Token<'_>]) -> Option<(Value, usize)> {
    let first = tokens.first()?;
    if !first.is_word {
        if !first.text.starts_with(CURRENCIES) {
            return None;
        }
        let is_number_at = |at: usize| tokens.get(at).is_some_and(|next| is_number(next.text));
        let has_gap = tokens.get(1).is_some_and(|gap| gap.text.trim().is_empty());
        return if is_number_at(1) {
            Some((Value::Money, 2))
        } else {
            (has_gap && is_number_at(2)).then_some((Value::Money, 3))
        };
    }
    let word = first.text;
    if is_month(word) {
        return date_from_month(tokens);
    }
    if !word.bytes().any(|byte| byte.is_ascii_digit()) {
        return is_drawn(word).then_some((Value::Id, 1));
    }
    if is_time(word) {
        let has_half = following(tokens, 1).is_some_and(|(_, word)| is_half_of_day(word));
        return Some((Value::Time, if has_half { 3 } else { 1 }));
    }
    if is_date(word) {
        return Some((Value::Date, 1));
    }
    if !is_number(word) {
        return Some(number_with_unit(word).map_or((Value::Id, 1), |value| (value, 1)));
    }
    if let Some(length) = date_from_day(tokens) {
        return Some((Value::Date, length));
    }
    if let Some((length, unit)) = following(tokens, 1) {
        let unit = unit.to_lowercase();
        let is = |units: &[&str]| units.contains(&unit.as_str());
        if is(&DURATIONS) {
            return Some((Value::Duration, length));
        } else if is(&SIZES) {
            return Some((Value::Size, length));
        } else if is(&CURRENCY_WORDS) {
            return Some((Value::Money, length));
        } else if is_half_of_day(&unit) {
            return Some((Value::Time, length));
        }
    }
    let is_sign_at = |at: usize| tokens.get(at).is_some_and(|next| next.text.starts_with(CURRENCIES));
    if is_sign_at(1) {
        return Some((Value::Money, 2));
    } else if tokens.get(1).is_some_and(|gap| gap.text.trim().is_empty()) && is_sign_at(2) {
        return Some((Value::Money, 3));
    }
    // An account number and a counter look alike; so long ones are drawn.
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    Some((if digits >= 12 && digits == word.len() { Value::Id } else { Value::Number }, 1))
}

/// Returns the next word after `at` tokens, across one gap of blanks, and how many tokens there are with it.
fn following<'line>(tokens: &[Token<'line>], at: usize) -> Option<(usize, &'line str)> {
    let gap = tokens.get(at)?;
    let word = tokens.get(at + 1)?;
    (gap.text.trim().is_empty() && word.is_word).then_some((at + 2, word.text))
}

/// `16 November 2026`, `3. März`, `1er décembre 2025`: a day, a month, and perhaps a year.
fn date_from_day(tokens: &[Token<'_>]) -> Option<usize> {
    let day = tokens.first()?.text;
    if day.len() > 4 {
        return None;
    }
    let gap = tokens.get(1)?;
    let month = tokens.get(2)?;
    let is_gap = matches!(gap.text.trim(), "" | "." | "-" | "/" | ". de" | "de");
    if !is_gap || !is_month(month.text) {
        return None;
    }
    Some(with_year(tokens, 3))
}

/// `November 16, 2026`, `November 2026`.
fn date_from_month(tokens: &[Token<'_>]) -> Option<(Value, usize)> {
    let gap = tokens.get(1)?;
    let number = tokens.get(2)?;
    let is_day =
        number.text.len() <= 4 && number.text.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    (matches!(gap.text.trim(), "" | ".") && is_day && !is_time(number.text))
        .then(|| (Value::Date, with_year(tokens, 3)))
}

fn with_year(tokens: &[Token<'_>], length: usize) -> usize {
    let is_year =
        |token: &Token<'_>| token.text.len() == 4 && token.text.bytes().all(|byte| byte.is_ascii_digit());
    let has_year = tokens.get(length).is_some_and(|gap| matches!(gap.text.trim(), "" | "," | "." | "/"))
        && tokens.get(length + 1).is_some_and(is_year);
    if has_year { length + 2 } else { length }
}

fn is_month(word: &str) -> bool {
    if word.len() < 3 || !word.chars().all(char::is_alphabetic) || word.chars().count() > 10 {
        return false;
    }
    let word = word.to_lowercase();
    MONTHS.iter().any(|month| word.starts_with(month)) && !NO_MONTHS.contains(&word.as_str())
}

fn is_number(word: &str) -> bool {
    let is_plain = word.chars().all(|character| {
        character.is_ascii_digit() || matches!(character, '.' | ',' | '\'' | '\u{2019}' | '-' | '/')
    });
    let ordinal =
        ["st", "nd", "rd", "th", "er", "re", "e", "o"].iter().find_map(|end| word.strip_suffix(end));
    let is_ordinal = ordinal.is_some_and(|number| {
        !number.is_empty() && number.len() <= 4 && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    (is_plain && word.bytes().any(|byte| byte.is_ascii_digit())) || is_ordinal
}

fn is_time(word: &str) -> bool {
    let mut parts = word.split(':');
    let is_part = |part: &str| {
        matches!(part.len(), 1..=6) && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    word.contains(':') && parts.all(is_part)
}

fn is_half_of_day(word: &str) -> bool {
    ["am", "pm", "uhr"].iter().any(|half| word.eq_ignore_ascii_case(half))
}

/// `2026-11-16`, `16.11.2026`, `11/16/26`, and with a time behind a `T`.
fn is_date(word: &str) -> bool {
    let word = word.split_once('T').map_or(word, |(date, _)| date);
    for sign in ['-', '.', '/'] {
        let parts: Vec<&str> = word.split(sign).collect();
        let are_digits = parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        if are_digits && matches!(lengths[..], [4, 1..=2, 1..=2] | [1..=2, 1..=2, 2 | 4]) {
            return true;
        }
    }
    false
}

/// `12ms`, `3kB`: a number with its unit.
fn number_with_unit(word: &str) -> Option<Value> {
    let unit = word
        .trim_start_matches(|character: char| character.is_ascii_digit() || matches!(character, '.' | ','));
    let (number, unit) = (word.strip_suffix(unit)?, unit.to_lowercase());
    if number.is_empty() || unit.is_empty() {
        None
    } else if DURATIONS.contains(&unit.as_str()) {
        Some(Value::Duration)
    } else if SIZES.contains(&unit.as_str()) {
        Some(Value::Size)
    } else if is_half_of_day(&unit) {
        Some(Value::Time)
    } else {
        None
    }
}

/// Tells whether letters alone look drawn: long, of both cases, changing in the middle of the word many times.
fn is_drawn(word: &str) -> bool {
    // A hexadecimal id without a digit: hardly any word is made of these letters alone.
    if word.len() >= 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return true;
    }
    if word.len() < 16 || !word.is_ascii() {
        return false;
    }
    let changes = word.as_bytes().windows(2);
    let rises = changes.filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    rises * 5 >= word.len()
}
