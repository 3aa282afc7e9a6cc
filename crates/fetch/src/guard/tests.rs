use std::collections::HashMap;
use std::io;
use std::sync::Mutex;

use async_trait::async_trait;
use recrawl_core::url::UrlRules;

use super::*;

/// Knows a few names, each with its addresses.
struct Names(Mutex<HashMap<&'static str, Vec<&'static str>>>);

#[async_trait]
impl Lookup for Names {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let names = self.0.lock().unwrap();
        let addresses = names.get(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(addresses.iter().map(|address| address.parse().unwrap()).collect())
    }
}

fn names() -> Arc<Names> {
    Arc::new(Names(Mutex::new(HashMap::from([
        ("public.example", vec!["8.8.8.8", "2606:4700::1111"]),
        ("mixed.example", vec!["10.0.0.1", "8.8.8.8", "::1"]),
        ("inside.example", vec!["127.0.0.1"]),
        ("metadata.example", vec!["169.254.169.254"]),
        ("mapped.example", vec!["::ffff:168.63.129.16"]),
        ("half-metadata.example", vec!["fd00:ec2::254", "10.0.0.1"]),
        ("intranet", vec!["10.0.0.1", "127.0.0.1"]),
        ("localhost", vec!["::1", "127.0.0.1"]),
        ("app.localhost", vec!["127.0.0.1"]),
        ("printer.local", vec!["192.168.0.9"]),
        ("nowhere.example", vec![]),
    ]))))
}

fn page(text: &str) -> PageUrl {
    UrlRules::keep_all_parameters().page(text, None).unwrap()
}

fn given(text: &str) -> AddressGuard {
    AddressGuard::for_root(&page(text)).with_lookup(names())
}

async fn admits(guard: &AddressGuard, text: &str) -> bool {
    guard.check(&page(text)).await.is_ok()
}

async fn refusal(guard: &AddressGuard, text: &str) -> String {
    guard.check(&page(text)).await.unwrap_err().to_string()
}

#[tokio::test]
async fn a_public_site_leads_nowhere_inside() {
    let guard = given("https://public.example/");
    for (text, admitted) in [
        ("https://public.example/", true),
        ("http://public.example:8080/", true),
        ("http://8.8.8.8/", true),
        ("http://[2606:4700::1111]/", true),
        ("http://mixed.example/", true),
        ("http://inside.example/", false),
        ("http://metadata.example/", false),
        ("http://intranet/", false),
        ("http://localhost/", false),
        ("http://printer.local/", false),
        ("http://nowhere.example/", false),
        ("http://unknown.example/", false),
        ("http://127.0.0.1/", false),
        ("http://2130706433/", false),
        ("http://0x7f.1/", false),
        ("http://0177.0.0.1/", false),
        ("http://127.1/", false),
        ("http://[::1]/", false),
        ("http://[::ffff:127.0.0.1]/", false),
        ("http://[::ffff:8.8.8.8]/", false),
        ("http://[64:ff9b::127.0.0.1]/", false),
        ("http://169.254.169.254/computeMetadata/v1/", false),
        ("http://168.63.129.16/", false),
        ("http://10.0.0.1/", false),
        ("http://0.0.0.0/", false),
    ] {
        assert_eq!(admits(&guard, text).await, admitted, "{text}");
    }
}

#[tokio::test]
async fn a_given_address_is_admitted_at_its_port_only() {
    let guard = AddressGuard::for_root(&page("http://127.0.0.1:8000/")).and(&page("http://[::1]/"));
    for (text, admitted) in [
        ("http://127.0.0.1:8000/x", true),
        ("http://0x7f.1:8000/", true),
        ("https://127.0.0.1:8000/", true),
        ("http://[::1]/", true),
        ("http://127.0.0.1/", false),
        ("http://127.0.0.1:22/", false),
        ("http://127.0.0.2:8000/", false),
        ("http://[::1]:8000/", false),
        ("http://10.0.0.1/", false),
    ] {
        assert_eq!(admits(&guard, text).await, admitted, "{text}");
    }
}

#[tokio::test]
async fn a_name_may_be_inside_if_it_is_written_so_or_private_addresses_are_allowed() {
    for (root, without, with) in [
        ("http://localhost:8000/", true, true),
        ("http://app.localhost/", true, true),
        ("http://printer.local/", true, true),
        ("http://intranet/", false, true),
        ("http://inside.example/", false, true),
        ("http://public.example/", true, true),
        ("http://mixed.example/", true, true),
        ("http://metadata.example/", false, false),
        ("http://mapped.example/", false, false),
        ("http://half-metadata.example/", false, true),
        ("http://nowhere.example/", false, false),
    ] {
        let found =
            (admits(&given(root), root).await, admits(&given(root).allowing_private(true), root).await);
        assert_eq!(found, (without, with), "{root}");
    }
}

#[tokio::test]
async fn a_given_name_inside_is_admitted_at_its_port_only() {
    let guard = given("http://intranet:8000/").allowing_private(true);
    for (text, admitted) in [
        ("http://intranet:22/", false),
        ("http://intranet:8000/", true),
        ("http://intranet/", false),
        ("http://10.0.0.1:8000/", false),
        ("http://inside.example:8000/", false),
    ] {
        assert_eq!(admits(&guard, text).await, admitted, "{text}");
    }
}

#[tokio::test]
async fn of_a_name_with_public_and_private_addresses_only_the_public_ones_are_used() {
    let public: IpAddr = "8.8.8.8".parse().unwrap();
    let guard = given("http://mixed.example/").allowing_private(true);
    for reach in [Reach::Public, Reach::Inside] {
        assert_eq!(guard.addresses("mixed.example", reach).await.unwrap(), [public]);
    }
    let private: IpAddr = "10.0.0.1".parse().unwrap();
    assert_eq!(guard.addresses("half-metadata.example", Reach::Inside).await.unwrap(), [private]);
}

#[tokio::test]
async fn the_metadata_of_a_cloud_is_refused_as_a_root_in_every_form() {
    for root in [
        "http://169.254.169.254/",
        "http://2852039166/",
        "http://0xa9.0xfe.0xa9.0xfe/",
        "http://168.63.129.16/",
        "http://100.100.100.200/",
        "http://[fd00:ec2::254]/",
        "http://[::ffff:169.254.169.254]/",
        "http://[::169.254.169.254]/",
        "http://[64:ff9b::169.254.169.254]/",
        "http://[2002:a9fe:a9fe::]/",
        "http://metadata.example/",
        "http://mapped.example/",
    ] {
        let refusal = refusal(&given(root).allowing_private(true), root).await;
        assert!(refusal.ends_with("it is never visited"), "{root}: {refusal}");
    }
}

#[tokio::test]
async fn a_name_that_moves_inside_is_refused_within_a_run_and_in_the_next() {
    let names = names();
    let root = "http://public.example/";
    let guard = AddressGuard::for_root(&page(root)).with_lookup(names.clone());
    assert!(admits(&guard, root).await);
    names.0.lock().unwrap().insert("public.example", vec!["127.0.0.1"]);
    let next = AddressGuard::for_root(&page(root)).with_lookup(names);
    for guard in [guard, next] {
        assert_eq!(
            refusal(&guard, root).await,
            "public.example now leads to 127.0.0.1, an address inside this network; it was not visited. \
             If that is meant, set allow-private = true"
        );
    }
}
