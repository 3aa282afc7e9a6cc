//! Ids that are drawn for every answer, where they are shown.

use super::rule::{Removes, Rule, TextRule};

pub(super) const RULE: Rule = Rule {
    name: "ids",
    description: "Ids that are drawn for every answer: of requests, traces, sessions and incidents (\"Request ID: \
        0f96ba58...\"), nonces and keys of caches, the machine that answered; and a UUID or a number of 12 or more digits \
        that is all that a line, or a part of it between bars, says.",
    text: &[
        TextRule { lone_words: true, removes: Removes::Part, pattern: alone, ..TextRule::NOTHING },
        TextRule {
            words_beside_digits: &[
                "trace",
                "request",
                "support",
                "incident",
                "ray id",
                "ray-id",
                "ray_id",
                "sess",
                "correlation",
                "anfrage",
                "vorgangs",
                "sitzungs",
                "referenz",
                "identifiant",
                "id de ",
                "id d'",
            ],
            pattern: of_request,
            ..TextRule::NOTHING
        },
        TextRule {
            words_beside_digits: &["trace", "request", "correlation", "session"],
            pattern: of_trace,
            ..TextRule::NOTHING
        },
        TextRule {
            words_beside_digits: &["reference", "error", "incident"],
            pattern: of_error,
            ..TextRule::NOTHING
        },
        TextRule {
            words_beside_digits: &["nonce", "csrf", "cache", "sess", "build", "deploy"],
            pattern: of_machinery,
            ..TextRule::NOTHING
        },
        TextRule {
            words_beside_digits: &["served ", "rendered ", "delivered ", "processed ", "handled "],
            removes: Removes::Part,
            pattern: machine,
            ..TextRule::NOTHING
        },
    ],
    ..Rule::NOTHING
};

/// What stands between the name of an id and the id.
const SAYS: &str =
    r"(?: \x20? [:=\#]{1,2} \x20? \#? | \x20 (?:is|ist|lautet|est|es|is\x20het) \x20? :? \x20? | \x20 )";

fn alone() -> String {
    // Thirteen digits that begin with 978 or 979 are the number of a book.
    r"(?xi-u) ^ (?:
        [0-9]{12} | [0-9]{14,} | [0-8][0-9]{12} | 9[0-689][0-9]{11} | 97[0-7][0-9]{10}
        | \{? [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12} \}?
        ) $"
    .to_owned()
}

fn of_request() -> String {
    format!(
        r"(?xi-u) (?P<keep> \b (?:
            (?:trace|request|support|incident|ray|session|correlation)
                [\x20_-] id
            | (?:anfrage|vorgangs|sitzungs|referenz)[\x20-]id
            | (?:identifiant|id) \x20 (?:de\x20|d') (?:la\x20)?
                (?:requ(?:ê|e)te|session|demande|suivi|support|assistance|soporte|solicitud|sesi(?:ó|o)n|suporte)
        ) {SAYS} ) (?: [a-f-]{{0,40}} [0-9] [0-9a-f-]{{7,}} | [a-f-]{{3,40}} [0-9] [0-9a-f-]{{4,}}
            | [a-f-]{{7,40}} [0-9] [0-9a-f-]* | [0-9a-z]{{13}} : [0-9a-f]{{8}} ) (?P<rest> (?u:[^0-9a-z]) | $ )"
    )
}

/// People use the names for other things, so what is drawn must be long and have letters among its digits.
fn of_trace() -> String {
    r"(?xi-u) (?P<keep> \b (?: (?:trace | request | correlation | session) (?: [\x20_-] id )? ) \x20? [:=] \x20? )
        (?: [0-9]{1,20} (?: -[0-9]{1,20} )? [a-z] | [a-z]{1,20}[0-9] ) [0-9a-z-]{13,} (?P<rest> (?u:[^0-9a-z]) | $ )"
        .to_owned()
}

fn of_error() -> String {
    // People number their references and errors, too, but not with that many letters among the digits.
    let mixed = "(?: [0-9][0-9-]{0,40}[a-f] | [a-f][a-f-]{0,40}[0-9] ) [0-9a-f-]{10,}";
    let dotted = r"[0-9]{1,3} \. [0-9a-f]{6,10} \. [0-9]{8,12} \. [0-9a-f]{6,10}";
    format!(
        r"(?xi-u) (?P<keep> \b (?:reference|error|incident)
            (?:\x20(?:id|code|number|no\.?))? {SAYS} ) (?: {mixed} | {dotted} ) (?P<rest> (?u:[^0-9a-z]) | $ )"
    )
}

fn of_machinery() -> String {
    let drawn = "(?: [a-z_+/:-]{0,40} [0-9] [0-9a-z_+/:=-]{7,} | [a-z_+/:-]{4,40} [0-9] [0-9a-z_+/:=-]{3,} )";
    format!(
        r"(?xi-u) (?P<keep> \b (?:
            (?:nonce | csrf[\x20_-]token | cache[\x20_-](?:key|id|tag) | build[\x20_-](?:id|hash)
                | deploy(?:ment)?[\x20_-](?:id|hash) | (?:php|j|asp\.net_)sess(?:ion)?id | session[\x20_-](?:key|token))
                \x20? [:=] \x20?
            | sess(?:ion)?_ ) ) {drawn} (?P<rest> (?u:[^0-9a-z]) | $ )"
    )
}

/// Machines are numbered, and their names have no spaces.
fn machine() -> String {
    r"(?xi-u) ^ (?:(?:page|request)\x20)? (?:served|rendered|delivered|processed|handled) \x20 (?:by|from) :? \x20
        (?:(?:host|server|node|pod|machine|instance|backend|cache) :? \x20)?
        (?:[a-z0-9]+[._-])+ [a-z]* [0-9] [a-z0-9._-]* $"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use crate::noise::NoiseRule;
    use crate::noise::tests::{assert_cleans, assert_keeps};

    #[test]
    fn ids_that_stand_alone_vanish() {
        assert_cleans(
            NoiseRule::Ids,
            &[
                ("13571708640162370218", ""),
                ("Help\n7828452722495760013\nContact", "Help\nContact"),
                ("123456789012", ""),
                ("1763479841123", ""),
                ("0f96ba58-7903-4b11-839a-dd2c75cdcdd5", ""),
                ("{0F96BA58-7903-4B11-839A-DD2C75CDCDD5}", ""),
                ("Help | 13571708640162370218 | Contact", "Help | Contact"),
            ],
        );
        assert_keeps(&[
            "12345678901",
            "9780306406157",
            "9791034567890",
            "+441632960961",
            "503-823-4000",
            "4000 1234 5678",
            "Account 13571708640162370218",
            "0f96ba58-7903-4b11-839a",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ]);
    }

    #[test]
    fn ids_behind_their_names_vanish() {
        assert_cleans(
            NoiseRule::Ids,
            &[
                ("This is the Trace Id: ad79a9331408698cfe22b40145f8cfdc", "This is the Trace Id:"),
                ("Request ID: 0f96ba58-7903-4b11-839a-dd2c75cdcdd5.", "Request ID: ."),
                ("Your support ID is: 1234567890123456", "Your support ID is:"),
                ("Ray ID 8a1b2c3d4e5f6789 | Help", "Ray ID | Help"),
                ("request_id=4f2a91c0de", "request_id="),
                ("Incident ID: 1538000090163318451-357733212073624141", "Incident ID:"),
                ("Correlation-Id #deadbeef01", "Correlation-Id #"),
                ("Vorgangs-ID: 4f2a91c0de", "Vorgangs-ID:"),
                ("Identifiant de la requête : 4f2a91c0de", "Identifiant de la requête :"),
                ("ID de soporte: 1234567890", "ID de soporte:"),
                ("Reference #18.2f1e3b17.1699999999.1a2b3c4d", "Reference #"),
                ("Error code: 4f2a91c0de77ab", "Error code:"),
                ("nonce: 4f2a91c0de", "nonce:"),
                ("Cache key: page_v3_8821f0", "Cache key:"),
                ("PHPSESSID=9f8e7d6c5b4a", "PHPSESSID="),
                ("Signed in as sess_4f2a91c0de", "Signed in as sess_"),
                ("Build hash: 4f2a91c0de", "Build hash:"),
                ("Served by web-7f9c4d5b8-x2x9k", ""),
                ("City | Served from cache-lhr7321-LHR | Help", "City | Help"),
                ("Rendered by node ip-10-0-3-17", ""),
                ("Served by: ip-10-0-3-17", ""),
                ("Request processed by node fra1-web-07", ""),
                ("Trace: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "Trace:"),
                ("Session: 9f86d081884c7d65", "Session:"),
                ("Session ID: aBcDeF1234567890", "Session ID:"),
                ("Your request ID is 0HN2K8V3Q4L5M:00000001", "Your request ID is"),
                ("Cache key: page:home:v3:8821f0", "Cache key:"),
            ],
        );
    }

    #[test]
    fn numbers_of_documents_and_errors_stay() {
        assert_keeps(&[
            "Reference: 2026-00123",
            "Reference number 12345678",
            "See reference 2.3.4",
            "Error code 80070005",
            "Error 404",
            "Error code: 0x8007000E",
            "Request ID 4711",
            "Session: 2026-11-18-afternoon",
            "Request: 12345678-1234-1234",
            "Trace: the river of 1931",
            "Cases handled by unit 12",
            "Request 12345678",
            "Your request is 12345678 days old",
            "Session ID: 2214",
            "Incident 20261118",
            "Tax ID: 12-3456789",
            "Meter id 12345678",
            "A request id is a number such as 12",
            "Announce: 12345678 visitors",
            "Session name: Tides and Boats 2026",
            "Lunch is served by 12",
            "Served by 7-Hills Bakery",
            "Served from 11-30 am to 2 pm",
            "Delivered by truck 12",
        ]);
    }
}
