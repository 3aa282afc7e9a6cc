//! A change in one line that says the change itself: the title of an entry in a feed, the subject of a mail.

use recrawl_core::model::kind::Kind;
use recrawl_core::model::region::Region;
use recrawl_core::model::shared_change::SharedBy;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::words::{counted, is_harmful};

use super::{region, rule};
use crate::changes::{ChangeEntry, SharedEntry};
use crate::marks::{Mark, marks};

/// The most of a title that stands before what changed.
const LONGEST_NAME: usize = 80;

/// How much of an edit is looked at: what went is left out in the end where it is long.
const ROOM: usize = 400;

/// The most of what stands before the first thing that changed.
const LONGEST_LEAD: usize = 40;

/// What is longer is not shown as `before → after`.
const LONGEST_SIDE: usize = 24;

/// Returns what a page is called: its title, or else its address below the host, and of a document what it is; one line.
pub fn name(entry: &ChangeEntry) -> String {
    let title = entry.title.as_deref().map(one_line).filter(|title| !title.is_empty());
    let name = title.unwrap_or_else(|| entry.url.path_and_query().to_owned());
    match &entry.document {
        Some(document) => format!("{name} ({document})"),
        None => name,
    }
}

/// Returns the change itself in one line of about so many characters: `Budget 2026/27: Consultants 95,000 → 195,000`.
pub fn headline(entry: &ChangeEntry, most: usize) -> String {
    if let Some(shared) = &entry.shared {
        let pages = format!("On {}: ", counted(shared.pages, "page"));
        return shortened(&format!("{pages}{}", of_shared(shared, most.saturating_sub(pages.len()))), most);
    }
    let name = shortened(&name(entry), LONGEST_NAME.min(most));
    let said = match entry.kind {
        Verdict::New => format!("New: {name}"),
        Verdict::Gone => format!("Gone: {name}"),
        Verdict::Moved => match leads_to(entry) {
            Some(target) => format!("Moved: {name}, now at {target}"),
            None => format!("Moved: {name}"),
        },
        Verdict::Changed | Verdict::Shared | Verdict::Touched => {
            let (went, came) = (entry.went.as_deref(), entry.came.as_deref());
            if went.is_none() && came.is_none() {
                format!("{name}: {}", what_changed(entry))
            } else {
                format!("{name}: {}", in_words(&marks(went, came, ROOM)))
            }
        }
        Verdict::Unchanged | Verdict::Missing | Verdict::Failed | Verdict::Excluded => {
            format!("{name}: {}", entry.kind)
        }
    };
    shortened(&one_line(&said), most)
}

/// Returns where a page leads now: below its host without that.
pub fn leads_to(entry: &ChangeEntry) -> Option<String> {
    match &entry.target {
        Some(target) if target.authority() == entry.url.authority() => {
            Some(target.path_and_query().to_owned())
        }
        Some(target) => Some(target.to_string()),
        None => entry.location.as_deref().map(one_line),
    }
}

/// Returns what kinds of change there are where no words tell more: `links changed`.
fn what_changed(entry: &ChangeEntry) -> String {
    let kinds: Vec<&str> = entry.kinds.iter().map(Kind::word).collect();
    match (kinds.is_empty(), entry.aspects.is_empty()) {
        (false, _) => format!("{} changed", kinds.join(", ")),
        (true, false) => format!("{} changed", entry.aspects),
        (true, true) => "changed".to_owned(),
    }
}

/// Returns what a shared change is, without its pages: `“Jobs” added to the menu`.
pub fn of_shared(entry: &SharedEntry, most: usize) -> String {
    let (went, came) = (entry.went.as_deref().map(one_line), entry.came.as_deref().map(one_line));
    let place = |word: &str| match entry.region {
        Region::Content => String::new(),
        other => format!(" {word} the {}", region(other)),
    };
    let quoted = |text: &str| format!("“{}”", shortened(text, most.saturating_sub(28).max(LONGEST_SIDE)));
    match (entry.by, went, came) {
        (SharedBy::Rule, _, came) => rule(came.as_deref().unwrap_or_default()).to_owned(),
        (SharedBy::Shift, ..) => format!("a list moved on{}", place("in")),
        (SharedBy::Loss, _, Some(came)) => format!("lost their text, {} instead", quoted(&came)),
        (SharedBy::Loss, _, None) => "lost their text".to_owned(),
        (SharedBy::Return, Some(went), _) => format!("back to normal, no longer {}", quoted(&went)),
        (SharedBy::Return, None, _) => "back to normal".to_owned(),
        (SharedBy::Edit | SharedBy::Shape, None, Some(came)) => {
            format!("{} added{}", quoted(&came), place("to"))
        }
        (SharedBy::Edit | SharedBy::Shape, Some(went), None) => {
            format!("{} removed{}", quoted(&went), place("from"))
        }
        (SharedBy::Edit | SharedBy::Shape, went, came) => {
            let told = in_words(&marks(went.as_deref(), came.as_deref(), ROOM));
            if told.is_empty() { format!("{} changed", entry.aspect) } else { told + &place("in") }
        }
    }
}

/// Writes an edit without marks: what is short as `before → after`, else what came, in quotes.
fn in_words(marks: &[Mark]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut rest = marks.iter().peekable();
    while let Some(mark) = rest.next() {
        match mark {
            Mark::Same(text) if words.is_empty() => words.push(end_of(text)),
            Mark::Same(text) => words.push(text.clone()),
            Mark::Came(text) => words.push(format!("“{}”", text.trim())),
            Mark::Went(went) => {
                let mut ahead = rest.clone();
                ahead.next_if(|next| matches!(next, Mark::Same(between) if between == " "));
                match ahead.next() {
                    Some(Mark::Came(came)) => {
                        rest = ahead;
                        if went.chars().count().max(came.chars().count()) <= LONGEST_SIDE {
                            words.push(format!("{} → {}", went.trim(), came.trim()));
                        } else {
                            words.push(format!("“{}”", came.trim()));
                        }
                    }
                    Some(Mark::Same(_) | Mark::Went(_)) | None => {
                        words.push(format!("“{}” removed", went.trim()));
                    }
                }
            }
        }
    }
    one_line(&words.concat())
}

/// Returns the last words of what stands before a change.
fn end_of(text: &str) -> String {
    let count = text.chars().count();
    if count <= LONGEST_LEAD {
        return text.to_owned();
    }
    let end: String = text.chars().skip(count - LONGEST_LEAD).collect();
    let from = end.find(' ').map_or(0, |space| space + 1);
    format!("…{}", &end[from..])
}

/// Returns one line without characters that do something.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words
        .join(" ")
        .chars()
        .map(|character| if is_harmful(character) { '\u{fffd}' } else { character })
        .collect()
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: Verdict, title: Option<&str>, went: Option<&str>, came: Option<&str>) -> ChangeEntry {
        let url = "https://www.willowbend.example/budget/2026-27".parse().unwrap();
        let text = |text: Option<&str>| text.map(str::to_owned);
        ChangeEntry {
            title: text(title),
            went: text(went),
            came: text(came),
            ..ChangeEntry::bare("crawl-2026-11-16".parse().unwrap(), url, kind)
        }
    }

    #[test]
    fn a_headline_says_the_change_itself() {
        for (kind, title, went, came, expected) in [
            (
                Verdict::Changed,
                Some("Budget 2026/27"),
                Some("Consultants 95,000"),
                Some("Consultants 195,000"),
                "Budget 2026/27: Consultants 95,000 → 195,000",
            ),
            (
                Verdict::Changed,
                Some("Police oversight board"),
                Some("The board meets monthly, and its meetings are always open to the public"),
                Some("The board meets four times a year, behind closed doors"),
                "Police oversight board: “The board meets four times a year, behind closed doors”",
            ),
            (
                Verdict::Changed,
                Some("Fees"),
                Some("As the council decided in its meeting of last May, the fee for a dog is 20 dollars"),
                Some("As the council decided in its meeting of last May, the fee for a dog is 25 dollars"),
                "Fees: …of last May, the fee for a dog is 20 → 25 dollars",
            ),
            (Verdict::Changed, Some("Contact"), None, Some("Ring twice"), "Contact: “Ring twice”"),
            (Verdict::Changed, Some("Contact"), Some("Ring twice"), None, "Contact: “Ring twice” removed"),
            (Verdict::Changed, None, None, None, "/budget/2026-27: changed"),
            (Verdict::New, Some(" Public\nhearing "), None, Some("The council"), "New: Public hearing"),
            (Verdict::Gone, Some("Rental assistance"), Some("Households"), None, "Gone: Rental assistance"),
            (Verdict::Moved, Some("Parking"), None, None, "Moved: Parking"),
        ] {
            assert_eq!(headline(&entry(kind, title, went, came), 120), expected);
        }
        let moved = ChangeEntry {
            target: Some("https://www.willowbend.example/permits/parking".parse().unwrap()),
            ..entry(Verdict::Moved, Some("Parking"), None, None)
        };
        assert_eq!(headline(&moved, 120), "Moved: Parking, now at /permits/parking");
        let long = entry(Verdict::Changed, Some(&"long ".repeat(90)), Some("a"), Some(&"b".repeat(900)));
        assert!(headline(&long, 120).chars().count() <= 120);
    }

    #[test]
    fn a_shared_change_says_on_how_many_pages_and_where() {
        let shared = |by, region, went: Option<&str>, came: Option<&str>| SharedEntry {
            url: None,
            kind: Verdict::Shared,
            crawl: "crawl-2026-11-16".parse().unwrap(),
            id: recrawl_core::model::edit::EditId(1),
            site: "willow-bend".parse().unwrap(),
            tier: recrawl_core::model::kind::Tier::Around,
            weight: 100,
            kinds: recrawl_core::model::kind::Kinds::default(),
            aspect: recrawl_core::model::aspect::Aspect::Text,
            by,
            went: went.map(str::to_owned),
            came: came.map(str::to_owned),
            pages: 1_182,
            samples: Vec::new(),
            region,
            template: true,
            noise: false,
            urls: None,
            urls_cut: false,
            also: Vec::new(),
            review: None,
        };
        for (by, region, went, came, expected) in [
            (SharedBy::Edit, Region::Nav, None, Some("Jobs"), "“Jobs” added to the menu"),
            (SharedBy::Edit, Region::Footer, Some("Fax 12"), None, "“Fax 12” removed from the footer"),
            (
                SharedBy::Edit,
                Region::Header,
                Some("Open 9 to 5"),
                Some("Open 9 to 4"),
                "Open 9 to 5 → 4 in the header",
            ),
            (SharedBy::Shift, Region::Aside, None, None, "a list moved on in the aside"),
            (SharedBy::Rule, Region::Footer, None, Some("years"), "copyright year"),
            (
                SharedBy::Loss,
                Region::Content,
                None,
                Some("Back soon"),
                "lost their text, “Back soon” instead",
            ),
            (
                SharedBy::Return,
                Region::Content,
                Some("Back soon"),
                None,
                "back to normal, no longer “Back soon”",
            ),
        ] {
            let entry = ChangeEntry {
                shared: Some(Box::new(shared(by, region, went, came))),
                ..entry(Verdict::Shared, None, None, None)
            };
            assert_eq!(headline(&entry, 120), format!("On 1,182 pages: {expected}"));
        }
    }
}
