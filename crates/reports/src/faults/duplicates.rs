//! Pages that say the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use recrawl_core::model::ids::{ContentHash, SemanticHash};
use recrawl_core::model::record::PageRecord;
use recrawl_core::url::PageUrl;

/// How alike pages are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Likeness {
    /// Byte for byte.
    Bytes,
    /// They say the same in other bytes.
    Meaning,
}

/// Pages that say the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// How alike all of them are.
    pub likeness: Likeness,
    /// The pages, by address; those with the same bytes are together.
    pub pages: Vec<Vec<PageUrl>>,
}

impl Group {
    /// Returns how many pages say the same.
    pub fn len(&self) -> usize {
        self.pages.iter().map(Vec::len).sum()
    }

    /// Tells whether there are none; a group never is.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }
}

impl Group {
    /// Returns the pages one by one, as group `number`.
    pub fn entries(self, number: usize) -> impl Iterator<Item = DuplicateEntry> {
        let likeness = self.likeness;
        (1..).zip(self.pages).flat_map(move |(bytes, pages)| {
            pages.into_iter().map(move |url| DuplicateEntry { group: number, likeness, bytes, url })
        })
    }
}

/// A page that says what others say; its JSON form is stable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DuplicateEntry {
    /// The number of its group, the largest first.
    pub group: usize,
    /// How alike all pages of the group are.
    pub likeness: Likeness,
    /// Pages of one group and one number here are the same byte for byte.
    pub bytes: usize,
    /// The page.
    pub url: PageUrl,
}

impl DuplicateEntry {
    /// The fields in the order of columns.
    pub const FIELDS: [&str; 4] = ["group", "likeness", "bytes", "url"];
}

/// Gathers pages that say the same.
#[derive(Debug, Default)]
pub struct Duplicates {
    meanings: HashMap<SemanticHash, BTreeMap<ContentHash, BTreeSet<PageUrl>>>,
}

impl Duplicates {
    /// Notes what a page says.
    pub fn take_in(&mut self, record: &PageRecord) {
        if let Some(content) = record.offered_content() {
            let bytes = self.meanings.entry(content.semantic).or_default();
            bytes.entry(content.hash).or_default().insert(record.url.clone());
        }
    }

    /// Returns the groups of two pages or more, the largest first.
    ///
    /// Pages without any text say nothing, and so not the same; byte for byte they can still be equal.
    pub fn finish(self) -> Vec<Group> {
        let silence = SemanticHash::of(b"");
        let mut groups: Vec<Group> = Vec::new();
        for (meaning, bytes) in self.meanings {
            let mut pages: Vec<Vec<PageUrl>> =
                bytes.into_values().map(|pages| pages.into_iter().collect()).collect();
            pages.sort();
            if meaning == silence {
                let equal =
                    pages.into_iter().map(|pages| Group { likeness: Likeness::Bytes, pages: vec![pages] });
                groups.extend(equal);
            } else {
                let likeness = if pages.len() == 1 { Likeness::Bytes } else { Likeness::Meaning };
                groups.push(Group { likeness, pages });
            }
        }
        groups.retain(|group| group.len() > 1);
        groups.sort_by(|one, other| (other.len(), &one.pages).cmp(&(one.len(), &other.pages)));
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::record;
    use super::*;

    fn groups(pages: &[(&str, char)], silent: &[(&str, u8)]) -> Vec<String> {
        let mut report = Duplicates::default();
        for (path, letter) in pages {
            report.take_in(&record(path, *letter));
        }
        for (path, byte) in silent {
            let mut record = record(path, 'A');
            let content = record.known.content.as_mut().unwrap();
            content.semantic = SemanticHash::of(b"");
            content.hash = ContentHash::of(&[*byte]);
            report.take_in(&record);
        }
        let same = |pages: &Vec<PageUrl>| pages.iter().map(PageUrl::path).collect::<Vec<_>>().join("=");
        let shown = |group: Group| {
            let pages: Vec<String> = group.pages.iter().map(same).collect();
            format!("{:?} {}", group.likeness, pages.join("~"))
        };
        report.finish().into_iter().map(shown).collect()
    }

    #[test]
    fn pages_that_say_the_same_are_grouped() {
        for (pages, expected) in [
            (vec![("/a", 'A'), ("/b", 'B')], vec![]),
            (vec![("/b", 'A'), ("/a", 'A')], vec!["Bytes /a=/b"]),
            (vec![("/a", 'A'), ("/b", 'a')], vec!["Meaning /a~/b"]),
            (
                vec![("/a", 'A'), ("/c", 'B'), ("/b", 'a'), ("/d", 'B'), ("/e", 'A')],
                vec!["Meaning /a=/e~/b", "Bytes /c=/d"],
            ),
            (vec![("/a", '0'), ("/b", '0'), ("/c", '!'), ("/d", 'x')], vec![]),
        ] {
            assert_eq!(groups(&pages, &[]), expected);
        }
    }

    #[test]
    fn pages_without_text_are_the_same_only_byte_for_byte() {
        assert_eq!(groups(&[], &[("/a", 1), ("/b", 2)]), Vec::<String>::new());
        assert_eq!(groups(&[], &[("/a", 1), ("/b", 2), ("/c", 1)]), ["Bytes /a=/c"]);
    }
}
