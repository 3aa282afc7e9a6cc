//! Build times and clocks: when a page was made, or what time it is.

use super::rule::{Removes, Rule, TextRule};

pub(super) const RULE: Rule = Rule {
    name: "build-times",
    description: "When the page was made or what time it is: \"Generated on Mon, 16 Nov 2026 04:12:33 GMT\", and \
        when the visitor was there before. \"Last updated\" and \"Published\" say when somebody changed it, and stay.",
    text: &[
        TextRule {
            words: &["generated", "rendered", "cached", "time:", "today"],
            words_beside_digits: &[
                "build",
                "served by",
                "it is currently",
                "it is now",
                "system time",
                "local time",
                "server time",
            ],
            removes: Removes::Part,
            pattern,
            ..TextRule::NOTHING
        },
        TextRule {
            words_beside_digits: &["last log", "last visit", "last active", "last sign", "last online"],
            removes: Removes::Part,
            pattern: last_visit,
            ..TextRule::NOTHING
        },
        TextRule {
            words_beside_digits: &[
                "heute ist",
                "nous sommes le",
                "aujourd",
                "hoy es",
                "oggi",
                "vandaag",
                "hoje",
            ],
            removes: Removes::Part,
            pattern: today_elsewhere,
            ..TextRule::NOTHING
        },
    ],
    ..Rule::NOTHING
};

/// A day, an hour, or what stands between them.
const STAMP_WORD: &str = r"(?:
    (?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?
    | jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?
    | oct(?:ober)?|nov(?:ember)?|dec(?:ember)?
    | [0-9]{1,2}(?:st|nd|rd|th)|[0-9]{4}|[0-9]{1,2}
    | [0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}
    | [0-9]{1,2}-(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)-[0-9]{2,4}
    | (?:gmt|utc|[ecmp][sd]t|ce?s?t|bst|z)(?:[+-][0-9]{1,2}(?::?[0-9]{2})?)?
    | [+-][0-9]{2}:?[0-9]{2} | [ap]\.?m\.? | at|on|of|the|@|-
    )";

/// An hour with its minutes, with or without the day before it.
const CLOCK: &str = r"(?:(?:[0-9]{4}-[0-9]{2}-[0-9]{2}t)?
    [0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)? (?:z|[+-][0-9]{2}:?[0-9]{2})?)";

fn pattern() -> String {
    let word = format!(r"(?:{CLOCK}|{STAMP_WORD})[,.]?\x20?");
    let any = format!(r"(?:{word})+");
    // A day alone may be when somebody made something; an hour with minutes is when a machine did.
    let exact = format!(r"(?:\(?(?:{word})*{CLOCK}[,.]?\x20?(?:{word})*\)?)");
    let made = "(?:generated|rendered|cached)";
    let tail = r"(?: (?:by|using|with|from|in|for)\x20(?u:.){1,60}
        | [,;(\[]? \x20? (?:request|req|trace|id|build|node|host) [\x20:\#=]{1,2} [0-9a-z._-]{4,60} [)\]]? )?";
    let weekday = "(?:mon|tues|wednes|thurs|fri|satur|sun)day";
    let day = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day
        | (?:january|february|march|april|may|june|july|august|september|october|november|december)
        | [0-9]{1,2}(?:st|nd|rd|th)?\x20(?:of\x20)?
          (?:january|february|march|april|may|june|july|august|september|october|november|december)
        | [0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4})[,.]?\x20?";
    format!(
        r"(?xi-u) ^ (?:
        (?:this\x20|the\x20)? page \x20 (?:was\x20)? (?:last\x20|auto-?|automatically\x20)? {made}
            (?::|\x20on|\x20at)? \x20 {any} {tail}
        | (?:(?:this\x20)?(?:site|document|content|file|html|output|index) \x20 (?:was\x20)?)?
            (?:last\x20|auto-?|automatically\x20)? {made} (?::|\x20on|\x20at)? \x20 {exact} {tail}
        | (?:served|rendered|generated) \x20 by \x20 [a-z0-9._-]*[0-9][a-z0-9._-]*
            \x20 (?:at|on) \x20 {exact}
        | build (?:\x20(?:date|time|number|id))? :? \x20 {exact}
        | (?:the\x20)? current (?:\x20(?:local|server|site|system|utc|gmt))? \x20
            (?:time|date\x20(?:and|&)\x20time|date/time) : \x20 {any}
        | (?:server|system) \x20 time :? \x20 {exact}
        | local \x20 time :? \x20 [0-9]{{1,2}}:[0-9]{{2}}:[0-9]{{2}} (?:\x20 (?:{word})+)?
        | it \x20 is \x20 (?:currently|now) \x20 {exact}
        | today \x20 is \x20 (?:the\x20)? {day} (?:{word})*
        | today \x20? : \x20 {weekday} ,? \x20 (?:{word})* [0-9]{{4}}
        | today(?:'|’)s \x20 date (?:\x20is|:|\x20is:)? \x20 {day} (?:{word})*
        ) \.? $"
    )
}

/// When the visitor was there before. Only machines write an hour to that.
fn last_visit() -> String {
    let word = format!(r"(?:{CLOCK}|{STAMP_WORD})[,.]?\x20?");
    format!(
        r"(?xi-u) ^ (?:your\x20|you\x20)? last \x20
            (?:log(?:in|ged\x20in)|visit(?:ed)?|active|sign(?:-|\x20)?in|signed\x20in|online)
            (?:\x20(?:was|on|at))? :? \x20 (?:{word})* {CLOCK} [,.]? \x20? (?:{word})*
            (?: from \x20 [0-9a-f.:]{{3,45}} )? \.? $"
    )
}

/// A weekday with its whole date, behind words that say that it is today's.
fn today_elsewhere() -> String {
    r"(?xi-u) ^ (?: heute\x20ist | nous\x20sommes\x20le | aujourd(?:'|’)hui (?:\x20c(?:'|’)est\x20le)?
            | hoy\x20es | oggi\x20(?:è|e') | vandaag\x20is\x20het | hoje\x20(?:é|e) ) \x20? [:,]? \x20
        (?u: [\p{L}-]{2,20}) ,? \x20 (?:(?:der|den|le|el|il|dia)\x20)?
        [0-9]{1,2} (?:\.|er|º)? \x20 (?:de\x20)? (?u: \p{L}{2,12}) \.? \x20 (?:de\x20|del\x20)? [0-9]{4} \.? $"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use crate::noise::NoiseRule;
    use crate::noise::tests::{assert_cleans, assert_keeps};

    #[test]
    fn times_at_which_a_page_was_made_vanish() {
        assert_cleans(
            NoiseRule::BuildTimes,
            &[
                ("Build 2026-11-16 04:12:33", ""),
                ("Build time: 2026-11-16T04:12:33Z", ""),
                ("Build: 2026-11-16 04:12", ""),
                ("SERVER TIME: 12:33:05", ""),
                ("Generated on Mon, 16 Nov 2026 04:12:33 GMT by Hugo 0.120", ""),
                ("Generated on Mon Nov 16 2026 04:12:33 for Street Data by doxygen 1.9.1", ""),
                ("Page last generated: November 16, 2026", ""),
                ("This page was generated on 11/16/2026 at 4:12 AM.", ""),
                ("Page generated at 04:12", ""),
                ("This page was cached on Monday", ""),
                ("Current time: Monday", ""),
                ("Rendered at 12:31:05", ""),
                ("Cached on 16-Nov-2026 04:12", ""),
                ("Last cached: 2026-11-16 04:12 UTC", ""),
                ("Served by web-03 at 12:33", ""),
                ("Current time: 12:33 PM", ""),
                ("The current date and time: Monday, 16 November 2026 12:33", ""),
                ("Server time: 12:33:05", ""),
                ("It is currently Mon Nov 16, 2026 4:12 am", ""),
                ("Today is Monday, November 16, 2026", ""),
                ("Today\u{2019}s date: 11/16/2026", ""),
                ("Today: Monday, November 16, 2026", ""),
                ("Rendered at 12:31:05 (request 4f2a91c0)", ""),
                ("Page generated on 2026-11-16 04:12:33, node web-03", ""),
                ("Last login: Mon Nov 16, 2026 4:12 am", ""),
                ("Your last visit was: Mon Nov 16, 2026 4:12 am", ""),
                ("Last active March 23, 2026 11:16", ""),
                ("Last online: 2026-11-16 04:12", ""),
                ("Last login: Mon Nov 16 04:12:33 2026 from 10.0.0.1", ""),
                ("Local time: 12:33:05", ""),
                ("It is now 12:33", ""),
                ("Server time 2026-11-16 12:33:05", ""),
                ("Heute ist Montag, der 16. November 2026", ""),
                ("Nous sommes le lundi 16 novembre 2026", ""),
                ("Hoy es lunes, 16 de noviembre de 2026", ""),
                ("City of Portland | Rendered at 12:31 | Contact", "City of Portland | Contact"),
            ],
        );
    }

    #[test]
    fn times_at_which_something_happened_stay() {
        assert_keeps(&[
            "Last updated: November 16, 2026",
            "Last updated: 2026-11-16 04:12:33",
            "Updated on Mon, 16 Nov 2026 04:12:33 GMT",
            "Published November 16, 2026 at 4:12 am",
            "Monday, November 16, 2026",
            "Meeting on November 16, 2026 at 12:33",
            "Built on May 1, 1931",
            "Built: 1931",
            "Compiled on 16 November 2026",
            "Generated on November 16, 2026",
            "Energy generated on Monday 16 November 2026 04:12 was sold",
            "Build a bridge at 12:33",
            "Lunch is served at 12:30",
            "Served by Ann at 12:30",
            "Served at 12:30",
            "Today is the deadline",
            "Today is Monday Market at 12:30 in the park",
            "Today is your day",
            "Local time: 7:00 PM",
            "It is now 12:33 that counts",
            "Last seen: November 16, 2026, 4:12 am",
            "Current time limit: 2 hours",
            "Current time zone",
            "It is currently 65 degrees",
            "The time is now",
            "Build 1042",
            "Today: 9:00 am - 5:00 pm",
            "Today: Monday market at 9:00",
            "Last visit: bring your papers by November 16, 2026",
            "Last login: November 16, 2026",
            "Last active member: 1931",
            "Heute ist der letzte Tag, 16. November 2026",
            "Lundi 16 novembre 2026",
        ]);
    }
}
