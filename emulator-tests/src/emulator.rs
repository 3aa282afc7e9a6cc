//! An emulator: one that is there already, or one that is started here.

mod installation;
mod process;

use std::env;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use self::process::Guarded;

/// How long an emulator may take until it answers; it takes 3 s on an idle machine.
const READY_WITHIN: Duration = Duration::from_secs(90);

/// Which service is emulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The database.
    Firestore,
    /// The message queue.
    Pubsub,
}

impl Kind {
    /// Returns the variable that Google's own tools read the emulator's address from.
    pub const fn variable(self) -> &'static str {
        match self {
            Self::Firestore => "FIRESTORE_EMULATOR_HOST",
            Self::Pubsub => "PUBSUB_EMULATOR_HOST",
        }
    }
}

/// A running emulator. One that was started here ends when it is dropped, and when this process ends in
/// whatever way.
#[derive(Debug)]
pub struct Emulator {
    address: String,
    process: Option<Guarded>,
}

impl Emulator {
    /// Returns the Firestore emulator that all tests of this process share.
    ///
    /// # Panics
    /// If there is none and none can be started, saying how to install it.
    pub fn firestore() -> &'static Self {
        static SHARED: LazyLock<Emulator> = LazyLock::new(|| Emulator::shared(Kind::Firestore));
        &SHARED
    }

    /// Returns the Pub/Sub emulator that all tests of this process share.
    ///
    /// # Panics
    /// If there is none and none can be started, saying how to install it.
    pub fn pubsub() -> &'static Self {
        static SHARED: LazyLock<Emulator> = LazyLock::new(|| Emulator::shared(Kind::Pubsub));
        &SHARED
    }

    fn shared(kind: Kind) -> Self {
        let running = env::var(kind.variable()).ok().filter(|address| !address.is_empty());
        let emulator = match running {
            Some(address) => Ok(Self { address, process: None }),
            None => Self::start(kind),
        };
        emulator.unwrap_or_else(|error| panic!("{error:#}"))
    }

    /// Starts an emulator on a free port, for a test that disturbs it.
    pub fn start(kind: Kind) -> Result<Self> {
        let mut last = None;
        // Somebody else may take the port between the choice and the start.
        for _ in 0..3 {
            let port = free_port()?;
            match Self::start_at(kind, port) {
                Ok(emulator) => return Ok(emulator),
                Err(error) if error.is::<installation::Missing>() => return Err(error),
                Err(error) => last = Some(error),
            }
        }
        Err(last.context("an emulator is tried at least once")?)
    }

    fn start_at(kind: Kind, port: u16) -> Result<Self> {
        let mut process = Guarded::start(&installation::command(kind, port)?)?;
        let address = format!("127.0.0.1:{port}");
        let deadline = Instant::now() + READY_WITHIN;
        while !is_ready(&address) {
            if !process.is_running() {
                bail!("the {kind:?} emulator ended before it was ready:\n{}", process.output());
            }
            if Instant::now() > deadline {
                bail!("the {kind:?} emulator does not answer:\n{}", process.output());
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(Self { address, process: Some(process) })
    }

    /// Returns the address, as `host:port` without a scheme.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the address as a URL without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Stops the process in its tracks: connections are taken and nothing is answered.
    ///
    /// Fails for an emulator that was not started here.
    pub fn freeze(&self) -> Result<()> {
        self.own_process()?.signal(rustix::process::Signal::STOP)
    }

    /// Lets a frozen process go on.
    pub fn thaw(&self) -> Result<()> {
        self.own_process()?.signal(rustix::process::Signal::CONT)
    }

    fn own_process(&self) -> Result<&Guarded> {
        self.process.as_ref().context("the emulator was started by somebody else")
    }
}

fn free_port() -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no free port")?;
    Ok(listener.local_addr()?.port())
}

/// Both emulators answer `Ok` to a plain request when they are ready.
fn is_ready(address: &str) -> bool {
    let answer = || {
        let mut stream = TcpStream::connect(address).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
        let request = format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).ok()?;
        let mut head = [0; 15];
        stream.read_exact(&mut head).ok()?;
        Some(head)
    };
    answer().is_some_and(|head| head.starts_with(b"HTTP/1.1 200"))
}
