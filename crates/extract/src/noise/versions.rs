//! Versions of the software that made a page, which say nothing about the page.
//!
//! A version with two or three numbers can be that of a document or a release, and stays.

use super::rule::{Removes, Rule, TextRule};

pub(super) const RULE: Rule = Rule {
    name: "versions",
    description: "Versions and builds of the software behind a page, where that is all that a line, or a part of it between \
        bars, says: `1.261.0.339`, \"Build 121963\", \"rev 2026.1.8\"; and at the end of a line about the copyright. \
        \"Version 2.0\" and \"v3.1.4\" may be what the page is about, and stay.",
    text: &[
        TextRule {
            words_beside_digits: &[
                "version", "build", "rev ", "rev.", "rev:", "rev#", "revision", "release", "commit", "git:",
            ],
            lone_words: true,
            removes: Removes::Part,
            pattern,
            ..TextRule::NOTHING
        },
        TextRule {
            words_beside_digits: &["©", "copyright"], pattern: behind_copyright, ..TextRule::NOTHING
        },
        TextRule { words_beside_digits: &["powered by "], pattern: of_software, ..TextRule::NOTHING },
    ],
    ..Rule::NOTHING
};

/// A number too large for an address of the internet, whose four numbers look like a version.
const LARGE: &str = "(?:25[6-9]|2[6-9][0-9]|[3-9][0-9]{2}|[0-9]{4,8})";

/// A number of a version.
const NUMBER: &str = "[0-9]{1,8}";

fn pattern() -> String {
    // Telephone numbers with dots have no number of one digit but the first, and addresses of the internet no large one.
    let four_numbers = |(large, single)| {
        let number = |at| match at {
            _ if at == large => LARGE,
            _ if at == single => "[0-9]",
            _ => NUMBER,
        };
        [0, 1, 2, 3].map(number).join(r"\.")
    };
    let places = (0..4).flat_map(|large| (1..4).map(move |single| (large, single)));
    let bare =
        places.filter(|(large, single)| large != single).map(four_numbers).collect::<Vec<_>>().join("|");
    let long = format!(
        r"(?: (?:{bare}) | v{NUMBER}(?:\.{NUMBER}){{3,8}}
            | v?{NUMBER}(?:\.{NUMBER}){{1,3}} (?: \+ | -g ) [0-9a-f]{{7,40}} )"
    );
    let label = r"(?: (?:app|application|site|website|web|portal|client|server|software|system|platform|api|page|current)
        [\x20-] )?";
    let hash = "(?: [0-9][0-9a-f]{6,39} | [a-f]{1,6}[0-9][0-9a-f]{5,39} )";
    let is = r"(?: \x20? [:\#] \x20? | \x20 )";
    let mixed = "(?: [0-9]{1,3}[a-f][0-9a-f]{4,38} | [0-9]{4,12}[a-f][0-9a-f]{1,34} | [a-f]{1,6}[0-9][0-9a-f]{5,39} )";
    format!(
        r"(?xi-u) ^ \(? (?:
        {long}
        | {label} (?:version|release) {is} (?: {long} | {NUMBER}(?:\.{NUMBER}){{3,8}} )
        | (?: {label} version {is} )? v?{NUMBER}(?:\.{NUMBER}){{1,8}} ,? \x20 [(-]? \x20?
            (?:build|rev(?:ision)?) \b [\x20.:\#]{{1,3}} (?: [0-9]{{1,12}} | {hash} )
        | {label} build (?:\x20(?:number|no\.?|nr\.?|id|version))? {is}
            (?: [0-9]{{5,14}} | {NUMBER}(?:\.{NUMBER}){{2,8}} | {hash} | [a-z]{{2,20}}-{mixed} )
        | (?:rev|commit) {is} {hash} | (?:rev\.|revision|git\x20commit) {is} {mixed} | git: \x20? {mixed}
        | rev \.? {is} 20[0-9]{{2}} \. [0-9]{{1,2}} \. [0-9]{{1,2}} (?:\.{NUMBER}){{0,3}}
        ) \)? $"
    )
}

/// A line about the copyright is the foot of a page: what it says of builds is about the software.
fn behind_copyright() -> String {
    format!(
        r"(?xi-u) (?P<keep> (?: © | copyright ) (?u:.)*? [\x20|(,.] )
        (?: build \x20? [:\#]? \x20? [0-9]{{3,14}} (?:\.{NUMBER}){{0,8}}
            | rev \.? \x20? [:\#]? \x20? {NUMBER}(?:\.{NUMBER}){{2,8}}
            | (?: version \x20? :? \x20? v? | v ) {NUMBER}(?:\.{NUMBER}){{2,8}}
        ) (?P<rest> \)? (?: [\x20|,] | \.?$ ) )"
    )
}

fn of_software() -> String {
    format!(
        r"(?xi-u) (?P<keep> \b powered \x20 by \x20 (?u:[^0-9|·•]){{2,40}}? \x20 (?:version\x20)? )
        v?{NUMBER}(?:\.{NUMBER}){{1,8}} (?P<rest> \.? $ | \x20 (?: \| | · | • | © | \( ) )"
    )
}

#[cfg(test)]
mod tests {
    use crate::noise::NoiseRule;
    use crate::noise::tests::{assert_cleans, assert_keeps};

    #[test]
    fn versions_of_software_vanish() {
        assert_cleans(
            NoiseRule::Versions,
            &[
                ("1.261.0.339", ""),
                ("v4.12.0.7", ""),
                ("2026.11.18.4", ""),
                ("15.0.5285.1000", ""),
                ("Help | 1.261.0.339 | Contact", "Help | Contact"),
                ("Version 1.2.3.4", ""),
                ("Site version: 7.1.0.2214", ""),
                ("Version 3.1.4 (build 2211)", ""),
                ("3.1.4+5114f85", ""),
                ("v3.1.4-g1a2b3c4", ""),
                ("v3.1, rev 5114f85", ""),
                ("Build 121963", ""),
                ("BUILD: 121963", ""),
                ("Build number 20261118", ""),
                ("Build 5.12.3", ""),
                ("Build 1a2b3c4d", ""),
                ("rev 2026.1.8", ""),
                ("(rev 2026.1.8.38237)", ""),
                ("Commit: 5114f85a", ""),
                ("Revision 5114f85a", ""),
                ("rev. 5114f85", ""),
                ("git: 5114f85a", ""),
                ("Build: main-5114f85a", ""),
                ("\u{a9} Harbor Office Build 121963 Need help?", "\u{a9} Harbor Office Need help?"),
                (
                    "Logo \u{a9} Harbor Office; words under CC BY-SA. rev 2026.1.8.38237",
                    "Logo \u{a9} Harbor Office; words under CC BY-SA.",
                ),
                ("Copyright Harbor Office, v3.1.4", "Copyright Harbor Office,"),
                ("Powered by Boardware 3.3.11", "Powered by Boardware"),
                ("Powered by Wikiware version 1.42 | Help", "Powered by Wikiware version | Help"),
            ],
        );
    }

    #[test]
    fn versions_that_a_page_is_about_stay() {
        assert_keeps(&[
            "Version 2.0",
            "Version 2.0 is out",
            "Version 3.1.4",
            "v3.1.4",
            "3.1.4",
            "1.2.3.4 Deadlines",
            "192.168.100.200",
            "10.0.0.1",
            "1.888.555.0142",
            "01.42.68.53.00",
            "33.1.42.68.53.00",
            "19.11.2021.19.11.2021",
            "Build 1042",
            "Build 121963 fixes the printing of tables",
            "Build a bridge for 121963 dollars",
            "We use version 1.261.0.339 of the reader",
            "Rev. 01/2026",
            "Rev 3",
            "Revision 20261118",
            "Build: first-2026-quarter",
            "Revised 2026.1.8",
            "Section 1.2.3.4.5",
            "Release 2026.1",
            "Copyright Harbor Office, licensed under version 2.0",
            "Powered by a 2.5 liter engine",
            "Powered by 12 solar roofs",
        ]);
    }
}
