//! The ids that Drupal draws for views and forms.

use super::rule::{Rule, TextRule};

pub(super) const RULE: Rule = Rule {
    name: "view-ids",
    description: "The ids that Drupal draws for views and forms: `view-dom-id-...` and `form-...`.",
    text: &[TextRule { words: &["view-dom-id-", "form-"], pattern, ..TextRule::NOTHING }],
    ..Rule::NOTHING
};

fn pattern() -> String {
    r"(?x)
        \b (?:js-)? view-dom-id- [0-9a-f]{32,64} \b
        | \b form- [A-Za-z0-9_-]{43} (?P<keep> [^A-Za-z0-9_-] | $ )"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use crate::noise::NoiseRule;
    use crate::noise::tests::{assert_cleans, assert_keeps};

    #[test]
    fn view_ids_vanish() {
        let id = "0123456789abcdef".repeat(4);
        let form = "aB3_-".repeat(8) + "xyz";
        assert_cleans(
            NoiseRule::ViewIds,
            &[
                (&format!("view view-dom-id-{} end", &id[..32]), "view end"),
                (&format!("js-view-dom-id-{id}"), ""),
                (&format!("id form-{form} end"), "id end"),
                (&format!("[value=form-{form}]"), "[value=]"),
                (&format!("form-{form}"), ""),
            ],
        );
        assert_keeps(&["view-dom-id-12", "form-item", &format!("form-{form}long")]);
    }
}
