//! `recrawl crawl --dry-run`: what would be crawled, without writing anything.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use recrawl_core::content::Extractor;
use recrawl_core::ports::{Fetcher, Permission, Request, RobotsGate};
use recrawl_core::url::PageUrl;
use recrawl_extract::HtmlExtractor;
use recrawl_extract::robots::product_token;
use recrawl_store_sqlite::{Options, SqliteStore};

use super::{Assembly, Stop};
use crate::output::{self, Sheet, harmless};
use crate::scratch::Scratch;
use crate::settings::{self, Settings};

/// Asks for robots.txt, sitemaps and the root page, and says what a crawl would do.
pub(super) async fn show(settings: &Settings, store: &Path) -> anyhow::Result<()> {
    let scope = settings::scope(settings)?;
    // Nothing is written where the person keeps things: what is fetched is remembered in a file that goes.
    let scratch = Scratch::new("dry-run");
    let memory = Arc::new(SqliteStore::open(scratch.path(), &Options::default())?);
    let assembly = Assembly::new(settings, memory, Stop::never())?;
    let mut sheet = Sheet::of_facts();
    sheet.fact("site", settings.site.as_str());
    sheet.fact("root", harmless(settings.root.as_str()).as_ref());
    sheet.fact(
        "store",
        format!("{} ({})", store.display(), if store.exists() { "exists" } else { "would be made" }).as_str(),
    );
    sheet.fact("user agent", settings.user_agent.as_str());
    match assembly.robots.permits(&settings.root).await {
        Ok(Permission::Allowed) => sheet.fact("robots.txt", "allows the root"),
        Ok(Permission::Disallowed(rule)) => {
            sheet.fact("robots.txt", format!("disallows the root: {}", harmless(&rule)).as_str());
        }
        Err(error) => sheet.fact("robots.txt", error.to_string().as_str()),
    }
    let delay = match assembly.robots.rules(&settings.root).await {
        Ok(rules) => rules.crawl_delay(product_token(&settings.user_agent)),
        Err(_) => None,
    };
    let delay = settings.pace().delay_for(delay);
    sheet.fact(
        "delay",
        format!("{} s between requests, {} at a time", delay.as_secs_f64(), settings.parallel).as_str(),
    );
    let mut listed = 0;
    if settings.sitemaps {
        let mut search = assembly.sitemaps.search(&settings.root).await;
        while let Some(found) = search.next().await {
            let admitted = found.pages.iter().filter(|page| scope.admits(&page.url).is_ok()).count();
            listed += admitted;
            let words =
                format!("{} lists {} pages, {admitted} of them in scope", found.sitemap, found.pages.len());
            sheet.fact("sitemap", harmless(&words).as_ref());
        }
    }
    if matches!(assembly.robots.permits(&settings.root).await, Ok(Permission::Allowed)) {
        root_page(settings, &assembly, &mut sheet, &|page| scope.admits(page).is_ok()).await;
    }
    if listed > 0 {
        sheet.fact("at least", format!("{listed} pages").as_str());
    }
    let mut out = output::styled();
    sheet.write_table(&mut out, output::terminal_width())?;
    out.flush()?;
    output::note("nothing was written; without --dry-run the crawl begins")?;
    Ok(())
}

async fn root_page(
    settings: &Settings,
    assembly: &Assembly,
    sheet: &mut Sheet,
    admits: &(dyn Fn(&PageUrl) -> bool + Sync),
) {
    let response = match assembly.fetcher.fetch(Request::get(&settings.root)).await {
        Ok(response) => response,
        Err(error) => return sheet.fact("root page", harmless(&error.to_string()).as_ref()),
    };
    if let Some(location) = &response.headers.location {
        let words = format!("status {}, redirects to {location}", response.status);
        return sheet.fact("root page", harmless(&words).as_ref());
    }
    let extractor =
        HtmlExtractor::new(settings.text_rules.clone(), settings.url_rules.clone(), settings.obey_nofollow);
    let extracted =
        extractor.extract(&settings.root, response.headers.content_type.as_deref(), &response.body);
    let admitted = extracted.links.iter().filter(|link| admits(link)).count();
    let words =
        format!("status {}, {} links, {admitted} of them in scope", response.status, extracted.links.len());
    sheet.fact("root page", words.as_str());
}
