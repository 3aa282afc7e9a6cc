//! Sitemaps that unfold, go round in circles, hang, or name thousands of others.

use std::fmt::Write as _;
use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use super::bombs::gzip_repeated;
use super::{Ask, Case};
use crate::listener::{Connection, Then};

pub(super) const CASES: &[Case] = &[
    Case::new("sitemap-bomb", "a sitemap of 1 MB that unfolds to 1 GB", |ask, connection| {
        static BOMB: OnceLock<Vec<u8>> = OnceLock::new();
        let bomb = || BOMB.get_or_init(|| gzip_repeated(b" ", 10 << 20).repeat(100));
        one_sitemap(ask, connection, "/sitemap.xml.gz", |connection| {
            connection.respond("200 OK", &["Content-Type: application/gzip"], bomb())
        })
    })
    .everywhere()
    .ends(&[0])
    .seconds(20.0, 8.0)
    .heavy(),
    Case::new(
        "sitemap-circle",
        "a sitemap that names itself, and another that names it",
        |ask, connection| match ask.path {
            "/sitemap.xml" | "/other.xml" => index(connection, ask, &["/sitemap.xml", "/other.xml"]),
            _ => named(ask, connection, "/sitemap.xml"),
        },
    )
    .everywhere()
    .ends(&[0]),
    Case::new("sitemap-chain", "sitemaps that name ever new ones", |ask, connection| {
        if ask.path.starts_with("/sitemap") {
            let next = format!("/sitemap-{}.xml", ask.request.number);
            return index(connection, ask, &[&next]);
        }
        named(ask, connection, "/sitemap.xml")
    })
    .everywhere()
    .ends(&[0])
    .requests(1_100)
    .seconds(40.0, 10.0),
    Case::new("sitemap-12000", "12,000 sitemaps in robots.txt", |ask, connection| {
        many(ask, connection, 12_000, ask.origin)
    })
    .everywhere()
    .ends(&[0])
    .requests(1_100)
    .seconds(40.0, 10.0),
    Case::new("sitemap-strangers", "3,000 sitemaps of somebody else in robots.txt", |ask, connection| {
        many(ask, connection, 3_000, ask.stranger)
    })
    .everywhere()
    .ends(&[0])
    .stranger(15)
    .seconds(40.0, 10.0),
    Case::new("sitemap-hang", "a sitemap that never comes", |ask, connection| {
        one_sitemap(ask, connection, "/sitemap.xml", |connection| {
            connection.wait(Duration::from_mins(2))?;
            Ok(Then::Close)
        })
    })
    .everywhere()
    .ends(&[0])
    .seconds(30.0, 2.0),
    Case::new("sitemap-broken", "a sitemap that breaks off", |ask, connection| {
        one_sitemap(ask, connection, "/sitemap.xml", |connection| {
            xml(connection, "<urlset><url><loc>http://127.0.0.1/</lo<<<&&& ]]> \0")
        })
    })
    .everywhere()
    .ends(&[0]),
    Case::new("sitemap-500", "a sitemap in trouble", |ask, connection| {
        one_sitemap(ask, connection, "/sitemap.xml", |connection| {
            connection.respond("503 Service Unavailable", &[], b"")
        })
    })
    .everywhere()
    .ends(&[0])
    .seconds(30.0, 2.0),
    Case::new("sitemap-laughs", "a sitemap of a billion laughs", |ask, connection| {
        one_sitemap(ask, connection, "/sitemap.xml", |connection| {
            let mut text = "<?xml version=\"1.0\"?><!DOCTYPE urlset [<!ENTITY a0 \"/laugh\">".to_owned();
            for number in 1..12 {
                let _ = write!(text, "<!ENTITY a{number} \"{}\">", format!("&a{};", number - 1).repeat(10));
            }
            xml(connection, &(text + "]><urlset><url><loc>&a11;</loc></url></urlset>"))
        })
    })
    .everywhere()
    .ends(&[0]),
    Case::new("sitemap-deep", "a sitemap of 200,000 nested elements", |ask, connection| {
        one_sitemap(ask, connection, "/sitemap.xml", |connection| xml(connection, &"<url>".repeat(200_000)))
    })
    .everywhere()
    .ends(&[0])
    .seconds(20.0, 6.0),
    Case::new("sitemap-long", "an address of 5 MB in a sitemap", |ask, connection| {
        one_sitemap(ask, connection, "/sitemap.xml", |connection| {
            let text =
                format!("<urlset><url><loc>http://127.0.0.1/{}</loc></url></urlset>", "x".repeat(5 << 20));
            xml(connection, &text)
        })
    })
    .everywhere()
    .ends(&[0])
    .seconds(20.0, 6.0),
    Case::new("sitemap-wide", "a sitemap of 100,000 pages that are not there", |ask, connection| {
        let origin = ask.origin;
        one_sitemap(ask, connection, "/sitemap.xml", |connection| {
            let places = (0..100_000).map(|number| format!("<url><loc>{origin}/none-{number}</loc></url>"));
            xml(connection, &format!("<urlset>{}</urlset>", places.collect::<String>()))
        })
    })
    .everywhere()
    .flags(&["--max-time", "8s"])
    .hopeless(&[0, 3, 4])
    .requests(100_000)
    .seconds(13.0, 25.0)
    .heavy(),
    Case::new("sitemap-inside", "a sitemap that names pages of other machines", |ask, connection| {
        let stranger = ask.stranger;
        one_sitemap(ask, connection, "/sitemap.xml", |connection| {
            let places = [stranger, "http://169.254.169.254", "http://10.0.0.5", "file:///etc", "gopher://x"];
            let places = places.map(|place| format!("<url><loc>{place}/page</loc></url>"));
            xml(connection, &format!("<urlset>{}</urlset>", places.concat()))
        })
    })
    .everywhere()
    .ends(&[0]),
];

fn robots(connection: &mut Connection, text: &str) -> io::Result<Option<Then>> {
    connection.respond("200 OK", &["Content-Type: text/plain"], text.as_bytes()).map(Some)
}

fn named(ask: &Ask<'_>, connection: &mut Connection, sitemap: &str) -> io::Result<Option<Then>> {
    if ask.path != "/robots.txt" {
        return Ok(None);
    }
    robots(connection, &format!("User-agent: *\nDisallow: /bad\nSitemap: {}{sitemap}\n", ask.origin))
}

fn one_sitemap(
    ask: &Ask<'_>,
    connection: &mut Connection,
    path: &str,
    answer: impl FnOnce(&mut Connection) -> io::Result<Then>,
) -> io::Result<Option<Then>> {
    if ask.path == path { answer(connection).map(Some) } else { named(ask, connection, path) }
}

fn many(ask: &Ask<'_>, connection: &mut Connection, count: usize, origin: &str) -> io::Result<Option<Then>> {
    if ask.path == "/robots.txt" {
        let mut text = "User-agent: *\nDisallow: /bad\n".to_owned();
        for number in 0..count {
            let _ = writeln!(text, "Sitemap: {origin}/map-{number}.xml");
        }
        return robots(connection, &text);
    }
    if ask.path.starts_with("/map-") {
        return xml(connection, "<urlset></urlset>").map(Some);
    }
    Ok(None)
}

fn index(connection: &mut Connection, ask: &Ask<'_>, paths: &[&str]) -> io::Result<Option<Then>> {
    let places = paths.iter().map(|path| format!("<sitemap><loc>{}{path}</loc></sitemap>", ask.origin));
    xml(connection, &format!("<sitemapindex>{}</sitemapindex>", places.collect::<String>())).map(Some)
}

fn xml(connection: &mut Connection, text: &str) -> io::Result<Then> {
    connection.respond("200 OK", &["Content-Type: application/xml"], text.as_bytes())
}
