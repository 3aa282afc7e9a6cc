//! Reading the body of a push.

use std::time::Duration;

use axum::body::Body;
use futures_util::StreamExt;

use crate::answer::{Answer, Dropped};

/// The longest body that is a message of ours.
const LONGEST: usize = 1 << 20;

/// How much more is taken and thrown away, so that the sender reads the answer: more than Pub/Sub sends.
const TAKEN: usize = 64 << 20;

/// How long a body may take to arrive.
const PATIENCE: Duration = Duration::from_mins(1);

/// Reads a body, and holds no more of it than a message can have.
pub(crate) async fn read(body: Body) -> Result<Vec<u8>, Answer> {
    let late = |_| Answer::unavailable("the body of the push did not arrive", Duration::from_secs(1));
    tokio::time::timeout(PATIENCE, read_all(body)).await.map_err(late)?
}

async fn read_all(body: Body) -> Result<Vec<u8>, Answer> {
    let mut stream = body.into_data_stream();
    let (mut kept, mut taken) = (Vec::new(), 0);
    while let Some(chunk) = stream.next().await {
        let broken = |_| Answer::unavailable("the body of the push broke off", Duration::from_secs(1));
        let chunk = chunk.map_err(broken)?;
        taken += chunk.len();
        if taken <= LONGEST {
            kept.extend_from_slice(&chunk);
        } else {
            kept = Vec::new();
        }
        if taken > TAKEN {
            break;
        }
    }
    if taken > LONGEST {
        let reason = format!("the push is longer than {LONGEST} bytes");
        return Err(Answer::Poison(Dropped { kind: Answer::TOO_LARGE, reason }));
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_body_of_a_mebibyte_is_read_and_a_longer_one_is_poison() {
        assert_eq!(read(Body::from(vec![b'x'; LONGEST])).await.unwrap().len(), LONGEST);
        assert_eq!(read(Body::empty()).await.unwrap().len(), 0);
        let answer = read(Body::from(vec![b'x'; LONGEST + 1])).await.unwrap_err();
        assert!(matches!(answer, Answer::Poison(Dropped { kind: Answer::TOO_LARGE, .. })), "{answer:?}");
    }
}
