//! Digests as Markdown files.

use std::io;
use std::path::{Path, PathBuf};

use tokio::io::AsyncWriteExt;

use super::SendError;
use crate::format::markdown;
use crate::notification::{Notification, Stage};
use crate::target::TargetName;

/// A file a crawl, named by a pattern with `{site}` and `{crawl}`.
#[derive(Debug)]
pub(crate) struct File {
    pattern: String,
}

impl File {
    /// Reads a pattern; `None` where it names no file or has other words in braces.
    pub(crate) fn new(pattern: &str) -> Option<Self> {
        let rest = pattern.replace("{site}", "").replace("{crawl}", "");
        let is_file =
            !pattern.is_empty() && !pattern.ends_with(['/', '.']) && !rest.contains(['{', '}', '\0']);
        is_file.then(|| Self { pattern: pattern.to_owned() })
    }

    /// Writes the digest. Readers see the old file or the new one, never a part.
    pub(crate) async fn write(
        &self,
        notification: &Notification<'_>,
        target: &TargetName,
    ) -> Result<u32, SendError> {
        let path = self.path(notification, target);
        let text = markdown::write(notification);
        let failed = |error| SendError::Trouble {
            attempts: 1,
            what: format!("{} cannot be written ({error})", path.display()),
            wait: None,
        };
        write_whole(&path, text.as_bytes()).await.map_err(failed)?;
        Ok(1)
    }

    /// Names of sites, crawls and targets are safe in paths.
    fn path(&self, notification: &Notification<'_>, target: &TargetName) -> PathBuf {
        let (site, crawl) = match (&notification.together, notification.parts.first()) {
            (None, Some(part)) if notification.stage != Stage::Test => {
                (part.digest.site.to_string(), part.digest.crawl.to_string())
            }
            // It must not take the place of a digest.
            (None, Some(part)) => (part.digest.site.to_string(), "test".to_owned()),
            (None, None) => (target.to_string(), "empty".to_owned()),
            (Some(together), _) => {
                let day = together.at.to_zoned(together.zone.clone()).date();
                (target.to_string(), day.to_string())
            }
        };
        self.pattern.replace("{site}", &site).replace("{crawl}", &crawl).into()
    }
}

async fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        tokio::fs::create_dir_all(folder).await?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let written = write_and_rename(&beside, path, bytes).await;
    if written.is_err() {
        // What is left over is of no use; that it cannot be removed is no worse than what went wrong.
        let _ = tokio::fs::remove_file(&beside).await;
    }
    written
}

async fn write_and_rename(beside: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = tokio::fs::File::create(beside).await?;
    file.write_all(bytes).await?;
    file.sync_all().await?;
    drop(file);
    tokio::fs::rename(beside, path).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_a_file() {
        for (pattern, is_one) in [
            ("digests/{site}-{crawl}.md", true),
            ("latest.md", true),
            ("/var/www/{site}/{crawl}", true),
            ("", false),
            ("digests/", false),
            ("..", false),
            ("{target}.md", false),
            ("{site.md", false),
        ] {
            assert_eq!(File::new(pattern).is_some(), is_one, "{pattern}");
        }
    }
}
