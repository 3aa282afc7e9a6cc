//! Serving until told to stop.

use std::future::{Future, IntoFuture};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::config::Config;
use crate::deps::Deps;
use crate::router::router;
use crate::service::Service;

/// How long what is under way may take once we stop: Cloud Run gives ten seconds in all.
const GRACE: Duration = Duration::from_secs(9);

/// How long answers may take to leave after that.
const FAREWELL: Duration = Duration::from_millis(500);

/// Serves on `listener` until `shutdown`, then finishes what is under way.
///
/// It listens at once; `connect` runs beside that, again and again until it succeeds, and pushes wait for it.
pub async fn run<C, F>(
    listener: TcpListener,
    config: Config,
    connect: C,
    shutdown: impl Future<Output = ()>,
) -> anyhow::Result<()>
where
    C: Fn() -> F + Send + Sync + 'static,
    F: Future<Output = anyhow::Result<Deps>> + Send + 'static,
{
    let service = Service::new(config)?;
    let connecting = tokio::spawn({
        let service = Arc::clone(&service);
        async move { service.connect(connect).await }
    });
    let (close, closed) = oneshot::channel::<()>();
    let closed = async {
        // Its sender is dropped or used in one place below; either means the end.
        let _ = closed.await;
    };
    let serving = axum::serve(listener, router(Arc::clone(&service))).with_graceful_shutdown(closed);
    let serving = tokio::spawn(serving.into_future());
    shutdown.await;
    tracing::info!("stopping: what is under way is finished");
    // It listens on meanwhile, so that whoever comes is told to come again.
    service.stop();
    let finished = service.work.ended(GRACE).await;
    connecting.abort();
    let _ = close.send(());
    let left = tokio::time::timeout(FAREWELL, serving).await;
    tracing::info!(finished, "stopped");
    match left {
        Ok(served) => Ok(served??),
        // A connection that is kept open by its other end is cut.
        Err(_) => Ok(()),
    }
}
