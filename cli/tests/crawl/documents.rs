//! PDF and office files on a real site: what changed in them is told like what changed on a page.
#![cfg(feature = "documents")]

use recrawl_core::model::document::DocumentFormat;
use recrawl_testkit::documents::{Office, Pdf, hostile, office};
use recrawl_testkit::site::{Page, Site};
use serde_json::Value;

use crate::harness::Harness;

const CLOSED: &str =
    "The bridge at the mill is closed for repairs until the end of March, and traffic is led over the ford.";
const FEES: &str =
    "A place at the harbour costs 120 dollars a month, which is to be paid by the owner of the boat.";

fn pdf(paragraphs: &[&str], export: u32) -> Page {
    let title = Some("Transport plan".to_owned());
    served(
        DocumentFormat::Pdf,
        Pdf { export, title, ..Pdf::of_paragraphs("Town of Willow Bend", paragraphs) }.write(),
    )
}

fn served(format: DocumentFormat, bytes: Vec<u8>) -> Page {
    Page::bytes(format.media_type(), bytes)
}

fn fees(format: DocumentFormat, price: &str, export: u32) -> Page {
    let says = Office {
        title: "Fees".to_owned(),
        heading: "Fees".to_owned(),
        paragraphs: vec!["By decision of the council.".to_owned()],
        rows: vec![vec!["Boat".to_owned(), price.to_owned()]],
        export,
        ..Office::default()
    };
    served(format, office(format, &says))
}

const OFFICE: [(&str, DocumentFormat); 5] = [
    ("/fees.docx", DocumentFormat::Docx),
    ("/fees.xlsx", DocumentFormat::Xlsx),
    ("/fees.pptx", DocumentFormat::Pptx),
    ("/fees.odt", DocumentFormat::Odt),
    ("/fees.ods", DocumentFormat::Ods),
];

fn town() -> Site {
    let site = Site::start_blocking();
    let paths = ["/plan.pdf", "/same.pdf", "/locked.pdf"].into_iter().chain(OFFICE.map(|(path, _)| path));
    let links: Vec<String> = paths.map(|path| format!("<a href={path}>{path}</a>")).collect();
    let links = links.join(" ");
    site.page("/", Page::html(format!("<h1>Town</h1><p>The town has plans.</p>{links}")));
    site.page("/same.pdf", same(&site, 1));
    site.page("/hidden", Page::html("<h1>Hidden</h1><p>Only a document leads here.</p>"));
    site.page("/plan.pdf", pdf(&[CLOSED, FEES], 1));
    site.page("/locked.pdf", locked(b""));
    for (path, format) in OFFICE {
        site.page(path, fees(format, "120", 1));
    }
    site
}

/// A document that says the same in every export.
fn same(site: &Site, export: u32) -> Page {
    let file = Pdf {
        export,
        links: vec![site.url() + "/hidden"],
        ..Pdf::of_paragraphs("Town of Willow Bend", &["Nothing changes here, year after year."])
    };
    served(DocumentFormat::Pdf, file.write())
}

fn locked(comment: &[u8]) -> Page {
    let found = hostile::all().into_iter().find(|file| file.name == "an encrypted file").unwrap();
    served(DocumentFormat::Pdf, [&found.bytes, comment].concat())
}

fn rows(harness: &Harness) -> Vec<Value> {
    serde_json::from_str(&harness.expect(0, &["changes", "--format", "json"])).unwrap()
}

fn row<'a>(rows: &'a [Value], path: &str) -> &'a Value {
    let found = rows.iter().find(|row| row["url"].as_str().is_some_and(|url| url.ends_with(path)));
    found.unwrap_or_else(|| panic!("{path} is not among {rows:#?}"))
}

#[test]
fn what_changed_in_documents_is_told_and_another_export_is_silent() {
    let (harness, site) = (Harness::new(), town());
    harness.crawl_in_order(&site, &["--soft-404", "false"]);
    assert!(harness.pages_found("new").contains(&"/hidden".to_owned()), "links of documents are followed");
    let shown = harness.expect(0, &["show", "/plan.pdf"]);
    assert_eq!(shown, format!("Town of Willow Bend\n{CLOSED}\n{FEES}\n"));

    let opened =
        CLOSED.replace("closed for repairs until the end of March", "open again since the end of April");
    site.page("/plan.pdf", pdf(&[&opened, FEES], 2));
    site.page("/same.pdf", same(&site, 2));
    site.page("/locked.pdf", locked(b"\n%%EOF\n"));
    // Each says something else: edits of one shape on several pages would be one shared change.
    let prices = ["free", "double", "half", "waived", "to be agreed"];
    for (price, (path, format)) in prices.into_iter().zip(OFFICE) {
        site.page(path, fees(format, price, 2));
    }
    let said = harness.crawl_in_order(&site, &["--soft-404", "false"]);
    let rows = rows(&harness);
    let plan = row(&rows, "/plan.pdf");
    assert_eq!((plan["kind"].as_str(), plan["tier"].as_u64()), (Some("changed"), Some(1)), "{said}");
    assert_eq!((plan["went"].as_str(), plan["came"].as_str()), (Some(CLOSED), Some(&*opened)));
    assert_eq!(
        (plan["title"].as_str(), plan["document"].as_str()),
        (Some("Transport plan"), Some("PDF, 1 page"))
    );
    for (price, (path, format)) in prices.into_iter().zip(OFFICE) {
        let fees = row(&rows, path);
        let price = format!("Boat | {price}");
        assert!(fees["came"].as_str().is_some_and(|came| came.contains(&price)), "{path}: {fees}");
        let document = fees["document"].as_str();
        assert!(document.is_some_and(|document| document.starts_with(format.name())), "{path}: {fees}");
    }
    let locked = row(&rows, "/locked.pdf");
    assert_eq!(locked["document"], "PDF, could not be read: password");
    assert_eq!((&locked["reason"], &locked["went"]), (&locked["document"], &Value::Null));
    assert_eq!(harness.verdicts()["/same.pdf"], "touched", "another export");
    let difference = harness.expect(0, &["diff", "/plan.pdf"]);
    assert!(difference.contains("open again since the end of April"), "{difference}");
    assert!(
        !difference.contains("120 dollars a month, which is to be paid by the owner of the boat.\n-"),
        "{difference}"
    );
    let explained = harness.expect(0, &["explain", "/locked.pdf"]);
    assert!(explained.contains("PDF, could not be read: password"), "{explained}");
    let found = harness.expect(0, &["search", "harbour"]);
    assert!(found.contains("/plan.pdf"), "{found}");
}

#[test]
fn text_that_cannot_be_read_any_more_is_a_state_and_no_removed_lines() {
    let (harness, site) = (Harness::new(), town());
    harness.crawl_in_order(&site, &["--soft-404", "false"]);
    // A picture of the page, and then text again.
    let picture = Pdf { pages: vec![recrawl_testkit::documents::PdfPage::default()], ..Pdf::default() };
    site.page("/plan.pdf", served(DocumentFormat::Pdf, picture.write()));
    harness.crawl_in_order(&site, &["--soft-404", "false"]);
    let scanned = rows(&harness);
    let plan = row(&scanned, "/plan.pdf");
    assert_eq!(plan["document"], "PDF, scanned, there is no text in it");
    assert_eq!((&plan["went"], &plan["came"]), (&Value::Null, &Value::Null), "{plan}");
    site.page("/plan.pdf", pdf(&[CLOSED, FEES], 3));
    harness.crawl_in_order(&site, &["--soft-404", "false"]);
    let back = rows(&harness);
    let plan = row(&back, "/plan.pdf");
    assert_eq!((&plan["went"], &plan["came"]), (&Value::Null, &Value::Null), "{plan}");
    assert_eq!(plan["document"], "PDF, 1 page");
}

#[test]
fn a_document_over_its_limit_is_compared_by_its_bytes_and_says_so() {
    let (harness, site) = (Harness::new(), town());
    harness.crawl_in_order(&site, &["--soft-404", "false", "--body-limit-documents", "500"]);
    let rows = rows(&harness);
    let plan = row(&rows, "/plan.pdf");
    assert_eq!(plan["document"], "PDF, could not be read: it is longer than body-limit-documents");
}
