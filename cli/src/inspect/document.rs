//! The file that is inspected.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use recrawl_extract::page::is_html;

use crate::exit::usage;

/// Returns the bytes of a file, or of stdin for `-`.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let result = if path == Path::new("-") {
        io::stdin().lock().read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    match result {
        Ok(_) => Ok(bytes),
        Err(error) => Err(usage(format!("{} cannot be read: {error}", path.display()))),
    }
}

/// A web page to inspect.
#[derive(Debug, clap::Args)]
pub(super) struct DocumentArguments {
    /// The Content-Type header it came with [default: HTML, in the encoding it declares itself]
    #[arg(long, value_name = "TYPE")]
    pub(super) content_type: Option<String>,

    /// The file, or - for standard input
    file: PathBuf,
}

impl DocumentArguments {
    /// Returns the bytes of the page.
    pub(super) fn read(&self) -> anyhow::Result<Vec<u8>> {
        read(&self.file)
    }

    /// Tells whether the crawler would read `body` as HTML; a file without a type is taken for it.
    pub(super) fn is_html(&self, body: &[u8]) -> bool {
        self.content_type.is_none() || is_html(self.content_type.as_deref(), body)
    }
}
