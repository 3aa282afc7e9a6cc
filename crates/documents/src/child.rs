//! The process that reads one document: bytes come in, text goes out, and nothing else can be done.
//!
//! The program starts itself twice. The first time it sets its limits and starts itself again, with an empty
//! environment, in its own place: an allocator may take a gigabyte of addresses before `main`, so that limits hold only
//! for what is started after them.

use std::ffi::OsStr;
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};

use recrawl_core::model::document::{DocumentFormat, UnreadDocument};

use crate::{read, wire};

/// The first argument of a program that is to read a document.
pub const ARGUMENT: &str = "read-document";

/// The argument behind it where the limits are set.
const LIMITED: &str = "within-limits";

/// This program reads documents when it is started for that.
static ANSWERS: AtomicBool = AtomicBool::new(false);

/// Tells whether this program reads documents when it is started for that: a test, or another program with these parts in
/// it, may not.
pub(crate) fn is_answered() -> bool {
    ANSWERS.load(Ordering::Relaxed)
}

/// Reads a document where the arguments of the program ask for that, and returns how it ends; `None` where they do not.
///
/// A program calls this first of all.
pub fn run_if_asked() -> Option<ExitCode> {
    ANSWERS.store(true, Ordering::Relaxed);
    let arguments: Vec<_> = std::env::args_os().skip(1).take(5).collect();
    let arguments: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
    match arguments[..] {
        [asked, limited, format, length] if asked == ARGUMENT && limited == LIMITED => {
            Some(read_from_input(format, length))
        }
        [asked, format, length] if asked == ARGUMENT => Some(start_again(format, length)),
        _ => None,
    }
}

/// Returns the arguments by which a program reads a document of so many bytes.
pub(crate) fn arguments(format: DocumentFormat, length: usize) -> [String; 3] {
    [ARGUMENT.to_owned(), format.name().to_owned(), length.to_string()]
}

fn start_again(format: &OsStr, length: &OsStr) -> ExitCode {
    if let Err(error) = limits::set() {
        return failed(&error.into());
    }
    let again = Command::new(crate::process::this_program())
        .args([OsStr::new(ARGUMENT), OsStr::new(LIMITED), format, length])
        .env_clear()
        .exec();
    failed(&again)
}

fn read_from_input(format: &OsStr, length: &OsStr) -> ExitCode {
    let format = format.to_str().and_then(DocumentFormat::named);
    let length: Option<usize> = length.to_str().and_then(|length| length.parse().ok());
    let (Some(format), Some(length)) = (format, length) else {
        return failed(&io::Error::other("no format, or no length"));
    };
    // Room for what is announced, and not twice as much as a growing list takes.
    let mut bytes = Vec::new();
    let answer = if bytes.try_reserve_exact(length).is_ok() {
        if let Err(error) = io::stdin().lock().take(length as u64).read_to_end(&mut bytes) {
            return failed(&error);
        }
        limits::open_nothing_more();
        read(format, bytes)
    } else {
        Err(UnreadDocument::Memory)
    };
    let mut output = io::stdout().lock();
    match output.write_all(wire::encode(&answer).as_bytes()).and_then(|()| output.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

fn failed(error: &io::Error) -> ExitCode {
    let _unheard = writeln!(io::stderr(), "{ARGUMENT}: {error}");
    ExitCode::FAILURE
}

mod limits {
    use rustix::io::Result;
    use rustix::process::{Resource, Rlimit, setrlimit};

    /// Bytes of memory.
    const MEMORY: u64 = 256 << 20;

    /// Bytes of addresses: the program itself and its libraries stand there, too.
    const ADDRESSES: u64 = MEMORY + (64 << 20);

    /// Seconds of processor time.
    const SECONDS: u64 = 10;

    /// Input, output, errors, and what loads the libraries of the program.
    const FILES: u64 = 4;

    /// Sets the limits, which hold for every program that is started in the place of this one.
    pub(super) fn set() -> Result<()> {
        for (resource, current, maximum) in [
            (Resource::Data, MEMORY, MEMORY),
            (Resource::As, ADDRESSES, ADDRESSES),
            // First a signal by which the time is known to be over, then the end.
            (Resource::Cpu, SECONDS, SECONDS + 1),
            (Resource::Fsize, 0, 0),
            (Resource::Core, 0, 0),
            (Resource::Nofile, FILES, FILES),
        ] {
            setrlimit(resource, Rlimit { current: Some(current), maximum: Some(maximum) })?;
        }
        Ok(())
    }

    /// Opens nothing more from now on.
    pub(super) fn open_nothing_more() {
        // What is open stays open. Where this fails, the limit above holds.
        let _unchanged = setrlimit(Resource::Nofile, Rlimit { current: Some(0), maximum: Some(0) });
    }
}
