//! Who is told what crawls of a site find.

use std::collections::BTreeMap;

use recrawl_core::model::ids::SiteId;
use recrawl_notify::settings::ChannelSettings;
use recrawl_notify::{Problem, Setup, Target, TargetName, TargetSettings, target_of_site, targets};

/// Who is told: those who can be, and those with whom something is wrong.
#[derive(Debug, Default)]
pub struct SiteTargets {
    /// Those who can be told.
    pub ready: Vec<Target>,
    /// Those who cannot, and why.
    pub broken: Vec<(TargetName, String)>,
}

impl SiteTargets {
    /// Makes the targets that a site has for itself, of the tables in its plan.
    pub fn of_site(site: &SiteId, tables: &BTreeMap<String, String>, setup: &Setup<'_>) -> Self {
        let mut made = Self::default();
        for (name, table) in tables {
            let Ok(full) = TargetName::of_site(name, site) else { continue };
            match read(name, table) {
                Ok(settings) => match target_of_site(name, site, settings, setup) {
                    Ok(target) => made.ready.push(target),
                    Err(problem) => made.broken.push((full, said(name, &problem))),
                },
                Err(problem) => made.broken.push((full, problem)),
            }
        }
        made
    }

    /// Makes the targets that hear of any site, of tables by name as JSON.
    pub fn of_all(tables: &BTreeMap<String, String>, setup: &Setup<'_>) -> Self {
        let mut made = Self::default();
        for (name, table) in tables {
            let Ok(full) = name.parse::<TargetName>() else { continue };
            let target = read(name, table).and_then(|settings| {
                let one = targets(BTreeMap::from([(name.clone(), settings)]), setup);
                one.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
            });
            match target {
                Ok(target) => made.ready.extend(target),
                Err(problem) => made.broken.push((full, problem)),
            }
        }
        made
    }

    /// Adds others to these.
    pub fn add(&mut self, others: Self) {
        self.ready.extend(others.ready);
        self.broken.extend(others.broken);
    }

    /// Returns the names of all of them.
    pub fn names(&self) -> impl Iterator<Item = &TargetName> {
        self.ready.iter().map(Target::name).chain(self.broken.iter().map(|(name, _)| name))
    }

    /// Says what is wrong with tables, as far as that can be told without the secrets that they name.
    pub fn problems(tables: &BTreeMap<String, String>) -> Vec<String> {
        let of_table = |(name, table): (&String, &String)| {
            let named = name.parse::<TargetName>().map(drop).map_err(|problem| said(name, &problem));
            let timed = || {
                let settings = read(name, table)?;
                recrawl_notify::timing(&settings.timing).map_err(|problem| said(name, &problem))
            };
            named.and_then(|()| timed().map(drop)).err()
        };
        tables.iter().filter_map(of_table).collect()
    }
}

/// Reads a table. A file would be on a machine that is gone when the request is over.
fn read(name: &str, table: &str) -> Result<TargetSettings, String> {
    let settings: TargetSettings =
        serde_json::from_str(table).map_err(|error| format!("[notify.{name}] {error}"))?;
    match settings.channel {
        ChannelSettings::Markdown(_) => {
            Err(format!("[notify.{name}] writes a file, and the service keeps none: choose another kind"))
        }
        _ => Ok(settings),
    }
}

fn said(name: &str, problem: &Problem) -> String {
    format!("[notify.{name}] {problem}")
}

#[cfg(test)]
mod tests {
    use recrawl_notify::RetryLimits;

    use super::*;

    fn tables(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, table)| ((*name).to_owned(), (*table).to_owned())).collect()
    }

    fn setup(environment: &dyn Fn(&str) -> Option<String>) -> Setup<'_> {
        Setup { environment, web: None, user_agent: "recrawl/0", patience: RetryLimits::default() }
    }

    #[test]
    fn two_sites_may_have_a_target_of_one_name_and_each_hears_of_its_own_site() {
        let table = tables(&[("team", r#"{"kind": "webhook", "url": "https://hooks.example/a"}"#)]);
        let named = |site: &str| {
            let made = SiteTargets::of_site(&site.parse().unwrap(), &table, &setup(&|_| None));
            made.names().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            (named("port"), named("default")),
            (vec!["team@port".into()], vec!["team@default".into()])
        );
        let name: TargetName = serde_json::from_str("\"team@port\"").unwrap();
        assert_eq!(name.to_string(), "team@port");
        assert!("team@port".parse::<TargetName>().is_err(), "nobody calls a target so");
    }

    #[test]
    fn one_that_cannot_be_told_hurts_no_other_and_secrets_come_from_the_environment() {
        let table = tables(&[
            ("a", r#"{"kind": "slack", "url-env": "A_HOOK"}"#),
            ("b", r#"{"kind": "slack", "url-env": "B_HOOK"}"#),
            ("c", r#"{"kind": "smoke"}"#),
            ("d", r#"{"kind": "markdown", "path": "x-{site}-{crawl}.md"}"#),
        ]);
        let environment = |name: &str| (name == "A_HOOK").then(|| "https://hooks.example/s3cret".to_owned());
        let made = SiteTargets::of_site(&"port".parse().unwrap(), &table, &setup(&environment));
        assert_eq!(made.ready.len(), 1);
        let broken: Vec<String> = made.broken.iter().map(|(name, why)| format!("{name}: {why}")).collect();
        assert!(broken[0].contains("b@port: [notify.b] needs the environment variable B_HOOK"), "{broken:?}");
        assert!(broken[1].contains("[notify.c]") && broken[2].contains("writes a file"), "{broken:?}");
        let problems = SiteTargets::problems(&table);
        assert_eq!(problems.len(), 2, "what lacks only its secret may be written: {problems:?}");
        assert!(!format!("{made:?}").contains("s3cret"));
    }
}
