//! Notes when a request had to wait for a new connection.
//!
//! Making a connection takes several round trips, so that the request reaches the server later than it
//! would on a connection that stands. Politeness counts from then.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use tower::{Layer, Service};

tokio::task_local! {
    static CONNECTED_AT: Cell<Option<Instant>>;
}

/// Runs a request; tells also when its connection was ready, if one was made for it.
pub(crate) async fn noting<T>(request: impl Future<Output = T>) -> (T, Option<Instant>) {
    let noted = async {
        let outcome = request.await;
        (outcome, CONNECTED_AT.with(Cell::get))
    };
    CONNECTED_AT.scope(Cell::new(None), noted).await
}

/// Wraps the connector of a client, so that [`noting`] learns of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoteConnections;

impl<S> Layer<S> for NoteConnections {
    type Service = Noted<S>;

    fn layer(&self, connector: S) -> Noted<S> {
        Noted(connector)
    }
}

/// A connector that notes the time when a connection is ready.
#[derive(Debug, Clone)]
pub(crate) struct Noted<S>(S);

impl<S, R> Service<R> for Noted<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let connecting = self.0.call(request);
        Box::pin(async move {
            let connection = connecting.await;
            // A connection that outlives its request is made outside of its task; nobody asks for its time.
            let _ = CONNECTED_AT.try_with(|at| at.set(Some(Instant::now())));
            connection
        })
    }
}
