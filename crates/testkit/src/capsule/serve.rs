//! The connections of a capsule.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;

use super::reply::Ending;
use super::{Asked, Fault, Reply, Shared};

/// Serves until the handle is dropped.
pub(super) fn run(listener: TcpListener, shared: &Arc<Shared>, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime for one thread");
    runtime.block_on(async {
        listener.set_nonblocking(true).expect("a socket can be told not to block");
        let listener = tokio::net::TcpListener::from_std(listener).expect("a bound listener");
        let accepting = async {
            loop {
                let Ok((stream, _)) = listener.accept().await else { continue };
                let shared = Arc::clone(shared);
                // Whoever breaks off misses the rest; that is what some tests do.
                tokio::spawn(async move { connection(stream, &shared).await.ok() });
            }
        };
        tokio::select! {
            () = accepting => {}
            _ = stopped => {}
        }
    });
}

async fn connection(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    let fault = shared.fault.lock().expect("no holder of this lock panics").clone();
    match fault {
        Some(Fault::Silence) => std::future::pending().await,
        Some(Fault::Bytes(bytes)) => return stream.write_all(&bytes).await,
        None => {}
    }
    let identity = shared.identity.lock().expect("no holder of this lock panics").clone();
    let mut stream = TlsAcceptor::from(identity).accept(stream).await?;
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n") && request.len() <= 1026 {
        if stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    let arrival = Instant::now();
    let line = String::from_utf8_lossy(&request).trim_end().to_owned();
    shared.log().push(Asked { arrival, line: line.clone() });
    let reply = if request.len() > 1026 { Reply::status("59 Too long") } else { answer(&line, shared) };
    stream.write_all(&reply.bytes).await?;
    match reply.ending {
        Ending::Whole => stream.shutdown().await,
        Ending::Cut => stream.flush().await,
        Ending::Silence => {
            stream.flush().await?;
            std::future::pending().await
        }
        Ending::Endless => loop {
            stream.write_all(&reply.bytes).await?;
        },
    }
}

fn answer(line: &str, shared: &Shared) -> Reply {
    let path =
        line.strip_prefix("gemini://").and_then(|rest| rest.find('/').map(|slash| rest[slash..].to_owned()));
    let Some(path) = path else { return Reply::status("59 Not an address") };
    shared.pages().get(&path).cloned().unwrap_or_else(|| Reply::status("51 Not found"))
}
