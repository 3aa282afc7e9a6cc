//! What Pub/Sub wraps around a message that it pushes.

use std::collections::HashMap;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::{Deserialize, Serialize};

use super::Poison;

/// Standard base64; who types an envelope by hand may leave the padding out.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The body of a push with a wrapper.
///
/// Pub/Sub writes the id under two names at once, so they are two fields here and not one with an alias.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    message: Wrapped,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subscription: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    delivery_attempt: Option<u32>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Wrapped {
    #[serde(default)]
    data: Option<String>,
    #[serde(default, rename = "messageId")]
    message_id: Option<String>,
    #[serde(default, rename = "message_id")]
    message_id_again: Option<String>,
    #[serde(default)]
    attributes: Option<HashMap<String, String>>,
}

/// One message as it was delivered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delivery {
    /// The name that Pub/Sub gave the message; the same in every delivery of it.
    pub message_id: Option<String>,
    /// What was published.
    pub data: Vec<u8>,
    /// The attributes it was published with.
    pub attributes: HashMap<String, String>,
    /// Which delivery it is, where Pub/Sub counts.
    pub delivery_attempt: Option<u32>,
    /// The subscription that delivers it.
    pub subscription: Option<String>,
}

impl Envelope {
    /// Wraps a message as Pub/Sub does.
    pub fn of(delivery: &Delivery) -> Self {
        Self {
            message: Wrapped {
                data: Some(LENIENT.encode(&delivery.data)),
                message_id: delivery.message_id.clone(),
                message_id_again: delivery.message_id.clone(),
                attributes: Some(delivery.attributes.clone()),
            },
            subscription: delivery.subscription.clone(),
            delivery_attempt: delivery.delivery_attempt,
        }
    }

    /// Reads the body of a push: a wrapped message, or the data itself where the subscription has no wrapper.
    pub fn parse(body: &[u8]) -> Result<Delivery, Poison> {
        let Some(envelope) = Self::around(body) else {
            return Ok(Delivery { data: body.to_vec(), ..Delivery::default() });
        };
        let Self { message, subscription, delivery_attempt } = serde_json::from_value(envelope)?;
        let data = LENIENT.decode(message.data.unwrap_or_default()).map_err(|_| Poison::Base64)?;
        Ok(Delivery {
            message_id: message.message_id.or(message.message_id_again).filter(|id| !id.is_empty()),
            data,
            attributes: message.attributes.unwrap_or_default(),
            delivery_attempt,
            subscription,
        })
    }

    /// Returns the body as JSON if it is a wrapper.
    fn around(body: &[u8]) -> Option<serde_json::Value> {
        let value: serde_json::Value = serde_json::from_slice(body).ok()?;
        value.get("message").is_some_and(serde_json::Value::is_object).then_some(value)
    }
}

impl Delivery {
    /// Returns the data as text, without what editors and shells leave around it: a byte order mark, white
    /// space and quotes.
    pub fn text(&self) -> Result<&str, Poison> {
        let text = std::str::from_utf8(&self.data).map_err(|_| Poison::Text)?;
        let around = |character: char| character.is_whitespace() || matches!(character, '\u{feff}' | '\0');
        let bare = text.trim_matches(around);
        let quoted = |quote| bare.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        let bare = quoted('"').or_else(|| quoted('\'')).unwrap_or(bare).trim_matches(around);
        if bare.is_empty() { Err(Poison::Empty) } else { Ok(bare) }
    }

    /// Returns an attribute that is not empty.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a body; returns the data as text, or the kind of poison.
    fn read(body: &[u8]) -> Result<String, &'static str> {
        let delivery = Envelope::parse(body).map_err(|poison| poison.kind())?;
        delivery.text().map(str::to_owned).map_err(|poison| poison.kind())
    }

    #[test]
    fn a_wrapped_message_is_read_with_what_pub_sub_says_of_it() {
        let body = br#"{"subscription":"projects/p/subscriptions/crawl","deliveryAttempt":5,"message":{
            "data":"aHR0cHM6Ly9hLw==","messageId":"7","message_id":"7","publishTime":"2026-11-16T00:00:00Z",
            "publish_time":"2026-11-16T00:00:00Z","attributes":{"crawl":"crawl-2026-11-16"},"orderingKey":"k"}}"#;
        let delivery = Envelope::parse(body).unwrap();
        assert_eq!(delivery.data, b"https://a/");
        assert_eq!(delivery.message_id.as_deref(), Some("7"));
        assert_eq!(delivery.delivery_attempt, Some(5));
        assert_eq!(delivery.subscription.as_deref(), Some("projects/p/subscriptions/crawl"));
        assert_eq!(delivery.attribute("crawl"), Some("crawl-2026-11-16"));
        assert_eq!(delivery.attribute("site"), None);
    }

    #[test]
    fn wrapped_and_bare_data_are_told_apart() {
        let cases: [(&[u8], Result<&str, &str>); 14] = [
            (br#"{"message":{"data":"aHR0cHM6Ly9hLw"}}"#, Ok("https://a/")),
            (br#"{"message":{"data":"aHR0cHM6Ly9hLw==","attributes":null}}"#, Ok("https://a/")),
            (br#"{"message":{"data":"aHR0cHM6Ly9hLw==","message_id":"7"}}"#, Ok("https://a/")),
            (br#"{"message":{"attributes":{}},"subscription":"s"}"#, Err("empty")),
            (br#"{"message":{"data":null}}"#, Err("empty")),
            (br#"{"message":{"data":"ICAK"}}"#, Err("empty")),
            (br#"{"message":{"data":"?!"}}"#, Err("base64")),
            (br#"{"message":{"data":7}}"#, Err("json")),
            (br#"{"message":{"data":"//79"}}"#, Err("text")),
            (b"https://a/", Ok("https://a/")),
            (br#"{"url":"https://a/"}"#, Ok(r#"{"url":"https://a/"}"#)),
            (br#"{"message":"hello"}"#, Ok(r#"{"message":"hello"}"#)),
            (b"\xff\xfe", Err("text")),
            (b"", Err("empty")),
        ];
        for (body, expected) in cases {
            let name = String::from_utf8_lossy(body);
            assert_eq!(read(body), expected.map(str::to_owned), "{name}");
        }
    }

    #[test]
    fn what_is_wrapped_here_reads_back() {
        let delivery = Delivery {
            message_id: Some("7".to_owned()),
            data: vec![0, 255, 10],
            attributes: HashMap::from([("a".to_owned(), "b".to_owned())]),
            delivery_attempt: Some(1),
            subscription: Some("s".to_owned()),
        };
        let body = serde_json::to_vec(&Envelope::of(&delivery)).unwrap();
        assert_eq!(Envelope::parse(&body), Ok(delivery));
    }
}
