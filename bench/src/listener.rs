//! A server inside this process: a thread for each connection, and whoever answers.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often a thread that waits looks whether the server has been stopped.
const LOOK: Duration = Duration::from_millis(20);
const HEAD_LIMIT: usize = 64 << 10;
/// What is sent with a request to us is small.
const BODY_LIMIT: usize = 16 << 20;
/// Bytes that are written at a time.
const CHUNK: usize = 64 << 10;

/// What was asked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    /// Which request it is of all that the server got, from 1.
    pub(crate) number: usize,
    method: String,
    /// Path and query, as they came.
    pub(crate) target: String,
    /// Names in small letters.
    headers: Vec<(String, String)>,
    /// What was sent with it.
    pub(crate) body: Vec<u8>,
}

impl Request {
    fn parse(head: &str) -> Option<Self> {
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let headers = lines.filter_map(|line| line.split_once(':'));
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()));
        Some(Self { number: 0, method, target, headers: headers.collect(), body: Vec::new() })
    }

    /// Returns the path without its query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// Returns a header by its name in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// What becomes of a connection after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// It waits for the next request.
    Keep,
    /// It is closed in order.
    Close,
    /// It is cut: the other side sees a reset.
    Reset,
}

/// Answers requests, on many threads at a time.
pub(crate) trait Answer: Send + Sync + 'static {
    /// Answers one request. An error closes the connection.
    fn answer(&self, request: &Request, connection: &mut Connection) -> io::Result<Then>;
}

/// Where an answer is written to.
pub(crate) struct Connection {
    stream: TcpStream,
    shared: Arc<Shared>,
    /// Whether the request that is being answered asks for the head alone.
    is_head: bool,
    /// Whether the last byte of the head is unread.
    is_byte_owed: bool,
}

impl Connection {
    /// Writes bytes as they are.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.stream.write_all(bytes.as_ref())
    }

    /// Writes a whole answer of a status such as `200 OK`, to a `HEAD` without its body.
    pub(crate) fn respond(&mut self, status: &str, headers: &[&str], body: &[u8]) -> io::Result<Then> {
        self.head(status, headers, body.len())?;
        if !self.is_head {
            self.send(body)?;
        }
        Ok(Then::Keep)
    }

    /// Writes the head of an answer that claims this length.
    pub(crate) fn head(&mut self, status: &str, headers: &[&str], length: usize) -> io::Result<()> {
        let mut head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n");
        for header in headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        self.send(head + "\r\n")
    }

    /// Waits; an error where the server was stopped meanwhile.
    pub(crate) fn wait(&self, time: Duration) -> io::Result<()> {
        let until = Instant::now() + time;
        loop {
            if self.shared.is_stopped.load(Ordering::Relaxed) {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(LOOK));
        }
    }

    /// Reads the last byte of the head, if nobody has.
    fn read_owed(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_byte_owed) {
            self.stream.read_exact(&mut [0])?;
        }
        Ok(())
    }

    fn read_body(&mut self, body: &mut Vec<u8>, length: usize) -> io::Result<()> {
        if length > 0 {
            self.read_owed()?;
            body.resize(length.min(BODY_LIMIT), 0);
            self.stream.set_read_timeout(Some(Duration::from_secs(5)))?;
            self.stream.read_exact(body)?;
            self.stream.set_read_timeout(Some(LOOK))?;
        }
        Ok(())
    }

    /// Writes a page that is `piece` so many times, without holding it.
    pub(crate) fn respond_repeated(
        &mut self,
        headers: &[&str],
        piece: &[u8],
        count: usize,
    ) -> io::Result<Then> {
        self.head("200 OK", headers, piece.len() * count)?;
        let at_once = (CHUNK / piece.len().max(1)).clamp(1, count.max(1));
        let chunk = piece.repeat(at_once);
        for _ in 0..count / at_once {
            self.send(&chunk)?;
        }
        self.send(piece.repeat(count % at_once))?;
        Ok(Then::Keep)
    }

    /// Returns the next head, of which the last byte is left unread: closing a socket with bytes unread is
    /// what makes the kernel send a reset.
    fn next_head(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut seen = vec![0; HEAD_LIMIT];
        loop {
            let length = match self.stream.peek(&mut seen) {
                Ok(0) => return Ok(None),
                Ok(length) => length,
                Err(error) if is_time_out(&error) => {
                    self.wait(Duration::ZERO)?;
                    continue;
                }
                Err(error) => return Err(error),
            };
            if let Some(end) = seen[..length].windows(4).position(|window| window == b"\r\n\r\n") {
                seen.truncate(end + 3);
                self.stream.read_exact(&mut seen)?;
                self.is_byte_owed = true;
                return Ok(Some(seen));
            }
            if length == HEAD_LIMIT {
                return Err(io::ErrorKind::InvalidData.into());
            }
            self.wait(Duration::from_millis(1))?;
        }
    }
}

fn is_time_out(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

#[derive(Default)]
struct Shared {
    is_stopped: AtomicBool,
    /// What was asked, in the order in which it came.
    log: Mutex<Vec<String>>,
    grown: Condvar,
}

impl Shared {
    fn log(&self) -> MutexGuard<'_, Vec<String>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A listening server, stopped when dropped.
pub(crate) struct Listener {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Listener {
    /// Listens on a free port of 127.0.0.1.
    pub(crate) fn start(answers: impl Answer) -> io::Result<Self> {
        Self::start_at(Ipv4Addr::LOCALHOST, answers)
    }

    /// Listens on a free port of an address of this machine.
    pub(crate) fn start_at(address: Ipv4Addr, answers: impl Answer) -> io::Result<Self> {
        Self::start_on(address, 0, answers)
    }

    /// Listens on a port of an address of this machine.
    pub(crate) fn start_on(address: Ipv4Addr, port: u16, answers: impl Answer) -> io::Result<Self> {
        let listener = TcpListener::bind((address, port))?;
        let address = listener.local_addr()?;
        let (shared, answers) = (Arc::new(Shared::default()), Arc::new(answers));
        let server = Self { address, shared: Arc::clone(&shared) };
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.is_stopped.load(Ordering::Relaxed) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let (shared, answers) = (Arc::clone(&shared), Arc::clone(&answers));
                // A client that goes away ends its own connection and nothing else.
                std::thread::spawn(move || {
                    converse(Connection { stream, shared, is_head: false, is_byte_owed: false }, &*answers)
                });
            }
        });
        Ok(server)
    }

    /// Returns the port on which it listens.
    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the URL of the root page.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Returns the targets that were asked for, in the order in which they came.
    pub(crate) fn log(&self) -> Vec<String> {
        self.shared.log().clone()
    }

    /// Returns how many requests came.
    pub(crate) fn requests(&self) -> usize {
        self.shared.log().len()
    }

    /// Waits until so many requests have come, and returns whether they have.
    pub(crate) fn wait_for_requests(&self, count: usize, limit: Duration) -> bool {
        let log = self.shared.log();
        let waited = self.shared.grown.wait_timeout_while(log, limit, |log| log.len() < count);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts; where this fails, it has ended already.
        let _ = TcpStream::connect(self.address);
    }
}

fn converse(mut connection: Connection, answers: &dyn Answer) -> io::Result<()> {
    connection.stream.set_nodelay(true)?;
    connection.stream.set_read_timeout(Some(LOOK))?;
    while let Some(head) = connection.next_head()? {
        let text = String::from_utf8_lossy(&head);
        let mut request = Request::parse(&text).ok_or(io::ErrorKind::InvalidData)?;
        let length = request.header("content-length").and_then(|length| length.parse().ok());
        connection.read_body(&mut request.body, length.unwrap_or_default())?;
        {
            let mut log = connection.shared.log();
            log.push(request.target.clone());
            request.number = log.len();
            connection.shared.grown.notify_all();
        }
        connection.is_head = request.method == "HEAD";
        let then = answers.answer(&request, &mut connection)?;
        if then == Then::Reset {
            return Ok(());
        }
        connection.read_owed()?;
        if then == Then::Close || request.header("connection").is_some_and(|value| value == "close") {
            return connection.stream.shutdown(std::net::Shutdown::Both);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Echo;

    impl Answer for Echo {
        fn answer(&self, request: &Request, connection: &mut Connection) -> io::Result<Then> {
            if request.path() == "/cut" {
                return Ok(Then::Reset);
            }
            connection.respond("200 OK", &["X-Number: here"], request.target.as_bytes())
        }
    }

    fn ask(server: &Listener, requests: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect(server.address)?;
        stream.write_all(requests.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }

    #[test]
    fn requests_on_one_connection_are_answered_in_turn_and_logged() {
        let server = Listener::start(Echo).unwrap();
        let answer = ask(
            &server,
            "GET /a?b HTTP/1.1\r\nHost: x\r\n\r\nHEAD /d HTTP/1.1\r\n\r\nGET /c HTTP/1.1\r\nConnection: close\r\n\r\n",
        );
        let answer = answer.unwrap();
        assert!(answer.contains("\r\nX-Number: here\r\n\r\n/a?bHTTP/1.1 200 OK"), "{answer}");
        assert!(answer.ends_with("/c") && !answer.contains("/d"), "{answer}");
        assert!(server.wait_for_requests(3, Duration::ZERO));
        assert!(!server.wait_for_requests(4, Duration::ZERO));
        assert_eq!(server.log(), ["/a?b", "/d", "/c"]);
    }

    #[test]
    fn a_reset_is_seen_as_a_reset() {
        let server = Listener::start(Echo).unwrap();
        let error = ask(&server, "GET /cut HTTP/1.1\r\nHost: x\r\n\r\n").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    }
}
