//! `recrawl config`: the settings in force, and who set them.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::exit::ExitStatus;
use crate::output::{self, Column, PlainFormat, Sheet};
use crate::settings::{self, SettingsArguments};

/// Print the settings in force for a site, and where each came from
#[derive(Debug, Args)]
pub(crate) struct ConfigArguments {
    /// A URL, or the name of a site in recrawl.toml
    #[arg(value_name = "URL", default_value = "https://example.org/")]
    target: String,
    /// Settings file [default: recrawl.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
    #[command(flatten)]
    settings: SettingsArguments,
}

impl ConfigArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let file = settings::read_file(self.config.as_deref())?;
        let resolved = settings::resolve(&self.target, self.settings.command_line(), &file)?;
        settings::scope(&resolved.settings)?;
        match self.format {
            PlainFormat::Json => output::print_json(&resolved.in_force)?,
            PlainFormat::Table => {
                let mut sheet =
                    Sheet::new([Column::new("setting"), Column::flexible("value"), Column::new("from")]);
                for value in &resolved.in_force {
                    sheet.push([
                        value.setting.into(),
                        value.value.as_str().into(),
                        value.origin.as_str().into(),
                    ]);
                }
                let mut out = output::styled();
                sheet.write_table(&mut out, output::terminal_width())?;
                out.flush()?;
            }
        }
        Ok(ExitStatus::Success)
    }
}
