//! Numbers of addresses as they are stored: JSON arrays.

use std::fmt::Write;

use crate::error::unreadable;

/// Writes numbers as a JSON array.
pub(crate) fn to_json(numbers: &[i64]) -> String {
    let mut json = String::with_capacity(8 * numbers.len() + 2);
    json.push('[');
    for number in numbers {
        let separator = if json.len() > 1 { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(json, "{separator}{number}");
    }
    json.push(']');
    json
}

/// Reads a JSON array of numbers that addresses can have: there are never as many as 32 bits can count.
pub(crate) fn from_json(json: &str) -> rusqlite::Result<Vec<i64>> {
    let inner = json.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let inner = inner.ok_or_else(|| unreadable("numbers that are no array"))?;
    let mut numbers = Vec::with_capacity(inner.len() / 2 + 1);
    let mut number: Option<u32> = None;
    for byte in inner.bytes() {
        match byte {
            b'0'..=b'9' => {
                let digit = u32::from(byte - b'0');
                let longer = number.unwrap_or(0).checked_mul(10).and_then(|tens| tens.checked_add(digit));
                number = Some(longer.ok_or_else(|| unreadable("the number of an address is too large"))?);
            }
            b',' => {
                let number = number.take().ok_or_else(|| unreadable("an address without a number"))?;
                numbers.push(number.into());
            }
            _ => return Err(unreadable("the number of an address is none")),
        }
    }
    match number {
        Some(last) => numbers.push(last.into()),
        None if numbers.is_empty() => {}
        None => return Err(unreadable("an address without a number")),
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_an_array_and_from_nothing_else() {
        assert!(from_json("[]").unwrap().is_empty());
        assert_eq!(from_json("[7]").unwrap(), [7]);
        assert_eq!(from_json("[12,3,4294967295]").unwrap(), [12, 3, 4_294_967_295]);
        for wrong in ["", "[", "7", "[,]", "[1,]", "[,1]", "[1 ]", "[-1]", "[4294967296]"] {
            assert!(from_json(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_are_written_as_they_are_read() {
        for numbers in [vec![], vec![7], vec![12, 0, 4_294_967_295]] {
            assert_eq!(from_json(&to_json(&numbers)).unwrap(), numbers);
        }
    }
}
