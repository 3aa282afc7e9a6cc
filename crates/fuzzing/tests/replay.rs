//! Every seed goes through its target, as in the fuzzer; what was found once is not found again.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use recrawl_fuzzing::TARGETS;

/// Fewer show nothing of what an input is like.
const FEWEST: usize = 10;

/// More would be a burden for everybody who clones the repository.
const MOST_BYTES: usize = 1 << 20;

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn names(folder: &Path) -> BTreeSet<String> {
    files(folder).iter().map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn every_seed_passes() {
    let mut failed = Vec::new();
    for target in TARGETS {
        for seed in files(&folder("seeds").join(target.name)) {
            let data = fs::read(&seed).unwrap();
            if std::panic::catch_unwind(|| (target.run)(&data)).is_err() {
                failed.push(seed);
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn every_target_has_seeds_and_a_program() {
    let expected: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    assert_eq!(names(&folder("seeds")), expected);
    assert_eq!(names(&folder("fuzz/fuzz_targets")), expected);
    for name in &expected {
        let count = files(&folder("seeds").join(name)).len();
        assert!(count >= FEWEST, "{name} has {count} seeds");
    }
}

#[test]
fn seeds_stay_small() {
    let seeds = TARGETS.iter().flat_map(|target| files(&folder("seeds").join(target.name)));
    let bytes: u64 = seeds.map(|seed| fs::metadata(seed).unwrap().len()).sum();
    assert!(bytes < MOST_BYTES as u64, "{bytes} bytes");
}
