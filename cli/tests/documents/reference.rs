//! docs/REFERENCE.md is written from the program: its arguments, settings, verdicts, exit codes, notification
//! targets and views.

use std::fmt::Write;

use clap::{Arg, Command};
use recrawl_core::model::verdict::Verdict;
use recrawl_extract::noise::NoiseRule;

use crate::program::{arguments, recrawl};
use crate::{root, text};

const DOCUMENT: &str = "docs/REFERENCE.md";

#[test]
fn the_reference_is_written_from_the_program() {
    let written = text(DOCUMENT);
    let mut expected = written.clone();
    for (part, content) in [
        ("commands", commands()),
        ("settings", recrawl_settings::reference::markdown()),
        ("noise rules", noise_rules()),
        ("verdicts", verdicts()),
        ("exit codes", exit_codes()),
        ("notification targets", notification_targets()),
        ("views", views()),
    ] {
        expected = with_part(&expected, part, &content);
    }
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(root().join(DOCUMENT), expected).unwrap();
    } else {
        let first = written.lines().zip(expected.lines()).find(|(is, wanted)| is != wanted);
        let how = "write it anew: UPDATE_REFERENCE=1 cargo test --workspace --test documents";
        assert_eq!(written.len(), expected.len(), "{how}; it differs from {first:?} on");
        assert!(written == expected, "{how}; it differs from {first:?} on");
    }
}

/// Puts `content` between the marks of a part.
fn with_part(document: &str, part: &str, content: &str) -> String {
    let (begin, end) = (format!("<!-- {part}: generated -->\n"), format!("<!-- end of {part} -->\n"));
    let marks =
        document.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
    let (before, after) = marks.unwrap_or_else(|| panic!("{DOCUMENT} has no marks for {part}"));
    format!("{before}{begin}\n{}\n\n{end}{after}", content.trim())
}

fn row(text: &mut String, cells: &[&str]) {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

fn head(text: &mut String, cells: &[&str]) {
    let _ = writeln!(text);
    row(text, cells);
    row(text, &vec!["---"; cells.len()]);
}

fn noise_rules() -> String {
    let mut text = String::new();
    head(&mut text, &["rule", "removes"]);
    for rule in NoiseRule::ALL {
        row(&mut text, &[&format!("`{rule}`"), rule.description()]);
    }
    text
}

fn commands() -> String {
    let mut text = String::new();
    let program = arguments();
    head(&mut text, &["command", "what it does"]);
    for command in visible(&program) {
        let name = command.get_name();
        row(&mut text, &[&format!("[`recrawl {name}`](#recrawl-{name})"), &about(command, false)]);
    }
    for command in visible(&program) {
        describe(&mut text, command, 3);
    }
    text
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help")
}

/// Returns what a command does: its first line, or all of it.
fn about(command: &Command, is_long: bool) -> String {
    let short = command.get_about().map(ToString::to_string);
    let long = command.get_long_about().map(ToString::to_string).filter(|_| is_long);
    let text = long.or(short).unwrap_or_default();
    let paragraphs =
        text.split("\n\n").map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
    let paragraphs = paragraphs.map(|text| if text.ends_with('.') { text } else { text + "." });
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

fn describe(text: &mut String, command: &Command, level: usize) {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let _ = writeln!(text, "\n{} {name}\n\n{}\n\n    {usage}", "#".repeat(level), about(command, true));
    let is_setting = |argument: &&Arg| argument.get_help_heading() == Some("Settings");
    let shown = |argument: &&Arg| {
        !argument.is_hide_set() && !["help", "version"].contains(&argument.get_id().as_str())
    };
    let own: Vec<&Arg> =
        command.get_arguments().filter(shown).filter(|argument| !is_setting(argument)).collect();
    if !own.is_empty() {
        head(text, &["argument", "default", "meaning"]);
    }
    for argument in own {
        let (default, meaning) = meaning(argument);
        row(text, &[&format!("`{}`", typed(argument)), &default, &meaning]);
    }
    if command.get_arguments().any(|argument| is_setting(&argument)) {
        let _ = writeln!(text, "\nEvery [setting](#settings) is a flag of this command.");
    }
    for command in visible(command) {
        describe(text, command, level + 1);
    }
}

/// Returns an argument as people type it.
fn typed(argument: &Arg) -> String {
    let takes_value = argument.get_action().takes_values();
    let names = argument.get_value_names().filter(|_| takes_value);
    let value = names.and_then(|names| names.first()).map(ToString::to_string);
    match (argument.get_long(), argument.get_short(), value) {
        (Some(long), Some(short), None) => format!("-{short}, --{long}"),
        (Some(long), _, Some(value)) => format!("--{long} {value}"),
        (Some(long), None, None) => format!("--{long}"),
        (None, _, value) => value.unwrap_or_else(|| argument.get_id().to_string()),
    }
}

/// Returns the default of an argument, and what it means.
fn meaning(argument: &Arg) -> (String, String) {
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let (help, said) = help.split_once(" [default: ").unwrap_or((&help, ""));
    let defaults: Vec<_> =
        argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let default = match said.strip_suffix(']') {
        Some(said) => said.to_owned(),
        None if !argument.get_action().takes_values() => String::new(),
        None => defaults.join(" "),
    };
    let values = argument.get_possible_values();
    let values: Vec<String> = values
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    let values =
        Some(values.join(", ")).filter(|values| !values.is_empty() && argument.get_action().takes_values());
    let values = values.map_or_else(String::new, |values| format!(": {values}"));
    let required = if argument.is_required_set() { "(required)".to_owned() } else { default };
    (required, format!("{help}{values}."))
}

fn verdicts() -> String {
    let mut text = String::new();
    head(&mut text, &["verdict", "meaning", "announced as", "archived"]);
    for verdict in Verdict::ALL {
        let meaning = match verdict {
            Verdict::New => "The page was not known before, or it was gone and is back.",
            Verdict::Changed => "Its text, links or images differ, in what the setting `compare` names.",
            Verdict::Shared => {
                "What differs is the same on other pages, such as a menu: the frame of the site changed, not this page."
            }
            Verdict::Moved => "A redirect appeared, or leads elsewhere.",
            Verdict::Gone => "A known page answered 404 or 410, and did so again on a second visit.",
            Verdict::Touched => "The bytes differ, the meaning does not: noise, such as a build time.",
            Verdict::Unchanged => {
                "The page is what it was: by a 304 response, by its hash, or by a presumption that the record names."
            }
            Verdict::Missing => "404 or 410 at an address that was never there: a broken link.",
            Verdict::Failed => {
                "No evidence either way: a server error, a block page, a login, a time-out. What is known of the page stays."
            }
            Verdict::Excluded => {
                "Not fetched, by rule: robots.txt, scope, a limit, a trap. The record says which."
            }
        };
        let change =
            verdict.change().map_or_else(String::new, |change| serde_json::to_string(&change).unwrap());
        let archived = if verdict.wants_archiving() { "yes" } else { "" };
        row(&mut text, &[&format!("`{verdict}`"), meaning, &change.replace('"', "`"), archived]);
    }
    text
}

/// The help of the program says how commands end.
fn exit_codes() -> String {
    let help = arguments().get_after_help().expect("the help ends with the exit codes").to_string();
    let mut text = String::new();
    head(&mut text, &["code", "meaning"]);
    let mut sentences = String::new();
    for line in help.lines().skip(1) {
        match line.trim().split_once("  ") {
            Some((code, meaning)) => row(&mut text, &[&format!("`{code}`"), &format!("{}.", meaning.trim())]),
            None => sentences.extend(["\n", line.trim(), "\n"]),
        }
    }
    text + &sentences
}

/// The rustdoc of the settings of targets says what each field means.
fn notification_targets() -> String {
    let source = text("crates/notify/src/settings.rs");
    let mut text = String::new();
    for (name, heading) in [
        ("SelectionSettings", "Every kind: what is told"),
        ("TimingSettings", "Every kind: when"),
        ("WebhookSettings", "`kind = \"webhook\"`"),
        ("ChatSettings", "`kind = \"slack\"`, `kind = \"discord\"` and `kind = \"teams\"`"),
        ("TelegramSettings", "`kind = \"telegram\"`"),
        ("MatrixSettings", "`kind = \"matrix\"`"),
        ("NtfySettings", "`kind = \"ntfy\"`"),
        ("GithubIssueSettings", "`kind = \"github-issue\"`"),
        ("EmailSettings", "`kind = \"email\"`"),
        ("MarkdownSettings", "`kind = \"markdown\"`"),
    ] {
        let _ = writeln!(text, "\n### {heading}");
        head(&mut text, &["field", "type", "meaning"]);
        for (field, of, meaning) in fields(&source, name) {
            row(&mut text, &[&format!("`{field}`"), of, &meaning]);
        }
    }
    // A kind without a heading above would go unseen.
    let kinds = source.split_once("pub enum ChannelSettings {").unwrap().1.split_once("\n}").unwrap().0;
    let named = kinds.lines().filter(|line| line.contains("Settings)")).count();
    assert_eq!(named, 10, "a kind of target is missing in this list");
    text
}

/// Returns the fields of a struct as they stand in a settings file: name, type, rustdoc.
fn fields<'a>(source: &'a str, name: &str) -> Vec<(String, &'a str, String)> {
    let (_, body) =
        source.split_once(&format!("pub struct {name} {{\n")).unwrap_or_else(|| panic!("no {name}"));
    let (body, _) = body.split_once("\n}").expect("a struct ends");
    let (mut fields, mut meaning) = (Vec::new(), Vec::new());
    for line in body.lines().map(str::trim) {
        if let Some(words) = line.strip_prefix("/// ") {
            meaning.push(words);
        } else if let Some((field, of)) = line.strip_prefix("pub ").and_then(|line| line.split_once(": ")) {
            let of = match of.trim_end_matches(',') {
                "String" => "text",
                "Option<String>" => "text, optional",
                "Option<u16>" => "number, optional",
                "usize" | "u32" => "number",
                "Option<Tier>" => "`1`, `2` or `3`",
                "bool" => "true or false",
                "Encryption" => "`starttls`, `tls` or `none`",
                "WhenSuspect" => "`warn`, `tell` or `skip`",
                list if list.starts_with("Vec<") => "list",
                other => panic!("{name}.{field} is a {other}, which has no word"),
            };
            fields.push((
                field.trim_start_matches("r#").replace('_', "-"),
                of,
                std::mem::take(&mut meaning).join(" "),
            ));
        }
    }
    assert!(!fields.is_empty(), "{name} has no fields");
    fields
}

fn views() -> String {
    let folder = tempfile::tempdir().unwrap();
    assert!(recrawl(folder.path(), &["demo", "--store", "recrawl.db"]).status.success());
    let database = rusqlite::Connection::open(folder.path().join("recrawl.db")).unwrap();
    let list = |sql: &str| -> Vec<String> {
        let mut statement = database.prepare(sql).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let mut text = String::new();
    head(&mut text, &["view", "one row is", "columns"]);
    for view in list("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name") {
        let meaning = match view.as_str() {
            "changes" => "a visit that found a page new, changed, moved or gone",
            "crawls" => "a crawl with its figures",
            "edits" => "what went and came in one place of a page, and what was made of it",
            "hosts" => "a host of a site, with the figures of its pages",
            "links" => "a link of a page in a crawl",
            "pages" => "a page of a site, as last seen",
            "shared_changes" => "the same edit on several pages of a crawl",
            "sitemap_entries" => "a page that a sitemap lists, as it was read last",
            "versions" => "a stretch of visits of one page with the same meaning",
            "visits" => "one fetch of a page in one crawl, or why it was not fetched",
            other => panic!("say what a row of {other} is"),
        };
        let columns = list(&format!("SELECT name FROM pragma_table_info('{view}')"));
        let columns: Vec<String> = columns.iter().map(|column| format!("`{column}`")).collect();
        row(&mut text, &[&format!("`{view}`"), meaning, &columns.join(", ")]);
    }
    text
}
