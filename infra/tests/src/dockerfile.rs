//! The Dockerfile: stages, what is copied between them, and how the image starts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::workspace::Workspace;

/// A Dockerfile as instructions, with arguments filled in.
#[derive(Debug)]
pub struct Dockerfile {
    /// Stages in order; the last one is the image.
    pub stages: Vec<Stage>,
    /// Defaults of the arguments.
    pub arguments: BTreeMap<String, String>,
}

/// What stands between two `FROM`.
#[derive(Debug)]
pub struct Stage {
    /// What it builds on: an image or an earlier stage.
    pub base: String,
    /// What others call it.
    pub name: Option<String>,
    /// Instructions behind `FROM`: word and rest.
    pub instructions: Vec<(String, String)>,
}

impl Dockerfile {
    /// Reads a Dockerfile.
    pub fn parse(text: &str) -> Self {
        let mut file = Self { stages: Vec::new(), arguments: BTreeMap::new() };
        // Comment lines may stand within a continued line.
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
        for line in lines.join("\n").replace("\\\n", " ").lines().filter(|line| !line.trim().is_empty()) {
            let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
            let rest = file.fill_in(&rest.split_whitespace().collect::<Vec<_>>().join(" "));
            match (word, file.stages.last_mut()) {
                ("ARG", _) => {
                    if let Some((name, value)) = rest.split_once('=') {
                        file.arguments.insert(name.to_owned(), value.to_owned());
                    }
                }
                ("FROM", _) => {
                    let (base, name) = rest.split_once(" AS ").unwrap_or((&rest, ""));
                    let name = Some(name.to_owned()).filter(|name| !name.is_empty());
                    file.stages.push(Stage { base: base.to_owned(), name, instructions: Vec::new() });
                }
                (_, Some(stage)) => stage.instructions.push((word.to_owned(), rest)),
                (_, None) => panic!("{word} stands before the first FROM"),
            }
        }
        file
    }

    fn fill_in(&self, text: &str) -> String {
        self.arguments
            .iter()
            .fold(text.to_owned(), |text, (name, value)| text.replace(&format!("${{{name}}}"), value))
    }

    /// Checks stages, programs, packages and the final image.
    pub fn check(&self, workspace: &Workspace) -> Vec<String> {
        let mut problems = Vec::new();
        let mut earlier = BTreeSet::new();
        for stage in &self.stages {
            if !stage.base.contains([':', '/']) && !earlier.contains(&stage.base) {
                problems.push(format!("FROM {}: no stage of this name stands before", stage.base));
            }
            for from in stage.words("COPY").filter_map(|word| word.strip_prefix("--from=")) {
                if !earlier.contains(from) {
                    problems.push(format!("COPY --from={from}: no stage of this name stands before"));
                }
            }
            earlier.extend(stage.name.clone());
        }
        problems.extend(self.check_image(workspace));
        problems
    }

    fn check_image(&self, workspace: &Workspace) -> Vec<String> {
        let mut problems = Vec::new();
        let Some(image) = self.stages.last() else { return vec!["there is no FROM".to_owned()] };
        if !image.base.ends_with(":nonroot") || image.last("USER") != Some("nonroot") {
            problems.push("the image does not run as nonroot".to_owned());
        }
        let copied: Vec<&str> = image.words("COPY").filter(|word| !word.starts_with("--")).collect();
        let mut programs = BTreeSet::new();
        for pair in copied.chunks(2) {
            let names = pair.iter().map(|path| Path::new(path).file_name().and_then(|name| name.to_str()));
            let names: BTreeSet<Option<&str>> = names.collect();
            match names.into_iter().collect::<Vec<_>>().as_slice() {
                [Some(name)] if pair.len() == 2 && pair[1].starts_with("/usr/local/bin/") => {
                    programs.insert((*name).to_owned());
                }
                _ => problems.push(format!("COPY {}: not one program to /usr/local/bin", pair.join(" "))),
            }
        }
        for command in ["cargo chef cook", "cargo build"] {
            let run = self.stages.iter().flat_map(|stage| &stage.instructions);
            let run: Vec<&String> =
                run.map(|(_, rest)| rest).filter(|rest| rest.starts_with(command)).collect();
            let [run] = run.as_slice() else {
                problems.push(format!("there is not one `{command}`"));
                continue;
            };
            for flag in ["--locked", "--profile dist"] {
                if !run.contains(&format!(" {flag} ")) {
                    problems.push(format!("`{command}` has no {flag}"));
                }
            }
            let words: Vec<&str> = run.split(' ').collect();
            let packages = words.windows(2).filter(|pair| pair[0] == "--package").map(|pair| pair[1]);
            let built: BTreeSet<String> =
                packages.filter_map(|package| workspace.programs.get(package)).flatten().cloned().collect();
            if built != programs {
                problems
                    .push(format!("`{command}` makes the programs {built:?}, the image takes {programs:?}"));
            }
        }
        match image.last("ENTRYPOINT").map(serde_json::from_str::<Vec<String>>) {
            Some(Ok(words)) if words.first().is_some_and(|word| copied.contains(&word.as_str())) => {}
            _ => problems.push("ENTRYPOINT is not the exec form of a program in the image".to_owned()),
        }
        problems
    }
}

impl Stage {
    fn words<'a>(&'a self, instruction: &'a str) -> impl Iterator<Item = &'a str> {
        let chosen = self.instructions.iter().filter(move |(word, _)| word == instruction);
        chosen.flat_map(|(_, rest)| rest.split(' '))
    }

    fn last(&self, instruction: &str) -> Option<&str> {
        self.instructions.iter().rev().find(|(word, _)| word == instruction).map(|(_, rest)| rest.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "ARG V=1\nFROM rust:${V} AS one\n# why\nRUN cargo chef cook --locked --profile dist \\\n    --package p\n\
        FROM one AS two\nRUN cargo build --locked --profile dist --package p\n\
        FROM example.org/base:nonroot\nCOPY --from=two /target/p /usr/local/bin/p\nUSER nonroot\n\
        ENTRYPOINT [\"/usr/local/bin/p\"]\n";

    fn problems(text: &str) -> Vec<String> {
        let programs = BTreeMap::from([
            ("p".to_owned(), BTreeSet::from(["p".to_owned()])),
            ("q".to_owned(), BTreeSet::from(["q".to_owned()])),
        ]);
        Dockerfile::parse(text).check(&Workspace { programs, directories: Vec::new() })
    }

    #[test]
    fn a_good_file_has_no_problems() {
        assert_eq!(problems(GOOD), Vec::<String>::new());
        assert_eq!(Dockerfile::parse(GOOD).stages[0].base, "rust:1");
    }

    #[test]
    fn each_mistake_is_told() {
        let table = [
            ("FROM one AS two", "FROM oen AS two", "FROM oen"),
            ("--from=two", "--from=tow", "COPY --from=tow"),
            (":nonroot", ":latest", "does not run as nonroot"),
            ("USER nonroot", "USER root", "does not run as nonroot"),
            ("/target/p", "/target/other", "not one program"),
            ("/usr/local/bin/p\nUSER", "/bin/p\nUSER", "not one program"),
            (
                "build --locked --profile dist --package p",
                "build --locked --profile dist --package q",
                "`cargo build` makes",
            ),
            ("cook --locked", "cook", "`cargo chef cook` has no --locked"),
            (
                "build --locked --profile dist",
                "build --locked --release",
                "`cargo build` has no --profile dist",
            ),
            ("[\"/usr/local/bin/p\"]", "/usr/local/bin/p", "ENTRYPOINT"),
            ("[\"/usr/local/bin/p\"]", "[\"/usr/local/bin/q\"]", "ENTRYPOINT"),
        ];
        for (from, to, expected) in table {
            assert!(GOOD.contains(from), "{from}");
            let found = problems(&GOOD.replace(from, to));
            assert!(found.iter().any(|problem| problem.contains(expected)), "{expected}: {found:?}");
        }
    }
}
