//! The Wayback Machine: the client of Save Page Now, and archiving in the background.

mod in_background;

use recrawl_archive::{BadKeys, SavePageNow, SavePageNowSettings};
use recrawl_settings::ProcessSettings;

pub(crate) use self::in_background::Archiving;
use crate::usage;

/// Makes the client of Save Page Now that the environment asks for.
///
/// Keys come from the environment only: flags are seen by everybody on the machine, and a settings file is shared.
pub fn save_page_now(user_agent: String) -> anyhow::Result<SavePageNow> {
    let process = ProcessSettings::of_this_process();
    let keys = process.archive_keys.map(|keys| keys.expose().parse()).transpose();
    let keys = keys.map_err(|error: BadKeys| usage(format!("RECRAWL_ARCHIVE_KEYS: {error}")))?;
    let usual = SavePageNowSettings::new(user_agent);
    let base = process.save_page_now.unwrap_or_else(|| usual.base.clone());
    SavePageNow::new(SavePageNowSettings { base, keys, ..usual })
        .map_err(|error| usage(format!("RECRAWL_SAVE_PAGE_NOW: {error}")))
}
