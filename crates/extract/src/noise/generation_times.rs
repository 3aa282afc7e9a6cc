//! Page generation times: how long the server took.

use super::rule::{Rule, TextRule};

pub(super) const RULE: Rule = Rule {
    name: "generation-times",
    description: "How long the server took: \"Page generated in 0.123 seconds\".",
    text: &[TextRule {
        words_beside_digits: &[
            "generated in ",
            "rendered in ",
            "created in ",
            "loaded in ",
            "served in ",
            "processed in ",
            "executed in ",
            "execution time",
            "generation time",
            "rendering time",
            "render time",
            "load time",
            "processing time",
            "response time",
            "queries in ",
            "queries: ",
        ],
        pattern,
        ..TextRule::NOTHING
    }],
    ..Rule::NOTHING
};

fn pattern() -> String {
    // Whole seconds count only after the word "page": "loaded in 30 seconds" may be about lorries.
    r"(?xi-u)
        \b page \x20 (?:was \x20)? (?:generated|rendered|created|loaded|served|processed)
            \x20 in \x20 \d+(?:[.,]\d+)? \x20? (?:ms|milliseconds?|s|secs?|seconds?) \b
        | \b (?:generated|rendered|loaded|served|processed|executed) \x20 in \x20
            (?: \d+[.,]\d+ \x20? (?:ms|milliseconds?|s|secs?|seconds?)
              | \d+ \x20? (?:ms|milliseconds?) ) \b
        | \b \d+ \x20 (?:(?:sql|db|database) \x20)? queries \x20 in \x20 \d+[.,]\d+ \x20? (?:ms|s|secs?|seconds?) \b
        | \b queries: \x20 \d+ \x20 in \x20 \d+[.,]\d+ \x20? (?:ms|s|secs?|seconds?) \b
        | \b (?:(?:page|server) \x20)?
            (?:execution|generation|rendering|render|load|processing|response) \x20 time
            \x20? [:=]? \x20? \d+(?:[.,]\d+)? \x20? (?:ms|milliseconds?|s|secs?|seconds?) \b"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use crate::noise::NoiseRule;
    use crate::noise::tests::{assert_cleans, assert_keeps};

    #[test]
    fn generation_times_vanish() {
        assert_cleans(
            NoiseRule::GenerationTimes,
            &[
                ("Page generated in 0.123 seconds.", "."),
                ("Page was rendered in 3 seconds", ""),
                ("Generated in 12 ms with 5 queries", "with 5 queries"),
                ("Execution time: 0,05 s", ""),
                ("34 queries in 0.123 seconds.", "."),
                ("Queries: 34 in 0.123s", ""),
                ("Page load time 250ms", ""),
                ("PAGE GENERATED IN 0.12 SECONDS", ""),
            ],
        );
    }

    #[test]
    fn other_durations_stay() {
        assert_keeps(&[
            "Trucks are loaded in 30 seconds",
            "Built in 1931",
            "34 queries in 2026",
            "Page 3 of 12",
            "Generated in 2024",
            "Response time: 5 minutes",
            "Walk signal time: 12 seconds",
        ]);
    }
}
