//! A small site in two weeks, with every kind of change planted.

use std::collections::BTreeMap;
use std::fmt::Write;

use recrawl_testkit::site::{Page, Site};

/// Plants the site as it is in the first week; further pages make it larger.
pub fn plant_first_week(site: &Site, further: usize) {
    site.page("/robots.txt", Page::text("User-agent: *\nDisallow: /secret\n"));
    plant_home(site, further, "");
    site.page("/same", article("Opening hours", "Open from nine to five. <a href=/deep>Deep</a>"));
    site.page("/deep", article("Deep", "Nothing below this. <a href=/broken>A broken link</a>"));
    site.page("/text", article("Prices", "A permit costs 40 dollars."));
    site.page("/noise", article("Noise", "<input type=hidden name=form_token value=abc>Always the same."));
    site.page("/gone", article("Old notice", "This will be taken down."));
    site.page("/moved", article("Street works", "Main street is closed."));
    site.page("/secret", article("Secret", "robots.txt forbids this."));
    site.page("/map.pdf", Page::bytes("application/pdf", "%PDF-1.7 first"));
    for number in 0..further {
        site.page(&format!("/further/{number}"), article(&format!("Page {number}"), "One of many."));
    }
}

/// Changes the site to what it is in the second week.
pub fn plant_second_week(site: &Site, further: usize) {
    plant_home(site, further, "<a href=/new>News</a>");
    site.page("/text", article("Prices", "A permit costs 45 dollars."));
    site.page("/noise", article("Noise", "<input type=hidden name=form_token value=xyz>Always the same."));
    site.remove("/gone");
    site.redirect("/moved", "/same", 301);
    site.page("/new", article("News", "The council met."));
}

/// Returns what the first crawl must find.
pub fn first_verdicts(further: usize) -> BTreeMap<String, String> {
    let mut verdicts: BTreeMap<String, String> =
        ["/", "/same", "/deep", "/text", "/noise", "/gone", "/moved", "/map.pdf"]
            .map(|path| (path.to_owned(), "new".to_owned()))
            .into();
    verdicts.insert("/secret".to_owned(), "excluded".to_owned());
    verdicts.insert("/broken".to_owned(), "missing".to_owned());
    verdicts.extend((0..further).map(|number| (format!("/further/{number}"), "new".to_owned())));
    verdicts
}

/// Returns what the second crawl must find.
pub fn second_verdicts(further: usize) -> BTreeMap<String, String> {
    let mut verdicts = first_verdicts(further);
    for verdict in verdicts.values_mut().filter(|verdict| *verdict == "new") {
        "unchanged".clone_into(verdict);
    }
    for (path, verdict) in second_changes() {
        verdicts.insert(path.to_owned(), verdict.to_owned());
    }
    verdicts.insert("/noise".to_owned(), "touched".to_owned());
    verdicts
}

/// Returns the changes of the second week: path and verdict.
pub fn second_changes() -> [(&'static str, &'static str); 5] {
    [("/", "changed"), ("/gone", "gone"), ("/moved", "moved"), ("/new", "new"), ("/text", "changed")]
}

fn plant_home(site: &Site, further: usize, more: &str) {
    let mut links = String::new();
    for path in ["same", "text", "noise", "gone", "moved", "secret", "map.pdf"] {
        let _ = write!(links, "<li><a href=/{path}>{path}</a>");
    }
    for number in 0..further {
        let _ = write!(links, "<li><a href=/further/{number}>{number}</a>");
    }
    site.page("/", article("Town hall", &format!("<ul>{links}</ul>{more}")));
}

fn article(title: &str, body: &str) -> Page {
    Page::html(format!("<!doctype html><title>{title}</title><main><h1>{title}</h1><p>{body}</main>"))
}
