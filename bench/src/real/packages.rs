//! Debian packages that bring documents in HTML.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// Those that are crawled if nobody says otherwise: different generators, sizes and decades.
pub(crate) const DEFAULT: &[&str] = &[
    "python3-doc",
    "postgresql-doc",
    "apache2-doc",
    "debian-reference-en",
    "debian-policy",
    "developers-reference",
    "git-doc",
    "libgtk-3-doc",
    "sqlite3-doc",
];

/// Installs those packages that are not installed yet.
pub(crate) fn install(packages: &[String]) -> Result<()> {
    ensure!(
        crate::programs::find("dpkg-query").is_some(),
        "this machine has no Debian packages; crawl a folder of HTML with --site FOLDER"
    );
    let missing: Vec<&String> = packages.iter().filter(|package| !is_installed(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    eprintln!("installing {missing:?}");
    let run = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive").args(arguments).stdout(std::io::stderr());
        command.status().is_ok_and(|status| status.success())
    };
    // The lists may be older than the mirror, or not there at all.
    let updated = run(&["update", "-qq"]);
    let mut arguments = vec!["install", "-y", "-qq", "--no-install-recommends"];
    arguments.extend(missing.iter().map(|package| package.as_str()));
    ensure!(
        run(&arguments),
        "cannot install {missing:?}{}: install them yourself, leave them out with --packages, or crawl a folder of \
         HTML with --site FOLDER",
        if updated { "" } else { " (apt-get update failed, too)" }
    );
    Ok(())
}

fn is_installed(package: &str) -> bool {
    let status = query(&["-W", "-f", "${db:Status-Status}", package]);
    status.is_ok_and(|status| status == "installed")
}

/// Returns the folder that holds the HTML files of a package, or of the package of documents that it stands for.
pub(crate) fn html_folder(package: &str) -> Result<PathBuf> {
    let mut names = vec![package.to_owned()];
    names.extend(documents_of(&query(&["-W", "-f", "${Depends}", package])?));
    let mut files = Vec::new();
    for name in names {
        files.extend(query(&["-L", &name]).unwrap_or_default().lines().map(PathBuf::from));
    }
    files.retain(|file| super::tree::is_html(file) && file.is_file());
    folder_of_most(&files).with_context(|| format!("package {package} has no HTML files"))
}

/// Returns those of the packages that another depends on which are documents themselves.
fn documents_of(depends: &str) -> Vec<String> {
    let names = depends.split(',').filter_map(|part| part.split_whitespace().next());
    names.filter(|name| name.contains("doc")).map(str::to_owned).collect()
}

/// Returns the lowest folder that holds nine in ten of the files: a package may have a page elsewhere, too.
fn folder_of_most(files: &[PathBuf]) -> Option<PathBuf> {
    let mut folder = files.first()?.parent()?;
    // The first file may be the one that is elsewhere.
    let middle = files[files.len() / 2].parent()?;
    if holds(middle, files) > holds(folder, files) {
        folder = middle;
    }
    while 10 * holds(folder, files) < 9 * files.len() {
        folder = folder.parent()?;
    }
    Some(folder.to_owned())
}

fn holds(folder: &Path, files: &[PathBuf]) -> usize {
    files.iter().filter(|file| file.starts_with(folder)).count()
}

fn query(arguments: &[&str]) -> Result<String> {
    let output = Command::new("dpkg-query").args(arguments).output().context("cannot run dpkg-query")?;
    ensure!(output.status.success(), "dpkg-query: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_may_stand_for_another_that_has_the_documents() {
        assert_eq!(
            documents_of("python3.11-doc (>= 3.11~), python3, libjs-sphinxdoc"),
            ["python3.11-doc", "libjs-sphinxdoc"]
        );
        assert!(documents_of("").is_empty());
    }

    #[test]
    fn the_folder_is_the_lowest_that_holds_nearly_all_files() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let mut files = paths(&["/a/doc/html/c/1.html", "/a/doc/html/d/2.html"]);
        assert_eq!(folder_of_most(&files), Some("/a/doc/html".into()));
        files.extend((3..30).map(|number| PathBuf::from(format!("/a/doc/html/d/{number}.html"))));
        files.insert(0, "/elsewhere/0.html".into());
        assert_eq!(folder_of_most(&files), Some("/a/doc/html/d".into()));
        assert_eq!(folder_of_most(&[]), None);
    }
}
