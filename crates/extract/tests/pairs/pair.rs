//! Reads the entries of `noise.txt` and `changes.txt`.

use std::path::Path;

use recrawl_core::model::aspect::{Aspect, Aspects};
use recrawl_extract::noise::NoiseRule;

/// A page and its edited form.
#[derive(Debug, Default)]
pub(crate) struct Pair {
    pub(crate) name: String,
    pub(crate) before: String,
    pub(crate) after: String,
    pub(crate) rule: Option<NoiseRule>,
    pub(crate) keep: Option<String>,
    pub(crate) differs: Aspects,
}

/// Loads the pairs of a file.
pub(crate) fn load(kind: &str) -> Vec<Pair> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pairs");
    let read = |name: String| std::fs::read_to_string(folder.join(&name)).expect(&name);
    let text = read(format!("{kind}.txt"));
    text.split("\n\n").map(|entry| parse(entry.trim_matches('\n'), &read)).collect()
}

fn parse(entry: &str, read: &impl Fn(String) -> String) -> Pair {
    let mut lines = entry.lines().peekable();
    let name = lines.next().expect("an entry has a name");
    let (page, _) = name.split_once(": ").unwrap_or_else(|| panic!("{name} names no page"));
    let before = read(format!("pages/{page}.html"));
    let mut pair = Pair { name: name.to_owned(), after: before.clone(), before, ..Pair::default() };
    while let Some(line) = lines.next() {
        let (word, value) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "rule" => pair.rule = Some(value.parse().expect(name)),
            "keep" => pair.keep = Some(value.to_owned()),
            "differs" => {
                let aspects = value.split(' ').map(|aspect| aspect.parse::<Aspect>().expect(name));
                pair.differs = aspects.collect();
            }
            "-" => {
                let mut old = vec![value];
                let mut new = Vec::new();
                while let Some(more) = lines.next_if(|line| line.starts_with('-')) {
                    old.push(more.get(2..).unwrap_or_default());
                }
                while let Some(more) = lines.next_if(|line| line.starts_with('+')) {
                    new.push(more.get(2..).unwrap_or_default());
                }
                let (old, new) = (old.join("\n"), new.join("\n"));
                assert!(pair.after.contains(&old), "{name}: its page has no {old}");
                pair.after = pair.after.replace(&old, &new);
            }
            _ => panic!("{name}: {line} means nothing"),
        }
    }
    assert_ne!(pair.before, pair.after, "{name} edits nothing");
    pair
}
