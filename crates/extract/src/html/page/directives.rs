//! Meta robots: `noindex` and `nofollow` in `meta` elements.

use serde::{Deserialize, Serialize};

/// The name by which a page can address this crawler alone.
const PRODUCT_TOKEN: &str = "recrawl";

/// A page's wishes; everything not forbidden is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RobotsDirectives {
    /// The page shall not be indexed.
    pub noindex: bool,
    /// The page's links shall not be followed.
    pub nofollow: bool,
}

impl RobotsDirectives {
    /// Adds what one `meta` element says. Several elements add up to the strictest reading.
    pub fn read_meta(&mut self, name: &str, content: &str) {
        let name = name.trim_ascii();
        if name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case(PRODUCT_TOKEN) {
            content.split(',').for_each(|directive| self.add(directive));
        }
    }

    fn add(&mut self, directive: &str) {
        match directive.trim().to_ascii_lowercase().as_str() {
            "noindex" => self.noindex = true,
            "nofollow" => self.nofollow = true,
            "none" => *self = Self { noindex: true, nofollow: true },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RobotsDirectives;

    const NOTHING: RobotsDirectives = RobotsDirectives { noindex: false, nofollow: false };
    const NOINDEX: RobotsDirectives = RobotsDirectives { noindex: true, nofollow: false };
    const NOFOLLOW: RobotsDirectives = RobotsDirectives { noindex: false, nofollow: true };
    const BOTH: RobotsDirectives = RobotsDirectives { noindex: true, nofollow: true };

    #[test]
    fn meta_elements_are_read_by_name() {
        for (name, content, expected) in [
            ("robots", "noindex", NOINDEX),
            ("ROBOTS", "NoFollow", NOFOLLOW),
            ("robots", "index, nofollow", NOFOLLOW),
            ("robots", " none ", BOTH),
            ("robots", "all", NOTHING),
            ("robots", "noindex,nofollow", BOTH),
            ("robots", "nonofollow max-snippet:5", NOTHING),
            ("recrawl", "noindex", NOINDEX),
            ("googlebot", "noindex", NOTHING),
            ("description", "noindex", NOTHING),
        ] {
            let mut directives = RobotsDirectives::default();
            directives.read_meta(name, content);
            assert_eq!(directives, expected, "{name} {content}");
        }
    }

    #[test]
    fn several_elements_add_up() {
        let mut directives = RobotsDirectives::default();
        directives.read_meta("robots", "noindex");
        directives.read_meta("recrawl", "nofollow");
        directives.read_meta("robots", "all");
        assert_eq!(directives, BOTH);
    }
}
