//! The rules by which pages become text, as the settings say.

use recrawl_extract::noise::UnknownNoiseRule;
use recrawl_extract::text::{TextRules, TextSettings};
use recrawl_settings::CrawlSettings;

/// Makes the rules by which pages become text, or says what is wrong with a selector, an expression or a name.
pub fn text_rules(settings: &CrawlSettings) -> Result<TextRules, String> {
    let mut text = TextSettings {
        ignore_selectors: settings.ignore_selector.clone(),
        only_selectors: settings.only_selector.clone(),
        ignore_patterns: settings.ignore_regex.clone(),
        keep_attributes: settings.keep_attribute.clone(),
        frame_words: settings.frame_words.clone(),
        ..TextSettings::default()
    };
    if let Some(names) = &settings.noise_rule {
        let rules = names.iter().filter(|name| *name != "none").map(|name| name.parse());
        let rules: Result<_, _> = rules.collect();
        text.noise_rules = rules.map_err(|error: UnknownNoiseRule| format!("noise-rule: {error}"))?;
    }
    TextRules::new(&text).map_err(|error| match std::error::Error::source(&error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    })
}

#[cfg(test)]
mod tests {

    use recrawl_settings::table::CRAWL;
    use recrawl_settings::{Environment, Flags, Layers, Sources};

    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<TextRules, String> {
        let named = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let environment: Environment = variables.iter().map(named).collect();
        let sources = Sources { flags: &Flags::default(), environment: &environment, file: None };
        let mut problems = Vec::new();
        let settings = CrawlSettings::read(&Layers::new(sources), &mut problems);
        assert_eq!(problems, Vec::<String>::new());
        text_rules(&settings)
    }

    #[test]
    fn what_nobody_sets_is_as_the_reader_of_pages_has_it() {
        let usual = TextRules::new(&TextSettings::default()).unwrap();
        assert_eq!(read(&[]).unwrap().version(), usual.version());
        let row = CRAWL.iter().find(|row| row.name == "noise-rule").unwrap();
        assert_eq!(row.default_words(), "all");
    }

    #[test]
    fn every_setting_of_the_text_makes_other_rules() {
        let usual = read(&[]).unwrap().version();
        for (name, value) in [
            ("RECRAWL_IGNORE_SELECTOR", ".ad\n.date"),
            ("RECRAWL_ONLY_SELECTOR", "main"),
            ("RECRAWL_IGNORE_REGEX", "[0-9]+ views"),
            ("RECRAWL_KEEP_ATTRIBUTE", "data-id"),
            ("RECRAWL_NOISE_RULE", "none"),
            ("RECRAWL_NOISE_RULE", "ads\ncounters"),
        ] {
            assert_ne!(read(&[(name, value)]).unwrap().version(), usual, "{name}={value}");
        }
    }

    #[test]
    fn frame_words_leave_the_text_alone() {
        let (usual, changed) =
            (read(&[]).unwrap(), read(&[("RECRAWL_FRAME_WORDS", "+sponsor\n-search")]).unwrap());
        assert_eq!(changed.version(), usual.version());
        assert_ne!(changed.outline_version(), usual.outline_version());
    }

    #[test]
    fn what_cannot_be_a_rule_is_told() {
        for (name, value, expected) in [
            ("RECRAWL_FRAME_WORDS", "sponsor", "`sponsor` does not change the frame words"),
            ("RECRAWL_IGNORE_SELECTOR", "p[", "`p[` is not a CSS selector"),
            ("RECRAWL_IGNORE_REGEX", "(", "`(` is not a regular expression"),
            ("RECRAWL_NOISE_RULE", "hum", "noise-rule: "),
        ] {
            let problem = read(&[(name, value)]).unwrap_err();
            assert!(problem.contains(expected), "{name}={value}: {problem}");
        }
    }
}
