//! Secrets appear nowhere: not in what is logged, printed or remembered.

use std::fmt::Write;

use recrawl_core::memory::MemoryStore;
use recrawl_notify::deliver;
use recrawl_testkit::log::Log;

use crate::mail_server::{self, MailServer};
use crate::receiver::{Fault, Receiver};
use crate::world::{digest, read};

#[tokio::test]
async fn secrets_appear_in_no_log_error_or_description() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    tracing::info!("the log works");
    let repeats = Fault::Says(500, "you sent SIGNWITHME to /T0PATHPART/B0PATHPART");
    let repeats_path = Fault::Says(500, "you sent this to /T0PATHPART/B0PATHPART");
    let mut shown = String::new();
    for (fault, of_chat) in [
        (repeats, repeats_path),
        (Fault::Status(404), Fault::Status(410)),
        (Fault::Hang, Fault::RetryAfter(429, "100")),
    ] {
        let receiver = Receiver::start([fault; 5]).await;
        let chat = Receiver::start([of_chat; 5]).await;
        let mail = MailServer::start([mail_server::Fault::RepeatsPassword; 5]).await;
        let table = format!(
            "[a]\nkind = 'webhook'\nurl-env = 'URL'\nsecret-env = 'SIGN'\n[b]\nkind = 'slack'\nurl-env = 'CHAT'\n\
             [c]\nkind = 'email'\nhost = 'localhost'\nport = {}\nencryption = 'none'\nuser = 'ann'\n\
             password-env = 'PASSWORD'\nfrom = 'a@b.example'\nto = ['c@d.example']\n\
             [d]\nkind = 'discord'\nurl-env = 'DEAD'",
            mail.port()
        );
        let [url, chat] = [receiver, chat].map(|receiver| receiver.url("/T0PATHPART/B0PATHPART"));
        let environment = [
            ("URL", url.as_str()),
            ("CHAT", chat.as_str()),
            ("DEAD", "http://127.0.0.1:1/T0PATHPART/B0PATHPART"),
            ("SIGN", "SIGNWITHME"),
            ("PASSWORD", "LETMEIN"),
        ];
        let targets = read(&table, &environment).unwrap();
        write!(shown, "{targets:?} {targets:#?} ").unwrap();
        for delivery in deliver(&targets, &digest(), &MemoryStore::default()).await {
            write!(shown, "{delivery} {delivery:?} ").unwrap();
        }
    }
    shown += &log.text();
    assert!(shown.contains("you sent [hidden] to /[hidden]/[hidden]"), "{shown}");
    assert!(shown.contains("wrong: ann [hidden] [hidden]") && shown.contains("the log works"), "{shown}");
    // The last one is the password in the code of `AUTH PLAIN`.
    for secret in ["SIGNWITHME", "T0PATHPART", "B0PATHPART", "LETMEIN", "AGFubgBMRVRNRUlO"] {
        assert!(!shown.contains(secret), "{secret}: {shown}");
    }
}
