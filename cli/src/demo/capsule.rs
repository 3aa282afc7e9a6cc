//! The sample capsule of `recrawl demo --gemini`: a small town's pages, in a first and in a second week.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// The longest request, with what ends it.
const LONGEST: usize = 1024 + 2;

/// The capsule, being served on a port of its own.
pub(super) struct DemoCapsule {
    pub(super) root: String,
    week: Arc<AtomicU32>,
}

impl DemoCapsule {
    /// Serves the first week on a free port, until the process ends.
    pub(super) async fn serve() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let root = format!("gemini://{}/", listener.local_addr()?);
        let week = Arc::new(AtomicU32::new(1));
        let (tls, served) = (TlsAcceptor::from(Arc::new(identity()?)), week.clone());
        tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { continue };
                // Whoever breaks off misses the rest.
                tokio::spawn(answer(stream, tls.clone(), served.load(Ordering::Relaxed)));
            }
        });
        Ok(Self { root, week })
    }

    /// Goes on to the second week.
    pub(super) fn change(&self) {
        self.week.store(2, Ordering::Relaxed);
    }
}

/// Makes a certificate that signs itself, as capsules have.
fn identity() -> anyhow::Result<ServerConfig> {
    let key = rcgen::KeyPair::generate()?;
    let certificate = rcgen::CertificateParams::new(vec!["localhost".to_owned()])?.self_signed(&key)?;
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)?;
    Ok(config)
}

async fn answer(stream: TcpStream, tls: TlsAcceptor, week: u32) -> io::Result<()> {
    let mut stream = tls.accept(stream).await?;
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n") && request.len() < LONGEST {
        if stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    let line = String::from_utf8_lossy(&request);
    let path = line.trim_end().splitn(4, '/').nth(3).unwrap_or_default();
    stream.write_all(page(path, week == 2).as_bytes()).await?;
    stream.shutdown().await
}

/// Returns the answer for a path, which has lost its first slash.
fn page(path: &str, second: bool) -> String {
    let gemtext = |text: &str| format!("20 text/gemini; lang=en\r\n{text}");
    match (path, second) {
        ("", false) => gemtext(HOME),
        ("", true) => gemtext(&HOME.replace("=> /fair", "=> /bike-lane A new bike lane\n=> /fair")),
        ("bridge", false) => gemtext(BRIDGE),
        ("bridge", true) => {
            gemtext(&BRIDGE.replace("reopen on 12 March", "reopen on 30 April, seven weeks late"))
        }
        ("parking", false) => gemtext("# Parking\nParking in the centre costs two coins an hour.\n"),
        ("parking", true) => "31 /streets\r\n".to_owned(),
        ("fair", false) => gemtext("# Harvest fair\nThe harvest fair is on Saturday, behind the mill.\n"),
        ("bike-lane", true) => {
            gemtext("# A new bike lane\nMain Street has a bike lane now, from the mill to the school.\n")
        }
        ("streets", _) => gemtext("# Streets\n* Main Street\n* Mill Lane\n* Tanner Street\n"),
        ("search", _) => "10 What are you looking for?\r\n".to_owned(),
        ("council", _) => "60 For members of the council\r\n".to_owned(),
        ("robots.txt", _) => "20 text/plain\r\nUser-agent: archiver\nDisallow: /private/\n".to_owned(),
        _ => "51 There is no such page\r\n".to_owned(),
    }
}

const HOME: &str = "# Willow Bend\nWelcome to Willow Bend, population 4,210.\n\n\
    => /bridge Mill Bridge repairs\n=> /parking Parking\n=> /fair Harvest fair\n=> /streets Streets\n\
    => /search Search\n=> /council Council only\n=> /private/notes Private notes\n\n\
    ```The mill, drawn with letters\n   __\n  /  \\__\n=>|  |__| no link\n```\n";
const BRIDGE: &str = "# Mill Bridge repairs\nThe bridge is closed for repairs.\n\
    It is expected to reopen on 12 March.\nUse the ford at Tanner Street meanwhile.\n=> / Home\n";

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn the_second_week_differs_where_the_demo_says_so() {
        for (path, differs) in
            [("", true), ("bridge", true), ("parking", true), ("fair", true), ("streets", false)]
        {
            assert_eq!(page(path, false) != page(path, true), differs, "{path}");
        }
        assert!(page("fair", true).starts_with("51 ") && page("bike-lane", false).starts_with("51 "));
    }
}
