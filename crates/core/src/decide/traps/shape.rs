//! What addresses have in common that differ in numbers, dates and ids.

use crate::url::PageUrl;

/// Stands for what differs.
const MARK: char = '*';

/// From this length on, hexadecimal digits are an id.
const SHORTEST_ID: usize = 8;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Returns an address with `*` for numbers, dates and ids; `None` if it has none.
///
/// It reads as a glob that matches the address. Words are kept: `/news/2024/03?page=7` has the shape
/// `/news/*/*?page=*`, and `/news/about` has none.
pub(super) fn shape(url: &PageUrl) -> Option<String> {
    let rest = url.path_and_query();
    let mut shape = String::with_capacity(url.as_str().len());
    let mut has_mark = false;
    let mut slashes = 0;
    // The last piece has no separator behind it.
    for piece in rest.split_inclusive(['/', '?', '&', '=', ';']) {
        let part = piece.trim_end_matches(['/', '?', '&', '=', ';']);
        has_mark |= add_part(&mut shape, part);
        slashes = match (part, piece) {
            ("", "/") => slashes + 1,
            _ => usize::from(piece.ends_with('/')),
        };
        // However many slashes stand together, most servers take them for one.
        match slashes {
            0 | 1 => shape.push_str(piece.get(part.len()..).unwrap_or_default()),
            2 => {
                shape.push(MARK);
                has_mark = true;
            }
            _ => {}
        }
    }
    has_mark.then(|| format!("{}://{}{shape}", url.scheme(), url.authority()))
}

/// Adds a segment of a path, or a name or value of a query; tells whether anything in it is marked.
fn add_part(shape: &mut String, part: &str) -> bool {
    if is_id(part) {
        shape.push(MARK);
        return true;
    }
    let mut has_mark = false;
    let mut rest = part;
    while !rest.is_empty() {
        let (token, after) = split_token(rest);
        if token.is_empty() {
            let end = after.chars().next().map_or(0, char::len_utf8);
            shape.push_str(&after[..end]);
            rest = &after[end..];
            continue;
        }
        has_mark |= add_token(shape, token);
        rest = after;
    }
    has_mark
}

/// Tells whether a part is a long hexadecimal number as a whole, hyphens and all.
fn is_id(part: &str) -> bool {
    let is_hex = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    let digits = part.bytes().filter(u8::is_ascii_hexdigit).count();
    part.bytes().all(is_hex)
        && digits >= SHORTEST_ID
        && (part.bytes().any(|byte| byte.is_ascii_digit()) || digits >= 2 * SHORTEST_ID)
}

/// Splits off the letters and digits that `text` begins with; an escape such as `%C3` is a letter.
fn split_token(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut end = 0;
    while let Some(byte) = bytes.get(end) {
        end += match byte {
            b'%' if is_escape(bytes, end) => 3,
            _ if byte.is_ascii_alphanumeric() => 1,
            _ => break,
        };
    }
    text.split_at_checked(end).unwrap_or((text, ""))
}

fn is_escape(bytes: &[u8], place: usize) -> bool {
    bytes.get(place + 1..place + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// Adds letters and digits; tells whether anything of them is marked.
fn add_token(shape: &mut String, token: &str) -> bool {
    let runs = runs(token);
    let digits = |run: &str| run.as_bytes().first().is_some_and(u8::is_ascii_digit);
    match runs.as_slice() {
        [word] if !digits(word) => {
            let marked = is_month(word) || is_mixed(word);
            if marked {
                shape.push(MARK);
            } else {
                shape.push_str(word);
            }
            return marked;
        }
        // «page12», «3rd»: the word says what the number counts.
        [word, number] if digits(number) => {
            shape.push_str(word);
            shape.push(MARK);
        }
        [number, word] if digits(number) => {
            shape.push(MARK);
            shape.push_str(word);
        }
        _ => shape.push(MARK),
    }
    true
}

/// Splits a token into runs of digits and runs of anything else.
fn runs(token: &str) -> Vec<&str> {
    let bytes = token.as_bytes();
    let mut runs = Vec::new();
    let (mut start, mut place) = (0, 0);
    let mut before = None;
    while place < bytes.len() {
        let is_digit = bytes[place].is_ascii_digit();
        if before.is_some_and(|before| before != is_digit) {
            runs.extend(token.get(start..place));
            start = place;
        }
        before = Some(is_digit);
        place += if bytes[place] == b'%' { 3 } else { 1 };
    }
    runs.extend(token.get(start..));
    runs
}

fn is_month(word: &str) -> bool {
    MONTHS.iter().any(|month| word.eq_ignore_ascii_case(month) || word.eq_ignore_ascii_case(&month[..3]))
}

/// Tells whether a long word has capitals in its middle, as ids of letters have.
fn is_mixed(word: &str) -> bool {
    let is_mixed = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    word.len() >= SHORTEST_ID && !word.contains('%') && word.as_bytes().windows(2).any(is_mixed)
}

#[cfg(test)]
mod tests {
    use globset::Glob;

    use super::*;

    #[test]
    fn numbers_dates_and_ids_are_marked_and_words_are_not() {
        for (address, expected) in [
            ("/", None),
            ("/news/about-us.html", None),
            ("/search?q=blue+shoes&sort=price", None),
            ("/%C3%B6l/%E2%82%AC", None),
            ("/facade/decade", None),
            ("/item/17", Some("/item/*")),
            ("/item/5000", Some("/item/*")),
            ("/item-17.html", Some("/item-*.html")),
            ("/page12/v2", Some("/page*/v*")),
            ("/3rd-place", Some("/*rd-place")),
            ("/calendar/2024/03/01", Some("/calendar/*/*/*")),
            ("/calendar/2024-03-01", Some("/calendar/*")),
            ("/calendar/2024_03_01", Some("/calendar/*_*_*")),
            ("/calendar/2024/March", Some("/calendar/*/*")),
            ("/calendar/2024/sep", Some("/calendar/*/*")),
            ("/c?year=2024&month=3", Some("/c?year=*&month=*")),
            ("/s/550e8400-e29b-41d4-a716-446655440000/a", Some("/s/*/a")),
            ("/s/deadbeef01/a", Some("/s/*/a")),
            ("/s/deadbeefdeadbeef/a", Some("/s/*/a")),
            ("/s/x8f3k2/a", Some("/s/*/a")),
            ("/s/kQzRtYpL/a", Some("/s/*/a")),
            ("/(S(lit3py55t21z5v55vlm25s55))/x", Some("/(S(*))/x")),
            ("/x;jsessionid=A1B2C3", Some("/x;jsessionid=*")),
            ("/x?sid=a1b2c3d4&lang=de", Some("/x?sid=*&lang=de")),
            ("/%C3%B6l7", Some("/%C3%B6l*")),
            ("/100%25", Some("/*%25")),
            ("//spell;7", Some("/*spell;*")),
            ("/////spell;7", Some("/*spell;*")),
            ("/a///b", Some("/a/*b")),
            ("/a/b/", None),
        ] {
            let url: PageUrl = format!("http://a.example{address}").parse().unwrap();
            let expected = expected.map(|shape| format!("http://a.example{shape}"));
            assert_eq!(shape(&url), expected, "{address}");
        }
    }

    #[test]
    fn a_shape_is_a_glob_for_its_addresses() {
        for address in [
            "http://a.example/c/2024/03",
            "http://a.example:8080/s/x8f3k2/a-1.html",
            "http://a.example///c//d",
        ] {
            let shape = shape(&address.parse().unwrap()).unwrap();
            assert!(Glob::new(&shape).unwrap().compile_matcher().is_match(address), "{shape}");
        }
    }
}
