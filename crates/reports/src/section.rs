//! The sections of a site.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use recrawl_core::url::PageUrl;

/// Returns the section of a page: the first directory of its path below that of the site's root, readable.
/// The root and the pages directly below it have no section: empty. What is on another host is a section by
/// the name of that; what is beside the root, by its own path.
pub fn section_of(root: &PageUrl, page: &PageUrl) -> String {
    if page.authority() != root.authority() {
        return page.authority().to_owned();
    }
    let path = page.path();
    let directory = root.path().trim_end_matches('/');
    let below = match path.strip_prefix(directory) {
        Some(below) if below.is_empty() || below.starts_with('/') => below,
        // The root may be a file, `/news/index.html`: its neighbours are below its directory.
        Some(_) | None => {
            let directory = directory.rsplit_once('/').map_or("", |(directory, _)| directory);
            path.strip_prefix(directory).unwrap_or(path)
        }
    };
    let segment = below.trim_start_matches('/').split_once('/').map_or("", |(directory, _)| directory);
    let decoded = percent_decode_str(segment).decode_utf8();
    decoded.unwrap_or(Cow::Borrowed(segment)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_the_first_directory_below_the_root() {
        for (root, page, expected) in [
            ("https://a.org/", "https://a.org/", ""),
            ("https://a.org/", "https://a.org/news/1", "news"),
            ("https://a.org/", "https://a.org/news", ""),
            ("https://a.org/", "https://a.org/news/", "news"),
            ("https://a.org/t", "https://a.org/t/contact", ""),
            ("https://a.org/t", "https://a.org/t", ""),
            ("https://a.org/t", "https://a.org/t/news/2", "news"),
            ("https://a.org/t/", "https://a.org/t/news/2", "news"),
            ("https://a.org/t", "https://a.org/tram/2", "tram"),
            ("https://a.org/", "https://a.org/caf%C3%A9/x", "café"),
            ("https://a.org/", "https://b.org/x/y", "b.org"),
            ("https://a.org/d/index.html", "https://a.org/d/x/y", "x"),
            ("https://a.org/d/index.html", "https://a.org/d/index.html", ""),
        ] {
            assert_eq!(section_of(&root.parse().unwrap(), &page.parse().unwrap()), expected, "{root} {page}");
        }
    }
}
