//! Number formats: `#,##0.00 "USD"`, `0%`, `d mmmm yyyy`.

use super::date::{self, DatePart};

/// How a number is shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NumberFormat {
    /// For positive numbers, negative ones, and zero.
    sections: Vec<Section>,
}

#[derive(Debug, Clone, PartialEq)]
enum Section {
    /// As it is.
    General,
    /// A date or a time.
    Date(Vec<DatePart>),
    /// A number with what stands before and behind it.
    Number(NumberSection),
    /// Text alone.
    Literal(String),
}

#[derive(Debug, Clone, Default, PartialEq)]
struct NumberSection {
    before: String,
    behind: String,
    /// Digits that are shown at least before and behind the point, and at most behind it.
    digits: usize,
    least_decimals: usize,
    decimals: usize,
    has_groups: bool,
    /// How often the number is divided by a thousand.
    thousands: i32,
    is_percent: bool,
}

impl NumberFormat {
    /// Reads a format code. What nobody understands shows numbers as they are.
    pub(super) fn parse(code: &str) -> Self {
        Self { sections: split(code).iter().take(3).map(|section| Section::parse(section)).collect() }
    }

    /// Returns a number as a person sees it.
    pub(super) fn show(&self, number: f64, is_1904: bool) -> String {
        let place = match self.sections.len() {
            0 | 1 => 0,
            2 => usize::from(number < 0.0),
            _ if number == 0.0 => 2,
            _ => usize::from(number < 0.0),
        };
        // Where negative numbers have a section of their own, that writes the sign, or shows it by brackets.
        let number = if place == 1 { number.abs() } else { number };
        match self.sections.get(place) {
            None | Some(Section::General) => general(number),
            Some(Section::Literal(text)) => text.clone(),
            Some(Section::Number(section)) => section.show(number),
            Some(Section::Date(parts)) => {
                date::show(parts, number, is_1904).unwrap_or_else(|| general(number))
            }
        }
    }
}

/// Returns a number as it is, without what computing with fractions leaves behind.
pub(super) fn general(number: f64) -> String {
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    if rounded != 0.0 && (rounded.abs() >= 1e21 || rounded.abs() < 1e-9) {
        format!("{rounded:e}")
    } else {
        rounded.to_string()
    }
}

/// Splits a code into its sections.
fn split(code: &str) -> Vec<String> {
    let mut sections = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = code.chars();
    while let Some(letter) = letters.next() {
        if letter == ';' && !is_quoted {
            sections.push(String::new());
            continue;
        }
        is_quoted ^= letter == '"';
        let Some(section) = sections.last_mut() else { break };
        section.push(letter);
        if letter == '\\' && !is_quoted {
            section.extend(letters.next());
        }
    }
    sections
}

/// A piece of a section.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// Text that is shown as it is.
    Literal(String),
    /// A sign with a meaning.
    Sign(char),
    /// A length of time in all, such as `[h]`.
    Elapsed(char),
}

fn tokens(section: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut letters = section.chars().peekable();
    let literal = |tokens: &mut Vec<Token>, text: &str| match tokens.last_mut() {
        Some(Token::Literal(before)) => before.push_str(text),
        _ => tokens.push(Token::Literal(text.to_owned())),
    };
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                let text: String = letters.by_ref().take_while(|letter| *letter != '"').collect();
                literal(&mut tokens, &text);
            }
            '\\' => {
                if let Some(escaped) = letters.next() {
                    literal(&mut tokens, escaped.encode_utf8(&mut [0; 4]));
                }
            }
            // As wide as the next sign, or filled with it.
            '_' | '*' => {
                letters.next();
            }
            '[' => {
                let inside: String = letters.by_ref().take_while(|letter| *letter != ']').collect();
                let lower = inside.to_ascii_lowercase();
                match lower.as_str() {
                    "h" | "hh" => tokens.push(Token::Elapsed('h')),
                    "m" | "mm" => tokens.push(Token::Elapsed('m')),
                    "s" | "ss" => tokens.push(Token::Elapsed('s')),
                    _ => {
                        // `[$€-407]` names a currency; colours and conditions show nothing.
                        if let Some(currency) = inside.strip_prefix('$') {
                            literal(&mut tokens, currency.split('-').next().unwrap_or_default());
                        }
                    }
                }
            }
            '$' | '€' | '£' | '¥' | '(' | ')' | ' ' | '\u{a0}' | '-' | '+' | '\'' => {
                literal(&mut tokens, letter.encode_utf8(&mut [0; 4]));
            }
            _ => tokens.push(Token::Sign(letter)),
        }
    }
    tokens
}

impl Section {
    fn parse(section: &str) -> Self {
        if section.trim().eq_ignore_ascii_case("general") || section.is_empty() {
            return Self::General;
        }
        let tokens = tokens(section);
        if tokens.iter().all(|token| matches!(token, Token::Literal(_))) {
            let text = tokens.into_iter().filter_map(|token| match token {
                Token::Literal(text) => Some(text),
                Token::Sign(_) | Token::Elapsed(_) => None,
            });
            return Self::Literal(text.collect::<String>().trim().to_owned());
        }
        if let Some(parts) = date::parse(&tokens) {
            return Self::Date(parts);
        }
        NumberSection::parse(&tokens).map_or(Self::General, Self::Number)
    }
}

impl NumberSection {
    fn parse(tokens: &[Token]) -> Option<Self> {
        let mut section = Self::default();
        let (mut has_digits, mut has_point, mut commas) = (false, false, 0);
        for token in tokens {
            match token {
                Token::Literal(text) if has_digits => section.behind.push_str(text),
                Token::Literal(text) => section.before.push_str(text),
                Token::Sign('0' | '#' | '?') if has_point => {
                    section.decimals += 1;
                    if matches!(token, Token::Sign('0')) {
                        section.least_decimals = section.decimals;
                    }
                }
                Token::Sign(sign @ ('0' | '#' | '?')) => {
                    // A comma between digits groups them; behind them it divides.
                    section.has_groups |= commas > 0;
                    commas = 0;
                    has_digits = true;
                    section.digits += usize::from(*sign == '0');
                }
                Token::Sign(',') if has_digits => commas += 1,
                Token::Sign('.') => {
                    has_point = true;
                    has_digits = true;
                }
                Token::Sign('%') => {
                    section.is_percent = true;
                    section.behind.push('%');
                }
                Token::Sign(_) | Token::Elapsed(_) => return None,
            }
        }
        section.thousands = commas;
        has_digits.then_some(section)
    }

    fn show(&self, number: f64) -> String {
        let scale = if self.is_percent { 100.0 } else { 1.0 };
        let scaled = number * scale / 1000_f64.powi(self.thousands);
        if !scaled.is_finite() || scaled.abs() >= 1e15 {
            return general(number);
        }
        // Halves are rounded away from zero, as spreadsheets do.
        let decimals = self.decimals.min(15);
        let rounded = format!("{:.decimals$}", scaled.abs() + scaled.abs() * 1e-15);
        let (whole, fraction) = rounded.split_once('.').unwrap_or((&rounded, ""));
        let mut digits = whole.trim_start_matches('0').to_owned();
        while digits.len() < self.digits.min(30) {
            digits.insert(0, '0');
        }
        let least = self.least_decimals.min(fraction.len());
        let (sure, rest) = fraction.split_at(least);
        let fraction = format!("{sure}{}", rest.trim_end_matches('0'));
        let is_zero = !digits.bytes().chain(fraction.bytes()).any(|digit| digit != b'0');
        let mut shown = String::new();
        if scaled < 0.0 && !is_zero {
            shown.push('-');
        }
        shown.push_str(&self.before);
        shown.push_str(&if self.has_groups { grouped(&digits) } else { digits });
        if !fraction.is_empty() {
            shown.push('.');
            shown.push_str(&fraction);
        }
        shown.push_str(&self.behind);
        shown.trim().to_owned()
    }
}

fn grouped(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_their_format_says() {
        for (code, number, expected) in [
            ("General", 12.5, "12.5"),
            ("General", 0.1 + 0.2, "0.3"),
            ("General", 1e22, "1e22"),
            ("0", 12.6, "13"),
            ("0.00", 12.5, "12.50"),
            ("0.00", 2.675, "2.68"),
            ("#,##0", 1_234_567.0, "1,234,567"),
            ("#,##0.00", -1234.5, "-1,234.50"),
            ("0%", 0.125, "13%"),
            ("0.0%", 0.125, "12.5%"),
            ("#,##0.00 \"USD\"", 1200.0, "1,200.00 USD"),
            ("[$€-407] #,##0.00", 9.5, "€ 9.50"),
            ("$#,##0.00;[Red]($#,##0.00)", -3.0, "($3.00)"),
            ("0;-0;\"none\"", 0.0, "none"),
            ("0.###", 1.5, "1.5"),
            ("0.0,,\" m\"", 2_500_000.0, "2.5 m"),
            ("00000", 42.0, "00042"),
            ("_-* #,##0.00\\ _€_-", 7.0, "7.00"),
            ("# ?/?", 0.5, "0.5"),
            ("0.00E+00", 12345.0, "12345"),
            ("0", -0.2, "0"),
        ] {
            assert_eq!(NumberFormat::parse(code).show(number, false), expected, "{code}");
        }
    }

    #[test]
    fn dates_are_shown_as_their_format_says() {
        for (code, number, expected) in [
            ("m/d/yyyy", 46_342.0, "11/16/2026"),
            ("d mmmm yyyy", 46_342.0, "16 November 2026"),
            ("dd.mm.yy", 46_342.0, "16.11.26"),
            ("yyyy\\-mm\\-dd\\ hh:mm", 46_342.75, "2026-11-16 18:00"),
            ("h:mm AM/PM", 0.5, "12:00 PM"),
            ("[h]:mm", 1.25, "30:00"),
            ("ddd", 46_342.0, "Mon"),
            ("mm:ss", 0.000_694_444, "01:00"),
            ("[$-407]d. mmm yyyy;@", 46_342.0, "16. Nov 2026"),
            ("yyyy", -5.0, "-5"),
            ("yyyy", 1e18, "1000000000000000000"),
        ] {
            assert_eq!(NumberFormat::parse(code).show(number, false), expected, "{code}");
        }
        assert_eq!(NumberFormat::parse("yyyy-mm-dd").show(0.0, true), "1904-01-01");
        assert_eq!(NumberFormat::parse("yyyy-mm-dd").show(1.0, false), "1900-01-01");
    }
}
