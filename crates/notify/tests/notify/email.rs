//! E-mail over real SMTP conversations.

use mail_parser::{Message, MessageParser};
use recrawl_core::memory::MemoryStore;
use recrawl_notify::{Digest, deliver};

use crate::mail_server::{Fault, Mail, MailServer};
use crate::world::{digest, read, word};

const PASSWORD: &str = "open sesame";

fn table(server: &MailServer, more: &str) -> String {
    format!(
        "[mail]\nkind = 'email'\nhost = '127.0.0.1'\nport = {}\nfrom = 'Recrawl <watch@example.org>'\n\
         to = ['ann@example.org', 'Bob Ö <bob@example.org>']\n{more}",
        server.port()
    )
}

async fn told(server: &MailServer, digest: &Digest) -> String {
    let more = "encryption = 'none'\nuser = 'ann'\npassword-env = 'MAIL'\nquiet = true";
    let targets = read(&table(server, more), &[("MAIL", PASSWORD)]).unwrap();
    word(&deliver(&targets, digest, &MemoryStore::default()).await[0].outcome)
}

fn parsed(mail: &Mail) -> Message<'_> {
    MessageParser::default().parse(mail.data.as_bytes()).unwrap()
}

#[tokio::test]
async fn a_mail_says_the_same_as_text_and_as_html() {
    let server = MailServer::start([]).await;
    assert_eq!(told(&server, &digest()).await, "told 1");
    let [mail] = &server.mails()[..] else { panic!() };
    assert_eq!(mail.login.as_deref(), Some(format!(" ann {PASSWORD}").as_str()));
    assert!(mail.from.starts_with("MAIL FROM:<watch@example.org>"), "{}", mail.from);
    assert_eq!(mail.to, ["RCPT TO:<ann@example.org>", "RCPT TO:<bob@example.org>"]);
    let message = parsed(mail);
    assert_eq!(message.subject(), Some("example.org: 7 changes"));
    assert_eq!(message.from().unwrap().first().unwrap().address(), Some("watch@example.org"));
    assert_eq!(message.header_raw("Auto-Submitted").map(str::trim), Some("auto-generated"));
    assert_eq!((message.text_body_count(), message.html_body_count()), (1, 1));
    insta::assert_snapshot!("mail_text", message.body_text(0).unwrap().replace("\r\n", "\n"));
    insta::assert_snapshot!("mail_html", message.body_html(0).unwrap().replace("\r\n", "\n"));
}

#[tokio::test]
async fn titles_add_no_header_no_receiver_and_no_tag() {
    let server = MailServer::start([]).await;
    let hostile = Digest {
        suspicion: Some("x\r\nBcc: victim@example.com\r\n\r\nbody".to_owned()),
        partial: Some("y\r\nSubject: other".to_owned()),
        ..digest()
    };
    for digest in [&digest(), &hostile] {
        assert_eq!(told(&server, digest).await, "told 1");
    }
    for mail in &server.mails() {
        assert_eq!(mail.to.len(), 2);
        let message = parsed(mail);
        let mut names: Vec<&str> = message.headers().iter().map(mail_parser::Header::name).collect();
        names.sort_unstable();
        assert_eq!(
            names,
            ["Auto-Submitted", "Content-Type", "Date", "From", "MIME-Version", "Message-ID", "Subject", "To"]
        );
        let html = message.body_html(0).unwrap();
        for harm in ["<script", "<b>", "<!channel", "\u{1b}", "\u{202e}"] {
            assert!(!html.contains(harm), "{harm}: {html}");
        }
        assert!(!message.body_text(0).unwrap().contains(['\u{1b}', '\u{202e}', '\u{7}']));
        assert!(!message.body_text(0).unwrap().lines().any(|line| line.starts_with("Bcc")));
    }
}

#[tokio::test]
async fn a_mail_has_the_same_id_however_often_it_is_sent() {
    let server = MailServer::start([]).await;
    let next = Digest { crawl: digest().crawl.following(), ..digest() };
    for digest in [&digest(), &digest(), &next] {
        assert_eq!(told(&server, digest).await, "told 1");
    }
    let mails = server.mails();
    let ids: Vec<String> = mails.iter().map(|mail| parsed(mail).message_id().unwrap().to_owned()).collect();
    assert!(ids[0].ends_with("@example.org") && ids[0].len() == 64 + "@example.org".len(), "{}", ids[0]);
    assert_eq!(ids[0], ids[1]);
    assert_ne!(ids[0], ids[2]);
}

#[tokio::test]
async fn trouble_passes_and_refusals_do_not() {
    for (plan, expected, conversations) in [
        (vec![Fault::Later, Fault::Drop, Fault::Hang], "told 4", 4),
        (vec![Fault::NoSuchReceiver], "refused: permanent error (550): no such receiver", 1),
    ] {
        let server = MailServer::start(plan).await;
        assert_eq!(told(&server, &digest()).await, expected);
        assert_eq!(server.conversations(), conversations);
        assert_eq!(server.mails().len(), usize::from(expected.starts_with("told")));
    }
}

#[tokio::test]
async fn a_wrong_password_is_not_repeated_to_people() {
    let server = MailServer::start([Fault::RepeatsPassword; 5]).await;
    let outcome = told(&server, &digest()).await;
    assert!(outcome.contains("535") && !outcome.contains(PASSWORD), "{outcome}");
}

#[tokio::test]
async fn nothing_is_said_to_a_server_that_does_not_encrypt() {
    let server = MailServer::start([]).await;
    let targets =
        read(&table(&server, "user = 'ann'\npassword-env = 'MAIL'"), &[("MAIL", PASSWORD)]).unwrap();
    let outcome = deliver(&targets, &digest(), &MemoryStore::default()).await;
    assert!(word(&outcome[0].outcome).starts_with("refused"), "{:?}", outcome[0]);
    let commands = server.commands();
    assert!(!commands.iter().any(|command| command == "AUTH" || command == "MAIL"), "{commands:?}");
}

#[tokio::test]
async fn a_quiet_week_is_said_where_that_is_wanted() {
    let server = MailServer::start([]).await;
    let quiet = Digest { changes: Vec::new(), ..digest() };
    assert_eq!(told(&server, &quiet).await, "told 1");
    assert_eq!(parsed(&server.mails()[0]).subject(), Some("example.org: nothing changed"));
    let targets = read(&table(&server, "encryption = 'none'"), &[]).unwrap();
    assert_eq!(word(&deliver(&targets, &quiet, &MemoryStore::default()).await[0].outcome), "silent");
}
