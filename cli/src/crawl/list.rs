//! `recrawl crawl --url-list`: a list of pages, on any number of hosts.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use recrawl_core::model::ids::SiteId;
use recrawl_core::url::{HostKey, PageUrl, UrlRules};
use recrawl_extract::page_list;
use recrawl_supervisor::settings::of_list;

use crate::exit::usage;
use crate::output::{self, Sheet, counted, sanitize_for_terminal};
use crate::settings::{Settings, SettingsArguments, SettingsFile};

/// More than this is no list that a person made.
const MOST_BYTES: u64 = 256 << 20;

/// A list that is about to be crawled.
pub(super) struct GivenList {
    pub(super) settings: Settings,
    pub(super) pages: Vec<PageUrl>,
}

impl GivenList {
    /// Reads the list in a file, or from stdin for `-`.
    pub(super) fn read(
        path: &Path,
        column: Option<&str>,
        arguments: &SettingsArguments,
        file: &SettingsFile,
    ) -> anyhow::Result<Self> {
        let shown = path.display();
        let bytes = bytes_of(path).map_err(|error| usage(format!("{shown} cannot be read: {error}")))?;
        let settings_for =
            |name: &SiteId, pages: &[PageUrl]| of_list(name, pages, arguments.command_line(), file);
        let usual = name_of(path);
        // What the settings say about addresses decides which lines are the same page.
        let first = settings_for(&usual, &[])?;
        let name = first.crawl.site_name.clone().unwrap_or(usual);
        let list = page_list::read(&bytes, column, &first.crawl.url_rules()).map_err(|error| {
            usage(format!("{shown} cannot be used: {}", sanitize_for_terminal(&error.to_string())))
        })?;
        for warning in &list.warnings {
            output::note(&sanitize_for_terminal(&format!("{shown} {warning}")))?;
        }
        Ok(Self { settings: settings_for(&name, &list.pages)?, pages: list.pages })
    }

    /// Says what would be crawled.
    pub(super) fn show(&self, store: &Path) -> anyhow::Result<()> {
        let mut hosts: BTreeMap<HostKey, u64> = BTreeMap::new();
        for page in &self.pages {
            *hosts.entry(page.host_key()).or_default() += 1;
        }
        let mut sheet = Sheet::of_facts();
        sheet.fact("site", self.settings.site.as_str());
        sheet.fact("store", store.display().to_string());
        sheet.fact("user agent", self.settings.crawl.user_agent());
        let (pages, on) = (counted(self.pages.len() as u64, "page"), counted(hosts.len() as u64, "host"));
        sheet.fact("list", format!("{pages} on {on}"));
        let most = hosts.values().max().copied().unwrap_or_default();
        let seconds = self.settings.crawl.time_between_requests().as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let takes = (most as f64 + 1.0) * seconds;
        sheet.fact(
            "takes",
            format!(
                "at least {takes:.0} s: {seconds} s between requests to a host, at most {most} pages each"
            ),
        );
        let mut out = output::styled();
        sheet.write_table(&mut out, output::terminal_width())?;
        out.flush()?;
        output::note("nothing was written; without --dry-run the crawl begins")?;
        Ok(())
    }
}

fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes)?;
    } else {
        File::open(path)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Returns the name of a list where nobody gives it one: that of its file.
fn name_of(path: &Path) -> SiteId {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| *stem != "-").unwrap_or("list");
    let address = format!("https://{}.invalid/", stem.replace([' ', '_', '.'], "-"));
    let page = UrlRules::keep_all_parameters().page(&address, None);
    let name = page.ok().and_then(|page| page.host().trim_end_matches(".invalid").parse().ok());
    name.or_else(|| "list".parse().ok()).expect("it is a name")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_the_name_of_its_file() {
        for (path, expected) in [
            ("-", "list"),
            ("/tmp/My pages.v2.csv", "my-pages-v2"),
            ("news_of-today.opml", "news-of-today"),
            ("...", "list"),
        ] {
            assert_eq!(name_of(Path::new(path)).as_str(), expected, "{path}");
        }
    }
}
