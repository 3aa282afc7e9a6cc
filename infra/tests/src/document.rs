//! docs/DEPLOY.md: what its commands name is there.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

static SETTING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bRECRAWL_[A-Z0-9_]+").expect("a constant that tests compile"));
static TABLE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\bfrom\s+`?([\w-]+\.[\w-]+)").expect("a constant that tests compile"));

/// Names that a document may use.
#[derive(Debug, Default)]
pub struct Names {
    /// Variables of the configuration.
    pub variables: BTreeSet<String>,
    /// Outputs of the configuration.
    pub outputs: BTreeSet<String>,
    /// Pub/Sub topics.
    pub topics: BTreeSet<String>,
    /// Pub/Sub subscriptions.
    pub subscriptions: BTreeSet<String>,
    /// Secrets.
    pub secrets: BTreeSet<String>,
    /// Cloud Run services.
    pub services: BTreeSet<String>,
    /// Cloud Scheduler jobs.
    pub jobs: BTreeSet<String>,
    /// Tables of `BigQuery`, as `dataset.table`.
    pub tables: BTreeSet<String>,
    /// Addresses of resources.
    pub resources: BTreeSet<String>,
    /// Variables of the service's environment.
    pub environment: BTreeSet<String>,
    /// Commands of `recrawl`.
    pub commands: BTreeSet<String>,
}

/// A fenced block of a Markdown text.
#[derive(Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// What stands behind the fence.
    pub language: String,
    /// What is inside.
    pub text: String,
}

/// Returns the fenced blocks of a Markdown text.
pub fn code_blocks(markdown: &str) -> Vec<CodeBlock> {
    let mut blocks = Vec::new();
    let mut open: Option<CodeBlock> = None;
    for line in markdown.lines() {
        match (line.trim_start().strip_prefix("```"), open.take()) {
            (Some(language), None) => {
                open = Some(CodeBlock { language: language.to_owned(), text: String::new() });
            }
            (Some(_), Some(block)) => blocks.push(block),
            (None, Some(mut block)) => {
                block.text.push_str(line);
                block.text.push('\n');
                open = Some(block);
            }
            (None, None) => {}
        }
    }
    blocks
}

/// Checks every code block of a document, and the settings anywhere in it.
pub fn check(markdown: &str, names: &Names) -> Vec<String> {
    let mut problems = Vec::new();
    for block in code_blocks(markdown) {
        match block.language.as_str() {
            "sh" => check_commands(&block.text, names, &mut problems),
            "hcl" => match hcl::parse(&block.text) {
                Ok(body) => {
                    let keys = body.attributes().map(hcl::Attribute::key);
                    keys.for_each(|key| expect(&names.variables, "variable", key, &mut problems));
                }
                Err(error) => problems.push(format!("{}: {error}", block.text)),
            },
            "sql" | "text" => {}
            other => problems.push(format!("a block of `{other}` cannot be checked")),
        }
        for found in TABLE.captures_iter(&block.text) {
            expect(&names.tables, "table", &found[1], &mut problems);
        }
    }
    for found in SETTING.find_iter(markdown) {
        expect(&names.environment, "setting", found.as_str(), &mut problems);
    }
    problems
}

fn expect(known: &BTreeSet<String>, kind: &str, name: &str, problems: &mut Vec<String>) {
    if !known.contains(name) {
        problems.push(format!("there is no {kind} {name}"));
    }
}

fn check_commands(text: &str, names: &Names, problems: &mut Vec<String>) {
    for line in text.replace("\\\n", " ").lines() {
        let line = line.split(" #").next().unwrap_or_default().trim();
        let words: Vec<&str> =
            line.split_whitespace().map(|word| word.trim_matches(['"', '\'', '$', '(', ')'])).collect();
        for (at, word) in words.iter().enumerate().filter(|_| !line.starts_with('#')) {
            let rest: Vec<&str> = words[at + 1..].iter().copied().take_while(|word| *word != "|").collect();
            // `recrawl` is also the word for the program's own directory or project.
            match *word {
                "gcloud" => check_gcloud(&rest, names, problems),
                "terraform" => check_terraform(&rest, names, problems),
                "recrawl" if at == 0 => match rest.first() {
                    Some(command) => expect(&names.commands, "command recrawl", command, problems),
                    None => problems.push("`recrawl` without a command".to_owned()),
                },
                _ => {}
            }
        }
    }
}

fn check_gcloud(words: &[&str], names: &Names, problems: &mut Vec<String>) {
    let plain: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with('-')).collect();
    match plain.as_slice() {
        ["pubsub", "topics", "publish", name, ..] => expect(&names.topics, "topic", name, problems),
        ["pubsub", "subscriptions", "pull" | "seek" | "describe", name, ..] => {
            expect(&names.subscriptions, "subscription", name, problems);
        }
        ["secrets", "versions", "add", name, ..] => expect(&names.secrets, "secret", name, problems),
        ["run", "services", "describe" | "proxy", name, ..] => {
            expect(&names.services, "service", name, problems);
        }
        ["scheduler", "jobs", "run" | "pause" | "resume" | "describe", name, ..] => {
            expect(&names.jobs, "job", name, problems);
        }
        ["secrets", "create", ..]
        | ["auth", "login" | "application-default", ..]
        | ["config", "set", "project", ..]
        | ["projects", "create" | "delete", ..]
        | ["billing", "projects", "link", ..]
        | ["services", "enable", ..]
        | ["beta", "services", "identity", "create", ..]
        | ["firestore", "databases", "update" | "delete" | "restore", ..]
        | ["firestore", "backups", "list", ..]
        | ["firestore", "import", ..]
        | ["storage", "buckets", "create" | "update", ..]
        | ["builds", "submit", ..] => {}
        other => {
            problems.push(format!("gcloud {}: this test does not know how to check it", other.join(" ")));
        }
    }
}

fn check_terraform(words: &[&str], names: &Names, problems: &mut Vec<String>) {
    let plain: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with('-')).collect();
    match plain.as_slice() {
        ["output"] | ["init" | "apply" | "plan" | "destroy", ..] => {}
        ["output", name, ..] => expect(&names.outputs, "output", name, problems),
        ["state", "rm", address, ..] => expect(&names.resources, "resource", address, problems),
        other => {
            problems.push(format!("terraform {}: this test does not know how to check it", other.join(" ")));
        }
    }
    for (at, word) in words.iter().enumerate() {
        let set = match word.strip_prefix("-var") {
            Some("") => words.get(at + 1).copied(),
            Some(set) => set.strip_prefix('='),
            None => None,
        };
        if let Some((name, _)) = set.and_then(|set| set.split_once('=')) {
            expect(&names.variables, "variable", name.trim_start_matches(['"', '\'']), problems);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn problems(language: &str, text: &str) -> String {
        let names = Names {
            variables: set(&["paused"]),
            outputs: set(&["image"]),
            topics: set(&["crawl"]),
            subscriptions: set(&["dead"]),
            secrets: set(&["keys"]),
            services: set(&["fn"]),
            jobs: set(&["weekly"]),
            tables: set(&["d.t"]),
            resources: set(&["a.b"]),
            environment: set(&["RECRAWL_ROOT"]),
            commands: set(&["changes"]),
        };
        check(&format!("text\n```{language}\n{text}\n```\n"), &names).join("; ")
    }

    #[test]
    fn what_is_there_is_no_problem() {
        for (language, text) in [
            (
                "sh",
                "gcloud pubsub topics publish crawl --message=x\ngcloud secrets versions add keys --data-file=-",
            ),
            ("sh", "gcloud --quiet pubsub subscriptions pull \\\n  dead"),
            ("sh", "image=$(terraform -chdir=infra output -raw image)"),
            ("sh", "terraform apply -var paused=true -var='paused=false'"),
            ("sh", "terraform state rm 'a.b'\nrecrawl changes --store x # recrawl nothing"),
            ("sh", "# gcloud whatever\nRECRAWL_ROOT=x true"),
            ("hcl", "paused = true"),
            ("sql", "SELECT 1 FROM `d.t`"),
        ] {
            assert_eq!(problems(language, text), "", "{text}");
        }
    }

    #[test]
    fn what_is_not_there_is_told() {
        for (language, text, expected) in [
            ("sh", "gcloud pubsub topics publish crwal --message=x", "no topic crwal"),
            ("sh", "gcloud pubsub subscriptions pull x", "no subscription x"),
            ("sh", "gcloud secrets versions add x", "no secret x"),
            ("sh", "gcloud run services describe x", "no service x"),
            ("sh", "gcloud scheduler jobs run x", "no job x"),
            ("sh", "gcloud compute instances list", "does not know"),
            ("sh", "eval \"$(terraform output -raw x)\"", "no output x"),
            ("sh", "terraform apply -var x=true", "no variable x"),
            ("sh", "terraform apply -var='x=true'", "no variable x"),
            ("sh", "terraform state rm x.y", "no resource x.y"),
            ("sh", "terraform validate", "does not know"),
            ("sh", "recrawl chnages", "no command recrawl chnages"),
            ("sh", "RECRAWL_ROOTS=x true", "no setting RECRAWL_ROOTS"),
            ("hcl", "x = true", "no variable x"),
            ("sql", "SELECT 1 FROM `d.x`", "no table d.x"),
            ("python", "", "cannot be checked"),
        ] {
            let found = problems(language, text);
            assert!(found.contains(expected), "{text}: {found}");
        }
    }
}
