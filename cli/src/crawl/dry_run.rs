//! `recrawl crawl --dry-run`: what would be crawled, without writing anything.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use recrawl_core::ports::StateStore;
use recrawl_stores::{Access, open_file};
use recrawl_supervisor::crawl::{PreviewedSite, Previewer};

use crate::output::{self, Sheet, sanitize_for_terminal};
use crate::settings::Settings;

/// Asks for robots.txt, sitemaps and the root page, and says what a crawl would do.
pub(super) async fn show(settings: &Settings, store: &Path) -> anyhow::Result<()> {
    let mut preview = PreviewedSite::default();
    let known = open_file(store, Access::Read).ok();
    let memory = known.map(|known| -> Arc<dyn StateStore> { known });
    Previewer::new(settings, "dry-run", memory)?.fill(&mut preview, &|_| {}).await;
    let mut sheet = Sheet::of_facts();
    sheet.fact("site", settings.site.as_str());
    sheet.fact("root", sanitize_for_terminal(settings.root.as_str()).as_ref());
    sheet.fact(
        "store",
        format!("{} ({})", store.display(), if store.exists() { "exists" } else { "would be made" }).as_str(),
    );
    sheet.fact("user agent", settings.crawl.user_agent().as_str());
    sheet.fact("robots.txt", sanitize_for_terminal(&preview.robots).as_ref());
    sheet.fact(
        "delay",
        format!(
            "{} s between requests, {} at a time",
            preview.delay.as_secs_f64(),
            settings.crawl.requests_at_a_time()
        )
        .as_str(),
    );
    for words in &preview.sitemaps {
        sheet.fact("sitemap", sanitize_for_terminal(words).as_ref());
    }
    if let Some(words) = &preview.root_page {
        sheet.fact("root page", sanitize_for_terminal(words).as_ref());
    }
    if let Some(trouble) = &preview.trouble {
        sheet.fact("trouble", sanitize_for_terminal(trouble).as_ref());
    }
    if preview.listed > 0 {
        sheet.fact("at least", format!("{} pages", preview.listed).as_str());
    }
    let mut out = output::styled();
    sheet.write_table(&mut out, output::terminal_width())?;
    out.flush()?;
    output::note("nothing was written; without --dry-run the crawl begins")?;
    Ok(())
}
