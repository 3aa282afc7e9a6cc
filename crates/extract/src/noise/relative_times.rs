//! Relative times: "5 minutes ago", "yesterday".

use super::rule::{Removes, Rule, TextRule};

mod languages;

pub(super) const RULE: Rule = Rule {
    name: "relative-times",
    description: "Times relative to now: \"5 minutes ago\", \"Posted just now\". \"yesterday\", \"today\", \"this week\" and \
        \"just now\" only where they stand alone on a line or end one after a word such as \"Updated\"; so do those of other \
        languages, such as \"il y a 3 jours\", \"vor 3 Tagen\" and \"Aktualisiert heute\".",
    text: &[
        TextRule {
            words: &[" ago", "today", "yesterday", "just now", "ed this ", "ed last "],
            pattern,
            ..TextRule::NOTHING
        },
        TextRule {
            words_beside_digits: &languages::WORDS,
            removes: Removes::Part,
            pattern: languages::pattern,
            ..TextRule::NOTHING
        },
        TextRule {
            words: &languages::WORDS_OF_ONE,
            removes: Removes::Part,
            pattern: languages::pattern_of_one,
            ..TextRule::NOTHING
        },
        TextRule {
            words: &languages::DAYS,
            removes: Removes::Part,
            pattern: languages::pattern_of_days,
            ..TextRule::NOTHING
        },
    ],
    ..Rule::NOTHING
};

fn pattern() -> String {
    r"(?xi-u)
        \b (?:(?:about|almost|over|less \x20 than|more \x20 than) \x20)?
            (?:(?:\d{1,3}|an?) \x20?
                (?:seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|wks?|w|months?|mos?|years?|yrs?|y)
                \.? ,? \x20 (?:and \x20)?)+
            ago \b
        | \b a \x20 few \x20 seconds \x20 ago \b
        | ^ (?P<keep> (?: (?:last \x20)?
                (?:posted|published|updated|modified|edited|changed|submitted|created|added|seen)
                :? \x20 )? )
            (?:just \x20 now|(?:a \x20)? (?:few \x20)? moments? \x20 ago|today
                |yesterday (?: ,? \x20 (?:at \x20)? [0-9]{1,2}:[0-9]{2} (?:\x20? [ap]m)? )? ) \.? $
        | ^ (?P<rest> (?:last \x20)? (?:posted|published|updated|modified|edited|changed|added) )
            (?: \x20 (?:this|last) \x20 (?:week|month|year)
                | :? \x20 today ,? \x20 (?:at \x20)? [0-9]{1,2}:[0-9]{2} (?:\x20? [ap]m)? ) \.? $"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use crate::noise::NoiseRule;
    use crate::noise::tests::{assert_cleans, assert_keeps};

    #[test]
    fn relative_times_vanish() {
        assert_cleans(
            NoiseRule::RelativeTimes,
            &[
                ("Updated 5 minutes ago by Ann", "Updated by Ann"),
                ("Updated about an hour ago", "Updated"),
                ("1 year, 3 months ago", ""),
                ("2 hours and 5 mins ago | 3 comments", "| 3 comments"),
                ("News\n3 days ago\nMore", "News\nMore"),
                ("Posted just now", "Posted"),
                ("Last updated: yesterday", "Last updated:"),
                ("JUST NOW", ""),
                ("A few moments ago", ""),
                ("Updated 6 days ago by Ann", "Updated by Ann"),
                ("Updated over a month ago", "Updated"),
                ("Updated this week", "Updated"),
                ("3h ago", ""),
                ("a few seconds ago", ""),
                ("Edited 3 wk. ago", "Edited"),
                ("2 hr. ago", ""),
                ("Posted today at 14:32", "Posted"),
                ("Last updated: yesterday, 2:32 PM", "Last updated:"),
                ("Yesterday at 14:32", ""),
            ],
        );
    }

    #[test]
    fn lines_that_become_empty_vanish_wherever_they_stand() {
        assert_cleans(
            NoiseRule::RelativeTimes,
            &[
                ("1 day ago", ""),
                ("1 day ago\nx", "x"),
                ("x\n1 day ago", "x"),
                ("x\n1 day ago\ny\n2 days ago\n3 days ago\nz", "x\ny\nz"),
                ("1 day ago\n2 days ago", ""),
                ("Chicago\n1 day ago 2 days ago x\nyesterday", "Chicago\nx"),
            ],
        );
    }

    #[test]
    fn prose_and_absolute_times_stay() {
        assert_keeps(&[
            "We have just now opened the bridge",
            "The mayor said yesterday that the road is closed",
            "Open today",
            "Posted on March 3, 2024 at 5:30 pm",
            "5 minutes away",
            "It was two weeks ago",
            "Updated this week: the opening hours",
            "Today at 14:32",
            "Today, 2:30 pm: the council meets",
            "Updated today at 14:32: the opening hours",
            "Closed this week",
            "The bridge was opened a few weeks ago",
            "5 m long ago",
            "Chicago 5 minutes",
            "Founded 1851 years",
            "2024-03-03T10:00:00Z",
            "30 minutes",
        ]);
    }
}
