//! robots.txt: every file can be read, and patterns match as in Google's own matcher.

use recrawl_extract::robots::{Decision, Robots, path_to_match, product_token};

use crate::{first_line, stretched};

/// The most bytes of a pattern or path for which the slow way is tried.
const SHORT: usize = 200;

/// A line that begins with this asks for a long file.
const LONG: &str = "*";

/// Reads the first line as an address, and the rest as a file.
pub fn read_robots(data: &[u8]) {
    let (address, file) = first_line(data);
    let address = String::from_utf8_lossy(address);
    let path = path_to_match(&address);
    assert!(path.starts_with('/'));
    assert!(address.starts_with(product_token(&address)));
    if address.starts_with(LONG) {
        let long = stretched(&String::from_utf8_lossy(file), Robots::MAX_BYTES);
        decide(&Robots::parse(long.as_bytes()), &path);
        return;
    }
    let robots = Robots::parse(file);
    assert_eq!(Robots::parse(file), robots);
    decide(&robots, &path);
    let mut sitemaps = robots.sitemaps().to_vec();
    sitemaps.sort_unstable();
    sitemaps.dedup();
    assert_eq!(sitemaps.len(), robots.sitemaps().len(), "each sitemap once");
    for line in file.split(|byte| matches!(byte, b'\n' | b'\r')) {
        compare_with_slow_way(&String::from_utf8_lossy(line), &path);
    }
}

fn decide(robots: &Robots, path: &str) {
    for agent in ["recrawl", "googlebot", ""] {
        let Decision { allowed, rule, line } = robots.decision(agent, path);
        assert_eq!(robots.allows(agent, path), allowed);
        assert_eq!((rule.is_some(), rule.is_some() || allowed), (line.is_some(), true));
        let _ = robots.crawl_delay(agent);
    }
}

/// Takes a line as a pattern.
fn compare_with_slow_way(pattern: &str, path: &str) {
    // Escapes have a second meaning, and so have white space, comments and zeros in a line.
    let is_plain = pattern.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'%' | b'#'));
    if !is_plain || pattern.is_empty() || pattern.len() > SHORT || path.len() > SHORT {
        return;
    }
    let file = format!("User-agent: *\nDisallow: {pattern}\n");
    let allowed = Robots::parse(file.as_bytes()).allows("recrawl", path);
    assert_eq!(allowed, !matches_slowly(path.as_bytes(), pattern.as_bytes()), "{pattern} on {path}");
}

/// Follows every place that the pattern can have reached, as Google's matcher does.
fn matches_slowly(path: &[u8], pattern: &[u8]) -> bool {
    let mut reached = vec![0];
    for (index, sign) in pattern.iter().enumerate() {
        if *sign == b'$' && index + 1 == pattern.len() {
            return reached.contains(&path.len());
        }
        reached = if *sign == b'*' {
            let first = reached.into_iter().min().unwrap_or(path.len());
            (first..=path.len()).collect()
        } else {
            reached.into_iter().filter(|at| path.get(*at) == Some(sign)).map(|at| at + 1).collect()
        };
        if reached.is_empty() {
            return false;
        }
    }
    true
}
