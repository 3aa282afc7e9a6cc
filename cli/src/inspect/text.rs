//! The canonical text of a page, and its hash.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use recrawl_core::model::ids::SemanticHash;
use recrawl_extract::page::Page;
use recrawl_extract::text::{TextRules, TextRulesError, TextSettings};
use url::Url;

use super::document::DocumentArguments;
use crate::exit::{ExitStatus, usage};
use crate::output;

/// Reading that takes longer is said, so that a rule that costs much is noticed before it is saved.
const WORTH_SAYING: Duration = Duration::from_millis(100);

/// Print the canonical text of an HTML page: what counts when versions are compared
#[derive(Debug, clap::Args)]
pub(super) struct TextArguments {
    #[command(flatten)]
    rules: RulesArguments,

    #[command(flatten)]
    document: DocumentArguments,
}

/// Print the semantic hash of a page: the SHA-256 of its canonical text, or of its bytes if it is not HTML
#[derive(Debug, clap::Args)]
pub(super) struct HashArguments {
    #[command(flatten)]
    rules: RulesArguments,

    #[command(flatten)]
    document: DocumentArguments,
}

/// The user's rules about what does not count.
#[derive(Debug, clap::Args)]
struct RulesArguments {
    /// Leave out elements that this CSS selector matches (may be repeated)
    #[arg(long, value_name = "SELECTOR")]
    ignore_selector: Vec<String>,

    /// Leave out text that this regular expression matches (may be repeated)
    #[arg(long, value_name = "REGEX")]
    ignore_regex: Vec<String>,
}

impl RulesArguments {
    fn check(self) -> anyhow::Result<TextRules> {
        let settings = TextSettings {
            ignore_selectors: self.ignore_selector,
            ignore_patterns: self.ignore_regex,
            ..TextSettings::default()
        };
        TextRules::new(&settings).map_err(|error| refused(&error))
    }
}

impl TextArguments {
    pub(super) fn run(self) -> anyhow::Result<ExitStatus> {
        let rules = self.rules.check()?;
        let body = self.document.read()?;
        if !self.document.is_html(&body) {
            output::note("Not HTML, so it has no text and is compared by its bytes.")?;
            return Ok(ExitStatus::Success);
        }
        let began = Instant::now();
        let page = parse(&self.document, &body, &rules)?;
        let took = began.elapsed();
        if let Some(cut) = &page.cut {
            output::note(cut)?;
        }
        if took >= WORTH_SAYING {
            output::note(&format!("reading the page took {} ms", took.as_millis()))?;
        }
        let mut text = page.text;
        text.push('\n');
        output::print_text(text.as_bytes())?;
        Ok(ExitStatus::Success)
    }
}

impl HashArguments {
    pub(super) fn run(self) -> anyhow::Result<ExitStatus> {
        let rules = self.rules.check()?;
        let body = self.document.read()?;
        let hash = if self.document.is_html(&body) {
            SemanticHash::from(parse(&self.document, &body, &rules)?.semantic_hash)
        } else {
            SemanticHash::of(&body)
        };
        let mut out = output::raw();
        writeln!(out, "{hash}")?;
        out.flush()?;
        Ok(ExitStatus::Success)
    }
}

fn parse(document: &DocumentArguments, body: &[u8], rules: &TextRules) -> anyhow::Result<Page> {
    // Only links depend on the address of the page.
    let address = Url::parse("https://localhost/").expect("a constant address");
    Page::parse(body, document.content_type.as_deref(), &address, rules).context("the page cannot be read")
}

fn refused(error: &TextRulesError) -> anyhow::Error {
    let message = error.to_string();
    match std::error::Error::source(error) {
        // A regular expression's own message draws a picture over several lines; its last says why.
        Some(source) => {
            usage(format!("{message}: {}", source.to_string().lines().last().unwrap_or_default()))
        }
        None => usage(message),
    }
}
