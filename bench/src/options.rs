//! The command line.

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::run::Plan;
use crate::site::Shape;
use crate::{pages, programs, real, torture, web};

/// Measures recrawl beside the floor and wget2, on this machine, in one run
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) task: Task,
}

/// What to measure, or the processes that measuring needs.
#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// First, unchanged and 5 % changed crawl of full pages, beside the floor and wget2
    Run(RunTask),
    /// First crawl of ever larger sites of small pages
    Growth {
        #[command(flatten)]
        subject: Subject,
        /// Numbers of pages, from small to large
        #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000")]
        sizes: Vec<u32>,
        /// Crawls of each size
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
        repeat: u32,
    },
    /// One crawl at the default rate, by the server's clock
    Polite {
        #[command(flatten)]
        subject: Subject,
        /// Pages of the site; each takes a second
        #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(2..))]
        pages: u32,
    },
    /// The pages of `recrawl serve`: how fast they answer, also while a crawl runs, and what that costs the crawl
    Web(WebTask),
    /// The pages of `recrawl serve` over a year of crawls: how fast and how large they are
    Pages(PagesTask),
    /// Real pages, from Debian's packages of documents, crawled twice: nothing may fall, and nothing has changed
    Real(RealTask),
    /// Kills, full disks, damaged files and hostile servers: nothing may be lost, and no bound broken
    Torture(TortureTask),
    /// How many copies adaptive recrawl keeps current, beside a weekly crawl and the optimum; no network
    Simulate {
        /// Pages of each site
        #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(100..))]
        pages: u32,
        /// Weeks to simulate
        #[arg(long, default_value_t = 52, value_parser = clap::value_parser!(u32).range(8..))]
        weeks: u32,
        /// Start of all random numbers
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Also write the figures as JSON
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// Settling crawls in which every page changed: what it takes to find what they share; no network
    Grouping {
        /// Numbers of pages
        #[arg(long, value_delimiter = ',', default_value = "3500,100000")]
        sizes: Vec<u32>,
        /// Also write the figures as JSON
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// A part of `torture` that needs a network of its own
    #[command(hide = true)]
    Addresses {
        /// The recrawl program
        #[arg(long, value_name = "FILE")]
        recrawl: PathBuf,
    },
    /// Serves the generated site on a free port of 127.0.0.1 and prints the address
    Serve {
        /// Pages of the site
        #[arg(long, default_value_t = 3_500, value_parser = clap::value_parser!(u32).range(2..))]
        pages: u32,
        /// How big and how linked the pages are
        #[arg(long, value_enum, default_value_t = Shape::Full)]
        shape: Shape,
    },
    /// Downloads and hashes the pages of a served site, eight at a time
    Floor {
        /// The root page
        url: String,
        /// Pages of the site
        #[arg(long, default_value_t = 3_500)]
        pages: u32,
        /// Ask only whether each page is still the same
        #[arg(long)]
        revalidate: bool,
    },
}

/// The program under test and where its figures go.
#[derive(Debug, Args)]
pub(crate) struct Subject {
    /// The recrawl program; built from this workspace if not given
    #[arg(long, value_name = "FILE")]
    recrawl: Option<PathBuf>,
    /// Also write the figures as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Where sites, mirrors and databases are put; /dev/shm where there is one
    #[arg(long, value_name = "FOLDER")]
    work: Option<PathBuf>,
}

impl Subject {
    /// Makes the work folder the one that all temporary folders are made in.
    pub(crate) fn choose_work_folder(&self) -> Result<()> {
        let memory = Some(PathBuf::from("/dev/shm")).filter(|folder| folder.is_dir());
        let Some(folder) = self.work.clone().or(memory) else {
            return Ok(());
        };
        ensure!(folder.is_dir(), "{} is not a folder", folder.display());
        let earlier = tempfile::env::override_temp_dir(&folder).err();
        ensure!(earlier.is_none(), "the work folder is already {earlier:?}");
        Ok(())
    }

    /// Returns the program to measure.
    pub(crate) fn program(&self) -> Result<PathBuf> {
        let Some(given) = &self.recrawl else {
            return programs::build_recrawl();
        };
        ensure!(given.is_file(), "{} is not a program", given.display());
        Ok(given.clone())
    }
}

/// The options of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunTask {
    /// Pages of the site
    #[arg(long, default_value_t = 3_500, value_parser = clap::value_parser!(u32).range(100..))]
    pages: u32,
    /// Timed rounds
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// What serves the pages; nginx where it is installed
    #[arg(long)]
    server: Option<ServerKind>,
    /// Leave recrawl out: only the floor and wget2
    #[arg(long, conflicts_with = "recrawl")]
    no_recrawl: bool,
    #[command(flatten)]
    pub(crate) subject: Subject,
}

/// The options of `web`.
#[derive(Debug, Args)]
pub(crate) struct WebTask {
    /// Pages of the site that is shown, and of the one that is crawled meanwhile
    #[arg(long, default_value_t = 3_500, value_parser = clap::value_parser!(u32).range(100..))]
    pages: u32,
    /// Requests for each page while nothing else happens
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    requests: u32,
    /// Rounds of crawling with and without load
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Crawls of the other site in each half of a round: the first, then after half of the pages changed
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..))]
    crawls: u32,
    /// Requests a second at which the other site is crawled
    #[arg(long, default_value = "unlimited")]
    rate: String,
    #[command(flatten)]
    pub(crate) subject: Subject,
}

impl WebTask {
    /// Finds the program.
    pub(crate) fn plan(&self) -> Result<web::Plan> {
        Ok(web::Plan {
            recrawl: self.subject.program()?,
            pages: self.pages,
            requests: self.requests,
            repeat: self.repeat,
            crawls: self.crawls,
            rate: self.rate.clone(),
        })
    }
}

/// The options of `pages`.
#[derive(Debug, Args)]
pub(crate) struct PagesTask {
    /// Pages of the site
    #[arg(long, default_value_t = 3_500, value_parser = clap::value_parser!(u32).range(100..))]
    pages: u32,
    /// Crawls, a week apart
    #[arg(long, default_value_t = 52, value_parser = clap::value_parser!(u32).range(2..))]
    weeks: u32,
    /// Pages that are edited in the last week
    #[arg(long, default_value_t = 1_184, value_parser = clap::value_parser!(u32).range(1..))]
    changes: u32,
    /// Requests for each page
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    requests: u32,
    /// A store to keep for the next run; where it is there already, nothing is crawled
    #[arg(long)]
    store: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) subject: Subject,
}

impl PagesTask {
    /// Finds the program.
    pub(crate) fn plan(&self) -> Result<pages::Plan> {
        Ok(pages::Plan {
            recrawl: self.subject.program()?,
            pages: usize::try_from(self.pages)?,
            weeks: usize::try_from(self.weeks)?,
            changes: usize::try_from(self.changes)?,
            requests: self.requests,
            store: self.store.clone(),
        })
    }
}

/// The options of `real`.
#[derive(Debug, Args)]
pub(crate) struct RealTask {
    /// A folder of HTML to crawl in place of the packages; can be given more than once
    #[arg(long, value_name = "FOLDER")]
    site: Vec<PathBuf>,
    /// Debian packages whose documents are crawled; they are installed where they are missing
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", default_values = real::DEFAULT_PACKAGES)]
    packages: Vec<String>,
    #[command(flatten)]
    pub(crate) subject: Subject,
}

impl RealTask {
    /// Finds the program.
    pub(crate) fn plan(&self) -> Result<real::Plan> {
        Ok(real::Plan {
            recrawl: self.subject.program()?,
            folders: self.site.clone(),
            packages: self.packages.clone(),
        })
    }
}

/// The options of `torture`.
#[derive(Debug, Args)]
pub(crate) struct TortureTask {
    /// Start of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only as much as fits into the tests: less than three minutes
    #[arg(long)]
    short: bool,
    /// Only what is called so, or begins so; can be given more than once
    #[arg(long, value_name = "ID")]
    only: Vec<String>,
    /// Print what there is to try, and do nothing
    #[arg(long)]
    pub(crate) list: bool,
    /// How many things are tried at a time; most of them wait for most of their time
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..))]
    jobs: u8,
    #[command(flatten)]
    pub(crate) subject: Subject,
}

impl TortureTask {
    /// Finds the program.
    pub(crate) fn plan(&self) -> Result<torture::Plan> {
        Ok(torture::Plan {
            recrawl: self.subject.program()?,
            seed: self.seed,
            is_short: self.short,
            only: self.only.clone(),
            jobs: self.jobs.into(),
        })
    }
}

/// A server to choose.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ServerKind {
    /// This program in another process
    Builtin,
    /// nginx with one worker on a folder of files
    Nginx,
}

impl RunTask {
    /// Finds the programs that take part.
    pub(crate) fn plan(&self) -> Result<Plan> {
        let nginx = match self.server {
            None => programs::find("nginx"),
            Some(ServerKind::Builtin) => None,
            Some(ServerKind::Nginx) => Some(programs::find("nginx").context("nginx is not installed")?),
        };
        let wget = programs::find("wget2");
        if wget.is_none() {
            eprintln!("wget2 is not installed and is left out");
        }
        let recrawl = if self.no_recrawl { None } else { Some(self.subject.program()?) };
        Ok(Plan { pages: self.pages, repeat: self.repeat, nginx, wget, recrawl })
    }
}
