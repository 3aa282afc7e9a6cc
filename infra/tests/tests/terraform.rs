//! `infra/*.tf` against the schema of the provider, and against itself.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use hcl::{Expression, Value};
use recrawl_infra_tests::configuration::{Configuration, attribute, blocks};
use recrawl_infra_tests::resolution;
use recrawl_infra_tests::schema::Schema;
use recrawl_infra_tests::values::Evaluator;
use recrawl_infra_tests::workspace::{root, text};

fn configuration() -> Configuration {
    Configuration::read(&root().join("infra")).unwrap()
}

fn schema() -> Schema {
    serde_json::from_str(&text("infra/tests/google-provider-6.50-schema.json")).unwrap()
}

fn none(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn every_resource_fits_the_schema_of_the_provider() {
    let (configuration, schema) = (configuration(), schema());
    let resources = configuration.resources.iter();
    let problems: Vec<String> =
        resources.flat_map(|((of, name), body)| schema.check(of, name, body)).collect();
    none(&problems);
}

#[test]
fn the_schema_is_of_the_provider_in_use_and_holds_what_is_used() {
    let (configuration, schema) = (configuration(), schema());
    let terraform = configuration.terraform.as_ref().unwrap();
    let [providers] = blocks(terraform, "required_providers")[..] else { panic!("no required_providers") };
    let google = Evaluator::new(&configuration).value(attribute(providers, "google").unwrap()).unwrap();
    let version = google.as_object().unwrap()["version"].as_str().unwrap();
    let pinned = version.strip_prefix("~> ").expect("a version is pinned by ~>");
    assert!(schema.provider.starts_with(&format!("{pinned}.")), "{} is not {version}", schema.provider);

    let used: BTreeSet<&String> = configuration.resources.keys().map(|(of, _)| of).collect();
    assert_eq!(used, schema.resources.keys().collect::<BTreeSet<_>>());
}

#[test]
fn every_reference_resolves_and_everything_declared_is_used() {
    none(&resolution::check(&configuration(), &schema()));
}

#[test]
fn every_variable_says_what_it_is_and_what_it_may_be() {
    let mut problems = Vec::new();
    for (name, body) in &configuration().variables {
        for field in ["description", "type"] {
            if attribute(body, field).is_none() {
                problems.push(format!("var.{name} has no {field}"));
            }
        }
        // Only two values fit a bool.
        let is_bool =
            matches!(attribute(body, "type"), Some(Expression::Variable(of)) if of.as_str() == "bool");
        if !is_bool && blocks(body, "validation").is_empty() {
            problems.push(format!("var.{name} has no validation"));
        }
        for rule in blocks(body, "validation") {
            if attribute(rule, "condition").is_none() || attribute(rule, "error_message").is_none() {
                problems.push(format!("a validation of var.{name} lacks condition or error_message"));
            }
        }
    }
    for (name, body) in &configuration().outputs {
        if attribute(body, "description").is_none() {
            problems.push(format!("output.{name} has no description"));
        }
    }
    none(&problems);
}

#[test]
fn the_example_of_settings_names_every_variable_and_no_other() {
    // What is commented out is an example as well.
    let example = text("infra/terraform.tfvars.example");
    let lines = example.lines().map(|line| line.strip_prefix("# ").unwrap_or(line));
    let lines: Vec<&str> = lines.filter(|line| line.contains(" = ")).collect();
    let body = hcl::parse(&format!("{}\n", lines.join("\n"))).unwrap();
    let named: BTreeSet<&str> = body.attributes().map(hcl::Attribute::key).collect();
    let configuration = configuration();
    let mut declared: BTreeSet<&str> = configuration.variables.keys().map(String::as_str).collect();
    assert!(declared.remove("image"), "the placeholder is nothing that people set");
    assert_eq!(named, declared);
}

/// Deadlines fit into each other, or Cloud Run would cut requests that Pub/Sub still waits for.
#[test]
fn deadlines_and_limits_fit_together() {
    let configuration = configuration();
    let evaluator = Evaluator::new(&configuration);
    let number = |expression: &Expression| match evaluator.value(expression).unwrap() {
        Value::Number(number) => number.as_u64().unwrap(),
        other => other.as_str().unwrap().trim_end_matches('s').parse().unwrap(),
    };
    let [template] = blocks(service(&configuration, "crawl_fn"), "template")[..] else {
        panic!("no template")
    };
    let [scaling] = blocks(template, "scaling")[..] else { panic!("no scaling") };
    let deadline = number(&configuration.locals["ack_deadline_seconds"]);
    assert_eq!(deadline, 600);
    assert!(number(attribute(template, "timeout").unwrap()) >= deadline + 60);
    let waiting = number(attribute(template, "max_instance_request_concurrency").unwrap());
    assert!(waiting < deadline, "at a request a second {waiting} pages wait for longer than {deadline} s");
    assert_eq!(number(attribute(scaling, "max_instance_count").unwrap()), 1);
    assert_eq!(number(attribute(scaling, "min_instance_count").unwrap()), 0);
    assert_eq!(number(&configuration.locals["max_delivery_attempts"]), 100);
}

#[test]
fn no_subscription_expires_by_itself() {
    let configuration = configuration();
    let subscriptions =
        configuration.resources.iter().filter(|((of, _), _)| of == "google_pubsub_subscription");
    for ((_, name), body) in subscriptions {
        let [policy] = blocks(body, "expiration_policy")[..] else { panic!("{name} expires after 31 days") };
        assert_eq!(attribute(policy, "ttl"), Some(&Expression::String(String::new())), "{name}");
    }
}

#[test]
fn roles_are_small() {
    let evaluated = configuration();
    let evaluator = Evaluator::new(&evaluated);
    let on_project: Vec<String> = evaluator.all("google_project_iam_member", "role").into_iter().collect();
    assert_eq!(on_project, ["roles/datastore.user", "roles/datastore.viewer", "roles/logging.logWriter"]);
    for ((of, name), body) in evaluated.resources.iter().filter(|((of, _), _)| of.ends_with("_iam_member")) {
        let role = evaluator.value(attribute(body, "role").unwrap()).unwrap();
        let role = role.as_str().unwrap().to_lowercase();
        assert!(
            !["owner", "editor", "admin"]
                .iter()
                .any(|word| role.ends_with(word) && role != "roles/bigquery.dataeditor"),
            "{of}.{name}: {role}"
        );
        let member = attribute(body, "member").unwrap().to_string();
        assert!(!member.contains("allUsers") && !member.contains("allAuthenticatedUsers"), "{of}.{name}");
    }
}

/// Gives a variable another default.
fn set(configuration: &mut Configuration, name: &str, value: Value) {
    let rest = configuration.variables[name].clone().into_iter();
    let rest = rest.filter(|part| part.as_attribute().is_none_or(|set| set.key() != "default"));
    let body = hcl::Body::builder().add_attribute(("default", value)).add_structures(rest).build();
    configuration.variables.insert(name.to_owned(), body);
}

/// The placeholder answers 200 to everything, so what reaches it is lost.
#[test]
fn nothing_is_sent_to_the_placeholder() {
    let mut configuration = configuration();
    for (image_built, paused, expected) in
        [(false, false, "false"), (false, true, "false"), (true, true, "false"), (true, false, "true")]
    {
        set(&mut configuration, "image_built", Value::from(image_built));
        set(&mut configuration, "paused", Value::from(paused));
        let is_live = Evaluator::new(&configuration).value(&configuration.locals["is_live"]).unwrap();
        assert_eq!(is_live.to_string(), expected, "built: {image_built}, paused: {paused}");
    }
    let resources =
        |of: &'static str| configuration.resources.iter().filter(move |((known, _), _)| known == of);
    let mut jobs = 0;
    for ((_, name), body) in resources("google_cloud_scheduler_job") {
        assert_eq!(attribute(body, "paused").unwrap().to_string(), "!local.is_live", "{name}");
        jobs += 1;
    }
    assert_eq!(jobs, 2);
    // Messages of people wait as well: Pub/Sub is not let in.
    let door = ("google_cloud_run_v2_service_iam_member".to_owned(), "push_invokes".to_owned());
    let door = attribute(&configuration.resources[&door], "count").unwrap().to_string();
    assert!(door.contains("var.image_built"), "{door}");
}

/// A look that acknowledges nothing is a delivery, and after a hundred of them a message would be a dead letter.
#[test]
fn a_look_at_announcements_makes_no_dead_letter() {
    let configuration = configuration();
    let subscription = ("google_pubsub_subscription".to_owned(), "changed_pages".to_owned());
    let subscription = &configuration.resources[&subscription];
    assert!(blocks(subscription, "dead_letter_policy").is_empty());
    let look = attribute(&configuration.outputs["announcements_command"], "value").unwrap().to_string();
    assert!(
        look.contains("google_pubsub_subscription.changed_pages.name") && !look.contains("auto-ack"),
        "{look}"
    );
}

/// What the service says in the field `alarm` reaches a person, and nothing is waited for that it never says.
#[test]
fn there_is_an_alert_for_each_alarm_of_the_service() {
    let configuration = configuration();
    let Expression::Object(alarms) = &configuration.locals["alarms"] else { panic!("no object") };
    let waited_for: BTreeSet<String> = alarms.keys().map(ToString::to_string).collect();
    let said = regex::Regex::new(r#"alarm = "(\w+)""#).unwrap();
    let mut told = BTreeSet::new();
    for directory in ["crates/engine/src", "crawl-fn/src"] {
        let sources = rust(&root().join(directory));
        told.extend(said.captures_iter(&sources).map(|found| found[1].to_owned()));
    }
    assert_eq!(waited_for, told);
    assert!(["overdue", "overlong", "unusual"].iter().all(|alarm| told.contains(*alarm)), "{told:?}");
}

fn rust(directory: &Path) -> String {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let texts = entries.map(|path| match path.extension() {
        _ if path.is_dir() => rust(&path),
        Some(extension) if extension == "rs" => std::fs::read_to_string(&path).unwrap(),
        Some(_) | None => String::new(),
    });
    texts.collect()
}

/// With 429 and 503 the service and Cloud Run ask Pub/Sub to come again, which is no error.
#[test]
fn filters_of_the_log_leave_out_what_is_only_told_to_come_again() {
    let configuration = configuration();
    let errors = configuration.locals["errors"].to_string();
    for part in
        ["severity>=ERROR", "NOT httpRequest.status=429", "NOT log_id(\\\"run.googleapis.com/requests\\\")"]
    {
        assert!(errors.contains(part), "{part} in {errors}");
    }
    let logs = attribute(&configuration.outputs["logs_command"], "value").unwrap().to_string();
    assert!(logs.contains("NOT httpRequest.status=429"), "{logs}");
    let policy = |name: &str| {
        let address = ("google_monitoring_alert_policy".to_owned(), name.to_owned());
        hcl::to_string(&configuration.resources[&address]).unwrap()
    };
    assert!(policy("errors").contains("filter = local.errors"), "{}", policy("errors"));
    assert!(policy("alarm").contains("jsonPayload.alarm="), "{}", policy("alarm"));
    // A condition on the log is alone in its policy, and has to say how often it writes.
    for name in ["errors", "alarm"] {
        assert_eq!(policy(name).matches("conditions {").count(), 1, "{name}");
        assert!(policy(name).contains("notification_rate_limit"), "{name}");
    }
}

#[test]
fn bodies_become_cheaper_and_backups_go_after_their_weeks() {
    let configuration = configuration();
    let bucket = &configuration.resources[&("google_storage_bucket".to_owned(), "bodies".to_owned())];
    let [rule] = blocks(bucket, "lifecycle_rule")[..] else { panic!("no rule") };
    let told: String = hcl::to_string(rule).unwrap().split_whitespace().collect();
    for part in [
        "\"SetStorageClass\"",
        "storage_class=\"NEARLINE\"",
        "age=90",
        "matches_storage_class=[\"STANDARD\"]",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(attribute(bucket, "storage_class"), Some(&Expression::String("STANDARD".to_owned())));
    let backups = ("google_firestore_backup_schedule".to_owned(), "weekly".to_owned());
    let backups = hcl::to_string(&configuration.resources[&backups]).unwrap();
    assert!(backups.contains("var.backup_weeks * 604800"), "{backups}");
    assert!(backups.contains("weekly_recurrence"), "{backups}");
}

fn service<'a>(configuration: &'a Configuration, name: &str) -> &'a hcl::Body {
    &configuration.resources[&("google_cloud_run_v2_service".to_owned(), name.to_owned())]
}

/// The web page shows everything that was found, so nobody sees it unless a person says who.
#[test]
fn the_page_is_off_and_shown_to_nobody_until_somebody_says_so() {
    let text = |configuration: &Configuration, local: &str| {
        let value = Evaluator::new(configuration).value(&configuration.locals[local]);
        value.unwrap_or_else(|| panic!("local.{local} cannot be told")).to_string()
    };
    let mut configuration = configuration();
    assert_eq!(text(&configuration, "has_page"), "false");
    for (mode, readers) in
        [("off", "[]"), ("private", "[\"user:you@example.org\"]"), ("public", "[\"allUsers\"]")]
    {
        set(&mut configuration, "web_page", Value::from(mode));
        set(&mut configuration, "web_page_members", Value::from(vec!["user:you@example.org"]));
        set(&mut configuration, "all_users_allowed", Value::from(true));
        let told = text(&configuration, "page_readers").split_whitespace().collect::<String>();
        assert_eq!(told.replace(",]", "]"), readers, "{mode}");
        assert_eq!(text(&configuration, "has_page"), (mode != "off").to_string(), "{mode}");
        assert_eq!(text(&configuration, "is_page_unguarded"), "false", "{mode}");
        // Where no role may be given to everybody, a public page is one whose visitors are not checked.
        set(&mut configuration, "all_users_allowed", Value::from(false));
        assert!(!text(&configuration, "page_readers").contains("allUsers"), "{mode}");
        assert_eq!(text(&configuration, "is_page_unguarded"), (mode == "public").to_string(), "{mode}");
    }
    let unguarded = |(name, body): (&str, &hcl::Body)| {
        let found = attribute(body, "invoker_iam_disabled").map(ToString::to_string).unwrap_or_default();
        assert_eq!(found.contains("local.is_page_unguarded"), name == "web_page", "{name}: {found}");
        assert_eq!(found.is_empty(), name != "web_page", "{name}: {found}");
    };
    ["web_page", "crawl_fn"]
        .map(|name| (name, service(&configuration, name)))
        .into_iter()
        .for_each(unguarded);
    for ((of, name), body) in &configuration.resources {
        let is_of_page = name.contains("page") && !name.contains("changed_pages");
        let count = attribute(body, "count").map(ToString::to_string).unwrap_or_default();
        let each = attribute(body, "for_each").map(ToString::to_string).unwrap_or_default();
        let is_switched = count.contains("local.has_page") || each.contains("local.page_readers");
        assert_eq!(is_of_page, is_switched, "{of}.{name} and the switch of the page");
    }
}

/// `recrawl serve` is told only what it understands, cannot write, and listens where Cloud Run calls.
#[test]
fn the_page_only_reads_and_costs_nothing_while_nobody_looks() {
    let configuration = configuration();
    let evaluator = Evaluator::new(&configuration);
    let [template] = blocks(service(&configuration, "web_page"), "template")[..] else {
        panic!("no template")
    };
    let [container] = blocks(template, "containers")[..] else { panic!("no container") };
    let Some(Expression::Array(arguments)) = attribute(container, "args") else { panic!("no arguments") };
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    let arguments: Vec<&str> = arguments.iter().map(|argument| argument.trim_matches('"')).collect();
    assert_eq!(arguments[..2], ["serve", "--read-only"]);
    let command = text("cli/src/serve.rs");
    for flag in arguments.iter().filter_map(|argument| argument.strip_prefix("--")) {
        let field = flag.split('=').next().unwrap().replace('-', "_");
        assert!(command.contains(&format!("    {field}: ")), "`recrawl serve` has no --{flag}");
    }
    let [ports] = blocks(container, "ports")[..] else { panic!("no ports") };
    let port = evaluator.value(attribute(ports, "container_port").unwrap()).unwrap();
    assert!(arguments.contains(&format!("--listen=0.0.0.0:{port}").as_str()), "{arguments:?}");
    let [scaling] = blocks(template, "scaling")[..] else { panic!("no scaling") };
    for (field, wanted) in [("min_instance_count", 0), ("max_instance_count", 1)] {
        assert_eq!(evaluator.value(attribute(scaling, field).unwrap()), Some(Value::from(wanted)), "{field}");
    }
    let of_page = |(of, _): &(String, String), body: &hcl::Body| {
        let member = attribute(body, "member").map(ToString::to_string).unwrap_or_default();
        of.ends_with("_iam_member") && member.contains("google_service_account.page")
    };
    let grants = configuration.resources.iter().filter(|(address, body)| of_page(address, body));
    let roles: BTreeSet<String> = grants
        .map(|(_, body)| evaluator.value(attribute(body, "role").unwrap()).unwrap().to_string())
        .collect();
    let readers = ["\"roles/datastore.viewer\"", "\"roles/storage.objectViewer\""];
    assert_eq!(roles, readers.map(str::to_owned).into());
}

/// Runs Terraform.
fn terraform(directory: &Path, arguments: &[&str]) -> Output {
    run("terraform", directory, arguments)
}

fn run(program: &str, directory: &Path, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).current_dir(directory).output().unwrap_or_else(|error| {
        let how =
            "install Terraform (https://developer.hashicorp.com/terraform/install) and run the tests again";
        panic!("{program} could not be started ({error}), so nothing was checked; {how}")
    })
}

/// A check that did not take place must not count as passed.
#[test]
#[should_panic(
    expected = "nothing was checked; install Terraform (https://developer.hashicorp.com/terraform/install)"
)]
fn a_check_fails_where_terraform_is_missing() {
    run("terraform-that-nobody-installed", &root(), &["version"]);
}

#[test]
fn terraform_agrees_with_the_format() {
    let output = terraform(&root(), &["fmt", "-check", "-recursive", "-diff", "infra"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn terraform_has_every_function_that_is_called() {
    let output = terraform(&root(), &["metadata", "functions", "-json"]);
    let known: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let functions = resolution::functions(&configuration());
    assert!(functions.contains("base64encode"));
    // Types of variables look like calls.
    let types = ["list", "map", "object", "optional", "set"];
    for function in functions.iter().filter(|function| !types.contains(&function.as_str())) {
        assert!(known["function_signatures"].get(function).is_some(), "there is no function {function}");
    }
}

/// Variables need no provider, so Terraform itself can judge them.
#[test]
fn terraform_takes_good_settings_and_refuses_bad_ones() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::copy(root().join("infra/variables.tf"), directory.path().join("variables.tf")).unwrap();
    let output = terraform(directory.path(), &["init", "-input=false"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let good = [
        "project=my-recrawl",
        "root_url=https://www.portland.gov/transportation",
        "contact=https://example.org/me",
    ];
    let table: &[(bool, &[&str])] = &[
        (true, &["delay=2.5"]),
        (true, &["root_url=http://127.0.0.1:8080/a?b=c"]),
        (true, &["contact=mailto:me@example.org"]),
        (true, &["schedule=*/5 0-3 1,15 JAN-MAR mon"]),
        (true, &["time_zone=America/Argentina/Buenos_Aires"]),
        (true, &["archive=all"]),
        (true, &["alert_email=me@example.org"]),
        (true, &["billing_account=0A1B2C-3D4E5F-6A7B8C"]),
        (true, &["image=us-west1-docker.pkg.dev/my-recrawl/crawler/crawl-fn:1.0"]),
        (true, &["settings={RECRAWL_EXCLUDE=\"/a/*\"}"]),
        (true, &["sites={port={root=\"https://port.example/\"}}", "adopt=true"]),
        (
            true,
            &[
                "sites={port={root=\"https://port.example/\",schedule=\"0 4 * * 2\",settings={exclude=[\"*/a/*\"]},notify=\"{}\"}}",
            ],
        ),
        (
            true,
            &[
                "notify={\"team\":{\"kind\":\"slack\",\"url-env\":\"TEAM_HOOK\"}}",
                "secrets={TEAM_HOOK=\"team-hook\"}",
            ],
        ),
        (false, &["sites={Port={root=\"https://port.example/\"}}"]),
        (false, &["sites={port={root=\"port.example\"}}"]),
        (false, &["sites={port={root=\"https://port.example/\",notify=\"team\"}}"]),
        (false, &["notify=team"]),
        (false, &["secrets={RECRAWL_HOOK=\"team-hook\"}"]),
        (true, &["web_page=private", "image_built=true"]),
        (true, &["web_page=public", "image_built=true", "all_users_allowed=false"]),
        (
            true,
            &["web_page_members=[\"user:a@example.org\", \"group:b@example.org\", \"domain:example.org\"]"],
        ),
        (true, &["bodies_bucket=true", "all_bodies_in_bucket=true"]),
        (true, &["backup_weeks=14"]),
        (true, &["overdue_days=35", "overlong_hours=36.5"]),
        (false, &["web_page=private"]),
        (false, &["all_bodies_in_bucket=true"]),
        (false, &["backup_weeks=15"]),
        (false, &["backup_weeks=-1"]),
        (false, &["backup_weeks=1.5"]),
        (false, &["overdue_days=0"]),
        (false, &["overlong_hours=0"]),
        (false, &["image_built=soon"]),
        (false, &["web_page=open"]),
        (false, &["web_page_members=[\"allUsers\"]"]),
        (false, &["web_page_members=[\"you@example.org\"]"]),
        (false, &["settings={RECRAWL_ARCHIVE_KEYS=\"a:b\"}"]),
        (false, &["project=My-Recrawl"]),
        (false, &["project=short"]),
        (false, &["region=nam5"]),
        (false, &["root_url=ftp://example.org/"]),
        (false, &["root_url=https://me:secret@example.org/"]),
        (false, &["root_url=https://example.org/#top"]),
        (false, &["root_url=www.example.org"]),
        (false, &["contact=me"]),
        (false, &["contact=https://example.org/)("]),
        (false, &["contact=https://example.org/é"]),
        (false, &["delay=0.5"]),
        (false, &["delay=61"]),
        (false, &["delay=soon"]),
        (false, &["keep_crawls=1"]),
        (false, &["keep_crawls=2.5"]),
        (false, &["schedule=0 3 * *"]),
        (false, &["schedule=every monday"]),
        (false, &["schedule=0 3 * * 1 *"]),
        (false, &["time_zone=pacific time"]),
        (false, &["archive=sometimes"]),
        (false, &["alert_email=me"]),
        (false, &["backlog_hours=0"]),
        (false, &["billing_account=123"]),
        (false, &["budget=0"]),
        (false, &["image=Hello World"]),
        (false, &["paused=maybe"]),
    ];
    for (is_good, settings) in table {
        let mut arguments = vec!["plan", "-input=false", "-no-color"];
        // The last one counts.
        for setting in good.iter().chain(*settings) {
            arguments.extend(["-var", setting]);
        }
        let output = terraform(directory.path(), &arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.success(), *is_good, "{settings:?}: {said}");
        assert!(*is_good || said.contains("Invalid value for"), "{settings:?}: {said}");
    }
}

/// Terraform judges the place of its state before anything else; that there is nobody to sign in is said after that.
#[test]
fn the_example_of_a_shared_state_is_taken() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::copy(root().join("infra/backend.tf.example"), directory.path().join("backend.tf")).unwrap();
    let output = terraform(directory.path(), &["fmt", "-check", "-diff"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let mut command = Command::new("terraform");
    command.args(["init", "-input=false", "-no-color"]).current_dir(directory.path());
    let output = command.env("GOOGLE_APPLICATION_CREDENTIALS", "/nobody").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("error getting credentials"), "{said}");
}
