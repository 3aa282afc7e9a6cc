//! `recrawl certificate`: by which certificate a capsule is known.

use std::io::Write;

use recrawl_core::decide::certificate::Certificate;
use recrawl_core::ports::StateKey;
use recrawl_core::url::{HostKey, PageUrl, UrlRules};
use recrawl_stores::{Access, open};

use crate::exit::{ExitStatus, usage};
use crate::output;
use crate::read::source::StoreArguments;
use crate::read::wait_for;

/// Show by which certificate a Gemini capsule is known, or forget it
///
/// The first crawl of a capsule pins its certificate. Until that expires, no other is believed, and no page of the capsule is
/// asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct CertificateArguments {
    /// The capsule, by its address or as HOST:PORT
    #[arg(value_name = "CAPSULE", value_parser = capsule)]
    host: HostKey,

    /// Forget the certificate: the next crawl pins the one that it meets
    #[arg(long)]
    forget: bool,

    #[command(flatten)]
    store: StoreArguments,
}

/// Reads the address of a capsule, or its host with or without a port.
fn capsule(text: &str) -> Result<HostKey, String> {
    let address = if text.contains("://") { text.to_owned() } else { format!("gemini://{text}/") };
    let page = UrlRules::keep_all_parameters().page(&address, None).map_err(|error| error.to_string())?;
    if page.is_gemini() { Ok(PageUrl::host_key(&page)) } else { Err("not a gemini URL".to_owned()) }
}

impl CertificateArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        self.store.store.expect_existing()?;
        wait_for(async {
            let access = if self.forget { Access::Write } else { Access::Read };
            let store = open(&self.store.store, access).await?;
            let (host, key) = (&self.host, StateKey::pinned_certificate(&self.host));
            let Some(entry) = store.ports().state(&key).await? else {
                return Err(usage(format!(
                    "no certificate of {host} is known: crawl gemini://{host}/ first"
                )));
            };
            if self.forget {
                store.ports().delete_state(&key).await?;
                output::note(&format!(
                    "The certificate of {host} is forgotten; the next crawl pins the one it meets."
                ))?;
                return Ok(ExitStatus::Success);
            }
            let mut out = output::styled();
            writeln!(out, "{host}, pinned {}", entry.saved_at.strftime("%Y-%m-%d"))?;
            if let Some(certificate) = Certificate::from_entry(&entry) {
                writeln!(out, "  SHA-256  {}", certificate.fingerprint)?;
                writeln!(out, "  key      {}", certificate.key)?;
                writeln!(out, "  expires  {}", certificate.expires.strftime("%Y-%m-%d"))?;
            }
            out.flush()?;
            Ok(ExitStatus::Success)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capsule_is_named_by_its_address_or_its_host() {
        for text in ["gemini://A.example/x", "a.example", "a.example:1965", "gemini://a.example:1965"] {
            assert_eq!(capsule(text).unwrap().as_str(), "a.example:1965", "{text}");
        }
        assert!(capsule("https://a.example/").is_err() && capsule("").is_err());
    }
}
