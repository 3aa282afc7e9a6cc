//! Bodies of requests, as far as they come in time.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use futures_util::{StreamExt, stream};
use tokio::time::{Instant, timeout_at};

/// How long somebody may take to send the body of a request.
const LONGEST: Duration = Duration::from_secs(10);

/// Makes reading the body of a request fail where it does not come in time.
pub(super) async fn in_time(request: Request) -> Request {
    request.map(|body| {
        if hyper::body::Body::is_end_stream(&body) {
            return body;
        }
        let deadline = Instant::now() + LONGEST;
        let parts = stream::unfold(Some(body.into_data_stream()), move |parts| async move {
            let mut parts = parts?;
            match timeout_at(deadline, parts.next()).await {
                Ok(Some(part)) => Some((part.map_err(io::Error::other), Some(parts))),
                Ok(None) => None,
                Err(_) => Some((Err::<Bytes, _>(late()), None)),
            }
        });
        Body::from_stream(parts)
    })
}

fn late() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the request was not sent in time")
}
