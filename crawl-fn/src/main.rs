//! Starts the service that the environment describes.

use std::net::Ipv4Addr;
use std::process::ExitCode;

use anyhow::Context as _;
use crawl_fn::{Config, assembly, run, start_logging};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

// The system allocator keeps what many threads freed; this one gives it back.
#[global_allocator]
static ALLOCATOR: recrawl_allocator::Allocator = recrawl_allocator::allocator();

fn main() -> ExitCode {
    #[cfg(feature = "documents")]
    if let Some(ended) = recrawl_documents::child::run_if_asked() {
        return ended;
    }
    let config = match Config::from_environment() {
        Ok(config) => config,
        Err(problems) => {
            eprintln!("crawl-fn: {problems}");
            return ExitCode::from(2);
        }
    };
    start_logging(config.log_filter());
    match serve(config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn serve(config: Config) -> anyhow::Result<()> {
    let mut asked = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let mut interrupted = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, config.port)).await;
    let listener = listener.with_context(|| format!("cannot listen on port {}", config.port))?;
    let connected = config.clone();
    let connect = move || assembly::connect(connected.clone());
    let shutdown = async move {
        tokio::select! {
            _ = asked.recv() => {}
            _ = interrupted.recv() => {}
        }
    };
    run(listener, config, connect, shutdown).await
}
