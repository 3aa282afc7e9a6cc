//! A mail server that speaks enough SMTP, and fails on purpose.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// What goes wrong with one conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The sender is to come back later.
    Later,
    /// There is no such receiver.
    NoSuchReceiver,
    /// The password is wrong, and is repeated.
    RepeatsPassword,
    /// The connection breaks.
    Drop,
    /// Nobody answers.
    Hang,
}

/// A mail as it came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mail {
    pub(crate) login: Option<String>,
    pub(crate) from: String,
    pub(crate) to: Vec<String>,
    pub(crate) data: String,
}

#[derive(Debug, Default)]
struct Book {
    plan: VecDeque<Fault>,
    conversations: usize,
    commands: Vec<String>,
    mails: Vec<Mail>,
}

/// A mail server on a port of its own.
#[derive(Debug, Clone)]
pub(crate) struct MailServer {
    book: Arc<Mutex<Book>>,
    address: SocketAddr,
}

impl MailServer {
    pub(crate) async fn start(plan: impl IntoIterator<Item = Fault>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let book = Arc::new(Mutex::new(Book { plan: plan.into_iter().collect(), ..Book::default() }));
        let server = Self { book, address: listener.local_addr().unwrap() };
        let serving = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let server = serving.clone();
                tokio::spawn(async move { server.converse(stream).await });
            }
        });
        server
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn mails(&self) -> Vec<Mail> {
        self.book.lock().unwrap().mails.clone()
    }

    pub(crate) fn conversations(&self) -> usize {
        self.book.lock().unwrap().conversations
    }

    /// Returns the commands that came, without their arguments.
    pub(crate) fn commands(&self) -> Vec<String> {
        self.book.lock().unwrap().commands.clone()
    }

    fn begin(&self) -> Option<Fault> {
        let mut book = self.book.lock().unwrap();
        book.conversations += 1;
        book.plan.pop_front()
    }

    async fn converse(&self, stream: TcpStream) -> Option<()> {
        let fault = self.begin();
        if fault == Some(Fault::Drop) {
            return None;
        }
        if fault == Some(Fault::Hang) {
            tokio::time::sleep(Duration::from_secs(30)).await;
        }
        let mut stream = BufReader::new(stream);
        say(&mut stream, "220 localhost ESMTP").await?;
        let mut mail = Mail::default();
        loop {
            let line = hear(&mut stream).await?;
            let command = line.split([' ', ':']).next().unwrap_or_default().to_uppercase();
            self.book.lock().unwrap().commands.push(command.clone());
            match command.as_str() {
                "EHLO" => say(&mut stream, "250-localhost\r\n250-AUTH PLAIN\r\n250 8BITMIME").await?,
                "AUTH" => {
                    let code = line.strip_prefix("AUTH PLAIN ")?;
                    let bytes = STANDARD.decode(code).ok()?;
                    let login = String::from_utf8(bytes).ok()?.replace('\0', " ");
                    if fault == Some(Fault::RepeatsPassword) {
                        say(&mut stream, &format!("535 wrong:{login} {code}")).await?;
                        continue;
                    }
                    mail.login = Some(login);
                    say(&mut stream, "235 welcome").await?;
                }
                "MAIL" if fault == Some(Fault::Later) => say(&mut stream, "451 come back later").await?,
                "RCPT" if fault == Some(Fault::NoSuchReceiver) => {
                    say(&mut stream, "550 no such receiver").await?;
                }
                "MAIL" => {
                    mail.from = line;
                    say(&mut stream, "250 ok").await?;
                }
                "RCPT" => {
                    mail.to.push(line);
                    say(&mut stream, "250 ok").await?;
                }
                "DATA" => {
                    say(&mut stream, "354 go on").await?;
                    mail.data = data(&mut stream).await?;
                    self.book.lock().unwrap().mails.push(mail.clone());
                    say(&mut stream, "250 taken").await?;
                }
                "QUIT" => {
                    say(&mut stream, "221 bye").await?;
                    return Some(());
                }
                _ => say(&mut stream, "502 what?").await?,
            }
        }
    }
}

async fn data(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut data = String::new();
    loop {
        let line = hear(stream).await?;
        if line == "." {
            return Some(data);
        }
        data.push_str(line.strip_prefix('.').unwrap_or(&line));
        data.push_str("\r\n");
    }
}

async fn say(stream: &mut BufReader<TcpStream>, text: &str) -> Option<()> {
    stream.write_all(format!("{text}\r\n").as_bytes()).await.ok()
}

async fn hear(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    let length = stream.read_line(&mut line).await.ok()?;
    (length > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
}
