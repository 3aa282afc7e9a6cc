//! What was tried and what held, as people and programs read it.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// What became of one thing that was tried.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The name to run it alone by.
    pub(crate) id: String,
    /// What was done.
    pub(crate) what: String,
    /// How often it was tried, and how often everything held.
    pub(crate) tried: usize,
    pub(crate) held: usize,
    /// The worst figures that were seen.
    pub(crate) worst: String,
    /// What did not hold.
    pub(crate) broken: Vec<String>,
    /// Why it could not be tried on this machine.
    pub(crate) left_out: Option<String>,
}

impl Row {
    /// Begins a row.
    pub(crate) fn new(id: impl Into<String>, what: impl Into<String>) -> Self {
        Self { id: id.into(), what: what.into(), ..Self::default() }
    }

    /// Says why it could not be tried.
    pub(crate) fn left_out(mut self, reason: impl Into<String>) -> Self {
        self.left_out = Some(reason.into());
        self
    }

    /// Counts one try and what did not hold in it.
    pub(crate) fn tried(&mut self, broken: Vec<String>) {
        self.tried += 1;
        self.held += usize::from(broken.is_empty());
        self.broken.extend(broken);
    }

    /// Returns whether nothing broke.
    pub(crate) fn holds(&self) -> bool {
        self.held == self.tried && self.broken.is_empty()
    }
}

/// The outcome of `torture`.
#[derive(Debug, Serialize)]
pub(crate) struct TortureReport {
    pub(crate) machine: String,
    pub(crate) seed: u64,
    pub(crate) wall_s: f64,
    pub(crate) rows: Vec<Row>,
}

/// Complaints that are printed of one row.
const COMPLAINTS: usize = 5;

impl TortureReport {
    /// Returns whether everything that was tried held.
    pub(crate) fn holds(&self) -> bool {
        self.rows.iter().all(Row::holds)
    }

    /// Returns how many rows did not hold.
    pub(crate) fn broken(&self) -> usize {
        self.rows.iter().filter(|row| !row.holds()).count()
    }

    /// Returns the table, and below it what did not hold and what could not be tried.
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!(
            "### torture\n\nseed {}, {}, {:.0} s\n\n| id | what | tried | held | worst |\n|---|---|---|---|---|\n",
            self.seed, self.machine, self.wall_s
        );
        let (mut tried, mut held) = (0, 0);
        for row in &self.rows {
            tried += row.tried;
            held += row.held;
            let held = if row.holds() { row.held.to_string() } else { format!("**{}**", row.held) };
            let worst = if row.left_out.is_some() { "not run" } else { &row.worst };
            let _ = writeln!(text, "| {} | {} | {} | {held} | {worst} |", row.id, row.what, row.tried);
        }
        let not_run = match self.rows.iter().filter(|row| row.left_out.is_some()).count() {
            0 => String::new(),
            1 => "1 row was not run".to_owned(),
            rows => format!("{rows} rows were not run"),
        };
        let _ = writeln!(text, "| | all | {tried} | {held} | {not_run} |\n");
        for row in &self.rows {
            let mut different: Vec<&String> = Vec::new();
            for complaint in &row.broken {
                if !different.contains(&complaint) {
                    different.push(complaint);
                }
            }
            for complaint in different.iter().take(COMPLAINTS) {
                let _ = writeln!(text, "* {}: {complaint}", row.id);
            }
            if different.len() > COMPLAINTS {
                let _ = writeln!(text, "* {}: and {} others", row.id, different.len() - COMPLAINTS);
            }
            if let Some(reason) = &row.left_out {
                let _ = writeln!(text, "* {}: not run: {reason}", row.id);
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_hold_is_counted_marked_and_named() {
        let mut good = Row::new("slow-head", "a head that takes a minute");
        good.tried(Vec::new());
        let mut bad = Row::new("kill-first", "kills in a first crawl");
        bad.tried(Vec::new());
        bad.tried(vec!["/a is not recorded".to_owned()]);
        let none = Row::new("disk-full", "no space").left_out("no mount");
        let mut report = TortureReport {
            machine: "a machine".to_owned(),
            seed: 1,
            wall_s: 2.0,
            rows: vec![good.clone(), bad, none.clone()],
        };
        assert!(!report.holds());
        assert_eq!(report.broken(), 1);
        let text = report.markdown();
        for line in [
            "| slow-head | a head that takes a minute | 1 | 1 |  |",
            "| kill-first | kills in a first crawl | 2 | **1** |  |",
            "| disk-full | no space | 0 | 0 | not run |",
            "| | all | 3 | 2 | 1 row was not run |",
            "* kill-first: /a is not recorded",
            "* disk-full: not run: no mount",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
        report.rows = vec![good, none];
        assert!(report.holds());
    }
}
