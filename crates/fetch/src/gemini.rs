//! One Gemini request: a line over TLS, an answer that ends with the connection. Trust on first use, limits, no redirects.

pub(crate) mod certificate;
pub(crate) mod head;
mod pins;
mod tls;

use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use recrawl_core::address::{Reach, literal};
use recrawl_core::decide::answer::Answer;
use recrawl_core::model::http_settings::HttpSettings;
use recrawl_core::model::record::Headers;
use recrawl_core::ports::{BodyMemory, Method, Request, Response, StateStore};
use recrawl_core::url::PageUrl;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use self::head::Head;
use self::pins::Pins;
use crate::guard::{AddressGuard, GuardError};
use crate::http::body::{AHEAD, Body, WEIGHT};
use crate::http::body_budget::{BodyBudget, Reservation};
use crate::http::deadline::Deadline;
use crate::http::{FIRST, failure};
use crate::transport::{Exchange, Transport, TransportError};

/// How much is read at a time.
const CHUNK: usize = 16 << 10;

/// Asks capsules, within limits of time and size, and only at addresses that the guard admits.
///
/// A certificate is believed as [`trust`](recrawl_core::decide::certificate::trust) says. An answer that ends without
/// the farewell of TLS (`close_notify`) is broken off: who cuts a connection could cut a page. Each request has a connection
/// of its own, as the protocol has it.
pub(crate) struct GeminiFetcher {
    settings: HttpSettings,
    guard: Arc<AddressGuard>,
    bodies: Arc<BodyBudget>,
    tls: TlsConnector,
    pins: Arc<Pins>,
}

/// What came back, before it is read.
struct RawResponse {
    connected_at: Instant,
    answered_at: Instant,
    head: Head,
    body: Body,
}

impl GeminiFetcher {
    /// Makes a fetcher, with these limits.
    pub(crate) fn new(
        settings: HttpSettings,
        guard: Arc<AddressGuard>,
        bodies: Arc<BodyBudget>,
    ) -> Result<Self, rustls::Error> {
        let tls = TlsConnector::from(Arc::new(tls::client()?));
        Ok(Self { settings, guard, bodies, tls, pins: Arc::default() })
    }

    /// Makes a fetcher for another site of the same process, with the same pins and the same budget for bodies.
    pub(crate) fn beside(&self, settings: HttpSettings, guard: Arc<AddressGuard>) -> Self {
        let (bodies, tls, pins) = (Arc::clone(&self.bodies), self.tls.clone(), Arc::clone(&self.pins));
        Self { settings, guard, bodies, tls, pins }
    }

    async fn ask(
        &self,
        request: &Request<'_>,
        reach: Reach,
        memory: &mut Reservation,
        deadline: &mut Deadline,
    ) -> Result<RawResponse, TransportError> {
        let url = request.url;
        let connecting = timeout(self.settings.connect_time_out, self.connect(url, reach));
        let mut stream = deadline.within(connecting).await?.map_err(|_| too_slow_to_connect())??;
        let connected_at = Instant::now();
        deadline.within(self.pins.check(&url.host_key(), &stream, Timestamp::now())).await??;
        let line = format!("{url}\r\n");
        let sending = async {
            stream.write_all(line.as_bytes()).await?;
            stream.flush().await
        };
        deadline.within(sending).await?.map_err(broken)?;
        let mut received = Vec::new();
        let head = loop {
            if let Some(head) = Head::read(&mut received).map_err(unreadable)? {
                break head;
            }
            let arrived = self.receive(&mut stream, &mut received, deadline).await?;
            if arrived == 0 {
                let reason = "the connection was closed before an answer".to_owned();
                return Err(TransportError::Broken { reason, source: None });
            }
        };
        let answered_at = Instant::now();
        memory.answered();
        let is_wanted = request.method == Method::Get && head.status.answer() == Answer::Content;
        let body = if is_wanted {
            let limit = request.body_limit.unwrap_or(self.settings.body_limit);
            self.read_body(&mut stream, received, limit, memory, deadline).await?
        } else {
            memory.shrink_to(0);
            Body { raw: received.len() as u64, ..Body::default() }
        };
        Ok(RawResponse { connected_at, answered_at, head, body })
    }

    /// Makes a connection, and speaks TLS over it.
    async fn connect(&self, url: &PageUrl, reach: Reach) -> Result<TlsStream<TcpStream>, TransportError> {
        let addresses = match literal(url.host()) {
            Some(address) => vec![address],
            None => self.guard.addresses(url.host(), reach).await.map_err(of_guard)?,
        };
        let name = tls::server_name(url.host())
            .ok_or_else(|| TransportError::Refused(format!("{} is no name that TLS knows", url.host())))?;
        let stream = self.reach_one_of(&addresses, url.port()).await.map_err(unreachable)?;
        let secured = self.tls.connect(name, stream).await;
        secured.map_err(|error| TransportError::Unreachable {
            reason: format!("cannot connect: TLS fails: {error}"),
            source: Some(Box::new(error)),
        })
    }

    /// Connects to the first address where somebody listens.
    async fn reach_one_of(&self, addresses: &[IpAddr], port: u16) -> io::Result<TcpStream> {
        let share =
            self.settings.connect_time_out / u32::try_from(addresses.len()).unwrap_or(u32::MAX).max(1);
        let mut last = io::Error::from(ErrorKind::NotFound);
        for address in addresses {
            match timeout(share, TcpStream::connect((*address, port))).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => last = error,
                Err(_) => last = ErrorKind::TimedOut.into(),
            }
        }
        Err(last)
    }

    /// Appends what arrives next to `received`; returns how much it was.
    async fn receive(
        &self,
        stream: &mut TlsStream<TcpStream>,
        received: &mut Vec<u8>,
        deadline: &Deadline,
    ) -> Result<usize, TransportError> {
        received.reserve(CHUNK);
        let part = timeout(self.settings.read_time_out, stream.read_buf(received));
        let Ok(arrived) = deadline.within(part).await? else {
            let reason = "the server sends nothing: operation timed out".to_owned();
            return Err(TransportError::Broken { reason, source: None });
        };
        arrived.map_err(broken)
    }

    async fn read_body(
        &self,
        stream: &mut TlsStream<TcpStream>,
        mut bytes: Vec<u8>,
        limit: usize,
        memory: &mut Reservation,
        deadline: &mut Deadline,
    ) -> Result<Body, TransportError> {
        let truncated = loop {
            let kept = WEIGHT * bytes.len() as u64;
            if kept > memory.bytes() {
                deadline.we_waited(memory.grow_to(kept + AHEAD).await);
            }
            if bytes.len() > limit {
                break true;
            }
            if self.receive(stream, &mut bytes, deadline).await? == 0 {
                break false;
            }
        };
        let raw = bytes.len() as u64;
        bytes.truncate(limit);
        bytes.shrink_to_fit();
        let kept = WEIGHT * bytes.len() as u64;
        deadline.we_waited(memory.grow_to(kept).await);
        memory.shrink_to(kept);
        Ok(Body { bytes, truncated, raw })
    }
}

impl Transport for GeminiFetcher {
    async fn exchange(&self, request: Request<'_>) -> Result<Exchange, TransportError> {
        let reach = self.guard.admit(request.url).map_err(failure::of_guard)?;
        let mut memory =
            if request.nested { self.bodies.begin_without_waiting() } else { self.bodies.begin() };
        memory.ask(FIRST).await;
        let started = Instant::now();
        let mut deadline = Deadline::after(self.settings.total_time_out);
        let asking = Box::pin(self.ask(&request, reach, &mut memory, &mut deadline));
        let RawResponse { connected_at, answered_at, head, body } = asking.await?;
        let took = started.elapsed().saturating_sub(deadline.waited());
        let (status, answer) = (head.status, head.status.answer());
        let response = Response {
            answer,
            status: status.nearest_http(),
            status_in_words: Some(status.to_string()),
            headers: Headers {
                location: (answer == Answer::Redirect).then(|| head.meta.clone()),
                content_type: (answer == Answer::Content).then(|| head.media_type()),
                ..Headers::default()
            },
            received_bytes: head.length as u64 + body.raw,
            body: body.bytes,
            truncated: body.truncated,
            fetched_at: Timestamp::now(),
            fetch_ms: u32::try_from(took.as_millis()).unwrap_or(u32::MAX),
            fresh_until: None,
            memory: BodyMemory::new(memory),
        };
        let retry_after = if status.is_slow_down() { head.meta.trim().parse().ok() } else { None };
        Ok(Exchange {
            response,
            retry_after: retry_after.map(Duration::from_secs),
            connected_at: Some(connected_at),
            sent_at: Some(started),
            answered_at: Some(answered_at),
        })
    }

    fn remember_in(&self, memory: &Arc<dyn StateStore>) {
        self.pins.remember_in(memory);
    }
}

fn of_guard(error: GuardError) -> TransportError {
    match error {
        GuardError::Forbidden(forbidden) => failure::of_guard(forbidden),
        GuardError::Lookup(_) => TransportError::Unreachable {
            reason: format!("cannot connect: {error}"),
            source: Some(Box::new(error)),
        },
    }
}

fn unreachable(error: io::Error) -> TransportError {
    TransportError::Unreachable { reason: format!("cannot connect: {error}"), source: Some(Box::new(error)) }
}

fn too_slow_to_connect() -> TransportError {
    let reason = "cannot connect in time: operation timed out".to_owned();
    TransportError::Unreachable { reason, source: None }
}

fn broken(error: io::Error) -> TransportError {
    let reason = if error.kind() == ErrorKind::UnexpectedEof {
        // What came may be a part of the page.
        "the connection was cut: it ended without close_notify".to_owned()
    } else {
        format!("the connection broke: {error}")
    };
    TransportError::Broken { reason, source: Some(Box::new(error)) }
}

fn unreadable(reason: &'static str) -> TransportError {
    TransportError::Unreadable { reason: reason.to_owned(), source: None }
}

impl std::fmt::Debug for GeminiFetcher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("GeminiFetcher").field("settings", &self.settings).finish_non_exhaustive()
    }
}
