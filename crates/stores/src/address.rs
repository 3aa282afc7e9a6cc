//! Names of stores, as people write them in `--store` and `recrawl.toml`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use recrawl_core::url::PageUrl;

use crate::error::AccessError;
use crate::kinds::{KINDS, Kind};

/// Names a store: `sqlite:PATH` or just a path, or `firestore:PROJECT`.
#[derive(Clone)]
pub struct StoreAddress {
    pub(crate) kind: &'static Kind,
    pub(crate) name: String,
}

impl StoreAddress {
    /// Returns the file that the store is; `None` where it is kept by a service.
    pub fn file(&self) -> Option<&Path> {
        self.kind.is_file.then(|| Path::new(&self.name))
    }

    /// Returns the file that the store is, which may be missing; a store of another kind is an error of usage.
    pub fn expect_file(&self) -> Result<&Path, AccessError> {
        self.file().ok_or_else(|| {
            AccessError::Usage(format!(
                "{self} is not one file: this command works on sqlite:PATH, and `recrawl copy --from {self} --to \
                 sqlite:PATH` makes one"
            ))
        })
    }

    /// Returns the file that the store is and that exists; nothing is created.
    pub fn existing_file(&self) -> Result<&Path, AccessError> {
        let path = self.expect_file()?;
        self.expect_existing().map(|()| path)
    }

    /// Checks that a store in a file exists; a service says so itself when the store is opened.
    pub fn expect_existing(&self) -> Result<(), AccessError> {
        let Some(path) = self.file().filter(|path| !path.is_file()) else { return Ok(()) };
        let shown = path.display();
        Err(AccessError::Usage(if path.exists() {
            format!("{shown} is not a file, so it is no store")
        } else {
            format!(
                "there is no store at {shown}: name one with --store sqlite:PATH, or make one with `recrawl crawl URL`"
            )
        }))
    }

    /// Returns the file that `recrawl crawl` crawls `root` into; where a service does that, the error says how to ask it.
    pub fn file_for_crawling(&self, root: &PageUrl) -> Result<&Path, AccessError> {
        match &self.kind.crawled_by {
            Some(by) => Err(AccessError::Usage(format!(
                "{} crawls into {self}: start a crawl with `{}`",
                by.program,
                (by.start)(&self.name, root.as_str())
            ))),
            None => self.expect_file(),
        }
    }

    /// Returns the command that begins a crawl of `root` into the store, or goes on with the open one.
    pub fn crawling(&self, root: &str) -> String {
        match &self.kind.crawled_by {
            Some(by) => (by.start)(&self.name, root),
            None => format!("recrawl crawl {root}"),
        }
    }

    /// Tells whether a service crawls into the store by itself, so that `recrawl crawl` does not.
    pub fn is_crawled_by_service(&self) -> bool {
        self.kind.crawled_by.is_some()
    }

    /// Tells whether the store is this file, however either is written; the file need not exist.
    pub fn is_at(&self, path: &Path) -> bool {
        self.file().is_some_and(|named| canonical(named) == canonical(path))
    }
}

fn canonical(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let missing = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(missing).unwrap_or_else(|| path.to_owned())
}

impl FromStr for StoreAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (scheme, name) = match text.split_once(':') {
            // One letter is a drive.
            Some((scheme, name))
                if scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) =>
            {
                (scheme, name)
            }
            Some(_) | None => (KINDS[0].scheme, text),
        };
        match KINDS.iter().find(|kind| kind.scheme == scheme) {
            Some(kind) if name.is_empty() => Err(format!("nothing follows the colon: write {kind}")),
            Some(kind) => Ok(Self { kind, name: name.to_owned() }),
            None => {
                let known: Vec<String> = KINDS.iter().map(ToString::to_string).collect();
                Err(format!("{scheme}: is no kind of store: use {}", known.join(" or ")))
            }
        }
    }
}

impl fmt::Display for StoreAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.kind.scheme, self.name)
    }
}

impl fmt::Debug for StoreAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl PartialEq for StoreAddress {
    fn eq(&self, other: &Self) -> bool {
        (self.kind.scheme, &self.name) == (other.kind.scheme, &other.name)
    }
}

impl Eq for StoreAddress {}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use super::*;

    fn address(text: &str) -> StoreAddress {
        text.parse().expect("an address")
    }

    #[test]
    fn a_store_is_named_by_scheme_or_path() {
        for (text, expected) in [
            ("sqlite:recrawl.db", "sqlite:recrawl.db"),
            ("sqlite:/a/b:c.db", "sqlite:/a/b:c.db"),
            ("recrawl.db", "sqlite:recrawl.db"),
            ("./a/b:c.db", "sqlite:./a/b:c.db"),
            ("C:\\a.db", "sqlite:C:\\a.db"),
            ("firestore:project", "firestore:project"),
        ] {
            assert_eq!(address(text).to_string(), expected, "{text}");
        }
        for text in ["", "sqlite:", "firestore:", "postgres://a"] {
            assert!(text.parse::<StoreAddress>().is_err(), "{text}");
        }
        assert_eq!(address("sqlite:a.db").file(), Some(Path::new("a.db")));
        assert_eq!(address("firestore:p").file(), None);
    }

    #[test]
    fn a_crawl_is_begun_where_the_store_is_crawled_into() {
        assert_eq!(address("a.db").crawling("http://a/"), "recrawl crawl http://a/");
        let cloud = address("firestore:p");
        let command = "gcloud pubsub topics publish crawl --message=http://a/ --project=p";
        assert_eq!(cloud.crawling("http://a/"), command);
        let refused = cloud.file_for_crawling(&"http://a/".parse().expect("an address")).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!("crawl-fn crawls into firestore:p: start a crawl with `{command}`")
        );
        assert!(cloud.is_crawled_by_service() && !address("a.db").is_crawled_by_service());
    }

    #[test]
    fn what_needs_a_file_says_how_to_get_one_from_firestore() {
        let message = address("firestore:p").existing_file().unwrap_err().to_string();
        assert!(message.contains("recrawl copy --from firestore:p --to sqlite:PATH"), "{message}");
    }

    #[test]
    fn who_crawls_into_firestore_is_told_how_to_ask_the_service() {
        let root = "https://example.org/".parse().unwrap();
        assert_eq!(address("a.db").file_for_crawling(&root).unwrap(), Path::new("a.db"));
        let error = address("firestore:p").file_for_crawling(&root).unwrap_err();
        assert!(error.to_string().contains("--message=https://example.org/ --project=p"), "{error}");
    }

    #[test]
    fn a_store_is_the_same_however_it_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let (store, link) = (folder.path().join("a.db"), folder.path().join("link.db"));
        std::fs::write(&store, "").unwrap();
        std::os::unix::fs::symlink(&store, &link).unwrap();
        let below = folder.path().join("below");
        std::fs::create_dir(&below).unwrap();
        let is_at = |named: &Path, path: &Path| address(&format!("sqlite:{}", named.display())).is_at(path);
        assert!(is_at(&store, &store) && is_at(&link, &store));
        assert!(is_at(&below.join("../a.db"), &store));
        assert!(is_at(&below.join("../new.db"), &folder.path().join("./new.db")));
        assert!(!is_at(&folder.path().join("b.db"), &store));
        assert!(!address("firestore:project").is_at(&store));
    }
}
