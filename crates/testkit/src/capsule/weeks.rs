//! A small capsule in two weeks, with every kind of change planted, for both homes.

use std::collections::BTreeMap;

use super::{Capsule, Reply};

/// Pages that nobody may ask for: by the rules for everyone, by those for archivers, and because they are no links.
pub const NEVER: [&str; 3] = ["/secret", "/old/paper", "/hidden"];

/// Plants the capsule as it is in the first week.
pub fn plant_first(capsule: &Capsule) {
    let home = "# Town hall\n=> /same Opening hours\n=> /text Prices\n=> /gone Old notice\n=> /moved Street works\n\
        => /secret Secret\n=> /old/paper Paper\n=> /search Search\n=> /members Members\n=> /broken Broken\n\
        => /elsewhere Elsewhere\n=> https://www.example.org/ The web\n=> gemini://other.example/ Another\n\
        ```\n=> /hidden no link\n```\n";
    let robots = "User-agent: *\nDisallow: /secret\n\nUser-agent: archiver\nDisallow: /old\n";
    let hours = b"# \xD6ffnungszeiten\n=> deep Tief\n";
    capsule
        .page("/", home)
        .page("/robots.txt", Reply::content("text/plain", robots))
        .page("/same", Reply::content("text/gemini; lang=de; charset=iso-8859-1", hours))
        .page("/deep", "# Deep\nNothing below this.\n")
        .page("/text", "# Prices\n\n```price list\n permit    40\n```\nPaid at the desk.\n")
        .page("/gone", "# Old notice\nThis will be taken down.\n")
        .page("/moved", "# Street works\nMain street is closed.\n")
        .page("/search", Reply::status("10 What are you looking for?"))
        .page("/members", Reply::status("60 For members"))
        .page("/elsewhere", Reply::status("30 https://www.example.org/"));
}

/// Changes the capsule to what it is in the second week.
pub fn plant_second(capsule: &Capsule) {
    capsule
        .page("/text", "# Prices\n\n```price list\n permit    45\n```\nPaid at the desk.\n")
        .page("/deep", "# Deep\nNothing below this.\n=> /new New\n")
        .page("/new", "# News\nThe council met.\n")
        .page("/moved", Reply::status("31 /same"))
        .remove("/gone");
}

/// Returns what the first crawl must find.
pub fn first_verdicts() -> BTreeMap<String, String> {
    let new = ["/", "/deep", "/elsewhere", "/gone", "/moved", "/same", "/text"];
    let mut verdicts = of(new.map(|path| (path, "new")));
    verdicts.extend(of(["/members", "/old/paper", "/search", "/secret"].map(|path| (path, "excluded"))));
    verdicts.extend(of([("/broken", "missing")]));
    verdicts
}

/// Returns what the second crawl must find.
pub fn second_verdicts() -> BTreeMap<String, String> {
    let mut verdicts = first_verdicts();
    for verdict in verdicts.values_mut().filter(|verdict| *verdict == "new") {
        "unchanged".clone_into(verdict);
    }
    let changes =
        [("/deep", "changed"), ("/gone", "gone"), ("/moved", "moved"), ("/new", "new"), ("/text", "changed")];
    verdicts.extend(of(changes));
    verdicts
}

fn of<const N: usize>(pairs: [(&str, &str); N]) -> BTreeMap<String, String> {
    pairs.map(|(path, verdict)| (path.to_owned(), verdict.to_owned())).into()
}
