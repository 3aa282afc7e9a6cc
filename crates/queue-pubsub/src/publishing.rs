//! Publishing with confirmation.

use std::time::Duration;

use futures_util::future::join_all;
use google_cloud_auth::credentials::anonymous;
use google_cloud_gax::error::rpc::Code;
use google_cloud_pubsub::client::Publisher;
use google_cloud_pubsub::error::PublishError;
use google_cloud_pubsub::model::Message;
use recrawl_core::ports::QueueError;
use thiserror::Error;

use crate::settings::PubsubSettings;
use crate::topics::TopicName;

/// How long the client gathers messages: a page's links come at once, so there is little to wait for.
const GATHERING: Duration = Duration::from_millis(2);

/// Why something was not published, beside what the client says.
#[derive(Debug, Error)]
enum NotPublished {
    #[error("the topic {topic} does not exist; create it, as infra/ does")]
    NoTopic {
        topic: String,
        #[source]
        source: PublishError,
    },
    #[error("{topic} did not confirm within {} s", within.as_secs_f64())]
    Unconfirmed { topic: String, within: Duration },
}

/// Makes the client of one topic.
pub(crate) async fn publisher(topic: TopicName, settings: &PubsubSettings) -> Result<Publisher, QueueError> {
    let builder = Publisher::builder(topic.path(&settings.project)).set_delay_threshold(GATHERING);
    // The client does not look for the emulator by itself, and each builder needs to be told.
    let builder = match &settings.emulator {
        Some(host) => builder
            .with_endpoint(format!("http://{host}"))
            .with_credentials(anonymous::Builder::new().build()),
        None => builder,
    };
    builder.build().await.map_err(|error| QueueError::Unavailable(Box::new(error)))
}

/// Publishes `messages` in batches and waits until each is confirmed.
pub(crate) async fn publish_all(
    publisher: &Publisher,
    messages: Vec<Message>,
    topic: &str,
    time_out: Duration,
) -> Result<(), QueueError> {
    let confirmations: Vec<_> = messages.into_iter().map(|message| publisher.publish(message)).collect();
    let unconfirmed = |_| {
        let (topic, within) = (topic.to_owned(), time_out);
        QueueError::Unavailable(Box::new(NotPublished::Unconfirmed { topic, within }))
    };
    // The client itself goes on trying for minutes, which a push cannot wait for.
    let confirmed = tokio::time::timeout(time_out, join_all(confirmations)).await.map_err(unconfirmed)?;
    for confirmation in confirmed {
        confirmation.map_err(|error| refusal(error, topic))?;
    }
    Ok(())
}

fn refusal(error: PublishError, topic: &str) -> QueueError {
    let code = match &error {
        PublishError::Rpc(error) => error.status().map(|status| status.code),
        _ => None,
    };
    match code {
        Some(Code::NotFound) => {
            QueueError::Refused(Box::new(NotPublished::NoTopic { topic: topic.to_owned(), source: error }))
        }
        Some(Code::InvalidArgument) => QueueError::Refused(Box::new(error)),
        Some(_) | None => QueueError::Unavailable(Box::new(error)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use google_cloud_gax::error::Error;
    use google_cloud_gax::error::rpc::Status;

    use super::*;

    fn refused(code: Code) -> QueueError {
        let status = Status::default().set_code(code).set_message("said by the service");
        refusal(PublishError::Rpc(Arc::new(Error::service(status))), "projects/p/topics/crawl")
    }

    #[test]
    fn a_topic_that_is_not_there_is_named_with_what_to_do() {
        let QueueError::Refused(source) = refused(Code::NotFound) else { panic!("not refused") };
        let words = source.to_string();
        assert!(words.contains("projects/p/topics/crawl") && words.contains("create it"), "{words}");
    }

    #[test]
    fn only_what_can_never_be_taken_is_refused() {
        assert!(matches!(refused(Code::InvalidArgument), QueueError::Refused(_)));
        for code in [Code::Unavailable, Code::DeadlineExceeded, Code::PermissionDenied, Code::Internal] {
            assert!(matches!(refused(code), QueueError::Unavailable(_)), "{code:?}");
        }
        assert!(matches!(refusal(PublishError::Shutdown, "t"), QueueError::Unavailable(_)));
    }
}
