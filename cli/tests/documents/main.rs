//! What the documents say is true: commands are accepted, output is real, files and functions that they name exist.
//!
//! `UPDATE_REFERENCE=1 cargo test --workspace --test documents` writes docs/REFERENCE.md anew.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod program;
mod readme;
mod reference;
mod sql;
mod tables;

use std::path::{Path, PathBuf};

/// Returns the folder of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the command is in a folder of the repository")
}

/// Returns a file of the repository.
fn text(path: &str) -> String {
    let path: PathBuf = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the fenced blocks of a document in this language.
fn blocks(document: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<(bool, String)> = None;
    for line in document.lines() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => {
                let (is_wanted, block) = open.take().expect("a block is open");
                blocks.extend(is_wanted.then_some(block));
            }
            (Some(named), None) => open = Some((named.trim() == language, String::new())),
            (None, Some((_, block))) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}
