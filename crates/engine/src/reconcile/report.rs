//! What a tick did, for one line of a log.

use std::fmt;

use recrawl_core::model::crawl::Ending;
use recrawl_core::model::ids::{CrawlId, SiteId};

/// A crawl that a tick closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosedCrawl {
    /// The site.
    pub site: SiteId,
    /// The crawl.
    pub crawl: CrawlId,
    /// Whether it saw the whole site.
    pub ending: Ending,
    /// Why its findings are doubted, if they are.
    pub suspicion: Option<String>,
    /// Pages recorded.
    pub pages: u64,
}

/// An unusual crawl that somebody accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// The crawl.
    pub crawl: CrawlId,
    /// Changes announced.
    pub announced: u64,
}

/// What a tick did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TickReport {
    /// Crawls that were open when the tick came.
    pub open: Vec<(SiteId, CrawlId)>,
    /// Crawls that it closed.
    pub closed: Vec<ClosedCrawl>,
    /// Changes that it announced.
    pub announced: u64,
    /// Crawls that it audited.
    pub audited: u64,
    /// Pages that it queued again.
    pub requeued: u64,
    /// Archive requests that it made again, as reminders of all that are due.
    pub archives_requested: u64,
    /// Records and contents that it deleted.
    pub deleted: u64,
}

impl fmt::Display for TickReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} open", self.open.len())?;
        if self.audited > 0 {
            write!(formatter, ", {} audited", self.audited)?;
        }
        for ClosedCrawl { site, crawl, ending, suspicion, pages } in &self.closed {
            match ending {
                Ending::Complete => write!(formatter, ", closed {crawl} of {site} with {pages} pages")?,
                Ending::Partial(reason) => {
                    write!(formatter, ", closed {crawl} of {site} as partial with {pages} pages: {reason}")?;
                }
            }
            if let Some(reason) = suspicion {
                write!(formatter, ", doubted: {reason}")?;
            }
        }
        for (count, what) in [
            (self.announced, "changes announced"),
            (self.requeued, "pages queued again"),
            (self.archives_requested, "reminders to archive"),
            (self.deleted, "documents deleted"),
        ] {
            if count > 0 {
                write!(formatter, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_one_line_of_what_was_done() {
        let site: SiteId = "default".parse().unwrap();
        let crawl: CrawlId = "crawl-2026-11-16".parse().unwrap();
        let idle = TickReport::default();
        assert_eq!(idle.to_string(), "0 open");
        let closing = |ending| ClosedCrawl { site: site.clone(), crawl, ending, suspicion: None, pages: 7 };
        let suspect = ClosedCrawl { suspicion: Some("much is gone".to_owned()), ..closing(Ending::Complete) };
        let busy = TickReport {
            open: vec![(site.clone(), crawl)],
            closed: vec![
                closing(Ending::Complete),
                closing(Ending::Partial("2 pages could not be visited".to_owned())),
                suspect,
            ],
            announced: 6,
            audited: 2,
            requeued: 3,
            archives_requested: 4,
            deleted: 5,
        };
        assert_eq!(
            busy.to_string(),
            "1 open, 2 audited, closed crawl-2026-11-16 of default with 7 pages, closed crawl-2026-11-16 of \
             default as partial with 7 pages: 2 pages could not be visited, closed crawl-2026-11-16 of default with \
             7 pages, doubted: much is gone, 6 changes announced, 3 pages queued again, 4 reminders \
             to archive, 5 documents deleted"
        );
    }
}
