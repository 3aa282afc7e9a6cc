//! `recrawl search`: pages by what they say, and what they said before.

mod history;

use std::io::{self, Write};
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{Found, Hit, Search, SearchedBy};
use recrawl_core::search::{Piece, Query, marked};
use recrawl_core::url::PageUrl;
use recrawl_reports::search::asks_for_nothing;
use recrawl_stores::{Access, EmbeddedStore, OpenStore, open};
use serde::Serialize;

use super::source::{SourceArguments, note_left_out};
use super::wait_for;
use crate::exit::{ExitStatus, usage};
use crate::output::{self, Cell, Column, Format, Listing, Sheet, counted, sanitize_for_terminal};

/// People are told before so many pages are put into the index: it takes a moment.
const MANY: u64 = 300;

/// How what was looked for is shown on a terminal.
const MARK: Style = AnsiColor::Yellow.on_default().bold();

/// Search pages, as they were last seen; with --history also what they said before, and when
///
/// Every word must occur in the text, the title or the address; the last one may be the beginning of a word.
/// Words between double quotes must follow each other, and -WORD must not occur; put both between single
/// quotes, as in recrawl search '"new bridge" -closed'. A path such as /news/ is looked for in addresses alone.
#[derive(Debug, clap::Args)]
pub(crate) struct SearchArguments {
    /// What to look for
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,

    #[command(flatten)]
    source: SourceArguments,

    /// When did pages say it? Look through all stored versions
    #[arg(long)]
    history: bool,

    /// List this many pages at most
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// One page; its JSON form is stable.
#[derive(Debug, Serialize)]
struct FoundRow {
    url: PageUrl,
    site: SiteId,
    title: Option<String>,
    excerpt: String,
    crawl: CrawlId,
    last_seen: Timestamp,
}

const FIELDS: [&str; 6] = ["url", "site", "title", "excerpt", "crawl", "last_seen"];

impl SearchArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let query = self.words.join(" ");
        if let Some(problem) = asks_for_nothing(&query) {
            return Err(usage(problem));
        }
        wait_for(async {
            // Whatever is wrong with the store or the site is said as by every other command.
            let source = self.source.open().await?;
            for searched in source.sites().await? {
                note_left_out(&searched.id, &source.history.crawls(&searched.id).await?, &source.flag())?;
            }
            let site = self.source.named_site();
            if self.history {
                let search = open(self.source.address(), Access::Read).await?.ports();
                let found = search.search_history(site, &query, self.limit).await?;
                history::print(found, self.limit, self.format)?;
                return Ok(ExitStatus::Success);
            }
            let found = self.open().await?.search(site, &query, self.limit).await?;
            self.print(&query, found)?;
            Ok(ExitStatus::Success)
        })
    }

    async fn open(&self) -> anyhow::Result<Arc<dyn Search>> {
        let address = self.source.address();
        match open(address, Access::Write).await {
            Ok(OpenStore::Embedded(store)) => {
                self.bring_up_to_date(&*store).await?;
                Ok(store)
            }
            Ok(OpenStore::Remote(store)) => Ok(store),
            Err(error) => {
                tracing::debug!(%error, "the store is searched as it is");
                Ok(open(address, Access::Read).await?.ports())
            }
        }
    }

    /// Brings the index up to date. Where that fails, what was searched is told with the answer.
    async fn bring_up_to_date(&self, store: &dyn EmbeddedStore) -> io::Result<()> {
        let site = self.source.named_site();
        let indexed = async {
            let waiting = store.index_for_search(site, 0).await?;
            if waiting >= MANY {
                let waiting = counted(waiting, "page");
                // Not data, and not worth an error of its own.
                let _ =
                    output::note(&format!("Making an index of {waiting}; the next search finds it made."));
            }
            store.index_for_search(site, usize::MAX).await
        };
        match indexed.await {
            Ok(_) => Ok(()),
            Err(error) => output::note(&format!("The index could not be brought up to date: {error}.")),
        }
    }

    fn print(&self, query: &str, found: Found) -> anyhow::Result<()> {
        let Found { hits, by } = found;
        let headline = headline(hits.len(), self.limit, by);
        if self.format == Format::Table {
            output::note(&headline)?;
            let mut out = output::styled();
            let query = Query::read(query);
            hits.iter().try_for_each(|hit| write_hit(&mut out, hit, &query))?;
            out.flush()?;
        } else {
            let rows = rows(hits);
            Listing::new(&rows, &FIELDS, &|_| sheet(&rows)).under(&headline).print(self.format)?;
        }
        Ok(())
    }
}

/// Says how much was found, and what was searched.
fn headline(hits: usize, limit: usize, by: SearchedBy) -> String {
    let found = match hits {
        0 => "Nothing found".to_owned(),
        hits if hits == limit => format!("The first {} found", counted(hits as u64, "page")),
        hits => format!("{} found", counted(hits as u64, "page")),
    };
    match by {
        SearchedBy::TextAndAddress { indexed, waiting: 0 } => {
            format!("{found} in the text and addresses of {}.", counted(indexed, "page"))
        }
        SearchedBy::TextAndAddress { indexed, waiting } => format!(
            "{found} in the text and addresses of {}; of {waiting} more, which are not in the index yet, only title and \
             address were searched.",
            counted(indexed, "page")
        ),
        SearchedBy::AddressPrefix => {
            format!(
                "{found}: on Firestore, search compares the beginning of addresses and nothing else. Give a path such as /news."
            )
        }
    }
}

fn write_hit(out: &mut dyn Write, hit: &Hit, query: &Query) -> io::Result<()> {
    let (bold, dimmed) = (Style::new().bold(), Style::new().dimmed());
    writeln!(out)?;
    if let Some(title) = &hit.title {
        write_pieces(out, &marked(title, query), bold)?;
    }
    writeln!(out, "{dimmed}{}{dimmed:#}", sanitize_for_terminal(hit.url.as_str()))?;
    if !hit.excerpt.is_empty() {
        write!(out, "  ")?;
        write_pieces(out, &hit.excerpt, Style::new())?;
    }
    Ok(())
}

/// Writes pieces on a line of their own; what was looked for stands out on a terminal.
fn write_pieces(out: &mut dyn Write, pieces: &[Piece], otherwise: Style) -> io::Result<()> {
    for piece in pieces {
        let style = if piece.is_match { MARK } else { otherwise };
        write!(out, "{style}{}{style:#}", sanitize_for_terminal(&piece.text))?;
    }
    writeln!(out)
}

fn rows(hits: Vec<Hit>) -> Vec<FoundRow> {
    let row = |hit: Hit| FoundRow {
        url: hit.url,
        site: hit.site,
        title: hit.title,
        excerpt: hit.excerpt.into_iter().map(|piece| piece.text).collect(),
        crawl: hit.crawl,
        last_seen: hit.last_seen,
    };
    hits.into_iter().map(row).collect()
}

fn sheet(rows: &[FoundRow]) -> Sheet {
    let mut sheet =
        Sheet::new([Column::flexible("page"), Column::flexible("title"), Column::flexible("excerpt")]);
    for row in rows {
        let title = row.title.as_deref().unwrap_or_default();
        sheet.push([Cell::from(row.url.as_str()), title.into(), row.excerpt.as_str().into()]);
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_what_was_searched() {
        let all = SearchedBy::TextAndAddress { indexed: 3_500, waiting: 0 };
        for (hits, by, expected) in [
            (0, all, "Nothing found in the text and addresses of 3,500 pages."),
            (1, all, "1 page found in the text and addresses of 3,500 pages."),
            (20, all, "The first 20 pages found in the text and addresses of 3,500 pages."),
            (
                2,
                SearchedBy::TextAndAddress { indexed: 1, waiting: 7 },
                "2 pages found in the text and addresses of 1 page; of 7 more, which are not in the index yet, only title \
                 and address were searched.",
            ),
            (
                2,
                SearchedBy::AddressPrefix,
                "2 pages found: on Firestore, search compares the beginning of addresses and nothing else. Give a path such as \
                 /news.",
            ),
        ] {
            assert_eq!(headline(hits, 20, by), expected);
        }
    }
}
