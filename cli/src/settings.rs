//! The settings as flags: one for each row of the table, so that a new setting is a flag by itself.

use clap::error::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use recrawl_settings::table::CRAWL;
use recrawl_settings::{Flag, Setting};
use recrawl_supervisor::settings::CommandLine;
pub(crate) use recrawl_supervisor::settings::{
    Settings, SettingsFile, read_file, refuse_unknown_variables, resolve, scope, user_agent,
};

/// Says that the person owns the site, which `--no-robots` wants to hear.
const OWNS_THE_SITE: &str = "i-own-this-site";

/// What stands above the settings in the help.
const HEADING: &str = "Settings";

/// The settings as flags.
#[derive(Debug, Clone, Default)]
pub(crate) struct SettingsArguments {
    command_line: CommandLine,
    archives_after_the_crawl: bool,
}

impl SettingsArguments {
    /// Returns what was said about the site.
    pub(crate) fn command_line(&self) -> &CommandLine {
        &self.command_line
    }

    /// Tells whether what waits is to be archived after the crawl.
    ///
    /// The flag says so; the setting in the environment or a file says what is noted for later.
    pub(crate) fn archives_after_the_crawl(&self) -> bool {
        self.archives_after_the_crawl
    }
}

impl Args for SettingsArguments {
    fn augment_args(command: Command) -> Command {
        let owner = Arg::new(OWNS_THE_SITE)
            .long(OWNS_THE_SITE)
            .help("You own this site and answer for what you do to it")
            .help_heading(HEADING)
            .action(ArgAction::SetTrue);
        command.args(CRAWL.iter().map(argument)).arg(owner)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingsArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut arguments = Self::default();
        arguments.update_from_arg_matches(matches)?;
        Ok(arguments)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for setting in CRAWL {
            let said = said(setting, matches);
            if !said.is_empty() {
                self.command_line.flags.say(setting.name, said, "flag");
            }
        }
        self.archives_after_the_crawl |= matches.contains_id("archive");
        self.command_line.owns_the_site |= matches.get_flag(OWNS_THE_SITE);
        Ok(())
    }
}

fn argument(setting: &Setting) -> Arg {
    let argument = Arg::new(setting.name).help(setting.summary()).long_help(setting.description());
    let argument = argument.hide_short_help(setting.is_rare).help_heading(HEADING);
    let action = if setting.takes_many { ArgAction::Append } else { ArgAction::Set };
    match setting.flag {
        Flag::Value => argument.long(setting.name).value_name(setting.value).action(action),
        Flag::Alone(value) => argument
            .long(setting.name)
            .value_name(setting.value)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value(value),
        Flag::Negated(name) => argument.long(name).action(ArgAction::SetTrue).requires(OWNS_THE_SITE),
    }
}

fn said(setting: &Setting, matches: &ArgMatches) -> Vec<String> {
    match setting.flag {
        Flag::Negated(_) if matches.get_flag(setting.name) => vec!["false".to_owned()],
        Flag::Negated(_) => Vec::new(),
        Flag::Value => values(setting, matches).collect(),
        // Said alone, it may be about something else than the setting.
        Flag::Alone(_) => values(setting, matches).filter(|value| !value.is_empty()).collect(),
    }
}

fn values(setting: &Setting, matches: &ArgMatches) -> impl Iterator<Item = String> {
    matches.get_many::<String>(setting.name).into_iter().flatten().cloned()
}
