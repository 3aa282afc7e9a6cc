//! One crawler at a time: a lock beside the database that dies with its process.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::OpenError;

/// Holds the right to crawl into a database.
///
/// The operating system frees the lock when the process ends, however it ends; the side file stays.
#[derive(Debug)]
pub(crate) struct CrawlLock {
    _file: File,
}

impl CrawlLock {
    /// Takes the lock, or says who has it.
    pub(crate) fn take(database: &Path) -> Result<Self, OpenError> {
        let side = side_file(database);
        let failed = |error| OpenError::io(&side, error);
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&side);
        let mut file = opened.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                // Who it is only helps; that there is someone is certain.
                let known = file.read_to_string(&mut pid).is_ok() && !pid.trim().is_empty();
                let pid = if known { pid.trim().to_owned() } else { "unknown".to_owned() };
                return Err(OpenError::Crawling { path: database.to_owned(), pid });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        sign(&mut file).map_err(failed)?;
        Ok(Self { _file: file })
    }
}

fn sign(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

fn side_file(database: &Path) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(".lock");
    name.into()
}
