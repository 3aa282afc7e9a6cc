//! The settings as a document: this part of docs/REFERENCE.md follows from the table.

use std::fmt::Write;

use crate::preset::Preset;
use crate::setting::{Group, Home, Setting};
use crate::table::{CRAWL, PROCESS};
use crate::variables::OTHERS;

/// Returns every setting with its default and meaning, in Markdown.
pub fn markdown() -> String {
    let mut text = String::new();
    let mut group = None;
    for setting in CRAWL {
        if group.replace(setting.group) != Some(setting.group) {
            heading(&mut text, setting.group, "setting");
        }
        row(&mut text, setting, setting.name);
    }
    presets(&mut text);
    heading(&mut text, Group::Process, "variable");
    for setting in PROCESS {
        row(&mut text, setting, &setting.variable());
    }
    for (name, meaning) in OTHERS {
        line(&mut text, &[&format!("`{name}`"), "(none)", meaning, where_it_counts(Home::Embedded)]);
    }
    text
}

fn heading(text: &mut String, group: Group, first: &str) {
    let _ = writeln!(text, "\n### {}\n", group.title());
    line(text, &[first, "default", "meaning", "where"]);
    line(text, &["---"; 4]);
}

fn row(text: &mut String, setting: &Setting, name: &str) {
    let name = format!("`{name}`");
    line(text, &[&name, setting.default_words(), &setting.description(), where_it_counts(setting.home)]);
}

fn presets(text: &mut String) {
    let _ = writeln!(text, "\n### Presets\n");
    line(text, &["preset", "sets"]);
    line(text, &["---"; 2]);
    for preset in Preset::ALL {
        let value = |setting: &Setting| Some(format!("`{} = {}`", setting.name, setting.by_preset(preset)?));
        let values: Vec<String> = CRAWL.iter().filter_map(value).collect();
        line(text, &[&format!("`{}`", preset.name()), &values.join(", ")]);
    }
}

fn line(text: &mut String, cells: &[&str]) {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

const fn where_it_counts(home: Home) -> &'static str {
    match home {
        Home::Embedded => "command",
        Home::Cloud => "services",
        Home::Both => "both",
    }
}
