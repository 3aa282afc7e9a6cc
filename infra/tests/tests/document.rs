//! docs/DEPLOY.md and the service's settings against `infra/`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::Path;

use recrawl_infra_tests::configuration::{Configuration, attribute, blocks};
use recrawl_infra_tests::document::{Names, check, code_blocks};
use recrawl_infra_tests::values::Evaluator;
use recrawl_infra_tests::workspace::{root, text};
use recrawl_settings::Setting;
use recrawl_settings::table::{CRAWL, PROCESS};
use regex::Regex;

fn configuration() -> Configuration {
    Configuration::read(&root().join("infra")).unwrap()
}

/// The variables of the service that `infra/` gives by itself: keys of the local, and what a variable switches on.
fn given(configuration: &Configuration) -> BTreeSet<String> {
    let hcl::Expression::Object(settings) = &configuration.locals["environment"] else { panic!("no object") };
    let service =
        &configuration.resources[&("google_cloud_run_v2_service".to_owned(), "crawl_fn".to_owned())];
    let containers = blocks(blocks(service, "template")[0], "containers");
    let added = blocks(containers[0], "env").into_iter().filter_map(|env| match attribute(env, "name") {
        Some(hcl::Expression::String(name)) => Some(name.clone()),
        _ => None,
    });
    settings.keys().map(ToString::to_string).chain(added).collect()
}

/// The variables that a person can set through the variable `settings`.
fn passed_on() -> BTreeSet<String> {
    let name = Regex::new("\"(RECRAWL_[A-Z0-9_]+)\"").unwrap();
    name.captures_iter(&text("infra/variables.tf")).map(|found| found[1].to_owned()).collect()
}

/// The environment of the service.
fn environment(configuration: &Configuration) -> BTreeSet<String> {
    given(configuration).union(&passed_on()).cloned().collect()
}

fn names(configuration: &Configuration) -> Names {
    let evaluator = Evaluator::new(configuration);
    let all = |of: &str, field: &str| evaluator.all(of, field);
    let datasets = all("google_bigquery_dataset", "dataset_id");
    let tables = all("google_bigquery_table", "table_id");
    // The reference has a table of the commands, written from the program.
    let reference = text("docs/REFERENCE.md");
    let command = Regex::new(r"`(?:recrawl )?([a-z]+)[ `]").unwrap();
    let rows = reference.lines().filter(|line| line.starts_with("| [`recrawl "));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let commands = cells.flat_map(|cell| command.captures_iter(cell)).map(|found| found[1].to_owned());
    Names {
        variables: configuration.variables.keys().cloned().collect(),
        outputs: configuration.outputs.keys().cloned().collect(),
        topics: all("google_pubsub_topic", "name"),
        subscriptions: all("google_pubsub_subscription", "name"),
        secrets: all("google_secret_manager_secret", "secret_id"),
        services: all("google_cloud_run_v2_service", "name"),
        jobs: all("google_cloud_scheduler_job", "name"),
        tables: datasets
            .iter()
            .flat_map(|dataset| tables.iter().map(move |table| format!("{dataset}.{table}")))
            .collect(),
        resources: configuration.resources.keys().map(|(of, name)| format!("{of}.{name}")).collect(),
        // What is only set elsewhere than on Cloud Run is explained, too.
        environment: environment(configuration)
            .into_iter()
            .chain(PROCESS.iter().map(Setting::variable))
            .collect(),
        commands: commands.collect(),
    }
}

#[test]
fn the_names_are_those_of_the_design() {
    let configuration = configuration();
    let names = names(&configuration);
    let list = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(
        list(&names.topics),
        "archive archive-dead changed-pages changed-pages-dead crawl crawl-dead tick"
    );
    assert_eq!(
        list(&names.subscriptions),
        "archive archive-dead changed-pages changed-pages-bigquery changed-pages-dead crawl crawl-dead tick"
    );
    assert_eq!(list(&names.jobs), "tick weekly");
    assert_eq!(list(&names.secrets), "archive-keys");
    assert_eq!(list(&names.tables), "recrawl.changed_pages");
    assert!(names.commands.contains("changes") && names.commands.contains("stats"));
}

#[test]
fn what_the_document_names_is_there() {
    let problems = check(&text("docs/DEPLOY.md"), &names(&configuration()));
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn the_document_names_what_people_must_set_and_every_output() {
    let document = text("docs/DEPLOY.md");
    let configuration = configuration();
    let required = configuration.variables.iter().filter(|(_, body)| attribute(body, "default").is_none());
    for name in required.map(|(name, _)| name).chain(configuration.outputs.keys()) {
        assert!(
            Regex::new(&format!(r"\b{name}\b")).unwrap().is_match(&document),
            "DEPLOY does not name {name}"
        );
    }
}

#[test]
fn the_document_shows_the_way_from_start_to_end() {
    let commands: String = code_blocks(&text("docs/DEPLOY.md"))
        .into_iter()
        .filter(|block| block.language == "sh")
        .map(|block| block.text)
        .collect();
    let mut from = 0;
    for step in [
        "terraform -chdir=infra init",
        "terraform -chdir=infra apply",
        "output -raw build_command",
        "gcloud pubsub topics publish crawl --message=",
        "recrawl changes --store firestore:",
        "gcloud secrets versions add archive-keys",
        "-var paused=true",
        "gcloud pubsub subscriptions pull crawl-dead",
        "terraform -chdir=infra destroy",
    ] {
        let found = commands[from..].find(step);
        from += found.unwrap_or_else(|| panic!("`{step}` is missing, or stands too early"));
    }
}

fn sources(directory: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.push_str(&sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
    all
}

/// What a person may set beside what `infra/` gives by itself; the table of settings says what there is.
#[test]
fn every_setting_that_counts_in_the_cloud_is_passed_on() {
    let given = given(&configuration());
    let of_crawls = CRAWL.iter().filter(|row| row.is_for_cloud()).map(Setting::variable);
    let mut expected: BTreeSet<String> = of_crawls.filter(|name| !given.contains(name)).collect();
    // The variable `delay` says the same.
    expected.remove("RECRAWL_RATE");
    // Cloud Scheduler opens the crawls of `root_url`; each of `sites` has a schedule of its own.
    for name in ["RECRAWL_SCHEDULE", "RECRAWL_TIME_ZONE"] {
        assert!(expected.remove(name), "{name}");
    }
    expected.extend(["RECRAWL_LOG", "RECRAWL_PRICES", "RECRAWL_QUIET"].map(str::to_owned));
    let expected: Vec<String> = expected.into_iter().collect();
    let passed_on: Vec<String> = passed_on().into_iter().collect();
    assert_eq!(passed_on, expected, "the list of the variable settings in infra/variables.tf");
}

#[test]
fn the_service_reads_every_setting_that_it_is_given() {
    let rows = CRAWL.iter().chain(PROCESS).filter(|row| row.is_for_cloud());
    let known: BTreeSet<String> = rows.map(Setting::variable).collect();
    let ours = environment(&configuration()).into_iter().filter(|name| name.starts_with("RECRAWL_"));
    let missing: Vec<String> = ours.filter(|name| !known.contains(name)).collect();
    assert!(missing.is_empty(), "crawl-fn does not read {}", missing.join(", "));
}

#[test]
fn the_service_answers_where_it_is_called() {
    let sources = sources(&root().join("crawl-fn/src"));
    let configuration = configuration();
    let pushed = Evaluator::new(&configuration).value(&configuration.locals["pushed"]).unwrap();
    let paths = pushed.as_object().unwrap().values().map(|push| push.as_object().unwrap()["path"].clone());
    let paths: Vec<String> = paths.map(|path| path.as_str().unwrap().to_owned()).collect();
    assert_eq!(paths.len(), 3);
    for path in paths.iter().map(String::as_str).chain(["/healthz"]) {
        assert!(sources.contains(&format!("\"{path}\"")), "crawl-fn has no route {path}");
    }
}

/// An index entry for every link would make Firestore refuse a page with many: 40,000 are the most.
#[test]
fn lists_and_compressed_bytes_are_not_indexed() {
    let configuration = configuration();
    let exempt = Evaluator::new(&configuration).value(&configuration.locals["not_indexed"]).unwrap();
    let exempt: BTreeSet<(String, String)> = exempt
        .as_object()
        .unwrap()
        .values()
        .map(|entry| {
            let part = |name: &str| entry.as_object().unwrap()[name].as_str().unwrap().to_owned();
            (part("collection"), part("field"))
        })
        .collect();

    let shapes = root().join("crates/store-firestore/src");
    let all = sources(&shapes);
    for (collection, field) in &exempt {
        assert!(all.contains(&format!("/{collection}/{{")), "the store has no collection {collection}");
        assert!(
            Regex::new(&format!(r#"\b{field}: |rename = "{field}""#)).unwrap().is_match(&all),
            "the store has no field {field}"
        );
    }
    // Two collections have a field of this name, and either may be long.
    for collection in ["content", "links"] {
        assert!(exempt.contains(&(collection.to_owned(), "outbound_links".to_owned())), "{collection}");
    }
    // Pages of a crawl have one, because their collections cannot be named ahead. The lists of a site's settings are short.
    let large = Regex::new(
        r#"(?m)^    (?:#\[serde\(rename = "(\w+)".*\]\n    )?(?:pub\(crate\) )?(\w+): (?:Option<)?(?:Binary|Vec<String>)>?,$"#,
    );
    let fields = large
        .unwrap()
        .captures_iter(&all)
        .map(|found| found.get(1).or(found.get(2)).unwrap().as_str())
        .collect::<BTreeSet<_>>();
    assert!(fields.len() > 5, "this test looks for the wrong thing: {fields:?}");
    for field in fields.difference(&["details", "exclude", "extra_hosts", "include"].into()) {
        assert!(exempt.iter().any(|(_, known)| known == field), "{field} would be indexed");
    }
}
