//! Numbers of pages in documents, and lines that recur at the edge of their pages.
//!
//! Which lines these are, the reader of documents tells by where they stand; what happens to them is decided in
//! `document.rs`.

use super::rule::Rule;

pub(super) const RULE: Rule = Rule {
    name: "document-furniture",
    description: "In documents such as PDF: numbers of pages, and lines that recur at the top or the bottom of pages, \
        which count once, as a footer. With one sentence more, every line and number behind it stands on another page.",
    ..Rule::NOTHING
};
