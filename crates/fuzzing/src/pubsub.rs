//! Pub/Sub messages: any body of a push is a message or poison, and what was written is read back.

use recrawl_queue_pubsub::message::{ArchiveMessage, ChangeMessage, CrawlMessage, Delivery, Envelope};

/// Reads a body as every service does.
pub fn read_message(data: &[u8]) {
    if let Ok(change) = serde_json::from_slice::<ChangeMessage>(data) {
        assert_eq!(serde_json::from_str::<ChangeMessage>(&change.to_json()).ok(), Some(change));
    }
    let delivery = match Envelope::parse(data) {
        Ok(delivery) => delivery,
        Err(poison) => return assert!(!poison.to_string().is_empty() && !poison.kind().is_empty()),
    };
    let wrapped = serde_json::to_vec(&Envelope::of(&delivery)).expect("texts are always JSON");
    assert_eq!(Envelope::parse(&wrapped).as_ref(), Ok(&delivery), "wrapped again");
    if let Ok(message) = CrawlMessage::parse(&delivery) {
        let written = Delivery {
            data: message.to_json().into_bytes(),
            attributes: message.attributes(),
            ..Delivery::default()
        };
        assert_eq!(CrawlMessage::parse(&written).as_ref(), Ok(&message), "a page to visit");
    }
    if let Ok(request) = ArchiveMessage::parse(&delivery) {
        let data = ArchiveMessage::from(&request).to_json().into_bytes();
        let written = Delivery { data, ..Delivery::default() };
        assert_eq!(ArchiveMessage::parse(&written).as_ref(), Ok(&request), "a page to archive");
    }
}
