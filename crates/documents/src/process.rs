//! Reads documents in a process of their own, one at a time.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use async_trait::async_trait;
use recrawl_core::model::document::{Document, DocumentFormat, UnreadDocument};
use recrawl_core::ports::DocumentReader;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use crate::wire::MAX_ANSWER;
use crate::{VERSION, child, wire};

/// How long a document may take, waiting for the processor included.
const TIME_LIMIT: Duration = Duration::from_secs(15);

/// How often a process is looked at that has closed its output.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// Reads each document in a process of its own.
///
/// Whatever a file does to its reader, it does to a process that has nothing, can open nothing and is soon over.
#[derive(Debug)]
pub struct DocumentProcess {
    /// What is started; `None` where this program would not answer.
    program: Option<PathBuf>,
    turn: Semaphore,
}

impl DocumentProcess {
    /// Starts this program again for each document; it must call [`child::run_if_asked`] first of all.
    pub fn of_this_program() -> Self {
        let program = child::is_answered().then(this_program);
        Self { program, turn: Semaphore::new(1) }
    }

    /// Starts `program` for each document; it must call [`child::run_if_asked`] first of all.
    pub fn of(program: PathBuf) -> Self {
        Self { program: Some(program), turn: Semaphore::new(1) }
    }

    async fn read_once(&self, format: DocumentFormat, body: &[u8]) -> Result<Document, UnreadDocument> {
        let Some(program) = &self.program else { return Err(UnreadDocument::NotBuilt) };
        match timeout(TIME_LIMIT, run(program, format, body)).await {
            Ok(Ok(read)) => read,
            Ok(Err(error)) => {
                tracing::warn!(program = %program.display(), %error, "a document could not be read");
                Err(UnreadDocument::Process)
            }
            // The process was killed when nobody waited for it any more.
            Err(_) => Err(UnreadDocument::Time),
        }
    }
}

async fn run(
    program: &Path,
    format: DocumentFormat,
    body: &[u8],
) -> io::Result<Result<Document, UnreadDocument>> {
    let mut process = Running::start(program, format, body.len())?;
    let (input, output) = process.pipes()?;
    let write = async {
        let mut input = input;
        // A process that has seen enough, or died, reads no further.
        let _unread = input.write_all(body).await;
    };
    let mut answer = Vec::new();
    let mut output = output.take(MAX_ANSWER as u64 + 1);
    let ((), read) = tokio::join!(write, output.read_to_end(&mut answer));
    read?;
    if answer.len() > MAX_ANSWER {
        return Ok(Err(UnreadDocument::Damaged));
    }
    let status = process.ended().await?;
    if !status.success() {
        return Ok(Err(reason(status)));
    }
    let read = String::from_utf8(answer).ok().and_then(|answer| wire::decode(&answer));
    Ok(read.unwrap_or(Err(UnreadDocument::Process)))
}

/// A process that is ended when nobody waits for it any more.
struct Running(Child);

impl Running {
    fn start(program: &Path, format: DocumentFormat, length: usize) -> io::Result<Self> {
        let process = Command::new(program)
            .args(child::arguments(format, length))
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self(process))
    }

    /// Returns what the process reads and what it writes.
    fn pipes(&mut self) -> io::Result<(pipe::Sender, pipe::Receiver)> {
        let missing = || io::Error::other("a pipe that was asked for is missing");
        let input = self.0.stdin.take().ok_or_else(missing)?;
        let output = self.0.stdout.take().ok_or_else(missing)?;
        Ok((pipe::Sender::from_owned_fd(input.into())?, pipe::Receiver::from_owned_fd(output.into())?))
    }

    /// Waits until the process has ended, which closed its output: that takes no time.
    async fn ended(&mut self) -> io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(status);
            }
            sleep(LOOK_AGAIN).await;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended cannot be ended again; in either case nothing is left of it.
        let _ended = self.0.kill();
        let _status = self.0.wait();
    }
}

#[async_trait]
impl DocumentReader for DocumentProcess {
    fn version(&self) -> &'static str {
        VERSION
    }

    async fn read(&self, format: DocumentFormat, body: &[u8]) -> Result<Document, UnreadDocument> {
        let _turn = self.turn.acquire().await;
        match self.read_once(format, body).await {
            // Somebody ended the process, or the system had no room for it: once more.
            Err(UnreadDocument::Process) => self.read_once(format, body).await,
            read => read,
        }
    }
}

/// Returns why a process ended that did not end well.
fn reason(status: ExitStatus) -> UnreadDocument {
    use std::os::unix::process::ExitStatusExt as _;

    use rustix::process::Signal;

    match status.signal() {
        Some(signal) if signal == Signal::XCPU.as_raw() => UnreadDocument::Time,
        // An allocator that gets no memory aborts, and so does a stack that is full.
        Some(signal)
            if [Signal::ABORT, Signal::SEGV, Signal::BUS].iter().any(|known| known.as_raw() == signal) =>
        {
            UnreadDocument::Memory
        }
        Some(_) | None => UnreadDocument::Process,
    }
}

/// Returns the path of this program. On Linux, also where its file was replaced by a newer one meanwhile.
pub(crate) fn this_program() -> PathBuf {
    if cfg!(target_os = "linux") {
        PathBuf::from("/proc/self/exe")
    } else {
        std::env::current_exe().unwrap_or_default()
    }
}
