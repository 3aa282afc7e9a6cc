//! Which selectors leave a line out of a page: from the element that holds it to the whole frame around the content.

use recrawl_core::model::content::Unreadable;

use crate::budget::WorkBudget;
use crate::charset;
use crate::html::text::TextRules;
use crate::html::tree::{Element, Flow, NodeIndex, Part, Step, Tree};

/// An element with more than this percentage of the letters of the page is the page itself.
const MOST_OF_THE_PAGE: usize = 50;

/// How many selectors are of use to somebody who chooses.
const MOST: usize = 5;

/// What stands around the content of most sites.
const FRAME: &str = "header, nav, footer, aside";

/// Returns selectors of the elements that hold the `number`th such line of a page, the narrowest first; none where no
/// element has a name that stays, or the line is not found.
pub(crate) fn selectors(
    body: &[u8],
    content_type: Option<&str>,
    rules: &TextRules,
    line: &str,
    number: usize,
) -> Result<Vec<String>, Unreadable> {
    let decoded = charset::decode(body, content_type);
    let budget = WorkBudget::for_page();
    let mut filter = rules.attribute_filter();
    filter.keeps_all = true;
    let dom = Tree::parse(&decoded.text, &filter, &budget)?;
    let wanted = letters(line);
    let spans = Spans::of(&dom);
    let Some(holder) = spans.holder(&wanted, number) else { return Ok(Vec::new()) };
    let mut found: Vec<String> = Vec::new();
    let mut is_frame = false;
    let above = std::iter::successors(Some(holder), |index| dom.parent(*index));
    for index in above {
        let Some(element) = dom.element(index) else { continue };
        let is_whole = matches!(element.name(), "html" | "body" | "main") || spans.is_most(index);
        is_frame |= is_landmark(element.part);
        if is_whole {
            continue;
        }
        let Some(name) = name_of(&dom, element) else { continue };
        let name = if is_bare(&name) { within_frame(&dom, index, name) } else { name };
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found.truncate(MOST);
    if is_frame {
        found.push(FRAME.to_owned());
    }
    Ok(found)
}

/// Where the text of each element begins and ends, in letters of the page.
struct Spans {
    letters: String,
    /// By element, in the order of their ends: those inside before those around them.
    ended: Vec<(NodeIndex, usize, usize)>,
}

impl Spans {
    fn of(dom: &Tree) -> Self {
        let (mut text, mut open, mut ended) = (String::new(), Vec::new(), Vec::new());
        let mut dropped = 0_usize;
        for step in dom.walk() {
            match step {
                Step::Enter(index, element) => {
                    dropped += usize::from(element.flow == Flow::Dropped);
                    open.push((index, text.len()));
                }
                Step::Leave(element) => {
                    dropped -= usize::from(element.flow == Flow::Dropped);
                    let Some((index, start)) = open.pop() else { continue };
                    ended.push((index, start, text.len()));
                }
                Step::Text(piece) if dropped == 0 => text.push_str(&letters(piece)),
                Step::Text(_) => {}
            }
        }
        Self { letters: text, ended }
    }

    /// Returns the innermost element that says this and nothing else, or else the smallest one that says it, too.
    fn holder(&self, wanted: &str, number: usize) -> Option<NodeIndex> {
        if wanted.is_empty() {
            return None;
        }
        let says = |(_, start, end): &(NodeIndex, usize, usize)| &self.letters[*start..*end] == wanted;
        let mut exact: Vec<&(NodeIndex, usize, usize)> =
            self.ended.iter().filter(|span| says(span)).collect();
        // Of elements inside each other, the outermost has the name more often: `li` around `a`.
        exact.dedup_by_key(|(_, start, _)| *start);
        if let Some((index, ..)) = exact.get(number).or(exact.first()) {
            return Some(*index);
        }
        let holds = self.ended.iter().filter(|(_, start, end)| self.letters[*start..*end].contains(wanted));
        holds.min_by_key(|(_, start, end)| end - start).map(|(index, ..)| *index)
    }

    fn is_most(&self, index: NodeIndex) -> bool {
        let span = self.ended.iter().find(|(other, ..)| *other == index);
        span.is_some_and(|(_, start, end)| (end - start) * 100 > self.letters.len() * MOST_OF_THE_PAGE)
    }
}

fn letters(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric()).collect()
}

const fn is_landmark(part: Part) -> bool {
    matches!(part, Part::Nav | Part::Header | Part::Footer | Part::Aside)
}

/// Returns a selector of an element by its id, its classes, or what it is; nothing where all of that may be another on the
/// next page.
fn name_of(dom: &Tree, element: &Element) -> Option<String> {
    if let Some(id) = dom.attribute(element, "id").map(str::trim).filter(|id| is_lasting(id)) {
        return Some(format!("#{id}"));
    }
    let classes = dom.attribute(element, "class").unwrap_or_default();
    let lasting: Vec<&str> = classes.split_whitespace().filter(|class| is_lasting(class)).take(2).collect();
    if !lasting.is_empty() {
        return Some(format!("{}.{}", element.name(), lasting.join(".")));
    }
    if matches!(element.name(), "nav" | "header" | "footer" | "aside") {
        return Some(element.name().to_owned());
    }
    let role = dom.attribute(element, "role").filter(|_| is_landmark(element.part))?;
    is_lasting(role).then(|| format!("[role={role}]"))
}

/// Tells whether a name is one that people gave: no number of a block, no hash of a build.
fn is_lasting(name: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
    let digits = name.chars().filter(char::is_ascii_digit).count();
    let begins = name.chars().next().is_some_and(|first| first.is_ascii_alphabetic());
    begins && name.len() <= 60 && name.chars().all(is_plain) && digits < 3
}

fn is_bare(name: &str) -> bool {
    matches!(name, "nav" | "header" | "footer" | "aside")
}

/// Returns a landmark with the one around it: `header nav` is another menu than one beside the content.
fn within_frame(dom: &Tree, index: NodeIndex, name: String) -> String {
    let above = std::iter::successors(dom.parent(index), |index| dom.parent(*index));
    let outer = above.filter_map(|index| dom.element(index)).find(|element| is_bare(element.name()));
    match outer {
        Some(outer) => format!("{} {name}", outer.name()),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<html><body><header><h1>Town</h1><nav><ul><li><a href=/>Home</a><li><a href=/jobs>Jobs</a></ul></nav>\
        </header><main><h2>Budget of the town for this year</h2><p>A long text about what the town spends its money on.</p>\
        <div class='box counter-a1b2c3d4'><p class=visits>12 people are here</p></div><div id=block-4711><p>Loose</p></div>\
        <p>Jobs</p></main><footer class='foot x'><p>Built 2026-11-16</p></footer></body></html>";

    fn found(line: &str, number: usize) -> Vec<String> {
        selectors(PAGE.as_bytes(), Some("text/html"), &TextRules::default(), line, number).unwrap()
    }

    #[test]
    fn selectors_go_from_the_element_of_a_line_to_the_whole_frame() {
        assert_eq!(found("Jobs", 0), ["header nav", "header", FRAME]);
        assert_eq!(found("12 people are here", 0), ["p.visits", "div.box"]);
        assert_eq!(found("Built 2026-11-16", 0), ["footer.foot.x", FRAME]);
    }

    #[test]
    fn what_has_no_name_that_stays_and_what_is_not_there_has_no_selector() {
        for (line, number) in [("Loose", 0), ("Jobs", 1), ("not there", 0), ("...", 0)] {
            assert!(found(line, number).is_empty(), "{line}: {:?}", found(line, number));
        }
    }
}
