//! What follows from several settings together.

use std::time::Duration;

use recrawl_core::changes::settle::SharingRules;
use recrawl_core::changes::weight::ChangeWeights;
use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::model::http_settings::HttpSettings;
use recrawl_core::model::policy::CrawlPolicy;
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::plan::priority::Weights;
use recrawl_core::url::UrlRules;
use recrawl_schedule::Schedule;

use crate::PRODUCT;
use crate::layers::{Flags, Layers, Sources};
use crate::preset::Preset;
use crate::read::{Bad, CONTACT, contact};
use crate::table::{CrawlSettings, ProcessSettings};
use crate::variables;

/// When a site is crawled by itself: as it was written, and as it is understood.
#[derive(Debug, Clone)]
pub struct Timetable {
    /// The cron expression.
    pub cron: String,
    /// The time zone by its name.
    pub time_zone: String,
    /// Both, understood.
    pub schedule: Schedule,
}

impl ProcessSettings {
    /// Reads what was said about the process; every bad value is noted in `problems`.
    pub fn read(layers: &Layers, problems: &mut Vec<String>) -> Self {
        Self::read_rows(layers, problems)
    }

    /// Reads what the environment says about this process. What is wrong with variables of the services concerns them.
    pub fn of_this_process() -> Self {
        let environment = variables::of_this_process();
        let sources = Sources { flags: &Flags::default(), environment: &environment, file: None };
        Self::read(&Layers::new(sources), &mut Vec::new())
    }
}

impl CrawlSettings {
    /// Reads what was said about the crawl; every bad value is noted in `problems`.
    pub fn read(layers: &Layers, problems: &mut Vec<String>) -> Self {
        if layers.is_set("rate") && layers.is_set("delay") {
            problems.push("rate and delay say the same thing: set one of them".to_owned());
        }
        Self::read_rows(layers, problems)
    }

    /// Returns the time between the starts of two requests to a host.
    pub fn time_between_requests(&self) -> Duration {
        self.delay.unwrap_or(self.rate)
    }

    /// Returns how many requests are made to a host at a time.
    pub fn requests_at_a_time(&self) -> u32 {
        let usual = if self.time_between_requests().is_zero() { PaceSettings::MOST_PARALLEL } else { 1 };
        self.parallel.unwrap_or(usual)
    }

    /// Returns how often and how many at a time servers are asked.
    pub fn pace(&self) -> PaceSettings {
        PaceSettings {
            delay: self.time_between_requests(),
            slowed_delay: self.preset.map_or(Duration::ZERO, Preset::slowed_delay),
            min_delay: self.min_delay,
            max_delay: self.max_delay,
            back_off: self.back_off,
            most_back_off: self.max_retry_backoff,
            parallel: self.requests_at_a_time(),
            ..PaceSettings::default()
        }
    }

    /// Returns how requests are made.
    pub fn http(&self) -> HttpSettings {
        HttpSettings {
            total_time_out: self.time_out,
            read_time_out: self.time_out,
            body_limit: self.body_limit,
            raw_limit: self.body_limit,
            document_limit: self.body_limit_documents,
            body_memory: self.body_memory as u64,
            accept_language: self.accept_language.clone(),
            ..HttpSettings::new(self.user_agent())
        }
    }

    /// Returns which pages belong to the site.
    pub fn scope(&self) -> ScopeSettings {
        ScopeSettings {
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            subdomains: self.subdomains,
            extra_hosts: self.extra_host.clone(),
            max_depth: self.max_depth,
            allow_private: self.allow_private,
            list: false,
        }
    }

    /// Returns the normal form of addresses.
    pub fn url_rules(&self) -> UrlRules {
        self.drop_parameter.clone().map(UrlRules::new).unwrap_or_default()
    }

    /// Returns the whole user agent.
    pub fn user_agent(&self) -> String {
        self.user_agent.clone().unwrap_or_else(|| user_agent_with(&self.contact))
    }

    /// Tells whether the user agent names nobody whom a site's owner could reach.
    pub fn names_nobody(&self) -> bool {
        self.user_agent().contains(CONTACT)
    }

    /// Returns what each part of a page's priority counts.
    pub fn weights(&self) -> Weights {
        Weights {
            age: self.priority_age,
            frequency: self.priority_frequency,
            depth: self.priority_depth,
            unvisited: self.priority_unvisited,
            sitemap_newer: self.priority_sitemap,
            sitemap_due: self.priority_sitemap_due,
        }
    }

    /// Returns when the same edit on several pages is one change, and how much changes matter.
    pub fn sharing(&self) -> SharingRules {
        SharingRules {
            pages: self.shared_pages,
            share: self.shared_share,
            template_share: self.template_share,
            archived: self.archive_shared,
            weights: self.change_weights(),
        }
    }

    /// Returns how many points each part of a change gives.
    pub fn change_weights(&self) -> ChangeWeights {
        ChangeWeights {
            content: self.weight_content,
            size: self.weight_size,
            title: self.weight_title,
            figures: self.weight_figures,
            robots: self.weight_robots,
            near_root: self.weight_near_root,
            calm: self.weight_calm,
            new: self.weight_new,
            gone: self.weight_gone,
            moved: self.weight_moved,
            length: self.weight_length,
            links: self.weight_links,
            aside: self.weight_aside,
            frame: self.weight_frame,
        }
    }

    /// Returns when the site is crawled by itself, if it is.
    pub fn timetable(&self) -> Option<Timetable> {
        let cron = self.schedule.clone()?;
        // Each was found to be good by itself.
        let schedule = Schedule::new(&cron, &self.time_zone).ok()?;
        Some(Timetable { cron, time_zone: self.time_zone.clone(), schedule })
    }

    /// Returns how a page is visited and compared; `product_token` is our name in robots.txt.
    pub fn step(&self, is_first_crawl: bool, product_token: &str) -> CrawlPolicy {
        CrawlPolicy {
            keep_bodies: self.keep_bodies,
            full_history: self.full_history.clone(),
            compare: self.compare,
            url_rules: self.url_rules(),
            obey_nofollow: self.nofollow,
            archive: self.archive,
            is_first_crawl,
            trust_freshness: self.trust_freshness,
            skip_if_visited_days: self.skip_if_visited_days,
            head_first: self.head,
            checked_share: self.check_share,
            recheck_share: self.recheck_share,
            watch_images: self.watch_images,
            smart_threshold: self.smart_threshold,
            retries: self.retries,
            page_time_out: 4 * self.time_out,
            trap_limit: self.trap_limit,
            sharing: self.sharing(),
            product_token: product_token.to_owned(),
        }
    }
}

/// Returns our user agent with this contact; a blank one is none.
pub fn user_agent(contact: Option<&str>) -> Result<String, Bad> {
    let contact = contact.map(str::trim).filter(|contact| !contact.is_empty());
    Ok(user_agent_with(&self::contact(contact.unwrap_or(CONTACT))?))
}

fn user_agent_with(contact: &str) -> String {
    format!("{PRODUCT}/{} (+{contact})", env!("CARGO_PKG_VERSION"))
}
