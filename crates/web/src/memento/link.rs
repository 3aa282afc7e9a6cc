//! Links between a page, its versions and their lists (RFC 8288, RFC 7089).

use recrawl_core::url::PageUrl;

use super::headers::{http_date, written_stamp};
use super::shelf::{Memento, Shelf};

/// The media type of a `TimeMap`.
pub(super) const TIMEMAP_TYPE: &str = "application/link-format";

/// How many versions a page of a `TimeMap` has.
const PER_PAGE: usize = 1000;

/// Writes links of a page.
pub(super) struct Links<'a> {
    /// Where our pages are found, without a slash at the end.
    pub(super) base: &'a str,
    /// The page.
    pub(super) url: &'a PageUrl,
    /// Its versions.
    pub(super) shelf: &'a Shelf,
}

impl Links<'_> {
    /// Returns the address of a version.
    pub(super) fn memento(&self, memento: &Memento) -> String {
        format!("{}/memento/{}/{}", self.base, written_stamp(memento.time), self.url)
    }

    /// Returns the links of a `TimeGate`'s answer.
    pub(super) fn of_timegate(&self) -> String {
        let (first, last) = (self.shelf.first(), self.shelf.last());
        let ends = if first.time == last.time {
            vec![self.version("first last memento", first)]
        } else {
            vec![self.version("first memento", first), self.version("last memento", last)]
        };
        [vec![self.original(), self.list(1, "timemap")], ends].concat().join(", ")
    }

    /// Returns the links of a version.
    pub(super) fn of_memento(&self, memento: &Memento) -> String {
        let (previous, next) = self.shelf.beside(memento);
        let is = |other: &Memento| other.time == memento.time;
        let mut links = vec![self.original(), self.timegate(), self.list(1, "timemap")];
        let (first, last) = (self.shelf.first(), self.shelf.last());
        let own: Vec<&str> = [(is(first), "first"), (is(last), "last")]
            .iter()
            .filter(|(is, _)| *is)
            .map(|(_, word)| *word)
            .collect();
        if !is(first) {
            links.push(self.version("first memento", first));
        }
        links.extend(previous.map(|previous| self.version("prev memento", previous)));
        links.push(self.version(&[own, vec!["memento"]].concat().join(" "), memento));
        links.extend(next.map(|next| self.version("next memento", next)));
        if !is(last) {
            links.push(self.version("last memento", last));
        }
        links.join(", ")
    }

    /// Returns a page of the `TimeMap`, counted from 1; nothing behind the last.
    pub(super) fn timemap(&self, page: usize) -> Option<String> {
        let pages: Vec<&[Memento]> = self.shelf.all().chunks(PER_PAGE).collect();
        let shown = *pages.get(page.checked_sub(1)?)?;
        let [first, ..] = shown else { return None };
        let last = shown.last().unwrap_or(first);
        let own = format!(
            "<{}>; rel=\"self\"; type=\"{TIMEMAP_TYPE}\"; from=\"{}\"; until=\"{}\"",
            self.list_address(page),
            http_date(first.time),
            http_date(last.time)
        );
        let mut links = vec![self.original(), own, self.timegate()];
        for other in 1..=pages.len() {
            if other != page {
                links.push(self.list(other, "timemap"));
            }
        }
        for memento in shown {
            let is_first = memento.time == self.shelf.first().time;
            let is_last = memento.time == self.shelf.last().time;
            let relation = match (is_first, is_last) {
                (true, true) => "first last memento",
                (true, false) => "first memento",
                (false, true) => "last memento",
                (false, false) => "memento",
            };
            links.push(self.version(relation, memento));
        }
        Some(links.join(",\n") + "\n")
    }

    fn original(&self) -> String {
        format!("<{}>; rel=\"original\"", self.url)
    }

    fn timegate(&self) -> String {
        format!("<{}/timegate/{}>; rel=\"timegate\"", self.base, self.url)
    }

    fn list(&self, page: usize, relation: &str) -> String {
        format!("<{}>; rel=\"{relation}\"; type=\"{TIMEMAP_TYPE}\"", self.list_address(page))
    }

    fn list_address(&self, page: usize) -> String {
        let page = if page == 1 { String::new() } else { format!("{page}/") };
        format!("{}/timemap/link/{page}{}", self.base, self.url)
    }

    fn version(&self, relation: &str, memento: &Memento) -> String {
        format!("<{}>; rel=\"{relation}\"; datetime=\"{}\"", self.memento(memento), http_date(memento.time))
    }
}
