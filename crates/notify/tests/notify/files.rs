//! Digests as files.

use recrawl_core::memory::MemoryStore;
use recrawl_notify::{Digest, deliver};

use crate::world::{digest, read, time, word};

#[tokio::test]
async fn a_digest_is_a_whole_file_under_the_name_of_its_crawl() {
    let (folder, state_store) = (tempfile::tempdir().unwrap(), MemoryStore::default());
    let path = folder.path().join("digests/{site}-{crawl}.md");
    let targets = read(&format!("[a]\nkind = 'markdown'\npath = '{}'", path.display()), &[]).unwrap();
    for digest in [digest(), Digest::made_up(time())] {
        assert_eq!(word(&deliver(&targets, &digest, &state_store).await[0].outcome), "told 1");
    }
    let mut names: Vec<String> = std::fs::read_dir(folder.path().join("digests"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["example.org-crawl-2026-11-16.md", "example.org-test.md"], "and nothing is left over");
    let text =
        std::fs::read_to_string(folder.path().join("digests/example.org-crawl-2026-11-16.md")).unwrap();
    assert!(text.starts_with("# example.org") && text.ends_with('\n'), "{text}");
}

#[tokio::test]
async fn a_place_that_cannot_be_written_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let occupied = folder.path().join("file");
    std::fs::write(&occupied, "x").unwrap();
    let table = format!("[a]\nkind = 'markdown'\npath = '{}/digest.md'", occupied.display());
    let outcome = deliver(&read(&table, &[]).unwrap(), &digest(), &MemoryStore::default()).await;
    let outcome = word(&outcome[0].outcome);
    assert!(outcome.contains("digest.md cannot be written"), "{outcome}");
}

#[tokio::test]
async fn a_rename_that_fails_leaves_nothing_over() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("digest.md/full")).unwrap();
    let table = format!("[a]\nkind = 'markdown'\npath = '{}/digest.md'", folder.path().display());
    let outcome = deliver(&read(&table, &[]).unwrap(), &digest(), &MemoryStore::default()).await;
    assert!(word(&outcome[0].outcome).contains("cannot be written"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
