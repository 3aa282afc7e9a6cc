//! Pages made to take memory: at most some ten times their size, measured in a process of its own.

use std::process::Command;

use recrawl_core::model::content::Extractor;
use recrawl_core::url::UrlRules;
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::{TextRules, TextSettings};

/// The name of the page that a child process reads.
const PAGE: &str = "RECRAWL_TEST_HOSTILE_PAGE";

/// The length of the pages: here a tree may be largest in proportion to its page.
const LENGTH: usize = 3_000_000;

/// What a page of that length may take, its own bytes included. Allocators keep a little more than they are asked for.
const LIMIT_MB: usize = 90;

const PAGES: [&str; 10] = [
    "fonts",
    "zeros",
    "zeros in a table",
    "attributes with a selector",
    "nested",
    "references",
    "cells",
    "links with queries",
    "addresses elsewhere, repeated",
    "kept attributes, repeated",
];

fn repeat(part: &str) -> String {
    part.repeat(LENGTH / part.len())
}

fn numbered(part: impl Fn(usize) -> String) -> String {
    let mut html = String::with_capacity(LENGTH + 100);
    let mut number = 0;
    while html.len() < LENGTH {
        html.push_str(&part(number));
        number += 1;
    }
    html
}

fn make(page: &str) -> String {
    match page {
        "fonts" => {
            let fonts: Vec<String> =
                (0..100).map(|number| format!("<font color={number} face=serif size=3>")).collect();
            format!("<p>{}</p>{}", fonts.concat(), repeat("<p>x</p>"))
        }
        "zeros" => repeat("a\0"),
        "zeros in a table" => "<table>".to_owned() + &repeat("a\0"),
        "attributes with a selector" => numbered(|number| format!("<i a{number:x} b c d e f g>")),
        "nested" => numbered(|number| ["<div>", "<table><tr><td>", "<b>", "<svg>"][number % 4].to_owned()),
        "references" => repeat("&amp;"),
        "cells" => "<table>".to_owned() + &repeat("<tr><td>1<td>2"),
        "links with queries" => numbered(|number| format!("<a href=?{number:x}>")),
        "addresses elsewhere, repeated" => {
            format!("<p><a href='mailto:{}'></p>{}", "x".repeat(LENGTH / 2), "<p>y".repeat(LENGTH / 8))
        }
        "kept attributes, repeated" => {
            let value = "x".repeat(LENGTH / 2);
            format!("<p><b data-wf-page='{value}'></p>{}", "<p>y".repeat(LENGTH / 8))
        }
        other => panic!("no such page: {other}"),
    }
}

/// Returns the most memory that this process ever had.
fn peak_mb() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") / 1024
}

#[test]
fn a_child_reads_one_page_and_tells_what_it_took() {
    let Ok(page) = std::env::var(PAGE) else {
        return;
    };
    let html = make(&page);
    let before = peak_mb();
    let selectors = if page.ends_with("with a selector") { vec![".x".to_owned()] } else { Vec::new() };
    let settings = TextSettings { ignore_selectors: selectors, ..TextSettings::default() };
    let extractor = HtmlExtractor::new(TextRules::new(&settings).unwrap(), UrlRules::default(), true);
    let url = "https://example.org/".parse().unwrap();
    let read = extractor.extract(&url, Some("text/html; charset=utf-8"), html.as_bytes());
    let outcome = match &read {
        Ok(extracted) => extracted.cut.clone().unwrap_or_else(|| "read whole".to_owned()),
        Err(unreadable) => unreadable.to_string(),
    };
    println!("peak: {} ({before} MB before, {outcome})", peak_mb());
}

#[test]
#[cfg(target_os = "linux")]
fn no_page_takes_much_more_memory_than_its_size() {
    if std::env::var(PAGE).is_ok() {
        return;
    }
    let mut report = Vec::new();
    for page in PAGES {
        let name = "a_child_reads_one_page_and_tells_what_it_took";
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name, "--nocapture"])
            .env(PAGE, page)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stdout).into_owned();
        let (_, took) = said.split_once("peak: ").unwrap_or_else(|| panic!("{page}: {said}"));
        let (peak, rest) = took.split_once(' ').unwrap();
        report.push((
            peak.parse::<usize>().unwrap(),
            format!("{page}: {peak} MB, {}", rest.lines().next().unwrap()),
        ));
    }
    let all: Vec<&str> = report.iter().map(|(_, line)| line.as_str()).collect();
    println!("{}", all.join("\n"));
    assert!(report.iter().all(|(peak, _)| *peak <= LIMIT_MB), "{}", all.join("\n"));
}
