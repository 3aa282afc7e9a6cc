//! Every statement of docs/SQL.md is run on a site, and what it prints stands below it.
//!
//! `UPDATE_REFERENCE=1` writes what they print anew.

use std::io::Read;
use std::path::Path;
use std::process::Command;

use recrawl_testkit::site::{Page, Site};

use crate::{root, text};

const DOCUMENT: &str = "docs/SQL.md";

/// As the document calls the site. It is as long as the address of the server, so that columns stay where they are.
const SHOWN: &str = "https://flower.example";

fn site() -> Site {
    let site = Site::start_blocking();
    let page = |title: &str, price: u32, more: &str| {
        let json = format!(
            r#"<script type="application/ld+json">{{"@type": "Product", "price": {price}}}</script>"#
        );
        Page::html(format!("<title>{title}</title>{json}<h1>{title}</h1><p>From our garden.</p>{more}"))
    };
    site.page(
        "/",
        Page::html(
            "<title>Flowers</title><h1>Flowers</h1><a href=/about>about</a> <a href=/product/rose>rose</a>",
        ),
    );
    site.page("/product/rose", page("A rose", 7, "<a href=/product/lily>lily</a> <a href=/>home</a>"));
    site.page("/product/lily", page("A lily", 5, "<a href=/>home</a>"));
    site.page(
        "/about",
        Page::html("<title>About us</title><meta name=robots content=noindex><h1>About us</h1>"),
    );
    site.page("/robots.txt", Page::text("User-agent: *\nDisallow: /private/\n"));
    let entry = |path: &str, rest: &str| format!("<url><loc>{}{path}</loc>{rest}</url>", site.url());
    let often = "<changefreq>daily</changefreq><priority>0.8</priority>";
    let listed = [
        entry("/product/rose", often),
        entry("/product/lily", often),
        entry("/about", "<priority>0.3</priority>"),
    ];
    let sitemap = format!("<urlset>{}</urlset>", listed.concat());
    site.page("/sitemap.xml", Page::xml(sitemap));
    site
}

/// Runs a script; returns what people see of it.
fn run(folder: &Path, site: &Site, script: &str) -> String {
    let bare = SHOWN.trim_start_matches("https://");
    let real = script.replace(SHOWN, &site.url()).replace(bare, &site.address().to_string());
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_recrawl"))
        .args(["sql", &real])
        .current_dir(folder)
        // The server is on this machine.
        .env("RECRAWL_ALLOW_PRIVATE", "true")
        // One after the other, as on a terminal.
        .stdout(writer.try_clone().unwrap())
        .stderr(writer)
        .spawn()
        .expect("the command starts");
    let mut printed = String::new();
    reader.read_to_string(&mut printed).unwrap();
    child.wait().unwrap();
    let shown = printed
        .replace(&site.url(), SHOWN)
        .replace(&site.address().to_string(), bare)
        .replace("127.0.0.1", bare);
    shown.lines().map(str::trim_end).filter(|line| !is_of_progress(line)).collect::<Vec<_>>().join("\n")
}

/// Tells whether a line says how a crawl gets on, which is not the same each time.
fn is_of_progress(line: &str) -> bool {
    line.starts_with("sitemap ") || line.contains(" done, ")
}

#[test]
fn statements_of_the_document_print_what_stands_below_them() {
    let (folder, site, document) = (tempfile::tempdir().unwrap(), site(), text(DOCUMENT));
    assert_eq!(site.url().len(), SHOWN.len(), "columns stay where they are");
    let (mut written, mut statements, mut lines) = (String::new(), 0, document.lines().peekable());
    while let Some(line) = lines.next() {
        written.push_str(line);
        written.push('\n');
        if line != "```sql" {
            continue;
        }
        let mut script = String::new();
        for line in lines.by_ref() {
            written.push_str(line);
            written.push('\n');
            if line == "```" {
                break;
            }
            script.push_str(line);
            script.push('\n');
        }
        statements += 1;
        let printed = run(folder.path(), &site, &script);
        if !printed.is_empty() {
            written.extend(["\n```text\n", &printed, "\n```\n"]);
        }
        // What stands there now.
        let mut rest = lines.clone();
        if rest.next() == Some("") && rest.next() == Some("```text") {
            lines.by_ref().skip(2).find(|line| *line == "```");
        }
    }
    assert!(statements >= 12, "only {statements} blocks of statements were found");
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(root().join(DOCUMENT), &written).unwrap();
    }
    assert_eq!(written, text(DOCUMENT), "UPDATE_REFERENCE=1 writes {DOCUMENT} anew");
}
