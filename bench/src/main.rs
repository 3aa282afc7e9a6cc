//! Measures recrawl beside the floor and wget2; see the README beside this package.
#![expect(clippy::print_stdout, reason = "the tables are what this program is for")]

mod counters;
mod false_clock;
mod floor;
mod grouping;
mod growth;
mod listener;
mod measure;
mod nginx;
mod options;
mod pages;
mod polite;
mod programs;
mod real;
mod report;
mod run;
mod serve;
mod server;
mod simulate;
mod site;
mod torture;
mod web;

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use clap::Parser as _;
use serde::Serialize;

use crate::options::{Options, Subject, Task};

fn main() -> Result<()> {
    match Options::parse().task {
        Task::Serve { pages, shape } => serve::run(shape, pages),
        Task::Addresses { recrawl } => torture::run_addresses(&recrawl),
        Task::Floor { url, pages, revalidate } => floor::run(&url, pages, revalidate),
        Task::Run(task) => {
            prepare(&task.subject)?;
            let report = run::run(&task.plan()?)?;
            publish(&report.markdown(), &report, task.subject.json.as_deref())
        }
        Task::Growth { subject, sizes, repeat } => {
            prepare(&subject)?;
            let report = growth::run(&subject.program()?, &sizes, repeat)?;
            publish(&growth::markdown(&report), &report, subject.json.as_deref())
        }
        Task::Polite { subject, pages } => {
            prepare(&subject)?;
            let report = polite::run(&subject.program()?, pages)?;
            publish(&polite::markdown(&report), &report, subject.json.as_deref())
        }
        Task::Web(task) => {
            prepare(&task.subject)?;
            let report = web::run(&task.plan()?)?;
            publish(&report.markdown(), &report, task.subject.json.as_deref())
        }
        Task::Pages(task) => {
            prepare(&task.subject)?;
            let report = pages::run(&task.plan()?)?;
            publish(&report.markdown(), &report, task.subject.json.as_deref())
        }
        Task::Real(task) => {
            prepare(&task.subject)?;
            let report = real::run(&task.plan()?)?;
            publish(&report.markdown(), &report, task.subject.json.as_deref())?;
            ensure!(report.is_as_it_should_be(), "the program does not read every real page as it should");
            Ok(())
        }
        Task::Torture(task) => {
            if task.list {
                for name in torture::names() {
                    println!("{name}");
                }
                return Ok(());
            }
            prepare(&task.subject)?;
            let report = torture::run(&task.plan()?)?;
            publish(&report.markdown(), &report, task.subject.json.as_deref())?;
            ensure!(report.holds(), "{} of {} did not hold", report.broken(), report.rows.len());
            Ok(())
        }
        Task::Simulate { pages, weeks, seed, json } => {
            let report = simulate::run(pages, weeks, seed);
            publish(&simulate::markdown(&report), &report, json.as_deref())
        }
        Task::Grouping { sizes, json } => {
            let report = grouping::run(&sizes)?;
            publish(&grouping::markdown(&report), &report, json.as_deref())
        }
    }
}

fn prepare(subject: &Subject) -> Result<()> {
    subject.choose_work_folder()?;
    measure::stop_on_signal()
}

fn publish(markdown: &str, report: &impl Serialize, json: Option<&Path>) -> Result<()> {
    print!("{markdown}");
    let Some(path) = json else { return Ok(()) };
    let text = serde_json::to_string_pretty(report)? + "\n";
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
