//! Pages to visit, announcements and archive requests as Pub/Sub messages.
//!
//! * [`message`] has the messages, both ways: written for a topic, and read from what a push delivers.
//! * [`Topics`] publishes them; it implements the ports.

pub mod message;
mod ports;
mod publishing;
mod settings;
mod topics;

pub use settings::PubsubSettings;
pub use topics::{TopicName, Topics};
