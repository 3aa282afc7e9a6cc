//! The words of links to documents, such as PDF: the same words that lead to another document are news.

/// The endings of addresses of documents.
const ENDINGS: [&str; 24] = [
    "pdf", "doc", "docx", "docm", "dot", "dotx", "odt", "rtf", "txt", "xls", "xlsx", "xlsm", "xlsb", "ods",
    "csv", "ppt", "pptx", "pps", "ppsx", "odp", "epub", "zip", "key", "pages",
];

/// The length of the longest of them.
const LONGEST_ENDING: usize = 5;

/// Longer addresses are data, and not looked through.
const MAX_ADDRESS: usize = 2_000;

/// Words are not kept any longer.
const MAX_CHARACTERS: usize = 200;

/// The words of links to documents, by the numbers of the links.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DocumentWords(Vec<(u32, String)>);

impl DocumentWords {
    /// Adds the words of a link that stands behind those before it.
    pub(super) fn add(&mut self, link: usize, words: &str) {
        let words: Vec<&str> = words.split_whitespace().collect();
        let words: String = words.join(" ").chars().take(MAX_CHARACTERS).collect();
        if let Ok(link) = u32::try_from(link)
            && !words.is_empty()
        {
            self.0.push((link, words));
        }
    }

    /// Returns the words of a link; empty if it leads to no document.
    pub(super) fn of(&self, link: u32) -> &str {
        let found = self.0.binary_search_by_key(&link, |(link, _)| *link);
        found.ok().and_then(|place| self.0.get(place)).map_or("", |(_, words)| words)
    }

    /// Changes the words, such as to remove noise.
    pub(super) fn try_map<E>(&mut self, mut change: impl FnMut(&str) -> Result<String, E>) -> Result<(), E> {
        self.0.iter_mut().try_for_each(|(_, words)| {
            *words = change(words)?;
            Ok(())
        })
    }
}

/// Tells whether an address is that of a document, by the ending of its path.
pub(super) fn is_document(address: &str) -> bool {
    if address.len() > MAX_ADDRESS {
        return false;
    }
    let bytes = address.as_bytes();
    let path = bytes[..memchr::memchr2(b'?', b'#', bytes).unwrap_or(bytes.len())].trim_ascii_end();
    let Some(dot) = path.iter().rev().take(LONGEST_ENDING + 1).position(|byte| *byte == b'.') else {
        return false;
    };
    let ending = &path[path.len() - dot..];
    ENDINGS.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_known_by_their_endings() {
        assert!(
            ENDINGS
                .iter()
                .all(|ending| ending.len() <= LONGEST_ENDING && is_document(&format!("a.{ending}")))
        );
        for (address, expected) in [
            ("/a/plan.pdf", true),
            ("plan.PDF?download=1#page=2", true),
            ("https://example.org/x.y.docx ", true),
            ("/pdf", false),
            (".pdf/", false),
            ("/show?file=a.pdf", false),
            ("https://example.org/index.html", false),
            ("mailto:a@example.zip.org", false),
            ("", false),
        ] {
            assert_eq!(is_document(address), expected, "{address}");
        }
    }

    #[test]
    fn words_are_found_by_the_number_of_their_link() {
        let mut words = DocumentWords::default();
        words.add(3, " The\nplan ");
        words.add(4, " ");
        words.add(7, &"x".repeat(300));
        assert_eq!([words.of(3), words.of(4), words.of(9)], ["The plan", "", ""]);
        assert_eq!(words.of(7).len(), 200);
    }
}
