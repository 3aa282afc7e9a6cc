//! What people see of a run.

use std::time::Duration;

use recrawl_core::model::record::PageRecord;
use recrawl_core::plan::sample::SmartDecision;
use recrawl_core::url::{HostKey, PageUrl};

/// What happens during a run, for people to see.
#[derive(Debug)]
pub enum Event<'a> {
    /// A crawl goes on that was begun earlier, with this many pages recorded and waiting.
    Resumed {
        /// Pages recorded.
        recorded: u64,
        /// Pages waiting.
        waiting: u64,
    },
    /// A page was recorded.
    Recorded {
        /// Its record.
        record: &'a PageRecord,
        /// How many pages wait now, as far as is known.
        waiting: usize,
    },
    /// A page will be asked for again.
    Retrying {
        /// The page.
        url: &'a PageUrl,
        /// What happened, in words.
        reason: &'a str,
        /// How long its host is left alone before, where that is known.
        wait: Option<Duration>,
        /// How many requests for it failed.
        retry: u32,
    },
    /// The robots.txt of a host could not be had, and will be asked for again.
    Silent {
        /// The host.
        host: &'a HostKey,
        /// What happened, in words.
        reason: &'a str,
        /// How long it is left alone before, where that is known.
        wait: Option<Duration>,
        /// How many requests failed.
        retry: usize,
        /// After how many more nobody asks again.
        of: usize,
    },
    /// A sitemap was read.
    Sitemap {
        /// Its address.
        url: &'a PageUrl,
        /// How many pages it lists.
        pages: usize,
    },
    /// The sample of a crawl in mode smart has decided how the others are asked for.
    Decided {
        /// What it decided.
        turn: SmartDecision,
        /// How many of the sampled pages changed.
        changed: usize,
        /// How many pages were sampled.
        sampled: usize,
    },
    /// The audit queued this many pages that nothing led to in this crawl.
    Audited(usize),
    /// This many pages that seem to be gone, or lost their content, are visited again, to be sure.
    Confirming(usize),
    /// This many pages that changed by a few words are asked for again, to know which of their words are noise.
    Rechecking(usize),
    /// Something is not as it should be.
    Warning(String),
}

/// Sees what happens during a run.
pub trait Observer: Send + Sync {
    /// Is told of an event. Must be quick.
    fn on(&self, event: Event<'_>);
}
