//! Each target is told once a crawl, whatever happens to others.

use recrawl_core::memory::MemoryStore;
use recrawl_core::ports::{StateKey, StateStore};
use recrawl_notify::{Digest, deliver};
use recrawl_testkit::faulty_store::FaultyStore;

use crate::receiver::{Fault, Receiver};
use crate::world::{digest, read, time, word};

fn hooks(receiver: &Receiver, names: &[&str]) -> String {
    let table = |name: &&str| format!("[{name}]\nkind = 'webhook'\nurl = '{}'\n", receiver.url("/"));
    names.iter().map(table).collect()
}

fn told(target: &str, digest: &Digest) -> StateKey {
    StateKey::notified(target, &digest.site, digest.crawl)
}

async fn words(table: &str, digest: &Digest, state_store: &dyn StateStore) -> Vec<String> {
    let deliveries = deliver(&read(table, &[]).unwrap(), digest, state_store).await;
    deliveries.iter().map(|delivery| word(&delivery.outcome)).collect()
}

#[tokio::test]
async fn a_repeated_call_tells_nothing_again() {
    let (receiver, state_store) = (Receiver::start([]).await, MemoryStore::default());
    let table = hooks(&receiver, &["one", "two"]);
    assert_eq!(words(&table, &digest(), &state_store).await, ["told 1", "told 1"]);
    assert_eq!(words(&table, &digest(), &state_store).await, ["already", "already"]);
    let next = Digest { crawl: digest().crawl.following(), ..digest() };
    assert_eq!(words(&table, &next, &state_store).await, ["told 1", "told 1"]);
    let mut keys: Vec<String> =
        receiver.received().iter().map(|request| request.header("idempotency-key").to_owned()).collect();
    assert_eq!(keys.len(), 4);
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 4, "a key a target and crawl");
    assert!(state_store.state(&told("one", &digest())).await.unwrap().is_some());
}

#[tokio::test]
async fn a_target_that_fails_hurts_no_other_and_is_tried_by_the_next_call() {
    let (receiver, state_store) = (Receiver::start([Fault::Status(403)]).await, MemoryStore::default());
    let folder = tempfile::tempdir().unwrap();
    let table = format!(
        "{}[b]\nkind = 'webhook'\nurl = 'http://127.0.0.1:1/'\n[c]\nkind = 'markdown'\npath = '{}/d.md'\n",
        hooks(&receiver, &["a"]),
        folder.path().display()
    );
    let [a, b, c] = &words(&table, &digest(), &state_store).await[..] else { panic!() };
    assert_eq!((a.as_str(), c.as_str()), ("refused: it answers 403", "told 1"));
    assert!(b.starts_with("given up after 5 attempts: it cannot be reached"), "{b}");
    let again = words(&table, &digest(), &state_store).await;
    assert_eq!((again[0].as_str(), again[2].as_str()), ("told 1", "already"));
}

#[tokio::test]
async fn a_server_can_deliver_beside_its_other_work() {
    let (receiver, digest) = (Receiver::start([]).await, digest());
    let targets = read(&hooks(&receiver, &["a"]), &[]).unwrap();
    let delivering = async move { deliver(&targets, &digest, &MemoryStore::default()).await };
    assert_eq!(word(&tokio::spawn(delivering).await.unwrap()[0].outcome), "told 1");
}

#[tokio::test]
async fn a_warning_comes_once_and_the_findings_when_somebody_accepts_them() {
    let (receiver, state_store) = (Receiver::start([]).await, MemoryStore::default());
    let table = hooks(&receiver, &["a"]);
    let doubted = Digest { suspicion: Some("half has gone".to_owned()), ..digest() };
    let mut all = Vec::new();
    for digest in [&doubted, &doubted, &digest(), &digest(), &doubted] {
        all.extend(words(&table, digest, &state_store).await);
    }
    assert_eq!(all, ["told 1", "already", "told 1", "already", "already"]);
    let [warning, findings] = &receiver.received()[..] else { panic!() };
    assert_ne!(warning.header("idempotency-key"), findings.header("idempotency-key"));
    assert!(warning.body.contains("half has gone") && !warning.body.contains("alert(1)"), "{}", warning.body);
    assert!(findings.body.contains("alert(1)"));
}

#[tokio::test]
async fn a_test_is_told_each_time_and_not_remembered() {
    let (receiver, state_store) = (Receiver::start([]).await, MemoryStore::default());
    let table = hooks(&receiver, &["a"]) + "min-changes = 1000\nsites = ['elsewhere']\n";
    let test = Digest::made_up(time());
    assert_eq!(words(&table, &test, &state_store).await, ["told 1"]);
    assert_eq!(words(&table, &test, &state_store).await, ["told 1"]);
    assert_eq!(state_store.state(&told("a", &test)).await.unwrap(), None);
    assert!(receiver.received()[0].body.contains(r#""stage":"test""#));
}

#[tokio::test]
async fn without_memory_nobody_is_told_and_a_note_that_is_lost_is_said() {
    let receiver = Receiver::start([]).await;
    let table = hooks(&receiver, &["a"]);
    let store: FaultyStore<MemoryStore> = FaultyStore::default();
    store.fail_every("state");
    assert_eq!(words(&table, &digest(), &store).await, ["it is not known whether it was told before"]);
    assert_eq!(receiver.received().len(), 0);
    store.fail_every("save_state");
    assert_eq!(words(&table, &digest(), &store).await, ["unremembered"]);
    assert_eq!(receiver.received().len(), 1);
}

#[tokio::test]
async fn settings_that_make_no_target_are_all_named_at_once() {
    let table = "
        [a]\nkind = 'slack'\nurl-env = 'NOT_SET'
        [b]\nkind = 'slack'\nurl-env = 'CLEAR'
        [c]\nkind = 'webhook'
        [d]\nkind = 'email'\nhost = 'mail.example.org'\nencryption = 'none'\nfrom = 'a@b.example'\nto = ['c@d.example']
        [e]\nkind = 'email'\nhost = 'localhost'\nuser = 'x'\nfrom = 'a@b.example'\nto = ['c@d.example']
        [f]\nkind = 'email'\nhost = 'localhost'\nfrom = 'a@b.example'\nto = [\"c@d.example\\nBcc: x@y.example\"]
        [g]\nkind = 'markdown'\npath = '{other}.md'
        [h]\nkind = 'markdown'\npath = 'x.md'\nkinds = ['touched']
        ['I j']\nkind = 'markdown'\npath = 'x.md'";
    let environment = [("CLEAR", "http://hooks.example.org/services/T0SECRET")];
    insta::assert_snapshot!(read(table, &environment).unwrap_err());
}
