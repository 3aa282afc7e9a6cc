//! Dates and times of spreadsheets: days since the end of 1899, or since the beginning of 1904.

use std::fmt::Write as _;

use jiff::Span;
use jiff::civil::{Date, date};

use super::number_format::Token;

/// A piece of a date.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum DatePart {
    Literal(String),
    Year(usize),
    Month(usize),
    Day(usize),
    Hour(usize),
    Minute(usize),
    Second(usize),
    /// A length of time in hours, minutes or seconds.
    Elapsed(char),
    HalfOfDay,
}

/// Reads the pieces of a format; `None` if it is none of a date.
pub(super) fn parse(tokens: &[Token]) -> Option<Vec<DatePart>> {
    let is_of_date = |token: &Token| match token {
        Token::Sign(sign) => matches!(sign.to_ascii_lowercase(), 'y' | 'm' | 'd' | 'h' | 's'),
        Token::Elapsed(_) => true,
        Token::Literal(_) => false,
    };
    if !tokens.iter().any(is_of_date) {
        return None;
    }
    let mut parts: Vec<DatePart> = Vec::new();
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        place += 1;
        let sign = match token {
            Token::Literal(text) => {
                parts.push(DatePart::Literal(text.clone()));
                continue;
            }
            Token::Elapsed(unit) => {
                parts.push(DatePart::Elapsed(*unit));
                continue;
            }
            Token::Sign(sign) => sign.to_ascii_lowercase(),
        };
        let is_same =
            |token: &&Token| matches!(token, Token::Sign(other) if other.to_ascii_lowercase() == sign);
        let further = tokens[place..].iter().take_while(is_same).count();
        let width = further + 1;
        match sign {
            'y' => parts.push(DatePart::Year(width)),
            'm' => parts.push(DatePart::Month(width)),
            'd' => parts.push(DatePart::Day(width)),
            'h' => parts.push(DatePart::Hour(width)),
            's' => parts.push(DatePart::Second(width)),
            'a' => {
                let text: String = tokens[place - 1..].iter().map_while(sign_of).collect();
                let length = ["AM/PM", "A/P"].into_iter().find(|known| {
                    text.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known))
                })?;
                parts.push(DatePart::HalfOfDay);
                place += length.len() - 1;
                continue;
            }
            // The rest of a second, and text where a text stands in the cell.
            '0' | '@' => {}
            '.' | '/' | ':' | ',' => parts.push(DatePart::Literal(sign.to_string())),
            _ => return None,
        }
        place += further;
    }
    tell_minutes(&mut parts);
    Some(parts)
}

fn sign_of(token: &Token) -> Option<char> {
    match token {
        Token::Sign(sign) => Some(*sign),
        Token::Literal(_) | Token::Elapsed(_) => None,
    }
}

/// `m` behind hours, or before seconds, are minutes.
fn tell_minutes(parts: &mut [DatePart]) {
    let is_time = |part: &DatePart| !matches!(part, DatePart::Literal(_) | DatePart::HalfOfDay);
    for place in 0..parts.len() {
        let DatePart::Month(width) = parts[place] else { continue };
        let before = parts[..place].iter().rev().find(|part| is_time(part));
        let behind = parts[place + 1..].iter().find(|part| is_time(part));
        if matches!(before, Some(DatePart::Hour(_) | DatePart::Elapsed('h')))
            || matches!(behind, Some(DatePart::Second(_) | DatePart::Elapsed('s')))
        {
            parts[place] = DatePart::Minute(width);
        }
    }
}

/// Returns a number of days as a date; `None` if it is none.
pub(super) fn show(parts: &[DatePart], days: f64, is_1904: bool) -> Option<String> {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    const WEEKDAYS: [&str; 7] =
        ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    if !(0.0..3_000_000.0).contains(&days) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
    let seconds = (days * 86_400.0).round() as i64;
    let day = day(seconds / 86_400, is_1904)?;
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    let has_half = parts.contains(&DatePart::HalfOfDay);
    let mut shown = String::new();
    for part in parts {
        let month = MONTHS.get(usize::try_from(day.month() - 1).ok()?)?;
        let weekday = WEEKDAYS.get(usize::try_from(day.weekday().to_monday_zero_offset()).ok()?)?;
        let (number, width) = match part {
            DatePart::Literal(text) => {
                shown.push_str(text);
                continue;
            }
            DatePart::Month(4..) => {
                shown.push_str(month);
                continue;
            }
            DatePart::Month(3) => {
                shown.push_str(month.get(..3)?);
                continue;
            }
            DatePart::Day(4..) => {
                shown.push_str(weekday);
                continue;
            }
            DatePart::Day(3) => {
                shown.push_str(weekday.get(..3)?);
                continue;
            }
            DatePart::HalfOfDay => {
                shown.push_str(if hour < 12 { "AM" } else { "PM" });
                continue;
            }
            DatePart::Year(..=2) => (i64::from(day.year()) % 100, 2),
            DatePart::Year(_) => (i64::from(day.year()), 4),
            DatePart::Month(width) => (i64::from(day.month()), *width),
            DatePart::Day(width) => (i64::from(day.day()), *width),
            DatePart::Hour(width) if has_half => ((hour + 11) % 12 + 1, *width),
            DatePart::Hour(width) => (hour, *width),
            DatePart::Minute(width) => (minute, *width),
            DatePart::Second(width) => (second, *width),
            DatePart::Elapsed('h') => (seconds / 3_600, 1),
            DatePart::Elapsed('m') => (seconds / 60, 1),
            DatePart::Elapsed(_) => (seconds, 1),
        };
        let _ = write!(shown, "{number:0width$}");
    }
    Some(shown.trim().to_owned())
}

fn day(days: i64, is_1904: bool) -> Option<Date> {
    let start = match (is_1904, days) {
        (true, _) => date(1904, 1, 1),
        // Spreadsheets believe in a 29 February 1900.
        (false, ..60) => date(1899, 12, 31),
        (false, _) => date(1899, 12, 30),
    };
    start.checked_add(Span::new().try_days(days).ok()?).ok()
}
