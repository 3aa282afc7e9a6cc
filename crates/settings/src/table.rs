//! The table: one row a setting.
//!
//! To add one, write its row here and use its field. The doc comment is the help: its first line stands in `recrawl
//! crawl -h`, the sentences after it in the documents.

use std::time::Duration;

use recrawl_core::decide::traps::PageLimit;
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::content::KeepBodies;
use recrawl_core::model::crawl::Mode;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::prices::PriceTable;
use recrawl_core::secret::Secret;
use recrawl_core::url::PageUrl;

use crate::layers::Layers;
use crate::preset::Preset::{self, Aggressive, Balanced, Conservative};
use crate::read;
use crate::setting::Flag::{Alone, Negated};
use crate::setting::Home::{Cloud, Embedded};
use crate::setting::{Group, Setting, settings};

settings! {
    /// Everything that can be set about crawling one site.
    ///
    /// Fields are what was said; what follows from several of them together has a method.
    #[derive(Debug, Clone, PartialEq)]
    pub struct CrawlSettings, pub const CRAWL;

    Site {
        /// Where to keep what was found
        store: String = one(read::text) "store".default("sqlite:recrawl.db").value("sqlite:PATH").only_in(Embedded);
        /// The name of the site in the store
        site_name: Option<SiteId> = some(read::site) "site-name".unset("(from the URL)").value("NAME").only_in(Embedded);
        /// A set of settings: conservative, balanced or aggressive; what is set beside it wins
        /// docs/REFERENCE.md lists what each of them sets.
        /// With `aggressive`, a host that answers 429 or 503 gets 1 request a second for the rest of the run.
        preset: Option<Preset> = some(read::preset) "preset".value("conservative|balanced|aggressive");
    }

    Pace {
        /// Requests a second to a host, or `unlimited`
        rate: Duration = one(read::rate) "rate".default("1").value("N|unlimited");
        /// Seconds between the starts of two requests to a host, in place of rate
        delay: Option<Duration> = some(read::seconds) "delay".unset("(1 / rate)").value("SECONDS")
            .preset(Conservative, "2").preset(Aggressive, "0.25");
        /// The shortest delay, whatever robots.txt says
        min_delay: Duration = one(read::seconds) "min-delay".default("0").value("SECONDS").rare();
        /// The longest delay, whatever robots.txt says
        max_delay: Duration = one(read::seconds) "max-delay".default("60").value("SECONDS").rare();
        /// Requests to a host at a time, 1 to 8; one where robots.txt names a Crawl-delay
        parallel: Option<u32> = some(read::parallel) "parallel".unset("1; 8 with rate unlimited").value("N")
            .preset(Aggressive, "8");
    }

    Limits {
        /// Ask for at most this many pages; 0 for any number
        /// A crawl that reaches the limit is partial.
        max_pages: PageLimit = one(read::page_limit) "max-pages".unset("200000, or twice the pages known").value("N");
        /// Follow at most this many links from the root
        max_depth: Option<u32> = some(read::number) "max-depth".value("N")
            .preset(Conservative, "3").preset(Balanced, "5").preset(Aggressive, "none");
        /// Stop after this time, such as 90s, 10m or 2h
        /// A crawl that was stopped is partial.
        max_time: Option<Duration> = some(read::positive_seconds) "max-time".value("TIME").only_in(Embedded);
        /// Make at most this many requests for pages
        /// The best pages are visited, and the others wait for the next crawl. The crawl is then partial.
        budget: Option<u64> = some(read::budget) "budget".value("N");
        /// Skip further addresses of one shape once this many had the same text; 0 never does
        /// Addresses of one shape differ only in numbers, dates or ids. New ones are left out, as are paths that repeat
        /// a part more than 3 times.
        trap_limit: u32 = one(read::number) "trap-limit".default("100").value("N").rare();
    }

    Scope {
        /// Visit only pages that match one of these globs
        /// `*` crosses slashes.
        include: Vec<String> = many(read::list) "include".unset("(everything below the URL)").value("GLOB");
        /// Never visit pages that match one of these globs
        exclude: Vec<String> = many(read::list) "exclude".unset("(nothing)").value("GLOB");
        /// Hosts below the URL's host belong to the site
        subdomains: bool = one(read::truth) "subdomains".default("false").value("BOOL").flag(Alone("true"));
        /// This host belongs to the site, too
        extra_host: Vec<String> = many(read::list) "extra-host".value("HOST");
        /// The hosts of the site may be on this machine or in its network, whatever their names are
        /// Without it only those may that are written so: an IP address, `localhost`, a `.local` name.
        allow_private: bool = one(read::truth) "allow-private".default("false").value("BOOL").flag(Alone("true"));
    }

    Comparison {
        /// Ignore what this CSS selector matches when pages are compared
        ignore_selector: Vec<String> = many(read::list) "ignore-selector".value("CSS");
        /// Compare only what this CSS selector matches, such as `main`
        only_selector: Vec<String> = many(read::list) "only-selector".unset("(the whole page)").value("CSS");
        /// Ignore text that matches this regular expression when pages are compared
        ignore_regex: Vec<String> = many(read::list) "ignore-regex".value("REGEX");
        /// Count this attribute as text, in place of the default list
        keep_attribute: Vec<String> = many(read::list) "keep-attribute".default("data-wf-page").value("NAME").rare();
        /// Remove this kind of noise, or `none`, in place of all of them
        /// docs/REFERENCE.md lists them.
        noise_rule: Option<Vec<String>> = many(read::some_list) "noise-rule".unset("all").value("NAME").rare();
        /// Change the words by which a site's frame is known: `+sponsor` adds one, `-search` drops one
        /// What stands below an element with such a word in its class or id, such as `menu`, is not content.
        frame_words: Vec<String> = many(read::list) "frame-words".value("WORD").rare();
        /// What counts as a change: what a page says, where it leads, what it shows, what its head says
        compare: Aspects = many(read::aspects) "compare".default("text, links, media, meta").value("text,links,media,meta");
        /// The same edit on this many pages is one shared change
        shared_pages: u64 = one(read::number) "shared-pages".default("3").value("N").rare();
        /// Edits that differ in numbers, dates or ids only are one shared change on this share of the pages
        /// On five pages at least.
        shared_share: f64 = one(read::share) "shared-share".default("0.03").value("SHARE").rare();
        /// The same edit of the content on this share of the pages is an edit of the site's frame
        /// On twenty pages at least.
        template_share: f64 = one(read::share) "template-share".default("0.2").value("SHARE").rare();
        /// Have this many pages of a shared change of the content archived
        /// Of any other shared change it is one.
        archive_shared: u64 = one(read::number) "archive-shared".default("20").value("N").rare();
        /// Keep every body of this media type, such as `text/gemini`: each visit that fetches a text is a version of its own
        /// Of what is no text, or HTML, a body with other bytes is.
        full_history: Vec<String> = many(read::media_types) "full-history".value("TYPE").rare();
        /// Drop this query parameter from addresses, in place of the default list
        /// `*` at the end is a wildcard.
        drop_parameter: Option<Vec<String>> = many(read::some_list) "drop-parameter"
            .unset("utm_*, gclid, fbclid, session ids and the like").value("NAME").rare();
    }

    Identity {
        /// The whole user agent
        /// Its first word is looked up in robots.txt.
        user_agent: Option<String> = some(read::user_agent) "user-agent".unset("recrawl/VERSION (+CONTACT)").value("TEXT");
        /// The languages to ask for, such as `de, en;q=0.5`
        /// Servers that have a page in several languages choose by it; without it they send what they like best.
        accept_language: Option<String> = some(read::user_agent) "accept-language".value("LANGUAGES").rare();
        /// Where site owners can reach you; part of the user agent
        contact: String = one(read::contact) "contact".default(read::CONTACT).value("URL");
    }

    Visits {
        /// Fetch everything, ask for known pages conditionally, or let a sample of them decide
        /// The modes are `full`, `incremental` and `smart`. Mode `smart` also passes over pages that a reliable sitemap
        /// calls unchanged.
        mode: Mode = one(read::mode) "mode".default("incremental").value("full|incremental|smart")
            .preset(Conservative, "incremental").preset(Balanced, "incremental").preset(Aggressive, "smart");
        /// How many known pages decide in mode smart
        smart_sample: usize = one(read::number) "smart-sample".default("50").value("N").rare();
        /// The share of them that must have changed for a full crawl
        smart_threshold: f64 = one(read::share) "smart-threshold".default("0.2").value("SHARE").rare();
        /// Ask known pages for their headers first
        head: bool = one(read::truth) "head".default("false").value("BOOL").flag(Alone("true"))
            .preset(Conservative, "true").preset(Aggressive, "false");
        /// Do not ask for a page while its server says that it stays fresh
        /// Servers say so by `Cache-Control: max-age` and `Expires`.
        trust_freshness: bool = one(read::truth) "trust-freshness".default("false").value("BOOL").flag(Alone("true"));
        /// Do not ask for pages visited less than this many days ago
        skip_if_visited_days: u32 = one(read::number) "skip-if-visited-days".default("0").value("DAYS");
        /// The share of 304 responses that are checked by an unconditional request
        /// A host whose 304 was not true is asked unconditionally for the rest of the crawl.
        check_share: f64 = one(read::share) "check-share".default("0.01").value("SHARE").rare();
        /// The share of a crawl's pages, and at least 5 of them, that are asked for again at its end
        /// Pages in their first three visits that changed by a few words: what differs between the two answers is noise.
        /// `0` asks for none.
        recheck_share: f64 = one(read::share) "recheck-share".default("0.01").value("SHARE").rare();
        /// Ask for the images that pages show, too: one replaced at the same address is a change (`media`)
        /// Images on the hosts of the site, conditionally, at the same pace and as robots.txt allows: about as many requests
        /// more as the site has images. What an image was before can be saved by `recrawl show --as body`.
        watch_images: bool = one(read::truth) "watch-images".default("false").value("BOOL").flag(Alone("true")).rare();
        /// Find out how a host answers for pages that it does not have, by one request a day
        soft_404: bool = one(read::truth) "soft-404".default("true").value("BOOL").rare();
        /// Which bodies to keep: `all`, `changed` or `none`
        /// Texts are always kept.
        keep_bodies: KeepBodies = one(read::keep_bodies) "keep-bodies".default("changed").value("all|changed|none");
        /// Obey robots.txt; `--no-robots` ignores it on your own site, and needs `--i-own-this-site`
        robots: bool = one(read::truth) "robots".default("true").flag(Negated("no-robots")).only_in(Embedded);
        /// Obey nofollow
        nofollow: bool = one(read::truth) "nofollow".default("true").value("BOOL").rare();
        /// Look for sitemaps
        sitemaps: bool = one(read::truth) "sitemaps".default("true").value("BOOL").rare();
        /// Hours for which a sitemap is not asked for again
        /// 0 asks every time, conditionally.
        sitemap_cache: Duration = one(read::hours) "sitemap-cache".default("24").value("HOURS").rare();
    }

    Order {
        /// Weight of a day since the last visit
        priority_age: f64 = one(read::weight) "priority-age".default("0.4").value("WEIGHT").rare();
        /// Weight of a tenth of a change a day
        priority_frequency: f64 = one(read::weight) "priority-frequency".default("0.4").value("WEIGHT").rare();
        /// Weight of nearness to the root, which is 1 / (depth + 1)
        priority_depth: f64 = one(read::weight) "priority-depth".default("0.2").value("WEIGHT").rare();
        /// Weight added for pages never visited
        priority_unvisited: f64 = one(read::weight) "priority-unvisited".default("100").value("WEIGHT").rare();
        /// Weight added where a sitemap says that the page changed since the last visit
        priority_sitemap: f64 = one(read::weight) "priority-sitemap".default("50").value("WEIGHT").rare();
        /// Weight added where a visit is due by the change frequency in a sitemap
        priority_sitemap_due: f64 = one(read::weight) "priority-sitemap-due".default("5").value("WEIGHT").rare();
    }

    Weights {
        /// Points for a change of the content itself
        weight_content: f64 = one(read::points) "weight-content".default("150").value("POINTS").rare();
        /// Points for the share of the words that went or came, on a scale of logarithms: so many if all of them did
        weight_size: f64 = one(read::points) "weight-size".default("400").value("POINTS").rare();
        /// Points if a title or a heading changed
        weight_title: f64 = one(read::points) "weight-title".default("120").value("POINTS").rare();
        /// Points if numbers, money or dates changed in the content
        weight_figures: f64 = one(read::points) "weight-figures".default("100").value("POINTS").rare();
        /// Points if the page asks robots for something else, or names another canonical address
        weight_robots: f64 = one(read::points) "weight-robots".default("100").value("POINTS").rare();
        /// Points for a change of the root; of a page below it, divided by its depth + 1
        weight_near_root: f64 = one(read::points) "weight-near-root".default("40").value("POINTS").rare();
        /// Points for a page that was seen several times and hardly ever changed
        weight_calm: f64 = one(read::points) "weight-calm".default("40").value("POINTS").rare();
        /// Points for a page that is new
        weight_new: f64 = one(read::points) "weight-new".default("250").value("POINTS").rare();
        /// Points for a page that is gone
        weight_gone: f64 = one(read::points) "weight-gone".default("300").value("POINTS").rare();
        /// Points for a page that moved
        weight_moved: f64 = one(read::points) "weight-moved".default("200").value("POINTS").rare();
        /// Points for the length of a page that is new, gone or moved: so many from 3,000 words on
        weight_length: f64 = one(read::points) "weight-length".default("250").value("POINTS").rare();
        /// How much words in links count, compared with those in text
        weight_links: f64 = one(read::share) "weight-links".default("0.7").value("SHARE").rare();
        /// How much words beside the content count, and links and images in it
        weight_aside: f64 = one(read::share) "weight-aside".default("0.4").value("SHARE").rare();
        /// How much words, links and images in menus, headers and footers count
        weight_frame: f64 = one(read::share) "weight-frame".default("0.2").value("SHARE").rare();
    }

    Afterwards {
        /// Have the Wayback Machine archive `changes`, `all` (also what is new to a first crawl) or `never`
        /// Crawls note what to archive. The flag `--archive` asks for captures after the crawl, `recrawl archive` later, and the
        /// service by itself.
        archive: ArchivePolicy = one(read::archiving) "archive".default("changes").value("changes|all|never").flag(Alone(""));
        /// When `recrawl serve`, or the service, crawls the site by itself: minute, hour, day, month, day of the week
        /// `0 3 * * 1` is Mondays at 3:00.
        schedule: Option<String> = some(read::cron) "schedule".value("CRON").rare();
        /// The time zone of the schedule, such as `America/Los_Angeles`
        time_zone: String = one(read::time_zone) "time-zone".default("UTC").value("ZONE").rare();
    }

    Requests {
        /// Ask for a page again this often when a server is in trouble
        retries: u32 = one(read::number) "retries".default("5").value("N").rare();
        /// Seconds a host in trouble is left alone at first; longer each time, up to 200 times as long
        back_off: Duration = one(read::seconds) "back-off".default("3").value("SECONDS").rare();
        /// Seconds a host in trouble is left alone at most, unless it asks for more itself
        max_retry_backoff: Duration = one(read::seconds) "max-retry-backoff".default("600").value("SECONDS").rare();
        /// Seconds a request may take
        /// All requests for a page may take four times as long.
        time_out: Duration = one(read::positive_seconds) "time-out".default("30").value("SECONDS").rare();
        /// Bytes of a page that are read
        /// Of a longer page the beginning is compared, and the visit says so.
        body_limit: usize = one(read::bytes) "body-limit".default("10485760").value("BYTES").rare();
        /// Bytes of a document that are read, such as PDF
        /// A longer one is compared by its bytes so far, and the visit says so.
        body_limit_documents: usize = one(read::bytes) "body-limit-documents".default("52428800").value("BYTES").rare();
        /// Bytes that pages and what is read out of them take in memory; requests wait where they are used up
        /// Each page counts twelve times, from the first byte that arrives until it is stored. One page alone may go beyond.
        body_memory: usize = one(read::bytes) "body-memory".default("67108864").value("BYTES").rare();
    }
}

settings! {
    /// What the environment alone says about a process.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ProcessSettings, pub const PROCESS;

    Process {
        /// The URL where crawls begin
        root: Option<PageUrl> = some(read::page) "root".unset("(required)").only_in(Cloud);
        /// The name of the site in the database
        site: Option<SiteId> = some(read::site) "site".unset("default").only_in(Cloud);
        /// Sites to watch beside that one: `{"NAME": {"root": "URL", "settings": {...}, "notify": {...}}}`
        /// Terraform writes it. What is said of a site counts more than what this environment says of all.
        sites: Option<String> = some(read::text) "sites".unset("(none)").value("JSON").only_in(Cloud);
        /// Who is told of crawls of any site: the tables `[notify.NAME]`, as JSON
        notify: Option<String> = some(read::text) "notify".unset("(nobody)").value("JSON").only_in(Cloud);
        /// Watch what somebody asks for and no site admits as a site of its own; otherwise it is refused
        adopt: bool = one(read::truth) "adopt".default("false").value("BOOL").only_in(Cloud);
        /// How many closed crawls of a site are kept, at least 2
        keep_crawls: Option<usize> = some(read::kept_crawls) "keep-crawls".unset("(all)").only_in(Cloud);
        /// How long a crawl may be open before the log says so as an alarm
        overlong: Duration = one(read::positive_seconds) "overlong".default("24h").value("TIME").only_in(Cloud);
        /// How long a site may be without a new crawl before the log says so as an alarm
        overdue: Duration = one(read::positive_seconds) "overdue".default("192h").value("TIME").only_in(Cloud);
        /// How long nothing is visited before a crawl is audited
        quiet: Duration = one(read::quiet) "quiet".default("600").only_in(Cloud);
        /// How long Pub/Sub waits for an answer, at most 600 seconds
        ack_deadline: Duration = one(read::ack_deadline) "ack-deadline".default("600").only_in(Cloud);
        /// The audience that the token of a push must name
        push_audience: Option<String> = some(read::text) "push-audience".unset("(any)").only_in(Cloud);
        /// The account that the token of a push must name
        push_email: Option<String> = some(read::text) "push-email".unset("(any)").only_in(Cloud);
        /// Check the signature of that token, too: where the service does not stand behind Cloud Run
        /// Cloud Run checks it and takes it away.
        push_signature: bool = one(read::truth) "push-signature".default("false").value("BOOL").only_in(Cloud);
        /// The address of the web page, to which announcements link
        public_url: Option<PageUrl> = some(read::page) "public-url".unset("(none)").only_in(Cloud);
        /// What is logged: a level, or levels by module
        log: Option<String> = some(read::text) "log".unset("info").only_in(Cloud);
        /// The bucket of bodies that do not fit into a Firestore document
        bodies_bucket: Option<String> = some(read::text) "bodies-bucket";
        /// Keep all bodies in that bucket, and not only those that do not fit
        all_bodies_in_bucket: bool = one(read::truth) "all-bodies-in-bucket".default("false").value("BOOL");
        /// The keys of an account at archive.org, as `ACCESSKEY:SECRET`; never shown or logged
        archive_keys: Option<Secret> = some(read::secret) "archive-keys";
        /// What Google charges, with the day of these prices first: `2026-11-01 reads=0.03 storage=0.15`
        /// Prices that are not named stay as they are: dollars for 100,000 `reads`, `writes` and `deletes`, a GiB and month of
        /// `storage`, a second of a `vcpu` and of a GiB of `memory`, a TiB of `messages`.
        prices: PriceTable = one(read::prices) "prices".default("2026-11-01").value("DATE NAME=PRICE...");
        /// Another address of Save Page Now
        save_page_now: Option<String> = some(read::text) "save-page-now".unset("https://web.archive.org");
    }
}
