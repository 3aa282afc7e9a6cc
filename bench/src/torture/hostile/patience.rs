//! Servers that are always in trouble, or ask to be left alone for long.

use std::io;

use super::{Ask, Case};
use crate::listener::{Connection, Then};

pub(super) const CASES: &[Case] = &[
    Case::new("page-503", "a page that is always in trouble", |_, connection| trouble(connection, &[]))
        .seconds(30.0, 2.0),
    Case::new("page-500", "a page that always fails", |_, connection| {
        connection.respond("500 Internal Server Error", &[], b"").map(Some)
    })
    .seconds(30.0, 2.0),
    Case::new("page-week", "a page whose server asks to be left alone for a week", |_, connection| {
        trouble(connection, &["Retry-After: 604800"])
    })
    .hopeless(&[1, 3])
    .seconds(30.0, 2.0),
    Case::new("site-503", "a site that is always in trouble", everything_in_trouble)
        .everywhere()
        .hopeless(&[1, 3])
        .seconds(60.0, 2.0),
    Case::new("site-429", "a site that always has had too many requests", |ask, connection| {
        if ask.path == "/robots.txt" {
            return Ok(None);
        }
        connection.respond("429 Too Many Requests", &["Retry-After: 1"], b"").map(Some)
    })
    .everywhere()
    .hopeless(&[1, 3])
    .seconds(60.0, 2.0),
    Case::new("site-week", "a site that asks to be left alone for a week", |ask, connection| {
        if ask.path == "/robots.txt" {
            return Ok(None);
        }
        trouble(connection, &["Retry-After: 604800"])
    })
    .everywhere()
    .hopeless(&[1, 3])
    .requests(5)
    .seconds(30.0, 2.0),
    Case::new("retry-garbage", "a Retry-After that says nothing", |_, connection| {
        trouble(connection, &["Retry-After: whenever you like, -1, 99999999999999999999"])
    })
    .seconds(30.0, 2.0),
    Case::new("retry-past", "a Retry-After in the past", |_, connection| {
        trouble(connection, &["Retry-After: Thu, 01 Jan 1970 00:00:00 GMT"])
    })
    .seconds(30.0, 2.0),
    Case::new("forbidden-all", "a site that forbids everything", |ask, connection| {
        if ask.path == "/robots.txt" {
            return Ok(None);
        }
        connection.respond("403 Forbidden", &["Content-Type: text/html"], b"<p>Are you a robot?").map(Some)
    })
    .everywhere()
    .hopeless(&[0, 1, 3])
    .seconds(30.0, 2.0),
];

fn trouble(connection: &mut Connection, headers: &[&str]) -> io::Result<Option<Then>> {
    connection.respond("503 Service Unavailable", headers, b"").map(Some)
}

fn everything_in_trouble(ask: &Ask<'_>, connection: &mut Connection) -> io::Result<Option<Then>> {
    if ask.path == "/robots.txt" {
        return Ok(None);
    }
    trouble(connection, &[])
}
