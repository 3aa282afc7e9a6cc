//! A page's own address and title: in an edit they stand for the page, whichever it is.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use crate::model::edit::{Edit, EditId, EditSide, LineId, is_whole};
use crate::url::PageUrl;

/// What stands for the page's own address and title.
const MARK: &str = "\u{1}";

/// A shorter title is found in other words by chance.
const MIN_TITLE: usize = 6;

/// A page's own address and titles.
#[derive(Debug, Clone, Default)]
pub struct OwnMarks {
    address: String,
    path: String,
    titles: Vec<String>,
}

impl OwnMarks {
    /// Names the page at `url` with the titles that it had and has.
    pub fn new(url: &PageUrl, titles: &[Option<&str>]) -> Self {
        let long = |title: &&str| title.chars().count() >= MIN_TITLE;
        let titles = titles.iter().copied().flatten().filter(long).map(str::to_owned).collect();
        let path = url.path();
        let path = if path.len() > 3 { path.to_owned() } else { String::new() };
        Self { address: url.as_str().to_owned(), path, titles }
    }

    /// Returns a line with the page's own address and title replaced.
    pub(super) fn masked<'line>(&self, line: &'line str) -> Cow<'line, str> {
        let mut line = Cow::Borrowed(line);
        let names = [&self.address, &self.path].into_iter().chain(&self.titles);
        for name in names.filter(|name| !name.is_empty()) {
            if line.contains(name.as_str()) {
                line = Cow::Owned(replaced(&line, name));
            }
        }
        line
    }
}

/// Returns the edit with the page's own address and title spelled out, as it stands on other pages: a new entry in the
/// menu of all pages leads to one of them.
pub(in crate::changes) fn spelled_out(edit: &Edit, page: &PageUrl) -> EditId {
    let of = |text: &str| LineId(xxh3_64(text.as_bytes()));
    let line = |side: &EditSide, text: Option<&str>| match text {
        Some(text) if is_whole(text) => of(text),
        _ if side.line == of(MARK) => of(page.as_str()),
        _ => side.line,
    };
    let texts = edit.texts.as_ref();
    let went = edit.went.as_ref().map(|side| line(side, texts.map(|(went, _)| went.as_str())));
    let came = edit.came.as_ref().map(|side| line(side, texts.map(|(_, came)| came.as_str())));
    Edit::id_of(edit.aspect, went, came)
}

/// Replaces a name wherever it does not go on as another: `/about` is no part of `/about-us`, nor a site's root of the
/// address of every page.
fn replaced(line: &str, name: &str) -> String {
    let is_root =
        name.strip_suffix('/').is_some_and(|host| host.matches('/').count() == 2 && host.contains("://"));
    let goes_on = |next: char| next.is_alphanumeric() || "-_%~".contains(next);
    let ends_open = is_root || !name.ends_with('/');
    let mut written = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        written.push_str(before);
        written.push_str(if ends_open && after.starts_with(goes_on) { name } else { MARK });
        rest = after;
    }
    written.push_str(rest);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_goes_on_is_another_one() {
        for (page, line, expected) in [
            ("https://example.org/", "https://example.org/jobs", "https://example.org/jobs"),
            ("https://example.org/", "https://example.org/?layer=195", "\u{1}?layer=195"),
            ("https://example.org/", "https://example.org/", "\u{1}"),
            ("https://example.org/about", "https://example.org/about-us", "https://example.org/about-us"),
            ("https://example.org/about", "https://example.org/about/print", "\u{1}/print"),
            ("https://example.org/about", "/about and /about#top, /abouts", "\u{1} and \u{1}#top, /abouts"),
            ("https://example.org/news/", "https://example.org/news/print", "\u{1}print"),
        ] {
            let own = OwnMarks::new(&page.parse().unwrap(), &[]);
            assert_eq!(own.masked(line), expected, "{page}");
        }
        let own = OwnMarks::new(&"https://example.org/a".parse().unwrap(), &[Some("Opening hours")]);
        assert_eq!(own.masked("Print Opening hours"), "Print \u{1}");
    }
}
