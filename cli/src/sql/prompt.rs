//! The prompt of `recrawl sql`: statements over several lines, history, completion, and commands that begin with a dot.

use std::path::PathBuf;

use recrawl_sql::Session;
use recrawl_sql::statement::{is_complete, split};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Editor, Helper};

use super::SqlArguments;
use crate::exit::{ExitStatus, usage};
use crate::output;

/// Words of SQL that are completed, beside the names of tables and columns.
const WORDS: [&str; 38] = [
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "ORDER BY",
    "LIMIT",
    "JOIN",
    "LEFT JOIN",
    "USING",
    "HAVING",
    "DISTINCT",
    "INSERT INTO",
    "VALUES",
    "UPDATE",
    "DELETE FROM",
    "CREATE TABLE",
    "DROP TABLE",
    "LIKE",
    "CRAWL (",
    "CRAWL SITES (",
    "INTO",
    "WITH (",
    "SET crawler_",
    "user_agent",
    "default_crawl_delay",
    "min_crawl_delay",
    "max_crawl_delay",
    "timeout_seconds",
    "update_stale",
    "sitemap_cache_hours",
    "max_parallel_per_domain",
    "crawl_urls(",
    "crawl(",
    "sitemap(",
    "html_text(",
    "css(",
    "json_ld(",
    "url_host(",
];

/// Commands that are none of SQL.
const COMMANDS: [&str; 4] = [".tables", ".schema", ".help", ".quit"];

const HELP: &str = "\
Statements end with a semicolon, and may have several lines.
  .tables        tables of your own, then the views of crawls
  .schema [NAME] columns of a table or view, or of all
  .quit          or Ctrl-D
Crawl:  CRAWL (SELECT url FROM my_urls) INTO results;
        SELECT url, http_status, title FROM crawl_urls(['https://example.org/']);
Everything else is in docs/SQL.md.";

/// Runs what somebody types, until they leave.
pub(super) fn run(session: &mut Session, arguments: &SqlArguments) -> anyhow::Result<ExitStatus> {
    let mut editor: Editor<Typing, FileHistory> = Editor::new()?;
    editor.set_helper(Some(Typing { names: names(session)? }));
    let history = history_file();
    if let Some(history) = &history {
        // The first time there is none.
        let _ = editor.load_history(history);
    }
    output::note("Statements end with a semicolon; .help says more.")?;
    loop {
        match editor.readline("recrawl> ") {
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => {
                // What cannot be remembered can be typed again.
                let _ = editor.add_history_entry(line.trim());
                if matches!(line.trim(), ".quit" | ".exit") {
                    break;
                }
                if let Err(error) = run_line(session, arguments, line.trim()) {
                    output::note(&format!("{error:#}"))?;
                }
                if let Some(helper) = editor.helper_mut() {
                    helper.names = names(session)?;
                }
            }
            Err(ReadlineError::Interrupted) => output::note("Ctrl-D or .quit leaves.")?,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(history) = &history {
        let _ = history.parent().map(std::fs::create_dir_all);
        let _ = editor.save_history(history);
    }
    Ok(ExitStatus::Success)
}

fn run_line(session: &mut Session, arguments: &SqlArguments, line: &str) -> anyhow::Result<()> {
    if !line.starts_with('.') {
        for statement in split(line)? {
            arguments.run_one(session, statement)?;
        }
        return Ok(());
    }
    let mut words = line.trim_end_matches(';').split_whitespace();
    let lines = match (words.next(), words.next()) {
        (Some(".tables"), None) => session.tables()?,
        (Some(".schema"), name) => session.schema(name)?,
        (Some(".help"), None) => vec![HELP.to_owned()],
        _ => return Err(usage(format!("{line} is no command: {}", COMMANDS.join(", ")))),
    };
    lines.iter().try_for_each(|line| output::print_text(format!("{line}\n").as_bytes()))?;
    Ok(())
}

/// Returns the names that can be completed: tables, views and their columns.
fn names(session: &Session) -> anyhow::Result<Vec<String>> {
    let mut names = session.tables()?;
    for line in session.schema(None)? {
        let columns = line.split_once('(').map(|(_, columns)| columns.trim_end_matches(')').to_owned());
        names.extend(columns.unwrap_or_default().split(", ").map(str::to_owned));
    }
    names.sort();
    names.dedup();
    Ok(names)
}

/// Where what was typed is kept: in the folder for such things, if there is a home.
fn history_file() -> Option<PathBuf> {
    let folder =
        |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))?;
    Some(state.join("recrawl").join("sql-history"))
}

/// Helps who types.
struct Typing {
    names: Vec<String>,
}

impl Completer for Typing {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(completions(&self.names, &line[..position]))
    }
}

/// Returns where the word begins that is completed, and what it can become.
fn completions(names: &[String], typed: &str) -> (usize, Vec<String>) {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let begin = typed.rfind(|character| !is_word(character)).map_or(0, |at| at + 1);
    let is_command = typed.starts_with('.') && !typed.contains(' ');
    let begin = if is_command { 0 } else { begin };
    let word = typed[begin..].to_lowercase();
    if word.is_empty() {
        return (begin, Vec::new());
    }
    let known: Vec<&str> =
        if is_command { COMMANDS.to_vec() } else { names.iter().map(String::as_str).chain(WORDS).collect() };
    let fits = |known: &&str| known.to_lowercase().starts_with(&word);
    (begin, known.into_iter().filter(fits).map(str::to_owned).collect())
}

impl Validator for Typing {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let typed = context.input().trim();
        let is_whole = typed.is_empty() || typed.starts_with('.') || is_complete(typed);
        Ok(if is_whole { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}

impl Hinter for Typing {
    type Hint = String;
}

impl Highlighter for Typing {}

impl Helper for Typing {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_words_and_commands_are_completed() {
        let names = ["pages".to_owned(), "page_count".to_owned()];
        for (typed, begin, expected) in [
            ("SELECT * FROM pag", 14, vec!["pages", "page_count"]),
            ("sel", 0, vec!["SELECT"]),
            (".ta", 0, vec![".tables"]),
            ("SELECT ", 7, vec![]),
            ("SELECT p.page_", 9, vec!["page_count"]),
        ] {
            let (at, found) = completions(&names, typed);
            assert_eq!((at, found), (begin, expected.into_iter().map(str::to_owned).collect()), "{typed}");
        }
    }
}
