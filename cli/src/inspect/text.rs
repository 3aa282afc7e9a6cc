//! The canonical text of a page, and its hash.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use recrawl_core::model::content::{Extracted, Extractor as _};
use recrawl_core::model::ids::SemanticHash;
use recrawl_core::url::UrlRules;
use recrawl_extract::HtmlExtractor;
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

/// Print the canonical text of an HTML page with the place of each line: its region, then h for headings and l for links
#[derive(Debug, clap::Args)]
pub(super) struct OutlineArguments {
    /// Change the words by which a site's frame is known, such as +sponsor or -search (may be repeated)
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    frame_words: Vec<String>,

    #[command(flatten)]
    rules: RulesArguments,

    #[command(flatten)]
    document: DocumentArguments,
}

/// Print the semantic hash of a page: the SHA-256 of its canonical text, or of its bytes if it is no text
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
    fn check(self, frame_words: Vec<String>) -> anyhow::Result<TextRules> {
        let settings = TextSettings {
            ignore_selectors: self.ignore_selector,
            ignore_patterns: self.ignore_regex,
            frame_words,
            ..TextSettings::default()
        };
        TextRules::new(&settings).map_err(|error| refused(&error))
    }
}

impl TextArguments {
    pub(super) fn run(self) -> anyhow::Result<ExitStatus> {
        let rules = self.rules.check(Vec::new())?;
        let body = self.document.read()?;
        if !self.document.is_html(&body) {
            let file = read_file(&self.document, &body, rules)?;
            if file.outline.is_none() {
                output::note("No text, so it is compared by its bytes.")?;
                return Ok(ExitStatus::Success);
            }
            output::print_text(format!("{}\n", file.text).as_bytes())?;
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

impl OutlineArguments {
    pub(super) fn run(self) -> anyhow::Result<ExitStatus> {
        let rules = self.rules.check(self.frame_words)?;
        let body = self.document.read()?;
        if !self.document.is_html(&body) {
            output::note("Not HTML, so it has no frame.")?;
            return Ok(ExitStatus::Success);
        }
        let page = parse(&self.document, &body, &rules)?;
        let mut lines = String::new();
        for (mark, line) in page.outline.marks().zip(page.text.lines()) {
            let heading = if mark.is_heading { "h" } else { " " };
            let mostly_links = if mark.is_links { "l" } else { " " };
            // Writing into a string cannot fail.
            let _ = writeln!(lines, "{:<7} {heading}{mostly_links} {line}", mark.region);
        }
        output::print_text(lines.as_bytes())?;
        Ok(ExitStatus::Success)
    }
}

impl HashArguments {
    pub(super) fn run(self) -> anyhow::Result<ExitStatus> {
        let rules = self.rules.check(Vec::new())?;
        let body = self.document.read()?;
        let hash = if self.document.is_html(&body) {
            SemanticHash::from(parse(&self.document, &body, &rules)?.semantic_hash)
        } else {
            read_file(&self.document, &body, rules)?.semantic
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

/// Reads what is no page.
fn read_file(document: &DocumentArguments, body: &[u8], rules: TextRules) -> anyhow::Result<Extracted> {
    let address = "https://localhost/".parse().expect("a constant address");
    HtmlExtractor::new(rules, UrlRules::default(), true)
        .extract(&address, document.content_type.as_deref(), body)
        .context("the file cannot be read")
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
