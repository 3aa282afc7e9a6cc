//! Settings of the command: flags, then environment, read once.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use clap::Args;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_queue_pubsub::PubsubSettings;
use recrawl_schedule::Schedule;
use recrawl_settings::{Bad, CrawlSettings, Flags, Layers, ProcessSettings, Sources, page, variables};
use recrawl_stores::cloud::CloudSettings;

use recrawl_engine::MaintenanceSettings;

/// Every bad value, so that all can be put right at once.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<String>);

impl Problems {
    /// Begins with what is wrong with the names of variables.
    pub(super) fn of_variables() -> Self {
        let environment = variables::of_this_process();
        let by_file = || variables::named_in(Path::new("recrawl.toml"));
        Self(variables::unknown(environment.keys().map(String::as_str), by_file))
    }

    fn note<T, E: Into<anyhow::Error>>(&mut self, setting: &str, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.0.push(format!("{setting}: {:#}", error.into()))).ok()
    }

    /// Returns both values, unless there are problems.
    pub(super) fn unless_any<A, B>(self, (a, b): (Option<A>, Option<B>)) -> Result<(A, B), Self> {
        match (a, b) {
            (Some(a), Some(b)) if self.0.is_empty() => Ok((a, b)),
            (_, _) => Err(self),
        }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [one] => formatter.write_str(one),
            several => {
                write!(formatter, "{} settings cannot be used", several.len())?;
                several.iter().try_for_each(|problem| write!(formatter, "\n  {problem}"))
            }
        }
    }
}

impl std::error::Error for Problems {}

#[derive(Debug, Args)]
pub(super) struct CloudArguments {
    /// Google Cloud project
    #[arg(long, value_name = "PROJECT", env = "GOOGLE_CLOUD_PROJECT", global = true)]
    project: Option<String>,
    /// Pub/Sub emulator to use in place of the service, as HOST:PORT
    #[arg(long, value_name = "ADDRESS", env = "PUBSUB_EMULATOR_HOST", global = true)]
    pubsub_emulator: Option<String>,
    /// Firestore emulator to use in place of the service, as HOST:PORT
    #[arg(long, value_name = "ADDRESS", env = "FIRESTORE_EMULATOR_HOST", global = true)]
    firestore_emulator: Option<String>,
}

/// Where topics and database are.
#[derive(Debug)]
pub(super) struct Cloud {
    pub(super) project: String,
    pubsub_emulator: Option<String>,
    firestore_emulator: Option<String>,
}

impl Cloud {
    pub(super) fn read(arguments: CloudArguments, problems: &mut Problems) -> Option<Self> {
        let project = arguments.project.filter(|project| !project.is_empty());
        let project = project.ok_or_else(|| anyhow::anyhow!("say which Google Cloud project to use"));
        let project = problems.note("--project or GOOGLE_CLOUD_PROJECT", project);
        let pubsub_emulator = emulator("PUBSUB_EMULATOR_HOST", arguments.pubsub_emulator, problems);
        let firestore_emulator = emulator("FIRESTORE_EMULATOR_HOST", arguments.firestore_emulator, problems);
        Some(Self { project: project?, pubsub_emulator, firestore_emulator })
    }

    pub(super) fn pubsub(&self) -> PubsubSettings {
        PubsubSettings { emulator: self.pubsub_emulator.clone(), ..PubsubSettings::new(&self.project) }
    }

    pub(super) fn firestore(&self) -> CloudSettings {
        CloudSettings {
            project: self.project.clone(),
            emulator: self.firestore_emulator.clone(),
            bodies_bucket: None,
            all_bodies_in_bucket: false,
        }
    }
}

fn emulator(setting: &str, address: Option<String>, problems: &mut Problems) -> Option<String> {
    let address = address.filter(|address| !address.is_empty())?;
    let is_address = address
        .rsplit_once(':')
        .is_some_and(|(host, port)| !host.is_empty() && !host.contains('/') && u16::from_str(port).is_ok());
    let checked = if is_address { Ok(address) } else { Err(anyhow::anyhow!("{address:?} is not HOST:PORT")) };
    problems.note(setting, checked)
}

#[derive(Debug, Args)]
pub(super) struct SeedArguments {
    /// Pages to visit; the root of the site for a whole crawl
    #[arg(required = true, value_name = "URL")]
    urls: Vec<String>,
}

/// What is to be visited.
#[derive(Debug)]
pub(super) struct SeedConfig {
    pub(super) pages: Vec<PageUrl>,
}

impl SeedConfig {
    pub(super) fn read(arguments: &SeedArguments, problems: &mut Problems) -> Option<Self> {
        let read = |url: &String| problems.note(&format!("{url:?}"), UrlRules::default().page(url, None));
        let pages: Vec<Option<PageUrl>> = arguments.urls.iter().map(read).collect();
        Some(Self { pages: pages.into_iter().collect::<Option<_>>()? })
    }
}

#[derive(Debug, Args)]
pub(super) struct SiteArgument {
    /// The name of the site in the database
    #[arg(long, value_name = "NAME", env = "RECRAWL_SITE", default_value = "default")]
    site: String,
}

impl SiteArgument {
    pub(super) fn read(&self, problems: &mut Problems) -> Option<SiteId> {
        problems.note("--site or RECRAWL_SITE", self.site.parse())
    }
}

#[derive(Debug, Args)]
pub(super) struct DueArguments {
    #[command(flatten)]
    site: SiteArgument,
    /// Visit the best pages, this many [default: those whose usual interval has passed]
    #[arg(long, value_name = "NUMBER")]
    budget: Option<String>,
}

/// Which due pages are visited.
#[derive(Debug)]
pub(super) struct DueConfig {
    pub(super) site: SiteId,
    pub(super) budget: Option<usize>,
}

impl DueConfig {
    pub(super) fn read(arguments: &DueArguments, problems: &mut Problems) -> Option<Self> {
        let site = arguments.site.read(problems);
        let budget = arguments.budget.as_ref().map(|text| from_one(text));
        let budget = budget.and_then(|budget| problems.note("--budget", budget));
        Some(Self { site: site?, budget })
    }
}

#[derive(Debug, Args)]
pub(super) struct AcceptArguments {
    #[command(flatten)]
    site: SiteArgument,
    /// The unusual crawl [default: the newest]
    #[arg(long, value_name = "ID")]
    crawl: Option<String>,
    /// Accept it even if a later crawl saw the site otherwise
    #[arg(long)]
    force: bool,
}

/// Which unusual crawl is accepted.
#[derive(Debug)]
pub(super) struct AcceptConfig {
    pub(super) site: SiteId,
    pub(super) crawl: Option<CrawlId>,
    pub(super) force: bool,
}

impl AcceptConfig {
    pub(super) fn read(arguments: &AcceptArguments, problems: &mut Problems) -> Option<Self> {
        let site = arguments.site.read(problems);
        let crawl = arguments.crawl.as_ref().map(|text| text.parse());
        let crawl = crawl.and_then(|crawl| problems.note("--crawl", crawl));
        Some(Self { site: site?, crawl, force: arguments.force })
    }
}

/// Reads a number of something that there must be at least one of.
fn from_one<T: FromStr + PartialOrd + From<u8>>(text: &str) -> anyhow::Result<T> {
    let number = text.parse().ok().filter(|number| *number >= T::from(1));
    number.ok_or_else(|| anyhow::anyhow!("{text:?} is not a number from 1"))
}

#[derive(Debug, Args)]
pub(super) struct TickArguments {
    /// Time without a visit before a crawl is audited, such as 600 or 10m [default: 600]
    #[arg(long, value_name = "TIME", env = "RECRAWL_QUIET")]
    quiet: Option<String>,
    /// How many of the newest crawls of a site are kept [default: all]
    #[arg(long, value_name = "NUMBER", env = "RECRAWL_KEEP_CRAWLS")]
    keep_crawls: Option<String>,
    /// How many requests for pages a crawl may make [default: any number]
    #[arg(long, value_name = "NUMBER", env = "RECRAWL_BUDGET")]
    budget: Option<String>,
}

/// How crawls are looked after.
#[derive(Debug)]
pub(super) struct TickConfig {
    pub(super) maintenance: MaintenanceSettings,
}

impl TickConfig {
    pub(super) fn read(arguments: TickArguments, problems: &mut Problems) -> Self {
        let mut flags = Flags::default();
        let said = [
            ("quiet", arguments.quiet),
            ("keep-crawls", arguments.keep_crawls),
            ("budget", arguments.budget),
        ];
        for (name, value) in said {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                let variable = name.replace('-', "_").to_uppercase();
                flags.say(name, vec![value], format!("--{name} or RECRAWL_{variable}"));
            }
        }
        let environment = variables::of_this_process();
        let layers = Layers::new(Sources { flags: &flags, environment: &environment, file: None });
        let crawl = CrawlSettings::read(&layers, &mut problems.0);
        let process = ProcessSettings::read(&layers, &mut problems.0);
        Self { maintenance: MaintenanceSettings::new(&crawl, &process) }
    }
}

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// When crawls begin: minute, hour, day of the month, month, day of the week
    #[arg(long, value_name = "EXPRESSION", default_value = "0 3 * * 1")]
    cron: String,
    /// The time zone of the expression
    #[arg(long, value_name = "ZONE", default_value = "Etc/UTC")]
    time_zone: String,
    /// The root of the site
    #[arg(long, value_name = "URL", env = "RECRAWL_ROOT")]
    root: Option<String>,
}

/// What is started when.
#[derive(Debug)]
pub(super) struct RunConfig {
    pub(super) root: PageUrl,
    pub(super) schedule: Schedule,
}

impl RunConfig {
    pub(super) fn read(arguments: &RunArguments, problems: &mut Problems) -> Option<Self> {
        let schedule = Schedule::new(&arguments.cron, &arguments.time_zone);
        let schedule = problems.note("--cron and --time-zone", schedule);
        let root = match arguments.root.as_deref().filter(|root| !root.is_empty()) {
            Some(root) => page(root).map_err(|Bad(expected)| anyhow::anyhow!("{root:?} must be {expected}")),
            None => Err(anyhow::anyhow!("say which site to crawl")),
        };
        let root = problems.note("--root or RECRAWL_ROOT", root);
        Some(Self { root: root?, schedule: schedule? })
    }
}
