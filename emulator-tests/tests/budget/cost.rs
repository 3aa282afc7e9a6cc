//! What a year of weekly crawls costs, from counted operations and Google's rules for sizes. The tables of
//! docs/DEPLOY.md are computed here; `UPDATE_COSTS=1` writes them anew.

use std::fmt::Write;
use std::{env, fs};

use emulator_tests::Emulator;
use emulator_tests::documents::Documents;
use emulator_tests::sizes::{Exemptions, size_of};
use recrawl_core::model::crawl::Operations;
use recrawl_core::model::prices::Free;
use recrawl_core::model::verdict::Verdict;
use recrawl_testkit::site::Page;

use crate::world::World;

/// How many pages the user's site has.
const SITE_PAGES: u64 = 3_500;
/// How many are crawled here, and then twice as many: what the second half costs is what pages cost.
const PAGES: u64 = 50;
/// Of so many pages, one changes each week: 2 %.
const ONE_CHANGES_OF: u64 = 50;
/// In how many weeks.
const WEEKS: usize = 4;
/// How many crawls a deployment keeps unless somebody says otherwise (`keep_crawls` in `infra/variables.tf`).
const KEPT: u64 = 26;
/// Ticks come every ten minutes.
const TICKS_A_DAY: u64 = 144;
/// How many messages in a hundred are delivered once more, to a process that does not remember them.
const REDELIVERED: u64 = 2;
/// What becomes of an archive request is written when it is made and when it is captured, and read before each.
const PER_CAPTURE: Operations =
    Operations { reads: 4, writes: 3, deletes: 0, messages: 1, stored_bytes: 0, busy_ms: 15_000 };
/// What the service reads with each tick beside what is counted here: whether somebody stops a crawl.
const ASKED_BY_THE_SERVICE: Operations =
    Operations { reads: 1, writes: 0, deletes: 0, messages: 0, stored_bytes: 0, busy_ms: 0 };
/// What was used is saved with the ticks of a crawl, and else once an hour.
const SAVED_A_DAY: u64 = 40;
/// A page at one a second, and ticks that find nothing to do.
const MS_A_PAGE: u64 = 1_000;
const MS_A_TICK: u64 = 300;
const DEPLOY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/DEPLOY.md");

/// Words as a text has them, so that it is compressed as a text is.
fn words(seed: u64, count: u64) -> String {
    let syllables =
        ["ta", "ren", "mo", "li", "sker", "pa", "ul", "eth", "ou", "in", "gra", "ve", "dor", "ky"];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % limit as u64).unwrap()
    };
    let mut text = String::new();
    for _ in 0..count {
        for _ in 0..=next(3) {
            text.push_str(syllables[next(syllables.len())]);
        }
        text.push(' ');
    }
    text
}

/// Returns a page of some 57 kB, as those of the user's site are on average: 60 links, a template, 450 words of its own.
fn page(number: u64, version: u64, pages: u64) -> Page {
    let mut html =
        format!("<!doctype html><html lang=en><head><title>Page {number}</title></head><body><nav>");
    for link in 0..60 {
        let target = if link == 0 { 0 } else { (number * 7 + link * 13) % pages };
        let _ = write!(
            html,
            "<div class='views-row menu-item menu-item--{link} cloudy:py-4'><a class='nav-link u-d-block' href='{}'>{}</a></div>",
            path(target),
            words(link, 3),
        );
    }
    html.push_str("</nav><main>");
    for paragraph in 0..15 {
        let _ = write!(html, "<p class='field field--name-body'>{}", words(number * 100 + paragraph, 30));
    }
    if version > 0 {
        let _ = write!(html, "<p>{}", words(1_000_000 + version, 12));
    }
    html.push_str("</main><footer>");
    for block in 0..220 {
        let _ = write!(
            html,
            "<div class='region region--{} block-{block}'><svg viewBox='0 0 {} 24'><path d='M{} 7h14v2z'/></svg></div>",
            block % 9,
            block * 3,
            words(block, 4)
        );
    }
    html.push_str("</footer>");
    Page::html(html)
}

/// Returns an address as long as those of the user's site are.
fn path(number: u64) -> String {
    if number == 0 { "/".to_owned() } else { format!("/transportation/permitting/street-closure-{number}") }
}

/// What the crawls of a small site came to, or of the user's.
#[derive(Debug, Clone, Copy)]
struct Measured {
    first: Operations,
    weekly: Operations,
    idle_tick: Operations,
    deletes: u64,
    /// Bytes of the pages of a crawl, of the first contents, and of those of a week.
    crawl: u64,
    first_contents: u64,
    weekly_contents: u64,
}

async fn measure(pages: u64) -> Measured {
    let world = World::empty().await;
    for number in 0..pages {
        world.site.page(&path(number), page(number, 0, pages));
    }
    let mut of_weeks = Vec::new();
    for week in 0..WEEKS {
        let version = week as u64;
        let changing = if week == 0 { 0 } else { pages / ONE_CHANGES_OF };
        for number in (0..changing).map(|place| 1 + version * changing + place) {
            world.site.page(&path(number), page(number, version, pages));
        }
        let start = world.counted();
        let crawl = world.crawl(&format!("crawl-2026-11-{:02}", 2 + 7 * week)).await;
        Box::pin(world.deliver_again(&crawl, pages * REDELIVERED / 100)).await;
        let statistics = world.tick_until_closed(&crawl).await;
        let (new, changed) = (statistics.counts[Verdict::New], statistics.counts[Verdict::Changed]);
        assert_eq!((new, changed), if week == 0 { (pages, 0) } else { (0, changing) }, "{statistics:?}");
        of_weeks.push(world.counted().since(start));
    }
    let bytes = async |collection: &str| {
        let documents = Documents::new(&Emulator::firestore().url(), world.project());
        let exemptions = Exemptions::of_infra();
        let documents = documents.typed(collection).await.unwrap();
        documents.iter().map(|document| size_of(document, &exemptions).total()).collect::<Vec<u64>>()
    };
    let last = format!("crawl-2026-11-{:02}", 2 + 7 * (WEEKS - 1));
    let mut crawl: u64 = bytes(&last).await.iter().sum();
    crawl += bytes(&format!("crawls/{last}/roll")).await.iter().sum::<u64>();
    let contents = bytes("content").await;
    let mean = contents.iter().sum::<u64>() / contents.len() as u64;
    // The first tick of a day looks whether something is to be deleted.
    world.tick().await;
    let before = world.counted();
    world.tick().await;
    let idle_tick = world.counted().since(before);
    let before = world.counted();
    world.delete("crawl-2026-11-02").await;
    let deletes = world.counted().since(before).deletes;
    Measured {
        first: of_weeks[0],
        weekly: *of_weeks.last().unwrap(),
        idle_tick,
        deletes,
        crawl,
        first_contents: mean * pages,
        weekly_contents: mean * (pages / ONE_CHANGES_OF),
    }
}

/// Returns what a site of [`SITE_PAGES`] pages takes, given what two small ones do: so much for each page, and the rest once.
const fn site(small: u64, large: u64) -> u64 {
    let of_pages = large.saturating_sub(small);
    small + of_pages * (SITE_PAGES - PAGES) / PAGES
}

/// Returns the same for operations. What is read once are mostly lists of crawls, which are longer after a year.
fn operations(small: Operations, large: Operations) -> Operations {
    let once = small.reads.saturating_sub(large.reads - small.reads);
    Operations {
        reads: site(small.reads, large.reads) + once * KEPT / WEEKS as u64,
        writes: site(small.writes, large.writes),
        messages: site(small.messages, large.messages),
        ..Operations::default()
    }
}

fn times(used: Operations, count: u64) -> Operations {
    (0..count).fold(Operations::default(), |sum, _| sum + used)
}

impl Measured {
    /// Returns what the user's site comes to, given two small ones.
    fn of_site(small: Self, large: Self) -> Self {
        Self {
            first: operations(small.first, large.first),
            weekly: operations(small.weekly, large.weekly),
            idle_tick: large.idle_tick + ASKED_BY_THE_SERVICE,
            deletes: site(small.deletes, large.deletes),
            crawl: site(small.crawl, large.crawl),
            first_contents: site(small.first_contents, large.first_contents),
            weekly_contents: site(small.weekly_contents, large.weekly_contents),
        }
    }

    /// Returns what the day of a crawl costs.
    fn day(&self, crawl: Operations, captures: u64) -> Operations {
        let busy_ms = SITE_PAGES * MS_A_PAGE + TICKS_A_DAY * MS_A_TICK;
        let crawl = Operations { writes: crawl.writes + SAVED_A_DAY, busy_ms, ..crawl };
        crawl + times(self.idle_tick, TICKS_A_DAY) + times(PER_CAPTURE, captures)
    }

    /// Returns how many bytes are stored after so many weeks where so many crawls are kept.
    fn stored(&self, weeks: u64, kept: u64) -> u64 {
        let kept = weeks.min(kept);
        self.first_contents + kept * self.crawl + (kept - 1) * self.weekly_contents
    }
}

/// Rounds up, so that a byte more or less does not change a document.
const fn up(count: u64, to: u64) -> u64 {
    count.div_ceil(to) * to
}

fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn percent(count: u64, free: u64) -> String {
    format!("{} %", (count * 100).div_ceil(free))
}

fn table(measured: &Measured) -> String {
    let changed = SITE_PAGES * 2 / 100;
    let first = measured.day(measured.first, 0);
    let weekly = measured.day(measured.weekly, changed);
    let deletes = measured.deletes;
    let month = |busy: u64| busy * 52 / 12 / 1_000 + 26 * TICKS_A_DAY * MS_A_TICK / 1_000;
    let mut text = String::from(
        "| what | free | first crawl | a weekly crawl | part of what is free |\n|---|---|---|---|---|\n",
    );
    let mut row = |what: &str, free: &str, first: String, weekly: String, part: String| {
        let _ = writeln!(text, "| {what} | {free} | {first} | {weekly} | {part} |");
    };
    for (what, name, free, to, of) in [
        ("Firestore reads", "50,000 a day", Free::READS, 500, (first.reads, weekly.reads)),
        ("Firestore writes", "20,000 a day", Free::WRITES, 100, (first.writes, weekly.writes)),
        ("Firestore deletes", "20,000 a day", Free::DELETES, 100, (0, deletes)),
    ] {
        let (first, weekly) = (up(of.0, to), up(of.1, to));
        row(
            what,
            name,
            grouped(first),
            grouped(weekly),
            format!("{}, then {} of a day", percent(first, free), percent(weekly, free)),
        );
    }
    let megabytes = |bytes: u64| format!("{} MB", grouped(up(bytes, 1_000_000) / 1_000_000));
    let kept = up(measured.stored(52, KEPT), 10_000_000);
    row(
        "Firestore storage",
        "1 GiB",
        megabytes(measured.stored(1, KEPT)),
        format!("{} more", megabytes(measured.crawl + measured.weekly_contents)),
        format!("{} with {KEPT} crawls", percent(kept, Free::STORED_BYTES)),
    );
    let (of_first, of_weekly) = (month(first.busy_ms), month(weekly.busy_ms));
    row(
        "Cloud Run CPU",
        "180,000 vCPU-s a month",
        format!("{} s", grouped(up(first.busy_ms / 1_000, 100))),
        format!("{} s", grouped(up(weekly.busy_ms / 1_000, 100))),
        format!("{} of a month", percent(of_first.max(of_weekly), Free::VCPU_SECONDS)),
    );
    let messages = weekly.messages.max(first.messages) + TICKS_A_DAY * 7;
    let bytes = messages * 2 * 1_000 * 52 / 12;
    row(
        "Pub/Sub",
        "10 GiB a month",
        format!("{} messages", grouped(up(first.messages, 100))),
        format!("{} messages", grouped(up(weekly.messages, 100))),
        format!("{} of a month", percent(bytes, Free::MESSAGE_BYTES)),
    );
    text
}

/// Says how a year ends: with all crawls kept, and with as many as a deployment keeps.
fn year(measured: &Measured) -> String {
    let all = |weeks| measured.stored(weeks, u64::MAX);
    let over = (1..=520).find(|weeks| all(*weeks) > Free::STORED_BYTES);
    let megabytes = |bytes: u64| grouped(up(bytes, 20_000_000) / 1_000_000);
    let with_all = match over {
        Some(week) => format!(
            "52 weekly crawls take {} MB if all of them are kept: more than the free GiB (1,074 MB) from week {week} on",
            megabytes(all(52))
        ),
        None => format!("52 weekly crawls take {} MB if all of them are kept", megabytes(all(52))),
    };
    format!(
        "{with_all}.\n`keep_crawls`, which is {KEPT} by default, deletes the oldest one with each new one from week {} on, with what only it \
         named: then it stays at {} MB.\n",
        KEPT + 1,
        megabytes(measured.stored(52, KEPT))
    )
}

/// Returns what stands between two marks of a document, with the text around it.
fn marked<'a>(document: &'a str, name: &str) -> (&'a str, &'a str, &'a str) {
    let (begin, end) = (format!("<!-- computed: {name} -->\n"), format!("<!-- end of {name} -->"));
    let (before, rest) = document.split_once(begin.as_str()).expect("the document has the mark");
    let (inside, after) = rest.split_once(end.as_str()).expect("the document has the other mark");
    (&document[..before.len() + begin.len()], inside, &document[document.len() - after.len() - end.len()..])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_year_of_weekly_crawls_stays_inside_the_free_tier_as_the_document_says() {
    let measured = Measured::of_site(Box::pin(measure(PAGES)).await, Box::pin(measure(2 * PAGES)).await);
    println!("{measured:?}");
    let day = measured.day(measured.weekly, SITE_PAGES * 2 / 100);
    assert!(day.reads < Free::READS && day.writes < Free::WRITES, "{day:?}");
    assert!(measured.deletes < Free::DELETES);
    assert!(measured.stored(52, KEPT) < Free::STORED_BYTES, "{} bytes", measured.stored(52, KEPT));
    assert!(measured.crawl <= 19_000_000, "{} bytes a crawl", measured.crawl);
    let mut document = fs::read_to_string(DEPLOY).unwrap();
    for (name, computed) in [("costs", table(&measured)), ("year", year(&measured))] {
        let (before, inside, after) = marked(&document, name);
        if env::var_os("UPDATE_COSTS").is_some() {
            document = format!("{before}{computed}{after}");
            fs::write(DEPLOY, &document).unwrap();
        } else {
            assert!(is_near(inside, &computed), "UPDATE_COSTS=1 writes it anew:\n{inside}\n{computed}");
        }
    }
}

/// Tells whether a text says the same with about the same numbers: how often ticks look depends on the hour.
fn is_near(said: &str, computed: &str) -> bool {
    let parts = |text: &str| -> (Vec<u64>, String) {
        let plain = text.replace(',', "");
        let numbers = plain.split(|character: char| !character.is_ascii_digit());
        let words = plain.chars().filter(|character| !character.is_ascii_digit());
        (numbers.filter_map(|number| number.parse().ok()).collect(), words.collect())
    };
    let ((said, said_words), (computed, computed_words)) = (parts(said), parts(computed));
    let are_near = |(said, computed): (&u64, &u64)| said.abs_diff(*computed) <= 2 + computed / 10;
    said_words == computed_words && said.len() == computed.len() && said.iter().zip(&computed).all(are_near)
}

#[test]
fn a_table_is_as_it_is_computed_where_its_numbers_are_near() {
    for (said, expected) in [
        ("| reads | 17,500 a day | 35 % |", true),
        ("| reads | 21,000 a day | 35 % |", false),
        ("| reads | 18,000 a day |", false),
        ("| writes | 18,000 a day | 36 % |", false),
    ] {
        assert_eq!(is_near(said, "| reads | 18,000 a day | 36 % |"), expected, "{said}");
    }
}
