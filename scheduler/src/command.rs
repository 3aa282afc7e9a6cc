//! The command: arguments in, exit status out.

mod config;
mod logs;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::{Parser, Subcommand};
use jiff::Timestamp;
use recrawl_core::model::crawl::Operations;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{NoNotices, Store};
use recrawl_core::words::counted;
use recrawl_engine::{
    Accepted, CloudStore, Commanded, CrawlCommand, DueCrawl, GatheredAudits, Maintenance,
    MaintenanceSettings, command_crawl, open_due,
};
use recrawl_queue_pubsub::Topics;
use recrawl_stores::cloud::{BilledStore, connect};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use self::config::{
    AcceptArguments, AcceptConfig, Cloud, CloudArguments, DueArguments, DueConfig, Problems, RunArguments,
    RunConfig, SeedArguments, SeedConfig, SiteArgument, TickArguments, TickConfig,
};
use crate::weekly::Weekly;

/// Start crawls on Google Cloud, and look after them
#[derive(Debug, Parser)]
#[command(name = "scheduler", version)]
pub struct Arguments {
    #[command(flatten)]
    cloud: CloudArguments,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Ask for pages to be visited: opens a crawl, or joins the one that is open
    Seed(SeedArguments),
    /// Ask for the pages that are due: opens a crawl of these pages only
    Due(DueArguments),
    /// Accept what an unusual crawl found, and announce it
    Accept(AcceptArguments),
    /// Stop the open crawl of a site for good: it is closed as partial
    Stop(SiteArgument),
    /// Let the open crawl of a site rest, until it is resumed or stopped
    Pause(SiteArgument),
    /// Go on with a crawl that was paused
    Resume(SiteArgument),
    /// Look after the crawls once, now, without the service
    Tick(TickArguments),
    /// Start crawls on time and ask for ticks, until it is stopped
    Run(RunArguments),
}

/// Runs the command and returns its exit status: 0 done, 1 failed, 2 wrong usage.
pub fn run(arguments: Arguments) -> ExitCode {
    logs::begin(matches!(arguments.command, Command::Run(_)));
    match execute(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "scheduler: {error:#}");
            ExitCode::from(if error.is::<Problems>() { 2 } else { 1 })
        }
    }
}

fn execute(arguments: Arguments) -> anyhow::Result<()> {
    let mut problems = Problems::of_variables();
    let cloud = Cloud::read(arguments.cloud, &mut problems);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match arguments.command {
        Command::Seed(arguments) => {
            let config = SeedConfig::read(&arguments, &mut problems);
            let (cloud, config) = problems.unless_any((cloud, config))?;
            runtime.block_on(seed(&cloud, &config))
        }
        Command::Due(arguments) => {
            let config = DueConfig::read(&arguments, &mut problems);
            let (cloud, config) = problems.unless_any((cloud, config))?;
            runtime.block_on(due(&cloud, &config))
        }
        Command::Accept(arguments) => {
            let config = AcceptConfig::read(&arguments, &mut problems);
            let (cloud, config) = problems.unless_any((cloud, config))?;
            runtime.block_on(accept(&cloud, &config))
        }
        Command::Stop(site) => give(CrawlCommand::Stop, &site, cloud, problems, &runtime),
        Command::Pause(site) => give(CrawlCommand::Pause, &site, cloud, problems, &runtime),
        Command::Resume(site) => give(CrawlCommand::Resume, &site, cloud, problems, &runtime),
        Command::Tick(arguments) => {
            let config = TickConfig::read(arguments, &mut problems);
            let (cloud, config) = problems.unless_any((cloud, Some(config)))?;
            runtime.block_on(tick(&cloud, config))
        }
        Command::Run(arguments) => {
            let config = RunConfig::read(&arguments, &mut problems);
            let (cloud, config) = problems.unless_any((cloud, config))?;
            runtime.block_on(run_until_stopped(&cloud, config))
        }
    }
}

fn give(
    command: CrawlCommand,
    site: &SiteArgument,
    cloud: Option<Cloud>,
    mut problems: Problems,
    runtime: &Runtime,
) -> anyhow::Result<()> {
    let site = site.read(&mut problems);
    let (cloud, site) = problems.unless_any((cloud, site))?;
    runtime.block_on(command_open_crawl(&cloud, &site, command))
}

async fn command_open_crawl(cloud: &Cloud, site: &SiteId, command: CrawlCommand) -> anyhow::Result<()> {
    let store = connect(&cloud.firestore()).await?;
    store.site(site).await?.with_context(|| format!("there is no site {site} in {}", cloud.project))?;
    let commanded = command_crawl(&*store, site, command, Timestamp::now()).await?;
    // The service looks at once; without the message it looks by itself.
    if commanded != Commanded::NoneOpen {
        Topics::connect(cloud.pubsub()).await?.publish_tick().await?;
    }
    say(&commanded.sentence(command, site))
}

async fn seed(cloud: &Cloud, config: &SeedConfig) -> anyhow::Result<()> {
    let topics = Topics::connect(cloud.pubsub()).await?;
    for page in &config.pages {
        topics.publish_seed(page.as_str()).await.with_context(|| format!("{page} was not asked for"))?;
        say(&format!("asked for {page} (topic crawl of {})", cloud.project))?;
    }
    Ok(())
}

async fn due(cloud: &Cloud, config: &DueConfig) -> anyhow::Result<()> {
    let store = connect(&cloud.firestore()).await?;
    let topics = Topics::connect(cloud.pubsub()).await?;
    let site = store.site(&config.site).await?;
    let site = site.with_context(|| format!("there is no site {} in {}", config.site, cloud.project))?;
    match open_due(&*store, &topics, &site, config.budget, Timestamp::now()).await? {
        Some(DueCrawl { crawl, pages }) => {
            save_operations(&*store, &topics, &site.id, crawl).await?;
            say(&format!("opened {crawl} of {}: {pages} pages are due", site.id))
        }
        None => say(&format!("no page of {} is due", site.id)),
    }
}

async fn accept(cloud: &Cloud, config: &AcceptConfig) -> anyhow::Result<()> {
    let store = connect(&cloud.firestore()).await?;
    let topics = Arc::new(Topics::connect(cloud.pubsub()).await?);
    let maintenance = maintenance(store, topics, MaintenanceSettings::default());
    let Accepted { crawl, announced } =
        maintenance.accept(&config.site, config.crawl, config.force, Timestamp::now()).await?;
    say(&format!("accepted {crawl} of {}: {} announced", config.site, counted(announced, "change")))
}

async fn tick(cloud: &Cloud, config: TickConfig) -> anyhow::Result<()> {
    let store = connect(&cloud.firestore()).await?;
    let topics = Arc::new(Topics::connect(cloud.pubsub()).await?);
    let maintenance = maintenance(store.clone(), topics.clone(), config.maintenance);
    // What the service is at work on is not known here: a crawl is quiet by its records alone.
    let report = maintenance.tick(&|_, _| false, Timestamp::now()).await?;
    if let Some((site, crawl)) = report.open.first() {
        save_operations(&*store, &topics, site, *crawl).await?;
    }
    say(&report.to_string())
}

fn maintenance(
    store: Arc<dyn CloudStore>,
    topics: Arc<Topics>,
    settings: MaintenanceSettings,
) -> Maintenance {
    Maintenance {
        store,
        frontier: topics.clone(),
        announcer: topics.clone(),
        archive_queue: topics.clone(),
        summaries: topics,
        // The service tells people.
        notices: Arc::new(NoNotices),
        audits: GatheredAudits::default(),
        settings,
    }
}

/// Saves what this process cost with the crawl that it was about.
async fn save_operations(
    store: &dyn BilledStore,
    topics: &Topics,
    site: &SiteId,
    crawl: CrawlId,
) -> anyhow::Result<()> {
    let operations = Operations { messages: topics.counted(), ..store.counted() };
    Ok(store.save_operations(site, crawl, "scheduler", operations).await?)
}

async fn run_until_stopped(cloud: &Cloud, config: RunConfig) -> anyhow::Result<()> {
    let state_store = connect(&cloud.firestore()).await?;
    let topics = Arc::new(Topics::connect(cloud.pubsub()).await?);
    let mut terminate = signal(SignalKind::terminate())?;
    let next = config.schedule.next_run(Timestamp::now());
    tracing::info!(page.url = %config.root, next = next.map(tracing::field::display), "waiting for the next start");
    let weekly = Weekly::new(config.root, config.schedule, topics, state_store);
    tokio::select! {
        () = weekly.run(Timestamp::now) => {}
        _ = terminate.recv() => tracing::info!("stopped by SIGTERM"),
        _ = tokio::signal::ctrl_c() => tracing::info!("stopped by SIGINT"),
    }
    Ok(())
}

fn say(line: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}
