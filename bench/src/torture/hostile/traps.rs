//! Sites without end: calendars, sessions, repeated folders, pages of nothing but new links.

use std::fmt::Write as _;
use std::io;

use super::{Ask, Case, html};
use crate::listener::{Connection, Then};

/// Addresses of one shape with equal text that a crawl may visit before it knows the trap, those in flight, and some to spare.
const TRAPPED: usize = 600;

pub(super) const CASES: &[Case] = &[
    Case::new("calendar", "a calendar without end", |ask, connection| {
        let Some(month) = inside(ask, "/calendar/") else { return Ok(None) };
        html(
            connection,
            format!("<title>Calendar</title><p>No events<a href=/calendar/{}>next</a>", month + 1),
        )
        .map(Some)
    })
    .everywhere()
    .flags(&["--max-time", "15s"])
    .requests(TRAPPED)
    .seconds(20.0, 10.0),
    Case::new("calendar-dates", "a calendar by year, month and day, forwards and backwards", dates)
        .everywhere()
        .flags(&["--max-time", "15s"])
        .requests(2 * TRAPPED)
        .seconds(20.0, 15.0),
    Case::new("calendar-query", "a list of pages by query, without end", |ask, connection| {
        if ask.path != "/bad" {
            return Ok(None);
        }
        let page: usize =
            ask.request.target.rsplit('=').next().and_then(|number| number.parse().ok()).unwrap_or(0);
        html(
            connection,
            format!("<title>List</title><p>Nothing here<a href='/bad?page={}'>next</a>", page + 1),
        )
        .map(Some)
    })
    .everywhere()
    .flags(&["--max-time", "15s"])
    .requests(TRAPPED)
    .seconds(20.0, 10.0),
    Case::new("session-path", "a session in the path, another one with every page", |ask, connection| {
        let Some(_) = inside(ask, "/s-") else { return Ok(None) };
        let mut text = "<title>Shop</title><p>Our goods".to_owned();
        for number in 0..3 {
            let session = ask.request.number * 7_919 + number * 104_729;
            let _ = write!(text, "<a href=/s-{session:016x}/shop>go on</a>");
        }
        html(connection, text).map(Some)
    })
    .everywhere()
    .flags(&["--max-time", "15s"])
    .requests(TRAPPED)
    .seconds(20.0, 10.0),
    Case::new(
        "segments-repeated",
        "a relative link that adds the same folder again and again",
        |ask, connection| {
            if ask.path == "/bad" {
                return html(connection, "<a href=/news/>news</a>").map(Some);
            }
            if !ask.path.starts_with("/news/") {
                return Ok(None);
            }
            html(
                connection,
                format!("<title>News</title><p>At {}<a href=news/archive/>more</a>", ask.path.len()),
            )
            .map(Some)
        },
    )
    .everywhere()
    .flags(&["--max-time", "15s"])
    .requests(60)
    .seconds(20.0, 8.0),
    Case::new("links-50000", "50,000 new links on every page", |ask, connection| {
        let Some(page) = inside(ask, "/wide-") else { return Ok(None) };
        let mut text = format!("<title>Wide {page}</title>");
        for number in 0..50_000 {
            let _ = write!(text, "<a href=/wide-{}>x</a>", page * 50_000 + number + 1);
        }
        html(connection, text).map(Some)
    })
    .everywhere()
    .hopeless(&[0, 3, 4])
    // The pages take their time to be made.
    .flags(&["--max-time", "15s", "--time-out", "20"])
    .requests(1_000_000)
    .seconds(20.0, 40.0)
    .heavy(),
    Case::new("soft-404", "a page for whatever is asked for, with links to more of it", |ask, connection| {
        if ask.path == "/robots.txt" || ask.path == "/" || ask.path.starts_with("/good-") {
            return Ok(None);
        }
        let number = ask.request.number;
        html(connection, format!("<title>Sorry</title><p>Page not found <a href=/x-{number}>home</a>"))
            .map(Some)
    })
    .everywhere()
    .flags(&["--max-time", "15s"])
    .requests(TRAPPED)
    .seconds(20.0, 10.0),
    Case::new("tree-endless", "a tree without end, every page another text", tree)
        .everywhere()
        .hopeless(&[0, 3, 4])
        .flags(&["--max-pages", "500"])
        .requests(600)
        .seconds(30.0, 15.0),
    Case::new("tree-time", "a tree without end, and a limit of time", tree)
        .everywhere()
        .hopeless(&[0, 3, 4])
        .flags(&["--max-time", "5s"])
        .requests(1_000_000)
        .seconds(10.0, 20.0),
    Case::new("case-and-slashes", "one page under ever new spellings of its address", |ask, connection| {
        if !ask.path.to_ascii_lowercase().contains("spell") && ask.path != "/bad" {
            return Ok(None);
        }
        let number = ask.request.number;
        let slashes = "/".repeat(1 + number % 50);
        html(
            connection,
            format!(
                "<p>Spelling<a href='/x/..{slashes}SpELL;{number}'>a</a><a href='/spell{slashes}?'>b</a>"
            ),
        )
        .map(Some)
    })
    .everywhere()
    .flags(&["--max-time", "15s"])
    .requests(TRAPPED)
    .seconds(20.0, 10.0),
];

/// Returns the number in a path below `prefix`; `/bad` is the first.
fn inside(ask: &Ask<'_>, prefix: &str) -> Option<usize> {
    if ask.path == "/bad" {
        return Some(0);
    }
    let rest = ask.path.strip_prefix(prefix)?;
    let word = rest.split('/').next()?;
    // Sessions are hexadecimal, and which one it is does not matter.
    word.parse().ok().or_else(|| usize::from_str_radix(word, 16).ok())
}

fn tree(ask: &Ask<'_>, connection: &mut Connection) -> io::Result<Option<Then>> {
    let Some(number) = inside(ask, "/node-") else { return Ok(None) };
    let (left, right) = (2 * number + 1, 2 * number + 2);
    let links = format!("<a href=/node-{left}>l</a><a href=/node-{right}>r</a>");
    html(connection, format!("<title>{number}</title><p>{number}{links}")).map(Some)
}

fn dates(ask: &Ask<'_>, connection: &mut Connection) -> io::Result<Option<Then>> {
    let day = match ask.path {
        "/bad" => 20_000,
        path => {
            match path.strip_prefix("/events/").map(|rest| rest.split('/').collect::<Vec<_>>()).as_deref() {
                Some([year, month, day]) => {
                    let part = |text: &str| text.parse::<i64>().unwrap_or_default();
                    part(year) * 372 + part(month) * 31 + part(day)
                }
                _ => return Ok(None),
            }
        }
    };
    let link =
        |day: i64| format!("<a href=/events/{:04}/{:02}/{:02}>x</a>", day / 372, day / 31 % 12, day % 31);
    html(
        connection,
        format!("<title>Events</title><p>No events on this day{}{}", link(day - 1), link(day + 1)),
    )
    .map(Some)
}
