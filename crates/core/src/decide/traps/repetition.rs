//! Paths that go round in circles.

/// How often a segment may be in a path.
pub(super) const MOST: usize = 3;

/// How often a segment of digits may be in a path: dates, versions, tiles and part numbers repeat them.
const MOST_DIGITS: usize = 7;

/// Returns a segment that is in `path` more often than in those of real pages.
///
/// Relative links that lack a slash make such paths: `/a/b/a/b/a/b/a/b`.
pub(super) fn repeated_segment(path: &str) -> Option<&str> {
    let mut segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    if segments.len() <= MOST {
        return None;
    }
    segments.sort_unstable();
    let is_repeated = |alike: &&[&str]| {
        let digits = alike[0].bytes().all(|byte| byte.is_ascii_digit());
        alike.len() > if digits { MOST_DIGITS } else { MOST }
    };
    segments.chunk_by(|one, other| one == other).find(is_repeated).map(|alike| alike[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_repeated_when_it_is_there_more_than_three_times() {
        for (path, expected) in [
            ("/", None),
            ("/a/b/c/d/e/f", None),
            ("/x/x/x", None),
            ("/x/x/x/x", Some("x")),
            ("/x/x/x/x/", Some("x")),
            ("//x//x//x", None),
            ("/a/b/a/b/a/b", None),
            ("/a/b/a/b/a/b/a", Some("a")),
            ("/a/b/a/b/a/b/a/b", Some("a")),
            ("/shop/news/shop/about/shop/news/about/shop/", Some("shop")),
            ("/en/help/en/help/page.html", None),
            ("/src/main/java/org/example/main/Main.java", None),
            ("/xx/x/X/x/x", None),
            ("/2024/01/01/01", None),
            ("/01/01/01/01", None),
            ("/tiles/0/0/0/0.png", None),
            ("/0/0/0/0", None),
            ("/1/1/1/1/1/1/1", None),
            ("/1/1/1/1/1/1/1/1", Some("1")),
            ("/v1/1.0/1.0/1.0", None),
            ("/%C3%B6/%C3%B6/%C3%B6/%C3%B6", Some("%C3%B6")),
        ] {
            assert_eq!(repeated_segment(path), expected, "{path}");
        }
    }
}
