//! One crawler at a time: a lock that dies with its process.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::OpenError;

/// Holds the right to crawl into a database.
///
/// The lock is on the file and not on one of its names:
///
/// * A file beside the database carries the lock and the number of the process. It stands beside the file that
///   symbolic links and relative paths lead to, so all of them meet there.
/// * Hard links are names in different places, so a second lock has the name of the device and the inode. It lies in
///   the system's directory for temporary files, where every process of this machine finds it. Where that
///   directory cannot be used, only a database that has several names is refused.
///
/// The database itself is not locked: closing it beside SQLite would drop the locks that SQLite holds on it in this
/// process. The operating system frees both locks when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct CrawlLock {
    /// Freed first, so that whoever has the other one finds it free.
    _inode: Option<InodeLock>,
    _beside: File,
}

impl CrawlLock {
    /// Takes the lock, or says who has it.
    pub(crate) fn take(database: &Path) -> Result<Self, OpenError> {
        let path = fs::canonicalize(database).map_err(|error| OpenError::io(database, error))?;
        let side = side_file(&path);
        let failed = |error| OpenError::io(&side, error);
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&side);
        let mut file = opened.map_err(failed)?;
        if !is_locked_by_us(&file).map_err(failed)? {
            let mut pid = String::new();
            // Who it is only helps; that there is someone is certain.
            let known = file.read_to_string(&mut pid).is_ok() && !pid.trim().is_empty();
            let pid = if known { pid.trim().to_owned() } else { "unknown".to_owned() };
            return Err(OpenError::Crawling { path: database.to_owned(), pid });
        }
        let inode = InodeLock::take(&path)?;
        sign(&mut file).map_err(failed)?;
        Ok(Self { _inode: inode, _beside: file })
    }
}

fn is_locked_by_us(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
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

/// The lock that has the name of the inode of a database. Its file goes with it, unless the process is killed.
#[derive(Debug)]
struct InodeLock {
    path: PathBuf,
    _file: File,
}

impl Drop for InodeLock {
    fn drop(&mut self) {
        // One that is left behind, or is another user's, does no harm.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(unix)]
impl InodeLock {
    fn take(database: &Path) -> Result<Option<Self>, OpenError> {
        use std::os::unix::fs::MetadataExt;

        let found = fs::metadata(database).map_err(|error| OpenError::io(database, error))?;
        let path = std::env::temp_dir().join(format!("recrawl-{:x}-{:x}.lock", found.dev(), found.ino()));
        match Self::lock(&path) {
            Ok(Some(file)) => Ok(Some(Self { path, _file: file })),
            Ok(None) => Err(OpenError::Crawling { path: database.to_owned(), pid: "unknown".to_owned() }),
            // A file with one name is kept by the lock beside it.
            Err(_) if found.nlink() == 1 => Ok(None),
            Err(error) => Err(OpenError::io(&path, error)),
        }
    }

    /// Returns the file at `path` once it is locked, or `None` if somebody else has locked it.
    fn lock(path: &Path) -> io::Result<Option<File>> {
        use std::os::unix::fs::MetadataExt;

        loop {
            let file = Self::open(path)?;
            if !is_locked_by_us(&file)? {
                return Ok(None);
            }
            let ours = file.metadata()?;
            // Whoever had it may have removed it between the two steps.
            match fs::metadata(path) {
                Ok(there) if (there.dev(), there.ino()) == (ours.dev(), ours.ino()) => return Ok(Some(file)),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Opens the file for reading, because it may be another user's; makes it if it is not there.
    ///
    /// Nothing is ever written to it: anybody can put a link of this name into the directory.
    fn open(path: &Path) -> io::Result<File> {
        match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            outcome => return outcome,
        }
        match OpenOptions::new().read(true).write(true).create_new(true).open(path) {
            // Somebody else made it meanwhile.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => File::open(path),
            outcome => outcome,
        }
    }
}

#[cfg(not(unix))]
impl InodeLock {
    /// Hard links are not recognised here.
    fn take(_: &Path) -> Result<Option<Self>, OpenError> {
        Ok(None)
    }
}
