//! A server under our control: the built-in one in another process, or nginx.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use clap::ValueEnum as _;

use crate::counters::Counters;
use crate::measure::Guard;
use crate::nginx::Nginx;
use crate::site::Shape;

/// Whichever server the site is measured on.
pub(crate) enum SiteServer {
    /// This program, started again as `serve`.
    Builtin(Builtin),
    /// nginx on a folder of files.
    Nginx(Nginx),
}

impl SiteServer {
    /// Starts nginx if its program is given, the built-in server otherwise.
    pub(crate) fn start(nginx: Option<&Path>, pages: u32, counted: bool) -> Result<Self> {
        Ok(match nginx {
            Some(program) => Self::Nginx(Nginx::start(program, pages, counted)?),
            None => Self::Builtin(Builtin::start(Shape::Full, pages)?),
        })
    }

    /// Returns the URL of the root page.
    pub(crate) fn url(&self) -> String {
        match self {
            Self::Builtin(server) => server.url(),
            Self::Nginx(server) => format!("http://{}/", server.address()),
        }
    }

    /// Changes `percent` of the pages and returns how many.
    pub(crate) fn change(&mut self, percent: u32, seed: u64) -> Result<usize> {
        match self {
            Self::Builtin(server) => server.change(percent, seed),
            Self::Nginx(server) => server.change(percent, seed),
        }
    }

    /// Returns what was asked so far; nginx must have been started as counted.
    pub(crate) fn counters(&self) -> Result<Counters> {
        match self {
            Self::Builtin(server) => server.counters(),
            Self::Nginx(server) => server.counters(),
        }
    }
}

/// This program as a server in another process, ended when dropped.
pub(crate) struct Builtin {
    _process: Guard,
    address: SocketAddr,
}

impl Builtin {
    /// Starts the server and waits until it listens.
    pub(crate) fn start(shape: Shape, pages: u32) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        let value = shape.to_possible_value().context("every shape has a name")?;
        command.args(["serve", "--pages", &pages.to_string(), "--shape", value.get_name()]);
        let process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut process = Guard(process);
        let output = process.0.stdout.take().context("the server has no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let address = line.trim().parse().context("the server did not say where it listens")?;
        Ok(Self { _process: process, address })
    }

    /// Returns the URL of the root page.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Returns what was asked so far.
    pub(crate) fn counters(&self) -> Result<Counters> {
        Ok(serde_json::from_str(&self.control("GET", "stats")?)?)
    }

    /// Returns when each request arrived, in microseconds of the server's clock.
    pub(crate) fn arrivals(&self) -> Result<Vec<u64>> {
        Ok(serde_json::from_str(&self.control("GET", "arrivals")?)?)
    }

    /// Changes `percent` of the pages and returns how many.
    pub(crate) fn change(&self, percent: u32, seed: u64) -> Result<usize> {
        let command = format!("change?percent={percent}&seed={seed}");
        Ok(serde_json::from_str(&self.control("POST", &command)?)?)
    }

    fn control(&self, method: &str, command: &str) -> Result<String> {
        let mut stream = TcpStream::connect(self.address)?;
        write!(stream, "{method} /__control/{command} HTTP/1.1\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").context("the server gave no answer")?;
        ensure!(head.starts_with("HTTP/1.1 200 "), "the server refused {command}: {body}");
        Ok(body.to_owned())
    }
}
