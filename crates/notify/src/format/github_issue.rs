//! An issue on GitHub.
//!
//! Limits: 256 characters a title, 65,536 a body.

use serde_json::{Value, json};

use super::markdown;
use crate::notification::Notification;
use crate::text::shortened;

const LONGEST_TITLE: usize = 250;
const LONGEST_BODY: usize = 60_000;
const MOST_LINES: usize = 12;
const WIDTH: usize = 400;

/// Writes the issue.
pub fn write(notification: &Notification<'_>, labels: &[String]) -> Value {
    let room = markdown::Room { changes: LONGEST_BODY, lines: MOST_LINES, width: WIDTH };
    let mut issue = json!({
        "title": shortened(&notification.headline(), LONGEST_TITLE),
        "body": markdown::body(notification, room),
    });
    if !labels.is_empty() {
        issue["labels"] = json!(labels);
    }
    issue
}
