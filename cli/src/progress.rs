//! Shows how a crawl gets on: a bar on a terminal, a line now and then elsewhere.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use recrawl_core::decide::silence;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::plan::sample::SmartDecision;
use recrawl_engine::{Event, Observer};

use crate::output::sanitize_for_terminal;

/// How often a line is written where there is no terminal.
const EVERY: Duration = Duration::from_secs(10);

/// How a crawl gets on.
pub(crate) struct Progress {
    view: View,
    state: Mutex<State>,
}

enum View {
    Bar(ProgressBar),
    Lines,
    Quiet,
}

struct State {
    /// What this run recorded.
    run: Statistics,
    /// Pages that an earlier run recorded.
    before: u64,
    waiting: usize,
    started: Instant,
    last_line: Instant,
}

impl Progress {
    /// Begins to show progress on standard error, unless `quiet`.
    pub(crate) fn new(quiet: bool) -> Self {
        let view = if quiet {
            View::Quiet
        } else if std::io::stderr().is_terminal() {
            View::Bar(bar())
        } else {
            View::Lines
        };
        let now = Instant::now();
        let state = State { run: Statistics::default(), before: 0, waiting: 0, started: now, last_line: now };
        Self { view, state: Mutex::new(state) }
    }

    /// Writes a line that stays.
    pub(crate) fn say(&self, line: &str) {
        match &self.view {
            View::Bar(bar) => bar.suspend(|| anstream::eprintln!("{line}")),
            View::Lines => anstream::eprintln!("{line}"),
            View::Quiet => {}
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        if let View::Bar(bar) = &self.view {
            bar.finish_and_clear();
        }
    }

    fn show(&self, state: &mut State) {
        match &self.view {
            View::Bar(bar) => {
                bar.set_length(state.done() + state.waiting as u64);
                bar.set_position(state.done());
                bar.set_message(state.words());
            }
            View::Lines if state.last_line.elapsed() >= EVERY => {
                state.last_line = Instant::now();
                anstream::eprintln!("{} done, {} queued, {}", state.done(), state.waiting, state.words());
            }
            View::Lines | View::Quiet => {}
        }
    }
}

impl State {
    fn done(&self) -> u64 {
        self.before + self.run.total
    }

    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "figures for people")]
    fn words(&self) -> String {
        let found = |verdict| self.run.counts[verdict];
        let (new, changed, gone) = (found(Verdict::New), found(Verdict::Changed), found(Verdict::Gone));
        let failed = found(Verdict::Failed);
        let seconds = self.started.elapsed().as_secs_f64().max(0.001);
        let rate = self.run.requests as f64 / seconds;
        let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        let left = if self.waiting > 0 && self.run.total > 0 {
            let left = seconds / self.run.total as f64 * self.waiting as f64;
            format!(", about {} left", crate::output::duration(left as u64))
        } else {
            String::new()
        };
        format!("{rate:.1}/s, {new} new, {changed} changed, {gone} gone{failed}{left}")
    }
}

impl recrawl_sql::Watch for Progress {
    fn finish(&self) {
        Self::finish(self);
    }
}

impl Observer for Progress {
    fn on(&self, event: Event<'_>) {
        match event {
            Event::Recorded { record, waiting } => {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                state.run.add(record);
                state.waiting = waiting;
                self.show(&mut state);
            }
            Event::Resumed { recorded, waiting } => {
                self.state.lock().unwrap_or_else(PoisonError::into_inner).before = recorded;
                self.say(&format!("resuming: {recorded} pages are done, {waiting} wait"));
            }
            Event::Retrying { url, reason, wait, retry } => {
                let (url, reason) = (sanitize_for_terminal(url.as_str()), sanitize_for_terminal(reason));
                self.say(&format!("{url}: {reason}; {}", next_try(wait, retry as usize, None)));
            }
            Event::Silent { host, reason, wait, retry, of } => {
                let trouble = trouble(sanitize_for_terminal(reason).as_ref());
                self.say(&format!("{host} {trouble}; {}", next_try(wait, retry, Some(of))));
            }
            Event::Sitemap { url, pages } => {
                self.say(&format!("sitemap {} lists {pages} pages", sanitize_for_terminal(url.as_str())));
            }
            Event::Decided { turn, changed, sampled } => {
                let course = match turn {
                    SmartDecision::Full => "full crawl",
                    SmartDecision::Incremental => "incremental crawl",
                };
                self.say(&format!("smart: {changed} of {sampled} sampled pages changed: {course}"));
            }
            Event::Confirming(pages) => {
                self.say(&format!("visiting {pages} pages again that seem to be gone or empty"));
            }
            Event::Rechecking(pages) => {
                let noun = if pages == 1 { "page" } else { "pages" };
                self.say(&format!("asking again for {pages} {noun} that changed by a few words"));
            }
            Event::Audited(pages) => {
                self.say(&format!("visiting {pages} pages that are known and that nothing led to"));
            }
            Event::Warning(warning) => self.say(&format!("warning: {}", sanitize_for_terminal(&warning))),
        }
    }
}

/// Says of a host why its robots.txt cannot be had.
fn trouble(reason: &str) -> String {
    match silence(reason) {
        "connection refused" => "refuses the connection".to_owned(),
        "no answer in time" => "does not answer in time".to_owned(),
        "its name cannot be found" => "cannot be found".to_owned(),
        other => format!("answers no robots.txt ({other})"),
    }
}

/// Says when something is tried again, and the how-manieth time that is.
fn next_try(wait: Option<Duration>, retry: usize, of: Option<usize>) -> String {
    let when = wait.map(|wait| wait.as_secs_f64().round()).filter(|seconds| *seconds > 0.0);
    let when = when.map_or_else(|| "now".to_owned(), |seconds| format!("in {seconds} s"));
    match of {
        Some(of) => format!("next try {when}, {retry} of {of}"),
        None => format!("next try {when}, number {}", retry + 1),
    }
}

fn bar() -> ProgressBar {
    let template = "{spinner} {pos}/{len} [{bar:24}] {wide_msg}";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(1).with_style(style.progress_chars("=> "));
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
