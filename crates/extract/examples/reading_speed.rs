//! Measures how fast pages are read, beside scraper's parser alone.
//!
//! `cargo run --profile dist -p recrawl-extract --example reading_speed`
//! With the names of HTML files as arguments these are read, and scraper is left out.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use recrawl_core::model::content::Extractor;
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::TextRules;
use scraper::{Html, HtmlTreeSink};

const PAGES: usize = 200;
const PAGE_LENGTH: usize = 55_000;
const WORDS: [&str; 16] = [
    "street",
    "bridge",
    "the",
    "of",
    "transportation",
    "plan",
    "and",
    "council",
    "a",
    "traffic",
    "is",
    "closed",
    "for",
    "repair",
    "until",
    "further",
];

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let pages: Vec<String> = if files.is_empty() {
        (0..PAGES).map(make_page).collect()
    } else {
        files.iter().map(read_file).collect()
    };
    let bytes: usize = pages.iter().map(String::len).sum();
    let url: PageUrl = "https://www.example.com/transportation/page-1".parse().expect("a valid address");
    let extractor = HtmlExtractor::new(TextRules::default(), UrlRules::default(), true);
    let ours = measure(&pages, |page| {
        black_box(extractor.extract(&url, Some("text/html; charset=utf-8"), page.as_bytes()).is_ok());
    });
    report("links, text and hash", ours, bytes, pages.len());
    if !files.is_empty() {
        return;
    }
    let scraper = measure(&pages, |page| {
        let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..Default::default() };
        let options = ParseOpts { tree_builder, ..Default::default() };
        let sink = HtmlTreeSink::new(Html::new_document());
        black_box(parse_document(sink, options).one(page));
    });
    report("scraper's parser alone", scraper, bytes, pages.len());
}

fn read_file(name: &String) -> String {
    let body = std::fs::read(name).expect("a file that can be read");
    String::from_utf8_lossy(&body).into_owned()
}

/// Returns the shortest of several rounds over all pages.
fn measure(pages: &[String], read: impl Fn(&str)) -> Duration {
    let begin = Instant::now();
    let now = || processor_time().unwrap_or_else(|| begin.elapsed());
    let round = || {
        let start = now();
        for page in pages {
            read(page);
        }
        now().saturating_sub(start)
    };
    (0..10).map(|_| round()).min().unwrap_or_default()
}

/// Returns the time this thread was running, where Linux tells it: other programs do not count.
fn processor_time() -> Option<Duration> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    statistics.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[expect(clippy::print_stdout, reason = "the report is what this program is for")]
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn report(name: &str, time: Duration, bytes: usize, pages: usize) {
    let seconds = time.as_secs_f64();
    let rate = bytes as f64 / 1e6 / seconds;
    let each = seconds * 1e6 / pages as f64;
    println!("{name:<24} {rate:6.0} MB/s {each:6.0} us a page of {} KB", bytes / pages / 1000);
}

/// Makes a page with 60 links of navigation, 20 links in its text, and paragraphs.
fn make_page(number: usize) -> String {
    let mut html = String::from(
        "<!DOCTYPE html>\n<html lang=\"en\" dir=\"ltr\">\n<head>\n<meta charset=\"utf-8\">\n\
         <link rel=\"canonical\" href=\"https://www.example.com/transportation/page\">\n\
         <link rel=\"stylesheet\" media=\"all\" href=\"/core/assets/css/base.css?v=1\">\n\
         <script>window.settings = {\"path\": {\"baseUrl\": \"/\", \"isFront\": false}};</script>\n",
    );
    let _ = write!(
        html,
        "<title>Page {number} | Transportation</title>\n</head>\n<body class=\"page\">\n<nav>\n<ul>\n"
    );
    for entry in 0..60 {
        let _ = writeln!(
            html,
            "<li class=\"menu__item menu__item--level-1\" data-id=\"{entry}\">\
             <a href=\"/transportation/section-{entry}\" class=\"menu__link\" data-drupal-link-system-path=\"node/{entry}\">\
             Section {entry}</a></li>"
        );
    }
    html.push_str("</ul>\n</nav>\n<main id=\"main-content\">\n<article class=\"node node--type-page\">\n");
    let mut word = number;
    let mut paragraph = 0;
    while html.len() < PAGE_LENGTH {
        html.push_str("<div class=\"field field--name-body\"><p>");
        for position in 0..90 {
            word = word.wrapping_mul(1_103_515_245).wrapping_add(12_345) % 2_147_483_648;
            html.push_str(WORDS[(word >> 16) % WORDS.len()]);
            html.push_str(if position % 15 == 14 { ".\n" } else { " " });
        }
        if paragraph < 20 {
            let _ = write!(
                html,
                "<a href=\"/transportation/page-{}\">See page {paragraph}</a> &amp; <strong>more</strong>",
                number * 20 + paragraph
            );
        }
        html.push_str("</p></div>\n");
        paragraph += 1;
    }
    html.push_str(
        "</article>\n</main>\n<footer><p>Last updated 5 minutes ago</p></footer>\n</body>\n</html>\n",
    );
    html
}
