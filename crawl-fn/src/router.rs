//! The routes, and the way of a push through them.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::FutureExt;
use jiff::Timestamp;
use recrawl_queue_pubsub::message::{Delivery, Envelope};
use tokio::time::Instant;
use tracing::field::Empty;
use tracing::{Instrument, Span};

use crate::answer::Answer;
use crate::archive::archive;
use crate::body;
use crate::crawl::crawl;
use crate::line;
use crate::service::Service;
use crate::tick::tick;
use crate::trace::trace;

/// What a push is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Topic {
    Crawl,
    Archive,
    Tick,
}

impl Topic {
    const fn word(self) -> &'static str {
        match self {
            Self::Crawl => "crawl",
            Self::Archive => "archive",
            Self::Tick => "tick",
        }
    }
}

/// Returns the routes of the service.
pub fn router(service: Arc<Service>) -> Router {
    let push = |topic| post(move |service, request| take(service, topic, request));
    Router::new()
        .route("/pubsub/crawl", push(Topic::Crawl))
        .route("/pubsub/archive", push(Topic::Archive))
        .route("/pubsub/tick", push(Topic::Tick))
        .route("/healthz", get(|| async { "alive\n" }))
        .route("/readyz", get(readiness))
        .with_state(service)
}

async fn readiness(State(service): State<Arc<Service>>) -> Response {
    match service.readiness().await {
        Ok(()) => "ready\n".into_response(),
        Err(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n")).into_response(),
    }
}

/// Takes a push. The work is done in a task of its own: whoever hangs up does not end it.
async fn take(State(service): State<Arc<Service>>, topic: Topic, request: Request) -> Answer {
    let began = Instant::now();
    let (head, body) = request.into_parts();
    let span = tracing::info_span!(
        "push",
        topic = topic.word(),
        trace = trace(&head.headers, &service.config.project),
        message.id = Empty,
        site = Empty,
        crawl.id = Empty,
        page.url = Empty,
    );
    let leave = service.work.begin();
    let work = async move {
        let answer = match (service.sender.admit(&head.headers, Timestamp::now()).await, leave) {
            (Err(refusal), _) => refusal.into(),
            (Ok(()), None) => Answer::not_now("we are about to stop", Duration::from_secs(1)),
            (Ok(()), Some(leave)) => {
                let body = body::read(body).await;
                let (service, headers) = (Arc::clone(&service), head.headers);
                let work = async move {
                    let handling = AssertUnwindSafe(handle(&service, topic, body, &headers, began));
                    let handled = handling.catch_unwind().await;
                    let answer = handled.unwrap_or_else(|_| panicked(&service, began));
                    drop(leave);
                    answer
                };
                // The runtime itself was stopped, if there is no answer.
                return tokio::spawn(work.in_current_span())
                    .await
                    .unwrap_or_else(|_| Answer::broken("the task was ended"));
            }
        };
        line::write(&service, &answer, began, None);
        answer
    };
    work.instrument(span).await
}

fn panicked(service: &Service, began: Instant) -> Answer {
    let answer = Answer::broken("a panic");
    line::write(service, &answer, began, None);
    answer
}

async fn handle(
    service: &Service,
    topic: Topic,
    body: Result<Vec<u8>, Answer>,
    headers: &HeaderMap,
    began: Instant,
) -> Answer {
    let parts = service.parts().await;
    let answer = match (&parts, body.and_then(|body| delivery(topic, &body, headers))) {
        (_, Err(answer)) => answer,
        (Err(answer), Ok(_)) => answer.clone(),
        (Ok(parts), Ok(delivery)) => {
            if let Some(id) = &delivery.message_id {
                Span::current().record("message.id", id.as_str());
            }
            match topic {
                Topic::Crawl => crawl(parts, &delivery).await,
                Topic::Archive => archive(parts, &delivery).await,
                Topic::Tick => tick(parts).await,
            }
        }
    };
    line::write(service, &answer, began, parts.ok().as_deref());
    answer
}

/// Reads what was delivered, wrapped or not.
fn delivery(topic: Topic, body: &[u8], headers: &HeaderMap) -> Result<Delivery, Answer> {
    let mut delivery = match Envelope::parse(body) {
        Ok(delivery) => delivery,
        // A tick says nothing but that it is time.
        Err(_) if topic == Topic::Tick => Delivery::default(),
        Err(poison) => return Err(poison.into()),
    };
    let header = |name: &str| headers.get(name)?.to_str().ok().map(str::to_owned);
    delivery.message_id = delivery.message_id.or_else(|| header("x-goog-pubsub-message-id"));
    Ok(delivery)
}
