//! A push of topic `crawl`.

use std::sync::Arc;

use recrawl_core::ports::QueuedPage;
use recrawl_queue_pubsub::message::{CrawlMessage, Delivery};
use tracing::{Span, field};

use crate::answer::{Answer, Done};
use crate::joining::site_of;
use crate::opening::{no_session, open};
use crate::parts::Parts;
use crate::visit::visit;

/// Visits the page that a message names.
pub(crate) async fn crawl(parts: &Arc<Parts>, delivery: &Delivery) -> Answer {
    let message = match CrawlMessage::parse(delivery) {
        Ok(message) => message,
        Err(poison) => return poison.into(),
    };
    Span::current().record("page.url", field::display(&message.url));
    let site = match site_of(parts, &message, delivery).await {
        Ok(site) => site,
        Err(answer) => return answer,
    };
    Span::current().record("site", field::display(site.id()));
    let session = match message.crawl {
        Some(crawl) => {
            Span::current().record("crawl.id", field::display(crawl));
            parts.sessions.of(parts, &site, crawl).await.map_err(|error| no_session(parts, error))
        }
        None => open(parts, &site, delivery.message_id.as_deref(), Some(&message.url)).await,
    };
    let session = match session {
        Ok(session) => session,
        Err(answer) => return answer,
    };
    if message.crawl.is_none() {
        Span::current().record("crawl.id", field::display(session.id()));
    }
    let key = session.key();
    let published = parts.windows.arrived(&key, &message.url, message.found.depth);
    let priority = session.step.planner().priority(&message.url, message.found.depth).max(published);
    let (site, crawl) = key.clone();
    let page = QueuedPage { site, crawl, url: message.url, found: message.found, priority };
    let answer = visit(parts, &session, page.clone()).await;
    match &answer {
        Answer::Done(Done::Kept) => parts.windows.take_back(page),
        Answer::Done(_) | Answer::Poison(_) => parts.windows.done(&key, &page.url),
        Answer::Later(_) | Answer::Denied(_) => {
            parts.windows.refused(&key, &page.url);
            return answer;
        }
    }
    if session.halted.is_cancelled() {
        parts.windows.forget(&key);
    } else if session.spent().is_some() {
        parts.windows.drop_kept(&key);
    } else {
        parts.windows.refill(&key).await;
    }
    answer
}
