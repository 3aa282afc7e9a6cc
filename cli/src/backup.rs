//! `recrawl backup`: a copy of a store.

use std::path::{Path, PathBuf};

use recrawl_stores::file::back_up;

use crate::exit::{ExitStatus, usage};
use crate::output::{self, bytes};
use crate::read::source::StoreArguments;

/// Copy a store into a file as it is now, even during a crawl
///
/// The copy is checked before it takes its place, and is a store like any other.
#[derive(Debug, clap::Args)]
pub(crate) struct BackupArguments {
    /// The file to write
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    store: StoreArguments,

    /// Replace FILE if it exists
    #[arg(long)]
    force: bool,
}

impl BackupArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let path = self.store.store.existing_file()?;
        let shown = self.file.display();
        if same_file(path, &self.file) {
            return Err(usage(format!("{shown} is the store itself: name another file")));
        }
        if self.file.exists() && !self.force {
            return Err(usage(format!(
                "{shown} is there already: name another file, or replace it with --force"
            )));
        }
        let size = back_up(path, &self.file)?;
        let (store, size) = (path.display(), bytes(size));
        output::note(&format!(
            "{shown} is a whole copy of {store} ({size}). `recrawl status --store {shown}` reads it. To go back to it, end \
             what uses the store, remove {store}, {store}-wal and {store}-shm, and copy {shown} to {store}."
        ))?;
        Ok(ExitStatus::Success)
    }
}

fn same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
