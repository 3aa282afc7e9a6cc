//! The built-in server: one thread, full pages held in memory, control and counters by HTTP.

mod http;

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context as _, Result};
use bytes::{Buf as _, Bytes, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use self::http::{Request, Response};
use crate::counters::Counters;
use crate::site::{ROBOTS, Shape, Site};

/// Serves the site on a free port of 127.0.0.1, printed as the first line, until it is killed.
pub(crate) fn run(shape: Shape, pages: u32) -> Result<()> {
    let state = Arc::new(Mutex::new(State::new(shape, pages)));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        println!("{}", listener.local_addr()?);
        loop {
            let (stream, _) = listener.accept().await.context("cannot accept a connection")?;
            // A client that goes away ends its own connection and nothing else.
            tokio::spawn(converse(stream, Arc::clone(&state)));
        }
    })
}

async fn converse(mut stream: TcpStream, state: Arc<Mutex<State>>) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut received = BytesMut::with_capacity(4_096);
    loop {
        while let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = received.split_to(end + 4);
            let text = std::str::from_utf8(&head[..end]).context("the head is not UTF-8")?;
            let request = Request::parse(text).context("the head is not HTTP")?;
            let answer = state.lock().unwrap_or_else(PoisonError::into_inner).answer(&request);
            let mut message = Bytes::from(answer.head).chain(answer.body);
            stream.write_all_buf(&mut message).await?;
            if request.close {
                return Ok(stream.shutdown().await?);
            }
        }
        if stream.read_buf(&mut received).await? == 0 {
            return Ok(());
        }
    }
}

/// The site as served, and what was asked of it.
struct State {
    site: Site,
    /// The pages by number; none for small ones, which are cheap to render for each request.
    rendered: Vec<Bytes>,
    counters: Counters,
    arrivals: Vec<u128>,
    started: Instant,
}

impl State {
    fn new(shape: Shape, pages: u32) -> Self {
        let site = Site::new(shape, pages);
        let rendered = match shape {
            Shape::Full | Shape::Large => site.pages().map(|page| site.render(page).into()).collect(),
            Shape::Small => Vec::new(),
        };
        Self { site, rendered, counters: Counters::default(), arrivals: Vec::new(), started: Instant::now() }
    }

    fn answer(&mut self, request: &Request<'_>) -> Response {
        let path = request.target.split('?').next().unwrap_or_default();
        if let Some(command) = request.target.strip_prefix("/__control/") {
            return self.control(request.method, command);
        }
        self.arrivals.push(self.started.elapsed().as_micros());
        let response = match (request.method, path, self.site.find(path)) {
            ("GET" | "HEAD", "/robots.txt", _) => Response::new(200, "text/plain", ROBOTS.into()),
            ("GET" | "HEAD", _, Some(page)) => self.page(request, page),
            ("GET" | "HEAD", _, None) => Response::new(404, "text/plain", "no such page\n".into()),
            _ => Response::new(405, "text/plain", "only GET and HEAD\n".into()),
        };
        let response = response.for_method(request.method);
        let bytes = response.head.len() + response.body.len();
        self.counters.count(response.status, bytes.try_into().unwrap_or(u64::MAX));
        response
    }

    fn page(&self, request: &Request<'_>, page: u32) -> Response {
        let (tag, modified) = (self.site.entity_tag(page), self.site.modified(page));
        Response::conditional(request, &tag, modified, || {
            let rendered = self.rendered.get(page as usize).cloned();
            rendered.unwrap_or_else(|| self.site.render(page).into())
        })
    }

    fn control(&mut self, method: &str, command: &str) -> Response {
        let (name, query) = command.split_once('?').unwrap_or((command, ""));
        let answer = match (method, name) {
            ("GET", "stats") => serde_json::to_string(&self.counters),
            ("GET", "arrivals") => serde_json::to_string(&self.arrivals),
            ("POST", "change") => {
                let (Some(percent), Some(seed)) = (number(query, "percent"), number(query, "seed")) else {
                    return Response::new(400, "text/plain", "percent and seed wanted\n".into());
                };
                serde_json::to_string(&self.change(percent.try_into().unwrap_or(100), seed))
            }
            _ => return Response::new(404, "text/plain", "no such command\n".into()),
        };
        let answer = answer.expect("plain numbers are always JSON");
        Response::new(200, "application/json", answer.into())
    }

    /// Changes pages and returns how many.
    fn change(&mut self, percent: u32, seed: u64) -> usize {
        let changed = self.site.change(percent, seed);
        for &page in &changed {
            if let Some(rendered) = self.rendered.get_mut(page as usize) {
                *rendered = self.site.render(page).into();
            }
        }
        changed.len()
    }
}

fn number(query: &str, name: &str) -> Option<u64> {
    let mut fields = query.split('&').filter_map(|field| field.split_once('='));
    fields.find(|(key, _)| *key == name)?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(state: &mut State, method: &str, target: &str, headers: &str) -> Response {
        let head = format!("{method} {target} HTTP/1.1\r\nHost: localhost{headers}");
        state.answer(&Request::parse(&head).unwrap())
    }

    fn header(response: &Response, name: &str) -> String {
        let mut lines = response.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| *key == name).unwrap().1.to_owned()
    }

    #[test]
    fn conditional_requests_are_answered_by_the_clients_copy() {
        let mut state = State::new(Shape::Small, 20);
        let first = ask(&mut state, "GET", "/p/3.html", "");
        let (tag, date) = (header(&first, "ETag"), header(&first, "Last-Modified"));
        assert!(tag.starts_with('"'), "{tag} is not strong");
        let old = "Mon, 01 Jan 2024 00:00:00 GMT";
        let cases = [
            (String::new(), 200),
            (format!("\r\nIf-None-Match: {tag}"), 304),
            (format!("\r\nif-none-match: \"other\", W/{tag}"), 304),
            ("\r\nIf-None-Match: *".to_owned(), 304),
            ("\r\nIf-None-Match: \"other\"".to_owned(), 200),
            (format!("\r\nIf-Modified-Since: {date}"), 304),
            (format!("\r\nIf-Modified-Since: {old}"), 200),
            ("\r\nIf-Modified-Since: yesterday".to_owned(), 200),
            (format!("\r\nIf-None-Match: \"other\"\r\nIf-Modified-Since: {date}"), 200),
            (format!("\r\nIf-None-Match: {tag}\r\nIf-Modified-Since: {old}"), 304),
        ];
        for (headers, status) in cases {
            let answer = ask(&mut state, "GET", "/p/3.html", &headers);
            assert_eq!(answer.status, status, "{headers}");
            assert_eq!(answer.body.is_empty(), status == 304, "{headers}");
            assert_eq!(header(&answer, "ETag"), tag, "{headers}");
        }
    }

    #[test]
    fn a_changed_page_is_sent_again_to_who_holds_the_old_one() {
        let mut state = State::new(Shape::Full, 20);
        let first = ask(&mut state, "GET", "/", "");
        let headers = format!("\r\nIf-None-Match: {}", header(&first, "ETag"));
        let report = ask(&mut state, "POST", "/__control/change?percent=100&seed=7", "");
        assert_eq!(report.body, "20");
        let second = ask(&mut state, "GET", "/", &headers);
        assert_eq!(second.status, 200);
        assert_ne!(second.body, first.body);
        assert_ne!(header(&second, "Last-Modified"), header(&first, "Last-Modified"));
    }

    #[test]
    fn requests_are_counted_and_commands_are_not() {
        let mut state = State::new(Shape::Small, 20);
        let sizes: usize = [
            ("GET", "/", "", 200),
            ("HEAD", "/", "", 200),
            ("GET", "/robots.txt", "", 200),
            ("GET", "/p/20.html", "", 404),
            ("POST", "/", "", 405),
            ("GET", "/", "\r\nIf-None-Match: *", 304),
        ]
        .map(|(method, target, headers, status)| {
            let answer = ask(&mut state, method, target, headers);
            assert_eq!(answer.status, status, "{method} {target}{headers}");
            answer.head.len() + answer.body.len()
        })
        .iter()
        .sum();
        let wrong = ask(&mut state, "POST", "/__control/change?percent=5", "");
        assert_eq!(wrong.status, 400);
        let answer = ask(&mut state, "GET", "/__control/stats", "");
        let counters: Counters = serde_json::from_slice(&answer.body).unwrap();
        let bytes = u64::try_from(sizes).unwrap();
        assert_eq!(counters, Counters { requests: 6, ok: 3, not_modified: 1, bytes });
        assert_eq!(state.arrivals.len(), 6);
    }

    #[test]
    fn a_connection_is_kept_until_the_client_closes_it() {
        for (head, close) in [
            ("GET / HTTP/1.1\r\nHost: a", false),
            ("GET / HTTP/1.1\r\nConnection: close", true),
            ("GET / HTTP/1.0", true),
            ("GET / HTTP/1.0\r\nconnection: keep-alive", false),
        ] {
            assert_eq!(Request::parse(head).unwrap().close, close, "{head}");
        }
        assert!(Request::parse("nonsense").is_none());
    }
}
