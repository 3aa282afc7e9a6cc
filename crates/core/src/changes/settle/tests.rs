use super::*;
use crate::changes::edits::{OwnMarks, content_words, edits};
use crate::changes::memory::recognise;
use crate::model::aspect::Aspects;
use crate::model::content::Reading;
use crate::model::ids::CrawlId;
use crate::model::kind::WordCount;
use crate::model::outline::{Item, Outline};
use crate::model::region::Mark;
use crate::versions::tests::visited;

/// A page as lines; a line that begins with `n:` stands in the menu, with `f:` in the footer.
pub(in crate::changes) fn reading(lines: &str) -> Reading {
    let mut outline = Outline::default();
    let mut text = Vec::new();
    for line in lines.split('|').filter(|line| !line.is_empty()) {
        let (region, line) = match line.split_at_checked(2) {
            Some(("n:", line)) => (Region::Nav, line),
            Some(("f:", line)) => (Region::Footer, line),
            _ => (Region::Content, line),
        };
        outline.push_line(Mark::of(region));
        text.push(line);
    }
    Reading { text: text.join("\n"), outline: Some(outline) }
}

fn crawl() -> CrawlId {
    "crawl-2026-11-18".parse().unwrap()
}

/// A record of page `name` that said one thing and says another.
pub(in crate::changes) fn record(name: &str, before: &str, after: &str) -> PageRecord {
    let mut record = visited("A=").pop().unwrap();
    record.url = format!("https://example.org/{name}").parse().unwrap();
    let signatures = crate::model::aspect::Signature(1);
    let signatures = crate::model::aspect::Signatures { links: signatures, media: signatures, meta: None };
    record.known.content.as_mut().unwrap().signatures = Some(signatures);
    if before != after {
        let (before, after) = (reading(before), reading(after));
        let own = OwnMarks::new(&record.url, &[]);
        record.visit.verdict = Verdict::Changed;
        record.visit.words = WordCount { changed: 0, of: content_words(&after) };
        record.visit.edits = Some(Box::new(edits(&before, &after, &own, Aspects::ALL)));
    }
    record
}

fn settled(records: &mut [PageRecord], told: &ToldChanges) -> Settled {
    let mut grouping = Grouping::new(SharingRules::default(), crawl(), records.len() as u64, told);
    for record in records.iter() {
        grouping.add(record);
    }
    let mut grouped = grouping.group();
    for record in records.iter_mut() {
        grouped.settle(record);
    }
    grouped.finish()
}

fn verdict(record: &PageRecord) -> (Verdict, Option<Tier>) {
    (record.visit.verdict, record.visit.tier)
}

fn rows(settled: &Settled) -> Vec<(Tier, u64, String, String)> {
    let shown = settled.shared.iter().filter(|change| !change.noise);
    shown.map(|change| (change.tier, change.pages, change.went.clone(), change.came.clone())).collect()
}

#[test]
fn a_menu_entry_on_every_page_is_one_row_and_hides_no_edit() {
    let menu = |text: &str| format!("n:Home|n:Jobs|{text}");
    let mut records: Vec<PageRecord> = (0..30)
        .map(|page| {
            let text = format!("Page {page} says what it always said|f:The city");
            let after = if page == 7 { text.replace("always", "never") } else { text.clone() };
            record(&format!("p{page}"), &format!("n:Home|{text}"), &menu(&after))
        })
        .collect();
    let settled = settled(&mut records, &ToldChanges::default());
    assert_eq!(rows(&settled), [(Tier::Around, 30, String::new(), "Jobs".to_owned())]);
    assert!(settled.shared[0].template);
    for (page, record) in records.iter().enumerate() {
        let expected = if page == 7 { Verdict::Changed } else { Verdict::Shared };
        assert_eq!(record.visit.verdict, expected, "page {page}");
    }
    assert_eq!(records[7].visit.tier, Some(Tier::Content));
    assert_eq!(records[7].visit.words, WordCount { changed: 1, of: 7 });
    assert_eq!((settled.loss.own_content, settled.loss.lost_content), (1, 0));
}

#[test]
fn a_menu_entry_that_leads_to_a_page_is_none_of_its_own_edits() {
    let mut records: Vec<PageRecord> = (0..6)
        .map(|page| {
            let link = Item {
                mark: Mark::of(Region::Nav),
                address: "https://example.org/p3".to_owned(),
                words: String::new(),
                source: String::new(),
            };
            let (before, mut after) = (reading("Some text"), reading("Some text"));
            after.outline.get_or_insert_default().links.push(link);
            let mut record = record(&format!("p{page}"), "a", "b");
            let own = OwnMarks::new(&record.url, &[]);
            record.visit.edits = Some(Box::new(edits(&before, &after, &own, Aspects::ALL)));
            record
        })
        .collect();
    // Of most edits the texts are not kept.
    for record in records.iter_mut().skip(2) {
        record.visit.edits.as_mut().unwrap().list[0].texts = None;
    }
    let settled = settled(&mut records, &ToldChanges::default());
    assert_eq!(rows(&settled), [(Tier::Around, 6, String::new(), "https://example.org/p3".to_owned())]);
    assert!(records.iter().all(|record| record.visit.verdict == Verdict::Shared));
}

#[test]
fn a_number_corrected_on_six_pages_is_one_row_and_six_changed_pages() {
    let mut records: Vec<PageRecord> = (0..6)
        .map(|page| {
            let text = |number| format!("About office {page}|Telephone: 503-555-{number}");
            record(&format!("p{page}"), &text("0134"), &text("0199"))
        })
        .collect();
    records.extend((6..100).map(|page| record(&format!("p{page}"), "a", "a")));
    let settled = settled(&mut records, &ToldChanges::default());
    assert_eq!(rows(&settled).len(), 1);
    assert_eq!((settled.shared[0].tier, settled.shared[0].template), (Tier::Content, false));
    assert_eq!(settled.shared[0].urls.len(), 6);
    for record in &records[..6] {
        assert_eq!(verdict(record), (Verdict::Changed, Some(Tier::Content)));
    }
}

#[test]
fn prices_that_rise_on_many_pages_are_one_row_by_their_shape_and_stay_content() {
    let mut records: Vec<PageRecord> = (0..8)
        .map(|page| {
            let text = |price| format!("Ticket {page}|Price: ${price}.{page}0");
            record(&format!("p{page}"), &text(4), &text(5))
        })
        .collect();
    let settled = settled(&mut records, &ToldChanges::default());
    assert_eq!(settled.shared.len(), 1);
    assert_eq!(settled.shared[0].by, SharedBy::Shape);
    assert!(records.iter().all(|record| verdict(record) == (Verdict::Changed, Some(Tier::Content))));
    assert!(settled.observed.is_empty(), "prices are never noise");
}

#[test]
fn a_sentence_for_readers_on_every_page_keeps_its_tier_as_a_row() {
    let notice = "No service on Thursday because of the holiday, see the calendar.";
    let mut records: Vec<PageRecord> = (0..40)
        .map(|page| record(&format!("p{page}"), &format!("Page {page}"), &format!("Page {page}|{notice}")))
        .collect();
    let settled = settled(&mut records, &ToldChanges::default());
    assert_eq!(rows(&settled), [(Tier::Content, 40, String::new(), notice.to_owned())]);
    assert!(settled.shared[0].template);
    assert!(records.iter().all(|record| record.visit.verdict == Verdict::Shared));
}

#[test]
fn a_shared_change_that_was_told_is_known_on_one_page_later() {
    let page = |name: &str| record(name, "Text", "n:Jobs|Text");
    let mut first: Vec<PageRecord> = (0..5).map(|number| page(&format!("p{number}"))).collect();
    let before = "crawl-2026-11-11".parse().unwrap();
    let mut told = ToldChanges::default();
    told.tell(before, &settled(&mut first, &ToldChanges::default()).shared);
    let mut late = vec![page("late")];
    let settled = settled(&mut late, &told);
    assert_eq!(late[0].visit.verdict, Verdict::Shared);
    assert_eq!(settled.shared[0].since, Some(before));
}

#[test]
fn a_list_that_moved_on_over_its_pages_is_one_row() {
    let list = |from: usize| {
        (from..from + 5)
            .map(|entry| format!("Entry number {entry} of the list"))
            .collect::<Vec<_>>()
            .join("|")
    };
    let mut records: Vec<PageRecord> =
        (0..4).map(|page| record(&format!("list{page}"), &list(5 * page + 1), &list(5 * page))).collect();
    let settled = settled(&mut records, &ToldChanges::default());
    let shifted: Vec<Verdict> = records.iter().map(|record| record.visit.verdict).collect();
    // The first page has an entry that no page had, and the last one lost one for good.
    assert_eq!(shifted, [Verdict::Changed, Verdict::Shared, Verdict::Shared, Verdict::Changed]);
    assert_eq!(settled.shared.iter().filter(|change| change.by == SharedBy::Shift).count(), 1);
}

#[test]
fn pages_that_lost_their_text_and_show_the_same_line_are_one_row() {
    let text =
        |page: usize| (0..9).map(|line| format!("Line {line} of berth {page}")).collect::<Vec<_>>().join("|");
    let mut records: Vec<PageRecord> =
        (0..10).map(|page| record(&format!("b{page}"), &text(page), "Live data is being updated.")).collect();
    let settled = settled(&mut records, &ToldChanges::default());
    assert_eq!(settled.loss.lost_content, 10);
    let loss: Vec<&SharedChange> =
        settled.shared.iter().filter(|change| change.by == SharedBy::Loss).collect();
    assert_eq!(loss.len(), 1);
    assert_eq!(
        (loss[0].tier, loss[0].pages, loss[0].came.as_str()),
        (Tier::Content, 10, "Live data is being updated.")
    );
    assert_eq!(settled.loss.own_content, 0);
}

#[test]
fn a_page_that_kept_its_text_beside_the_line_of_an_outage_is_in_the_same_row() {
    let lines = |count: usize, page: &str| {
        (0..count).map(|line| format!("Line {line} of {page}")).collect::<Vec<_>>().join("|")
    };
    let outage = "Live data is being updated.";
    let berth = |page: usize| record(&format!("b{page}"), &lines(9, &format!("berth {page}")), outage);
    let mut records: Vec<PageRecord> = (0..10).map(berth).collect();
    let (before, after) = (lines(20, "the town"), format!("{}|{outage}", lines(20, "the town")));
    records.push(record("town", &before, &after));
    let settled = settled(&mut records, &ToldChanges::default());
    let rows: Vec<(SharedBy, u64)> = settled.shared.iter().map(|change| (change.by, change.pages)).collect();
    assert_eq!(rows, [(SharedBy::Loss, 11)]);
    assert_eq!(settled.loss.lost_content, 10);
}

/// A record of a page that lost its content, said this meanwhile, and says something now.
fn back(name: &str, before: &str, meanwhile: &str, now: &str) -> PageRecord {
    let noise = crate::changes::noise::LearntNoise::default().in_force();
    let mut outage = record(name, before, meanwhile);
    let memory = recognise(None, &noise, outage.visit.edits.as_mut().unwrap());
    let mut back = record(name, meanwhile, now);
    recognise(Some(&memory), &noise, back.visit.edits.as_mut().unwrap());
    back
}

#[test]
fn pages_that_say_again_what_they_said_are_one_row_and_hide_no_edit() {
    let lines = |page: usize, last: &str| {
        let lines: Vec<String> = (0..9).map(|line| format!("Line {line} of berth {page}")).collect();
        format!("{}|{last}", lines.join("|"))
    };
    let outage = "Live data is being updated.";
    let mut records: Vec<PageRecord> = (0..30)
        .map(|page| {
            let now = if page == 7 { "The ferry leaves at noon" } else { "The harbour is open" };
            let (before, now) = (lines(page, "The harbour is open"), lines(page, now));
            back(&format!("b{page}"), &before, outage, &now)
        })
        .collect();
    let settled = settled(&mut records, &ToldChanges::default());
    let rows: Vec<(SharedBy, u64)> = settled.shared.iter().map(|change| (change.by, change.pages)).collect();
    assert_eq!(rows, [(SharedBy::Return, 30)]);
    let row = &settled.shared[0];
    assert_eq!((row.tier, row.went.as_str(), row.came.as_str()), (Tier::Content, outage, ""));
    assert_eq!((settled.loss.lost_content, settled.loss.own_content), (0, 1), "one is edited");
    let is_own = |record: &&PageRecord| {
        record.visit.edits.as_ref().unwrap().list.iter().any(|edit| edit.state == EditState::Own)
    };
    let own: Vec<&str> = records.iter().filter(is_own).map(|record| record.url.path()).collect();
    assert_eq!(own, ["/b7"]);
    assert!(records.iter().all(|record| verdict(record) == (Verdict::Changed, Some(Tier::Content))));
}

#[test]
fn pages_that_grow_by_what_they_never_said_are_each_their_own_news() {
    // Words that only this page has: lines that differ in numbers alone are one shared change.
    let text = |page: u8, of: &str| {
        let word = char::from(b'k' + page).to_string().repeat(5);
        (0..9)
            .map(|line| format!("The {of} {word} has {} more", "berths ".repeat(line)))
            .collect::<Vec<_>>()
            .join("|")
    };
    let mut records: Vec<PageRecord> = (0..10)
        .map(|page| back(&format!("b{page}"), &text(page, "berth"), "Soon here", &text(page, "quay")))
        .collect();
    let settled = settled(&mut records, &ToldChanges::default());
    assert!(settled.shared.iter().all(|change| change.by != SharedBy::Return), "{:?}", settled.shared);
    assert_eq!((settled.loss.lost_content, settled.loss.own_content), (0, 10));
}

#[test]
fn settling_twice_comes_to_the_same() {
    let mut records: Vec<PageRecord> =
        (0..5).map(|page| record(&format!("p{page}"), "n:Home|Text", "n:Home|n:Jobs|Text")).collect();
    let first = settled(&mut records, &ToldChanges::default());
    let once = records.clone();
    let second = settled(&mut records, &ToldChanges::default());
    assert_eq!(records, once);
    assert_eq!(first.shared, second.shared);
}

#[test]
fn pages_that_changed_with_others_only_are_counted_apart() {
    let mut records: Vec<PageRecord> = (0..12)
        .map(|page| record(&format!("p{page}"), "Text|Open daily", "Text|Closed on Mondays"))
        .collect();
    records.push(record("own", "Text|Open daily|Free", "Text|Closed on Mondays|Nine dollars a day"));
    let settled = settled(&mut records, &ToldChanges::default());
    assert!(records.iter().all(|record| verdict(record) == (Verdict::Changed, Some(Tier::Content))));
    assert_eq!((settled.loss.only_shared, settled.loss.own_content), (12, 1));
}

#[test]
fn pages_with_nothing_but_noise_are_touched_and_counted() {
    let mut noisy = record("p", "Built 06:04|Text", "Built 07:05|Text");
    for edit in &mut noisy.visit.edits.as_mut().unwrap().list {
        edit.state = EditState::Learnt;
    }
    noisy.visit.edits.as_mut().unwrap().noise.push(("years".to_owned(), 1));
    let mut records = vec![noisy];
    let settled = settled(&mut records, &ToldChanges::default());
    assert_eq!(verdict(&records[0]), (Verdict::Touched, Some(Tier::Noise)));
    assert_eq!(settled.loss.only_noise, 1);
    assert!(settled.shared.iter().all(|change| change.noise && change.pages == 1));
    assert_eq!(settled.shared.len(), 2);
}
