//! Dockerfile and cloudbuild.yaml against the workspace and `infra/`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use recrawl_infra_tests::build::Build;
use recrawl_infra_tests::configuration::{Configuration, attribute};
use recrawl_infra_tests::dockerfile::Dockerfile;
use recrawl_infra_tests::values::Evaluator;
use recrawl_infra_tests::workspace::{Workspace, root, text};

fn build() -> Build {
    Build::parse(&text("cloudbuild.yaml")).unwrap()
}

fn toolchain() -> String {
    let file: toml::Table = text("rust-toolchain.toml").parse().unwrap();
    file["toolchain"]["channel"].as_str().unwrap().to_owned()
}

fn only(names: BTreeSet<String>) -> String {
    assert_eq!(names.len(), 1, "{names:?}");
    names.into_iter().next().unwrap()
}

#[test]
fn the_image_holds_the_programs_of_the_workspace() {
    let dockerfile = Dockerfile::parse(&text("Dockerfile"));
    let problems = dockerfile.check(&Workspace::read().unwrap());
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    let image = dockerfile.stages.last().unwrap();
    let copies: Vec<&str> =
        image.instructions.iter().filter(|(word, _)| word == "COPY").map(|(_, rest)| rest.as_str()).collect();
    for program in ["crawl-fn", "scheduler", "recrawl"] {
        assert!(copies.iter().any(|copy| copy.ends_with(&format!(" /usr/local/bin/{program}"))), "{program}");
    }
}

/// The default build of the command leaves Google Cloud out.
#[test]
fn the_command_in_the_image_reads_firestore() {
    let dockerfile = Dockerfile::parse(&text("Dockerfile"));
    let instructions = dockerfile.stages.iter().flat_map(|stage| &stage.instructions);
    let builds: Vec<&String> =
        instructions.map(|(_, rest)| rest).filter(|rest| rest.contains("--package recrawl")).collect();
    assert_eq!(builds.len(), 2, "{builds:?}");
    for build in builds {
        assert!(build.contains(" --features recrawl/cloud"), "{build}");
    }
}

#[test]
fn every_compiler_is_the_one_of_the_toolchain_file() {
    let version = toolchain();
    let dockerfile = Dockerfile::parse(&text("Dockerfile"));
    assert_eq!(dockerfile.stages[0].base, format!("rust:{version}-bookworm"));
    let build = build();
    let test = build.step("test");
    assert_eq!(test.name, format!("rust:{version}-bookworm"));
    assert_eq!(test.env, [format!("RUSTUP_TOOLCHAIN={version}")]);
}

#[test]
fn nothing_that_cargo_needs_is_kept_from_the_image() {
    let ignored = text(".dockerignore");
    let needed = ["Cargo.toml", "Cargo.lock"].map(std::path::PathBuf::from);
    let members = Workspace::read().unwrap().directories;
    for path in members.into_iter().chain(needed) {
        for pattern in ignored.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            assert!(!path.starts_with(pattern), "{pattern} keeps {} away", path.display());
        }
    }
}

/// State and settings of Terraform, and its providers of hundreds of megabytes, stay at home.
#[test]
fn state_is_never_sent() {
    for file in [".dockerignore", ".gcloudignore"] {
        let ignored = text(file);
        for pattern in ["infra/*.tfstate", "infra/*.tfstate.*", "infra/*.tfvars", ".git"] {
            assert!(ignored.lines().any(|line| line == pattern), "{file} lacks {pattern}");
        }
        let is_local = |line: &str| line.trim_end_matches('/') == "infra/.terraform";
        assert!(ignored.lines().any(is_local), "{file} lacks infra/.terraform");
    }
}

#[test]
fn substitutions_are_declared_and_used() {
    let problems = build().check();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn the_build_goes_where_infra_expects_it() {
    let configuration = Configuration::read(&root().join("infra")).unwrap();
    let evaluator = Evaluator::new(&configuration);
    let region = evaluator.value(attribute(&configuration.variables["region"], "default").unwrap()).unwrap();
    let region = region.as_str().unwrap();
    let repository = only(evaluator.all("google_artifact_registry_repository", "repository_id"));
    let names = evaluator.all("google_cloud_run_v2_service", "name");
    let build = build();
    let (service, page) = (&build.substitutions["_SERVICE"], &build.substitutions["_PAGE_SERVICE"]);
    assert_eq!(names, [service, page].map(String::clone).into());

    let image = format!("{region}-docker.pkg.dev/PROJECT_ID/{repository}/{service}");
    let push = build.step("push");
    assert_eq!(build.fill_in(push.args.last().unwrap()), image);
    let tags: Vec<String> = build.step("build").args.iter().map(|argument| build.fill_in(argument)).collect();
    assert!(tags.contains(&format!("--tag={image}:BUILD_ID")), "{tags:?}");
    let deploy: Vec<String> =
        build.step("deploy").args.iter().map(|argument| build.fill_in(argument)).collect();
    let region = format!("--region={region}");
    let image = format!("--image={image}:BUILD_ID");
    let update = ["run", "services", "update", service, "--project=PROJECT_ID", &region, &image];
    assert_eq!(deploy, update);
    let script = build.fill_in(build.step("deploy-page").args.last().unwrap());
    let update = update
        .join(" ")
        .replace(service.as_str(), page)
        .replace(&format!("/{page}:"), &format!("/{service}:"));
    let words: Vec<&str> = script.split_whitespace().filter(|word| *word != "\\").collect();
    assert!(words.join(" ").contains(&update), "{script}");

    let accounts = evaluator.all("google_service_account", "account_id");
    let account = build.service_account.rsplit('/').next().and_then(|email| email.split('@').next()).unwrap();
    assert!(accounts.contains(account), "{account}");
    assert_eq!(build.options["logging"], "CLOUD_LOGGING_ONLY");
}

#[test]
fn the_build_tests_everything_but_what_needs_terraform() {
    let build = build();
    let script = build.step("test").args.last().unwrap();
    let words: Vec<&str> = script.split_whitespace().collect();
    let excluded: Vec<&str> =
        words.windows(2).filter(|pair| pair[0] == "--exclude").map(|pair| pair[1]).collect();
    assert_eq!(excluded, ["recrawl-infra-tests"]);
    let programs = Workspace::read().unwrap().programs;
    assert!(excluded.iter().all(|package| programs.contains_key(*package)));
    assert!(programs.contains_key("emulator-tests"));
    assert!(script.contains("cargo test --locked --workspace"));
    let position = |id: &str| build.steps.iter().position(|step| step.id == id).unwrap();
    let order = ["emulators", "test", "build", "push", "deploy"].map(position);
    assert!(order.is_sorted(), "{order:?}");
}

/// The tests look for the folder `platform` beside the one of the program `gcloud`.
#[test]
fn the_emulators_are_where_the_tests_look_for_them() {
    let build = build();
    let (from, to) = (build.step("emulators"), build.step("test"));
    assert!(from.name.ends_with("-emulators"), "{}", from.name);
    let [volume] = from.volumes.as_slice() else { panic!("no volume") };
    assert_eq!(from.volumes, to.volumes);
    let (copies, uses) = (build.fill_in(from.args.last().unwrap()), build.fill_in(to.args.last().unwrap()));
    for copy in [format!("/bin/gcloud\" {}/bin/", volume.path), format!("/platform\" {}/", volume.path)] {
        assert!(copies.contains(&copy), "{copies}");
    }
    assert!(uses.contains(&format!("PATH={}/bin:$PATH cargo test", volume.path)), "{uses}");
    assert!(uses.contains("jre-headless"), "{uses}");
}
