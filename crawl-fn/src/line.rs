//! The one line that is logged of a push.

use tokio::time::Instant;
use tracing::Level;

use crate::answer::{Answer, Done, Dropped, Later, Trouble, Visited};
use crate::parts::Parts;
use crate::service::Service;

/// Logs a line at a level that is known only now.
macro_rules! at {
    ($level:expr, $($fields:tt)*) => {
        match $level {
            Level::ERROR => tracing::error!($($fields)*),
            Level::WARN => tracing::warn!($($fields)*),
            _ => tracing::info!($($fields)*),
        }
    };
}

/// Logs what a push came to. Messages, tokens and answers of servers are not quoted.
pub(crate) fn write(service: &Service, answer: &Answer, began: Instant, parts: Option<&Parts>) {
    let visited = match answer {
        Answer::Done(Done::Visited(visited)) => Some(visited),
        Answer::Done(_) | Answer::Later(_) | Answer::Poison(_) | Answer::Denied(_) => None,
    };
    let (kind, poisoned) = match answer {
        Answer::Poison(Dropped { kind, .. }) => (Some(*kind), Some(service.count_poison(kind))),
        Answer::Done(_) | Answer::Later(_) | Answer::Denied(_) => (None, None),
    };
    let waiting = parts.map(|parts| parts.in_flight.waiting(&parts.sites.own().root().host_key()) as u64);
    let latency = format!("{:.3}s", began.elapsed().as_secs_f64());
    at!(
        level(answer),
        outcome = answer.outcome(),
        verdict = visited.map(|visited| visited.verdict.word()),
        status = visited.and_then(|visited| visited.status),
        fetch_ms = visited.map(|visited| visited.fetch_ms),
        received_bytes = visited.map(|visited| visited.received_bytes),
        reason = reason(answer),
        kind,
        poisoned,
        waiting,
        http_request.status = answer.status().as_u16(),
        http_request.latency = latency,
        "a push was handled"
    );
}

fn reason(answer: &Answer) -> Option<&str> {
    match answer {
        Answer::Done(Done::Passed(reason) | Done::Ticked(reason) | Done::Archived(reason))
        | Answer::Later(Later { reason, .. })
        | Answer::Poison(Dropped { reason, .. }) => Some(reason),
        Answer::Denied(reason) => Some(reason),
        Answer::Done(Done::Visited(Visited { .. }) | Done::Duplicate | Done::Unconfirmed | Done::Kept) => {
            None
        }
    }
}

fn level(answer: &Answer) -> Level {
    match answer {
        Answer::Done(_) => Level::INFO,
        Answer::Later(Later { trouble, .. }) => match trouble {
            Trouble::None => Level::INFO,
            Trouble::Passing => Level::WARN,
            Trouble::Lasting => Level::ERROR,
        },
        Answer::Poison(Dropped { kind: Answer::FOREIGN, .. }) | Answer::Denied(_) => Level::WARN,
        Answer::Poison(_) => Level::ERROR,
    }
}
