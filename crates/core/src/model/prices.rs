//! What a provider charges, and what of it is free.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use serde::Serialize;
use thiserror::Error;

use crate::model::crawl::Operations;

/// How many operations one price is for.
const LOT: f64 = 100_000.0;
/// A GiB, for which storage is charged.
const GIB: f64 = 1_073_741_824.0;
/// How much memory is charged with a second of a processor, as `infra/` asks for it.
const GIB_OF_MEMORY: f64 = 0.5;
/// What a message counts as at least.
const LEAST_MESSAGE: f64 = 1_000.0;
/// A TiB, for which messages are charged.
const TIB: f64 = 1_099_511_627_776.0;
/// The mean length of a month in weeks.
const WEEKS: f64 = 365.25 / 12.0 / 7.0;

/// The prices of a day in dollars, and what is free.
///
/// Written as a date and `name=price` for each price that differs from the usual ones: `2026-11-01 reads=0.06 storage=0.18`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PriceTable {
    /// The day on which they were looked up.
    pub dated: Date,
    /// 100,000 documents read.
    pub reads: f64,
    /// 100,000 documents written.
    pub writes: f64,
    /// 100,000 documents deleted.
    pub deletes: f64,
    /// A GiB stored for a month.
    pub storage: f64,
    /// A second of a processor.
    pub vcpu: f64,
    /// A second of a GiB of memory.
    pub memory: f64,
    /// A TiB of messages; each counts as a thousand bytes at least, and twice: published and delivered.
    pub messages: f64,
}

/// What is free: of operations each day, of the processor each month, and of storage at any time.
pub struct Free;

impl Free {
    /// Documents read a day.
    pub const READS: u64 = 50_000;
    /// Documents written a day.
    pub const WRITES: u64 = 20_000;
    /// Documents deleted a day.
    pub const DELETES: u64 = 20_000;
    /// Bytes stored.
    pub const STORED_BYTES: u64 = 1 << 30;
    /// Seconds of a processor a month.
    pub const VCPU_SECONDS: u64 = 180_000;
    /// The same for a week of a mean month.
    pub const VCPU_SECONDS_A_WEEK: u64 = Self::VCPU_SECONDS * 12 * 7 * 4 / 1_461;
    /// Bytes of messages a month.
    pub const MESSAGE_BYTES: u64 = 10 << 30;
}

impl PriceTable {
    /// The prices of us-west1, as Google documents them.
    pub const USUAL: Self = Self {
        dated: jiff::civil::date(2026, 11, 1),
        reads: 0.03,
        writes: 0.09,
        deletes: 0.01,
        storage: 0.15,
        vcpu: 0.000_024,
        memory: 0.000_002_5,
        messages: 40.0,
    };

    /// Returns what a week's use costs where nothing is free.
    #[expect(clippy::cast_precision_loss, reason = "dollars are shown with two digits")]
    pub fn listed(&self, used: Operations) -> f64 {
        let lots = |count: u64, price: f64| count as f64 / LOT * price;
        let seconds = used.busy_ms as f64 / 1_000.0;
        lots(used.reads, self.reads)
            + lots(used.writes, self.writes)
            + lots(used.deletes, self.deletes)
            + seconds * (self.vcpu + GIB_OF_MEMORY * self.memory)
            + used.messages as f64 * 2.0 * LEAST_MESSAGE / TIB * self.messages
            + self.stored(used.stored_bytes)
    }

    /// Returns what is charged for a week's use at most: as if all of it was on one day, and nothing else that month.
    ///
    /// `stored` are the bytes that are stored, of earlier weeks, too.
    pub fn charged(&self, used: Operations, stored: u64) -> f64 {
        let beyond = Operations {
            reads: used.reads.saturating_sub(Free::READS),
            writes: used.writes.saturating_sub(Free::WRITES),
            deletes: used.deletes.saturating_sub(Free::DELETES),
            messages: 0,
            stored_bytes: stored.saturating_sub(Free::STORED_BYTES),
            busy_ms: used.busy_ms.saturating_sub(Free::VCPU_SECONDS_A_WEEK * 1_000),
        };
        self.listed(beyond)
    }

    /// Returns what bytes cost that are stored for a week.
    #[expect(clippy::cast_precision_loss, reason = "dollars are shown with two digits")]
    fn stored(&self, bytes: u64) -> f64 {
        bytes as f64 / GIB * self.storage / WEEKS
    }

    fn price(&mut self, name: &str) -> Option<&mut f64> {
        Some(match name {
            "reads" => &mut self.reads,
            "writes" => &mut self.writes,
            "deletes" => &mut self.deletes,
            "storage" => &mut self.storage,
            "vcpu" => &mut self.vcpu,
            "memory" => &mut self.memory,
            "messages" => &mut self.messages,
            _ => return None,
        })
    }
}

impl Default for PriceTable {
    fn default() -> Self {
        Self::USUAL
    }
}

/// Why a text is no table of prices.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{0:?} is neither a date nor a price such as `reads=0.03`: write `2026-11-01 reads=0.03 storage=0.15`, with the day of the prices first"
)]
pub struct PricesError(String);

impl FromStr for PriceTable {
    type Err = PricesError;

    fn from_str(text: &str) -> Result<Self, PricesError> {
        let mut words = text.split_whitespace();
        let first = words.next().unwrap_or_default();
        let wrong = |word: &str| PricesError(word.to_owned());
        let mut prices = Self { dated: first.parse().map_err(|_| wrong(first))?, ..Self::USUAL };
        for word in words {
            let (name, price) = word.split_once('=').ok_or_else(|| wrong(word))?;
            let price = price.parse().ok().filter(|price: &f64| price.is_finite() && *price >= 0.0);
            *prices.price(name).ok_or_else(|| wrong(word))? = price.ok_or_else(|| wrong(word))?;
        }
        Ok(prices)
    }
}

impl fmt::Display for PriceTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dated, reads, writes, deletes, storage, vcpu, memory, messages } = self;
        write!(
            formatter,
            "{dated} reads={reads} writes={writes} deletes={deletes} storage={storage} vcpu={vcpu} memory={memory} messages={messages}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(actual: f64, expected: f64) {
        assert!((actual - expected).abs() < 1e-9, "{actual} is not {expected}");
    }

    #[test]
    fn each_price_is_for_what_it_says() {
        let prices = PriceTable::USUAL;
        let used = |change: fn(&mut Operations)| {
            let mut used = Operations::default();
            change(&mut used);
            prices.listed(used)
        };
        about(used(|used| used.reads = 200_000), 0.06);
        about(used(|used| used.writes = 100_000), 0.09);
        about(used(|used| used.deletes = 100_000), 0.01);
        about(used(|used| used.busy_ms = 1_000_000), 0.024 + 0.001_25);
        about(used(|used| used.stored_bytes = 1 << 30), 0.15 / WEEKS);
        about(used(|used| used.messages = 1 << 30), 40.0 * 2_000.0 / 1_024.0);
    }

    #[test]
    fn what_is_free_is_not_charged() {
        let prices = PriceTable::USUAL;
        let free = Operations {
            reads: Free::READS,
            writes: Free::WRITES,
            deletes: Free::DELETES,
            messages: 4_000,
            stored_bytes: 0,
            busy_ms: 41_000_000,
        };
        about(prices.charged(free, Free::STORED_BYTES), 0.0);
        let beyond = Operations { reads: Free::READS + 100_000, ..free };
        about(prices.charged(beyond, 2 * Free::STORED_BYTES), 0.03 + 0.15 / WEEKS);
    }

    #[test]
    fn a_table_is_read_as_it_is_written() {
        let other: PriceTable = "2027-02-03 reads=0.06 vcpu=0.5".parse().unwrap();
        let expected =
            PriceTable { dated: jiff::civil::date(2027, 2, 3), reads: 0.06, vcpu: 0.5, ..PriceTable::USUAL };
        assert_eq!(other, expected);
        for prices in [other, PriceTable::USUAL] {
            assert_eq!(prices.to_string().parse(), Ok(prices));
        }
        for wrong in [
            "",
            "reads=1",
            "2027-02-03 reads",
            "2027-02-03 reads=-1",
            "2027-02-03 cakes=1",
            "2027-02-03 reads=NaN",
        ] {
            assert!(wrong.parse::<PriceTable>().is_err(), "{wrong}");
        }
    }
}
