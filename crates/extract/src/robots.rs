//! robots.txt by RFC 9309, as Google's own matcher reads it.
//!
//! Where the two differ Google's reading decides, with one exception on the polite side: a
//! `Disallow` whose pattern escapes letters (`/%7Ejoe/`) also forbids the plain spelling (`/~joe/`),
//! because the addresses of pages are normalised before they are looked up.

mod address;
mod line;
mod pattern;

use std::collections::HashSet;
use std::time::Duration;

use self::line::{Directive, lines};
use self::pattern::Pattern;

pub use self::address::{path_to_match, product_token};

/// Kinds of robots whose rules in the robots.txt of a capsule are for us, whatever else is: those that keep versions of
/// pages, and those that let people search them.
const OUR_KINDS: [&str; 2] = ["archiver", "indexer"];

/// The rules of one host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Robots {
    is_of_capsule: bool,
    groups: Vec<Group>,
    delays: Vec<Delay>,
    sitemaps: Vec<String>,
}

/// The rules of one host for one crawler.
#[derive(Debug, Clone)]
pub struct Matcher<'a> {
    rules: Vec<&'a Rule>,
}

/// What is decided about a path, and by which rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Whether the path may be fetched.
    pub allowed: bool,
    /// The rule that decided; without one everything is allowed.
    pub rule: Option<String>,
    /// The line of that rule in the file, counted from 1.
    pub line: Option<usize>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Group {
    agents: Agents,
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Delay {
    agents: Agents,
    delay: Duration,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Agents {
    tokens: Vec<String>,
    is_everyone: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    allows: bool,
    pattern: Pattern,
    line: usize,
}

impl Robots {
    /// How much of a file is read; RFC 9309 asks for 500 KiB at least.
    ///
    /// Of a longer file the line that crosses the limit is not read: half a rule is another rule. A file of exactly
    /// this length may have been cut before, so it is read up to its last line break.
    pub const MAX_BYTES: usize = 512 * 1024;

    /// Returns a file that was cut somewhere up to its last whole line.
    pub fn whole_lines(bytes: &[u8]) -> &[u8] {
        line::whole_lines(bytes)
    }

    /// Reads a file; there is no file that cannot be read.
    pub fn parse(bytes: &[u8]) -> Self {
        Self::of_lines(Self::default(), bytes)
    }

    /// Reads the file of a capsule, where other rules hold: a line forbids what begins with it, nothing is allowed again,
    /// and rules for a kind of robots that we are of hold beside those for us or for everyone.
    pub fn parse_of_capsule(bytes: &[u8]) -> Self {
        Self::of_lines(Self { is_of_capsule: true, ..Self::default() }, bytes)
    }

    fn of_lines(mut robots: Self, bytes: &[u8]) -> Self {
        let mut delay_agents = Agents::default();
        let mut seen_sitemaps = HashSet::new();
        let (mut has_rules, mut has_delay) = (false, false);
        for (line, directive) in lines(bytes) {
            match directive {
                Directive::UserAgent(agent) => {
                    if has_rules || robots.groups.is_empty() {
                        robots.groups.push(Group::default());
                    }
                    // A Crawl-delay does not end a group, but the agents below it are not its own.
                    if has_rules || has_delay {
                        delay_agents = Agents::default();
                    }
                    (has_rules, has_delay) = (false, false);
                    delay_agents.add(&agent);
                    if let Some(group) = robots.groups.last_mut() {
                        group.agents.add(&agent);
                    }
                }
                Directive::Allow(_) if robots.is_of_capsule => {}
                Directive::Disallow(pattern) if robots.is_of_capsule => {
                    has_rules = true;
                    robots.add(Rule { allows: false, pattern: Pattern::prefix(&pattern), line });
                }
                Directive::Allow(pattern) => {
                    has_rules = true;
                    robots.add(Rule { allows: true, pattern: Pattern::allowing(&pattern), line });
                }
                Directive::Disallow(pattern) => {
                    has_rules = true;
                    robots.add(Rule { allows: false, pattern: Pattern::forbidding(&pattern), line });
                }
                Directive::CrawlDelay(delay) => {
                    // Of several for the same agents the longest counts: their names are kept once.
                    match robots.delays.last_mut().filter(|_| has_delay) {
                        Some(last) => last.delay = last.delay.max(delay),
                        None => robots.delays.push(Delay { agents: delay_agents.clone(), delay }),
                    }
                    has_delay = true;
                }
                Directive::Sitemap(address) => {
                    if seen_sitemaps.insert(address.clone()) {
                        robots.sitemaps.push(address);
                    }
                }
            }
        }
        robots
    }

    /// Returns whether the crawler with the product token `agent` may fetch `path_and_query`.
    pub fn allows(&self, agent: &str, path_and_query: &str) -> bool {
        self.matcher(agent).allows(path_and_query)
    }

    /// Returns what is decided about `path_and_query`, and why.
    pub fn decision(&self, agent: &str, path_and_query: &str) -> Decision {
        self.matcher(agent).decision(path_and_query)
    }

    /// Gathers the rules for the crawler with the product token `agent`.
    ///
    /// Those are the rules of all groups that name it or, if none does, of all groups for `*`.
    pub fn matcher(&self, agent: &str) -> Matcher<'_> {
        let is_named = self.names(agent);
        let groups = self.groups.iter().filter(|group| self.are_for(&group.agents, agent, is_named));
        Matcher { rules: groups.flat_map(|group| &group.rules).collect() }
    }

    /// Returns the longest `Crawl-delay` for the crawler with the product token `agent`.
    pub fn crawl_delay(&self, agent: &str) -> Option<Duration> {
        let is_named = self.names(agent);
        let delays = self.delays.iter().filter(|delay| self.are_for(&delay.agents, agent, is_named));
        delays.map(|delay| delay.delay).max()
    }

    /// Returns the addresses of sitemaps as they were written, each once.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    /// Returns whether what is said to `agents` is said to us, where `is_named` tells if any group names us.
    fn are_for(&self, agents: &Agents, agent: &str, is_named: bool) -> bool {
        let are_our_kind = || OUR_KINDS.iter().any(|kind| agents.name(kind));
        agents.admit(agent, is_named) || self.is_of_capsule && are_our_kind()
    }

    fn names(&self, agent: &str) -> bool {
        self.groups.iter().any(|group| group.agents.name(agent))
    }

    /// Adds `rule` to the current group; above the first group it belongs to nobody.
    fn add(&mut self, rule: Rule) {
        if let Some(group) = self.groups.last_mut() {
            group.rules.push(rule);
        }
    }
}

impl Agents {
    fn add(&mut self, agent: &str) {
        let mut characters = agent.chars();
        // "* and more words" is everyone too.
        let is_everyone =
            characters.next() == Some('*') && characters.next().is_none_or(|next| next.is_ascii_whitespace());
        if is_everyone {
            self.is_everyone = true;
        } else {
            self.tokens.push(product_token(agent).to_owned());
        }
    }

    fn name(&self, agent: &str) -> bool {
        self.tokens.iter().any(|token| token.eq_ignore_ascii_case(agent))
    }

    /// Returns whether `agent` belongs here, where `is_named` tells if any group names it.
    fn admit(&self, agent: &str, is_named: bool) -> bool {
        if is_named { self.name(agent) } else { self.is_everyone }
    }
}

impl Matcher<'_> {
    /// Returns whether `path_and_query` may be fetched.
    pub fn allows(&self, path_and_query: &str) -> bool {
        self.winner(path_and_query).is_none_or(|rule| rule.allows)
    }

    /// Returns what is decided about `path_and_query`, and why.
    pub fn decision(&self, path_and_query: &str) -> Decision {
        let winner = self.winner(path_and_query);
        Decision {
            allowed: winner.is_none_or(|rule| rule.allows),
            rule: winner.map(Rule::text),
            line: winner.map(|rule| rule.line),
        }
    }

    /// Returns the rule with the longest pattern that matches; of equals, one that allows.
    fn winner(&self, path: &str) -> Option<&Rule> {
        let mut best: Option<(usize, &Rule)> = None;
        for &rule in &self.rules {
            let Some(length) = rule.pattern.match_length(path).filter(|length| *length > 0) else {
                continue;
            };
            let is_better = best.is_none_or(|(longest, winner)| {
                length > longest || (length == longest && rule.allows && !winner.allows)
            });
            if is_better {
                best = Some((length, rule));
            }
        }
        best.map(|(_, rule)| rule)
    }
}

impl Rule {
    fn text(&self) -> String {
        let word = if self.allows { "Allow" } else { "Disallow" };
        format!("{word}: {}", self.pattern)
    }
}

#[cfg(test)]
mod tests;
