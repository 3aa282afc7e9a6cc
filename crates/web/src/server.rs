//! Serves a router to whoever connects, and lasts through those who only hold on to their connections.
//!
//! A request that is not sent whole in time is ended, and so are connections on which nothing is asked and answers that
//! nobody reads. There are no more connections than leave room for the work of the process; whoever comes then takes the
//! place of the one who has been quiet longest.

mod body;
mod connections;
mod stalling;

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::Request;
use axum::middleware::map_request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use self::connections::{ConnectionSlot, Connections, Limits};
use self::stalling::Stalling;

/// How long somebody may take to send the head of a request; also how long a connection may be idle.
const HEAD: Duration = Duration::from_secs(10);

/// How long nobody waits before connections are accepted again, where the system has no more of them.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves `pages` until `stop`, then finishes the answers that are under way.
///
/// Handlers find who asks as [`ConnectInfo`] of a [`SocketAddr`].
pub async fn serve(listener: TcpListener, pages: Router, stop: impl Future<Output = ()>) {
    serve_within(listener, pages, stop, Limits::of_this_process()).await;
}

async fn serve_within(listener: TcpListener, pages: Router, stop: impl Future<Output = ()>, limits: Limits) {
    let pages = pages.layer(map_request(body::in_time));
    let (connections, (stopping, stopped)) = (Connections::new(limits), watch::channel(false));
    let (mut tasks, mut stop) = (JoinSet::new(), pin!(stop));
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            // So that what has ended is forgotten.
            Some(_) = tasks.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, from)) => {
                // Where there is no room, the connection is closed.
                if let Some(place) = connections.admit(from.ip()) {
                    tasks.spawn(answer(stream, from, place, pages.clone(), stopped.clone()));
                }
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    stopping.send_replace(true);
    while tasks.join_next().await.is_some() {}
}

/// Answers the requests of one connection.
async fn answer(
    stream: TcpStream,
    from: SocketAddr,
    mut place: ConnectionSlot,
    pages: Router,
    mut stopped: watch::Receiver<bool>,
) {
    let (turns, pages) = (place.turns(), TowerToHyperService::new(pages));
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(from));
        let turn = turns.begin();
        let answered = pages.call(request);
        async move {
            let answered = answered.await;
            drop(turn);
            answered
        }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(Stalling::new(stream)), service));
    let mut is_ending = false;
    loop {
        tokio::select! {
            served = connection.as_mut() => {
                if let Err(error) = served {
                    tracing::debug!(%error, "a connection broke");
                }
                return;
            }
            () = place.is_needed() => return,
            _ = stopped.wait_for(|stopped| *stopped), if !is_ending => {
                is_ending = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

#[cfg(test)]
mod tests;
