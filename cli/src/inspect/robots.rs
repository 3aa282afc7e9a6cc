//! Answers of a robots.txt.

use std::io::Write;
use std::path::PathBuf;

use recrawl_extract::robots::{Robots, path_to_match};

use super::document;
use crate::exit::ExitStatus;
use crate::output;

/// Tell which URLs a robots.txt lets a crawler fetch: `allow URL` or `disallow URL`, a line each
#[derive(Debug, clap::Args)]
pub(super) struct RobotsArguments {
    /// The product token of the crawler, such as recrawl
    #[arg(long, value_name = "TOKEN")]
    agent: String,

    /// The robots.txt file, or - for standard input
    file: PathBuf,

    /// The URLs to check; an empty or relative URL is matched as the path /
    #[arg(required = true, value_name = "URL")]
    urls: Vec<String>,
}

impl RobotsArguments {
    pub(super) fn run(self) -> anyhow::Result<ExitStatus> {
        let file = document::read(&self.file)?;
        let (web, capsule) = (Robots::parse(&file), Robots::parse_of_capsule(&file));
        let (web, capsule) = (web.matcher(&self.agent), capsule.matcher(&self.agent));
        let mut out = output::raw();
        for url in &self.urls {
            let matcher = if url.starts_with("gemini:") { &capsule } else { &web };
            let word = if matcher.allows(&path_to_match(url)) { "allow" } else { "disallow" };
            writeln!(out, "{word} {url}")?;
        }
        out.flush()?;
        Ok(ExitStatus::Success)
    }
}
