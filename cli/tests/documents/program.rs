//! The command, and the arguments that it takes.

use std::path::Path;
use std::process::{Command, Output};

use clap::CommandFactory;

/// Runs the command in a folder.
pub(crate) fn recrawl(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recrawl"));
    command.args(arguments).current_dir(folder).output().expect("the command starts")
}

/// Returns the arguments of the command as clap knows them.
pub(crate) fn arguments() -> clap::Command {
    let mut command = recrawl::Arguments::command();
    command.build();
    command
}

/// Splits a line as a shell does, as far as documents go: words, quotes, and a comment at the end.
pub(crate) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[test]
fn a_line_is_split_as_a_shell_does() {
    assert_eq!(
        words("recrawl search '\"new bridge\" -closed' # why"),
        ["recrawl", "search", "\"new bridge\" -closed"]
    );
    assert_eq!(
        words("recrawl  sql \"SELECT 1\" https://a/#b"),
        ["recrawl", "sql", "SELECT 1", "https://a/#b"]
    );
}
