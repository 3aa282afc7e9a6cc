use std::io;

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
        ("intranet", vec!["10.0.0.1", "127.0.0.1"]),
        ("nowhere.example", vec![]),
    ]))))
}

fn page(text: &str) -> PageUrl {
    UrlRules::keep_all_parameters().page(text, None).unwrap()
}

async fn admits(guard: &AddressGuard, text: &str) -> bool {
    let page = page(text);
    let url = page.to_url();
    if guard.admit(&page, &url).await.is_err() {
        return false;
    }
    match url.host() {
        Some(Host::Domain(name)) => guard.addresses(name).await.is_ok(),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) | None => true,
    }
}

#[tokio::test]
async fn a_public_site_leads_nowhere_inside() {
    let guard = AddressGuard::for_root(&page("https://public.example/")).with_lookup(names());
    for (text, admitted) in [
        ("https://public.example/", true),
        ("http://public.example:8080/", true),
        ("http://8.8.8.8/", true),
        ("http://[2606:4700::1111]/", true),
        ("http://mixed.example/", true),
        ("http://inside.example/", false),
        ("http://metadata.example/", false),
        ("http://intranet/", false),
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
async fn a_given_name_inside_is_admitted_at_its_port_only() {
    let guard = AddressGuard::for_root(&page("http://intranet:8000/")).with_lookup(names());
    for (text, admitted) in [
        // First, while it is not known where the name leads.
        ("http://intranet:22/", false),
        ("http://intranet:8000/", true),
        ("http://intranet/", false),
        ("http://10.0.0.1:8000/", false),
        ("http://inside.example:8000/", false),
    ] {
        assert_eq!(admits(&guard, text).await, admitted, "{text}");
    }
    assert_eq!(guard.addresses("intranet").await.unwrap(), ["10.0.0.1".parse::<IpAddr>().unwrap()]);
}

#[tokio::test]
async fn a_given_name_keeps_its_class() {
    let names = names();
    let guard = AddressGuard::for_root(&page("http://public.example/")).with_lookup(names.clone());
    assert!(admits(&guard, "http://public.example/").await);
    names.0.lock().unwrap().insert("public.example", vec!["127.0.0.1"]);
    assert!(!admits(&guard, "http://public.example/").await);
}

#[tokio::test]
async fn no_name_stands_for_the_metadata_of_a_cloud() {
    let guard = AddressGuard::for_root(&page("http://metadata.example/")).with_lookup(names());
    assert!(!admits(&guard, "http://metadata.example/").await);
}

#[tokio::test]
async fn forbidden_addresses_are_dropped_from_the_answer() {
    let guard = AddressGuard::public_only().with_lookup(names());
    let addresses = guard.addresses("mixed.example").await.unwrap();
    assert_eq!(addresses, ["8.8.8.8".parse::<IpAddr>().unwrap()]);
}

#[tokio::test]
async fn a_refusal_says_what_is_there() {
    let guard = AddressGuard::public_only().with_lookup(names());
    let refusal = guard.addresses("inside.example").await.unwrap_err().to_string();
    assert_eq!(refusal, "inside.example is this machine, and not where the site was said to be");
}
