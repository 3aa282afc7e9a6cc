//! Two versions of a document: an edit is shown, and nothing else; another export is the same document.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use recrawl_core::model::document::{Document, DocumentFormat, LineKind, UnreadDocument};
use recrawl_documents::read;
use recrawl_testkit::documents::{Office, Pdf, office};

const FORMATS: [DocumentFormat; 5] = [
    DocumentFormat::Docx,
    DocumentFormat::Xlsx,
    DocumentFormat::Pptx,
    DocumentFormat::Odt,
    DocumentFormat::Ods,
];

/// Returns the lines that are compared: all but the furniture.
fn lines(document: &Document) -> Vec<&str> {
    let counts = document.lines.iter().filter(|line| line.kind != LineKind::Furniture);
    counts.map(|line| line.text.as_str()).collect()
}

/// Returns what went and what came, however the lines stand.
fn edit<'a>(before: &'a Document, after: &'a Document) -> (Vec<&'a str>, Vec<&'a str>) {
    let mut counts: BTreeMap<&str, i32> = BTreeMap::new();
    for line in lines(before) {
        *counts.entry(line).or_default() -= 1;
    }
    for line in lines(after) {
        *counts.entry(line).or_default() += 1;
    }
    let with =
        |sign: i32| counts.iter().filter(|(_, count)| **count == sign).map(|(line, _)| *line).collect();
    assert!(counts.values().all(|count| (-1..=1).contains(count)), "{counts:?}");
    (with(-1), with(1))
}

const HEADER: &str = "Town of Willow Bend: Transport plan";

/// Returns paragraphs that fill some pages, no two alike.
fn paragraphs() -> Vec<String> {
    let streets = ["Mill Street", "Tanner Street", "Harbour Road", "Station Square", "Church Lane"];
    (1..=40)
        .map(|number| {
            let street = streets[number % streets.len()];
            format!(
                "Section {number} is about {street}. The council decided on {number} March that the lane there is closed \
                 for repairs until the end of month {}, and that traffic is led over the ford beside house {}, which can be \
                 crossed by anybody whose vehicle is higher than {} centimetres. Residents pay {} dollars for a place.",
                number % 12 + 1,
                number * 3,
                40 + number,
                number * 7 + 100
            )
        })
        .collect()
}

fn pdf(paragraphs: &[String], export: u32) -> Document {
    let texts: Vec<&str> = paragraphs.iter().map(String::as_str).collect();
    let file = Pdf { export, title: Some("Transport plan".to_owned()), ..Pdf::of_paragraphs(HEADER, &texts) };
    read(DocumentFormat::Pdf, file.write()).unwrap()
}

#[test]
fn a_pdf_says_its_paragraphs_its_header_once_and_no_numbers_of_pages() {
    let paragraphs = paragraphs();
    let document = pdf(&paragraphs, 1);
    assert!(document.parts > Some(3), "{:?}", document.parts);
    assert_eq!(
        (document.title.as_deref(), document.language.as_deref()),
        (Some("Transport plan"), Some("en-GB"))
    );
    let mut expected: Vec<&str> = vec![HEADER];
    expected.extend(paragraphs.iter().map(String::as_str));
    assert_eq!(lines(&document), expected);
}

#[test]
fn an_edit_of_a_pdf_is_one_changed_paragraph_wherever_lines_and_pages_break() {
    let paragraphs = paragraphs();
    let before = pdf(&paragraphs, 1);
    let edits: [(&str, &str); 6] = [
        ("1 March", "2 April"),
        ("is closed", "is open"),
        ("higher than", "much higher and also a good deal longer and heavier than"),
        ("for repairs until the end of month 4, ", ""),
        ("dollars for a place.", "dollars for a place. Those who have no place wait for the next month."),
        ("Mill Street. The", "Mill Street, which is the one behind the old mill and leads to the sea. The"),
    ];
    for (number, (from, to)) in edits.into_iter().enumerate() {
        let mut changed = paragraphs.clone();
        let place = changed.iter().position(|paragraph| paragraph.contains(from)).unwrap();
        changed[place] = changed[place].replacen(from, to, 1);
        let after = pdf(&changed, 2 + u32::try_from(number).unwrap());
        assert_eq!(edit(&before, &after), (vec![&*paragraphs[place]], vec![&*changed[place]]), "{from}");
    }
}

#[test]
fn a_paragraph_that_comes_or_goes_is_all_that_differs() {
    let paragraphs = paragraphs();
    let before = pdf(&paragraphs, 1);
    for place in [0, 7, 20, 39] {
        let mut shorter = paragraphs.clone();
        let gone = shorter.remove(place);
        let after = pdf(&shorter, 2);
        assert_eq!(edit(&before, &after), (vec![&*gone], vec![]));
        assert_eq!(edit(&after, &before), (vec![], vec![&*gone]));
    }
}

#[test]
fn another_export_of_a_pdf_is_the_same_document() {
    let paragraphs = paragraphs();
    let before = pdf(&paragraphs, 1);
    assert!((2..14).all(|export| pdf(&paragraphs, export) == before));
}

#[test]
fn links_of_a_pdf_are_read() {
    let links = vec!["https://example.org/plan".to_owned(), "mailto:a@example.org".to_owned()];
    let file = Pdf { links, ..Pdf::of_paragraphs(HEADER, &["The bridge."]) };
    assert_eq!(read(DocumentFormat::Pdf, file.write()).unwrap().links, ["https://example.org/plan"]);
}

#[test]
fn a_pdf_without_text_is_scanned() {
    let file = Pdf { pages: vec![recrawl_testkit::documents::PdfPage::default()], ..Pdf::default() };
    assert_eq!(read(DocumentFormat::Pdf, file.write()), Err(UnreadDocument::Scanned));
}

fn says() -> Office {
    let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
    Office {
        title: "Fees".to_owned(),
        heading: "Fees of the town".to_owned(),
        paragraphs: vec!["Fees & fines are due in <May>.".to_owned(), "A boat costs more.".to_owned()],
        rows: vec![row(["Dog", "120", "each"]), row(["Cat", "", "free"]), row(["Boat", "1300.5", "each"])],
        note: Some("By decision of the council.".to_owned()),
        link: Some("https://example.org/fees?a=1&b=2".to_owned()),
        export: 1,
    }
}

#[test]
fn office_files_say_what_a_person_sees() {
    for format in FORMATS {
        let document =
            read(format, office(format, &says())).unwrap_or_else(|error| panic!("{format}: {error}"));
        let is_sheet = matches!(format, DocumentFormat::Xlsx | DocumentFormat::Ods);
        let number = |plain: &'static str, shown: &'static str| {
            if format == DocumentFormat::Xlsx { shown } else { plain }
        };
        let rows = [
            format!("Dog | {} | each", number("120", "120.00 USD")),
            "Cat | | free".to_owned(),
            format!("Boat | {} | each", number("1300.5", "1,300.50 USD")),
        ];
        let mut expected = vec!["Fees of the town", "Fees & fines are due in <May>."];
        let note = says().note.unwrap();
        expected.extend((format == DocumentFormat::Odt).then_some(&*note));
        expected.push("A boat costs more.");
        expected.extend(rows.iter().map(String::as_str));
        expected.extend((!is_sheet && format != DocumentFormat::Odt).then_some(&*note));
        let said: Vec<&str> = document
            .lines
            .iter()
            .filter(|line| line.kind != LineKind::Margin)
            .map(|line| line.text.as_str())
            .collect();
        assert_eq!(said, expected, "{format}");
        assert_eq!(document.lines[0].kind, LineKind::Heading, "{format}");
        assert_eq!(document.title.as_deref(), Some("Fees"), "{format}");
        if format != DocumentFormat::Ods {
            assert_eq!(document.links, ["https://example.org/fees?a=1&b=2"], "{format}");
        }
        let margins: Vec<&str> = document
            .lines
            .iter()
            .filter(|line| line.kind == LineKind::Margin)
            .map(|line| line.text.as_str())
            .collect();
        let has_footer = matches!(format, DocumentFormat::Docx | DocumentFormat::Odt);
        assert_eq!(margins, if has_footer { vec!["Page"] } else { vec![] }, "{format}");
    }
}

#[test]
fn an_edit_of_an_office_file_is_all_that_differs_and_another_export_is_the_same() {
    for format in FORMATS {
        let before = read(format, office(format, &says())).unwrap();
        for export in 2..6 {
            assert_eq!(
                read(format, office(format, &Office { export, ..says() })).unwrap(),
                before,
                "{format}"
            );
        }
        let mut changed = Office { export: 9, ..says() };
        changed.paragraphs[1] = "A boat costs less.".to_owned();
        changed.rows[0][1] = "125".to_owned();
        let after = read(format, office(format, &changed)).unwrap();
        let (went, came) = edit(&before, &after);
        assert_eq!((went.len(), came.len()), (2, 2), "{format}: {went:?} {came:?}");
        assert!(
            came.contains(&"A boat costs less.") && came.iter().any(|line| line.contains("125")),
            "{format}"
        );
    }
}

#[test]
fn dates_of_a_workbook_are_dates() {
    let mut says = says();
    says.rows[1][1] = "date 46342".to_owned();
    let document = read(DocumentFormat::Xlsx, office(DocumentFormat::Xlsx, &says)).unwrap();
    assert!(lines(&document).contains(&"Cat | 16 November 2026 | free"), "{document:?}");
}
