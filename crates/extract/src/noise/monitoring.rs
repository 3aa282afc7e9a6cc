//! Code of services that measure visitors: the code itself, and not what somebody writes about it. That rarely begins a line.

use std::sync::LazyLock;

use super::text_rule::{Removes, TextRule, compile};

pub(super) static RULE: TextRule = TextRule {
    words: &["nreum", "datalayer", "function(w,d,s,l,i)"],
    words_beside_digits: &[],
    removes: Removes::Match,
    pattern: LazyLock::new(|| {
        compile(
            r"(?x-u)
            ^ [;(!]* (?: window\.NREUM \|\| | NREUM\.(?:info|init|loader_config) \x20? =
                | window\.dataLayer \x20? = \x20? window\.dataLayer \x20? \|\|
                | function\(w,d,s,l,i\)\{w\[l\] ) [[:ascii:]]* $",
        )
    }),
};

#[cfg(test)]
mod tests {
    use crate::text::noise::NoiseRule;
    use crate::text::noise::tests::{assert_cleans, assert_keeps};

    #[test]
    fn leaked_code_of_monitoring_vanishes() {
        assert_cleans(
            NoiseRule::Monitoring,
            &[
                ("x\nwindow.NREUM||(NREUM={});NREUM.info={\"queueTime\":3}\ny", "x\ny"),
                (";window.NREUM||(NREUM={})", ""),
                ("NREUM.info = {\"agent\":\"\",\"applicationTime\":91}", ""),
                ("window.dataLayer = window.dataLayer || []; dataLayer.push({'id': 'a1'})", ""),
                ("(function(w,d,s,l,i){w[l]=w[l]||[];})(window,document,'script','dataLayer','GTM-1')", ""),
            ],
        );
        assert_keeps(&[
            "What window.NREUM is for",
            "Push to the dataLayer with dataLayer.push(5)",
            "gtag('config', 'G-1')",
        ]);
    }
}
