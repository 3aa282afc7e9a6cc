//! A folder of HTML as a site: a list of all its pages at the root, and another comment in each in every round.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use crate::listener::{Answer, Connection, Request, Then};

/// What a path of a URL cannot hold as it is, and what an attribute cannot.
const RESERVED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'?').add(b'#').add(b'%').add(b'&');

/// A folder, and the round in which it is crawled.
pub(crate) struct Tree {
    folder: PathBuf,
    /// Paths of the pages below the folder, in order.
    pages: BTreeSet<String>,
    round: Arc<AtomicUsize>,
}

impl Tree {
    /// Finds the pages of a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let folder = folder.canonicalize().with_context(|| format!("cannot read {}", folder.display()))?;
        let mut pages = BTreeSet::new();
        let mut waiting = vec![folder.clone()];
        while let Some(next) = waiting.pop() {
            let entries = next.read_dir().with_context(|| format!("cannot read {}", next.display()))?;
            for entry in entries {
                let entry = entry?;
                let (path, kind) = (entry.path(), entry.file_type()?);
                if kind.is_dir() {
                    waiting.push(path);
                } else if is_html(&path) && path.is_file() {
                    let name = path.strip_prefix(&folder)?.to_str();
                    pages.extend(name.map(str::to_owned));
                }
            }
        }
        Ok(Self { folder, pages, round: Arc::default() })
    }

    /// Returns whether there is no page.
    pub(crate) fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Returns how many pages there are.
    pub(crate) fn len(&self) -> usize {
        self.pages.len()
    }

    /// Returns the number of the round, which can be set from outside.
    pub(crate) fn round(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.round)
    }

    fn list(&self) -> String {
        let mut list = "<!doctype html><title>All pages</title>".to_owned();
        for page in &self.pages {
            let _ = writeln!(list, "<p><a href=\"/{}\">page</a>", utf8_percent_encode(page, RESERVED));
        }
        list
    }

    /// Returns the file of a path, where it is one below the folder.
    fn file(&self, path: &str) -> Option<PathBuf> {
        let name = percent_decode_str(path.trim_start_matches('/')).decode_utf8().ok()?;
        let file = self.folder.join(&*name).canonicalize().ok()?;
        (file.is_file() && file.starts_with(&self.folder)).then_some(file)
    }
}

/// Returns whether a file is a page by its name, such as `a.html` or `a.html.ja.utf8`.
pub(crate) fn is_html(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    let mut parts = name.split('.').skip(1).skip_while(|part| !matches!(*part, "html" | "htm" | "xhtml"));
    // What may follow is a language and a charset.
    parts.next().is_some() && parts.next().is_none_or(is_language)
}

fn is_language(word: &str) -> bool {
    word != "gz" && word.split('-').all(|part| part.len() == 2)
}

impl Answer for Tree {
    fn answer(&self, request: &Request, connection: &mut Connection) -> io::Result<Then> {
        if request.path() == "/" {
            return connection.respond("200 OK", &["Content-Type: text/html"], self.list().as_bytes());
        }
        let Some(file) = self.file(request.path()) else {
            return connection.respond("404 Not Found", &["Content-Type: text/plain"], b"no such page\n");
        };
        let mut body = std::fs::read(&file)?;
        if !is_html(&file) {
            return connection.respond("200 OK", &["Content-Type: application/octet-stream"], &body);
        }
        // Other bytes with the same meaning, as servers add them: so every page is read and compared again. In
        // UTF-16 it would not be a comment.
        if !body.iter().take(1_000).any(|byte| *byte == 0) {
            body.extend(format!("\n<!-- round {} -->", self.round.load(Ordering::Relaxed)).bytes());
        }
        // No charset, so that it is found out from the page.
        connection.respond("200 OK", &["Content-Type: text/html"], &body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_told_by_their_names() {
        for (name, expected) in [
            ("a.html", true),
            ("a.b.htm", true),
            ("index.html.en", true),
            ("index.html.pt-br", true),
            ("index.html.ko.euc-kr", true),
            ("index.html.gz", false),
            ("html", false),
            ("a.css", false),
        ] {
            assert_eq!(is_html(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn a_folder_is_listed_and_nothing_above_it_is_given_out() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("site");
        std::fs::create_dir_all(folder.join("deep")).unwrap();
        std::fs::write(above.path().join("secret.html"), "no").unwrap();
        for name in ["a b.html", "deep/c&d.htm", "style.css"] {
            std::fs::write(folder.join(name), "x").unwrap();
        }
        let tree = Tree::read(&folder).unwrap();
        assert_eq!(tree.len(), 2);
        assert!(tree.list().contains("href=\"/a%20b.html\""), "{}", tree.list());
        assert!(tree.list().contains("href=\"/deep/c%26d.htm\""), "{}", tree.list());
        for (path, is_there) in [
            ("/a%20b.html", true),
            ("/deep/c%26d.htm", true),
            ("/style.css", true),
            ("/deep", false),
            ("/../secret.html", false),
            ("/%2e%2e/secret.html", false),
            ("//etc/passwd", false),
            ("/none.html", false),
        ] {
            assert_eq!(tree.file(path).is_some(), is_there, "{path}");
        }
    }
}
