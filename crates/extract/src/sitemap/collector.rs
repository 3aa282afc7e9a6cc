//! Gathers entries: addresses resolved, each once, within the limit.

use std::collections::HashSet;

use recrawl_core::url::resolve;
use url::Url;

use super::{ChangeFrequency, Entry, EntryKind, LastModified, MAX_ENTRIES, Sitemap};

/// What a file says about one address, as it is written.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) loc: Option<String>,
    pub(super) lastmod: Option<String>,
    pub(super) changefreq: Option<String>,
    pub(super) priority: Option<String>,
}

/// Entries and warnings of a file while it is read.
#[derive(Debug)]
pub(super) struct Collector {
    base: Option<Url>,
    sitemap: Sitemap,
    seen: HashSet<String>,
    refused_addresses: Refused,
    refused_dates: Refused,
}

/// Values that could not be used: how many, and the first of them.
#[derive(Debug, Default)]
struct Refused {
    count: usize,
    first: String,
}

impl Collector {
    pub(super) fn new(url: &str) -> Self {
        Self {
            base: resolve(url, None).ok(),
            sitemap: Sitemap::default(),
            seen: HashSet::new(),
            refused_addresses: Refused::default(),
            refused_dates: Refused::default(),
        }
    }

    /// Adds a warning.
    pub(super) fn warn(&mut self, warning: impl Into<String>) {
        self.sitemap.warnings.push(warning.into());
    }

    /// Returns how many entries there are.
    pub(super) fn len(&self) -> usize {
        self.sitemap.entries.len()
    }

    /// Adds an entry unless its address is known or none; returns whether there is room for more.
    pub(super) fn add(&mut self, kind: EntryKind, fields: &Fields) -> bool {
        let loc = fields.loc.as_deref().unwrap_or_default().trim();
        let url = resolve(loc, self.base.as_ref()).ok();
        let Some(url) = url.filter(|url| !loc.is_empty() && matches!(url.scheme(), "http" | "https")) else {
            self.refused_addresses.add(loc);
            return true;
        };
        if self.seen.contains(url.as_str()) {
            return true;
        }
        if self.len() == MAX_ENTRIES {
            self.warn(format!("has more than {MAX_ENTRIES} entries, the rest is not read"));
            return false;
        }
        let lastmod = fields.lastmod.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let entry = Entry {
            kind,
            loc: url.into(),
            lastmod: lastmod.and_then(|text| self.date(text)),
            changefreq: fields.changefreq.as_deref().and_then(ChangeFrequency::read),
            priority: fields.priority.as_deref().and_then(priority),
        };
        self.seen.insert(entry.loc.clone());
        self.sitemap.entries.push(entry);
        true
    }

    /// Returns what was gathered.
    pub(super) fn finish(mut self) -> Sitemap {
        let refused = [
            (&self.refused_addresses, "without a usable http or https address"),
            (&self.refused_dates, "with an unreadable date"),
        ];
        for (refused, words) in refused {
            if refused.count > 0 {
                let warning = format!("{} entries {words}, the first is {:?}", refused.count, refused.first);
                self.sitemap.warnings.push(warning);
            }
        }
        self.sitemap
    }

    fn date(&mut self, text: &str) -> Option<LastModified> {
        let date = LastModified::read(text);
        if date.is_none() {
            self.refused_dates.add(text);
        }
        date
    }
}

impl Refused {
    fn add(&mut self, value: &str) {
        if self.count == 0 {
            self.first = value.chars().take(200).collect();
        }
        self.count += 1;
    }
}

fn priority(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|priority| (0.0..=1.0).contains(priority))
}
