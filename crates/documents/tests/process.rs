//! The process that reads documents: whatever a file does, it ends within its limits, and says so.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use recrawl_core::model::document::{DocumentFormat, UnreadDocument};
use recrawl_core::ports::DocumentReader as _;
use recrawl_documents::DocumentProcess;
use recrawl_testkit::documents::hostile::{Hostile, all};
use recrawl_testkit::documents::{Pdf, office};

fn program() -> PathBuf {
    env!("CARGO_BIN_EXE_read-document").into()
}

fn town() -> Vec<u8> {
    Pdf::of_paragraphs("A town", &["The bridge is closed."]).write()
}

#[tokio::test]
async fn a_document_is_read_in_a_process_of_its_own() {
    let reader = DocumentProcess::of(program());
    let read = reader.read(DocumentFormat::Pdf, &town()).await;
    assert_eq!(read, recrawl_documents::read(DocumentFormat::Pdf, town()));
    assert!(read.unwrap().lines.iter().any(|line| line.text == "The bridge is closed."));
}

#[tokio::test]
async fn files_that_mean_harm_end_within_their_limits() {
    let reader = DocumentProcess::of(program());
    for Hostile { name, format, bytes } in all() {
        let begin = Instant::now();
        let read = reader.read(format, &bytes).await;
        let took = begin.elapsed();
        assert!(took < Duration::from_secs(40), "{name} took {took:?}");
        let said = match &read {
            Ok(document) if document.cut.is_some() => "cut".to_owned(),
            Ok(document) => format!("{} lines", document.lines.len()),
            Err(reason) => reason.to_string(),
        };
        eprintln!("{name}: {said} in {took:?}");
        // Nothing that the process itself did wrong: it was the file.
        assert!(!matches!(read, Err(UnreadDocument::Process | UnreadDocument::NotBuilt)), "{name}: {said}");
        match name {
            "an encrypted file" => assert_eq!(read, Err(UnreadDocument::Password)),
            "a cut file" | "a package that is cut" => assert_eq!(read, Err(UnreadDocument::BreaksOff)),
            "100,000 empty pages" => assert_eq!(read, Err(UnreadDocument::Scanned)),
            "a cell at the far corner" => assert_eq!(read.unwrap().lines.len(), 3),
            "a laugh of a billion" => assert_eq!(read.unwrap().lines.len(), 1),
            "a zip bomb" => assert_eq!(read, Err(UnreadDocument::Memory)),
            _ => {}
        }
        // And the next one is read as if nothing had been.
        assert!(reader.read(DocumentFormat::Pdf, &town()).await.is_ok(), "after {name}");
    }
}

#[tokio::test]
async fn a_process_that_dies_is_started_again_once() {
    let folder = std::env::temp_dir().join(format!("recrawl-dying-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (script, mark) = (folder.join("dies-once"), folder.join("was-here"));
    // Dies as by `kill -9` the first time, and is the real reader the second.
    let text = format!(
        "#!/bin/sh\nif [ -e {mark} ]; then exec {program} \"$@\"; fi\n: > {mark}\nkill -9 $$\n",
        mark = mark.display(),
        program = program().display()
    );
    std::fs::write(&script, text).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, executable).unwrap();
    let reader = DocumentProcess::of(script.clone());
    assert!(reader.read(DocumentFormat::Pdf, &town()).await.is_ok());
    assert!(mark.exists());
    std::fs::write(&script, "#!/bin/sh\nkill -9 $$\n").unwrap();
    assert_eq!(reader.read(DocumentFormat::Pdf, &town()).await, Err(UnreadDocument::Process));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn a_program_that_is_not_there_or_says_nonsense_is_no_reader() {
    for program in ["/nowhere/at/all", "/bin/true", "/bin/cat"] {
        let reader = DocumentProcess::of(program.into());
        assert_eq!(
            reader.read(DocumentFormat::Pdf, &town()).await,
            Err(UnreadDocument::Process),
            "{program}"
        );
    }
}

#[tokio::test]
async fn a_program_that_does_not_answer_starts_no_copy_of_itself() {
    // This test is such a program.
    let reader = DocumentProcess::of_this_program();
    assert_eq!(reader.read(DocumentFormat::Pdf, &town()).await, Err(UnreadDocument::NotBuilt));
}

#[test]
fn the_process_has_limits_and_nothing_of_the_environment() {
    let mut process = Command::new(program())
        .args(["read-document", "DOCX", "1000000"])
        .env("SECRET", "x")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let folder = format!("/proc/{}", process.id());
    // It waits for its bytes: what it is can be seen as soon as it has started itself again.
    let mut limits = String::new();
    for _ in 0..10_000 {
        let arguments = std::fs::read_to_string(format!("{folder}/cmdline")).unwrap();
        if arguments.contains("within-limits") {
            limits = std::fs::read_to_string(format!("{folder}/limits")).unwrap();
            break;
        }
        std::thread::yield_now();
        std::thread::sleep(Duration::from_millis(1));
    }
    let environment = std::fs::read(format!("{folder}/environ")).unwrap();
    process.kill().unwrap();
    process.wait().unwrap();
    assert_eq!(String::from_utf8_lossy(&environment), "");
    let limit = |name: &str| -> Option<u64> {
        limits.lines().find(|line| line.starts_with(name))?.get(26..)?.split_whitespace().next()?.parse().ok()
    };
    for (name, expected) in [
        ("Max data size", 256 << 20),
        ("Max address space", 320 << 20),
        ("Max cpu time", 10),
        ("Max file size", 0),
        ("Max core file size", 0),
        ("Max open files", 4),
    ] {
        assert_eq!(limit(name), Some(expected), "{name} in {limits}");
    }
}

#[tokio::test]
async fn office_files_are_read_within_the_limits_too() {
    let reader = DocumentProcess::of(program());
    let says = recrawl_testkit::documents::Office {
        heading: "Fees".to_owned(),
        paragraphs: vec!["A boat costs more.".to_owned()],
        ..recrawl_testkit::documents::Office::default()
    };
    for format in DocumentFormat::ALL.into_iter().filter(|format| *format != DocumentFormat::Pdf) {
        let document = reader.read(format, &office(format, &says)).await.unwrap();
        assert_eq!(document.lines[1].text, "A boat costs more.", "{format}");
    }
}
