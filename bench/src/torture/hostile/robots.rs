//! robots.txt that is endless, broken, or says one thing until it is cut.

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use super::{Ask, Case, flood, html, pieces};
use crate::listener::{Connection, Then};

pub(super) const CASES: &[Case] = &[
    Case::new("robots-endless", "a robots.txt without end", |ask, connection| {
        if ask.path != "/robots.txt" {
            return Ok(None);
        }
        connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n")?;
        connection.send("User-agent: *\nDisallow: /bad\n")?;
        flood(connection, &b"Disallow: /more-and-more-of-it\n".repeat(1_000))
    })
    .everywhere()
    .seconds(20.0, 6.0),
    Case::new("robots-circle", "a robots.txt that redirects to itself", |ask, connection| {
        let robots = ask.path == "/robots.txt";
        if !robots {
            return Ok(None);
        }
        connection.respond("301 Moved Permanently", &["Location: /robots.txt"], b"").map(Some)
    })
    .everywhere(),
    Case::new("robots-chain", "a robots.txt that redirects without end", |ask, connection| {
        if !ask.path.starts_with("/robots") {
            return Ok(None);
        }
        let location = format!("Location: /robots-{}.txt", ask.request.number);
        connection.respond("301 Moved Permanently", &[&location], b"").map(Some)
    })
    .everywhere(),
    Case::new("robots-hang", "a robots.txt that never comes", |ask, connection| {
        if ask.path != "/robots.txt" {
            return Ok(None);
        }
        connection.wait(Duration::from_mins(1))?;
        Ok(Some(Then::Close))
    })
    .everywhere()
    .hopeless(&[1, 3])
    .seconds(30.0, 2.0),
    Case::new("robots-500", "a robots.txt that is always in trouble", |ask, connection| {
        if ask.path != "/robots.txt" {
            return Ok(None);
        }
        connection.respond("500 Internal Server Error", &[], b"").map(Some)
    })
    .everywhere()
    .hopeless(&[1, 3])
    .seconds(30.0, 2.0),
    Case::new("robots-cut", "a long robots.txt, cut in a rule that would allow more when it is halved", cut)
        .everywhere()
        .seconds(20.0, 6.0),
    Case::new("robots-binary", "a robots.txt of random bytes", |ask, connection| {
        if ask.path != "/robots.txt" {
            return Ok(None);
        }
        let bytes: Vec<u8> =
            (0..100_000_u32).map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()[3]).collect();
        connection.respond("200 OK", &["Content-Type: text/plain"], &bytes).map(Some)
    })
    .everywhere(),
    Case::new("robots-html", "a page in place of robots.txt", |ask, connection| {
        if ask.path != "/robots.txt" {
            return Ok(None);
        }
        html(connection, "<!doctype html><title>Oops</title><a href=/bad>User-agent: * Disallow: /</a>")
            .map(Some)
    })
    .everywhere(),
    Case::new("robots-delay", "a Crawl-delay of a million seconds", |ask, connection| {
        if ask.path != "/robots.txt" {
            return Ok(None);
        }
        let text = b"User-agent: *\nCrawl-delay: 1000000\n";
        connection.respond("200 OK", &["Content-Type: text/plain"], text).map(Some)
    })
    .everywhere()
    .hopeless(&[0, 1, 3])
    .flags(&["--max-time", "4s"])
    .seconds(10.0, 2.0),
    Case::new("robots-wildcards", "rules of many wildcards against long addresses", |ask, connection| {
        if ask.path == "/robots.txt" {
            let rule = format!("User-agent: *\nDisallow: /{}b\n", "*a".repeat(5_000));
            return connection.respond("200 OK", &["Content-Type: text/plain"], rule.as_bytes()).map(Some);
        }
        if ask.path == "/bad" {
            let links = pieces(50, |number| format!("<a href=/{}{number}>x</a>", "a".repeat(1_500)));
            return html(connection, links).map(Some);
        }
        Ok(None)
    })
    .everywhere()
    .requests(150)
    .seconds(20.0, 4.0),
];

/// What is behind a limit may be left out, but half a rule must not count.
fn cut(ask: &Ask<'_>, connection: &mut Connection) -> io::Result<Option<Then>> {
    match ask.path {
        "/robots.txt" => {
            // The sizes at which programs cut it, each just where the rule would allow everything.
            let mut text = "User-agent: *\nDisallow: /private/\n".to_owned();
            let rule = "Allow: /private/";
            for cut in [500_000, 512_000, 512 << 10, 1_000_000, 1 << 20] {
                let padding = cut - rule.len() - text.len() - 2;
                let _ = writeln!(text, "#{}\n{rule}open/page", "x".repeat(padding));
            }
            connection.respond("200 OK", &["Content-Type: text/plain"], text.as_bytes()).map(Some)
        }
        "/bad" => html(connection, "<a href=/private/secret>s</a> <a href=/private/o>o</a>").map(Some),
        path if path.starts_with("/private/") => {
            // Whoever comes here was let in by half a rule: the flood of requests shows it.
            let links = pieces(100, |number| format!("<a href=/private/{number}>x</a>"));
            html(connection, links).map(Some)
        }
        _ => Ok(None),
    }
}
