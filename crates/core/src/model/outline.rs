//! What a page holds beside its text, as it is compared: where each line stands, where links lead, what is shown, what
//! the head says.

use std::fmt::Write as _;

use crate::model::region::Mark;

/// A longer outline is cut, and says so.
pub const MAX_OUTLINE: usize = 400_000;

/// What a page holds beside its text. No part of the semantic hash: it may be made anew by other rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// The marks of the lines of the text, in order, as runs: a mark, and for how many lines it holds.
    pub lines: Vec<(Mark, u32)>,
    /// Where links lead, in order, without doubles and noise.
    pub links: Vec<Item>,
    /// Which images, sounds and films are shown, in order, without doubles and noise.
    pub media: Vec<Item>,
    /// What the head says, in the order of [`MetaKind::ALL`].
    pub meta: Vec<(MetaKind, String)>,
    /// What each noise rule removed.
    pub noise: Vec<NoiseTrace>,
    /// It was longer than [`MAX_OUTLINE`]: links and images at its end are missing.
    pub is_cut: bool,
}

/// A link or an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Where it stands.
    pub mark: Mark,
    /// The address as it is compared; of an image with the text that stands for it.
    pub address: String,
    /// The words of a link to a document, such as a PDF; empty for all others.
    pub words: String,
    /// Where an image is fetched: [`SAME`] where that is its address as compared. Empty for all others.
    pub source: String,
}

/// An image is fetched where its address, as it is compared, says.
pub const SAME: &str = "=";

impl Item {
    /// Returns where an image is fetched; nothing for what is none, or stands within the page itself.
    pub fn image_source(&self) -> Option<&str> {
        match self.source.as_str() {
            "" => None,
            // Behind the address stands, after a blank, the text that stands for the image.
            SAME => self.address.split(' ').next(),
            source => Some(source),
        }
    }
}

/// A part of a page's head that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MetaKind {
    /// The title.
    Title,
    /// The description.
    Description,
    /// The address it prefers for itself.
    Canonical,
    /// What it asks of robots.
    Robots,
}

impl MetaKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Title, Self::Description, Self::Canonical, Self::Robots];

    /// Returns the word used in stores and output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Description => "description",
            Self::Canonical => "canonical",
            Self::Robots => "robots",
        }
    }
}

/// What one noise rule removed from a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoiseTrace {
    /// The name of the rule.
    pub rule: String,
    /// How many pieces it removed or reduced.
    pub count: u32,
    /// A fingerprint of them.
    pub fingerprint: u32,
}

impl Outline {
    /// Returns the mark of each line of the text; of lines that it does not know, [`Mark::CONTENT`].
    pub fn marks(&self) -> impl Iterator<Item = Mark> + '_ {
        let known = self.lines.iter().flat_map(|(mark, count)| std::iter::repeat_n(*mark, *count as usize));
        known.chain(std::iter::repeat(Mark::CONTENT))
    }

    /// Adds the mark of the next line.
    pub fn push_line(&mut self, mark: Mark) {
        match self.lines.last_mut() {
            Some((last, count)) if *last == mark => *count += 1,
            _ => self.lines.push((mark, 1)),
        }
    }

    /// Writes the outline as stores keep it: a line a fact, the first character says which.
    pub fn encode(&self) -> String {
        let mut text = String::from("1");
        for (mark, count) in &self.lines {
            let _ = write!(text, " {}{count}", code(*mark));
        }
        for (kind, content) in &self.meta {
            let _ = write!(text, "\nh{}\t{}", kind.word(), one_line(content));
        }
        for NoiseTrace { rule, count, fingerprint } in &self.noise {
            let _ = write!(text, "\nn{rule}\t{count}\t{fingerprint}");
        }
        let mut is_cut = self.is_cut;
        let links = self.links.iter().map(|item| ('l', item));
        for (kind, Item { mark, address, words, source }) in
            links.chain(self.media.iter().map(|item| ('m', item)))
        {
            if text.len() + address.len() + words.len() + source.len() > MAX_OUTLINE {
                is_cut = true;
                break;
            }
            let _ = write!(text, "\n{kind}{}{}", code(*mark), one_line(address));
            if !words.is_empty() || !source.is_empty() {
                let _ = write!(text, "\t{}", one_line(words));
            }
            if !source.is_empty() {
                let _ = write!(text, "\t{}", one_line(source));
            }
        }
        if is_cut {
            text.push_str("\nx");
        }
        text
    }

    /// Reads what [`Outline::encode`] wrote; `None` if that is no outline.
    pub fn decode(text: &str) -> Option<Self> {
        let mut outline = Self::default();
        let mut lines = text.split('\n');
        for run in lines.next()?.strip_prefix('1')?.split_ascii_whitespace() {
            let (mark, count) = run.split_at_checked(2)?;
            outline.lines.push((Mark::from_code(mark.as_bytes())?, count.parse().ok()?));
        }
        for line in lines {
            let mut fields = line.get(1..).unwrap_or_default().split('\t');
            let first = fields.next()?;
            match line.bytes().next()? {
                b'h' => {
                    let kind = MetaKind::ALL.into_iter().find(|kind| kind.word() == first)?;
                    outline.meta.push((kind, fields.next()?.to_owned()));
                }
                b'n' => outline.noise.push(NoiseTrace {
                    rule: first.to_owned(),
                    count: fields.next()?.parse().ok()?,
                    fingerprint: fields.next()?.parse().ok()?,
                }),
                kind @ (b'l' | b'm') => {
                    let (mark, address) = first.split_at_checked(2)?;
                    let mark = Mark::from_code(mark.as_bytes())?;
                    let words = fields.next().unwrap_or_default().to_owned();
                    let source = fields.next().unwrap_or_default().to_owned();
                    let item = Item { mark, address: address.to_owned(), words, source };
                    if kind == b'l' { &mut outline.links } else { &mut outline.media }.push(item);
                }
                b'x' => outline.is_cut = true,
                // A later version may have more to say.
                _ => {}
            }
        }
        Some(outline)
    }
}

fn code(mark: Mark) -> String {
    mark.code().map(char::from).iter().collect()
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\t', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::region::Region;

    fn outline() -> Outline {
        let heading = Mark { is_heading: true, ..Mark::CONTENT };
        let menu = Mark { is_links: true, ..Mark::of(Region::Nav) };
        let item = |mark, address: &str, words: &str| Item {
            mark,
            address: address.to_owned(),
            words: words.to_owned(),
            source: if address.contains(".png") { SAME } else { "" }.to_owned(),
        };
        let signed = Item {
            source: "https://example.org/b.png?itok=aB3dE5fG".to_owned(),
            ..item(Mark::CONTENT, "https://example.org/b.png", "")
        };
        let mut outline = Outline {
            links: vec![
                item(menu, "https://example.org/", ""),
                item(Mark::CONTENT, "https://example.org/plan.pdf", "the plan"),
            ],
            media: vec![item(Mark::of(Region::Footer), "https://example.org/a.png \"a bridge\"", ""), signed],
            meta: vec![(MetaKind::Title, "A title".to_owned()), (MetaKind::Robots, "noindex".to_owned())],
            noise: vec![NoiseTrace { rule: "years".to_owned(), count: 2, fingerprint: 7 }],
            ..Outline::default()
        };
        for mark in [menu, menu, heading, Mark::CONTENT, menu] {
            outline.push_line(mark);
        }
        outline
    }

    #[test]
    fn an_outline_reads_back_as_it_was_written() {
        let outline = outline();
        assert_eq!(outline.lines.len(), 4);
        assert_eq!(Outline::decode(&outline.encode()), Some(outline.clone()));
        assert_eq!(Outline::decode(&Outline::default().encode()), Some(Outline::default()));
        let cut = Outline { is_cut: true, ..outline };
        assert_eq!(Outline::decode(&cut.encode()), Some(cut));
        for broken in ["", "2", "1 c", "1 z01", "1\nhcolour\tred", "1\nlc"] {
            assert_eq!(Outline::decode(broken), None, "{broken:?}");
        }
    }

    #[test]
    fn an_image_says_where_it_is_fetched() {
        let outline = outline();
        let sources: Vec<Option<&str>> = outline.media.iter().map(Item::image_source).collect();
        let expected = ["https://example.org/a.png", "https://example.org/b.png?itok=aB3dE5fG"];
        assert_eq!(sources, expected.map(Some));
        assert_eq!(outline.links[0].image_source(), None, "a link is none");
    }

    #[test]
    fn lines_that_an_outline_does_not_know_are_content() {
        let marks: Vec<Region> = outline().marks().take(7).map(|mark| mark.region).collect();
        let [menu, content] = [Region::Nav, Region::Content];
        assert_eq!(marks, [menu, menu, content, content, menu, content, content]);
    }

    #[test]
    fn a_long_outline_loses_its_end_and_says_so() {
        let mut outline = outline();
        let link = Item { address: "a".repeat(1_000), ..outline.links[0].clone() };
        outline.links = vec![link; 1_000];
        let read = Outline::decode(&outline.encode()).unwrap();
        assert!(read.is_cut && read.links.len() < 1_000 && read.media.is_empty());
        assert!(outline.encode().len() < MAX_OUTLINE + 10);
    }
}
