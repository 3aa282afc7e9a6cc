//! E-mail by SMTP.

use std::fmt;
use std::time::SystemTime;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lettre::message::header::{Header, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use recrawl_core::ports::Source;

use super::SendError;
use crate::format::mail;
use crate::notification::{Notification, NotificationId};
use crate::retry::{Reply, RetryLimits, persist};
use crate::settings::Encryption;
use crate::text::{plain, shortened};
use recrawl_core::secret::Secret;

/// A mail server, and who writes to whom.
pub(crate) struct Email {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    host: String,
    secrets: Vec<Secret>,
    from: Mailbox,
    to: Vec<Mailbox>,
}

/// Where a mail server is and who we are there.
pub(crate) struct Server<'a> {
    pub(crate) host: &'a str,
    pub(crate) port: Option<u16>,
    pub(crate) encryption: Encryption,
    pub(crate) login: Option<(String, Secret)>,
}

impl Email {
    pub(crate) fn new(
        server: &Server<'_>,
        from: Mailbox,
        to: Vec<Mailbox>,
        patience: &RetryLimits,
    ) -> Result<Self, Source> {
        let encrypted = || TlsParameters::new(server.host.to_owned());
        let (tls, usual_port) = match server.encryption {
            Encryption::Starttls => (Tls::Required(encrypted()?), 587),
            Encryption::Tls => (Tls::Wrapper(encrypted()?), 465),
            Encryption::None => (Tls::None, 25),
        };
        // What it calls dangerous is that it does not choose the encryption.
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(server.host)
            .port(server.port.unwrap_or(usual_port))
            .tls(tls)
            .timeout(Some(patience.time_out));
        if let Some((user, password)) = &server.login {
            builder = builder.credentials(Credentials::new(user.clone(), password.expose().to_owned()));
        }
        let secrets =
            server.login.as_ref().map_or_else(Vec::new, |(user, password)| spellings(user, password));
        Ok(Self { transport: builder.build(), host: server.host.to_owned(), secrets, from, to })
    }

    /// Sends the notification; returns after how many attempts it was taken.
    pub(crate) async fn send(
        &self,
        notification: &Notification<'_>,
        id: NotificationId,
        patience: &RetryLimits,
    ) -> Result<u32, SendError> {
        let message = self.message(notification, id);
        let message =
            message.map_err(|error| SendError::Refused(format!("no mail can be made of it ({error})")))?;
        persist(patience, || self.attempt(&message, patience)).await
    }

    fn message(
        &self,
        notification: &Notification<'_>,
        id: NotificationId,
    ) -> Result<Message, lettre::error::Error> {
        let mut builder = Message::builder()
            .from(self.from.clone())
            .subject(shortened(&plain(&notification.headline()), 200))
            .date(SystemTime::now())
            .message_id(Some(format!("<{id}@{}>", self.from.email.domain())))
            .header(AutoSubmitted);
        for receiver in &self.to {
            builder = builder.to(receiver.clone());
        }
        builder.multipart(MultiPart::alternative_plain_html(
            mail::write_text(notification),
            mail::write_html(notification),
        ))
    }

    async fn attempt(&self, message: &Message, patience: &RetryLimits) -> Reply {
        // The time-out of the transport is one for each command.
        let sent = tokio::time::timeout(patience.time_out, self.transport.send(message.clone())).await;
        let trouble = |what: String| Reply::Trouble { what, wait: None };
        match sent {
            Err(_) => trouble("no answer in time".to_owned()),
            Ok(Ok(_)) => Reply::Accepted,
            Ok(Err(error)) => {
                let what = self.hidden(&error.to_string());
                let is_hopeless = error.is_permanent() || error.is_client() || error.is_tls();
                if is_hopeless { Reply::Refused(what) } else { trouble(what) }
            }
        }
    }

    /// Takes what is secret out of what is told to people.
    fn hidden(&self, text: &str) -> String {
        let text = self.secrets.iter().fold(text.to_owned(), |text, secret| secret.hide_in(&text));
        shortened(&plain(&text), 200)
    }
}

/// Returns the password as it can stand in a conversation: as it is, and as `AUTH LOGIN` and `AUTH PLAIN` send it.
fn spellings(user: &str, password: &Secret) -> Vec<Secret> {
    let password = password.expose();
    let plain = STANDARD.encode(format!("\0{user}\0{password}"));
    [password.to_owned(), STANDARD.encode(password), plain].map(Secret::new).into()
}

impl fmt::Debug for Email {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Email")
            .field("host", &self.host)
            .field("to", &self.to)
            .finish_non_exhaustive()
    }
}

/// Says that no person wrote the mail, so that no machine answers it (RFC 3834).
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}
