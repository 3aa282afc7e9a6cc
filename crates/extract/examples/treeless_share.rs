//! Reads the pages of some folders with and without their trees: are both alike, how many need a tree, and what does it cost?
//!
//! `cargo run --profile dist -p recrawl-extract --example treeless_share FOLDER...`
//! Ends with 1 if a page is read otherwise without its tree. With `--way treeless` or `--way tree` in front, it only reads
//! the pages in that way: to be counted by `valgrind --tool=callgrind`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use recrawl_core::model::content::Unreadable;
use recrawl_extract::page::Page;
use recrawl_extract::text::TextRules;
use url::Url;

/// So often the pages are read in each way; the shortest time counts.
const ROUNDS: usize = 5;

/// A way to read a page.
type Read = fn(&[u8], Option<&str>, &Url, &TextRules) -> Result<Page, Unreadable>;

/// What is found out about some pages.
#[derive(Default)]
struct Tally {
    pages: usize,
    bytes: usize,
    by_tree: BTreeMap<&'static str, (usize, usize)>,
    different: Vec<PathBuf>,
    treeless_time: Duration,
    tree_time: Duration,
}

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let way =
        (arguments.first().is_some_and(|first| first == "--way")).then(|| arguments.drain(..2).next_back());
    let mut files: Vec<PathBuf> = arguments.iter().flat_map(|folder| pages_in(Path::new(folder))).collect();
    files.sort();
    if let Some(Some(way)) = way {
        for file in &files {
            read_in(&way, file);
        }
        return ExitCode::SUCCESS;
    }
    let mut tally = Tally::default();
    for file in &files {
        tally.add(file);
    }
    let bodies: Vec<Vec<u8>> = files.iter().map(|file| body_of(file)).collect();
    tally.measure(&bodies);
    tally.report();
    if tally.different.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn pages_in(folder: &Path) -> Vec<PathBuf> {
    if folder.is_file() {
        return vec![folder.to_owned()];
    }
    let entries = std::fs::read_dir(folder).expect("a folder that can be read");
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_page = |path: &Path| path.extension().is_some_and(|ending| ending == "html" || ending == "htm");
    paths.filter(|path| path.is_dir() || is_page(path)).flat_map(|path| pages_in(&path)).collect()
}

fn body_of(file: &Path) -> Vec<u8> {
    std::fs::read(file).expect("a file that can be read")
}

fn address() -> Url {
    Url::parse("https://example.com/dir/page.html").expect("a valid address")
}

fn read_in(way: &str, file: &Path) {
    let body = body_of(file);
    let read = if way == "tree" { Page::parse_by_tree } else { Page::parse };
    std::hint::black_box(read(&body, Some("text/html"), &address(), &TextRules::default()).is_ok());
}

impl Tally {
    fn add(&mut self, file: &Path) {
        let body = body_of(file);
        let (url, rules) = (address(), TextRules::default());
        let html = Some("text/html");
        self.pages += 1;
        self.bytes += body.len();
        if let Some(reason) = Page::needs_tree(&body, html, &rules) {
            let (pages, bytes) = self.by_tree.entry(reason).or_default();
            *pages += 1;
            *bytes += body.len();
        }
        if Page::parse(&body, html, &url, &rules) != Page::parse_by_tree(&body, html, &url, &rules) {
            self.different.push(file.to_owned());
        }
    }

    /// Reads all pages in one way, then in the other, several times.
    fn measure(&mut self, bodies: &[Vec<u8>]) {
        let (url, rules) = (address(), TextRules::default());
        let round = |read: Read| {
            let start = processor_time();
            for body in bodies {
                std::hint::black_box(read(body, Some("text/html"), &url, &rules).is_ok());
            }
            processor_time().saturating_sub(start)
        };
        let rounds: Vec<_> = (0..ROUNDS).map(|_| (round(Page::parse), round(Page::parse_by_tree))).collect();
        self.treeless_time = rounds.iter().map(|(treeless, _)| *treeless).min().unwrap_or_default();
        self.tree_time = rounds.iter().map(|(_, tree)| *tree).min().unwrap_or_default();
    }

    #[expect(clippy::print_stdout, reason = "the report is what this program is for")]
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    fn report(&self) {
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
        let (pages, bytes) = self
            .by_tree
            .values()
            .fold((0, 0), |(pages, bytes), (more, longer)| (pages + more, bytes + longer));
        let (without, bytes_without) = (self.pages - pages, self.bytes - bytes);
        println!(
            "{} pages, {} bytes: {:.2} % of the pages and {:.2} % of the bytes without a tree, in {:.2} of the time",
            self.pages,
            self.bytes,
            share(without, self.pages),
            share(bytes_without, self.bytes),
            self.treeless_time.as_secs_f64() / self.tree_time.as_secs_f64(),
        );
        for (reason, (pages, bytes)) in &self.by_tree {
            println!("{pages:6} pages, {bytes:9} bytes: {reason}");
        }
        println!("{} pages are read otherwise", self.different.len());
        for file in &self.different {
            println!("{}", file.display());
        }
    }
}

/// Returns the time this thread was running, where Linux tells it: other programs do not count.
fn processor_time() -> Duration {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = statistics.split_whitespace().next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}
